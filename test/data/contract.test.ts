/** The storage contract of engine/store.ts, held against the real store and against the one in memory. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openStore } from '../../data/store.ts';
import { type Batch, type Position, type Store, TextKind, type Walk } from '../../engine/store.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { cursorOf, hashOf, temporaryDir } from './tools.ts';

interface Subject {
  readonly name: string;
  open(): Promise<{ store: Store; end: () => Promise<void> }>;
}

const subjects: readonly Subject[] = [
  {
    name: 'MemoryStore',
    open: async () => {
      const store = new MemoryStore();
      return { store, end: () => store.close() };
    },
  },
  {
    name: 'LmdbStore',
    open: async () => {
      const { dir, remove } = temporaryDir();
      const store = await openStore({ dir, network: 'test' });
      return {
        store,
        end: async () => {
          await store.close();
          remove();
        },
      };
    },
  },
];

const record = (...bytes: number[]): Uint8Array => Uint8Array.from(bytes);
const at = (ledger: number, tx = 0, entry = 0): Position => ({ ledger, tx, entry });

/** What a walk over trades visits. */
function gather(
  run: (visit: (position: Position, record: Uint8Array) => boolean | undefined) => void,
  stopAfter = Number.POSITIVE_INFINITY,
): string[] {
  const seen: string[] = [];
  run((p, bytes) => {
    seen.push(`${p.ledger}.${p.tx}.${p.entry}:${[...bytes].join(',')}`);
    return seen.length < stopAfter ? undefined : false;
  });
  return seen;
}

/** What a walk over times visits. */
function buckets(
  run: (visit: (time: number, row: Uint8Array | number) => boolean | undefined) => void,
): [number, number[] | number][] {
  const seen: [number, number[] | number][] = [];
  run((time, row) => {
    seen.push([time, typeof row === 'number' ? row : [...row]]);
    return undefined;
  });
  return seen;
}

