/**
 * Exact sums of very many issued amounts of many tokens, in any order: what a restart adds up.
 *
 * Magnitudes are summed by token and exponent, in doubles that stay exact; only these sums become BigInts. Open addressing
 * over the pairs. Cost: some 30 ns an amount, where a BigInt each would take a microsecond.
 */
import type { RowSteps } from '../event-loop.ts';
import { inSteps } from './index-fill.ts';
import { EXPONENT_OFFSET, type Supplies } from './supply.ts';

/** Sums of this many low words (32 bits each) stay exact in a double's 53 bits. */
const EXACT_ADDS = 2 ** 20;
const FIRST_SLOTS = 1024;

/** Numbers of a slot, in one cache line: pair (0: empty), sum of upper words, sum of lower words, count of amounts. */
const WIDTH = 4;
const HIGH = 1;
const LOW = 2;
const ADDS = 3;

export class BulkSums {
  readonly #supplies: Supplies;
  #slots = new Float64Array(FIRST_SLOTS * WIDTH);
  #used = 0;

  /** @param supplies gets the sums */
  constructor(supplies: Supplies) {
    this.#supplies = supplies;
  }

  /** Adds the magnitude of a raw issued amount. */
  add(token: number, hi: number, lo: number): void {
    const at = this.#slotOf(token * 256 + ((hi >>> 22) & 0xff));
    const slots = this.#slots;
    slots[at + HIGH]! += hi & 0x3fffff;
    slots[at + LOW]! += lo;
    if (++slots[at + ADDS]! === EXACT_ADDS) this.#flush(at);
  }

  /** Hands all sums over, in steps. */
  *flushing(): RowSteps {
    const flush = (from: number, to: number): void => {
      for (let slot = from; slot < to; slot++)
        if (this.#slots[slot * WIDTH + ADDS] !== 0) this.#flush(slot * WIDTH);
    };
    yield* inSteps(this.#slots.length / WIDTH, flush, 0);
  }

  #flush(at: number): void {
    const slots = this.#slots;
    const sum = (BigInt(slots[at + HIGH]!) << 32n) + BigInt(slots[at + LOW]!);
    const pair = slots[at]!;
    if (sum !== 0n) this.#supplies.addSum(Math.floor(pair / 256), sum, (pair % 256) - EXPONENT_OFFSET);
    slots.fill(0, at + HIGH, at + WIDTH);
  }

  #slotOf(pair: number): number {
    let at = find(this.#slots, pair);
    if (this.#slots[at] === pair) return at;
    this.#used++;
    if (this.#used * 2 * WIDTH > this.#slots.length) {
      this.#grow();
      at = find(this.#slots, pair);
    }
    this.#slots[at] = pair;
    return at;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Float64Array(before.length * 2);
    for (let from = 0; from < before.length; from += WIDTH) {
      if (before[from] === 0) continue;
      this.#slots.set(before.subarray(from, from + WIDTH), find(this.#slots, before[from]!));
    }
  }
}

/** Where the slot of a pair is, or the empty one where it belongs. */
function find(slots: Float64Array, pair: number): number {
  const mask = slots.length / WIDTH - 1;
  let slot = (Math.imul(pair, 0x9e3779b1) >>> 7) & mask;
  while (slots[slot * WIDTH] !== 0 && slots[slot * WIDTH] !== pair) slot = (slot + 1) & mask;
  return slot * WIDTH;
}
