/**
 * A batch on its way to the writer thread.
 *
 * Goal: the main thread spends 100 to 200 ns a row, makes no object for it and never copies what it has gathered.
 * Non-goals: order and duplicates (the writer sorts), compression (the writer's work too).
 *
 *     batch = chunk, chunk, ...      SharedArrayBuffers of 1 MiB, or of one larger row; the writer reads them in place
 *     chunk = row, row, ...          a row never straddles two chunks, so no row is ever moved
 *             three lists: rows for the trees; history, and images of tables' rows, which go into the log (row-log.ts)
 *     ledgers           shared buffers of their own, as they came: half of all bytes, which nobody copies
 *     row   = | family 1 | key length 1 | 0 2 | value length 4 LE | key | value | room for its checksum |
 *
 * Chunks instead of one growing buffer: growing copies everything gathered so far at once, and tens of
 * megabytes are a stall. Chunks go back to the pool when their batch is durable, so that their pages stay mapped.
 */
import { Packr } from 'msgpackr';
import { onSharedMemory } from '../engine/codec/bytes.ts';
import { HASH_BYTES } from '../engine/codec/hash.ts';
import { FAMILIES, type RecordFamily } from '../engine/families.ts';
import type { Batch, Position } from '../engine/store.ts';
import { CHECKSUM_BYTES } from './checksum.ts';
import { type Chunk, type ChunkPool, IMAGE_KEY_BYTES, ROW_HEADER_BYTES } from './chunks.ts';
import { StoreError } from './errors.ts';
import { Family, HASH_KEY_BYTES, LOCATION_BYTES, NAME_BYTES_MAX } from './keys.ts';

/** Below this many bytes a loop beats a view plus memcpy. */
const LOOP_BYTES_MAX = 48;
/** Records with ascending keys: they all go to the end of their tree, so that collecting them in the log would save nothing. */
const APPENDED: ReadonlySet<RecordFamily> = new Set(['texts', 'nftLedgerEvents', 'nftUris'] as const);

export type CheckpointStep = Parameters<Batch['checkpoint']>[0];

const packr = new Packr({ useRecords: false });
const TEXT_KEY_BYTES = 5;
const LEDGER_KEY_BYTES = 4;
/** Up to so many characters a loop beats the runtime's conversion. */
const LOOP_CHARACTERS_MAX = 256;

/** {@link Batch} in chunks. Rows may come in any order; of equal keys the last one is stored. */
export class PackedBatch implements Batch {
  /** Rows for the trees. */
  readonly chunks: Chunk[] = [];
  /** Rows of history: they go into the log before they are merged into their trees (history-merge.ts). */
  readonly history: Chunk[] = [];
  /** Images of rows of tables. */
  readonly images: Chunk[] = [];
  /** Packed ledgers by index. */
  readonly ledgers = new Map<number, SharedArrayBuffer>();
  readonly checkpoints: CheckpointStep[] = [];
  readonly pool: ChunkPool;
  rows = 0;
  #size = 0;
  #state: 'open' | 'committed' | 'durable' = 'open';
  #chunk: Chunk | undefined;

  constructor(pool: ChunkPool) {
    this.pool = pool;
  }

  /** Bytes gathered so far, keys and row headers included. */
  get size(): number {
    return this.#size;
  }

  /** Closes the batch to further rows. @throws StoreError when its rows have been stored already. */
  seal(): void {
    if (this.#state === 'durable')
      throw new StoreError('bad-batch', 'this batch has been stored: begin a new one');
    this.#state = 'committed';
  }

  /** The rows are durable: gives the chunks back. */
  release(): void {
    this.#state = 'durable';
    this.#chunk = undefined;
    for (const list of [this.chunks, this.history, this.images]) {
      for (const chunk of list) this.pool.give(chunk);
      list.length = 0;
    }
    this.ledgers.clear();
  }

  /** Makes room for a row in {@link #chunk}, writes its header and returns where its key begins. */
  #row(family: number, keyLength: number, bytes: number, list = this.chunks): number {
    const valueLength = bytes + CHECKSUM_BYTES;
    const size = ROW_HEADER_BYTES + keyLength + valueLength;
    this.#count(size);
    let chunk = list.at(-1);
    if (chunk === undefined || chunk.used + size > chunk.bytes.length) {
      chunk = this.pool.take(size);
      list.push(chunk);
    }
    this.#chunk = chunk;
    const at = chunk.used;
    chunk.used = at + size;
    chunk.view.setUint32(at, (family << 24) | (keyLength << 16));
    chunk.view.setUint32(at + 4, valueLength, true);
    return at + ROW_HEADER_BYTES;
  }

  #count(size: number): void {
    if (this.#state !== 'open')
      throw new StoreError('bad-batch', 'this batch has been handed over: begin a new one');
    this.#size += size;
    this.rows++;
  }

