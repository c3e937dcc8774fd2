/**
 * A pool as a source of offers for one hop (XLS-30; rippled AMMLiquidity.cpp).
 *
 *     several strands   sizes of the Fibonacci sequence, growing with each round in which pools are used
 *     one strand        as much as brings the pool's price to that of the book's best offer,
 *                       or, without such an offer, all but a hundredth of the pool
 *
 * Goal: the pool's offers to the last digit, at the fee that it has for who pays.
 * Cost: an offer is some thirty operations on numbers, a square root among them where it meets a book.
 */
import {
  changeSpotPriceQuality,
  type PoolAmounts,
  swapAssetIn,
  swapAssetOut,
} from '../codec/arithmetic/amm-math.ts';
import type { Amount } from '../codec/arithmetic/amount.ts';
import { isIssued } from '../codec/arithmetic/asset.ts';
import type { Num } from '../codec/arithmetic/number.ts';
import { amountFromQuality, qualityOf } from '../codec/arithmetic/quality.ts';
import { sameNumber } from '../codec/arithmetic/ratio.ts';
import { assetOf, zeroOf } from './amounts.ts';
import { type Basis, isSameBasis, type Made, type Offered } from './first-offers.ts';
import { isGlobalFrozen, isLineFrozen } from './line-rules.ts';
import type { Market } from './market.ts';
import { type OfferingPool, PoolOffer } from './offers.ts';
import type { PaymentState } from './payment-state.ts';
import type { PoolContext } from './pool-context.ts';
import type { LedgerRules } from './rules.ts';

/** Share of the pool that the first offer of several strands takes in: 5/20000 (rippled `InitialFibSeqPct`). */
const FIRST_SHARE = { numerator: 5, denominator: 20_000 };
/** Share of the pool's output balance that its largest offer gives. */
const LARGEST_SHARE = { numerator: 99, denominator: 100 };
/** Prices closer than this, relatively, count as equal. */
const NEAR_DENOMINATOR = 10_000_000;
/** Sizes by round, the first two ones left out. */
const FIBONACCI: readonly bigint[] = fibonacci(30);

function fibonacci(count: number): bigint[] {
  const out = [1n, 2n];
  while (out.length < count) out.push(out.at(-1)! + out.at(-2)!);
  return out;
}

export class PoolSource implements OfferingPool {
  readonly account: number;
  readonly fee: number;
  readonly context: PoolContext;
  readonly rules: LedgerRules;
  readonly #in: number;
  readonly #out: number;
  readonly #initial: PoolAmounts;
  /** A frozen balance counts as nothing. */
  readonly #frozen: boolean;
  /** The offer that was made last: a round asks for the same one several times. */
  #made: Made | undefined;
  #first: PoolAmounts | undefined;

  private constructor(
    view: PaymentState,
    pool: number,
    tokens: readonly [number, number],
    context: PoolContext,
    rules: LedgerRules,
  ) {
    const { market } = view;
    this.account = market.pools.accounts[pool]!;
    this.fee = market.pools.feeFor(pool, context.payer, market.fees.closeTime);
    this.context = context;
    this.rules = rules;
    [this.#in, this.#out] = tokens;
    this.#frozen = tokens.some(
      (token) => isGlobalFrozen(market, token) || isLineFrozen(market, this.account, token),
    );
    this.#initial = this.#balances(view);
  }

  /** The pool between two tokens; undefined when there is none, or an empty one. */
  static find(
    view: PaymentState,
    tokens: readonly [number, number],
    context: PoolContext,
    rules: LedgerRules,
  ): PoolSource | undefined {
    const { pools } = view.market;
    const pool = pools.byAssets(...tokens);
    if (pool === undefined || isEmpty(view.market, pool)) return undefined;
    return new PoolSource(view, pool, tokens, context, rules);
  }

