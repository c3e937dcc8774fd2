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

/** Digests by ledger; that of the end, with history, as `end`. */
type Digests = Map<string, string>;

type Moment = { readonly during: 'restore' | 'following'; readonly afterMs: number };

/**
 * Runs a process on the store. @param moment when it is killed; undefined: it runs to its end
 * @param onDigest called for each digest it prints
 */
async function follow(
  dir: string,
  { archive }: SizedStore,
  limits: 'small' | 'usual',
  moment: Moment | undefined,
  onDigest: (ledger: string, digest: string) => void,
): Promise<Outcome> {
  const command = [process.execPath, join(import.meta.dir, 'sized-kills.child.ts'), dir, archive];
  const child = Bun.spawn([...command, String(EVERY), limits], { stdout: 'pipe', stderr: 'inherit' });
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

/** How many processes ended in which way, and digests compared, over all stores. */
interface Counts {
  restore: number;
  following: number;
  digests: number;
}

interface Lane {
  readonly dir: string;
  readonly sized: SizedStore;
  readonly expected: Digests;
  readonly random: () => number;
  /** ms that a restore takes. */
  readonly restoreMs: number;
  /** Of this store. */
  readonly rounds: number;
  readonly counts: Counts;
}

/** Kills processes on one store until their number is reached, then lets one follow the chain to its end. */
async function killOn({ dir, sized, expected, random, rounds, counts, ...lane }: Lane): Promise<void> {
  let { restoreMs } = lane;
  let known = BASE_INDEX;
  const compare = (at: string, digest: string): void => {
    counts.digests++;
    if (digest !== expected.get(at)) throw new Error(`ledger ${at}: digest ${digest} differs`);
  };
  copyOf(sized.store, dir);
  for (let kills = 0, hasEnded = false; kills < rounds || !hasEnded; ) {
    const during = random() < 1 / RESTORES ? 'restore' : 'following';
    const afterMs = random() * (during === 'restore' ? restoreMs : FOLLOWED_MS);
    const moment = kills < rounds ? ({ during, afterMs } as const) : undefined;
    // Every third process has the limits of the service, so that logs of many batches are restored too.
    const outcome = await follow(dir, sized, kills % 3 === 2 ? 'usual' : 'small', moment, compare);
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
    if (kills % 20 === 0) console.log(`${kills} kills of ${rounds}: ledger ${known - BASE_INDEX}`, counts);
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
    const expected: Digests = new Map();
    copyOf(sized.store, dirs[0]!);
    const { restoreMs } = await follow(dirs[0]!, sized, 'usual', undefined, (at, digest) =>
      expected.set(at, digest),
    );
    expect(expected.size).toBe(LEDGERS / EVERY + 1);
    const counts = { restore: 0, following: 0, digests: 0 };
    const rounds = Math.ceil(ROUNDS / LANES);
    await Promise.all(
      dirs.map((dir, i) =>
        killOn({ dir, sized, expected, random: seeded(seed + i), restoreMs, rounds, counts }),
      ),
    );
    remove();
    console.log(counts);
    expect(counts.restore + counts.following).toBeGreaterThanOrEqual(ROUNDS);
    expect(counts.digests).toBeGreaterThanOrEqual(LANES);
  },
  LIMIT_MS,
);
