/**
 * How much XRP is offered for a token: the XRP of its pool, and the funded offers of the open book that pay XRP for it
 * near its price. Holders could sell for that much, and supporting a false price costs that much.
 */
import { DROPS_PER_XRP } from '../codec/amount.ts';
import { XRP } from '../state/tokens.ts';
import type { TokenAmounts } from './state-view.ts';

/** Offers further below the price than this fraction do not count. */
const NEAR = 0.05;
/** Offers read in one book. */
const OFFERS_MAX = 200;

export interface DepthState {
  readonly accounts: { spendableDrops(account: number): bigint };
  readonly tokens: TokenAmounts;
  readonly books: {
    readonly accounts: Uint32Array;
    readonly paysHi: Uint32Array;
    readonly paysLo: Uint32Array;
    readonly getsHi: Uint32Array;
    readonly getsLo: Uint32Array;
    book(paysToken: number, getsToken: number): number | undefined;
    /** Best first. */
    offers(book: number): Uint32Array;
    expired(offer: number, closeTime: number): boolean;
  };
}

/**
 * @param price XRP per token, 0 = unknown: then only the pool counts
 * @param poolDrops drops in the token's XRP pool
 * @returns XRP
 */
export function xrpDepth(
  state: DepthState,
  token: number,
  price: number,
  poolDrops: number,
  time: number,
): number {
  return poolDrops / DROPS_PER_XRP + xrpBids(state, token, price * (1 - NEAR), time);
}

/**
 * XRP of the open book's offers that pay at least `least` XRP a token; an owner's XRP counts once.
 * @param least 0: none counts
 */
export function xrpBids(
  { accounts, books, tokens }: DepthState,
  token: number,
  least: number,
  time: number,
): number {
  const book = least > 0 ? books.book(token, XRP) : undefined;
  if (book === undefined) return 0;
  const left = new Map<number, number>();
  let sum = 0;
  const offers = books.offers(book);
  for (let i = 0; i < Math.min(offers.length, OFFERS_MAX); i++) {
    const offer = offers[i]!;
    if (books.expired(offer, time)) continue;
    const gives = tokens.number(XRP, books.getsHi[offer]!, books.getsLo[offer]!);
    const wants = tokens.number(token, books.paysHi[offer]!, books.paysLo[offer]!);
    if (!(gives / wants >= least)) break;
    const owner = books.accounts[offer]!;
    const own = left.get(owner) ?? Number(accounts.spendableDrops(owner)) / DROPS_PER_XRP;
    const given = Math.min(gives, own);
    left.set(owner, own - given);
    sum += given;
  }
  return sum;
}