  #copy(to: number, bytes: Uint8Array, at: number, length: number): void {
    const target = this.#chunk!.bytes;
    if (length > LOOP_BYTES_MAX) {
      target.set(at === 0 && length === bytes.length ? bytes : bytes.subarray(at, at + length), to);
    } else {
      for (let i = 0; i < length; i++) target[to + i] = bytes[at + i]!;
    }
  }

  ledger(index: number, closeTime: number, packed: Uint8Array): void {
    this.#count(LEDGER_KEY_BYTES + packed.length);
    this.ledgers.set(index, onSharedMemory(packed));
    const time = this.#row(Family.closeTimes, 8, 0, this.history);
    const { view } = this.#chunk!;
    view.setUint32(time, closeTime);
    view.setUint32(time + 4, index);
  }

  transaction(bytes: Uint8Array, at: number, ledger: number, tx: number): void {
    this.#location(Family.transactions, bytes, at, ledger, tx);
  }

  entry(bytes: Uint8Array, at: number, ledger: number, tx: number): void {
    this.#location(Family.entries, bytes, at, ledger, tx);
  }

  #location(family: number, bytes: Uint8Array, at: number, ledger: number, tx: number): void {
    if (at + HASH_BYTES > bytes.length) throw new RangeError('a hash runs past the end of its bytes');
    if (tx > 0xffff) throw new RangeError(`transaction index ${tx} does not fit a position`);
    const row = this.#row(family, HASH_KEY_BYTES, LOCATION_BYTES, this.history);
    const { bytes: target, view } = this.#chunk!;
    for (let i = 0; i < HASH_KEY_BYTES; i++) target[row + i] = bytes[at + i]!;
    view.setUint32(row + HASH_KEY_BYTES, ledger);
    view.setUint16(row + HASH_KEY_BYTES + 4, tx);
  }

  trade(
    position: Position,
    record: Uint8Array,
    tokens: readonly [number, number],
    accounts: readonly [number, number],
  ): void {
    const { ledger, tx, entry } = position;
    if (tx > 0xffff || entry > 0xffff)
      throw new RangeError(`position ${ledger}.${tx}.${entry} does not fit a key`);
    const at = this.#row(Family.trades, 8, record.length, this.history);
    const { view } = this.#chunk!;
    view.setUint32(at, ledger);
    view.setUint16(at + 4, tx);
    view.setUint16(at + 6, entry);
    this.#copy(at + 8, record, 0, record.length);
    this.#index(Family.tokenTrades, tokens[0], ledger, tx, entry);
    if (tokens[1] !== tokens[0]) this.#index(Family.tokenTrades, tokens[1], ledger, tx, entry);
    this.#index(Family.accountTrades, accounts[0], ledger, tx, entry);
    if (accounts[1] !== accounts[0]) this.#index(Family.accountTrades, accounts[1], ledger, tx, entry);
  }

  #index(family: number, id: number, ledger: number, tx: number, entry: number): void {
    const at = this.#row(family, 12, 0, this.history);
    const { view } = this.#chunk!;
    view.setUint32(at, id);
    view.setUint32(at + 4, ledger);
    view.setUint16(at + 8, tx);
    view.setUint16(at + 10, entry);
  }

  candle(level: number, token: number, bucket: number, record: Uint8Array): void {
    const at = this.#row(Family.candles, 9, record.length, this.history);
    const { view } = this.#chunk!;
    view.setUint8(at, level);
    view.setUint32(at + 1, token);
    view.setUint32(at + 5, bucket);
    this.#copy(at + 9, record, 0, record.length);
  }

  accountTransaction(account: number, ledger: number, tx: number, value: number): void {
    const at = this.#row(Family.accountTransactions, 10, 4, this.history);
    const { view } = this.#chunk!;
    view.setUint32(at, account);
    view.setUint32(at + 4, ledger);
    view.setUint16(at + 8, tx);
    view.setUint32(at + 10, value << 8);
  }

  record(family: RecordFamily, numbers: readonly number[], value: Uint8Array): void {
    const { id, key: widths } = FAMILIES[family];
    let length = 0;
    for (const width of widths) length += width;
    let to = this.#row(id, length, value.length, APPENDED.has(family) ? this.chunks : this.history);
    const target = this.#chunk!.bytes;
    for (let i = 0; i < widths.length; i++) {
      const [width, number] = [widths[i]!, numbers[i]!];
      if (!(number >= 0 && number < 2 ** (8 * width)))
        throw new RangeError(`${number} in a key of ${family}`);
      for (let shift = width * 8 - 8; shift >= 0; shift -= 8) target[to++] = number >>> shift;
    }
    this.#copy(to, value, 0, value.length);
  }

  block(table: number, block: number, bytes: Uint8Array): void {
    const at = this.#row(Family.blocks, 6, bytes.length);
    const { view } = this.#chunk!;
    view.setUint16(at, table);
    view.setUint32(at + 2, block);
    this.#copy(at + 6, bytes, 0, bytes.length);
  }

  row(table: number, row: number, image: Uint8Array): void {
    const at = this.#row(Family.log, IMAGE_KEY_BYTES, image.length, this.images);
    const { view } = this.#chunk!;
    view.setUint16(at, table);
    view.setUint32(at + 2, row);
    this.#copy(at + IMAGE_KEY_BYTES, image, 0, image.length);
  }

  checkpoint(step: CheckpointStep): void {
    this.checkpoints.push(step);
  }

  text(kind: number, id: number, value: string): void {
    if (!isShortAscii(value)) {
      this.record('texts', [kind, id], Buffer.from(value, 'utf8'));
      return;
    }
    const at = this.#row(Family.texts, TEXT_KEY_BYTES, value.length);
    const { bytes, view } = this.#chunk!;
    view.setUint8(at, kind);
    view.setUint32(at + 1, id);
    for (let i = 0; i < value.length; i++) bytes[at + TEXT_KEY_BYTES + i] = value.charCodeAt(i);
  }

  value(name: string, value: unknown): void {
    const named = Buffer.from(name, 'utf8');
    if (named.length === 0 || named.length > NAME_BYTES_MAX)
      throw new RangeError(`name of ${named.length} bytes`);
    const bytes = packr.pack(value);
    const at = this.#row(Family.values, named.length, bytes.length);
    this.#copy(at, named, 0, named.length);
    this.#copy(at + named.length, bytes, 0, bytes.length);
  }
}

function isShortAscii(text: string): boolean {
  const { length } = text;
  if (length > LOOP_CHARACTERS_MAX) return false;
  for (let i = 0; i < length; i++) if (text.charCodeAt(i) >= 0x80) return false;
  return true;
}
