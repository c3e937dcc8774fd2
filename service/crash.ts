/**
 * Kills (signal 9) a process at random moments while it replays an archive into a store. After every kill the store is
 * opened as the service would open it: its digest must equal the digest of a run without kills at the same ledger, and
 * every ledger up to the cursor must be stored exactly once.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../data/store.ts';
import { Engine } from '../engine/engine.ts';
import { ArchiveWriter } from '../engine/ledger/archive-writer.ts';
import type { Log } from '../engine/log.ts';
import { relaidChain } from '../support/chain.ts';
import { replayArchive } from './replay.ts';

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} };
const CHILD = join(import.meta.dir, 'crash.child.ts');
/** Small batches, so that kills fall between and into many transactions. */
const CHILD_BATCH_LEDGERS = 4;
const TRANSACTIONS_PER_LEDGER = 20;
/** About how many ledgers a child applies between two kills; decides the length of the chain. */
const LEDGERS_PER_ROUND = 60;

export interface CrashReport {
  readonly kills: number;
  readonly digest: string;
}

/** What a run without kills holds after each ledger. */
interface Expected {
  readonly digests: ReadonlyMap<number, string>;
  readonly trades: ReadonlyMap<number, number>;
  /** With the history, at the last ledger. */
  readonly digest: string;
  readonly first: number;
  readonly last: number;
}

async function runWithoutKills(archive: string, dir: string): Promise<Expected> {
  const digests = new Map<number, string>();
  const trades = new Map<number, number>();
  const { digest } = await replayArchive({
    archive,
    dir,
    workers: 0,
    log: quiet,
    onLedger: (engine) => {
      digests.set(engine.head!.index, engine.digest());
      trades.set(engine.head!.index, engine.counters.tradesSeen);
    },
  });
  const indices = [...digests.keys()];
  return { digests, trades, digest, first: indices[0]!, last: indices.at(-1)! };
}

/**
 * Opens the store as a restart does and compares it.
 * @returns the index of its last ledger, 0 when it is empty
 * @throws Error that describes the difference
 */
async function check(dir: string, expected: Expected): Promise<number> {
  const store = await openStore({ dir, network: 0 });
  try {
    const engine = new Engine({ store, log: quiet });
    engine.restore();
    const at = engine.head?.index;
    if (at === undefined) return 0;
    const digest = engine.digest();
    if (digest !== expected.digests.get(at)) throw new Error(`ledger ${at}: digest ${digest} differs`);
    if (at === expected.last && (await engine.digestWithHistory()) !== expected.digest)
      throw new Error(`ledger ${at}: the history differs`);
    const ranges = store.ledgerRanges();
    if (ranges.length !== 1 || ranges[0]![0] !== expected.first || ranges[0]![1] !== at)
      throw new Error(`cursor at ${at}, but the ledgers held are ${JSON.stringify(ranges)}`);
    let trades = 0;
    store.trades({}, () => {
      trades++;
      return undefined;
    });
    if (trades !== expected.trades.get(at))
      throw new Error(`ledger ${at}: ${trades} trades stored, ${expected.trades.get(at)} happened`);
    return at;
  } finally {
    await store.close();
  }
}

/** Replays in a child process, killed after a random time. Resolves true when it ended by itself. */
async function replayAndKill(archive: string, dir: string, afterMs: number): Promise<boolean> {
  const child = Bun.spawn([process.execPath, CHILD, archive, dir, String(CHILD_BATCH_LEDGERS)], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  // The time is counted from the first applied ledger; otherwise most kills would hit the start-up.
  await child.stdout.getReader().read();
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
  const code = await child.exited;
  clearTimeout(timer);
  if (code !== 0 && child.signalCode !== 'SIGKILL')
    throw new Error(`the replay failed with exit code ${code}`);
  return child.signalCode !== 'SIGKILL';
}

/**
 * @param rounds number of kills
 * @param report gets one line per round
 * @param seed of the moments of the kills
 * @throws Error at the first round whose store differs
 */
export async function crashRounds(
  rounds: number,
  report: (line: string) => void,
  seed = 1,
): Promise<CrashReport> {
  const base = mkdtempSync(join(tmpdir(), 'millrace-crash-'));
  const archive = join(base, 'chain.mlr');
  try {
    const writer = ArchiveWriter.open(archive);
    const plan = {
      ledgers: Math.min(rounds, 25) * LEDGERS_PER_ROUND,
      transactionsPerLedger: TRANSACTIONS_PER_LEDGER,
    };
    for (const packed of relaidChain(plan)) writer.append(packed);
    writer.sync();
    writer.close();
    const expected = await runWithoutKills(archive, join(base, 'without-kills'));
    let random = seed;
    let kills = 0;
    let generation = 0;
    let digest = '';
    let dir = join(base, 'killed-0');
    while (kills < rounds || digest === '') {
      random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
      const afterMs = kills < rounds ? (random / 2_147_483_648) * 250 : 600_000;
      const ended = await replayAndKill(archive, dir, afterMs);
      const at = await check(dir, expected);
      if (!ended) kills++;
      report(`kill ${kills} after ${Math.round(afterMs)} ms: ledger ${at}, digest as without kills`);
      if (!ended) continue;
      if (at !== expected.last) throw new Error(`the replay ended at ledger ${at}, not at ${expected.last}`);
      digest = expected.digest;
      dir = join(base, `killed-${++generation}`); // the whole chain is applied: continue with an empty store
    }
    return { kills, digest };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