for (const subject of subjects) {
  describe(`${subject.name}, the storage contract`, () => {
    let store: Store;
    let end: () => Promise<void>;
    let index = 100;

    beforeAll(async () => {
      ({ store, end } = await subject.open());
    });
    afterAll(() => end());

    const write = (fill: (batch: Batch) => void): Promise<void> => {
      const batch = store.batch();
      fill(batch);
      return store.commit(batch, cursorOf(++index));
    };

    test('an empty store has nothing', () => {
      expect(store.cursor).toBeUndefined();
      expect(store.ledger(1)).toBeUndefined();
      expect(store.ledgerRanges()).toEqual([]);
      expect(store.ledgerAt(0xffffffff)).toBeUndefined();
      expect(store.firstLedger()).toBeUndefined();
      expect(store.transaction(hashOf(1))).toBeUndefined();
      expect(store.value('nothing')).toBeUndefined();
      expect(store.text(TextKind.domain, 0)).toBeUndefined();
      expect(gather((visit) => store.trades({}, visit))).toEqual([]);
    });

    test('the cursor and the rows appear together when the commit resolves', async () => {
      const batch = store.batch();
      batch.value('seen', 1);
      const committed = store.commit(batch, cursorOf(7));
      expect(store.cursor).toBeUndefined();
      expect(store.value('seen')).toBeUndefined();
      await committed;
      expect(store.cursor).toEqual(cursorOf(7));
      expect(store.value('seen')).toBe(1);
    });

    test('bytes are copied when they are handed in', async () => {
      const bytes = record(1, 2, 3);
      await write((batch) => {
        batch.block(9, 1, bytes);
        bytes.fill(0);
      });
      const seen: number[][] = [];
      store.blocks(9, (_, block) => seen.push([...block]));
      expect(seen).toEqual([[1, 2, 3]]);
    });

    test('a batch reports its size', () => {
      const batch = store.batch();
      expect(batch.size).toBe(0);
      batch.block(1, 1, new Uint8Array(5000));
      expect(batch.size).toBeGreaterThan(5000);
    });

    test('ledgers, their ranges and close times', async () => {
      const big = new Uint8Array(3_000_000).map((_, i) => i * 7);
      await write((batch) => {
        for (const i of [12, 10, 11, 20]) batch.ledger(i, i * 4, record(i, i));
        batch.ledger(21, 84, big);
      });
      await write((batch) => batch.ledger(10, 40, record(10, 10, 10)));
      expect(store.ledger(11)).toEqual(record(11, 11));
      expect(store.ledger(10)).toEqual(record(10, 10, 10));
      expect(Buffer.compare(store.ledger(21)!, big)).toBe(0);
      expect(store.ledger(13)).toBeUndefined();
      expect(store.ledgerRanges()).toEqual([
        [10, 12],
        [20, 21],
      ]);
      expect(store.firstLedger()).toEqual({ index: 10, closeTime: 40 });
      expect(store.ledgerAt(39)).toBeUndefined();
      expect(store.ledgerAt(40)).toEqual({ index: 10, closeTime: 40 });
      expect(store.ledgerAt(79)).toEqual({ index: 12, closeTime: 48 });
      expect(store.ledgerAt(0xffffffff)).toEqual({ index: 21, closeTime: 84 });
    });

    test('positions of transactions and of the latest change of ledger entries', async () => {
      const bytes = new Uint8Array(96);
      bytes.set(hashOf(1), 5);
      bytes.set(hashOf(2), 50);
      await write((batch) => {
        batch.transaction(bytes, 5, 4_000_000_000, 65_535);
        batch.transaction(bytes, 50, 3, 0);
        batch.entry(bytes, 5, 8, 1);
        batch.entry(bytes, 5, 9, 2);
      });
      await write((batch) => batch.entry(hashOf(2), 0, 11, 3));
      await write((batch) => batch.entry(hashOf(2), 0, 12, 4));
      expect(store.transaction(hashOf(1))).toEqual(at(4_000_000_000, 65_535));
      expect(store.transaction(hashOf(2))).toEqual(at(3, 0));
      expect(store.transaction(hashOf(3))).toBeUndefined();
      expect(store.entry(hashOf(1))).toEqual(at(9, 2));
      expect(store.entry(hashOf(2))).toEqual(at(12, 4));
    });

    test('trades by position, token and account, in order and within bounds', async () => {
      await write((batch) => {
        batch.trade(at(5, 1, 0), record(3), [0, 2], [7, 7]);
        batch.trade(at(4, 9, 0), record(1), [1, 2], [7, 8]);
        batch.trade(at(4, 9, 1), record(2), [2, 1], [8, 9]);
        batch.trade(at(6, 0, 300), record(4), [2, 2], [0xffffffff, 7]);
      });
      const all = ['4.9.0:1', '4.9.1:2', '5.1.0:3', '6.0.300:4'];
      const token = (id: number, walk: Walk<Position>) =>
        gather((visit) => store.tokenTrades(id, walk, visit));
      const account = (id: number, walk: Walk<Position>) =>
        gather((visit) => store.accountTrades(id, walk, visit));
      expect(gather((visit) => store.trades({}, visit))).toEqual(all);
      expect(gather((visit) => store.trades({ reverse: true }, visit))).toEqual(all.toReversed());
      expect(gather((visit) => store.trades({ from: at(4, 9, 1), to: at(5, 1, 0) }, visit))).toEqual(
        all.slice(1, 3),
      );
      expect(gather((visit) => store.trades({ reverse: true, to: at(5, 1, 0), limit: 2 }, visit))).toEqual([
        all[2]!,
        all[1]!,
      ]);
      expect(gather((visit) => store.trades({}, visit), 2)).toEqual(all.slice(0, 2));
      expect(gather((visit) => store.trades({ from: at(6), to: at(5) }, visit))).toEqual([]);
      expect(gather((visit) => store.trades({ limit: 0 }, visit))).toEqual([]);
      expect(token(2, {})).toEqual(all);
      expect(token(1, {})).toEqual(all.slice(0, 2));
      expect(token(0, {})).toEqual([all[2]!]);
      expect(token(3, {})).toEqual([]);
      expect(token(2, { from: at(4, 9, 1), limit: 2 })).toEqual(all.slice(1, 3));
      expect(token(2, { reverse: true, to: at(5, 1, 0) })).toEqual(all.slice(0, 3).toReversed());
      expect(account(7, {})).toEqual([all[0]!, all[2]!, all[3]!]);
      expect(account(7, { reverse: true, limit: 1 })).toEqual([all[3]!]);
      expect(account(0xffffffff, {})).toEqual([all[3]!]);
    });

    test('a visitor may read, and an exception in it leaves the store usable', () => {
      const nested: string[] = [];
      store.trades({}, (position) => {
        nested.push(...gather((visit) => store.trades({ from: position, to: position }, visit)));
        return true;
      });
      expect(nested.length).toBe(4);
      expect(() =>
        store.trades({}, () => {
          throw new Error('from the visitor');
        }),
      ).toThrow('from the visitor');
      expect(gather((visit) => store.trades({ limit: 1 }, visit)).length).toBe(1);
    });

    test('candles, holders and rates: the later value of a bucket counts', async () => {
      await write((batch) => {
        for (const bucket of [180, 60, 120, 60]) batch.candle(0, 5, bucket, record(bucket, 1));
        batch.candle(0, 5, 60, record(9));
        batch.candle(1, 5, 60, record(8));
        batch.candle(0, 0x10005, 60, record(7));
        batch.record('holders', [5, 60], record(1));
        batch.record('holders', [5, 3600], record(2));
        batch.record('holders', [6, 60], record(3));
        batch.record('rates', [1, 60], record(4));
        batch.record('rates', [1, 120], record(5));
        batch.record('rates', [2, 60], record(6));
      });
      await write((batch) => batch.candle(0, 5, 180, record(6)));
      expect(buckets((visit) => store.candles(0, 5, {}, visit))).toEqual([
        [60, [9]],
        [120, [120, 1]],
        [180, [6]],
      ]);
      expect(buckets((visit) => store.candles(0, 5, { reverse: true, limit: 1 }, visit))).toEqual([
        [180, [6]],
      ]);
      expect(buckets((visit) => store.candles(0, 5, { from: 61, to: 120 }, visit))).toEqual([
        [120, [120, 1]],
      ]);
      expect(buckets((visit) => store.candles(1, 5, {}, visit))).toEqual([[60, [8]]]);
      expect(buckets((visit) => store.records('holders', [5], {}, visit))).toEqual([
        [60, [1]],
        [3600, [2]],
      ]);
      expect(buckets((visit) => store.records('rates', [1], {}, visit))).toEqual([
        [60, [4]],
        [120, [5]],
      ]);
      expect(buckets((visit) => store.records('rates', [1], { from: 61 }, visit))).toEqual([[120, [5]]]);
    });

    test('blocks come back in order and separate by table', async () => {
      await write((batch) => {
        for (let i = 299; i >= 0; i--) batch.block(3, i, new Uint8Array(40).fill(i));
        batch.block(4, 1, new Uint8Array(100_000).fill(5));
        batch.block(3, 7, record(77));
        batch.block(4, 2, new Uint8Array(0));
      });
      const seen: number[] = [];
      store.blocks(3, (block, bytes) => {
        expect(bytes[0]).toBe(block === 7 ? 77 : block & 255);
        seen.push(block);
      });
      expect(seen).toEqual(Array.from({ length: 300 }, (_, i) => i));
      const lengths: number[] = [];
      store.blocks(4, (_, bytes) => lengths.push(bytes.length));
      expect(lengths).toEqual([100_000, 0]);
      expect([2, 3, 4, 5].map((table) => store.lastBlock(table))).toEqual([undefined, 299, 2, undefined]);
    });

    test('texts and values', async () => {
      const value = { list: [1, 2.5, -3], text: 'läuft', nothing: null, big: 2 ** 40, inner: { yes: true } };
      await write((batch) => {
        batch.text(TextKind.domain, 4, 'example.com');
        batch.text(TextKind.domain, 4_000_000_000, '');
        batch.text(TextKind.issuanceMetadata, 4, '{"t":"Ünicode ✓"}');
        batch.value('state', value);
        batch.value('state', { ...value, text: 'later' });
        batch.value('stat', 5n);
      });
      expect(store.text(TextKind.domain, 4)).toBe('example.com');
      expect(store.text(TextKind.domain, 4_000_000_000)).toBe('');
      expect(store.text(TextKind.domain, 5)).toBeUndefined();
      expect(store.text(TextKind.issuanceMetadata, 4)).toBe('{"t":"Ünicode ✓"}');
      const seen: [number, string][] = [];
      store.records(
        'texts',
        [TextKind.domain],
        {},
        (id, text) => void seen.push([id, new TextDecoder().decode(text)]),
      );
      expect(seen).toEqual([
        [4, 'example.com'],
        [4_000_000_000, ''],
      ]);
      expect(store.value('state')).toEqual({ ...value, text: 'later' });
      expect(store.value('stat')).toBe(5n);
    });

    test('commits happen in the order of the calls', async () => {
      const order: number[] = [];
      const commits: Promise<void>[] = [];
      for (let i = 0; i < 20; i++) {
        const batch = store.batch();
        batch.value('last', i);
        commits.push(
          store.commit(batch, cursorOf(1000 + i)).then(() => {
            order.push(i);
            expect(store.cursor?.index).toBe(1000 + i);
            expect(store.value('last')).toBe(i);
          }),
        );
      }
      await Promise.all(commits);
      expect(order).toEqual(Array.from({ length: 20 }, (_, i) => i));
      index = 2000;
    });

    test('a batch is stored once and takes no rows after it was handed over', async () => {
      const batch = store.batch();
      batch.value('once', 1);
      const committed = store.commit(batch, cursorOf(++index));
      expect(() => batch.value('once', 2)).toThrow();
      await committed;
      expect(() => batch.value('once', 2)).toThrow();
      await expect(store.commit(batch, cursorOf(++index))).rejects.toThrow();
      expect(store.value('once')).toBe(1);
    });

    test('an empty batch moves the cursor', async () => {
      await store.commit(store.batch(), cursorOf(5000));
      expect(store.cursor).toEqual(cursorOf(5000));
    });

    test('a closed store refuses, and closing writes what was handed in', async () => {
      const { store: other, end: endOther } = await subject.open();
      const batch = other.batch();
      batch.value('x', 1);
      const committed = other.commit(batch, cursorOf(1));
      const late = other.batch();
      await other.close();
      await committed;
      await expect(other.commit(late, cursorOf(2))).rejects.toThrow('closed');
      await endOther();
    });
  });
}
