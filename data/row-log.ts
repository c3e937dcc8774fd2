/**
 * The log: what each batch changed in the tables, before their blocks are written, and what it added to history, before
 * that is merged (history-merge.ts).
 *
 *     batch n  = | part 0 | part 1 | ...                    one for each MiB of images
 *     key      = | kind 1 | batch 4 | part 2 |
 *     value    = | raw length 4 | zstd of the raw part | checksum 4 |
 *     raw part = | blocks 4 | table 2, block 4 | ... |      the blocks that the batch wrote whole; in part 0
 *                | row image | row image | ...              as in a batch (batch.ts); its key is | table 2 | row 4 |
 *
 *                  history parts are rows alone, as in a batch
 *
 *     meta 'log' = | newest batch 4 | rows done 4 | history done 4 |
 *                  images of batches up to the second are in blocks, history rows up to the third in their tables
 *
 * Goal: a ledger costs the pages of what it changed, in one place, and what a crash leaves is complete. The record of a
 * batch is written in its transaction, like everything else of the batch; so is what a checkpoint moves.
 *
 * Reading: blocks first, then the log from its newest batch back. An image counts unless a newer one of its row was seen,
 * or its block was written by the same batch or a newer one. So blocks may be written at any time and in any order, once
 * more or in vain, and nobody needs to know how far an interrupted checkpoint came.
 *
 * Bounds: a checkpoint begins at a number of images or batches (engine/state/checkpoint.ts) and ends within a share of
 * that; then what it covers is removed, some parts with each batch (removedParts). Cost: 1 page and half of the images' bytes a
 * batch; 1 us an image at a restart.
 */

import { readU32 } from '../engine/codec/bytes.ts';
import type { RowSteps } from '../engine/event-loop.ts';
import { CHECKSUM_BYTES, seal, unseal } from './checksum.ts';
import { type Chunk, IMAGE_KEY_BYTES, ROW_HEADER_BYTES } from './chunks.ts';
import { corrupt } from './errors.ts';
import { Family, key } from './keys.ts';

/** Kinds of parts: images of the tables' rows, and history rows. */
export const LogKind = { rows: 1, history: 2 } as const;

/**
 * How many old parts a batch removes: a few more than it writes. Removed all at once they would be thousands of free runs of
 * a few pages, and LMDB looks through all of them for the pages of each ledger, and writes their list again.
 * @param written parts that the batch writes
 */
export function removedParts(written: number): number {
  return 1 + 2 * written;
}

const ZSTD = { level: 1 } as const;
const LENGTH_BYTES = 4;
const MARK_BYTES = 6;
const U32_MAX = 0xffffffff;
const U16_MAX = 0xffff;
/** Images that are picked in one step: some milliseconds. */
const IMAGES_A_STEP = 4096;

/** How far the log is. */
export interface LogState {
  /** Number of the newest batch. */
  readonly newest: number;
  /** Row images up to this batch are in blocks. */
  readonly rowsDone: number;
  /** History rows up to this batch are in their tables. */
  readonly historyDone: number;
}

export function readLogState(bytes: Uint8Array | undefined): LogState {
  if (!bytes) return { newest: 0, rowsDone: 0, historyDone: 0 };
  return { newest: readU32(bytes, 0), rowsDone: readU32(bytes, 4), historyDone: readU32(bytes, 8) };
}

export function writeLogState({ newest, rowsDone, historyDone }: LogState): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(historyDone, 8);
  bytes.writeUInt32BE(newest, 0);
  bytes.writeUInt32BE(rowsDone, 4);
  return bytes;
}

/** First and last key of the parts of some batches, both included. */
export function partBounds(kind: number, first: number, last: number): [Buffer, Buffer] {
  return [partKey(kind, first, 0), partKey(kind, last, U16_MAX)];
}

export const NEWEST_BATCH = U32_MAX;

function partKey(kind: number, batch: number, part: number): Buffer {
  return key([1, 4, 2], [kind, batch, part]);
}

/** Keys of parts by batch, the newest batch first. @param keys ascending */
export function newestFirst(keys: Iterable<Uint8Array>): readonly (readonly Uint8Array[])[] {
  const batches = new Map<number, Uint8Array[]>();
  for (const at of keys) {
    const parts = batches.get(batchOfPart(at)) ?? [];
    parts.push(at);
    batches.set(batchOfPart(at), parts);
  }
  return [...batches.values()].reverse();
}

export const batchOfPart = (at: Uint8Array): number => readU32(at, 1);

/**
 * The parts of a batch as rows of the log.
 * @param blocks table and block of each block that the batch writes
 */
export function packParts(
  batch: number,
  blocks: readonly (readonly [number, number])[],
  images: readonly Pick<Chunk, 'bytes' | 'used'>[],
): { key: Uint8Array; value: Uint8Array }[] {
  const marks = Buffer.alloc(LENGTH_BYTES + blocks.length * MARK_BYTES);
  marks.writeUInt32BE(blocks.length);
  for (const [i, [table, block]] of blocks.entries()) {
    marks.writeUInt16BE(table, LENGTH_BYTES + i * MARK_BYTES);
    marks.writeUInt32BE(block, LENGTH_BYTES + i * MARK_BYTES + 2);
  }
  const none = Buffer.alloc(LENGTH_BYTES);
  const chunks = images.length > 0 ? images : [{ bytes: new Uint8Array(0), used: 0 }];
  return chunks.map(({ bytes, used }, part) => {
    const raw = Buffer.concat([part === 0 ? marks : none, bytes.subarray(0, used)]);
    return packPart(partKey(LogKind.rows, batch, part), raw);
  });
}

