/**
 * Kill -9 at 200 random moments, at the main network's size, while ledgers of 400 transactions are followed: while a
 * ledger is applied or written, during checkpoints, merges and restores. After every kill the store has every ledger that
 * was durable, once, and nothing behind its cursor; at every EVERY-th ledger and at the end the digest is that of a run
 * without kills. The first run makes the store (bench/size/store.ts), which stays in the folder for temporary files.
 *
 * Other sizes: `SHARE=0.05 ROUNDS=20 SEED=1 node_modules/.bin/bun test ./test/long/sized-kills.ts`.
 */
import { expect, test } from 'bun:test';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BASE_INDEX } from '../../bench/size/ledgers.ts';
import { madeStore } from '../../bench/size/rig.ts';
import type { SizedStore } from '../../bench/size/store.ts';
import { temporaryDir } from '../data/tools.ts';
import { seeded } from '../engine/ledger/quiet.ts';

const SHARE = Number(process.env.SHARE ?? 1);
const ROUNDS = Number(process.env.ROUNDS ?? 200);
/** Stores that are followed and killed side by side: most of a round is a restore, which takes one core. */
const LANES = 2;
/** As far as kills come, twice over: most processes follow a few ledgers. */
const LEDGERS = 300;
const TRANSACTIONS = 400;
/** Ledgers between two digests: one takes several seconds at the full size. */
const EVERY = 75;
/** Longest time that a process follows: some 20 ledgers. */
const FOLLOWED_MS = 1500;
/** One process in so many is killed during its restore. */
const RESTORES = 4;
/**
 * Of the processes: memory that they free is not handed back to the kernel while they restore, since they end soon after. That
 * saves a seventh of the kernel's time.
 */
const CHILD_ENV = { ...process.env, MIMALLOC_PURGE_DELAY: '-1' };
/** It ends a test that hangs: alone 200 kills take some 20 minutes, beside other tests on a slow machine twice as many. */
const LIMIT_MS = 55 * 60_000;

/** What a process printed until it ended. */
interface Outcome {
  /** It ended by itself. */
  readonly ended: boolean;
  /** Ledger that it restored; undefined: killed before. */
  readonly restored: number | undefined;
  /** Newest ledger that it knew to be durable. */
  readonly durable: number;
  /** ms from opening to restored. */
  readonly restoreMs: number;
}

/** Digests that were found, by ledger, and those of the run without kills, which goes on meanwhile. That of the end is `end`. */
class Comparison {
  readonly #expected = new Map<string, string>();
  readonly #found: (readonly [ledger: string, digest: string])[] = [];

  readonly expect = (ledger: string, digest: string): void => void this.#expected.set(ledger, digest);
  readonly find = (ledger: string, digest: string): void => void this.#found.push([ledger, digest]);

  get expected(): number {
    return this.#expected.size;
  }

  get found(): number {
    return this.#found.length;
  }

  /** @param isComplete the run without kills has ended. @throws Error where a digest differs */
  check(isComplete: boolean): void {
    for (const [ledger, digest] of this.#found) {
      const expected = this.#expected.get(ledger);
      if (digest !== expected && (isComplete || expected !== undefined))
        throw new Error(`ledger ${ledger}: digest ${digest} differs from ${expected}`);
    }
  }
}

type Moment = { readonly during: 'restore' | 'following'; readonly afterMs: number };

interface Following {
  /** When it is killed; undefined: it runs to its end. */
  readonly moment: Moment | undefined;
  /** Called for each digest it prints. */
  readonly onDigest: (ledger: string, digest: string) => void;
  /** Called when it has restored, with how long that took. */
  readonly onRestored?: (ms: number) => void;
}

/** Runs a process on the store. */
async function follow(
  dir: string,
  { archive }: SizedStore,
  limits: 'small' | 'usual',
  { moment, onDigest, onRestored }: Following,
): Promise<Outcome> {
  const command = [process.execPath, join(import.meta.dir, 'sized-kills.child.ts'), dir, archive];
  const child = Bun.spawn([...command, String(EVERY), limits], {
    env: CHILD_ENV,
    stdout: 'pipe',
    stderr: 'inherit',
  });
  let [restored, durable, opened, restoreMs]: [number | undefined, number, number, number] = [
    undefined,
    0,
    0,
    0,
  ];
  let isDigesting = false;
  let isDue = false;
  const kill = (): void => {
    isDue = true;
    if (!isDigesting) child.kill('SIGKILL');
  };
  const killAfter = (during: Moment['during']): void => {
    if (moment?.during === during) setTimeout(kill, moment.afterMs);
  };
  const take = ([word, first = '', second = '']: readonly string[]): void => {
    if (word === 'opened') {
      opened = performance.now();
      killAfter('restore');
    } else if (word === 'restored') {
      restored = Number(first);
      restoreMs = performance.now() - opened;
      onRestored?.(restoreMs);
      killAfter('following');
    } else if (word === 'durable') durable = Number(first);
    else if (word === 'digesting') isDigesting = true;
    else if (word === 'digest' || word === 'end') {
      isDigesting = false;
      onDigest(word === 'end' ? 'end' : first, word === 'end' ? first : second);
      if (isDue) child.kill('SIGKILL');
    }
  };
  let text = '';
  for await (const part of child.stdout) {
    const lines = (text + Buffer.from(part).toString()).split('\n');
    text = lines.pop()!;
    for (const line of lines) take(line.split(' '));
  }
  const code = await child.exited;
  if (child.signalCode !== 'SIGKILL' && code !== 0) throw new Error(`a process ended with exit code ${code}`);
  return { ended: code === 0, restored, durable, restoreMs };
}

