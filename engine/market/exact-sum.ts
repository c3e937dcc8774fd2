/**
 * Sums of doubles, one a row, from which terms can be removed: after adding and removing any terms in any order, a sum is
 * exactly that of the remaining terms. Plain float addition accumulates errors, and a rolling window would not equal the
 * same window computed from the beginning.
 *
 *     2^96        2^64        2^32        2^0         2^-32       2^-64
 *     [ limb 5 ][ limb 4 ][ limb 3 ][ limb 2 ][ limb 1 ][ limb 0 ]     each counts up to 2^32 of its unit a term
 *
 * A term is split into parts by unit; limbs are integers in doubles, exact up to 2^21 terms of the largest size. Amounts of
 * tokens reach 10^-81 and 10^96: parts outside the six limbs are in outer ones of the same size, which a row gets with its
 * first such part and loses with its last.
 */
import type { Columns } from './columns.ts';

const LIMB_BITS = 32;
const LIMBS = 6;
const LOWEST_BIT = -64;
const UNITS = Float64Array.from({ length: LIMBS }, (_, i) => 2 ** (LOWEST_BIT + LIMB_BITS * i));
const END = 2 ** (LOWEST_BIT + LIMB_BITS * LIMBS);
/** Units of the outer limbs, largest first: 2^992 to 2^128, and 2^-96 to 2^-1056. */
const ABOVE = Float64Array.from({ length: 28 }, (_, i) => 2 ** (992 - LIMB_BITS * i));
const BELOW = Float64Array.from({ length: 31 }, (_, i) => 2 ** (LOWEST_BIT - LIMB_BITS * (i + 1)));

export class ExactSums {
  readonly #limbs: Float64Array[];
  /** Limbs above, then below, of the rows that have any. */
  readonly #outer = new Map<number, Float64Array>();

  constructor(columns: Columns) {
    this.#limbs = Array.from({ length: LIMBS }, () => columns.f64());
  }

  /** Adds (sign 1) or removes (sign -1) a finite term that is not negative. */
  add(row: number, term: number, sign: 1 | -1): void {
    let rest = term < END ? term : this.#addOuter(row, term, sign, ABOVE, 0);
    for (let i = LIMBS - 1; i >= 0 && rest > 0; i--) {
      const unit = UNITS[i]!;
      if (rest < unit) continue;
      const part = Math.floor(rest / unit);
      this.#limbs[i]![row] = this.#limbs[i]![row]! + sign * part;
      rest -= part * unit;
    }
    if (rest > 0) this.#addOuter(row, rest, sign, BELOW, ABOVE.length);
  }

  /** @param first the limb of the first unit @returns what is left below the last unit */
  #addOuter(row: number, term: number, sign: 1 | -1, units: Float64Array, first: number): number {
    const limbs = this.#outer.get(row) ?? new Float64Array(ABOVE.length + BELOW.length);
    let rest = term;
    for (let i = 0; i < units.length && rest > 0; i++) {
      const unit = units[i]!;
      if (rest < unit) continue;
      const part = Math.floor(rest / unit);
      limbs[first + i] = limbs[first + i]! + sign * part;
      rest -= part * unit;
    }
    if (sign < 0 && limbs.every((limb) => limb === 0)) this.#outer.delete(row);
    else this.#outer.set(row, limbs);
    return rest;
  }

  value(row: number): number {
    const outer = this.#outer.get(row);
    let sum = outer ? sumOf(outer, BELOW, ABOVE.length) : 0;
    for (let i = 0; i < LIMBS; i++) sum += (this.#limbs[i]![row] ?? 0) * UNITS[i]!;
    return outer ? sum + sumOf(outer, ABOVE, 0) : sum;
  }

  clear(): void {
    for (const limb of this.#limbs) limb.fill(0);
    this.#outer.clear();
  }
}

/** Of the smallest first: so a single term comes out as it went in. */
function sumOf(limbs: Float64Array, units: Float64Array, first: number): number {
  let sum = 0;
  for (let i = units.length - 1; i >= 0; i--) sum += limbs[first + i]! * units[i]!;
  return sum;
}
