/**
 * The archive: one file of ledgers in strictly ascending order; gaps are allowed. All numbers little-endian.
 *     0  magic 'MLA1'; 4 u32 1, 8 u32 network id, 12 u32 checksum of the 12 bytes, or 12 zero bytes: it does not say; 16 and 32: two pointer slots of 16 bytes, written alternately
 *        (u64 offset of the newest index block, u32 generation, u32 checksum of the 12 bytes); then records:
 *     0  u32 kind: 'LGR1' a ledger, 'IDX1' an index block
 *     4  u32 ledger index (ledger), number of rows (index block)
 *     8  u32 length of the content, 12 u32 length as stored, 16 u32 checksum (crc32 of these 16 bytes and the
 *        stored bytes), 20 the stored bytes: zstd of a packed ledger; an index block is not compressed:
 *        u64 offset of the previous index block (0: none), then a row for each ledger since:
 *        u32 ledger index, u32 stored length, u64 offset of the record
 * To open: follow the index blocks back from the newer valid slot, then read the records after it one by one. A record
 * cut off at the end of the file (kill -9, power loss) is dropped by the writer; damage before the end is an error.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { LedgerRange } from './source.ts';

const ARCHIVE_MAGIC = 0x31414c4d; // 'MLA1'
export const KIND_LEDGER = 0x3152474c; // 'LGR1'
export const KIND_INDEX = 0x31584449; // 'IDX1'
export const FILE_HEAD_BYTES = 48;
const RECORD_HEAD_BYTES = 20;
/** Where the two slots begin. */
export const SLOTS_AT = 16;
export const SLOT_BYTES = 16;
export const INDEX_ROW_BYTES = 16;
/** Content larger than this is damage: it is many times the size of the largest ledger. */
const CONTENT_BYTES_MAX = 256 * 1024 * 1024;

export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/** The position of each ledger in the file, in columns. Rows ascend by ledger index. */
export class ArchiveIndex {
  count = 0;
  #indices = new Uint32Array(1024);
  #lengths = new Uint32Array(1024);
  #offsets = new Float64Array(1024);

