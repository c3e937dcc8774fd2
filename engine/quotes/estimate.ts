/**
 * What a pair gives at most, and costs at least: to choose among many paths, and to know which of them need not be computed exactly.
 * Doubles, in drops and tokens; the offers of the book and the pool together, merged by price, each at its best:
 *
 *     offer    at its directory's quality or at the rate of what is left of it, whichever is better for the taker; as much as its
 *              owner can give when nothing else has been taken from it
 *     pool     along its curve in one piece: pieces cost more, since the fee of each stays in the pool
 *
 * The ledger rounds for the owners of offers and pools, so that its payments are never better than this, but for errors of doubles.
 *
 * Pairs are read once and kept: an object of this class is for searches on one ledger. Reading them is two fifths of a search, and
 * searches have most of them in common, so those of one ledger share one object.
 *
 * Non-goals: transfer fees (path-estimates.ts), offers that share an owner's funds. Cost: half a microsecond an offer that is read,
 * a few at a time as far as an amount needs them; some nanoseconds where it is known.
 */
import { DROPS_PER_XRP, rawNumber } from '../codec/amount.ts';
import { QUALITY_EXPONENT } from '../codec/arithmetic/quality.ts';
import { TokenKind, XRP } from '../state/tokens.ts';
import { keyWithToken } from './amounts.ts';
import { FirstOffers } from './first-offers.ts';
import { isAuthorized, isDeepFrozen, isFrozen } from './line-rules.ts';
import type { Market } from './market.ts';

/** Offers of a book that are read at a time. */
const OFFERS_A_STEP = 12;
/** And at most: what comes after them is taken as if it were without end, at their last price. */
const OFFERS_MAX = 252;
/** By as much, relatively, the rate of what rounding left of one of those may be better than its quality. */
const TAIL_ROUNDING = 1e-6;
/** What is left of an output below this share is a rounding error. */
const ROUNDING = 1e-12;
/** A pool's trading fee is in these units. */
const FEE_UNITS = 100_000;

/** Drops, or tokens. */
function numberOf(token: number, hi: number, lo: number): number {
  return token === XRP
    ? rawNumber(TokenKind.xrp, hi, lo) * DROPS_PER_XRP
    : rawNumber(TokenKind.issued, hi, lo);
}

/** A pool's balances in the direction of a payment; `keep`: the share of the input that the fee leaves. */
interface Curve {
  in: number;
  out: number;
  keep: number;
}

/** What there is between two tokens. */
interface Pair {
  readonly pays: number;
  readonly gets: number;
  readonly book: number | undefined;
  /** The pool before the payment. */
  readonly curve: Readonly<Curve> | undefined;
  /** Of each offer that is at least partly funded, best first: what it wants, and what its owner can give for it. */
  readonly wants: number[];
  readonly gives: number[];
  /** Offers that were read, and the quality of the last one. */
  read: number;
  lastPrice: number;
  /** In per out of the best offer that is listed, funded or not, or of the pool; Infinity: there is neither. */
  readonly listed: number;
}

/** Pairs that are kept: some 400 bytes each. */
const PAIRS_MAX = 16_384;

export class Estimates {
  readonly market: Market;
  /** What is computed exactly, and holds for other ledgers too. */
  readonly firstOffers: FirstOffers;
  readonly #pairs = new Map<number, Pair>();
  readonly #payer: number | undefined;
  /** Pools with a discount for somebody; undefined: nobody has asked. */
  #discounting: readonly number[] | undefined;
  /** The pool while a payment takes from it. */
  readonly #moved: Curve = { in: 0, out: 0, keep: 0 };

  /** @param payer account id; undefined: any that has no discount of a pool */
  constructor(market: Market, firstOffers = new FirstOffers(), payer?: number) {
    this.market = market;
    this.firstOffers = firstOffers;
    this.#payer = payer;
  }

