/**
 * Random numbers that are the same on every machine: derived from a name that contains the seed, without global state.
 *
 * `Math.exp` and its like may differ in the last digit between machines; this file uses only
 * operations that IEEE 754 rounds correctly everywhere.
 */
import { sha512Half } from '../../engine/codec/hash.ts';

const encoder = new TextEncoder();
const UINT32 = 4_294_967_296;

/** Hash of a text, 32 bytes. */
export const digest = (text: string): Uint8Array => sha512Half(encoder.encode(text));

/** A stream of random numbers (sfc32, Chris Doty-Humphrey), seeded by the hash of a name. */
export class RandomStream {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(name: string) {
    const bytes = digest(name);
    const words = new DataView(bytes.buffer, bytes.byteOffset, 12);
    this.#a = words.getUint32(0);
    this.#b = words.getUint32(4);
    this.#c = words.getUint32(8);
    for (let i = 0; i < 8; i++) this.next();
  }

  /** From 0 to below 1. */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return (sum >>> 0) / UINT32;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  /** A whole number from 0 to below `count`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** From 1/`span` to `span`, with a median of 1: small values are frequent, large ones rare. */
  skewed(span: number): number {
    const x = this.next() + this.next() - 1;
    return exponential(x * logarithm(span));
  }
}

const TERMS = 24;

/** e^x for |x| up to about 10. */
export function exponential(x: number): number {
  if (x < 0) return 1 / exponential(-x);
  if (x > 1) {
    const half = exponential(x / 2);
    return half * half;
  }
  let sum = 1;
  for (let n = TERMS, term = 1; n > 0; n--) {
    term = 1 + (x / n) * term;
    sum = term;
  }
  return sum;
}

/** ln x for x above 0, by Newton's method on `exponential`. */
export function logarithm(x: number): number {
  let y = 0;
  for (let i = 0; i < 40; i++) {
    const power = exponential(y);
    const step = (2 * (x - power)) / (x + power);
    y += step;
    if (step < 1e-15 && step > -1e-15) break;
  }
  return y;
}

/** Hash of three integers, below 2^32 (finaliser of MurmurHash3). */
function hashed(a: number, b: number, c: number): number {
  let h = Math.imul(a ^ Math.imul(b, 0x85eb_ca6b), 0xc2b2_ae35) ^ Math.imul(c, 0x27d4_eb2f);
  h = Math.imul(h ^ (h >>> 16), 0x85eb_ca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2_ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Waves of a walk: period in seconds, and amplitude. */
export type Waves = readonly (readonly [period: number, amplitude: number])[];

/** A mean-reverting random walk: the sum of smooth waves through random values. A function of the time alone. */
export class Walk {
  readonly #key: number;
  readonly #waves: Waves;

  constructor(name: string, waves: Waves) {
    const bytes = digest(name);
    this.#key = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0);
    this.#waves = waves;
  }

  /** Between minus and plus the sum of the amplitudes. @param time seconds, 0 and up */
  at(time: number): number {
    let sum = 0;
    this.#waves.forEach(([period, amplitude], i) => {
      const n = Math.floor(time / period);
      const x = time / period - n;
      const from = (hashed(this.#key, n, i) / UINT32) * 2 - 1;
      const to = (hashed(this.#key, n + 1, i) / UINT32) * 2 - 1;
      sum += amplitude * (from + (to - from) * x * x * (3 - 2 * x));
    });
    return sum;
  }
}
