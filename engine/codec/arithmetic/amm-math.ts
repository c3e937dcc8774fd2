/**
 * Arithmetic of an AMM pool for payments and offers (XLS-30; rippled AMMCore.h,
 * AMMHelpers.h).
 *
 * Goal: the results of rippled to the last digit: the order of the operations, the mantissa scale (`rules.numbers`)
 * and the rounding of every step are the rule. Non-goals: reading pools from a ledger (amm.ts), shares of liquidity
 * providers (amm-shares.ts).
 *
 *     pool (I, O), fee f = 1 - fee/100000:      o = O - I*O / (I + i*f)           swap in
 *                                               i = (I*O / (O - o) - I) / f       swap out
 *
 * Since fixAMMv1_1 each step rounds in the pool's favour, so that the product of the balances never falls.
 * Cost: a swap takes about ten operations on numbers of 16 or 19 digits.
 */
import { Amount, largestAmount } from './amount.ts';
import { type Asset, isIssued, isXrp } from './asset.ts';
import type { Num, Numbers, Rounding } from './number.ts';
import { amountFromQuality, qualityOf } from './quality.ts';

/** Which amendments are enabled, and the arithmetic that follows from them. */
export interface Rules {
  enabled(name: string): boolean;
  /** 19 digits with SingleAssetVault, else 16. */
  readonly numbers: Numbers;
}

/** Units of a trading fee in the whole (rippled `AUCTION_SLOT_FEE_SCALE_FACTOR`): fee 1000 is 1 %. */
export const TRADING_FEE_UNITS = 100_000;
/** Highest trading fee, 1 % (rippled `TRADING_FEE_THRESHOLD`). */
export const TRADING_FEE_MAX = 1000;

/** Input and output: the balances of a pool in the direction of a payment, or an offer that the pool makes. */
export interface PoolAmounts {
  readonly in: Amount;
  readonly out: Amount;
}

/** A trading fee as a fraction: fee / 100000 (rippled `getFee`). */
export function feeFraction(numbers: Numbers, tradingFee: number, mode: Rounding = 'nearest'): Num {
  return numbers.div(numbers.of(tradingFee), numbers.of(TRADING_FEE_UNITS), mode);
}

/** The factor after the fee: 1 - fee (rippled `feeMult`). */
export function feeMult(numbers: Numbers, tradingFee: number): Num {
  return numbers.sub(numbers.of(1), feeFraction(numbers, tradingFee));
}

/** The factor after half the fee: 1 - fee/2 (rippled `feeMultHalf`). */
export function feeMultHalf(numbers: Numbers, tradingFee: number): Num {
  return numbers.sub(numbers.of(1), numbers.div(feeFraction(numbers, tradingFee), numbers.of(2)));
}

/** XRP and MPTs are in whole units with the given rounding; issued amounts round as the calculation did. */
export function toAssetAmount(
  numbers: Numbers,
  asset: Asset,
  value: Num,
  whole: Rounding,
  issued: Rounding,
): Amount {
  return numbers.toAmount(asset, value, isIssued(asset) ? issued : whole);
}

/**
 * The output for `assetIn`; zero when the pool would give nothing.
 * @param tradingFee units of 1/100000
 */
export function swapAssetIn(rules: Rules, pool: PoolAmounts, assetIn: Amount, tradingFee: number): Amount {
  const { numbers } = rules;
  const [poolIn, poolOut, input] = [numbers.of(pool.in), numbers.of(pool.out), numbers.of(assetIn)];
  if (!rules.enabled('fixAMMv1_1')) {
    const denominator = numbers.add(poolIn, numbers.mul(input, feeMult(numbers, tradingFee)));
    const out = numbers.sub(poolOut, numbers.div(numbers.mul(poolIn, poolOut), denominator));
    return toAssetAmount(numbers, pool.out.asset, out, 'down', 'nearest');
  }
  const product = numbers.mul(poolIn, poolOut, 'up');
  const fee = feeFraction(numbers, tradingFee, 'up');
  const afterFee = numbers.mul(input, numbers.sub(numbers.of(1), fee, 'down'), 'down');
  const denominator = numbers.add(poolIn, afterFee, 'down');
  if (denominator.mantissa <= 0n) return Amount.zero(pool.out.asset);
  const out = numbers.sub(poolOut, numbers.div(product, denominator, 'up'), 'down');
  if (out.mantissa < 0n) return Amount.zero(pool.out.asset);
  return numbers.toAmount(pool.out.asset, out, 'down');
}