  /** The offer that competes with the book's best; undefined when the pool's price is not better. */
  offer(view: PaymentState, best: bigint | undefined): PoolOffer | undefined {
    if (this.context.exhausted || this.#frozen) return undefined;
    const balances = this.#balances(view);
    if (balances.in.isZero || balances.out.isZero) return undefined;
    const { fee, context } = this;
    const { severalStrands, rounds } = context;
    const basis = { balances, fee, best, severalStrands, rounds };
    if (!this.#made || !isSameBasis(this.#made, basis)) this.#made = this.#madeOf(basis);
    const { made } = this.#made;
    return made && new PoolOffer(this, made.amounts, balances, made.quality);
  }

  #madeOf(basis: Basis): Made {
    const { balances, best, rounds } = basis;
    const make = (): Made => ({ ...basis, made: this.#offerOf(balances, best) });
    const { in: first, out } = this.#initial;
    const isFirst = rounds === 0 && sameNumber(balances.in, first) && sameNumber(balances.out, out);
    return isFirst ? this.context.firstOffers.of([this.#in, this.#out], basis, make) : make();
  }

  #offerOf(balances: PoolAmounts, best: bigint | undefined): Offered | undefined {
    const spot = qualityOf(balances.in, balances.out);
    if (best !== undefined && (spot >= best || this.#isNear(spot, best))) return undefined;
    let offer: Offered | undefined;
    try {
      offer = this.#make(balances, best);
    } catch (error) {
      // Out of the range of numbers: no offer.
      if (error instanceof RangeError) return undefined;
      throw error;
    }
    const isReal = offer && offer.amounts.in.mantissa > 0n && offer.amounts.out.mantissa > 0n;
    return isReal ? offer : undefined;
  }

  #balances(view: PaymentState): PoolAmounts {
    if (this.#frozen) return { in: zeroOf(this.#in), out: zeroOf(this.#out) };
    return { in: view.balance(this.account, this.#in), out: view.balance(this.account, this.#out) };
  }

  #isNear(better: bigint, worse: bigint): boolean {
    const { numbers } = this.rules;
    const high = amountFromQuality(worse);
    const share = numbers.div(numbers.of(high.sub(amountFromQuality(better))), numbers.of(high));
    return numbers.compare(share, numbers.div(numbers.of(1), numbers.of(NEAR_DENOMINATOR))) < 0;
  }

  #make(balances: PoolAmounts, best: bigint | undefined): Offered | undefined {
    if (this.context.severalStrands) {
      const amounts = this.#fibonacci(balances);
      if (!amounts) return undefined;
      const quality = qualityOf(amounts.in, amounts.out);
      return best !== undefined && quality > best ? undefined : { amounts, quality };
    }
    if (best === undefined) return this.#largest(balances);
    const amounts = changeSpotPriceQuality(this.rules, balances, best, this.fee);
    if (amounts) return { amounts, quality: qualityOf(amounts.in, amounts.out) };
    const largest = this.#largest(balances);
    return largest && qualityOf(largest.amounts.in, largest.amounts.out) < best ? largest : undefined;
  }

  #fibonacci(balances: PoolAmounts): PoolAmounts | undefined {
    const { rules, context, fee } = this;
    const { numbers } = rules;
    this.#first ??= this.#firstOffer();
    const { in: first, out } = this.#first;
    if (context.rounds === 0) return { in: first, out };
    const grown = numbers.mul(numbers.of(out), numbers.of(FIBONACCI[context.rounds - 1]!));
    const wanted = this.#amount(this.#out, grown, 'down');
    if (wanted.compare(balances.out) >= 0) return undefined;
    return { in: swapAssetOut(rules, balances, wanted, fee), out: wanted };
  }

  /** Of several strands, in the first round: it follows from the balances before the payment. */
  #firstOffer(): PoolAmounts {
    const { numbers } = this.rules;
    const share = numbers.div(numbers.of(FIRST_SHARE.numerator), numbers.of(FIRST_SHARE.denominator));
    const input = this.#amount(this.#in, numbers.mul(share, numbers.of(this.#initial.in)), 'up');
    return { in: input, out: swapAssetIn(this.rules, this.#initial, input, this.fee) };
  }

  #largest(balances: PoolAmounts): Offered | undefined {
    const { numbers } = this.rules;
    const share = numbers.div(numbers.of(LARGEST_SHARE.numerator), numbers.of(LARGEST_SHARE.denominator));
    const out = this.#amount(this.#out, numbers.mul(numbers.of(balances.out), share), 'down');
    if (out.mantissa <= 0n || out.compare(balances.out) >= 0) return undefined;
    const amounts = { in: swapAssetOut(this.rules, balances, out, this.fee), out };
    return { amounts, quality: qualityOf(balances.in, balances.out) };
  }

  /** Whole drops round as named; issued amounts to the nearest. */
  #amount(token: number, value: Num, whole: 'up' | 'down'): Amount {
    const asset = assetOf(token);
    return this.rules.numbers.toAmount(asset, value, isIssued(asset) ? 'nearest' : whole);
  }
}

/** Whether no LP tokens are outstanding. */
function isEmpty({ pools }: Market, pool: number): boolean {
  const [hi, lo] = pools.lpBalanceRaw(pool);
  return (hi & 0x3fffff) === 0 && lo === 0;
}