  /** Those of who pays: others than these where a pool has a discount for the account. */
  of(payer: number | undefined): Estimates {
    const { market, firstOffers } = this;
    if (payer === undefined) return this;
    const { closeTime } = market.fees;
    this.#discounting ??= market.pools.withDiscounts(closeTime);
    const isOther = market.pools.hasDiscount(payer, this.#discounting, closeTime);
    return isOther ? new Estimates(market, firstOffers, payer) : this;
  }

  /** Whether there is anything to exchange. */
  isOpen(pays: number, gets: number): boolean {
    const { books, pools } = this.market;
    const book = books.book(pays, gets);
    return (book !== undefined && books.size(book) > 0) || pools.byAssets(pays, gets) !== undefined;
  }

  /** Whether a pool is between the two. */
  hasPool(pays: number, gets: number): boolean {
    return this.#pair(pays, gets).curve !== undefined;
  }

  /** The best price, in per out, at which the ledger may list the pair at the beginning of a payment; Infinity: none. */
  listed(pays: number, gets: number): number {
    return this.#pair(pays, gets).listed;
  }

  /** The most that an input gives; what is left when all is taken is lost. */
  outFor(pays: number, gets: number, input: number): number {
    const pair = this.#pair(pays, gets);
    const { curve: pool, wants, gives } = pair;
    let left = input;
    let out = 0;
    const curve = pool && this.#before(pool);
    for (let i = 0; left > 0 && this.#hasOffer(pair, i); i += 1) {
      if (curve) {
        const used = Math.min(left, untilPrice(curve, wants[i]! / gives[i]!));
        out += swapIn(curve, used);
        left -= used;
      }
      const share = Math.min(1, left / wants[i]!);
      out += share * gives[i]!;
      left -= share * wants[i]!;
    }
    if (curve && left > 0) out += swapIn(curve, left);
    return out;
  }

  /** The least that an output needs; Infinity when there is not as much. */
  inFor(pays: number, gets: number, output: number): number {
    if (!Number.isFinite(output)) return output;
    const pair = this.#pair(pays, gets);
    const { curve: pool, wants, gives } = pair;
    const enough = output * ROUNDING;
    let left = output;
    let input = 0;
    const curve = pool && this.#before(pool);
    for (let i = 0; left > enough && this.#hasOffer(pair, i); i += 1) {
      if (curve) {
        const used = Math.min(untilPrice(curve, wants[i]! / gives[i]!), inputFor(curve, left));
        input += used;
        left -= swapIn(curve, used);
      }
      const share = Math.max(0, Math.min(1, left / gives[i]!));
      input += share * wants[i]!;
      left -= share * gives[i]!;
    }
    if (left > enough) input += curve ? inputFor(curve, left) : Number.POSITIVE_INFINITY;
    return input;
  }

  /** A pool as it is before the payment; valid until the next call. */
  #before(pool: Readonly<Curve>): Curve {
    const moved = this.#moved;
    moved.in = pool.in;
    moved.out = pool.out;
    moved.keep = pool.keep;
    return moved;
  }

  #pair(pays: number, gets: number): Pair {
    const key = keyWithToken(pays, gets);
    let pair = this.#pairs.get(key);
    if (!pair) {
      const { books } = this.market;
      const book = books.book(pays, gets);
      const curve = this.#curve(pays, gets);
      const first = book === undefined ? undefined : books.offers(book)[0];
      const listed = Math.min(
        first === undefined ? Number.POSITIVE_INFINITY : this.#price(first),
        curve ? curve.in / curve.out / curve.keep : Number.POSITIVE_INFINITY,
      );
      pair = { pays, gets, book, curve, wants: [], gives: [], read: 0, lastPrice: 0, listed };
      if (this.#pairs.size >= PAIRS_MAX) this.#pairs.clear();
      this.#pairs.set(key, pair);
    }
    return pair;
  }

