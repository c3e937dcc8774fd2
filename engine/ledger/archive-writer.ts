/** Writing an archive of ledgers. The format is described in archive-format.ts. */
import { closeSync, constants, fdatasyncSync, fstatSync, ftruncateSync, readSync, writeSync } from 'node:fs';
import { zstdCompressSync } from 'node:zlib';
import type { PackedLedger } from '../codec/packed.ts';
import {
  ArchiveError,
  type ArchiveIndex,
  type ArchiveScan,
  FILE_HEAD_BYTES,
  INDEX_ROW_BYTES,
  type IndexSlot,
  KIND_INDEX,
  KIND_LEDGER,
  NO_ARCHIVE,
  openArchive,
  SLOT_BYTES,
  SLOTS_AT,
  scanArchive,
  writeHead,
  writeRecord,
  writeSlot,
} from './archive-format.ts';

/** Ledgers between index blocks: opening reads at most this many records one by one. */
const INDEX_EVERY = 1024;

export class ArchiveWriter {
  readonly path: string;
  /** Bytes of an incomplete last record that were cut off at open. */
  readonly cutOffBytes: number;
  /** Id of the network of its ledgers; undefined: it does not say. */
  readonly network: number | undefined;
  readonly #fd: number;
  readonly #index: ArchiveIndex;
  #end: number;
  #slot: IndexSlot | undefined;
  #indexed: number;
  #open = true;

  private constructor(path: string, fd: number, scan: ArchiveScan, network: number | undefined) {
    this.path = path;
    this.cutOffBytes = scan.size - scan.end;
    this.network = network;
    this.#fd = fd;
    this.#index = scan.index;
    this.#end = scan.end;
    this.#slot = scan.slot;
    this.#indexed = scan.indexed;
  }

  /**
   * Opens an archive to append to it, or creates one. An incomplete last record is cut off.
   * Only one writer at a time; readers may be open at the same time.
   * @param network id of the network of what is appended, where it is known: an archive without ledgers gets it
   * @throws ArchiveError when the file is no archive, is damaged before its end, or is of another network.
   */
  static open(path: string, network?: number): ArchiveWriter {
    return openArchive(path, constants.O_RDWR | constants.O_CREAT, (fd) => {
      const scan = scanOrCreate(fd);
      const named = scan.network ?? (scan.index.count === 0 ? network : undefined);
      if (network !== undefined && named !== undefined && network !== named)
        throw new ArchiveError(
          `an archive of network ${named}, and these ledgers are of network ${network}: name another file`,
        );
      if (named !== scan.network) writeSync(fd, writeHead(named), 0, SLOTS_AT, 0);
      if (scan.size > scan.end) ftruncateSync(fd, scan.end);
      return new ArchiveWriter(path, fd, scan, named);
    });
  }

  /** Index of the last ledger, undefined while the archive is empty. */
  get last(): number | undefined {
    return this.#index.count > 0 ? this.#index.index(this.#index.count - 1) : undefined;
  }

  get count(): number {
    return this.#index.count;
  }

  /** Size of the file in bytes. */
  get size(): number {
    return this.#end;
  }

  /**
   * Appends a ledger. It survives the end of this process immediately, and a power loss after `sync`.
   * @throws ArchiveError when it is not above the last one, or only a part could be written (that part is cut off).
   */
  append(packed: PackedLedger): void {
    if (!this.#open) throw new ArchiveError('archive: closed');
    const index = packed.ledgerIndex;
    if (this.last !== undefined && index <= this.last)
      throw new ArchiveError(`archive: ledger ${index} is not above ${this.last}`);
    const at = this.#end;
    const stored = zstdCompressSync(packed.bytes);
    this.#write(writeRecord(KIND_LEDGER, index, packed.bytes.length, stored));
    this.#index.add(index, stored.length, at);
    if (this.#index.count - this.#indexed >= INDEX_EVERY) this.#writeIndex();
  }

  /** Returns when everything appended so far is on the disk. */
  sync(): void {
    if (this.#open) fdatasyncSync(this.#fd);
  }

  close(): void {
    if (!this.#open) return;
    if (this.#index.count > this.#indexed) this.#writeIndex();
    this.#open = false;
    closeSync(this.#fd);
  }

  #write(bytes: Uint8Array): void {
    let done = 0;
    try {
      while (done < bytes.length)
        done += writeSync(this.#fd, bytes, done, bytes.length - done, this.#end + done);
    } catch (error) {
      ftruncateSync(this.#fd, this.#end);
      throw new ArchiveError(`archive: ${(error as Error).message}`);
    }
    this.#end += bytes.length;
  }

  /** The block is on disk before a slot points to it; the other slot still points to the previous block. */
  #writeIndex(): void {
    const rows = this.#index.count - this.#indexed;
    const block = new Uint8Array(8 + rows * INDEX_ROW_BYTES);
    const view = new DataView(block.buffer);
    view.setBigUint64(0, BigInt(this.#slot?.offset ?? 0), true);
    for (let i = 0; i < rows; i++) {
      const row = this.#indexed + i;
      view.setUint32(8 + i * INDEX_ROW_BYTES, this.#index.index(row), true);
      view.setUint32(12 + i * INDEX_ROW_BYTES, this.#index.length(row), true);
      view.setBigUint64(16 + i * INDEX_ROW_BYTES, BigInt(this.#index.offset(row)), true);
    }
    const offset = this.#end;
    this.#write(writeRecord(KIND_INDEX, rows, block.length, block));
    fdatasyncSync(this.#fd);
    this.#slot = { offset, generation: (this.#slot?.generation ?? 0) + 1 };
    writeSync(
      this.#fd,
      writeSlot(this.#slot),
      0,
      SLOT_BYTES,
      SLOTS_AT + (this.#slot.generation % 2) * SLOT_BYTES,
    );
    fdatasyncSync(this.#fd);
    this.#indexed = this.#index.count;
  }
}

/** An empty file gets a head; so does a file whose head was not written completely. */
function scanOrCreate(fd: number): ArchiveScan {
  const head = writeHead(undefined);
  const { size } = fstatSync(fd);
  if (size < FILE_HEAD_BYTES) {
    const found = new Uint8Array(size);
    readSync(fd, found, 0, size, 0);
    if (found.some((byte, at) => byte !== head[at])) throw new ArchiveError(NO_ARCHIVE);
    writeSync(fd, head, 0, FILE_HEAD_BYTES, 0);
  }
  return scanArchive(fd);
}
