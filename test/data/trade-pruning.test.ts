/** Old trades go, with their rows in the histories of tokens and accounts, and readers never see one without the other. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { checkStore } from '../../data/check.ts';
import { readPosition } from '../../data/keys.ts';
import { sizeOf } from '../../data/space.ts';
import { type LmdbStore, openReader, openStore } from '../../data/store.ts';
import { firstTrades } from '../../data/trade-pruning.ts';
import { FAMILIES, type RecordFamily } from '../../engine/families.ts';
import { TRADE_BYTES, TradeAt } from '../../engine/market/trade-record.ts';
import type { Batch, Position, Store } from '../../engine/store.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { casesOf } from '../cases.ts';
import { cursorOf, SMALL_HISTORY, temporaryDir } from './tools.ts';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (repeat with SEED=${seed})`);

const AT_ONCE = { ...SMALL_HISTORY, loggedBytes: 0 };
const TOKENS = 5;
const ACCOUNTS = 7;
/** Of close time, between two ledgers. */
const SECONDS = 4;

function record(fields: Partial<Record<keyof typeof TradeAt, number>>): Uint8Array {
  const bytes = new Uint8Array(TRADE_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [name, value] of Object.entries(fields))
    view.setUint32(TradeAt[name as keyof typeof TradeAt], value, true);
  return bytes;
}

/** A ledger with a few trades; in some both tokens or both accounts are the same. */
function addLedger(batch: Batch, index: number): void {
  batch.ledger(index, index * SECONDS, new Uint8Array(10));
  for (let tx = 0; tx < 1 + (index % 4); tx++) {
    const [paidToken, gotToken] = [(index + tx) % TOKENS, (index * 3) % TOKENS];
    const [maker, taker] = [(index * 5 + tx) % ACCOUNTS, index % ACCOUNTS];
    const bytes = record({ ledger: index, tx, paidToken, gotToken, maker, taker });
    batch.trade({ ledger: index, tx, entry: tx }, bytes, [paidToken, gotToken], [maker, taker]);
  }
  batch.candle(0, index % TOKENS, index, new Uint8Array(8));
}

async function commit(stores: readonly Store[], from: number, to: number): Promise<void> {
  for (const store of stores) {
    const batch = store.batch();
    for (let index = from; index <= to; index++) addLedger(batch, index);
    await store.commit(batch, cursorOf(to));
  }
}

/** Everything about trades from a ledger on, and all candles. */
function answers(store: Store, from: number): unknown[] {
  const seen: unknown[] = [];
  const see =
    (name: string) =>
    (position: Position, bytes: Uint8Array): true => {
      if (position.ledger >= from) seen.push([name, position, Buffer.from(bytes).toString('hex')]);
      return true;
    };
  for (const reverse of [false, true]) {
    store.trades({ reverse }, see('trades'));
    for (let id = 0; id < TOKENS; id++) store.tokenTrades(id, { reverse }, see(`token ${id}`));
    for (let id = 0; id < ACCOUNTS; id++) store.accountTrades(id, { reverse }, see(`account ${id}`));
  }
  store.records('trades', [], {}, (_, bytes, key) => see('records')(readPosition(key, 0), bytes));
  for (let id = 0; id < TOKENS; id++) store.candles(0, id, {}, (bucket) => void seen.push(bucket));
  return seen;
}

/** The store shows what one with all trades has from its value on, and nothing older. */
function compare(store: LmdbStore, all: Store): number {
  const from = firstTrades(store.environment);
  expect(answers(store, 0)).toEqual(answers(all, from));
  return from;
}

const rowsOf = ({ environment }: LmdbStore, family: RecordFamily | 'tokenTrades' | 'accountTrades'): number =>
  sizeOf(environment.families[FAMILIES[family].id]!).rows;

async function settled(isDone: () => boolean): Promise<void> {
  for (let i = 0; i < 5_000 && !isDone(); i++) await Bun.sleep(10);
  expect(isDone()).toBe(true);
}

test('old trades are gone from the tables, with every row that names them; readers of all kinds see the same', async () => {
  const { dir, remove } = temporaryDir();
  const all = new MemoryStore();
  const last = 6_000;
  const before = await openStore({ dir, network: 'test', history: SMALL_HISTORY });
  for (let index = 1; index <= last; index += 500) await commit([before, all], index, index + 499);
  const kept = 2_000;
  await before.close();
  const keep = { tradesSeconds: kept * SECONDS };
  const store = await openStore({ dir, network: 'test', history: AT_ONCE, keep });
  await commit([store, all], last + 1, last + 1);
  const reader = openReader(dir);
  const sizes = new Set<number>();
  let checks = 0;
  await settled(() => {
    reader.refresh();
    const rows = rowsOf(store, 'trades');
    if (!sizes.has(rows) && checks++ % 4 === 0) compare(store, all);
    // An index row without its trade would throw.
    for (let id = 0; id < TOKENS; id++) reader.tokenTrades(id, {}, () => true);
    sizes.add(rows);
    return rows === answersOf(all, 'trades', firstTrades(store.environment));
  });
  // How many of its steps are seen, threads decide.
  console.log(`${sizes.size} numbers of trades on the way`);
  expect(compare(store, all)).toBe(last + 2 - kept);
  const from = firstTrades(store.environment);
  expect(rowsOf(store, 'tokenTrades')).toBe(answersOf(all, 'tokens', from));
  expect(rowsOf(store, 'accountTrades')).toBe(answersOf(all, 'accounts', from));
  expect(store.ledgerRanges()).toEqual([[1, last + 1]]);
  await reader.close();
  await store.close();
  checkStore(dir);
  remove();
});

/** Number of rows from a ledger on. */
function answersOf(store: Store, kind: 'trades' | 'tokens' | 'accounts', from: number): number {
  let rows = 0;
  const count = ({ ledger }: Position): true => {
    if (ledger >= from) rows++;
    return true;
  };
  if (kind === 'trades') store.trades({}, count);
  if (kind === 'tokens') for (let id = 0; id < TOKENS; id++) store.tokenTrades(id, {}, count);
  if (kind === 'accounts') for (let id = 0; id < ACCOUNTS; id++) store.accountTrades(id, {}, count);
  return rows;
}

test('any ledgers, limits, merges and restarts at any step: as a store that keeps all, from the value on', async () => {
  const round = fc.record({
    kept: fc.option(fc.integer({ min: 1, max: 900 }), { nil: undefined }),
    loggedBytes: fc.constantFrom(0, 1_500, 20_000),
    batches: fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 6 }),
    waitMs: fc.integer({ min: 0, max: 80 }),
  });
  const property = fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 4 }), async (rounds) => {
    const { dir, remove } = temporaryDir();
    const all = new MemoryStore();
    let next = 1;
    let from = 0;
    for (const { kept, loggedBytes, batches, waitMs } of rounds) {
      const keep = kept === undefined ? {} : { tradesSeconds: kept * SECONDS };
      const history = { ...SMALL_HISTORY, loggedBytes };
      const store = await openStore({ dir, network: 'test', history, keep });
      for (const count of batches) {
        await commit([store, all], next, next + count - 1);
        next += count;
      }
      await Bun.sleep(waitMs);
      const found = compare(store, all);
      expect(found).toBeGreaterThanOrEqual(from);
      // What the limit says is kept; what was gone before stays so.
      expect(found).toBeLessThanOrEqual(Math.max(from, kept === undefined ? 0 : next - kept));
      from = found;
      await store.close();
      checkStore(dir);
    }
    remove();
  });
  await fc.assert(property, { seed, numRuns: casesOf(3, 8), endOnFailure: true });
});
