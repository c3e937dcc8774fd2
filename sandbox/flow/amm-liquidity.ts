/**
 * A pool as a source of offers for one book step (XLS-30; rippled AMMLiquidity.cpp).
 *
 *     several strands   sizes of the Fibonacci sequence, growing each round a pool is used, at fixed quality
 *     one strand        the amount that brings the pool's price to that of the book's best offer,
 *                       or, without such an offer, all but a hundredth of the pool
 *
 * Goal: the pool competes with the book and never gives a worse price than the book's best offer.
 * Cost: one offer is some thirty operations on numbers, a square root among them when it meets a book.
 */

import {
  changeSpotPriceQuality,
  type PoolAmounts,
  swapAssetIn,
  swapAssetOut,
} from '../../engine/codec/arithmetic/amm-math.ts';
import { type Amount, largestAmount } from '../../engine/codec/arithmetic/amount.ts';
import { type AccountId, type Asset, isIssued } from '../../engine/codec/arithmetic/asset.ts';
import type { Num, Numbers } from '../../engine/codec/arithmetic/number.ts';
import { amountFromQuality, qualityOf } from '../../engine/codec/arithmetic/quality.ts';
import { getTradingFee } from '../assets/amm.ts';
import { ammAccountHolds } from '../assets/funds.ts';
import type { ReadView } from '../ledger/view.ts';
import * as keylets from '../protocol/keylets.ts';
import type { AmmContext } from './amm-context.ts';
import { AmmOffer } from './amm-offer.ts';

/** Share of the pool that the first offer of several strands takes in: 5/20000 (rippled `InitialFibSeqPct`). */
const FIRST_SHARE = { numerator: 5n, denominator: 20_000n };
/** Share of the pool's output balance that its largest offer gives. */
const LARGEST_SHARE = { numerator: 99n, denominator: 100n };
/** Prices closer than this, relatively, count as equal. */
const NEAR_DENOMINATOR = 10_000_000n;
const FIBONACCI: readonly bigint[] = [
  1n,
  2n,
  3n,
  5n,
  8n,
  13n,
  21n,
  34n,
  55n,
  89n,
  144n,
  233n,
  377n,
  610n,
  987n,
  1597n,
  2584n,
  4181n,
  6765n,
  10946n,
  17711n,
  28657n,
  46368n,
  75025n,
  121393n,
  196418n,
  317811n,
  514229n,
  832040n,
  1346269n,
];

/** Whether two qualities differ by less than a ten-millionth. */
export function nearQualities(numbers: Numbers, a: bigint, b: bigint): boolean {
  if (a === b) return true;
  const [better, worse] = a < b ? [a, b] : [b, a];
  const high = amountFromQuality(worse);
  const difference = numbers.of(high.sub(amountFromQuality(better)));
  const share = numbers.div(difference, numbers.of(high));
  return numbers.compare(share, numbers.div(numbers.of(1n), numbers.of(NEAR_DENOMINATOR))) < 0;
}

export class AmmLiquidity {
  readonly #assetIn: Asset;
  readonly #assetOut: Asset;
  readonly #initial: PoolAmounts;

  private constructor(
    view: ReadView,
    readonly account: AccountId,
    /** Units of 1/100000, as charged to the payer. */
    readonly tradingFee: number,
    assetIn: Asset,
    assetOut: Asset,
    readonly context: AmmContext,
  ) {
    this.#assetIn = assetIn;
    this.#assetOut = assetOut;
    this.#initial = this.#balances(view);
  }

  /** The pool between two assets; undefined when it does not exist or is empty. */
  static find(
    view: ReadView,
    assetIn: Asset,
    assetOut: Asset,
    context: AmmContext,
  ): AmmLiquidity | undefined {
    const amm = view.read(keylets.amm(assetIn, assetOut));
    if (!amm || amm.LPTokenBalance!.isZero) return undefined;
    const fee = getTradingFee(view, amm, context.account);
    return new AmmLiquidity(view, amm.Account!, fee, assetIn, assetOut, context);
  }

