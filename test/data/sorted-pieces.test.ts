/** Rows of history come out in key order, the newest of each key, whatever pieces they were sorted in. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { ROW_HEADER_BYTES } from '../../data/chunks.ts';
import { merged } from '../../data/merged.ts';
import { PIECE_ROWS, SortedPieces } from '../../data/sorted-pieces.ts';
import { seeded } from '../engine/ledger/quiet.ts';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const KEY_BYTES = 6;

interface Made {
  readonly family: number;
  readonly key: Buffer;
  readonly value: number;
}

function chunkOf(rows: readonly Made[]) {
  const size = ROW_HEADER_BYTES + KEY_BYTES + 4;
  const bytes = Buffer.alloc(rows.length * size);
  for (const [i, { family, key, value }] of rows.entries()) {
    const at = i * size;
    bytes.set([family, KEY_BYTES], at);
    bytes.writeUInt32LE(4, at + 4);
    bytes.set(key, at + ROW_HEADER_BYTES);
    bytes.writeUInt32BE(value, at + ROW_HEADER_BYTES + KEY_BYTES);
  }
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), used: bytes.length };
}

test(`the rows of a family are those of a sorted map (SEED=${seed})`, () => {
  const random = seeded(seed);
  // Keys that come again, and more rows than a piece has.
  const rows: Made[] = Array.from({ length: 60_000 }, (_, value) => {
    const key = Buffer.alloc(KEY_BYTES);
    key.writeUIntBE(Math.floor(random() * 30_000) * 65_537, 0, KEY_BYTES);
    return { family: 1 + Math.floor(random() * 2), key, value };
  });
  const pieces = new SortedPieces();
  for (let from = 0; from < rows.length; ) {
    const to = from + 1 + Math.floor(random() * 9_000);
    const chunk = chunkOf(rows.slice(from, to));
    pieces.add(chunk, 0, chunk.used);
    from = to;
    pieces.sortSome(random() < 0.5 ? 10_000 : 0);
  }
  pieces.end();
  while (!pieces.isSorted) {
    const sorted = pieces.sortSome(1);
    expect(sorted).toBeGreaterThan(0);
    expect(sorted).toBeLessThanOrEqual(PIECE_ROWS);
  }
  for (const family of [1, 2]) {
    const expected = new Map<string, number>();
    for (const row of rows) if (row.family === family) expected.set(row.key.toString('hex'), row.value);
    const found: [string, number][] = [];
    const walk = pieces.rows(family)!;
    for (let next = walk.next(); !next.done; next = walk.next())
      found.push([Buffer.from(next.value[0]).toString('hex'), Buffer.from(next.value[1]).readUInt32BE(0)]);
    expect(found).toEqual([...expected].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  expect(pieces.rows(3)).toBeUndefined();
});

test(`of equal keys in several sources the last source has its way (SEED=${seed})`, () => {
  const source = fc.uniqueArray(fc.nat(30)).map((keys) => keys.sort((a, b) => a - b));
  fc.assert(
    fc.property(fc.array(source, { maxLength: 12 }), (sources) => {
      const expected = new Map<number, number>();
      for (const [i, keys] of sources.entries()) for (const key of keys) expected.set(key, i);
      const rows = sources.map((keys, i) => keys.map((key) => ({ key, i })).values());
      const found = [...merged(rows, (a, b) => a.key - b.key)].map(({ key, i }) => [key, i]);
      expect(found).toEqual([...expected].sort(([a], [b]) => a - b));
    }),
    { seed },
  );
});
