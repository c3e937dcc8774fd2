/**
 * The heaviest tool: groups of all holders of a token with 100,000 of them, funded over five hops, in a worker thread. Every
 * account but the first was created by another one, eight by each; one creator in a hundred is an exchange. `bun bench/clusters.ts`.
 *
 *     clusters.time     from the call to the groups              clusters.stall   longest stall of the main thread meanwhile
 */

import { Engine } from '../engine/engine.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { HolderClusterViews } from '../views/holder-clusters.ts';
import { HeavyReadPool } from '../workers/heavy-reads.ts';
import type { BudgetName, Figure } from './budgets.ts';
import { quantile } from './latency.ts';
import { linePages } from './lines.ts';
import { StallMeter } from './stall-meter.ts';

const LINES = 460_000;
const HOLDERS = 100_000;
const HOPS = 5;
const ROUNDS = 15;
/** Before and after each round, so that the meter sees stalls at its ends. */
const SETTLE_MS = 30;
const CREATED_BY_EACH = 8;

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** Writes who created whom into the column that a replay would have filled. */
function fund({ state, traders }: Engine): void {
  const { table } = traders.funders;
  const accounts = state.accounts.table.count;
  table.reserve(accounts);
  table.count = accounts;
  const funders = new Uint32Array(table.describe().buffers.funders!);
  for (let account = CREATED_BY_EACH; account < accounts; account++)
    funders[account] = Math.floor(account / CREATED_BY_EACH);
}

async function run(): Promise<Figure[]> {
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  for (const page of linePages(LINES, { tokens: 2, accounts: LINES })) engine.loadEntries(page);
  fund(engine);
  const { lines } = engine.state;
  const token = lines.lineCount(1) < lines.lineCount(2) ? 1 : 2;
  const pool = new HeavyReadPool({ threads: 1 });
  const [there, here] = [pool.of(engine.state, engine.traders), undefined].map(
    (heavy) => new HolderClusterViews(engine, heavy),
  ) as [HolderClusterViews, HolderClusterViews];
  const measured = async (views: HolderClusterViews) => {
    const meter = new StallMeter();
    await Bun.sleep(SETTLE_MS);
    meter.reset();
    const started = performance.now();
    const found = await views.of({ token, hops: HOPS });
    const ms = performance.now() - started;
    await Bun.sleep(SETTLE_MS);
    meter.stop();
    return { ms, stall: meter.longestOwn, found };
  };
  try {
    // The first round starts the thread and compiles both ways.
    for (const views of [there, here]) await measured(views);
    type Round = Awaited<ReturnType<typeof measured>>;
    const rounds: { there: Round; here: Round }[] = [];
    for (let round = 0; round < ROUNDS; round++)
      rounds.push({ there: await measured(there), here: await measured(here) });
    const { holders, total, clustered } = rounds[0]!.there.found;
    if (holders < HOLDERS) throw new Error(`${holders} holders are too few`);
    console.log(`${holders} holders, ${clustered} of them in ${total} groups`);
    const figure = (name: BudgetName, of: 'ms' | 'stall'): Figure => {
      const [ours, other] = (['there', 'here'] as const).map((side) =>
        quantile(
          rounds.map((round) => round[side][of]),
          0.5,
        ),
      ) as [number, number];
      return { name, value: ours, ours: `${ours.toFixed(1)} ms`, other: `${other.toFixed(1)} ms in slices` };
    };
    return [figure('clusters.time', 'ms'), figure('clusters.stall', 'stall')];
  } finally {
    await pool.close();
  }
}

console.log(`figures ${JSON.stringify(await run())}`);
process.exit(0);
