/**
 * What a pair would give, about: to choose among many paths before the best few are computed exactly. Doubles, in drops and
 * tokens; the first offers of the book and the pool together, merged by price as the ledger would use them.
 *
 * Non-goals: exactness, offers that share an owner's funds. Cost: 0.1 to 0.5 microseconds an offer.
 */
import { rawNumber } from '../codec/amount.ts';
import { PARITY } from '../codec/arithmetic/amount-arithmetic.ts';
import { TokenKind, XRP } from '../state/tokens.ts';
import { isAuthorized, isDeepFrozen, isFrozen, transferRate } from './line-rules.ts';
import type { Market } from './market.ts';

/** Offers of a book that an estimate looks at. */
const OFFERS_MAX = 12;
const DROPS = 1e6;
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

export class Estimates {
  readonly #market: Market;

  constructor(market: Market) {
    this.#market = market;
  }

  /** Whether there is anything to exchange. */
  isOpen(pays: number, gets: number): boolean {
    const { books, pools } = this.#market;
    const book = books.book(pays, gets);
    return (book !== undefined && books.size(book) > 0) || pools.byAssets(pays, gets) !== undefined;
  }

  /** About the output for an input; what is left when all is taken is lost. */
  outFor(pays: number, gets: number, input: number): number {
    let left = (input * PARITY) / transferRate(this.#market, pays);
    let out = 0;
    const curve = this.#curve(pays, gets);
    this.#eachOffer(pays, gets, (wants, gives) => {
      if (curve) {
        const used = Math.min(left, untilPrice(curve, wants / gives));
        out += swapIn(curve, used);
        left -= used;
      }
      const share = Math.min(1, left / wants);
      out += share * gives;
      left -= share * wants;
      return left > 0;
    });
    if (curve && left > 0) out += swapIn(curve, left);
    return out;
  }

  /** About the input for an output; Infinity when there is not as much. */
  inFor(pays: number, gets: number, output: number): number {
    if (!Number.isFinite(output)) return output;
    let left = output;
    let input = 0;
    const curve = this.#curve(pays, gets);
    this.#eachOffer(pays, gets, (wants, gives) => {
      if (curve) {
        const used = Math.min(untilPrice(curve, wants / gives), inputFor(curve, left));
        input += used;
        left -= swapIn(curve, used);
      }
      const share = Math.max(0, Math.min(1, left / gives));
      input += share * wants;
      left -= share * gives;
      return left > output * 1e-12;
    });
    if (left > output * 1e-12) input += curve ? inputFor(curve, left) : Number.POSITIVE_INFINITY;
    return (input * transferRate(this.#market, pays)) / PARITY;
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

  /** @param visit what the offer wants and its owner can give; false: that is enough */
  #eachOffer(pays: number, gets: number, visit: (wants: number, gives: number) => boolean): void {
    const { books, fees, tokens } = this.#market;
    const book = books.book(pays, gets);
    if (book === undefined) return;
    const offers = books.offers(book);
    for (let i = 0; i < Math.min(offers.length, OFFERS_MAX); i += 1) {
      const offer = offers[i]!;
      if (books.expired(offer, fees.closeTime)) continue;
      const wants = numberOf(pays, books.paysHi[offer]!, books.paysLo[offer]!);
      const gives = numberOf(gets, books.getsHi[offer]!, books.getsLo[offer]!);
      const owner = books.accounts[offer]!;
      if (!isAuthorized(this.#market, owner, pays) || isDeepFrozen(this.#market, owner, pays)) continue;
      const isIssuer = gets !== XRP && tokens.issuers[gets] === owner;
      const share = isIssuer ? 1 : Math.min(1, this.#funds(owner, gets) / gives);
      if (share > 0 && !visit(wants * share, gives * share)) return;
    }
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
