/**
 * Recovers the ledgers of a store that is damaged, or that no longer is what this program would make of them.
 *
 * Trees are not used, since they may be damaged: every page of the file is read by itself. A valid leaf page that has rows
 * with keys of 4 bytes gives candidates, even if it is an old page that is no longer in use; a candidate is a ledger when
 * it unpacks to one of that index. Ledgers are overwritten only after they were pruned, so all readable ones are found;
 * whether they are true is decided by their proof (engine/ledger/proof.ts).
 *
 * Cost: one pass over the file, and 12 bytes of memory a candidate.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { Unpackr } from 'msgpackr';
import { readU32 } from '../engine/codec/bytes.ts';
import { PackedLedger } from '../engine/codec/packed.ts';
import { RULES_VALUE, type StoredRules } from '../engine/rules.ts';
import { type Cursor, PRUNED_VALUE, type Pruned, SNAPSHOT_VALUE } from '../engine/store.ts';
import { LEDGER_SEALED, opened, unseal } from './checksum.ts';
import { DATA_FILE } from './errors.ts';
import { Family, MetaKey, readCursor } from './keys.ts';
import { isSealedVersion, openedMeta } from './meta.ts';
import { HEAD_BYTES, rowsOfLeaf } from './page-format.ts';
import type { PageRow } from './page-row.ts';
import { PageFile } from './pages.ts';
import { type Range, readRanges } from './ranges.ts';

/** LMDB's page size on machines with pages of 4 KiB; read from the file where its head is readable. */
const PAGE_BYTES = 4096;
const PAGES_PER_READ = 256;

/** The readable part of a store's description, whatever its version. Each is undefined where it cannot be read. */
export interface StoredFacts {
  /** Version of the schema; see migrations.ts. */
  readonly schema: number | undefined;
  readonly network: string | undefined;
  /** The newest ledger; undefined for an empty store, too. */
  readonly cursor: Cursor | undefined;
  readonly ranges: readonly Range[] | undefined;
  /** Whether the store began with a snapshot. */
  readonly snapshot: boolean | undefined;
  /** The rules that its figures follow; undefined for a store of versions that did not record them, too. */
  readonly rules: StoredRules | undefined;
  /** Which ledgers were pruned; undefined where none was, too. */
  readonly pruned: Pruned | undefined;
}

export class Salvage {
  readonly facts: StoredFacts;
  /** Bytes of the file. */
  readonly size: number;
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
    this.size = fstatSync(this.#fd).size;
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Finds the candidates, in steps of about a millisecond. To its end, before anything else is asked. */
  *scanning(): Generator<void, void> {
    const { size } = this;
    const chunk = Buffer.alloc(PAGES_PER_READ * this.#pageBytes);
    for (let at = 0; at < size; at += chunk.length) {
      const read = readSync(this.#fd, chunk, 0, chunk.length, at);
      for (let page = 0; page + this.#pageBytes <= read; page += this.#pageBytes)
        this.#readPage(chunk.subarray(page, page + this.#pageBytes), at + page, size);
      yield;
    }
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
    if (!Number.isSafeInteger(at + length) || at + length > this.size) return undefined;
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

  #readPage(page: Buffer, offset: number, size: number): void {
    for (const { key, at, length, first } of rowsOfLeaf(page, offset / this.#pageBytes)) {
      // The list of runs is a row of the table meta whose key is as long.
      if (key.length !== 4 || length > size || key.equals(MetaKey.runs)) continue;
      const value = first === 0 ? offset + at : first * this.#pageBytes + HEAD_BYTES;
      const index = readU32(key, 0);
      const values = this.#candidates.get(index);
      if (!values) this.#candidates.set(index, [value, length]);
      else if (!values.some((known, i) => i % 2 === 0 && known === value)) values.push(value, length);
    }
  }
}

/** The description of the store in `dir`, which no process writes to. */
export function storedFacts(dir: string): StoredFacts {
  return factsOf(dir).facts;
}

/** The store's description, as far as it is undamaged. */
function factsOf(dir: string): { facts: StoredFacts; pageBytes: number } {
  const facts: { -readonly [K in keyof StoredFacts]: StoredFacts[K] } = {
    schema: undefined,
    network: undefined,
    cursor: undefined,
    ranges: undefined,
    snapshot: undefined,
    rules: undefined,
    pruned: undefined,
  };
  let file: PageFile | undefined;
  try {
    file = PageFile.open(dir);
    const trees = file!.trees();
    const rowsOf = (table: string): Map<string, Buffer> => {
      const rows = new Map<string, Buffer>();
      const visit = (row: PageRow) => void rows.set(row.key.toString(), Buffer.from(row.value()));
      file!.check(trees.get(table)!, { longValues: true, visit });
      return rows;
    };
    const rows = rowsOf('meta');
    const sealed = isSealedVersion(rows.get(MetaKey.schema.toString()));
    const meta = (key: Buffer) => openedMeta(key, rows.get(key.toString()), sealed);
    const schema = meta(MetaKey.schema);
    facts.schema = schema && readU32(schema, 0);
    const network = meta(MetaKey.network);
    facts.network = network && Buffer.from(network).toString();
    const cursor = meta(MetaKey.cursor);
    facts.cursor = cursor && readCursor(cursor);
    const ranges = meta(MetaKey.ranges);
    facts.ranges = ranges && readRanges(ranges);
    const values = rowsOf('values');
    const value = (name: string) => unpacked(name, values.get(name), sealed, dir);
    facts.rules = value(RULES_VALUE) as StoredRules | undefined;
    facts.pruned = value(PRUNED_VALUE) as Pruned | undefined;
    // The engine stores null when a snapshot is complete, and before that the point where to continue.
    facts.snapshot = value(SNAPSHOT_VALUE) !== undefined;
  } catch {
    // The rest stays unknown.
  } finally {
    file?.close();
  }
  return { facts, pageBytes: file?.pageBytes ?? PAGE_BYTES };
}

/**
 * A row of the table 'values'.
 * @param sealed false: it has a checksum only where a migration that was cut short has added one
 * @throws Error when it is damaged
 */
function unpacked(name: string, stored: Buffer | undefined, sealed: boolean, dir: string): unknown {
  if (!stored) return undefined;
  const key = Buffer.from(name);
  const value = sealed
    ? unseal(Family.values, key, stored, dir)
    : (opened(Family.values, key, stored) ?? stored);
  return new Unpackr({ useRecords: false }).unpack(value);
}
