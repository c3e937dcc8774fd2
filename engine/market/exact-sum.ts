/**
 * Sums of doubles, one a row, from which terms can be removed: after adding and removing any terms in any order, a sum is
 * exactly that of the remaining terms. Plain float addition accumulates errors, and a rolling window would not equal the
 * same window computed from the beginning.
 *
 *     2^96        2^64        2^32        2^0         2^-32       2^-64
 *     [ limb 5 ][ limb 4 ][ limb 3 ][ limb 2 ][ limb 1 ][ limb 0 ]     each counts up to 2^32 of its unit a term
 *
 * A term is split into parts by unit; limbs are integers in doubles, exact up to 2^21 terms of the largest size.
 * Parts below 2^-64 are cut off, terms above 2^127 count as 2^127.
 */
import type { Columns } from './columns.ts';

const LIMBS = 6;
const UNITS = Float64Array.from({ length: LIMBS }, (_, i) => 2 ** (32 * (i - 2)));
const LARGEST = 2 ** 127;

export class ExactSums {
  readonly #limbs: Float64Array[];

  constructor(columns: Columns) {
    this.#limbs = Array.from({ length: LIMBS }, () => columns.f64());
  }

  /** Adds (sign 1) or removes (sign -1) a finite term that is not negative. */
  add(row: number, term: number, sign: 1 | -1): void {
    let rest = Math.min(term, LARGEST);
    for (let i = LIMBS - 1; i >= 0 && rest > 0; i--) {
      const unit = UNITS[i]!;
      if (rest < unit) continue;
      const part = Math.floor(rest / unit);
      this.#limbs[i]![row] = this.#limbs[i]![row]! + sign * part;
      rest -= part * unit;
    }
  }

  value(row: number): number {
    let sum = 0;
    for (let i = 0; i < LIMBS; i++) sum += (this.#limbs[i]![row] ?? 0) * UNITS[i]!;
    return sum;
  }

  clear(): void {
    for (const limb of this.#limbs) limb.fill(0);
  }
}
