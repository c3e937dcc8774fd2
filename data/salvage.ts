/**
 * Recovers the ledgers of a damaged store.
 *
 * Trees are not used, since they may be damaged: every page of the file is read by itself. A valid leaf page that has rows
 * with keys of 4 bytes gives candidates, even if it is an old page that is no longer in use; a candidate is a ledger when
 * it unpacks to one of that index. Ledgers are never overwritten, so all readable ones are found; whether they are true is
 * decided by their proof (engine/ledger/proof.ts).
 *
 * Cost: one pass over the file, and 12 bytes of memory a candidate.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { Unpackr } from 'msgpackr';
import { readU32 } from '../engine/codec/bytes.ts';
import { PackedLedger } from '../engine/codec/packed.ts';
import { LEDGER_SEALED, unseal } from './checksum.ts';
import { DATA_FILE } from './errors.ts';
import { Family, MetaKey } from './keys.ts';
import { isSealedVersion, openedMeta } from './meta.ts';
import { HEAD_BYTES, PageFile, rowsOfLeaf } from './pages.ts';
import { type Range, readRanges } from './ranges.ts';

/** LMDB's page size on machines with pages of 4 KiB; read from the file where its head is readable. */
const PAGE_BYTES = 4096;
const PAGES_PER_READ = 256;

/** The readable part of a damaged store's description. Each is undefined where it cannot be read. */
export interface SalvagedFacts {
  readonly network: string | undefined;
  readonly ranges: readonly Range[] | undefined;
  /** Whether the store began with a snapshot. */
  readonly snapshot: boolean | undefined;
}

export class Salvage {
  readonly facts: SalvagedFacts;
  readonly #fd: number;
  readonly #pageBytes: number;
  /** Ledger index -> values that may be that ledger: byte offset, length, offset, length ... */
  readonly #candidates = new Map<number, number[]>();

  /** @throws Error when there is no file */
  constructor(dir: string) {
    const { facts, pageBytes } = factsOf(dir);
    this.facts = facts;
    this.#pageBytes = pageBytes;
    this.#fd = openSync(join(dir, DATA_FILE), 'r');
    this.#scan();
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Indices of the candidates, ascending. */
  get indices(): number[] {
    return [...this.#candidates.keys()].sort((a, b) => a - b);
  }

  /** A ledger, not proved yet; undefined when it cannot be unpacked. */
  ledger(index: number): PackedLedger | undefined {
    const values = this.#candidates.get(index) ?? [];
    for (let i = 0; i < values.length; i += 2) {
      const packed = this.#unpack(values[i]!, values[i + 1]!, index);
      if (packed) return packed;
    }
    return undefined;
  }

  #unpack(at: number, length: number, index: number): PackedLedger | undefined {
    const stored = Buffer.alloc(length);
    if (readSync(this.#fd, stored, 0, length, at) !== length || length < 4) return undefined;
    const raw = readU32(stored, 0);
    try {
      const frame = raw >= LEDGER_SEALED ? stored.subarray(4, -4) : stored.subarray(4);
      const bytes = Bun.zstdDecompressSync(frame);
      if (bytes.length !== (raw & ~LEDGER_SEALED) >>> 0) return undefined;
      const packed = new PackedLedger(new Uint8Array(bytes));
      return packed.ledgerIndex === index ? packed : undefined;
    } catch {
      return undefined;
    }
  }

  #scan(): void {
    const { size } = fstatSync(this.#fd);
    const chunk = Buffer.alloc(PAGES_PER_READ * this.#pageBytes);
    for (let at = 0; at < size; at += chunk.length) {
      const read = readSync(this.#fd, chunk, 0, chunk.length, at);
      for (let page = 0; page + this.#pageBytes <= read; page += this.#pageBytes)
        this.#readPage(chunk.subarray(page, page + this.#pageBytes), at + page, size);
    }
  }

  #readPage(page: Buffer, offset: number, size: number): void {
    for (const { key, at, length, first } of rowsOfLeaf(page, offset / this.#pageBytes)) {
      if (key.length !== 4 || length > size) continue;
      const value = first === 0 ? offset + at : first * this.#pageBytes + HEAD_BYTES;
      const index = readU32(key, 0);
      const values = this.#candidates.get(index);
      if (!values) this.#candidates.set(index, [value, length]);
      else if (!values.some((known, i) => i % 2 === 0 && known === value)) values.push(value, length);
    }
  }
}

/** The store's description, as far as it is undamaged. */
function factsOf(dir: string): { facts: SalvagedFacts; pageBytes: number } {
  const facts: { -readonly [K in keyof SalvagedFacts]: SalvagedFacts[K] } = {
    network: undefined,
    ranges: undefined,
    snapshot: undefined,
  };
  let file: PageFile | undefined;
  try {
    file = PageFile.open(dir);
    const trees = file!.trees();
    const rows = new Map<string, Buffer>();
    const visit = (into: Map<string, Buffer>) => (row: { key: Buffer; value(): Buffer }) =>
      void into.set(row.key.toString(), Buffer.from(row.value()));
    file!.check(trees.get('meta')!, { longValues: true, visit: visit(rows) });
    const sealed = isSealedVersion(rows.get(MetaKey.schema.toString()));
    const meta = (key: Buffer) => openedMeta(key, rows.get(key.toString()), sealed);
    const network = meta(MetaKey.network);
    facts.network = network && Buffer.from(network).toString();
    const ranges = meta(MetaKey.ranges);
    facts.ranges = ranges && readRanges(ranges);
    const values = new Map<string, Buffer>();
    file!.check(trees.get('values')!, { longValues: true, visit: visit(values) });
    facts.snapshot = hasSnapshot(values.get('snapshot'), sealed, dir);
  } catch {
    // The rest stays unknown.
  } finally {
    file?.close();
  }
  return { facts, pageBytes: file?.pageBytes ?? PAGE_BYTES };
}

/** The engine stores null when a snapshot is complete, and before that the point where to continue. */
function hasSnapshot(stored: Buffer | undefined, sealed: boolean, dir: string): boolean {
  if (!stored) return false;
  const value = sealed ? unseal(Family.values, Buffer.from('snapshot'), stored, dir) : stored;
  return new Unpackr({ useRecords: false }).unpack(value) !== undefined;
}