  add(index: number, length: number, offset: number): void {
    if (this.count > 0 && index <= this.#indices[this.count - 1]!)
      throw new ArchiveError(`archive: ledger ${index} after ${this.#indices[this.count - 1]}`);
    if (this.count === this.#indices.length) this.#grow();
    this.#indices[this.count] = index;
    this.#lengths[this.count] = length;
    this.#offsets[this.count] = offset;
    this.count++;
  }

  index(row: number): number {
    return this.#indices[row]!;
  }

  /** Stored length of the record in this row. */
  length(row: number): number {
    return this.#lengths[row]!;
  }

  offset(row: number): number {
    return this.#offsets[row]!;
  }

  /** Row of a ledger, -1 when the archive does not contain it. */
  find(index: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const at = this.#indices[middle]!;
      if (at === index) return middle;
      if (at < index) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  ranges(): LedgerRange[] {
    const ranges: LedgerRange[] = [];
    let first = 0;
    for (let row = 1; row <= this.count; row++) {
      if (row < this.count && this.#indices[row] === this.#indices[row - 1]! + 1) continue;
      ranges.push({ first: this.#indices[first]!, last: this.#indices[row - 1]! });
      first = row;
    }
    return ranges;
  }

  #grow(): void {
    const size = this.#indices.length * 2;
    const wider = <T extends Uint32Array | Float64Array>(to: T, from: T): T => {
      to.set(from);
      return to;
    };
    this.#indices = wider(new Uint32Array(size), this.#indices);
    this.#lengths = wider(new Uint32Array(size), this.#lengths);
    this.#offsets = wider(new Float64Array(size), this.#offsets);
  }
}

export interface ArchiveRecord {
  readonly kind: number;
  /** Ledger index, or number of rows. */
  readonly index: number;
  readonly contentLength: number;
  readonly stored: Uint8Array;
}

/** The bytes of a record as they are written to disk. */
export function writeRecord(
  kind: number,
  index: number,
  contentLength: number,
  stored: Uint8Array,
): Uint8Array {
  const bytes = new Uint8Array(RECORD_HEAD_BYTES + stored.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, kind, true);
  view.setUint32(4, index, true);
  view.setUint32(8, contentLength, true);
  view.setUint32(12, stored.length, true);
  bytes.set(stored, RECORD_HEAD_BYTES);
  view.setUint32(16, crc32(stored, crc32(bytes.subarray(0, 16))), true);
  return bytes;
}

/** The record at an offset; undefined when there is no complete, undamaged record. */
export function readRecord(fd: number, offset: number): ArchiveRecord | undefined {
  const head = new Uint8Array(RECORD_HEAD_BYTES);
  if (readSync(fd, head, 0, RECORD_HEAD_BYTES, offset) !== RECORD_HEAD_BYTES) return undefined;
  const view = new DataView(head.buffer);
  const kind = view.getUint32(0, true);
  const contentLength = view.getUint32(8, true);
  const length = view.getUint32(12, true);
  if ((kind !== KIND_LEDGER && kind !== KIND_INDEX) || Math.max(length, contentLength) > CONTENT_BYTES_MAX)
    return undefined;
  const stored = new Uint8Array(length);
  if (readSync(fd, stored, 0, length, offset + RECORD_HEAD_BYTES) !== length) return undefined;
  if (crc32(stored, crc32(head.subarray(0, 16))) !== view.getUint32(16, true)) return undefined;
  return { kind, index: view.getUint32(4, true), contentLength, stored };
}

/** One of the two pointers at the head of the file. */
export interface IndexSlot {
  readonly offset: number;
  readonly generation: number;
}

export function writeSlot(slot: IndexSlot): Uint8Array {
  const bytes = new Uint8Array(SLOT_BYTES);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(slot.offset), true);
  view.setUint32(8, slot.generation, true);
  view.setUint32(12, crc32(bytes.subarray(0, 12)), true);
  return bytes;
}

function readSlot(bytes: Uint8Array): IndexSlot | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(12, true) !== crc32(bytes.subarray(0, 12))) return undefined;
  const slot = { offset: Number(view.getBigUint64(0, true)), generation: view.getUint32(8, true) };
  return slot.generation === 0 ? undefined : slot;
}

/** @param network id of the network; undefined: the archive does not say */
export function writeHead(network: number | undefined): Uint8Array {
  const bytes = new Uint8Array(FILE_HEAD_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, ARCHIVE_MAGIC, true);
  if (network === undefined) return bytes;
  view.setUint32(4, 1, true);
  view.setUint32(8, network, true);
  view.setUint32(12, crc32(bytes.subarray(0, 12)), true);
  return bytes;
}

function networkIn(head: Uint8Array): number | undefined {
  const view = new DataView(head.buffer, head.byteOffset);
  const isNamed = view.getUint32(4, true) === 1 && view.getUint32(12, true) === crc32(head.subarray(0, 12));
  return isNamed ? view.getUint32(8, true) : undefined;
}

/** What `scanArchive` found. */
export interface ArchiveScan {
  /** Id of the network, where the archive says. */
  readonly network: number | undefined;
  readonly index: ArchiveIndex;
  /** Where the next record will be written: the end of the last complete one. */
  readonly end: number;
  /** Size of the file; more than `end` when the last record is incomplete. */
  readonly size: number;
  /** The file ends within a record, or before an index block that it names: ledgers that followed are missing. */
  readonly isCutOff: boolean;
  /** Newest index block, undefined when there is none. */
  readonly slot: IndexSlot | undefined;
  /** Number of rows that the index blocks cover. */
  readonly indexed: number;
}

/** Said of a file that begins otherwise. */
export const NO_ARCHIVE = 'this is not an archive: npm run tool -- record makes one';

/**
 * Reads the index of an open archive and checks its tail.
 * @throws ArchiveError when it is no archive, or damaged before its end.
 */
export function scanArchive(fd: number): ArchiveScan {
  const { size } = fstatSync(fd);
  const head = new Uint8Array(FILE_HEAD_BYTES);
  if (readSync(fd, head, 0, FILE_HEAD_BYTES, 0) !== FILE_HEAD_BYTES)
    throw new ArchiveError('this is not an archive: it is shorter than the head of one');
  if (new DataView(head.buffer).getUint32(0, true) !== ARCHIVE_MAGIC) throw new ArchiveError(NO_ARCHIVE);
  const network = networkIn(head);
  const slots = [SLOTS_AT, SLOTS_AT + SLOT_BYTES]
    .map((at) => readSlot(head.subarray(at, at + SLOT_BYTES)))
    .filter((slot) => slot !== undefined)
    .sort((a, b) => b.generation - a.generation);
  for (const slot of slots) {
    const chain = readIndexChain(fd, slot.offset);
    if (chain) return { network, ...scanTail(fd, size, chain.index, chain.end, slots, slot) };
  }
  // Without a usable index block every record is read, which is slow but always correct.
  return { network, ...scanTail(fd, size, new ArchiveIndex(), FILE_HEAD_BYTES, slots, undefined) };
}

function readIndexChain(fd: number, newest: number): { index: ArchiveIndex; end: number } | undefined {
  const blocks: DataView[] = [];
  let end = 0;
  for (let offset = newest; offset !== 0; ) {
    const record = readRecord(fd, offset);
    if (record?.kind !== KIND_INDEX || record.stored.length !== 8 + record.index * INDEX_ROW_BYTES)
      return undefined;
    if (offset === newest) end = offset + RECORD_HEAD_BYTES + record.stored.length;
    const view = new DataView(record.stored.buffer, record.stored.byteOffset, record.stored.byteLength);
    const before = Number(view.getBigUint64(0, true));
    if (before >= offset) return undefined;
    blocks.push(view);
    offset = before;
  }
  const index = new ArchiveIndex();
  for (const view of blocks.reverse())
    for (let at = 8; at < view.byteLength; at += INDEX_ROW_BYTES)
      index.add(
        view.getUint32(at, true),
        view.getUint32(at + 4, true),
        Number(view.getBigUint64(at + 8, true)),
      );
  return { index, end };
}

function scanTail(
  fd: number,
  size: number,
  index: ArchiveIndex,
  from: number,
  slots: readonly IndexSlot[],
  slot: IndexSlot | undefined,
): Omit<ArchiveScan, 'network'> {
  const indexed = index.count;
  let end = from;
  while (end < size) {
    const record = readRecord(fd, end);
    if (!record) {
      checkIncomplete(fd, end, size);
      break;
    }
    if (record.kind === KIND_LEDGER) index.add(record.index, record.stored.length, end);
    end += RECORD_HEAD_BYTES + record.stored.length;
  }
  const isCutOff = end < size || slots.some(({ offset }) => offset >= end);
  return { index, end, size, isCutOff, slot, indexed };
}

/** An incomplete record can only be the last one. If a complete record follows a bad one, the file is damaged. */
function checkIncomplete(fd: number, at: number, size: number): void {
  const head = new Uint8Array(RECORD_HEAD_BYTES);
  if (readSync(fd, head, 0, RECORD_HEAD_BYTES, at) !== RECORD_HEAD_BYTES) return;
  const next = at + RECORD_HEAD_BYTES + new DataView(head.buffer).getUint32(12, true);
  if (next < size && readRecord(fd, next))
    throw new ArchiveError(
      `a damaged record at byte ${at}, before complete ones: use a copy of this archive, or record it again`,
    );
}

/**
 * Opens a file and hands it to `use`. If that throws, closes the file and adds its path to the error.
 * @throws ArchiveError, also where it cannot be opened
 */
export function openArchive<T>(path: string, flags: number, use: (fd: number) => T): T {
  const fd = descriptorOf(path, flags);
  try {
    return use(fd);
  } catch (error) {
    closeSync(fd);
    throw error instanceof ArchiveError ? new ArchiveError(`${path}: ${error.message}`) : error;
  }
}

function descriptorOf(path: string, flags: number): number {
  try {
    return openSync(path, flags, 0o644);
  } catch (fault) {
    throw new ArchiveError(
      `${path}: the archive cannot be opened (${(fault as Error).message}). Name another file`,
    );
  }
}
