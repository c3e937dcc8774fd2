/**
 * Trust lines with a QualityIn or QualityOut: at what part of its face value an end takes what comes in over the line, and gives what
 * goes out. One row for each; few lines of a network have any, so that lines have no columns for them.
 *
 *     low, high, code    the ends of the line and its currency: 20 bytes each, as a table of entries must have them (entry-table.ts)
 *     lowIn, lowOut      billionths, as low set them for what comes to low and what leaves low; 0: not set, which is face value
 *     highIn, highOut    the same of high
 *
 * Which of them a payment uses: rippled DirectStep.cpp (`quality`). Cost: 76 bytes a row; a hash of 60 bytes for each line that a
 * ledger changes.
 */
import { copyBytes, readU32, sameBytes } from '../codec/bytes.ts';
import { EntryType, LineNode, NodeAction } from '../codec/changes.ts';
import type { Accounts } from './accounts.ts';
import type { Currencies } from './currencies.ts';
import type { EntryTable } from './entry-table.ts';
import { hashBytes } from './hash.ts';
import type { Lines } from './lines.ts';
import type { RowIndex } from './row-index.ts';
import type { Table } from './table.ts';

const ID_BYTES = 20;
const KEY_BYTES = 3 * ID_BYTES;
/** Within an issued amount: of its currency, and of its issuer. */
const CODE_AT = 8;
const ISSUER_AT = 28;

type Value = 'lowIn' | 'lowOut' | 'highIn' | 'highOut';
const CELLS: readonly (readonly [Value, number])[] = [
  ['lowIn', LineNode.lowQualityInAt],
  ['lowOut', LineNode.lowQualityOutAt],
  ['highIn', LineNode.highQualityInAt],
  ['highOut', LineNode.highQualityOutAt],
];

export interface LineParts {
  readonly accounts: Pick<Accounts, 'bytes'>;
  readonly currencies: Pick<Currencies, 'bytes'>;
  readonly lines: Pick<Lines, 'lows' | 'highs' | 'codes'>;
}

export class LineQualities implements EntryTable {
  readonly entryType = EntryType.RippleState;
  readonly table: Table;
  readonly #keys: Uint8Array;
  readonly #values: Readonly<Record<Value, Uint32Array>>;
  readonly #index: RowIndex;
  readonly #parts: LineParts;
  /** The key that is looked up. */
  readonly #key = new Uint8Array(KEY_BYTES);

  constructor(table: Table, parts: LineParts) {
    this.table = table;
    this.#keys = table.u8('ends', KEY_BYTES);
    const lowIn = table.u32('lowIn');
    const lowOut = table.u32('lowOut');
    this.#values = { lowIn, lowOut, highIn: table.u32('highIn'), highOut: table.u32('highOut') };
    table.linkThrough(lowIn);
    this.#index = table.index('lines', (row) => hashBytes(this.#keys, row * KEY_BYTES, KEY_BYTES));
    this.#parts = parts;
  }

  /** Lines that have any. */
  get existing(): number {
    return this.#index.size;
  }

  /** In billionths, at what an end of a line takes what comes in over it; 0: not set. @param line a trust line */
  qualityIn(line: number, end: 'low' | 'high'): number {
    return this.#of(line, end === 'low' ? 'lowIn' : 'highIn');
  }

  /** In billionths, at what an end of a line gives what goes out over it; 0: not set. @param line a trust line */
  qualityOut(line: number, end: 'low' | 'high'): number {
    return this.#of(line, end === 'low' ? 'lowOut' : 'highOut');
  }

  /** A RippleState node. */
  apply(bytes: Uint8Array, words: Uint32Array, at: number): void {
    const lowAt = words[at + LineNode.lowLimitAt]!;
    const highAt = words[at + LineNode.highLimitAt]!;
    if (lowAt === 0 || highAt === 0) return;
    const isSet =
      words[at + 1] !== NodeAction.deleted &&
      CELLS.some(([, cell]) => words[at + cell] !== 0 && readU32(bytes, words[at + cell]!) !== 0);
    if (!isSet && this.#index.size === 0) return;
    copyBytes(bytes, lowAt + ISSUER_AT, this.#key, 0, ID_BYTES);
    copyBytes(bytes, highAt + ISSUER_AT, this.#key, ID_BYTES, ID_BYTES);
    copyBytes(bytes, lowAt + CODE_AT, this.#key, 2 * ID_BYTES, ID_BYTES);
    let row = this.#find();
    if (!isSet) {
      if (row !== 0) this.#remove(row);
      return;
    }
    if (row === 0) row = this.#add();
    for (const [name, cell] of CELLS)
      this.#values[name][row] = words[at + cell] === 0 ? 0 : readU32(bytes, words[at + cell]!);
    this.table.markDirty(row);
  }

  rebuild(): void {
    const { count } = this.table;
    this.#index.reset(count);
    for (let row = 1; row < count; row++) if (this.#isUsed(row)) this.#index.add(row);
  }

  #of(line: number, value: Value): number {
    if (this.table.count === 1) return 0;
    const { accounts, currencies, lines } = this.#parts;
    this.#key.set(accounts.bytes(lines.lows[line]!), 0);
    this.#key.set(accounts.bytes(lines.highs[line]!), ID_BYTES);
    this.#key.set(currencies.bytes(lines.codes[line]!), 2 * ID_BYTES);
    const row = this.#find();
    return row === 0 ? 0 : this.#values[value][row]!;
  }

  /** No account's line is with itself, and a free row is all zero but for its link. */
  #isUsed(row: number): boolean {
    const from = row * KEY_BYTES;
    return !sameBytes(this.#keys, from, this.#keys, from + ID_BYTES, ID_BYTES);
  }

  #find(): number {
    const index = this.#index;
    for (let slot = index.first(hashBytes(this.#key, 0, KEY_BYTES)); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0 || sameBytes(this.#keys, row * KEY_BYTES, this.#key, 0, KEY_BYTES)) return row;
    }
  }

  #add(): number {
    const row = this.table.add();
    this.#keys.set(this.#key, row * KEY_BYTES);
    this.#index.add(row);
    return row;
  }

  #remove(row: number): void {
    this.#index.remove(row);
    this.table.remove(row);
  }
}
