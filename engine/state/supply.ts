/**
 * Exact running sums of issued amounts, one per token. An issued amount is mantissa x 10^exponent with exponents from
 * -96 to 80, so no fixed width holds every sum: each is a BigInt at a decimal scale that grows when a finer amount
 * arrives. Adding and taking away the same amounts in any order gives the same value.
 */
import { type Decimal, decimalNumber, ZERO } from '../codec/amount.ts';

/** A raw amount's exponent byte is the exponent plus this. */
export const EXPONENT_OFFSET = 97;
const EXPONENTS = 256;

const POWERS: bigint[] = [];
for (let i = 0, power = 1n; i <= 2 * EXPONENTS; i++, power *= 10n) POWERS.push(power);

/** 10^exponent, of exponents between those of two issued amounts. */
export function powerOfTen(exponent: number): bigint {
  return POWERS[exponent]!;
}

export class Supplies {
  readonly #values: bigint[] = [];
  /** Decimal places of each value. */
  readonly #scales: number[] = [];
  /** The value that was last made a number, which it is while the value is the same: most payments change no sum. */
  readonly #numbered: (bigint | undefined)[] = [];
  readonly #numbers: number[] = [];

  clear(): void {
    for (const column of [this.#values, this.#scales, this.#numbered, this.#numbers]) column.length = 0;
  }

  /** Adds the magnitude of a raw issued amount, or takes it away (`sign` -1). */
  add(token: number, hi: number, lo: number, sign: 1 | -1): void {
    const mantissa = (BigInt(hi & 0x3fffff) << 32n) | BigInt(lo);
    if (mantissa !== 0n) this.#add(token, sign === 1 ? mantissa : -mantissa, exponentOf(hi));
  }

  /** Sum of the amounts, with no more decimal places than it needs (e <= 0). */
  get(token: number): Decimal {
    let m = this.#values[token] ?? 0n;
    if (m === 0n) return ZERO;
    let e = 0 - this.#scales[token]!; // not the -0 of a negation
    for (const step of [16, 4, 1]) {
      const power = POWERS[step]!;
      while (e <= -step && m % power === 0n) {
        m /= power;
        e += step;
      }
    }
    return { m, e };
  }

  /** The same as a double. */
  number(token: number): number {
    const value = this.#values[token] ?? 0n;
    if (value === 0n) return 0;
    if (value !== this.#numbered[token]) {
      this.#numbers[token] = decimalNumber(this.get(token));
      this.#numbered[token] = value;
    }
    return this.#numbers[token]!;
  }

  /** Adds a sum of mantissas x 10^exponent. */
  addSum(token: number, mantissas: bigint, exponent: number): void {
    this.#add(token, mantissas, exponent);
  }

  #add(token: number, mantissa: bigint, exponent: number): void {
    let scale = this.#scales[token] ?? 0;
    let value = this.#values[token] ?? 0n;
    if (-exponent > scale) {
      value *= POWERS[-exponent - scale]!;
      scale = -exponent;
      this.#scales[token] = scale;
      // The same digits are another sum now.
      this.#numbered[token] = undefined;
    } else {
      this.#scales[token] ??= scale;
    }
    this.#values[token] = value + mantissa * POWERS[exponent + scale]!;
  }
}

function exponentOf(hi: number): number {
  return ((hi >>> 22) & 0xff) - EXPONENT_OFFSET;
}
