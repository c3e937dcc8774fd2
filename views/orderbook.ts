/**
 * The open order book of two tokens, as bids and asks in prices of the quote token.
 *
 *   asks: offers that give the base   price = pays / gets   lowest first
 *   bids: offers that want the base   price = gets / pays   highest first
 *
 * When the base is XRP, base and quote change places: clients read price = XRP per token whichever way they ask.
 * Left out are expired offers, offers whose owner cannot deliver anything (see funding.ts) and, since they
 * are not open to everybody, offers of permissioned domains. Pools are not mixed in.
 *
 * Quotes walk the same offers with rules of their own (engine/quotes/book-hop.ts), and one walk with a parameter for each
 * difference would be longer than the two, and slower for both:
 *
 *     listing   for any taker     the owner pays the transfer fee      exact fractions    all offers in one pass; the pool is left out
 *     payment   for this taker    the taker pays it                    rounded as the     one quality a round, with the pool's offer
 *               (its own funds)   (unless an issuer takes part)        ledger rounds      between; what it takes changes the next one;
 *                                                                                         offers it may not take are removed
 *
 * What an owner can spend is the same in both where no such rule applies: test/engine/quotes/depth.test.ts compares the two
 * over random markets.
 *
 * `amount` is what the offer still has, `total` its price in the quote token, `funded` the part of `amount` that its
 * owner can deliver. All exact decimal text, 16 significant digits where a division is needed.
 */

import { type Decimal, decimalText, XRP_EXPONENT } from '../engine/codec/amount.ts';
import { QUALITY_EXPONENT } from '../engine/codec/arithmetic/quality.ts';
import { isFrozen } from '../engine/quotes/line-rules.ts';
import { AccountFlag } from '../engine/state/accounts.ts';
import type { State } from '../engine/state/state.ts';
import { TokenKind, XRP } from '../engine/state/tokens.ts';
import { type FundedOffer, type Funds, fundedOffers, type OpenOffer } from './funding.ts';
import { ratioText } from './ratio.ts';

export interface BookRow {
  readonly price: string;
  readonly amount: string;
  readonly total: string;
  readonly account: string;
  readonly funded: string;
}

export interface OrderBook {
  readonly base: number;
  readonly quote: number;
  readonly bids: readonly BookRow[];
  readonly asks: readonly BookRow[];
}

/** @param now close time of the newest ledger: offers whose expiration is not later are expired. */
export function orderBook(state: State, base: number, quote: number, limit: number, now: number): OrderBook {
  const [b, q] = base === XRP ? [quote, base] : [base, quote];
  const asks = take(fundedBook(state, q, b, now), limit).map((offer) => row(state, offer, 'ask'));
  const bids = take(fundedBook(state, b, q, now), limit).map((offer) => row(state, offer, 'bid'));
  return { base: b, quote: q, bids, asks };
}

function row(state: State, offer: FundedOffer, side: 'bid' | 'ask'): BookRow {
  const [amount, total, funded] =
    side === 'ask' ? [offer.gets, offer.pays, offer.fundedGets] : [offer.pays, offer.gets, offer.fundedPays];
  return {
    price: priceText(state, offer, side),
    amount: decimalText(amount),
    total: decimalText(total),
    account: state.accounts.text(offer.account),
    funded: decimalText(funded),
  };
}

/**
 * The rate at which the offer was placed, by which the ledger sorts the book (what is left of a partly taken offer
 * has a slightly other ratio, from rounding). Falls back to that ratio where no rate is known.
 */
function priceText(state: State, offer: FundedOffer, side: 'bid' | 'ask'): string {
  const { books, tokens } = state;
  const hi = books.qualityHi[offer.offer]!;
  const mantissa = (BigInt(hi & 0xffffff) << 32n) | BigInt(books.qualityLo[offer.offer]!);
  if (mantissa === 0n) {
    return side === 'ask' ? ratioText(offer.pays, offer.gets) : ratioText(offer.gets, offer.pays);
  }
  // Pays per gets, both in their smallest units.
  const shift =
    tokens.unitExponent(books.paysTokens[offer.offer]!) - tokens.unitExponent(books.getsTokens[offer.offer]!);
  const rate: Decimal = { m: mantissa, e: (hi >>> 24) - QUALITY_EXPONENT + shift };
  return side === 'ask' ? decimalText(rate) : ratioText(NO_FEE, rate);
}

