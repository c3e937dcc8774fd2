/**
 * What the paths of one payment give at most, or cost at least: those of pairs (estimate.ts) put together, with transfer fees.
 *
 *     one path          exact input: the most of the destination for it.  Exact output: the least of the source for it
 *     several           each part of the amount goes where it is cheapest: an estimate, in parts of an eighth
 *     beside default    whether the payment over the default path and another one can be better than a known one: the amount is
 *                       divided between the two in the best way, by halving where that division can lie
 *
 * More of an amount never gets cheaper, so that a part of it that lies between two others gives between what those give. Cost:
 * 0.1 us a hop; some 5 us to decide about a path beside the default one.
 */
import type { Amount } from '../codec/arithmetic/amount.ts';
import { PARITY } from '../codec/arithmetic/amount-arithmetic.ts';
import { XRP } from '../state/tokens.ts';
import { numberOfAmount } from './amounts.ts';
import { arrivalFee } from './arrival.ts';
import { departureFee, holds } from './departure.ts';
import type { Ends } from './ends.ts';
import type { Estimates } from './estimate.ts';
import { areLinked, firstLinePrice, isOneCurrency, type LineBound, lineBound } from './issuers-line.ts';
import type { Market } from './market.ts';
import type { Path, Quote, QuoteRequest } from './quote.ts';
import { passingRate } from './strands-of.ts';

/** Parts into which an amount is divided to estimate several paths together. */
const PARTS = 8;
/** The part of an amount that a first rate is of. */
const SMALL_SHARE = 1e-3;
/** Errors of doubles, relative, and those of whole drops. */
const ROUNDING = 1e-9;
const DROPS_ROUNDED = 2;
/** Times that the range of possible divisions is cut by a third; then the payment is computed. */
const CUTS_MAX = 24;

type Sided = Ends & Pick<QuoteRequest, 'side'>;

/** A payment's ends, with what goes in for one that arrives at each of them. */
interface Course extends Sided {
  readonly startFee: number;
  readonly endFee: number;
}

export class PathEstimates {
  readonly #estimates: Estimates;
  readonly #request: QuoteRequest;
  readonly #course: Course;
  /** The same for an input, to know the most of it. */
  readonly #inward: Course;
  readonly #amount: number;
  /** Of the default path, where that leads over the line of two issuers. */
  readonly #line: LineBound | undefined;
  /** Whether the default path leads over such a line, or through a book or pool that has something. */
  readonly hasDefault: boolean;

  constructor(estimates: Estimates, request: QuoteRequest) {
    this.#estimates = estimates;
    this.#request = request;
    this.#course = courseOf(estimates.market, request);
    this.#inward = { ...this.#course, side: 'in' };
    this.#amount = numberOfAmount(request.amount);
    const { source, destination } = request;
    const { market } = estimates;
    if (areLinked(market, request)) this.#line = lineBound(market, request);
    const isOpen = !isOneCurrency(market, request) && estimates.isOpen(source, destination);
    this.hasDefault = this.#line !== undefined || isOpen;
  }

  /** Whether the default path has a pool, which offers in other sizes where further paths are named. */
  get hasDefaultPool(): boolean {
    const { source, destination } = this.#request;
    return this.#line === undefined && this.#estimates.hasPool(source, destination);
  }

  /** Of one path, for the whole amount. @param path undefined: the default one */
  of(path: Path | undefined): number {
    return this.#value(path, this.#amount);
  }

  /** Of paths that share the amount. */
  together(paths: readonly (Path | undefined)[]): number {
    const part = this.#amount / PARTS;
    const given = paths.map(() => 0);
    const values = paths.map(() => 0);
    const next = paths.map((path) => this.#value(path, part));
    for (let i = 0; i < PARTS; i += 1) {
      let best = 0;
      for (let p = 1; p < paths.length; p += 1)
        if (this.isBetter(next[p]! - values[p]!, next[best]! - values[best]!)) best = p;
      given[best]! += part;
      values[best] = next[best]!;
      next[best] = this.#value(paths[best], given[best]! + part);
    }
    return values.reduce((sum, value) => sum + value, 0);
  }

  /** Whether value `a` is better than `b`. */
  isBetter(a: number, b: number): boolean {
    return this.#request.side === 'in' ? a > b : a < b;
  }

  /** In per out at which the ledger may list a path at the beginning of the payment; Infinity: not at all. */
  listed(path: Path): number {
    const { source, destination } = this.#request;
    const tokens = [source, ...path, destination];
    const { market } = this.#estimates;
    let price = this.#course.endFee;
    for (let i = 0; i + 1 < tokens.length; i += 1)
      price *= this.#estimates.listed(tokens[i]!, tokens[i + 1]!) * feeOf(market, this.#course, tokens[i]!);
    return price;
  }

  /**
   * Whether the payment over the default path and this one may be better than a known one.
   * @param path undefined: the default path alone
   */
  mayBeat(path: Path | undefined, known: Quote): boolean {
    const own: (Path | undefined)[] = path ? [path] : [];
    const paths = this.hasDefault ? [undefined, ...own] : own;
    if (paths.length === 0) return false;
    const isOut = this.#request.side === 'out';
    if (isOut && !known.isWhole) {
      const most = paths.reduce((sum, one) => sum + this.#most(one), 0);
      return most > numberOfAmount(known.out) - this.#room(known.out);
    }
    const value = isOut ? known.in : known.out;
    const limit = numberOfAmount(value) + this.#room(value) * (isOut ? 1 : -1);
    return paths.length === 1 ? this.isBetter(this.of(paths[0]), limit) : this.#dividedBeats(path!, limit);
  }

  /** By as much as rounding may let a payment be better than its estimate. */
  #room(value: Amount): number {
    return numberOfAmount(value) * ROUNDING + (value.isNative ? DROPS_ROUNDED : 0);
  }

  /** Whether some division of the amount between the default path and this one may pass the limit. */
  #dividedBeats(path: Path, limit: number): boolean {
    const amount = this.#amount;
    const byDefault = (part: number): number => this.#value(undefined, part);
    const byPath = (part: number): number => this.#value(path, amount - part);
    // The best part of the default path is between these two.
    let [from, to] = this.#divisions(path);
    if (from > to) return false;
    const isOut = this.#request.side === 'out';
    /** The best that the ends of the range allow: each path at the end that is better for it. */
    let [ofDefault, ofPath] = isOut ? [byDefault(from), byPath(to)] : [byDefault(to), byPath(from)];
    for (let i = 0; i < CUTS_MAX; i += 1) {
      if (!this.isBetter(ofDefault + ofPath, limit)) return false;
      const [low, high] = [from + (to - from) / 3, to - (to - from) / 3];
      const lows = [byDefault(low), byPath(low)] as const;
      const highs = [byDefault(high), byPath(high)] as const;
      const [atLow, atHigh] = [lows[0] + lows[1], highs[0] + highs[1]];
      if (this.isBetter(atLow, limit) || this.isBetter(atHigh, limit)) return true;
      if (this.isBetter(atLow, atHigh)) {
        to = high;
        if (isOut) ofPath = highs[1];
        else ofDefault = highs[0];
      } else {
        from = low;
        if (isOut) ofDefault = lows[0];
        else ofPath = lows[1];
      }
    }
    return true;
  }

