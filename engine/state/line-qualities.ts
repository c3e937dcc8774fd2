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
import { copyBytes, readU32 } from '../codec/bytes.ts';
import { EntryType, LineNode, NodeAction } from '../codec/changes.ts';
import type { Accounts } from './accounts.ts';
import type { Currencies } from './currencies.ts';
import type { EntryTable } from './entry-table.ts';
import { ID_BYTES, KeyedEntries } from './keyed-entries.ts';
import type { Lines } from './lines.ts';
import type { Table } from './table.ts';

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

export class LineQualities extends KeyedEntries implements EntryTable {
  readonly entryType = EntryType.RippleState;
  readonly #values: Readonly<Record<Value, Uint32Array>>;
  readonly #parts: LineParts;

  constructor(table: Table, parts: LineParts) {
    super(table, 'ends', KEY_BYTES);
    const lowIn = table.u32('lowIn');
    const lowOut = table.u32('lowOut');
    this.#values = { lowIn, lowOut, highIn: table.u32('highIn'), highOut: table.u32('highOut') };
    table.linkThrough(lowIn);
    this.#parts = parts;
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
    if (!isSet && this.existing === 0) return;
    copyBytes(bytes, lowAt + ISSUER_AT, this.key, 0, ID_BYTES);
    copyBytes(bytes, highAt + ISSUER_AT, this.key, ID_BYTES, ID_BYTES);
    copyBytes(bytes, lowAt + CODE_AT, this.key, 2 * ID_BYTES, ID_BYTES);
    if (!isSet) {
      const known = this.find();
      if (known !== 0) this.remove(known);
      return;
    }
    const row = this.findOrAdd();
    for (const [name, cell] of CELLS)
      this.#values[name][row] = words[at + cell] === 0 ? 0 : readU32(bytes, words[at + cell]!);
    this.table.markDirty(row);
  }

  #of(line: number, value: Value): number {
    if (this.table.count === 1) return 0;
    const { accounts, currencies, lines } = this.#parts;
    this.key.set(accounts.bytes(lines.lows[line]!), 0);
    this.key.set(accounts.bytes(lines.highs[line]!), ID_BYTES);
    this.key.set(currencies.bytes(lines.codes[line]!), 2 * ID_BYTES);
    const row = this.find();
    return row === 0 ? 0 : this.#values[value][row]!;
  }
}
