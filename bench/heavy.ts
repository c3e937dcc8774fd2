/**
 * The ranking of a token with 300,000 holders: in a worker thread that reads the columns in place, against the main
 * thread's own way, in slices. Each side in turns, from nothing; the longest stall of the main thread's event loop and the
 * time to the result, medians of the rounds. Then what the reader costs the writer: the share of a small ledger's
 * application that the sequence locks take, and the cost of bringing a ranking up to date against making it again.
 */
import { Engine } from '../engine/engine.ts';
import { prepare, prepared } from '../engine/ledger/prepare.ts';
import { relaidChain } from '../support/chain.ts';
import { corpusDir } from '../support/corpus.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { HolderRankings } from '../views/holder-ranking.ts';
import { HeavyReadPool } from '../workers/heavy-reads.ts';
import type { Figure } from './budgets.ts';
import { quantile } from './latency.ts';
import { linePages } from './lines.ts';
import { StallMeter } from './stall-meter.ts';

const LINES = 460_000;
const ROUNDS = 9;
/** Before and after a ranking, so that the meter sees stalls at its ends. */
const SETTLE_MS = 50;
const LEDGERS = 300;
const LOCK_ROUNDS = 300;
const LOCKS_A_ROUND = 100;
/** Lines of the token that a ledger changes. */
const CHANGED = 50;

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const median = (values: readonly number[]): number => quantile(values, 0.5);

interface Measured {
  /** ms. */
  readonly stalls: number[];
  readonly times: number[];
}

async function measureRound(rankings: HolderRankings, token: number, into: Measured): Promise<void> {
  rankings.drop();
  await Bun.sleep(SETTLE_MS);
  const meter = new StallMeter();
  await Bun.sleep(SETTLE_MS);
  meter.reset();
  const started = performance.now();
  await rankings.ready(token);
  into.times.push(performance.now() - started);
  await Bun.sleep(SETTLE_MS);
  meter.stop();
  into.stalls.push(meter.longestOwn);
}

async function rankingFigures(engine: Engine, token: number, pool: HeavyReadPool): Promise<Figure[]> {
  const here = new HolderRankings(engine.state);
  const there = new HolderRankings(engine.state, { heavy: pool.of(engine.state) });
  const [main, worker] = [here, there].map((): Measured => ({ stalls: [], times: [] })) as [
    Measured,
    Measured,
  ];
  // The first round starts the thread and compiles both ways.
  for (const rankings of [here, there]) await measureRound(rankings, token, { stalls: [], times: [] });
  for (let round = 0; round < ROUNDS; round++) {
    await measureRound(here, token, main);
    await measureRound(there, token, worker);
  }
  const ratio = (name: 'heavy.stall' | 'heavy.time', ours: number[], other: number[]): Figure => ({
    name,
    value: median(ours) / median(other),
    ours: `${median(ours).toFixed(1)} ms`,
    other: `${median(other).toFixed(1)} ms`,
  });
  return [
    ratio('heavy.stall', worker.stalls, main.stalls),
    ratio('heavy.time', worker.times, main.times),
    updateFigure(engine, there, token, median(main.times)),
  ];
}

function updateFigure(engine: Engine, rankings: HolderRankings, token: number, again: number): Figure {
  const list = engine.state.lines.holders(token).slice();
  const times: number[] = [];
  for (let round = 0; round < 10 * ROUNDS; round++) {
    const pairs: number[] = [];
    for (let i = 0; i < CHANGED; i++) pairs.push(token, list[(round * 7919 + i * 104_729) % list.length]!);
    rankings.applied(pairs);
    const started = performance.now();
    rankings.of(token);
    times.push(performance.now() - started);
  }
  const ours = median(times);
  return {
    name: 'heavy.update',
    value: ours / again,
    ours: `${ours.toFixed(2)} ms`,
    other: `${again.toFixed(1)} ms`,
  };
}

/** Share of the time of a ledger of 8 transactions that its sequence locks take. */
async function lockFigure(): Promise<Figure> {
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const times: number[] = [];
  for (const packed of relaidChain({ ledgers: LEDGERS, transactionsPerLedger: 8 })) {
    const ready = prepared(packed, prepare(packed.bytes));
    const started = performance.now();
    await engine.applyLedger(ready, true);
    times.push(performance.now() - started);
  }
  const tables = engine.domains.flatMap((domain) => domain.tables);
  const lockTimes: number[] = [];
  for (let round = 0; round < LOCK_ROUNDS; round++) {
    const started = performance.now();
    for (let i = 0; i < LOCKS_A_ROUND; i++) {
      for (const { lock } of tables) lock.beginWrite();
      for (const { lock } of tables) lock.endWrite();
    }
    lockTimes.push((performance.now() - started) / LOCKS_A_ROUND);
  }
  const locks = median(lockTimes);
  const ledger = median(times.slice(LEDGERS / 3));
  return {
    name: 'heavy.lock',
    value: locks / ledger,
    ours: `${(locks * 1000).toFixed(2)} us`,
    other: `${(ledger * 1000).toFixed(0)} us`,
  };
}

async function run(): Promise<Figure[]> {
  if (!corpusDir) throw new Error('this suite needs the recorded ledgers');
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  for (const page of linePages(LINES, { tokens: 2, accounts: LINES })) engine.loadEntries(page);
  const { lines } = engine.state;
  const token = lines.lineCount(1) > lines.lineCount(2) ? 1 : 2;
  console.log(`${lines.holdersCount(token)} holders, ${lines.lineCount(token)} lines`);
  const pool = new HeavyReadPool();
  try {
    return [...(await rankingFigures(engine, token, pool)), await lockFigure()];
  } finally {
    await pool.close();
  }
}

console.log(`figures ${JSON.stringify(await run())}`);
process.exit(0);
