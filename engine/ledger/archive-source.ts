/** An archive as a source: it ends, it may have gaps, and a missing ledger will never come. */
import type { PackedLedger } from '../codec/packed.ts';
import type { Log } from '../log.ts';
import { ArchiveReader } from './archive.ts';
import { type LedgerRange, type LedgerRef, type Source, SourceError } from './source.ts';

export class ArchiveSource implements Source {
  readonly name: string;
  readonly live = false;
  readonly #path: string;
  #reader: ArchiveReader | undefined;
  #ranges: readonly LedgerRange[] = [];

  readonly #log: Pick<Log, 'warn'> | undefined;

  constructor(path: string, log?: Pick<Log, 'warn'>) {
    this.#log = log;
    this.name = path.slice(path.lastIndexOf('/') + 1);
    this.#path = path;
  }

  async open(): Promise<void> {
    if (!this.#reader) {
      this.#reader = ArchiveReader.open(this.#path);
      if (this.#reader.isCutOff)
        this.#log?.warn(
          { archive: this.#path, last: this.#reader.last },
          'this archive is cut off: ledgers that followed its last one are missing, unless they are being recorded',
        );
    }
    this.#ranges = this.#reader.ranges();
  }

  async close(): Promise<void> {
    this.#reader?.close();
    this.#reader = undefined;
  }

  get networkId(): number | undefined {
    return this.#reader?.network;
  }

  latest(): LedgerRef | undefined {
    const last = this.#ranges.at(-1)?.last;
    return last === undefined ? undefined : { index: last };
  }

  range(): LedgerRange | undefined {
    const [first, last] = [this.#ranges[0]?.first, this.#ranges.at(-1)?.last];
    return first === undefined || last === undefined ? undefined : { first, last };
  }

  ranges(): readonly LedgerRange[] {
    return this.#ranges;
  }

  async ledger(index: number): Promise<PackedLedger> {
    if (!this.#reader) throw new SourceError('closed', `archive ${this.name} is not open`);
    let packed: PackedLedger | undefined;
    try {
      packed = await this.#reader.readAhead(index);
    } catch (error) {
      throw new SourceError('malformed', (error as Error).message);
    }
    if (!packed) throw new SourceError('missing', `archive ${this.name} has no ledger ${index}`);
    if (packed.ledgerIndex !== index)
      throw new SourceError(
        'false',
        `archive ${this.name}: ledger ${packed.ledgerIndex} in place of ${index}`,
      );
    return packed;
  }

  /** There is no other endpoint: the follower ends with an error when an archive's ledger is false. */
  refuse(): void {}

  onClosed(): () => void {
    return () => {};
  }
}