  /** The quality of an offer's directory: in per out. */
  #price(offer: number): number {
    const { qualityHi, qualityLo } = this.market.books;
    const hi = qualityHi[offer]!;
    return ((hi & 0xff_ffff) * 2 ** 32 + qualityLo[offer]!) * 10 ** ((hi >>> 24) - QUALITY_EXPONENT);
  }

  #curve(pays: number, gets: number): Curve | undefined {
    const { pools, fees } = this.market;
    const pool = pools.byAssets(pays, gets);
    if (pool === undefined) return undefined;
    const account = pools.accounts[pool]!;
    if (isFrozen(this.market, account, pays) || isFrozen(this.market, account, gets)) return undefined;
    if (!isAuthorized(this.market, account, pays)) return undefined;
    const isFirst = pools.asset1(pool) === pays;
    const [inHi, inLo] = pools.reserveRaw(pool, isFirst ? 1 : 2);
    const [outHi, outLo] = pools.reserveRaw(pool, isFirst ? 2 : 1);
    const curve = {
      in: numberOf(pays, inHi, inLo),
      out: numberOf(gets, outHi, outLo),
      keep: 1 - pools.feeFor(pool, this.#payer, fees.closeTime) / FEE_UNITS,
    };
    return curve.in > 0 && curve.out > 0 ? curve : undefined;
  }

  /** Whether there is an offer at a place of `wants` and `gives`; reads as far as needed. */
  #hasOffer(pair: Pair, place: number): boolean {
    if (place < pair.wants.length) return true;
    const { book, wants } = pair;
    if (book === undefined) return false;
    const offers = this.market.books.offers(book);
    while (place >= wants.length && pair.read < offers.length) {
      if (pair.read >= OFFERS_MAX) {
        // Ledgers look at a thousand; more than those is asked for by amounts that no book has.
        pair.read = offers.length;
        wants.push(Number.MAX_VALUE);
        pair.gives.push((Number.MAX_VALUE / pair.lastPrice) * (1 + TAIL_ROUNDING));
        break;
      }
      const to = Math.min(offers.length, pair.read + OFFERS_A_STEP);
      for (; pair.read < to; pair.read += 1) this.#readOffer(pair, offers[pair.read]!);
    }
    return place < wants.length;
  }

  #readOffer(pair: Pair, offer: number): void {
    const { books, fees, tokens } = this.market;
    const { pays, gets } = pair;
    if (books.expired(offer, fees.closeTime)) return;
    pair.lastPrice = this.#price(offer);
    const whole = numberOf(gets, books.getsHi[offer]!, books.getsLo[offer]!);
    const owner = books.accounts[offer]!;
    if (!isAuthorized(this.market, owner, pays) || isDeepFrozen(this.market, owner, pays)) return;
    const isIssuer = gets !== XRP && tokens.issuers[gets] === owner;
    const share = isIssuer ? 1 : Math.min(1, this.#funds(owner, gets) / whole);
    if (!(share > 0)) return;
    const asked = numberOf(pays, books.paysHi[offer]!, books.paysLo[offer]!);
    const wanted = Math.min(asked, whole * pair.lastPrice) * share;
    // For what the owner can still give the ledger asks whole drops, rounded down.
    pair.wants.push(pays === XRP && share < 1 ? Math.floor(wanted) : wanted);
    pair.gives.push(whole * share);
  }

  #funds(account: number, token: number): number {
    const { accounts, fees, lines } = this.market;
    if (token === XRP) {
      const reserve = fees.reserveBaseDrops + fees.reserveIncrementDrops * accounts.ownerCount[account]!;
      return Number(accounts.balanceDrops(account)) - reserve;
    }
    const line = lines.find(account, token);
    if (line === undefined || isFrozen(this.market, account, token)) return 0;
    const [hi, lo] = lines.balanceRaw(line, token);
    return numberOf(token, hi, lo);
  }
}

/** Takes an input into the pool, of which the fee is left out of its balances. @returns its output */
function swapIn(curve: Curve, input: number): number {
  const out = curve.out - (curve.in * curve.out) / (curve.in + input * curve.keep);
  curve.in += input * curve.keep;
  curve.out -= out;
  return out;
}

function inputFor(curve: Curve, output: number): number {
  if (output >= curve.out) return Number.POSITIVE_INFINITY;
  return ((curve.in * curve.out) / (curve.out - output) - curve.in) / curve.keep;
}

/** The input after which the pool's own price is no better than `price` (in per out). */
function untilPrice(curve: Curve, price: number): number {
  const wanted = Math.sqrt(curve.in * curve.out * price * curve.keep);
  return Math.max(0, (wanted - curve.in) / curve.keep);
}
