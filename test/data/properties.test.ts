/** Random work against plain models: row order, ranges of ledgers, and the whole store beside the one in memory. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { PackedBatch } from '../../data/batch.ts';
import { CHECKSUM_BYTES } from '../../data/checksum.ts';
import { ChunkPool } from '../../data/chunks.ts';
import { FAMILY_NAMES, Family } from '../../data/keys.ts';
import { addToRanges, type Range, readRanges, writeRanges } from '../../data/ranges.ts';
import { sortRows } from '../../data/sort.ts';
import { openReader, openStore } from '../../data/store.ts';
import { runToEnd } from '../../engine/event-loop.ts';
import type { Batch, Position, Store } from '../../engine/store.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { casesOf } from '../cases.ts';
import { cursorOf, hashOf, SMALL_HISTORY, temporaryDir } from './tools.ts';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (repeat with SEED=${seed})`);

/** Few distinct numbers that meet in their high bytes, so that ties and duplicates are common. */
const u32 = fc.oneof(
  fc.integer({ min: 0, max: 5 }),
  fc.constantFrom(255, 256, 65_536, 0x01020304, 0xffffffff),
);

test('rows come out in key order, the last of equal keys only', () => {
  const row = fc.oneof(
    fc.tuple(fc.constant('candle' as const), fc.integer({ min: 0, max: 3 }), u32, u32),
    fc.tuple(fc.constant('block' as const), fc.integer({ min: 0, max: 2 }), u32, u32),
    fc.tuple(fc.constant('value' as const), fc.integer({ min: 0, max: 3 }), u32, u32),
    fc.tuple(fc.constant('entry' as const), fc.integer({ min: 0, max: 3 }), u32, u32),
  );
  const property = fc.property(fc.array(row, { maxLength: 200 }), fc.boolean(), (rows, large) => {
    const batch = new PackedBatch(new ChunkPool());
    const model = new Map<string, Map<string, string>>();
    rows.forEach(([kind, a, b, c], i) => {
      const value = Buffer.alloc(large && i % 50 === 0 ? 600_000 : 4);
      value.writeUInt32BE(i);
      const key = Buffer.alloc(9);
      key.writeUInt8(a);
      key.writeUInt32BE(b, 1);
      key.writeUInt32BE(c, 5);
      const name = `${'ab'.repeat(a)}${b}`;
      const blockKey = Buffer.concat([Buffer.from([0]), key.subarray(0, 5)]);
      if (kind === 'candle') batch.candle(a, b, c, value);
      else if (kind === 'block') batch.block(a, b, value);
      else if (kind === 'value') batch.value(name, i);
      else batch.entry(hashOf(b % 7), 0, i, 0);
      const [family, text] = {
        candle: ['candles', key],
        block: ['blocks', blockKey],
        value: ['values', Buffer.from(name)],
        entry: ['entries', Buffer.from(hashOf(b % 7).subarray(0, 16))],
      }[kind] as [string, Buffer];
      const of = model.get(family) ?? new Map<string, string>();
      model.set(family, of.set(text.toString('hex'), String(i)));
    });
    const sorted = sortRows([...batch.chunks, ...batch.history], FAMILY_NAMES.length);
    sorted.forEach((found, family) => {
      const seen: [string, string][] = [];
      found?.forEach((key, value) => {
        const bytes = Buffer.from(value);
        const number =
          family === Family.values ? unpackSmall(bytes.subarray(0, -CHECKSUM_BYTES)) : bytes.readUInt32BE(0);
        seen.push([Buffer.from(key).toString('hex'), String(number)]);
      });
      const expected = [...(model.get(FAMILY_NAMES[family]!) ?? [])].sort(([x], [y]) => (x < y ? -1 : 1));
      expect(seen).toEqual(expected);
    });
  });
  fc.assert(property, { seed, numRuns: casesOf(50, 150) });
});

/** A small unsigned integer as msgpack writes it. */
function unpackSmall(bytes: Buffer): number {
  if (bytes.length === 1) return bytes[0]!;
  return bytes.length === 2 ? bytes[1]! : bytes.readUInt16BE(1);
}

test('ranges of ledgers equal the set they stand for', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 60 }), (indices) => {
      const ranges: Range[] = [];
      for (const index of indices) addToRanges(ranges, index);
      const members = [...new Set(indices)].sort((a, b) => a - b);
      const expected: Range[] = [];
      for (const n of members) {
        const open = expected.at(-1);
        if (open && open[1] + 1 === n) open[1] = n;
        else expected.push([n, n]);
      }
      expect(ranges).toEqual(expected);
      expect(readRanges(writeRanges(ranges))).toEqual(ranges);
    }),
    { seed, numRuns: casesOf(100, 300) },
  );
});

type Step = (batch: Batch) => void;