/** The history rows of a batch as rows of the log. */
export function packRows(
  batch: number,
  rows: readonly Pick<Chunk, 'bytes' | 'used'>[],
): { key: Uint8Array; value: Uint8Array }[] {
  return rows.map(({ bytes, used }, part) =>
    packPart(partKey(LogKind.history, batch, part), bytes.subarray(0, used)),
  );
}

function packPart(at: Uint8Array, raw: Uint8Array): { key: Uint8Array; value: Uint8Array } {
  const frame = Bun.zstdCompressSync(raw, ZSTD);
  const value = Buffer.allocUnsafe(LENGTH_BYTES + frame.length + CHECKSUM_BYTES);
  value.writeUInt32BE(raw.length);
  value.set(frame, LENGTH_BYTES);
  seal(Family.log, at, value);
  return { key: at, value };
}

/** @param stored without its checksum. @throws StoreError corrupt */
export function unpackPart(at: Uint8Array, stored: Uint8Array, dir: string): Buffer {
  const damaged = (error?: unknown): Error =>
    corrupt(dir, `the log of batch ${batchOfPart(at)} does not unpack`, error);
  let raw: Uint8Array;
  try {
    raw = Bun.zstdDecompressSync(stored.subarray(LENGTH_BYTES));
  } catch (error) {
    throw damaged(error);
  }
  if (stored.length < LENGTH_BYTES || raw.length !== readU32(stored, 0)) throw damaged();
  return Buffer.from(raw.buffer, raw.byteOffset, raw.length);
}

/** The same of a part with its checksum. @throws StoreError corrupt */
export function unpackStored(at: Uint8Array, stored: Uint8Array, dir: string): Buffer {
  return unpackPart(at, unseal(Family.log, at, stored, dir), dir);
}

export type ImageVisitor = (table: number, row: number, image: Uint8Array) => void;

/** Picks the images that count out of parts that come newest batch first. */
export class NewestImages {
  readonly #visit: ImageVisitor;
  /** Rows seen and blocks written, by table, a bit each. */
  readonly #rows = new Map<number, Bits>();
  readonly #blocks = new Map<number, Bits>();
  readonly #blockRows: number;
  readonly #table: number | undefined;

  /** @param table of which images are wanted; default: of all */
  constructor(blockRows: number, visit: ImageVisitor, table?: number) {
    this.#visit = visit;
    this.#blockRows = blockRows;
    this.#table = table;
  }

  /**
   * In steps of IMAGES_A_STEP: a part is a MiB at most, which are 13,000 accounts.
   * @param count parts of the batch. @param read gives a raw part; asked for one at a time
   */
  *batch(count: number, read: (part: number) => Buffer): RowSteps {
    // The first has the blocks.
    let first: Buffer | undefined = read(0);
    this.#written(first);
    if (count > 1) first = undefined;
    for (let part = count - 1; part >= 0; part--) {
      yield* this.#images(first ?? read(part));
      if (part > 0) yield 0;
    }
  }

  #written(part: Buffer): void {
    const end = LENGTH_BYTES + part.readUInt32BE(0) * MARK_BYTES;
    for (let at = LENGTH_BYTES; at < end; at += MARK_BYTES)
      bitsOf(this.#blocks, part.readUInt16BE(at)).add(part.readUInt32BE(at + 2));
  }

  /** From the last image back, so that of two images of a row the later one counts. */
  *#images(part: Buffer): RowSteps {
    const view = new DataView(part.buffer, part.byteOffset, part.length);
    const places: number[] = [];
    for (let at = LENGTH_BYTES + view.getUint32(0) * MARK_BYTES; at < part.length; ) {
      places.push(at);
      at += ROW_HEADER_BYTES + IMAGE_KEY_BYTES + view.getUint32(at + 4, true);
    }
    for (let end = places.length; end > 0; end -= IMAGES_A_STEP) {
      this.#pick(part, view, places, Math.max(0, end - IMAGES_A_STEP), end);
      if (end > IMAGES_A_STEP) yield 0;
    }
  }

  /** Those at some of the places. */
  #pick(part: Buffer, view: DataView, places: readonly number[], from: number, to: number): void {
    // Images come table by table.
    let table = -1;
    let [rows, blocks] = [NONE, NONE];
    for (let i = to - 1; i >= from; i--) {
      const at = places[i]! + ROW_HEADER_BYTES;
      const row = view.getUint32(at + 2);
      const own = view.getUint16(at);
      if (this.#table !== undefined && own !== this.#table) continue;
      if (own !== table) {
        table = own;
        rows = bitsOf(this.#rows, table);
        blocks = bitsOf(this.#blocks, table);
      }
      if (blocks.has(Math.floor(row / this.#blockRows)) || !rows.add(row)) continue;
      const image = at + IMAGE_KEY_BYTES;
      this.#visit(table, row, part.subarray(image, image + view.getUint32(at - 4, true) - CHECKSUM_BYTES));
    }
  }
}

/** A set of small numbers. */
class Bits {
  #words = new Uint32Array(64);

  has(number: number): boolean {
    return ((this.#words[number >>> 5] ?? 0) & (1 << (number & 31))) !== 0;
  }

  /** @returns whether it is new */
  add(number: number): boolean {
    if (this.has(number)) return false;
    const word = number >>> 5;
    if (word >= this.#words.length) {
      const grown = new Uint32Array(Math.max(word + 1, this.#words.length * 2));
      grown.set(this.#words);
      this.#words = grown;
    }
    this.#words[word]! |= 1 << (number & 31);
    return true;
  }
}

const NONE = new Bits();

function bitsOf(map: Map<number, Bits>, table: number): Bits {
  const found = map.get(table);
  if (found) return found;
  const made = new Bits();
  map.set(table, made);
  return made;
}
