/** Terms as a model that only counts what is left of each tier, and random numbers of a seed. */
import { type Moment, SOLD_TIERS, type SoldTier } from '../../platform/terms.ts';

/** Of a clock that is right. */
export const momentOf = (now: number): Moment => ({ now, past: now });

/** What is left of each tier, ms: the highest with anything left runs. */
export class TermModel {
  readonly left = new Map<SoldTier, number>();

  get running(): SoldTier | undefined {
    return SOLD_TIERS.findLast((tier) => (this.left.get(tier) ?? 0) > 0);
  }

  buy(tier: SoldTier, ms: number): void {
    this.left.set(tier, (this.left.get(tier) ?? 0) + ms);
  }

  /** What has run is not given back. */
  refund(tier: SoldTier, ms: number): void {
    this.left.set(tier, Math.max(0, (this.left.get(tier) ?? 0) - ms));
  }

  pass(ms: number): void {
    for (let rest = ms; rest > 0; ) {
      const tier = this.running;
      if (!tier) return;
      const spent = Math.min(rest, this.left.get(tier)!);
      this.left.set(tier, this.left.get(tier)! - spent);
      rest -= spent;
    }
  }
}

export function randomOf(start: number): (below: number) => number {
  let state = start >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
