/**
 * Costs on a generated state at a twentieth of the main network's size: what bench/size-*.ts measures in time is counted
 * here, so that other load on the machine has no part in it.
 */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Entries } from '../../../bench/size/entries.ts';
import { BASE_CLOSE_TIME, LedgerStream } from '../../../bench/size/ledgers.ts';
import { SizedNetwork } from '../../../bench/size/network.ts';
import { sizedStore } from '../../../bench/size/store.ts';
import { type LmdbStore, openStore } from '../../../data/store.ts';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import { FOLLOWED_LINES } from '../../../engine/market/largest-holders.ts';
import { HOUR } from '../../../engine/ripple-time.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const TRANSACTIONS = 100;
const LEDGERS = 30;

/** An engine on a store of the generated state, and the ledgers after it. */
class Sized {
  readonly engine: Engine;
  readonly #stream: LedgerStream;
  readonly #store: LmdbStore;
  readonly #cache: string;

  private constructor(share: number, store: LmdbStore, cache: string) {
    this.engine = new Engine({ store, log: quiet });
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
    sized.engine.restore();
    return sized;
  }

  /** Applies the next ledger. */
  async ledger(closeTime?: number): Promise<void> {
    const packed = this.#stream.next(TRANSACTIONS, closeTime);
    await this.engine.applyLedger(prepared(packed, prepare(packed.bytes)), false);
  }

  async close(): Promise<void> {
    await this.engine.drain();
    await this.#store.close();
    rmSync(this.#cache, { recursive: true, force: true });
  }
}

describe('at a twentieth of the main network', () => {
  let sized: Sized;
  let small: Sized;
  beforeAll(async () => {
    sized = await Sized.open(0.05);
    small = await Sized.open(0.005);
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
});