/**
 * The input for `assetOut`; the largest possible amount when the pool does not hold as much.
 * @param tradingFee units of 1/100000
 */
export function swapAssetOut(rules: Rules, pool: PoolAmounts, assetOut: Amount, tradingFee: number): Amount {
  const { numbers } = rules;
  const [poolIn, poolOut, output] = [numbers.of(pool.in), numbers.of(pool.out), numbers.of(assetOut)];
  if (!rules.enabled('fixAMMv1_1')) {
    const ratio = numbers.div(numbers.mul(poolIn, poolOut), numbers.sub(poolOut, output));
    const input = numbers.div(numbers.sub(ratio, poolIn), feeMult(numbers, tradingFee));
    return toAssetAmount(numbers, pool.in.asset, input, 'up', 'nearest');
  }
  const product = numbers.mul(poolIn, poolOut, 'up');
  const denominator = numbers.sub(poolOut, output, 'down');
  if (denominator.mantissa <= 0n) return largestAmount(pool.in.asset);
  const beforeFee = numbers.sub(numbers.div(product, denominator, 'up'), poolIn, 'up');
  const fee = feeFraction(numbers, tradingFee, 'up');
  const input = numbers.div(beforeFee, numbers.sub(numbers.of(1), fee, 'down'), 'up');
  if (input.mantissa < 0n) return Amount.zero(pool.in.asset);
  return numbers.toAmount(pool.in.asset, input, 'up');
}

/** b*b - 4*a*c. */
function discriminant(numbers: Numbers, a: Num, b: Num, c: Num): Num {
  const fourAc = numbers.mul(numbers.mul(numbers.of(4), a), c);
  return numbers.sub(numbers.mul(b, b), fourAc);
}

/** The larger root of a*x^2 + b*x + c. */
export function largerRoot(numbers: Numbers, a: Num, b: Num, c: Num): Num {
  const root = numbers.sqrt(discriminant(numbers, a, b, c));
  return numbers.div(numbers.add(b.negate(), root), numbers.mul(numbers.of(2), a));
}

/**
 * The smaller root of a*x^2 + b*x + c in the numerically stable form (Citardauq), undefined when there is none
 * (rippled `solveQuadraticEqSmallest`).
 */
function smallerRoot(numbers: Numbers, a: Num, b: Num, c: Num): Num | undefined {
  const inner = discriminant(numbers, a, b, c);
  if (inner.mantissa < 0n) return undefined;
  const root = numbers.sqrt(inner);
  const minusB = b.negate();
  const denominator = b.mantissa > 0n ? numbers.sub(minusB, root) : numbers.add(minusB, root);
  return numbers.div(numbers.mul(numbers.of(2), c), denominator);
}

/** The pool's offer from a proposed amount of one side; if worse than wanted, again with a ten-thousandth less. */
function offerFrom(
  numbers: Numbers,
  proposed: Num,
  wanted: bigint,
  side: 'in' | 'out',
  make: (proposed: Num) => PoolAmounts,
): PoolAmounts {
  const offer = make(proposed);
  if (qualityOf(offer.in, offer.out) <= wanted) return offer;
  const reduction = numbers.div(numbers.of(9999), numbers.of(10_000));
  return make(numbers.mul(numbers.of(offer[side]), reduction, 'zero'));
}

/** The smaller of two proposed amounts; undefined when one of them is missing. */
function leastPositive(numbers: Numbers, a: Num | undefined, b: Num): Num | undefined {
  if (a === undefined || a.mantissa <= 0n || b.mantissa <= 0n) return undefined;
  return numbers.compare(b, a) < 0 ? b : a;
}

/** The offer computed from its output, when XRP goes out (rippled `getAMMOfferStartWithTakerGets`). */
function offerByOutput(
  rules: Rules,
  pool: PoolAmounts,
  wanted: bigint,
  tradingFee: number,
): PoolAmounts | undefined {
  const { numbers } = rules;
  const [poolIn, poolOut] = [numbers.of(pool.in), numbers.of(pool.out)];
  const [one, two] = [numbers.of(1), numbers.of(2)];
  const rate = numbers.of(amountFromQuality(wanted));
  if (rate.mantissa === 0n) return undefined;
  const f = feeMult(numbers, tradingFee);
  const slope = numbers.div(numbers.mul(poolIn, numbers.sub(one, numbers.div(one, f))), rate);
  const b = numbers.sub(slope, numbers.mul(two, poolOut));
  const c = numbers.sub(numbers.mul(poolOut, poolOut), numbers.div(numbers.mul(poolIn, poolOut), rate));
  const byOwnPrice = numbers.sub(poolOut, numbers.div(poolIn, numbers.mul(rate, f)));
  const start = leastPositive(numbers, smallerRoot(numbers, one, b, c), byOwnPrice);
  if (start === undefined) return undefined;
  return offerFrom(numbers, start, wanted, 'out', (proposed) => {
    const out = toAssetAmount(numbers, pool.out.asset, proposed, 'down', 'nearest');
    return { in: swapAssetOut(rules, pool, out, tradingFee), out };
  });
}

