/** What the pools on the strands of one payment share: who pays, whether there are several strands, and in how many rounds pools were used. */
import type { FirstOffers } from './first-offers.ts';

/** Rounds of a payment in which pools may be used (rippled `AMMContext::MaxIterations`). */
const POOL_ROUNDS_MAX = 30;

export class PoolContext {
  /** Several strands are left: pools then offer in sizes of the Fibonacci sequence. */
  severalStrands = false;
  /** Offers that other payments began with. */
  readonly firstOffers: FirstOffers;
  /** Account id; pools may have a discount for it. */
  readonly payer: number | undefined;
  #used = false;
  #rounds = 0;

  constructor(firstOffers: FirstOffers, payer: number | undefined) {
    this.firstOffers = firstOffers;
    this.payer = payer;
  }

  /** Rounds in which a pool was used. */
  get rounds(): number {
    return this.#rounds;
  }

  get exhausted(): boolean {
    return this.#rounds >= POOL_ROUNDS_MAX;
  }

  markUsed(): void {
    this.#used = true;
  }

  /** Before each strand: one that failed may have left the mark. */
  clear(): void {
    this.#used = false;
  }

  /** After a round that moved something. */
  endRound(): void {
    if (this.#used) this.#rounds += 1;
    this.#used = false;
  }
}