  /** Parts of the default path between which both can give theirs. */
  #divisions(path: Path): [from: number, to: number] {
    if (this.#request.side === 'in') return [0, this.#amount];
    return [Math.max(0, this.#amount - this.#most(path)), Math.min(this.#amount, this.#most(undefined))];
  }

  /** The most that a path delivers, whatever it costs. */
  #most(path: Path | undefined): number {
    if (!path && this.#line) return this.#line.most;
    return given(this.#estimates, this.#inward, path ?? [], Number.POSITIVE_INFINITY);
  }

  #value(path: Path | undefined, amount: number): number {
    if (!path && this.#line) return overLine(this.#line, this.#request.side, amount);
    return given(this.#estimates, this.#course, path ?? [], amount);
  }
}

function overLine({ price, most }: LineBound, side: QuoteRequest['side'], amount: number): number {
  if (side === 'in') return Math.min(most, amount / price);
  return amount > most * (1 + ROUNDING) ? Number.POSITIVE_INFINITY : amount * price;
}

/** The most that a path gives for an input, or the least that it needs for an output. */
function given(estimates: Estimates, ends: Course, path: Path, amount: number): number {
  const { source, destination, side } = ends;
  const { market } = estimates;
  const hops = path.length + 1;
  let value = amount;
  if (side === 'in') {
    let from = source;
    for (let hop = 0; hop < hops; hop += 1) {
      const to = hop < path.length ? path[hop]! : destination;
      value = estimates.outFor(from, to, value / feeOf(market, ends, from));
      from = to;
    }
    return value / ends.endFee;
  }
  value *= ends.endFee;
  let to = destination;
  for (let hop = path.length - 1; hop >= -1; hop -= 1) {
    const from = hop >= 0 ? path[hop]! : source;
    value = estimates.inFor(from, to, value) * feeOf(market, ends, from);
    to = from;
  }
  return value;
}

/** What goes in for one that arrives, where a token passes its issuer. */
const feeOf = (market: Market, ends: Course, token: number): number =>
  token === ends.source ? ends.startFee : passingRate(market, ends, token) / PARITY;

function courseOf(market: Market, ends: Sided): Course {
  const { source, destination, sender, receiver } = ends;
  const rate = passingRate(market, ends, source);
  return {
    source,
    destination,
    sender,
    receiver,
    side: ends.side,
    startFee: departureFee(market, sender, source, rate),
    endFee: arrivalFee(market, receiver, destination),
  };
}

/**
 * The rate of a small amount over the best of a quote's strands, transfer and trading fees included: what the whole amount is compared
 * with to see how much it moves the price. Destination per source, in drops and tokens; 0 when there is none.
 * @param ends of the payment
 * @param input the amount that the payment spends
 */
export function firstRate(
  estimates: Estimates,
  ends: Ends,
  { strands, isOverLine }: Pick<Quote, 'strands' | 'isOverLine'>,
  input: number,
): number {
  const small = input * SMALL_SHARE;
  const { source, sender } = ends;
  // A small amount is of what the sender holds, not of its own paper.
  const isHeld = sender !== undefined && source !== XRP && holds(estimates.market, sender, source);
  const asked = courseOf(estimates.market, { ...ends, side: 'in', ...(isHeld && { sender: undefined }) });
  const rates = strands.map((tokens, i) =>
    isOverLine && i === 0
      ? 1 / firstLinePrice(estimates.market, ends)
      : given(estimates, asked, tokens.slice(1, -1), small) / small,
  );
  return Math.max(0, ...rates);
}
