/**
 * A step over a trust line: `from` pays back what it holds of `to`'s issue, or issues its own to `to`.
 *
 *     in = moved * quality out of the sender       (a transfer fee when it passes on what the step before redeemed)
 *     out = moved * quality into the receiver      (never above parity at the end of a strand)
 *
 * Offer crossing differs: no line needs to exist, qualities of lines are ignored, and the last step may exceed the
 * receiver's limit. Rules: rippled DirectStep.cpp.
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { PARITY } from '../../engine/codec/arithmetic/amount-arithmetic.ts';
import {
  ACCOUNT_ZERO,
  type AccountId,
  type Asset,
  type Hex,
  issued,
} from '../../engine/codec/arithmetic/asset.ts';
import { getRate } from '../../engine/codec/arithmetic/quality.ts';
import { least, scaled } from '../../engine/codec/arithmetic/ratio.ts';
import { transferRate } from '../assets/rates.ts';
import { rippleCredit } from '../assets/send.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Entry } from '../protocol/fields.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { checkNoRipple, checkPathFreeze, setsNoRipple } from './path-checks.ts';
import type { PaymentView } from './payment-view.ts';
import { QualityFunction } from './quality-function.ts';
import type { Bound, Debt, Direction, InOut, Made, Step, StrandContext } from './step.ts';

/** The amount moved over the line, with the step's input and output. */
interface Flown extends InOut {
  readonly moved: Amount;
  readonly debt: Debt;
}

interface Qualities {
  readonly out: number;
  readonly in: number;
}

const EVEN: Qualities = { out: PARITY, in: PARITY };

export class DirectStep implements Step {
  readonly kind = 'direct';
  readonly pooled = false;
  readonly inactive = false;
  readonly offersUsed = 0;
  readonly #currency: Hex;
  readonly #line: Hex;
  /** The receiver's issue: the asset of this step's amounts. */
  readonly #asset: Asset;
  readonly #previous: Step | undefined;
  readonly #isLast: boolean;
  readonly #crossing: boolean;
  #flown: Flown | undefined;

  private constructor(
    context: StrandContext,
    readonly from: AccountId,
    readonly to: AccountId,
    currency: Hex,
  ) {
    this.#currency = currency;
    this.#line = keylets.line(from, to, currency);
    this.#asset = issued(currency, to);
    this.#previous = context.previous;
    this.#isLast = context.isLast;
    this.#crossing = context.crossing !== 'no';
  }

  static make(context: StrandContext, from: AccountId, to: AccountId, currency: Hex): Made {
    if (from === ACCOUNT_ZERO || to === ACCOUNT_ZERO || from === to) return { failure: 'temBAD_PATH' };
    const step = new DirectStep(context, from, to, currency);
    const failure = step.#check(context);
    return failure === 'tesSUCCESS' ? step : { failure };
  }

  get flown(): InOut | undefined {
    return this.#flown;
  }

  rev(view: PaymentView, _before: PaymentView, _removals: Set<Hex>, requested: Amount): InOut {
    this.#flown = undefined;
    const out = requested.withAsset(this.#asset);
    const { most, debt } = this.#most(view, out);
    const qualities = this.#qualities(view, debt, 'reverse');
    if (most.mantissa <= 0n) return this.#dry(debt);
    const wanted = scaled(out, PARITY, qualities.in, true);
    const limited = wanted.compare(most) > 0;
    const moved = limited ? most : wanted;
    const flown: Flown = {
      in: scaled(moved, qualities.out, PARITY, true),
      moved,
      out: limited ? scaled(moved, qualities.in, PARITY, false) : out,
      debt,
    };
    this.#flown = flown;
    this.#move(view, flown);
    return flown;
  }

  fwd(view: PaymentView, _before: PaymentView, _removals: Set<Hex>, given: Amount): InOut {
    const input = given.withAsset(this.#asset);
    const { most, debt } = this.#most(view, this.#flown!.moved);
    const qualities = this.#qualities(view, debt, 'forward');
    if (most.mantissa <= 0n) return this.#dry(debt);
    const wanted = scaled(input, PARITY, qualities.out, false);
    const limited = wanted.compare(most) > 0;
    const moved = limited ? most : wanted;
    const flown = this.#capped({
      in: limited ? scaled(moved, qualities.out, PARITY, true) : input,
      moved,
      out: scaled(moved, qualities.in, PARITY, false),
      debt,
    });
    this.#flown = flown;
    this.#move(view, flown);
    return flown;
  }