/**
 * Bounds of an offer's input: after an input that is a root of f*x^2 + b*x + c the pool's spot price is `rate`, with
 * the input `byOwnPrice` the offer's own price is.
 */
function boundsOfInput(
  numbers: Numbers,
  pool: PoolAmounts,
  rate: Num,
  f: Num,
): { readonly b: Num; readonly c: Num; readonly byOwnPrice: Num } {
  const [poolIn, poolOut] = [numbers.of(pool.in), numbers.of(pool.out)];
  return {
    b: numbers.mul(poolIn, numbers.add(numbers.of(1), f)),
    c: numbers.sub(numbers.mul(poolIn, poolIn), numbers.mul(numbers.mul(poolIn, poolOut), rate)),
    byOwnPrice: numbers.sub(numbers.mul(poolOut, rate), numbers.div(poolIn, f)),
  };
}

/** The offer computed from its input (rippled `getAMMOfferStartWithTakerPays`). */
function offerByInput(
  rules: Rules,
  pool: PoolAmounts,
  wanted: bigint,
  tradingFee: number,
): PoolAmounts | undefined {
  const { numbers } = rules;
  const rate = numbers.of(amountFromQuality(wanted));
  if (rate.mantissa === 0n) return undefined;
  const f = feeMult(numbers, tradingFee);
  const { b, c, byOwnPrice } = boundsOfInput(numbers, pool, rate, f);
  const start = leastPositive(numbers, smallerRoot(numbers, f, b, c), byOwnPrice);
  if (start === undefined) return undefined;
  return offerFrom(numbers, start, wanted, 'in', (proposed) => {
    const input = toAssetAmount(numbers, pool.in.asset, proposed, 'down', 'nearest');
    return { in: input, out: swapAssetIn(rules, pool, input, tradingFee) };
  });
}

/** Before fixAMMv1_1: from the input, rounded up, and a quality within 1e-7 of the wanted one is accepted. */
function offerBeforeV1_1(
  rules: Rules,
  pool: PoolAmounts,
  wanted: bigint,
  fee: number,
): PoolAmounts | undefined {
  const { numbers } = rules;
  const rate = numbers.of(amountFromQuality(wanted));
  const f = feeMult(numbers, fee);
  const { b, c, byOwnPrice } = boundsOfInput(numbers, pool, rate, f);
  if (discriminant(numbers, f, b, c).mantissa < 0n) return undefined;
  const proposed = leastPositive(numbers, largerRoot(numbers, f, b, c), byOwnPrice);
  if (proposed === undefined) return undefined;
  const input = toAssetAmount(numbers, pool.in.asset, proposed, 'up', 'nearest');
  const offer = { in: input, out: swapAssetIn(rules, pool, input, fee) };
  const quality = qualityOf(offer.in, offer.out);
  if (quality <= wanted) return offer;
  const own = numbers.of(amountFromQuality(quality));
  const distance = numbers.div(numbers.sub(own, rate), own);
  const near = numbers.div(numbers.of(1), numbers.of(10_000_000));
  return numbers.compare(distance, near) < 0 ? offer : undefined;
}

/**
 * The pool's largest offer after which its spot price is `quality`, or whose own quality is `quality` where the fee
 * rules that out; undefined when no offer is as good (rippled `changeSpotPriceQuality`).
 * @param quality the stored rate, input for output: lower is better
 * @param tradingFee units of 1/100000
 */
export function changeSpotPriceQuality(
  rules: Rules,
  pool: PoolAmounts,
  quality: bigint,
  tradingFee: number,
): PoolAmounts | undefined {
  if (!rules.enabled('fixAMMv1_1')) return offerBeforeV1_1(rules, pool, quality, tradingFee);
  // Whole drops are computed first: rounded down they make the offer better, computed last they would make it worse.
  const make = isXrp(pool.out.asset) ? offerByOutput : offerByInput;
  const offer = make(rules, pool, quality, tradingFee);
  return offer !== undefined && qualityOf(offer.in, offer.out) <= quality ? offer : undefined;
}
