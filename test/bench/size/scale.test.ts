/**
 * Costs on a generated state at a tenth of the main network's size, against a hundredth: what bench/size-*.ts measures at its
 * full size. Counts where something can be counted; else ratios of times within the run, without the time that the thread
 * waited for a core, with bounds that only work in proportion to the state, or in one piece, exceeds.
 */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quantile } from '../../../bench/latency.ts';
import { Entries } from '../../../bench/size/entries.ts';
import { BASE_CLOSE_TIME, LedgerStream } from '../../../bench/size/ledgers.ts';
import { SizedNetwork } from '../../../bench/size/network.ts';
import { sizedStore } from '../../../bench/size/store.ts';
import { waitedForCore } from '../../../bench/stall-meter.ts';
import { type LmdbStore, openStore } from '../../../data/store.ts';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import { FOLLOWED_LINES } from '../../../engine/market/largest-holders.ts';
import { HOUR } from '../../../engine/ripple-time.ts';
import { XRP } from '../../../engine/state/tokens.ts';
import type { TokenSort } from '../../../views/token-fields.ts';
import { Views } from '../../../views/views.ts';
import { yielding } from './yielding.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const TRANSACTIONS = 100;
const LEDGERS = 30;
/** The state is ten times as large: what grows in proportion to it becomes ten times as expensive. */
const GROWTH = 10;
/** Bound of what a ledger or an answer may cost more at ten times the size: caches of the processor have a part in it. */
const STEADY = 3;
/** Bound of what reads everything: twice what is in proportion. What is quadratic becomes a hundred times as expensive. */
const LINEAR = 2 * GROWTH;
const SORTS: readonly TokenSort[] = [
  'vol24hxrp',
  'marketcap',
  'holders',
  'exch',
  'uniqueTraders24h',
  'supply',
];

/** Milliseconds of something that holds the thread, without those it waited for a core. */
function timeOf(run: () => unknown): number {
  const waited = waitedForCore();
  const started = performance.now();
  run();
  return performance.now() - started - (waitedForCore() - waited);
}

/** The same of something that yields. */
async function timeUntil(run: () => Promise<unknown>): Promise<number> {
  const waited = waitedForCore();
  const started = performance.now();
  await run();
  return performance.now() - started - (waitedForCore() - waited);
}

/** An engine on a store of the generated state, and the ledgers after it. */
class Sized {
  readonly engine: Engine;
  readonly views: Views;
  /** ms. */
  restored = 0;
  readonly #stream: LedgerStream;
  readonly #store: LmdbStore;
  readonly #cache: string;

  private constructor(share: number, store: LmdbStore, cache: string) {
    this.engine = new Engine({ store, log: quiet });
    this.views = new Views(this.engine);
    this.#stream = new LedgerStream(new Entries(new SizedNetwork(share)));
    this.#store = store;
    this.#cache = cache;
  }

  static async open(share: number): Promise<Sized> {
    const cache = mkdtempSync(join(tmpdir(), 'millrace-scale-'));
    const { store: dir } = await sizedStore({ share, cache, ledgers: 0, transactions: 0 });
    const store = await openStore({ dir, network: 0 });
    await store.checked;
    const sized = new Sized(share, store, cache);
    sized.restored = timeOf(() => sized.engine.restore());
    return sized;
  }

  /** Applies the next ledger. @returns ms of the thread */
  async ledger(closeTime?: number): Promise<number> {
    const packed = this.#stream.next(TRANSACTIONS, closeTime);
    const ledger = prepared(packed, prepare(packed.bytes));
    let applied: Promise<void> | undefined;
    const took = timeOf(() => {
      applied = this.engine.applyLedger(ledger, false);
    });
    await applied;
    return took;
  }

  /** Tokens with the most holders. */
  largest(count: number): number[] {
    const { lines, tokens } = this.engine.state;
    const all = Array.from({ length: tokens.count - 1 }, (_, at) => at + 1);
    return all.toSorted((a, b) => lines.lineCount(b) - lines.lineCount(a)).slice(0, count);
  }

  digest(): Promise<string> {
    return this.engine.digestWithHistory();
  }

  /** What readers ask for after a ledger. */
  async list(): Promise<void> {
    const { tokens, books } = this.views;
    await tokens.listReady('vol24hxrp');
    const { ids } = tokens.list({ sort: 'vol24hxrp', ascending: false, offset: 0, limit: 100 });
    await tokens.rowsReady(ids);
    for (const id of ids) tokens.row(id);
    books.book(ids[0]!, XRP, 20);
  }

