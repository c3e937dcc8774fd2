/** Reading an archive of ledgers. The format is described in archive-format.ts. */
import { closeSync, constants, statSync } from 'node:fs';
import { onSharedMemory } from '../codec/bytes.ts';
import { PackedLedger } from '../codec/packed.ts';
import {
  ArchiveError,
  type ArchiveIndex,
  type ArchiveRecord,
  type ArchiveScan,
  KIND_LEDGER,
  openArchive,
  readRecord,
  scanArchive,
} from './archive-format.ts';
import type { LedgerRange } from './source.ts';
import { frameContentLength } from './zstd-frame.ts';

export class ArchiveReader {
  readonly path: string;
  readonly #fd: number;
  /** A writer may be writing its last record, or ledgers that followed are missing. */
  readonly isCutOff: boolean;
  /** Id of the network; undefined: the archive does not say, as those that an earlier version made. */
  readonly network: number | undefined;
  readonly #index: ArchiveIndex;
  #open = true;

  private constructor(path: string, fd: number, { index, isCutOff, network }: ArchiveScan) {
    this.path = path;
    this.#fd = fd;
    this.#index = index;
    this.isCutOff = isCutOff;
    this.network = network;
  }

  /** Opens for reading. An incomplete last record is ignored: a writer may be writing it. @throws ArchiveError */
  static open(path: string): ArchiveReader {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile())
      throw new ArchiveError(`there is no file ${path}`);
    return openArchive(path, constants.O_RDONLY, (fd) => new ArchiveReader(path, fd, scanArchive(fd)));
  }

  /** Number of ledgers. */
  get count(): number {
    return this.#index.count;
  }

  get first(): number | undefined {
    return this.#index.count > 0 ? this.#index.index(0) : undefined;
  }

  get last(): number | undefined {
    return this.#index.count > 0 ? this.#index.index(this.#index.count - 1) : undefined;
  }

  /** Ranges of consecutive ledger indices, ascending. */
  ranges(): LedgerRange[] {
    return this.#index.ranges();
  }

  has(index: number): boolean {
    return this.#index.find(index) >= 0;
  }

  /**
   * One ledger in its own buffer (shared memory when `shared`); undefined when the archive does not contain it.
   * @throws ArchiveError when its record is damaged or the archive is closed.
   */
  read(index: number, shared = true): PackedLedger | undefined {
    const record = this.#record(index);
    // Not the function of node:zlib: it uses a stream and costs three times as much.
    return record && this.#unpacked(record, Bun.zstdDecompressSync(record.stored), shared);
  }

  /** As `read`, on shared memory, decompressed in a thread of the runtime so that the caller's thread is not blocked. */
  async readAhead(index: number): Promise<PackedLedger | undefined> {
    const record = this.#record(index);
    return record && this.#unpacked(record, await Bun.zstdDecompress(record.stored), true);
  }

  #record(index: number): ArchiveRecord | undefined {
    if (!this.#open) throw new ArchiveError('archive: closed');
    const row = this.#index.find(index);
    if (row < 0) return undefined;
    const record = readRecord(this.#fd, this.#index.offset(row));
    // What it names is what decompressing allocates, and the format bounds `contentLength`.
    const isWhole = record && frameContentLength(record.stored) === record.contentLength;
    if (!isWhole || record.kind !== KIND_LEDGER || record.index !== index)
      throw new ArchiveError(`${this.path}: archive: the record of ledger ${index} is damaged`);
    return record;
  }

  /** @throws ArchiveError when the length of the content differs from the length in its record. */
  #unpacked({ index, contentLength }: ArchiveRecord, content: Uint8Array, shared: boolean): PackedLedger {
    if (content.length !== contentLength)
      throw new ArchiveError(
        `${this.path}: archive: ledger ${index} has ${content.length} bytes instead of ${contentLength}`,
      );
    return new PackedLedger(shared ? new Uint8Array(onSharedMemory(content)) : content);
  }

  close(): void {
    if (this.#open) closeSync(this.#fd);
    this.#open = false;
  }
}

/** Id of the network of an archive; undefined: it does not say. @throws ArchiveError when it is no archive */
export function archiveNetwork(path: string): number | undefined {
  const reader = ArchiveReader.open(path);
  reader.close();
  return reader.network;
}

/** @throws ArchiveError when an archive says that it is of another network */
export function checkArchiveNetwork(path: string, networkId: number): void {
  const network = archiveNetwork(path);
  if (network === undefined || network === networkId) return;
  throw new ArchiveError(
    `${path}: an archive of network ${network}, not ${networkId}: name it with --network ${network}, and a folder of its own with --data`,
  );
}
