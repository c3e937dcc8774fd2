/**
 * Hostile bytes: recorded blobs with flipped bits, cut, extended and spliced. Neither path may crash or hang, and bytes
 * outside a blob must not change the result. Repeat a failure with SEED=<printed seed>.
 */
import { describe, expect, test } from 'bun:test';
import { isDeepStrictEqual } from 'node:util';
import { decode } from 'ripple-binary-codec';
import definitions from 'ripple-binary-codec/dist/enums/definitions.json';
import { bytesOf, hexOf } from '../../../engine/codec/bytes.ts';
import {
  Changes,
  EntryType,
  NftPageNode,
  NODE_WORDS,
  Node,
  TX_WORDS,
  Tx,
} from '../../../engine/codec/changes.ts';
import { extractChanges, extractEntries } from '../../../engine/codec/extract.ts';
import { Reader, ReaderError } from '../../../engine/codec/json.ts';
import { corpusDir } from '../../../support/corpus.ts';
import { casesOf } from '../../cases.ts';
import { recordedEntries, recordedTransactions } from './blobs.ts';
import { type Blobs, packAny } from './packing.ts';

const MUTATIONS = casesOf(20_000, 60_000);
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`mutation seed ${seed}`);

/** mulberry32: small, seeded, good enough for mutations. */
function randomOf(state: number): (below: number) => number {
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Bytes with a special meaning for a reader: headers of nested fields, end markers, long lengths, long headers. */
const SPECIAL_BYTES = [
  0x00, 0x01, 0x0f, 0x10, 0xe1, 0xf1, 0xe5, 0xea, 0xf8, 0xf9, 0x7d, 0x81, 0x62, 0x12, 0xc1, 0xf0, 0xfe, 0xff,
];

function mutated(original: Uint8Array, random: (below: number) => number): Uint8Array {
  let bytes = original.slice();
  for (let times = 1 + random(3); times > 0; times--) {
    if (bytes.length === 0) return bytes;
    const at = random(bytes.length);
    const how = random(6);
    if (how < 2) bytes[at]! ^= 1 << random(8);
    else if (how === 2) bytes[at] = SPECIAL_BYTES[random(SPECIAL_BYTES.length)]!;
    else if (how === 3) bytes = bytes.slice(0, at);
    else {
      const length = 1 + random(how === 4 ? 4 : 60);
      const from = random(Math.max(1, bytes.length - length));
      const put =
        how === 4 ? Uint8Array.from({ length }, () => random(256)) : bytes.slice(from, from + length);
      const longer = new Uint8Array(bytes.length + put.length);
      longer.set(bytes.subarray(0, at));
      longer.set(put, at);
      longer.set(bytes.subarray(at), at + put.length);
      bytes = longer;
    }
  }
  return bytes;
}

/** The bytes inside a larger buffer filled with `around`. */
function within(bytes: Uint8Array, around: number): Uint8Array {
  const buffer = new Uint8Array(bytes.length + 128).fill(around);
  buffer.set(bytes, 64);
  return buffer.subarray(64, 64 + bytes.length);
}

/** The result of a reader; any error but a ReaderError fails the test. */
function read(reader: Reader, bytes: Uint8Array): unknown {
  try {
    return reader.decode(bytes);
  } catch (error) {
    if (error instanceof ReaderError) return [error.fault, error.at, error.partial];
    throw error;
  }
}

/** Steps of paths by an MPT issuance, which the reference does not know yet. */
const hasMptStep = (read: unknown): boolean =>
  ((read as { Paths?: object[][] }).Paths ?? []).some((path) =>
    path.some((step) => 'mpt_issuance_id' in step),
  );

/**
 * With only the significant digits of fields of type Number: the reference reads a mantissa of fewer than 19 digits, which
 * the ledger does not have, as if it had 19.
 */
function comparable(read: unknown, type?: string): unknown {
  if (type === 'Number') return /[1-9](?:[0-9.]*[1-9])?/.exec(String(read))?.[0].replace('.', '');
  if (Array.isArray(read)) return read.map((one) => comparable(one));
  if (typeof read !== 'object' || read === null) return read;
  return Object.fromEntries(
    Object.entries(read).map(([name, value]) => [name, comparable(value, fieldTypes.get(name))]),
  );
}

const fieldTypes = new Map(
  (definitions.FIELDS as unknown as [string, { type: string }][]).map(([name, { type }]) => [name, type]),
);

const VALUE_COLUMNS: ReadonlySet<number> = new Set([
  Tx.type,
  Tx.result,
  Tx.flags,
  Tx.sequence,
  Tx.firstNode,
  Tx.nodes,
]);

/** Columns of nodes that are no offsets. */
const PAGE_VALUES: ReadonlySet<number> = new Set([NftPageNode.changed, NftPageNode.prevChanged]);
const NO_VALUES: ReadonlySet<number> = new Set();

/** A transaction's rows with offsets counted from its start; each offset is checked to be inside. */
function relative(changes: Changes, i: number, length: number): number[] {
  const start = changes.tx(i, Tx.txAt);
  const out: number[] = [];
  const offset = (cell: number): number => {
    if (cell === 0) return 0;
    if (cell < start || cell > start + length) throw new Error(`cell ${cell} out of ${start} + ${length}`);
    return cell - start + 1;
  };
  for (let c = 0; c < TX_WORDS; c++) {
    if (c === Tx.firstNode) continue;
    const cell = changes.tx(i, c);
    out.push(VALUE_COLUMNS.has(c) ? cell : offset(cell));
  }
  const first = changes.tx(i, Tx.firstNode);
  for (let row = first; row < first + changes.tx(i, Tx.nodes); row++) {
    out.push(changes.node(row, Node.action), changes.node(row, Node.entryType));
    const values = changes.node(row, Node.entryType) === EntryType.NFTokenPage ? PAGE_VALUES : NO_VALUES;
    for (let c: number = Node.indexAt; c < NODE_WORDS; c++) {
      const cell = changes.node(row, c);
      out.push(values.has(c) ? cell : offset(cell));
    }
  }
  return out;
}

describe.if(corpusDir !== undefined)('mutated blobs', () => {
  const recorded = corpusDir === undefined ? [] : recordedTransactions();

  test(`full path, ${MUTATIONS} blobs`, () => {
    const random = randomOf(seed);
    const reader = new Reader();
    // Short blobs: refused ones are passed to the reference, whose time grows with the square of the length.
    const blobs = recorded
      .flatMap((r) => [r.tx, r.meta])
      .filter((hex) => hex.length < 700)
      .map(bytesOf);
    let faults = 0;
    for (let i = 0; i < MUTATIONS; i++) {
      const bytes = mutated(blobs[random(blobs.length)]!, random);
      const before = reader.counters.readerFallbacks;
      const got = read(reader, within(bytes, 0xe1));
      if (reader.counters.readerFallbacks !== before) faults++;
      else if (i % 50 === 0 && !hasMptStep(got))
        expect(isDeepStrictEqual(comparable(decode(hexOf(bytes))), comparable(got))).toBe(true);
      if (i % 10 === 0) expect(read(reader, within(bytes, 0x20))).toEqual(got);
    }
    expect(faults).toBeGreaterThan(MUTATIONS / 10);
    expect(faults).toBeLessThan(MUTATIONS);
  });

  test(`partial path, ${MUTATIONS} transactions`, () => {
    const random = randomOf(seed ^ 0x5bd1e995);
    const pairs = recorded.map((r): Blobs => ({ tx: bytesOf(r.tx), meta: bytesOf(r.meta) }));
    let unreadable = 0;
    for (let done = 0; done < MUTATIONS; done += 100) {
      const rows = Array.from({ length: 100 }, (): Blobs => {
        const { tx, meta } = pairs[random(pairs.length)]!;
        return random(4) === 0 ? { tx: mutated(tx, random), meta } : { tx, meta: mutated(meta, random) };
      });
      const hashes = new Uint8Array(32 * rows.length);
      const forth = new Changes(extractChanges(packAny(rows), hashes));
      const back = new Changes(
        extractChanges(packAny([...rows].reverse(), new Uint8Array(64).fill(0xe1)), hashes),
      );
      unreadable += forth.words[3]!;
      expect(back.words[3]).toBe(forth.words[3]!);
      for (const [i, { tx, meta }] of rows.entries()) {
        const length = tx.length + meta.length;
        const same = Bun.deepEquals(relative(forth, i, length), relative(back, rows.length - 1 - i, length));
        if (!same) throw new Error(`neighbours change ${hexOf(tx)} ${hexOf(meta)}`);
      }
    }
    expect(unreadable).toBeGreaterThan(MUTATIONS / 10);
    expect(unreadable).toBeLessThan(MUTATIONS);
  });

  test('snapshot pages', () => {
    const random = randomOf(seed ^ 0x27d4eb2f);
    const entries = recordedEntries().map((e) => bytesOf(e.hex));
    for (let i = 0; i < 2000; i++) {
      const parts: Uint8Array[] = [];
      for (let n = 0; n < 5; n++) {
        const blob = entries[random(entries.length)]!;
        parts.push(new Uint8Array(32).fill(n + 1), new Uint8Array(Uint32Array.of(blob.length).buffer), blob);
      }
      const page = mutated(new Uint8Array(Buffer.concat(parts)), random);
      const words = extractEntries(within(page, 0x62));
      expect(words).toEqual(extractEntries(within(page, 0x0f)));
      for (let c = 8; c < words.length; c++) {
        const column = (c - 8) % NODE_WORDS;
        if (column >= Node.indexAt && words[c]! > page.length)
          throw new Error(`cell ${words[c]} out of the page`);
      }
    }
  });
});
