/** One offer as a hop takes from it: of a book, or made by a pool for one run. */
import { type PoolAmounts, swapAssetIn, swapAssetOut } from '../codec/arithmetic/amm-math.ts';
import type { Amount } from '../codec/arithmetic/amount.ts';
import { ceilInStrict, ceilOutStrict, type InOut, qualityOf } from '../codec/arithmetic/quality.ts';
import { smallestLike } from './amounts.ts';
import type { PaymentState } from './payment-state.ts';
import type { PoolContext } from './pool-context.ts';
import type { LedgerRules } from './rules.ts';

export interface TakenOffer {
  /** Row of the offer; undefined: a pool's. */
  readonly id: number | undefined;
  /** Account id: the offer's owner, or the pool's account. */
  readonly owner: number;
  readonly quality: bigint;
  /** What is left, funded or not. */
  readonly amounts: InOut;
  readonly isConsumed: boolean;
  /** `amounts` cut to an input or output. */
  limitIn(amounts: InOut, limit: Amount, up: boolean): InOut;
  limitOut(amounts: InOut, limit: Amount, up: boolean): InOut;
  /** Whether taking this much keeps what must hold. */
  allows(taken: InOut): boolean;
  take(view: PaymentState, taken: InOut): void;
}

const fits = (taken: InOut, amounts: InOut): boolean =>
  taken.in.compare(amounts.in) <= 0 && taken.out.compare(amounts.out) <= 0;

/** An offer of a book. Its quality is its directory's: it does not change while the offer is partly taken. */
export class BookOffer implements TakenOffer {
  constructor(
    readonly id: number,
    readonly owner: number,
    readonly quality: bigint,
    public amounts: InOut,
  ) {}

  get isConsumed(): boolean {
    return this.amounts.in.mantissa <= 0n || this.amounts.out.mantissa <= 0n;
  }

  limitIn(amounts: InOut, limit: Amount, up: boolean): InOut {
    return ceilInStrict(this.quality, amounts, limit, up);
  }

  limitOut(amounts: InOut, limit: Amount, up: boolean): InOut {
    return ceilOutStrict(this.quality, amounts, limit, up);
  }

  allows(taken: InOut): boolean {
    return fits(taken, this.amounts);
  }

  take(view: PaymentState, taken: InOut): void {
    this.amounts = { in: this.amounts.in.sub(taken.in), out: this.amounts.out.sub(taken.out) };
    view.setOffer(this.id, this.amounts);
  }
}

/** Compares two positive issued amounts as numbers. */
function isLess(a: Amount, b: Amount): boolean {
  return a.exponent === b.exponent ? a.mantissa < b.mantissa : a.exponent < b.exponent;
}

/**
 * Whether the owner's funds leave so little of an offer that its quality would be worse than its book's: the ledger removes
 * it (fixRmSmallIncreasedQOffers).
 * @param funds undefined: the owner issues what it gives
 */
export function isTiny(offer: BookOffer, funds: Amount | undefined): boolean {
  const { in: pays, out: gets } = offer.amounts;
  if (gets.isNative || (!pays.isNative && !isLess(pays, gets))) return false;
  const whole = funds === undefined || funds.compare(gets) >= 0;
  const left = whole ? offer.amounts : ceilOutStrict(offer.quality, offer.amounts, funds, false);
  if (left.in.mantissa <= 0n || left.out.mantissa <= 0n) return true;
  if (left.in.compare(smallestLike(pays)) > 0) return false;
  return qualityOf(left.in, left.out) > offer.quality;
}

/** The pool that makes an offer. */
export interface OfferingPool {
  readonly account: number;
  /** Units of 1/100000. */
  readonly fee: number;
  readonly context: PoolContext;
  readonly rules: LedgerRules;
}

/** Products of a pool's balances closer than this, relatively, count as equal. */
const NEAR_DENOMINATOR = 10_000_000n;

/** An offer of a pool for one run (rippled AMMOffer.cpp). */
export class PoolOffer implements TakenOffer {
  readonly id = undefined;
  isConsumed = false;

  constructor(
    private readonly pool: OfferingPool,
    readonly amounts: PoolAmounts,
    private readonly balances: PoolAmounts,
    readonly quality: bigint,
  ) {}

  get owner(): number {
    return this.pool.account;
  }

  /** With several strands in proportion, which keeps their order by quality; with one along the pool's curve. */
  limitOut(amounts: InOut, limit: Amount, up: boolean): InOut {
    const { context, rules, fee } = this.pool;
    if (context.severalStrands) return ceilOutStrict(this.quality, amounts, limit, up);
    return { in: swapAssetOut(rules, this.balances, limit, fee), out: limit };
  }

  limitIn(amounts: InOut, limit: Amount, up: boolean): InOut {
    const { context, rules, fee } = this.pool;
    if (context.severalStrands) return ceilInStrict(this.quality, amounts, limit, up);
    return { in: limit, out: swapAssetIn(rules, this.balances, limit, fee) };
  }

  /** The product of the balances must not fall, but for the last digits. */
  allows(taken: InOut): boolean {
    if (!fits(taken, this.amounts)) return false;
    const { numbers } = this.pool.rules;
    const product = (x: Amount, y: Amount) => numbers.mul(numbers.of(x), numbers.of(y));
    const { in: poolIn, out: poolOut } = this.balances;
    const before = product(poolIn, poolOut);
    const after = product(poolIn.add(taken.in), poolOut.sub(taken.out));
    if (numbers.compare(after, before) >= 0) return true;
    const lost = numbers.div(numbers.sub(before, after), before);
    return numbers.compare(lost, numbers.div(numbers.of(1n), numbers.of(NEAR_DENOMINATOR))) < 0;
  }

  take(): void {
    this.isConsumed = true;
    this.pool.context.markUsed();
  }
}