const bytes = fc.uint8Array({ minLength: 1, maxLength: 30 });
const position = fc.record({
  ledger: fc.integer({ min: 1, max: 6 }),
  tx: fc.constantFrom(0, 1, 256, 65_535),
  entry: fc.constantFrom(0, 1, 65_535),
});
const pair = fc.tuple(u32, u32);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(position, bytes, pair, pair).map(
    (args): Step =>
      (batch) =>
        batch.trade(...args),
  ),
  fc.tuple(fc.integer({ min: 0, max: 3 }), u32, u32, bytes).map(
    (args): Step =>
      (batch) =>
        batch.candle(...args),
  ),
  fc.tuple(u32, u32, bytes).map(
    ([token, time, record]): Step =>
      (batch) =>
        batch.record('holders', [token, time], record),
  ),
  fc.tuple(fc.integer({ min: 0, max: 3 }), u32, fc.uint8Array({ minLength: 8, maxLength: 8 })).map(
    ([fiat, bucket, record]): Step =>
      (batch) =>
        batch.record('rates', [fiat, bucket], record),
  ),
  fc.tuple(fc.integer({ min: 0, max: 3 }), u32, bytes).map(
    (args): Step =>
      (batch) =>
        batch.block(...args),
  ),
  fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 400 }), bytes).map(
    (args): Step =>
      (batch) =>
        batch.row(...args),
  ),
  fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 6 }), bytes).map(
    (args): Step =>
      (batch) =>
        batch.block(...args),
  ),
  fc.tuple(fc.integer({ min: 1, max: 2 }), u32, fc.string()).map(
    (args): Step =>
      (batch) =>
        batch.text(...args),
  ),
  fc.tuple(u32, u32, bytes).map(
    (args): Step =>
      (batch) =>
        batch.ledger(...args),
  ),
  fc.tuple(u32, u32).map(
    ([n, ledger]): Step =>
      (batch) =>
        batch.transaction(hashOf(n % 9), 0, ledger, 3),
  ),
  fc.tuple(u32, u32).map(
    ([n, ledger]): Step =>
      (batch) =>
        batch.entry(hashOf(n % 9), 0, ledger, 4),
  ),
);

/** Everything a store answers for the small world of the steps above, for any bounds. */
function answers(store: Store, from: Position, to: Position, reverse: boolean, limit: number): unknown[] {
  const seen: unknown[] = [store.cursor, store.ledgerRanges(), store.firstLedger()];
  const walk = { from, to, reverse, limit };
  const see = (at: unknown, row: unknown): undefined => {
    seen.push([at, row instanceof Uint8Array ? Buffer.from(row).toString('hex') : row]);
    return undefined;
  };
  const ids = [0, 1, 2, 3, 4, 5, 255, 256, 65_536, 0x01020304, 0xffffffff];
  store.trades(walk, see);
  store.trades({ reverse }, see);
  for (const id of ids) {
    store.tokenTrades(id, walk, see);
    store.accountTrades(id, { reverse, limit }, see);
    store.records('holders', [id], { from: from.tx, reverse }, see);
    for (let level = 0; level < 4; level++) store.candles(level, id, { to: 65_536, reverse, limit }, see);
    see(id, store.ledger(id));
    see(id, store.ledgerAt(id));
    see(id, store.transaction(hashOf(id % 9)));
    see(id, store.entry(hashOf(id % 9)));
  }
  for (let kind = 0; kind < 4; kind++) {
    store.records('rates', [kind], { reverse }, see);
    store.blocks(kind, see);
    store.records('texts', [kind], {}, see);
  }
  const images: string[] = [];
  const steps = store.rows((table, row, image) =>
    images.push(`${table} ${row} ${Buffer.from(image).toString('hex')}`),
  );
  runToEnd(steps);
  seen.push(images.sort());
  return seen;
}

test('the store answers as the one in memory does', async () => {
  const { dir, remove } = temporaryDir();
  let store = await openStore({ dir, network: 'test', history: SMALL_HISTORY });
  let reader = openReader(dir);
  const memory = new MemoryStore();
  let index = 0;
  const property = fc.asyncProperty(
    fc.array(step, { maxLength: 40 }),
    position,
    position,
    fc.boolean(),
    fc.integer({ min: 1, max: 9 }),
    async (steps, from, to, reverse, limit) => {
      index++;
      for (const target of [store, memory]) {
        const batch = target.batch();
        for (const apply of steps) apply(batch);
        await target.commit(batch, cursorOf(index));
      }
      if (index % 20 === 0) {
        await store.close();
        store = await openStore({ dir, network: 'test', history: SMALL_HISTORY });
      }
      const expected = answers(memory, from, to, reverse, limit);
      expect(answers(store, from, to, reverse, limit)).toEqual(expected);
      if (index % 7 === 0) reader.refresh();
      else if (index % 7 === 1) {
        await reader.close();
        reader = openReader(dir);
      } else return;
      expect(answers(reader as never, from, to, reverse, limit)).toEqual(expected);
    },
  );
  await fc.assert(property, { seed, numRuns: casesOf(15, 40), endOnFailure: true });
  await reader.close();
  await store.close();
  remove();
});