function copyOf(store: string, dir: string): void {
  rmSync(dir, { recursive: true, force: true });
  cpSync(store, dir, { recursive: true });
}

/** How many processes were killed when, over all stores. */
interface Counts {
  restore: number;
  following: number;
}

interface Lane {
  readonly dir: string;
  readonly sized: SizedStore;
  readonly digests: Comparison;
  readonly random: () => number;
  /** ms that a restore takes. */
  readonly restoreMs: number;
  /** Of this store. */
  readonly rounds: number;
  readonly counts: Counts;
}

/** Kills processes on one store until their number is reached, then lets one follow the chain to its end. */
async function killOn({ dir, sized, digests, random, rounds, counts, ...lane }: Lane): Promise<void> {
  let { restoreMs } = lane;
  let known = BASE_INDEX;
  copyOf(sized.store, dir);
  for (let kills = 0, hasEnded = false; kills < rounds || !hasEnded; ) {
    const during = random() < 1 / RESTORES ? 'restore' : 'following';
    const afterMs = random() * (during === 'restore' ? restoreMs : FOLLOWED_MS);
    const moment = kills < rounds ? ({ during, afterMs } as const) : undefined;
    // Every third process has the limits of the service, so that logs of many batches are restored too.
    const outcome = await follow(dir, sized, kills % 3 === 2 ? 'usual' : 'small', {
      moment,
      onDigest: digests.find,
    });
    digests.check(false);
    if (outcome.restored !== undefined && outcome.restored < known)
      throw new Error(`ledger ${known} was durable, but the store came back at ${outcome.restored}`);
    known = Math.max(known, outcome.restored ?? 0, outcome.durable);
    if (outcome.restored !== undefined) restoreMs = outcome.restoreMs;
    hasEnded = outcome.ended;
    if (hasEnded) {
      // The whole chain is applied: continue with the store at its beginning.
      if (kills < rounds) copyOf(sized.store, dir);
      known = BASE_INDEX;
      continue;
    }
    kills++;
    counts[outcome.restored === undefined ? 'restore' : 'following']++;
    if (kills % 20 === 0)
      console.log(`${kills} kills of ${rounds}: ledger ${known - BASE_INDEX}`, counts, digests.found);
  }
}

test(
  `kill -9 at ${ROUNDS} random moments at ${SHARE} times the main network's size: nothing lost, the same digests`,
  async () => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
    console.log(`sized kills: SEED=${seed}`);
    const sized = await madeStore(SHARE, { ledgers: LEDGERS, transactions: TRANSACTIONS });
    const { dir: folder, remove } = temporaryDir();
    const dirs = Array.from({ length: LANES }, (_, i) => join(folder, `store-${i}`));
    const digests = new Comparison();
    const [undisturbed, whole] = [join(folder, 'without-kills'), Promise.withResolvers<number>()];
    copyOf(sized.store, undisturbed);
    const withoutKills = follow(undisturbed, sized, 'usual', {
      moment: undefined,
      onDigest: digests.expect,
      onRestored: whole.resolve,
    });
    const restoreMs = await Promise.race([whole.promise, withoutKills.then((outcome) => outcome.restoreMs)]);
    const counts = { restore: 0, following: 0 };
    const rounds = Math.ceil(ROUNDS / LANES);
    await Promise.all([
      withoutKills.then(() => rmSync(undisturbed, { recursive: true })),
      ...dirs.map((dir, i) =>
        killOn({ dir, sized, digests, random: seeded(seed + i), restoreMs, rounds, counts }),
      ),
    ]);
    expect(digests.expected).toBe(LEDGERS / EVERY + 1);
    digests.check(true);
    remove();
    console.log(counts, digests.found);
    expect(counts.restore + counts.following).toBeGreaterThanOrEqual(ROUNDS);
    expect(digests.found).toBeGreaterThanOrEqual(LANES);
  },
  LIMIT_MS,
);