  /**
   * Rounding can let the forward pass deliver more than the reverse pass asked for; then the result of the reverse pass
   * is used, unless the input itself is much larger.
   */
  #capped(forward: Flown): Flown {
    const reverse = this.#flown!;
    if (reverse.in.compare(forward.in) < 0) {
      const small = Amount.issued(this.#asset, 1n, -9);
      if (forward.in.sub(reverse.in).compare(small) > 0) {
        const { in: now } = forward;
        const { in: then } = reverse;
        const far =
          now.exponent !== then.exponent ||
          then.mantissa === 0n ||
          Number(now.mantissa) / Number(then.mantissa) > 1.01;
        if (far) return forward;
      }
    }
    const { debt } = forward;
    return {
      in: forward.in,
      moved: least(reverse.moved, forward.moved),
      out: least(reverse.out, forward.out),
      debt,
    };
  }

  debt(view: ReadView, direction: Direction): Debt {
    if (direction === 'forward' && this.#flown) return this.#flown.debt;
    return this.#held(view).mantissa > 0n ? 'redeems' : 'issues';
  }

  bound(view: ReadView, previous: Debt): Bound {
    const debt = this.debt(view, 'forward');
    if (!view.rules.enabled('fixQualityUpperBound'))
      return { quality: this.#oldBound(view, debt, previous), debt };
    const qualities = debt === 'redeems' ? this.#redeeming(view) : this.#issuing(view, previous);
    // Input * in / out = output: the rate is input for output, so the quality in is its "offer's output".
    return { quality: rateOf(this.#asset, qualities.in, qualities.out), debt };
  }

  qualityFunction(view: ReadView, previous: Debt): QualityFunction | undefined {
    const { quality } = this.bound(view, previous);
    return quality === undefined ? undefined : QualityFunction.constant(view.rules, quality);
  }

  lineQualityIn(view: ReadView): number {
    return this.#lineQuality(view, 'in');
  }

  equals(other: Step): boolean {
    return (
      other instanceof DirectStep &&
      other.from === this.from &&
      other.to === this.to &&
      other.#currency === this.#currency
    );
  }

  #dry(debt: Debt): InOut {
    const none = Amount.zero(this.#asset);
    this.#flown = { in: none, moved: none, out: none, debt };
    return this.#flown;
  }

  #move(view: PaymentView, { moved, debt }: Flown): void {
    const issue = debt === 'redeems' ? this.#asset : issued(this.#currency, this.from);
    rippleCredit(view, this.from, this.to, moved.withAsset(issue), true);
  }

  /** The sender's balance of the receiver's issue, without deferred credits. */
  #held(view: ReadView): Amount {
    const line = view.read(this.#line);
    let balance = Amount.zero(this.#asset);
    if (line) balance = (this.from > this.to ? line.Balance!.negate() : line.Balance!).withAsset(this.#asset);
    return view.balanceHook(this.from, this.to, balance);
  }

  /** The maximum that can move at the best quality, and whose debt it is. */
  #most(view: ReadView, desired: Amount): { most: Amount; debt: Debt } {
    if (this.#crossing && this.#isLast) return { most: desired, debt: 'issues' };
    const held = this.#held(view);
    if (held.mantissa > 0n) return { most: held, debt: 'redeems' };
    return { most: this.#limit(view.read(this.#line)).add(held, view.rules.numbers), debt: 'issues' };
  }

  /** The limit up to which the receiver trusts the sender. */
  #limit(line: Readonly<Entry> | undefined): Amount {
    if (!line) return Amount.zero(this.#asset);
    return (this.to < this.from ? line.LowLimit! : line.HighLimit!).withAsset(this.#asset);
  }

  #qualities(view: ReadView, debt: Debt, direction: Direction): Qualities {
    if (debt === 'redeems') return this.#redeeming(view);
    return this.#issuing(view, this.#previous ? this.#previous.debt(view, direction) : 'issues');
  }

  #redeeming(view: ReadView): Qualities {
    if (!this.#previous) return EVEN;
    const into = this.#previous.lineQualityIn(view);
    return { out: Math.max(into, this.#lineQuality(view, 'out')), in: PARITY };
  }

  #issuing(view: ReadView, previous: Debt): Qualities {
    const out = previous === 'redeems' ? transferRate(view, this.from) : PARITY;
    const into = this.#lineQuality(view, 'in');
    return { out, in: this.#isLast ? Math.min(into, PARITY) : into };
  }

  /** The quality that the receiver set for incoming, or the sender for outgoing amounts. */
  #lineQuality(view: ReadView, direction: 'in' | 'out'): number {
    if (this.#crossing) return PARITY;
    const line = view.read(this.#line);
    if (!line) return PARITY;
    const fromLow = this.from < this.to;
    const quality =
      direction === 'in'
        ? fromLow
          ? line.HighQualityIn
          : line.LowQualityIn
        : fromLow
          ? line.LowQualityOut
          : line.HighQualityOut;
    return quality || PARITY;
  }

  /** Before fixQualityUpperBound (2020) the two qualities were swapped. */
  #oldBound(view: ReadView, debt: Debt, previous: Debt): bigint {
    const out = previous === 'redeems' && debt === 'issues' ? transferRate(view, this.from) : PARITY;
    const into = this.#lineQuality(view, 'in');
    return rateOf(this.#asset, out, this.#isLast ? Math.min(into, PARITY) : into);
  }

  #check(context: StrandContext): Result {
    const { view } = context;
    const sender = view.read(keylets.account(this.from));
    if (!sender) return 'terNO_ACCOUNT';
    const line = view.read(this.#line);
    if (!(context.isFirst && context.isLast)) {
      const frozen = checkPathFreeze(view, this.from, this.to, line);
      if (frozen !== 'tesSUCCESS') return frozen;
    }
    const { previous } = context;
    if (previous?.kind === 'direct') {
      const barred = checkNoRipple(view, previous.from, this.from, this.to, this.#currency);
      if (barred !== 'tesSUCCESS') return barred;
    }
    const loop = this.#checkLoop(context);
    if (loop !== 'tesSUCCESS') return loop;
    return this.#crossing ? 'tesSUCCESS' : this.#checkPayment(sender, line, previous);
  }

  /** Refuses an account twice with one currency, and a book's output that is issued again later. */
  #checkLoop({ seenBookOuts, seenDirect, previous }: StrandContext): Result {
    const fromAsset = issued(this.#currency, this.from);
    if (seenBookOuts.has(fromAsset) && previous?.book && previous.book.out !== fromAsset)
      return 'temBAD_PATH_LOOP';
    if (seenBookOuts.has(fromAsset) && !previous) return 'temBAD_PATH_LOOP';
    const [left, reached] = seenDirect;
    if (left.has(fromAsset)) return 'temBAD_PATH_LOOP';
    left.add(fromAsset);
    if (reached.has(this.#asset)) return 'temBAD_PATH_LOOP';
    reached.add(this.#asset);
    return 'tesSUCCESS';
  }

  #checkPayment(
    sender: Readonly<Entry>,
    line: Readonly<Entry> | undefined,
    previous: Step | undefined,
  ): Result {
    if (!line) return 'terNO_LINE';
    const authorised = this.from > this.to ? Lsf.lsfHighAuth : Lsf.lsfLowAuth;
    if (hasAny(sender.Flags, Lsf.lsfRequireAuth) && !hasAny(line.Flags, authorised) && line.Balance!.isZero)
      return 'terNO_AUTH';
    if (previous?.book && setsNoRipple(line, this.from, this.to)) return 'terNO_RIPPLE';
    const owed = this.from < this.to ? line.Balance! : line.Balance!.negate();
    if (owed.mantissa <= 0n && owed.negate().withAsset(this.#asset).compare(this.#limit(line)) >= 0)
      return 'tecPATH_DRY';
    return 'tesSUCCESS';
  }
}

/** `getRate(output, input)` of two rates per billion. */
function rateOf(asset: Asset, output: number, input: number): bigint {
  return getRate(Amount.issued(asset, BigInt(output), 0), Amount.issued(asset, BigInt(input), 0));
}