/** The funded offers that want `pays` and give `gets`, best first. */
export function fundedBook(state: State, pays: number, gets: number, now: number): Iterable<FundedOffer> {
  const book = state.books.book(pays, gets);
  if (book === undefined) return [];
  const funds = fundsOf(state, gets);
  const offers = openOffers(state, book, pays, gets, now);
  return fundedOffers(offers, isGloballyFrozen(state, pays) ? frozenFunds(state, gets, funds) : funds);
}

/** What is wanted is frozen everywhere: only the issuer of what is given can still deliver (as rippled counts). */
function frozenFunds(state: State, gets: number, funds: Funds): Funds {
  const issuer = gets === XRP ? undefined : state.tokens.issuer(gets);
  return {
    transferRate: funds.transferRate,
    spendable: (account) => (account === issuer ? undefined : { m: 0n, e: 0 }),
  };
}

/** MPTokenIssuance flag lsfMPTLocked. */
const ISSUANCE_LOCKED = 0x0001;

/** Whether nobody but the issuer can give it: by the issuer's global freeze, or the lock of an issuance. */
export function isGloballyFrozen(state: State, token: number): boolean {
  const { accounts, tokens } = state;
  if (token === XRP) return false;
  if (tokens.kind(token) === TokenKind.mpt) return (tokens.issuanceFlags[token]! & ISSUANCE_LOCKED) !== 0;
  return (accounts.flags[tokens.issuer(token)]! & AccountFlag.globalFreeze) !== 0;
}

/** Offers of one side that are read at most: bounds what a book of expired and unfunded ones costs, to about 20 ms. */
const OFFERS_MAX = 10_000;

function* openOffers(
  state: State,
  book: number,
  pays: number,
  gets: number,
  now: number,
): Generator<OpenOffer> {
  const { books, tokens } = state;
  const offers = books.offers(book);
  for (let i = 0; i < Math.min(offers.length, OFFERS_MAX); i++) {
    const offer = offers[i]!;
    if (books.expired(offer, now)) continue;
    yield {
      offer,
      account: books.accounts[offer]!,
      pays: tokens.decimal(pays, books.paysHi[offer]!, books.paysLo[offer]!),
      gets: tokens.decimal(gets, books.getsHi[offer]!, books.getsLo[offer]!),
    };
  }
}

/** The ledger holds the rate in billionths; 0 = no fee. */
const RATE_EXPONENT = -9;
const NO_FEE: Decimal = { m: 1n, e: 0 };

/** What accounts can spend of a token now. */
export function fundsOf(state: State, token: number): Funds {
  const { accounts, tokens, lines } = state;
  if (token === XRP) {
    return {
      transferRate: NO_FEE,
      spendable: (account) => ({ m: accounts.spendableDrops(account), e: XRP_EXPONENT }),
    };
  }
  const issuer = tokens.issuer(token);
  const isMpt = tokens.kind(token) === TokenKind.mpt;
  const isLocked = isMpt && isGloballyFrozen(state, token);
  return {
    transferRate: transferRate(state, token),
    spendable: (account) => {
      if (account === issuer) return undefined;
      const line = lines.find(account, token);
      const isOpen =
        line !== undefined &&
        (isMpt ? !isLocked && !lines.frozenByIssuer(line, token) : !isFrozen(state, account, token));
      if (!isOpen) return { m: 0n, e: 0 };
      const [hi, lo] = lines.balanceRaw(line, token);
      return tokens.decimal(token, hi, lo);
    },
  };
}

function transferRate(state: State, token: number): Decimal {
  const { accounts, tokens } = state;
  if (tokens.kind(token) === TokenKind.mpt) {
    // 1/100000 of the transfer on top.
    return { m: 100_000n + BigInt(tokens.transferFee[token]!), e: -5 };
  }
  const rate = accounts.transferRate[tokens.issuer(token)]!;
  return rate === 0 ? NO_FEE : { m: BigInt(rate), e: RATE_EXPONENT };
}

function take<T>(items: Iterable<T>, limit: number): T[] {
  const out: T[] = [];
  if (limit <= 0) return out;
  for (const item of items) {
    out.push(item);
    if (out.length >= limit) break;
  }
  return out;
}