  async close(): Promise<void> {
    await this.engine.drain();
    await this.#store.close();
    rmSync(this.#cache, { recursive: true, force: true });
  }
}

describe('at a tenth of the main network', () => {
  let sized: Sized;
  let small: Sized;
  beforeAll(async () => {
    sized = await Sized.open(0.1);
    small = await Sized.open(0.01);
  });
  afterAll(async () => {
    await sized.close();
    await small.close();
  });

  test('the end of an hour makes no ledger look at all lines of a large token', async () => {
    const { lines, tokens } = sized.engine.state;
    const counts = Array.from({ length: tokens.count }, (_, token) => lines.lineCount(token));
    expect(Math.max(...counts)).toBeGreaterThan(FOLLOWED_LINES * 1.5);
    for (let i = 0; i < 10; i++) await sized.ledger();
    const lists = spyOn(lines, 'holders');
    for (let hour = 1; hour <= 3; hour++) {
      await sized.ledger(BASE_CLOSE_TIME + hour * HOUR);
      for (let i = 0; i < 5; i++) await sized.ledger();
    }
    const looked = lists.mock.results.map(({ value }) => (value as Uint32Array).length);
    lists.mockRestore();
    expect(looked.length).toBeGreaterThan(100);
    expect(Math.max(...looked)).toBeLessThanOrEqual(FOLLOWED_LINES);
  });

  test('a ledger hands over at most 1.3 times the bytes that it does at a tenth of that', async () => {
    const bytes: number[] = [];
    for (const one of [sized, small]) {
      const { counters } = one.engine;
      await one.engine.drain();
      const before = counters.commitBytes;
      for (let i = 0; i < LEDGERS; i++) await one.ledger();
      await one.engine.drain();
      bytes.push((counters.commitBytes - before) / LEDGERS);
    }
    expect(bytes[0]! / bytes[1]!).toBeLessThan(1.3);
  });

  test('a line takes at most 1.2 times the memory that it does at a tenth of that', () => {
    const [large, less] = [sized, small].map(
      ({ engine: { state } }) => state.lines.byteLength / state.lines.existing,
    );
    expect(large! / less!).toBeLessThan(1.2);
  });

  /** Medians of what a step costs at both sizes after each of some ledgers, as a ratio. */
  const growthAfterLedgers = async (step: (one: Sized) => Promise<number>): Promise<number> => {
    const times: [number[], number[]] = [[], []];
    for (let round = 0; round < LEDGERS; round++)
      for (const [i, one] of [sized, small].entries()) times[i]!.push(await step(one));
    return quantile(times[0], 0.5) / quantile(times[1], 0.5);
  };

  test('a restart costs in proportion to the state', () => {
    const growth = sized.restored / small.restored;
    console.log(`restore: ${growth.toFixed(2)} times at ten times the size`);
    expect(growth).toBeLessThan(LINEAR);
  });

  test('the digest costs in proportion to the state', async () => {
    const [large, less] = [await timeUntil(() => sized.digest()), await timeUntil(() => small.digest())];
    console.log(`digest: ${(large / less).toFixed(2)} times at ten times the size`);
    expect(large / less).toBeLessThan(LINEAR);
  });

  test('the first answers of each kind are made in slices', async () => {
    const { tokens, books, search, pools } = sized.views;
    const names = [await yielding(() => search.prepare()), await yielding(() => tokens.prepare())];
    const { count } = sized.engine.state.tokens;
    for (const { yields } of names) expect(yields).toBeGreaterThanOrEqual(Math.floor(count / 2000));
    const first = await yielding(async () => {
      await books.pairs(XRP, 1000);
      await pools.prepare();
      for (const sort of SORTS) await tokens.listReady(sort);
    });
    for (const { longest, total: of, yields } of [...names, first])
      console.log(`first answers: ${longest.toFixed(1)} ms of ${of.toFixed(1)} at once, ${yields} slices`);
    const all = [...names, first];
    const total = all.reduce((sum, one) => sum + one.total, 0);
    expect(Math.max(...all.map(({ longest }) => longest)) / total).toBeLessThan(0.25);
  });

  test('a ledger, and lists and books after it, cost at most 3 times what they do at a tenth of that', async () => {
    const apply = await growthAfterLedgers((one) => one.ledger());
    const list = await growthAfterLedgers(async (one) => {
      await one.ledger();
      return timeUntil(() => one.list());
    });
    console.log(`apply ${apply.toFixed(2)}, lists ${list.toFixed(2)} times`);
    expect(apply).toBeLessThan(STEADY);
    expect(list).toBeLessThan(STEADY);
  });

  test('what concerns the holders of the largest token is not read from all its lines after each ledger', async () => {
    const step = async (one: Sized): Promise<number> => {
      await one.ledger();
      const [token] = one.largest(1) as [number];
      return timeUntil(async () => {
        await one.views.holders.infoReady(token);
        one.views.holders.info(token);
      });
    };
    const growth = await growthAfterLedgers(step);
    console.log(`holders: ${growth.toFixed(2)} times at ten times the size`);
    expect(growth).toBeLessThan(STEADY);
  });
});
