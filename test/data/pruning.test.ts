/**
 * What is kept of the ledgers: the oldest go, what followed from them stays. Beside it stands a store in memory that keeps
 * all. Ledger indices are far apart, so that few ledgers are enough to exceed the smallest number that is always kept.
 */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { checkStore } from '../../data/check.ts';
import { openEnvironment } from '../../data/environment.ts';
import { RUN_ROW_BYTES, RunState, readCatalog } from '../../data/hash-runs.ts';
import { Family, HASH_KEY_BYTES, MetaKey } from '../../data/keys.ts';
import { compactStore } from '../../data/maintenance.ts';
import { readMeta } from '../../data/meta.ts';
import { type Keep, LEDGERS_MIN } from '../../data/pruning.ts';
import { sizeOf } from '../../data/space.ts';
import { type LmdbStore, openReader, openStore } from '../../data/store.ts';
import { readU32 } from '../../engine/codec/bytes.ts';
import { type Batch, type Position, PRUNED_VALUE, type Pruned, type Store } from '../../engine/store.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { casesOf } from '../cases.ts';
import { cursorOf, hashOf, SMALL_HISTORY, temporaryDir } from './tools.ts';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (repeat with SEED=${seed})`);

/** Between the indices of two ledgers. */
const GAP = 100;
const TRANSACTIONS = 6;
/** Ledger entries that are changed again and again. */
const ENTRIES = 20;
/** Accounts that transactions affect. */
const ACCOUNTS = 9;
const AT_ONCE = { ...SMALL_HISTORY, loggedBytes: 0 };

const indexOf = (n: number): number => 1_000 + n * GAP;
const transactionHash = (n: number, tx: number): Uint8Array => hashOf(1_000_000 + n * TRANSACTIONS + tx);

/** The ledger's number in its first bytes, so that a wrong or half one shows. */
function packedLedger(n: number): Buffer {
  const bytes = Buffer.alloc(500 + (n % 7) * 4_000, n & 0xff);
  bytes.writeUInt32BE(n);
  return bytes;
}

function addLedger(batch: Batch, n: number): void {
  const index = indexOf(n);
  const packed = packedLedger(n);
  batch.ledger(index, index * 4, packed);
  for (let tx = 0; tx < TRANSACTIONS; tx++) {
    batch.transaction(transactionHash(n, tx), 0, index, tx);
    batch.entry(hashOf((n * 5 + tx) % ENTRIES), 0, index, tx);
    batch.trade({ ledger: index, tx, entry: 0 }, packed.subarray(0, 100), [tx, n % 3], [tx, 100 + (n % 5)]);
    batch.accountTransaction(1 + ((n + tx) % ACCOUNTS), index, tx, n % 0x1000);
  }
  batch.candle(0, n % 4, index, packed.subarray(0, 40));
}

/** Ledgers from one number to another in one batch, into all stores. */
async function commit(stores: readonly Store[], from: number, to: number): Promise<void> {
  for (const store of stores) {
    const batch = store.batch();
    for (let n = from; n <= to; n++) addLedger(batch, n);
    await store.commit(batch, cursorOf(indexOf(to)));
  }
}

const oldestOf = (store: Pick<Store, 'ledgerRanges'>): number => store.ledgerRanges()[0]![0];

/** Waits until the writer has pruned what it was to prune between batches. */
async function settled(store: LmdbStore, isDone: () => boolean): Promise<void> {
  for (let i = 0; i < 5_000 && !isDone(); i++) await Bun.sleep(10);
  expect(isDone(), `oldest ${oldestOf(store)}`).toBe(true);
}

/** Everything that is not of ledgers is as in a store that keeps all; of ledgers it has the newest, whole. */
function compare(store: Store, all: Store, last: number): void {
  const oldest = oldestOf(store);
  for (let n = 0; n <= last; n++) {
    const index = indexOf(n);
    const found = store.ledger(index);
    if (index < oldest) expect(found).toBeUndefined();
    else expect(Buffer.compare(found!, packedLedger(n))).toBe(0);
    for (let tx = 0; tx < TRANSACTIONS; tx++) {
      const place = all.transaction(transactionHash(n, tx));
      expect(store.transaction(transactionHash(n, tx))).toEqual(index < oldest ? undefined : place);
    }
  }
  expect(store.ledgerRanges()).toEqual(all.ledgerRanges().filter(([first]) => first >= oldest));
  for (let i = 0; i < ENTRIES; i++) {
    const place = all.entry(hashOf(i));
    expect(store.entry(hashOf(i))).toEqual(place && place.ledger >= oldest ? place : undefined);
  }
  for (let account = 1; account <= ACCOUNTS; account++)
    expect(accountRows(store, account, oldest)).toEqual(accountRows(all, account, oldest));
  expect(rest(store)).toEqual(rest(all));
}

/** The account index from a ledger on, the newest first. */
function accountRows(store: Store, account: number, from = 0): string[] {
  const rows: string[] = [];
  store.records('accountTransactions', [account], { from, reverse: true }, (tx, value, key) => {
    rows.push(
      `${tx} ${Buffer.from(key).toString('hex')} ${Buffer.from(value.subarray(0, 3)).toString('hex')}`,
    );
    return true;
  });
  return rows;
}

/** How many rows of the account index there are, and how many of them are of the ledgers from one on. */
function accountRowCounts(store: Store, from: number): { all: number; kept: number } {
  const accounts = Array.from({ length: ACCOUNTS }, (_, i) => i + 1);
  const count = (first: number) =>
    accounts.reduce((sum, one) => sum + accountRows(store, one, first).length, 0);
  return { all: count(0), kept: count(from) };
}

/** What pruning leaves alone. */
function rest(store: Store): unknown[] {
  const seen: unknown[] = [store.cursor, store.firstLedger(), store.ledgerAt(indexOf(3) * 4 + 1)];
  const see = (at: Position | number, row: Uint8Array): undefined => {
    seen.push([at, Buffer.from(row).toString('hex')]);
    return undefined;
  };
  store.trades({}, see);
  for (let id = 0; id < TRANSACTIONS; id++) {
    store.tokenTrades(id, {}, see);
    store.accountTrades(id, { reverse: true }, see);
    store.candles(0, id, {}, see);
  }
  return seen;
}

/** Rows of complete runs that are of ledgers no longer stored, and all of them. */
function rowsOfRuns(dir: string): { old: number; all: number } {
  const reader = openReader(dir);
  const oldest = oldestOf(reader);
  const { environment } = reader;
  const runs = readCatalog(readMeta(environment, MetaKey.runs));
  const complete = new Set(runs.filter(({ state }) => state === RunState.complete).map(({ id }) => id));
  let [old, all] = [0, 0];
  for (const { key, value } of environment.families[Family.runs]!.getRange({ start: Buffer.alloc(1) })) {
    if (!complete.has(readU32(key, 1))) continue;
    for (let at = 0; at + RUN_ROW_BYTES < value.length; at += RUN_ROW_BYTES) {
      all++;
      if (readU32(value, at + HASH_KEY_BYTES) < oldest) old++;
    }
  }
  void reader.close();
  return { old, all };
}

const keepForms: [string, Keep][] = [
  ['ledgers', { unit: 'ledgers', amount: 40 * GAP }],
  ['time', { unit: 'seconds', amount: 40 * GAP * 4 - 1 }],
];

test.each(keepForms)('a number of %s: the newest are kept, exactly', async (_, keep) => {
  const { dir, remove } = temporaryDir();
  const all = new MemoryStore();
  const store = await openStore({ dir, network: 'test', history: AT_ONCE, keep: { ledgers: keep } });
  const last = 199;
  for (let n = 0; n <= last; n += 4) await commit([store, all], n, n + 3);
  await settled(store, () => oldestOf(store) === indexOf(last - 39));
  compare(store, all, last);
  expect(store.value(PRUNED_VALUE)).toEqual({
    first: indexOf(0),
    since: { index: indexOf(160), closeTime: indexOf(160) * 4 },
  });
  await settled(store, () => {
    const { old, all: rows } = rowsOfRuns(dir);
    return old <= rows * 0.55;
  });
  expect(rowsOfRuns(dir).all).toBeGreaterThanOrEqual(40 * TRANSACTIONS);
  const counts = accountRowCounts(store, oldestOf(store));
  expect(counts.kept).toBe(40 * TRANSACTIONS);
  // Rows of pruned ledgers are removed when they are half of what is looked at.
  expect(counts.all).toBeLessThanOrEqual(2 * counts.kept);
  await store.close();
  checkStore(dir);
  // Another limit: more is pruned, and nothing comes back.
  const less = await openStore({
    dir,
    network: 'test',
    history: AT_ONCE,
    keep: { ledgers: { ...keep, amount: keep.amount / 2 } },
  });
  compare(less, all, last);
  await commit([less, all], last + 1, last + 1);
  await settled(less, () => oldestOf(less) === indexOf(last + 1 - 19));
  compare(less, all, last + 1);
  await less.close();
  const everything = await openStore({ dir, network: 'test', history: AT_ONCE });
  await commit([everything, all], last + 2, last + 9);
  compare(everything, all, last + 9);
  expect(oldestOf(everything)).toBe(indexOf(last + 1 - 19));
  await everything.close();
  await compactStore(dir);
  checkStore(dir);
  remove();
});

test('a number of bytes: the file stays about as long, and keeps what fits', async () => {
  const { dir, remove } = temporaryDir();
  const amount = 1_500_000;
  const store = await openStore({
    dir,
    network: 'test',
    history: AT_ONCE,
    keep: { ledgers: { unit: 'bytes', amount } },
  });
  // Cannot be compressed; a page and a bit each.
  const packed = (n: number) => Buffer.concat(Array.from({ length: 150 }, (_, i) => hashOf(n * 150 + i)));
  const used: number[] = [];
  let n = 0;
  while (n < 2_000) {
    const batch = store.batch();
    for (const end = n + 4; n < end; n++) batch.ledger(indexOf(n), indexOf(n) * 4, packed(n));
    await store.commit(batch, cursorOf(indexOf(n - 1)));
    if (n % 1_000 === 0) used.push(store.stats().usedBytes);
  }
  const { usedBytes, freeBytes } = store.stats();
  expect(usedBytes - freeBytes).toBeGreaterThan(amount * 0.9);
  expect(usedBytes - freeBytes).toBeLessThan(amount * 1.1);
  // What was handed in is many times that, and the second half of it needed no more room.
  expect(n * packed(0).length).toBeGreaterThan(6 * amount);
  expect(used[1]!).toBeLessThan(used[0]! * 1.05);
  const oldest = (oldestOf(store) - indexOf(0)) / GAP;
  expect(Buffer.compare(store.ledger(indexOf(oldest))!, packed(oldest))).toBe(0);
  await store.close();
  checkStore(dir);
  remove();
});

test('the newest ledgers are kept whatever the limit, and where it is a time, those whose close time is not merged', async () => {
  const history = {
    ...SMALL_HISTORY,
    generationBytes: 60_000,
    generationBatches: 30,
    loggedBytes: 1_000_000,
  };
  const units: [Keep, number][] = [
    [{ unit: 'ledgers', amount: 1 }, indexOf(97)],
    [{ unit: 'bytes', amount: 1 }, indexOf(97)],
    [{ unit: 'seconds', amount: 1 }, indexOf(20)],
  ];
  for (const [keep, atLeast] of units) {
    const { dir, remove } = temporaryDir();
    const store = await openStore({ dir, network: 'test', history, keep: { ledgers: keep } });
    const all = new MemoryStore();
    for (let n = 0; n < 100; n++) {
      await commit([store, all], n, n);
      expect(oldestOf(store)).toBeLessThanOrEqual(Math.max(indexOf(0), indexOf(n) - LEDGERS_MIN + GAP));
      if (n % 10 === 9) compare(store, all, n);
      // Nothing is merged yet: the close time of the oldest is found where it waits.
      if (n === 10 && keep.unit !== 'seconds')
        expect((store.value(PRUNED_VALUE) as Pruned).since.closeTime).toBe(oldestOf(store) * 4);
    }
    await settled(store, () => oldestOf(store) >= atLeast);
    await store.close();
    remove();
  }
});

test('a store of before, with hashes in tables: those of pruned ledgers are removed there too', async () => {
  const { dir, remove } = temporaryDir();
  const all = new MemoryStore();
  const store = await openStore({ dir, network: 'test', history: AT_ONCE });
  for (let n = 0; n < 100; n++) await commit([store, all], n, n);
  await store.close();
  // As version 0.3.0 wrote them: whole hashes, each a row of its own.
  const environment = openEnvironment(dir);
  const OLD_ROWS = 9_000;
  environment.root.transactionSync(() => {
    for (let i = 0; i < OLD_ROWS; i++) {
      const location = Buffer.alloc(6);
      location.writeUInt32BE(indexOf(i % 100));
      for (const family of [Family.transactions, Family.entries])
        environment.families[family]!.putSync(hashOf(-1 - i), location);
    }
  });
  await environment.root.close();
  const keep: Keep = { unit: 'ledgers', amount: 20 * GAP };
  const pruned = await openStore({ dir, network: 'test', history: AT_ONCE, keep: { ledgers: keep } });
  const last = 150;
  for (let n = 100; n <= last; n++) await commit([pruned, all], n, n);
  await settled(pruned, () => oldestOf(pruned) === indexOf(last - 19));
  // All of their ledgers are gone now, and with them the rows, but for what is less than half of them.
  const left = () =>
    [Family.transactions, Family.entries].map((family) => sizeOf(pruned.environment.families[family]!).rows);
  await settled(pruned, () => left().every((rows) => rows < OLD_ROWS / 2));
  compare(pruned, all, last);
  for (let i = 0; i < OLD_ROWS; i += 90) expect(pruned.transaction(hashOf(-1 - i))).toBeUndefined();
  await pruned.close();
  checkStore(dir);
  remove();
});

test('a store that kept all: its backlog is pruned between batches, oldest first, while readers see whole ledgers', async () => {
  const { dir, remove } = temporaryDir();
  const all = new MemoryStore();
  const last = 2_999;
  const before = await openStore({ dir, network: 'test', history: SMALL_HISTORY });
  for (let n = 0; n <= last; n += 50) await commit([before, all], n, n + 49);
  await before.close();
  const keep: Keep = { unit: 'ledgers', amount: 40 * GAP };
  const store = await openStore({ dir, network: 'test', history: SMALL_HISTORY, keep: { ledgers: keep } });
  await commit([store, all], last + 1, last + 1);
  const reader = openReader(dir);
  const seen = new Set<number>();
  const oldest: number[] = [];
  await settled(store, () => {
    for (const reads of [store, reader]) {
      const first = oldestOf(reads);
      const n = (first - indexOf(0)) / GAP;
      if (reads === store) oldest.push(first);
      // What the ranges list is there, whole; what is before is not, in any way.
      expect(Buffer.compare(reads.ledger(first)!, packedLedger(n))).toBe(0);
      expect(reads.transaction(transactionHash(n, 1))).toEqual({ ledger: first, tx: 1, entry: 0 });
      if (n > 0) expect(reads.ledger(indexOf(n - 1))).toBeUndefined();
      if (n > 0) expect(reads.transaction(transactionHash(n - 1, 1))).toBeUndefined();
      seen.add(first);
    }
    reader.refresh();
    return oldestOf(store) >= indexOf(last - 60);
  });
  expect(oldest).toEqual([...oldest].sort((a, b) => a - b));
  // Several steps were seen: it is not one transaction.
  expect(seen.size).toBeGreaterThan(3);
  compare(store, all, last + 1);
  await store.close();
  await reader.close();
  checkStore(dir);
  remove();
});

test('gaps: the ranges behind them begin later, and the store says since when it has read without one', async () => {
  const { dir, remove } = temporaryDir();
  const keep: Keep = { unit: 'ledgers', amount: 400 };
  const store = await openStore({ dir, network: 'test', history: AT_ONCE, keep: { ledgers: keep } });
  const ledgers = async (from: number, to: number): Promise<void> => {
    const batch = store.batch();
    for (let index = from; index <= to; index++) batch.ledger(index, index * 4, packedLedger(index));
    await store.commit(batch, cursorOf(to));
  };
  await ledgers(10, 20);
  await ledgers(100, 300);
  expect(store.ledgerRanges()).toEqual([
    [10, 20],
    [100, 300],
  ]);
  await ledgers(301, 410);
  await settled(store, () => oldestOf(store) === 11);
  expect(store.value(PRUNED_VALUE)).toEqual({ first: 10, since: { index: 10, closeTime: 40 } });
  await ledgers(411, 450);
  await settled(store, () => oldestOf(store) === 100);
  expect(store.value(PRUNED_VALUE)).toEqual({
    first: 10,
    since: { index: 100, closeTime: 400 },
  } satisfies Pruned);
  for (let index = 451; index <= 1_000; index += 10) await ledgers(index, index + 9);
  await settled(store, () => oldestOf(store) === 601);
  expect(store.ledgerRanges()).toEqual([[601, 1_000]]);
  expect(store.value(PRUNED_VALUE)).toEqual({
    first: 10,
    since: { index: 100, closeTime: 400 },
  } satisfies Pruned);
  await store.close();
  remove();
});

/** @returns index of the first ledger that must be kept */
function firstKept(newest: number, keep: Keep | undefined): number {
  if (!keep) return 0;
  if (keep.unit === 'bytes') return newest;
  const distance = keep.unit === 'ledgers' ? keep.amount - 1 : Math.ceil(keep.amount / 4) - 1;
  return newest - Math.floor(distance / GAP) * GAP;
}

test('any ledgers, limits, restarts and merges: as a store in memory that keeps all, but for what was pruned', async () => {
  const keep = fc.oneof(
    fc.record({ unit: fc.constant('ledgers' as const), amount: fc.integer({ min: 1, max: 60 * GAP }) }),
    fc.record({ unit: fc.constant('seconds' as const), amount: fc.integer({ min: 1, max: 60 * GAP * 4 }) }),
    fc.record({ unit: fc.constant('bytes' as const), amount: fc.integer({ min: 1, max: 600_000 }) }),
    fc.constant(undefined),
  );
  const round = fc.record({
    keep,
    loggedBytes: fc.constantFrom(0, 1_500, 20_000),
    batches: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 12 }),
    waits: fc.boolean(),
  });
  const property = fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 4 }), async (rounds) => {
    const { dir, remove } = temporaryDir();
    const all = new MemoryStore();
    let next = 0;
    let oldest = indexOf(0);
    for (const { keep: limit, loggedBytes, batches, waits } of rounds) {
      const history = { ...SMALL_HISTORY, loggedBytes };
      const store = await openStore({ dir, network: 'test', history, keep: { ledgers: limit } });
      // The process before may have pruned until it was closed.
      if (next > 0) {
        expect(oldestOf(store)).toBeGreaterThanOrEqual(oldest);
        oldest = oldestOf(store);
      }
      for (const count of batches) {
        await commit([store, all], next, next + count - 1);
        next += count;
        const found = oldestOf(store);
        expect(found).toBeGreaterThanOrEqual(oldest);
        // The oldest ledger that the limit says is kept; those that were gone before stay so.
        expect(found).toBeLessThanOrEqual(Math.max(oldest, firstKept(indexOf(next - 1), limit)));
        oldest = found;
      }
      if (waits) await Bun.sleep(60);
      compare(store, all, next - 1);
      oldest = oldestOf(store);
      await store.close();
      checkStore(dir);
    }
    const reader = openReader(dir);
    expect(reader.ledgerRanges()[0]![0]).toBeGreaterThanOrEqual(oldest);
    await reader.close();
    remove();
  });
  await fc.assert(property, { seed, numRuns: casesOf(3, 12), endOnFailure: true });
});
