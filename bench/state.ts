/**
 * The cost of hot state: memory of a trust line, time to load it, time to restore it. `bun bench/state.ts [lines]`.
 *
 * The lines are loaded encoded, as in a snapshot, with `Engine.loadEntries`. Their memory is measured in two ways: the
 * size of rows, index and holder lists that the tables report; and the growth of the whole process (resident, after a
 * garbage collection) while a million lines are loaded, after the first fifth that created accounts and tokens. The
 * larger one is the figure: the first includes only what it counts, the second misses what fits into memory that the
 * process had freed. The time to read blocks from LMDB is not included (bench/restart.ts measures it).
 */

import { Engine } from '../engine/engine.ts';
import { runToEnd } from '../engine/event-loop.ts';
import { State } from '../engine/state/state.ts';
import type { Store } from '../engine/store.ts';
import type { Figure } from './budgets.ts';
import { linePages } from './lines.ts';

/** Time for the allocator to return freed pages. */
const SETTLE_MS = 1_500;

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
/** Loading entries does not use the store. */
const noStore = { cursor: undefined } as unknown as Store;

export interface StateFigures {
  readonly lines: number;
  /** Rows, index, places and holder lists over the number of lines. */
  readonly lineBytes: number;
  readonly blocks: number;
  readonly loadMilliseconds: number;
  readonly rebuildMilliseconds: number;
}

/** Measures with about this many trust lines. */
export function measureState(lines: number): StateFigures {
  const engine = new Engine({ store: noStore, log: quiet });
  for (const page of linePages(lines)) engine.loadEntries(page);
  return figuresOf(engine.state);
}

/** Memory as the tables count it, and the time to restore the state from their blocks (here in memory). */
function figuresOf(state: State): StateFigures {
  const { lines } = state;
  const saved: [number, number, Uint8Array][] = [];
  const images: [number, number, Uint8Array][] = [];
  state.persist({
    block: (table, block, bytes) => void saved.push([table, block, bytes.slice()]),
    row: (table, row, image) => void images.push([table, row, image.slice()]),
    text: () => {},
    value: () => {},
  });
  const restored = new State();
  const tables = new Map(restored.tables.map((table) => [table.id, table]));
  const loading = performance.now();
  for (const [table, block, bytes] of saved) tables.get(table)!.loadBlock(block, bytes);
  for (const [table, row, image] of images) tables.get(table)!.loadRow(row, image);
  const rebuilding = performance.now();
  runToEnd(restored.rebuilding());
  const done = performance.now();
  if (restored.lines.existing !== lines.existing) throw new Error('the restored state has other lines');
  return {
    lines: lines.existing,
    lineBytes: lines.byteLength / lines.existing,
    blocks: saved.length,
    loadMilliseconds: rebuilding - loading,
    rebuildMilliseconds: done - rebuilding,
  };
}

async function resident(): Promise<number> {
  Bun.gc(true);
  await Bun.sleep(SETTLE_MS);
  Bun.gc(true);
  return process.memoryUsage.rss();
}

async function memoryFigures(lines: number): Promise<Figure[]> {
  const engine = new Engine({ store: noStore, log: quiet });
  const { state } = engine;
  const pages = linePages(Math.round(lines * 1.2));
  let busy = 0;
  const load = (until: number): void => {
    while (state.lines.existing < until) {
      const { value: page, done } = pages.next();
      if (done) break;
      const started = performance.now();
      engine.loadEntries(page);
      busy += performance.now() - started;
    }
  };
  load(lines * 0.2);
  const before = { bytes: await resident(), lines: state.lines.existing };
  busy = 0;
  load(Number.POSITIVE_INFINITY);
  const added = state.lines.existing - before.lines;
  const growth = ((await resident()) - before.bytes) / added;
  const { lineBytes, blocks, loadMilliseconds, rebuildMilliseconds } = figuresOf(state);
  console.log(
    `${added} lines more, ${state.accounts.count} accounts, ${state.tokens.count} tokens: ${growth.toFixed(1)} bytes a line ` +
      `by growth, ${lineBytes.toFixed(1)} in rows, index and lists; ${((busy * 1000) / added).toFixed(2)} us a line to take in`,
  );
  console.log(
    `${state.lines.existing} lines restored from ${blocks} blocks in memory: ${loadMilliseconds.toFixed(0)} ms to load, ` +
      `${rebuildMilliseconds.toFixed(0)} ms to rebuild`,
  );
  return [{ name: 'memory.line', value: Math.max(growth, lineBytes) }];
}

if (import.meta.main)
  console.log(`figures ${JSON.stringify(await memoryFigures(Number(process.argv[2] ?? 1_000_000)))}`);
