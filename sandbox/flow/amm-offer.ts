/** An offer of a pool for one pass of a step (rippled AMMOffer.cpp). */
import { type PoolAmounts, swapAssetIn, swapAssetOut } from '../../engine/codec/arithmetic/amm-math.ts';
import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId } from '../../engine/codec/arithmetic/asset.ts';
import { ceilIn, ceilInStrict, ceilOut, ceilOutStrict } from '../../engine/codec/arithmetic/quality.ts';
import { withinRelativeDistance } from '../assets/amm-shares.ts';
import { accountSend } from '../assets/send.ts';
import type { ApplyView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Result } from '../protocol/results.ts';
import type { AmmContext } from './amm-context.ts';
import { QualityFunction } from './quality-function.ts';
import type { InOut } from './step.ts';
import { fits, type TakerOffer } from './taker-offer.ts';

const NEAR_DENOMINATOR = 10_000_000n;

/** The pool that makes an offer. */
interface OfferingPool {
  readonly account: AccountId;
  /** Units of 1/100000, as charged to the payer. */
  readonly tradingFee: number;
  readonly context: AmmContext;
}

export class AmmOffer implements TakerOffer {
  readonly #pool: OfferingPool;
  readonly #rules: Rules;
  readonly #balances: PoolAmounts;
  readonly key = undefined;
  readonly owner: AccountId;
  readonly isFunded = true;
  /** Transfer fees are not charged on what a pool gives. */
  readonly ownerPaysFee = false;
  isConsumed = false;

  constructor(
    pool: OfferingPool,
    rules: Rules,
    readonly amounts: PoolAmounts,
    balances: PoolAmounts,
    readonly quality: bigint,
  ) {
    this.#pool = pool;
    this.#rules = rules;
    this.#balances = balances;
    this.owner = pool.account;
  }

  /** With several strands in proportion, which keeps their order by quality; with one along the pool's curve. */
  limitOut(amounts: InOut, limit: Amount, roundUp: boolean): InOut {
    if (this.#pool.context.multiPath) {
      if (this.#rules.enabled('fixReducedOffersV1'))
        return ceilOutStrict(this.quality, amounts, limit, roundUp);
      return ceilOut(this.quality, amounts, limit);
    }
    return { in: swapAssetOut(this.#rules, this.#balances, limit, this.#pool.tradingFee), out: limit };
  }

  limitIn(amounts: InOut, limit: Amount, roundUp: boolean): InOut {
    if (this.#pool.context.multiPath) {
      if (this.#rules.enabled('fixReducedOffersV2'))
        return ceilInStrict(this.quality, amounts, limit, roundUp);
      return ceilIn(this.quality, amounts, limit);
    }
    return { in: limit, out: swapAssetIn(this.#rules, this.#balances, limit, this.#pool.tradingFee) };
  }

  send(view: ApplyView, from: AccountId, to: AccountId, amount: Amount): Result {
    return accountSend(view, from, to, amount, { waiveFee: true });
  }

  consume(taken: InOut): void {
    if (!fits(taken, this.amounts)) throw new Error('more than the offer has');
    this.isConsumed = true;
    this.#pool.context.markUsed();
  }

  qualityFunction(): QualityFunction {
    if (this.#pool.context.multiPath) return QualityFunction.constant(this.#rules, this.quality);
    return QualityFunction.ofPool(this.#rules, this.#balances, this.#pool.tradingFee);
  }

  /** The product of the balances must not fall, except in the last digits. */
  allows(taken: InOut): boolean {
    if (!fits(taken, this.amounts)) return false;
    const { numbers } = this.#rules;
    const product = (x: Amount, y: Amount) => numbers.mul(numbers.of(x), numbers.of(y));
    const before = product(this.#balances.in, this.#balances.out);
    const after = product(this.#balances.in.add(taken.in), this.#balances.out.sub(taken.out));
    if (numbers.compare(after, before) >= 0) return true;
    const near = numbers.div(numbers.of(1n), numbers.of(NEAR_DENOMINATOR));
    return withinRelativeDistance(numbers, before, after, near);
  }
}
