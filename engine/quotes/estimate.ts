/**
 * What a pair would give, about: to choose among many paths before the best few are computed exactly. Doubles, in drops and
 * tokens; the first offers of the book and the pool together, merged by price as the ledger would use them.
 *
 * Pairs are read once and kept: an object of this class is for searches on one ledger. Reading them is two fifths of a search, and
 * searches have most of them in common, so those of one ledger share one object.
 *
 * Non-goals: exactness, offers that share an owner's funds. Cost: half a microsecond an offer where a pair is read, some
 * nanoseconds where it is known.
 */
import { rawNumber } from '../codec/amount.ts';
import { PARITY } from '../codec/arithmetic/amount-arithmetic.ts';
import { TokenKind, XRP } from '../state/tokens.ts';
import { isAuthorized, isDeepFrozen, isFrozen, transferRate } from './line-rules.ts';
import type { Market } from './market.ts';

/** Offers of a book that an estimate looks at. */
const OFFERS_MAX = 12;
const DROPS = 1e6;
/** What is left of an output below this share is a rounding error. */
const ROUNDING = 1e-12;
const NO_OFFERS = new Uint32Array(0);
/** A pool's trading fee is in these units. */
const FEE_UNITS = 100_000;

/** Drops, or tokens. */
function numberOf(token: number, hi: number, lo: number): number {
  return token === XRP ? rawNumber(TokenKind.xrp, hi, lo) * DROPS : rawNumber(TokenKind.issued, hi, lo);
}

/** A pool's balances in the direction of a payment; `keep`: the share of the input that the fee leaves. */
interface Curve {
  in: number;
  out: number;
  readonly keep: number;
}

/** What there is between two tokens. */
interface Pair {
  /** The pool before the payment. */
  readonly curve: Curve | undefined;
  /** Of each offer that is at least partly funded, best first: what it wants, and what its owner can give for it. */
  readonly wants: readonly number[];
  readonly gives: readonly number[];
}

/** Pairs that are kept: some 400 bytes each. */
const PAIRS_MAX = 16_384;
/** Fewer tokens than this, so that two make one number. */
const TOKENS = 2 ** 24;

export class Estimates {
  readonly #market: Market;
  readonly #pairs = new Map<number, Pair>();

  constructor(market: Market) {
    this.#market = market;
  }

  /** Whether there is anything to exchange. */
  isOpen(pays: number, gets: number): boolean {
    const { books, pools } = this.#market;
    const book = books.book(pays, gets);
    return (book !== undefined && books.size(book) > 0) || pools.byAssets(pays, gets) !== undefined;
  }

  /** What a holder pays to pass on one unit of a token. */
  feeOf(token: number): number {
    return transferRate(this.#market, token) / PARITY;
  }

  /** About the output for an input; what is left when all is taken is lost. */
  outFor(pays: number, gets: number, input: number): number {
    const { curve: pool, wants, gives } = this.#pair(pays, gets);
    let left = input / this.feeOf(pays);
    let out = 0;
    const curve = pool && { ...pool };
    for (let i = 0; i < wants.length && left > 0; i += 1) {
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

  /** About the input for an output; Infinity when there is not as much. */
  inFor(pays: number, gets: number, output: number): number {
    if (!Number.isFinite(output)) return output;
    const { curve: pool, wants, gives } = this.#pair(pays, gets);
    const enough = output * ROUNDING;
    let left = output;
    let input = 0;
    const curve = pool && { ...pool };
    for (let i = 0; i < wants.length && left > enough; i += 1) {
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
    return input * this.feeOf(pays);
  }

  #pair(pays: number, gets: number): Pair {
    const key = pays * TOKENS + gets;
    let pair = this.#pairs.get(key);
    if (!pair) {
      pair = { curve: this.#curve(pays, gets), ...this.#offers(pays, gets) };
      if (this.#pairs.size >= PAIRS_MAX) this.#pairs.clear();
      this.#pairs.set(key, pair);
    }
    return pair;
  }

  #curve(pays: number, gets: number): Curve | undefined {
    const { pools } = this.#market;
    const pool = pools.byAssets(pays, gets);
    if (pool === undefined) return undefined;
    const account = pools.accounts[pool]!;
    if (isFrozen(this.#market, account, pays) || isFrozen(this.#market, account, gets)) return undefined;
    if (!isAuthorized(this.#market, account, pays)) return undefined;
    const isFirst = pools.asset1(pool) === pays;
    const [inHi, inLo] = pools.reserveRaw(pool, isFirst ? 1 : 2);
    const [outHi, outLo] = pools.reserveRaw(pool, isFirst ? 2 : 1);
    const curve = {
      in: numberOf(pays, inHi, inLo),
      out: numberOf(gets, outHi, outLo),
      keep: 1 - pools.fee(pool) / FEE_UNITS,
    };
    return curve.in > 0 && curve.out > 0 ? curve : undefined;
  }

  #offers(pays: number, gets: number): Pick<Pair, 'wants' | 'gives'> {
    const { books, fees, tokens } = this.#market;
    const wants: number[] = [];
    const gives: number[] = [];
    const book = books.book(pays, gets);
    const offers = book === undefined ? NO_OFFERS : books.offers(book);
    for (let i = 0; i < Math.min(offers.length, OFFERS_MAX); i += 1) {
      const offer = offers[i]!;
      if (books.expired(offer, fees.closeTime)) continue;
      const whole = numberOf(gets, books.getsHi[offer]!, books.getsLo[offer]!);
      const owner = books.accounts[offer]!;
      if (!isAuthorized(this.#market, owner, pays) || isDeepFrozen(this.#market, owner, pays)) continue;
      const isIssuer = gets !== XRP && tokens.issuers[gets] === owner;
      const share = isIssuer ? 1 : Math.min(1, this.#funds(owner, gets) / whole);
      if (!(share > 0)) continue;
      wants.push(numberOf(pays, books.paysHi[offer]!, books.paysLo[offer]!) * share);
      gives.push(whole * share);
    }
    return { wants, gives };
  }

  #funds(account: number, token: number): number {
    const { accounts, fees, lines } = this.#market;
    if (token === XRP) {
      const reserve = fees.reserveBaseDrops + fees.reserveIncrementDrops * accounts.ownerCount[account]!;
      return Number(accounts.balanceDrops(account)) - reserve;
    }
    const line = lines.find(account, token);
    if (line === undefined || isFrozen(this.#market, account, token)) return 0;
    const [hi, lo] = lines.balanceRaw(line, token);
    return numberOf(token, hi, lo);
  }
}

/** Takes an input into the pool. @returns its output */
function swapIn(curve: Curve, input: number): number {
  const out = curve.out - (curve.in * curve.out) / (curve.in + input * curve.keep);
  curve.in += input;
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
