/** State about pools shared by the strands of one payment: whether there are several, and how often pools were used. */
import type { AccountId } from '../../engine/codec/arithmetic/asset.ts';

/** Rounds of a payment in which pools may be used (rippled `AMMContext::MaxIterations`). */
export const AMM_ROUNDS_MAX = 30;

export class AmmContext {
  /** More than one strand is left: pools then offer in sizes of the Fibonacci sequence. */
  multiPath = false;
  #used = false;
  #rounds = 0;

  /** `account` pays, and may have a discounted trading fee. */
  constructor(readonly account: AccountId) {}

  /** Rounds in which a pool was used. */
  get rounds(): number {
    return this.#rounds;
  }

  get exhausted(): boolean {
    return this.#rounds >= AMM_ROUNDS_MAX;
  }

  markUsed(): void {
    this.#used = true;
  }

  /** Called before each strand: a failed one may have left the mark. */
  clear(): void {
    this.#used = false;
  }

  /** Called after a round that moved something. */
  endRound(): void {
    if (this.#used) this.#rounds += 1;
    this.#used = false;
  }
}