  /** The pool's offer that competes with the book's best quality; undefined when the pool's price is worse. */
  offer(view: ReadView, bookQuality: bigint | undefined): AmmOffer | undefined {
    if (this.context.exhausted) return undefined;
    const balances = this.#balances(view);
    // Frozen.
    if (balances.in.isZero || balances.out.isZero) return undefined;
    const { numbers } = view.rules;
    const spot = qualityOf(balances.in, balances.out);
    if (bookQuality !== undefined && (spot >= bookQuality || nearQualities(numbers, spot, bookQuality)))
      return undefined;
    let offer: AmmOffer | undefined;
    try {
      offer = this.#make(view, balances, bookQuality);
    } catch (error) {
      // Out of the range of numbers: no offer.
      if (error instanceof RangeError) return undefined;
      throw error;
    }
    if (!offer || offer.amounts.in.mantissa <= 0n || offer.amounts.out.mantissa <= 0n) return undefined;
    return offer;
  }

  #balances(view: ReadView): PoolAmounts {
    return {
      in: ammAccountHolds(view, this.account, this.#assetIn),
      out: ammAccountHolds(view, this.account, this.#assetOut),
    };
  }

  #make(view: ReadView, balances: PoolAmounts, bookQuality: bigint | undefined): AmmOffer | undefined {
    const { rules } = view;
    if (this.context.multiPath) {
      const amounts = this.#fibonacci(view, balances);
      if (!amounts) return undefined;
      const quality = qualityOf(amounts.in, amounts.out);
      if (bookQuality !== undefined && quality > bookQuality) return undefined;
      return new AmmOffer(this, rules, amounts, balances, quality);
    }
    if (bookQuality === undefined) return this.#largest(view, balances);
    const amounts = changeSpotPriceQuality(rules, balances, bookQuality, this.tradingFee);
    if (amounts) return new AmmOffer(this, rules, amounts, balances, qualityOf(amounts.in, amounts.out));
    if (!rules.enabled('fixAMMv1_2')) return undefined;
    const largest = this.#largest(view, balances);
    if (!largest || qualityOf(largest.amounts.in, largest.amounts.out) >= bookQuality) return undefined;
    return largest;
  }

  #fibonacci({ rules }: ReadView, balances: PoolAmounts): PoolAmounts | undefined {
    const { numbers } = rules;
    const initial = this.#initial;
    const share = numbers.div(numbers.of(FIRST_SHARE.numerator), numbers.of(FIRST_SHARE.denominator));
    const first = toAsset(numbers, this.#assetIn, numbers.mul(share, numbers.of(initial.in)), 'up');
    const out = swapAssetIn(rules, initial, first, this.tradingFee);
    const { rounds } = this.context;
    if (rounds === 0) return { in: first, out };
    const grown = numbers.mul(numbers.of(out), numbers.of(FIBONACCI[rounds - 1]!));
    const wanted = toAsset(numbers, this.#assetOut, grown, 'down');
    if (wanted.compare(balances.out) >= 0) return undefined;
    return { in: swapAssetOut(rules, balances, wanted, this.tradingFee), out: wanted };
  }

  #largest({ rules }: ReadView, balances: PoolAmounts): AmmOffer | undefined {
    const quality = qualityOf(balances.in, balances.out);
    if (!rules.enabled('fixAMMOverflowOffer')) {
      // The offer that pools made in one piece before fixAMMOverflowOffer (2024).
      const input = largestAmount(this.#assetIn);
      const out = swapAssetIn(rules, balances, input, this.tradingFee);
      return new AmmOffer(this, rules, { in: input, out }, balances, quality);
    }
    const { numbers } = rules;
    const share = numbers.div(numbers.of(LARGEST_SHARE.numerator), numbers.of(LARGEST_SHARE.denominator));
    const most = numbers.mul(numbers.of(balances.out), share);
    const out = toAsset(numbers, this.#assetOut, most, 'down');
    if (out.mantissa <= 0n || out.compare(balances.out) >= 0) return undefined;
    const input = swapAssetOut(rules, balances, out, this.tradingFee);
    return new AmmOffer(this, rules, { in: input, out }, balances, quality);
  }
}

/** The rounding mode applies to whole units; issued amounts already have the number's digits. */
function toAsset(numbers: Numbers, asset: Asset, value: Num, whole: 'up' | 'down'): Amount {
  return numbers.toAmount(asset, value, isIssued(asset) ? 'nearest' : whole);
}
