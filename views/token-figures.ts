/**
 * The numbers of a token, each from the part that knows it. undefined = the ledgers seen so far do not tell.
 *
 * Price, market cap (price times issued amount) and value locked (of all the token's pools) are those of
 * engine/market/totals.ts, which sums them.
 */
import { DROPS_PER_XRP, decimalNumber, decimalText } from '../engine/codec/amount.ts';
import { Fiat, Window } from '../engine/market/figures.ts';
import type { Market } from '../engine/market/market.ts';
import { unixMs } from '../engine/ripple-time.ts';
import type { State } from '../engine/state/state.ts';
import { XRP } from './identity.ts';
import { finite } from './plain-number.ts';
import type { TokenSort } from './token-sorts.ts';

export class TokenFigures {
  readonly #state: State;
  readonly #market: Market;

  constructor(state: State, market: Market) {
    this.#state = state;
    this.#market = market;
  }

  /** XRP per token. */
  price(token: number): number | undefined {
    return this.#market.totals.price(token);
  }

  /** US dollars per token. */
  usd(token: number): number | undefined {
    const price = this.price(token);
    const perDollar = this.#market.rates.xrpPer(Fiat.USD);
    return price === undefined || perDollar === undefined ? undefined : finite(price / perDollar);
  }

  /** The token's XRP pool. */
  pool(token: number): number | undefined {
    return token === XRP ? undefined : this.#state.pools.byAssets(XRP, token);
  }

  /** Reserves of the token's XRP pool, in XRP and tokens. */
  reserves(token: number): { readonly xrp: number; readonly tokens: number } | undefined {
    const pool = this.pool(token);
    if (pool === undefined) return undefined;
    const { pools, tokens } = this.#state;
    const xrpFirst = pools.asset1(pool) === XRP;
    const xrp = pools.reserveRaw(pool, xrpFirst ? 1 : 2);
    const other = pools.reserveRaw(pool, xrpFirst ? 2 : 1);
    return { xrp: tokens.number(XRP, ...xrp), tokens: tokens.number(token, ...other) };
  }

  /** Value that the token's pools lock, XRP. */
  tvl(token: number): number | undefined {
    return token === XRP ? undefined : this.#market.totals.lockedOf(token);
  }

  /** Issued amount as exact text; XRP: all that exists. */
  amountText(token: number): string {
    if (token === XRP) return decimalText({ m: this.#state.fees.totalDrops, e: -6 });
    return decimalText(this.#state.lines.supply(token));
  }

  amount(token: number): number {
    if (token === XRP) return Number(this.#state.fees.totalDrops) / DROPS_PER_XRP;
    return decimalNumber(this.#state.lines.supply(token));
  }

  /** XRP. */
  marketcap(token: number): number | undefined {
    return token === XRP ? this.amount(XRP) : this.#market.totals.marketcapOf(token);
  }

  /** XRP. */
  volume(token: number, window: Window): number {
    return this.#market.windows.volumeDrops(token, window) / DROPS_PER_XRP;
  }

  /** The key a list is sorted by; NaN = nothing known. */
  key(sort: TokenSort, token: number): number {
    return this.#key(sort, token) ?? Number.NaN;
  }

  #key(sort: TokenSort, token: number): number | undefined {
    const { windows } = this.#market;
    const { lines, tokens } = this.#state;
    switch (sort) {
      case 'vol24hxrp':
        return this.volume(token, Window.h24);
      case 'vol6hxrp':
        return this.volume(token, Window.h6);
      case 'vol7dxrp':
        return this.volume(token, Window.d7);
      case 'vol24htx':
        return windows.trades(token, Window.h24);
      case 'uniqueTraders24h':
        return windows.uniqueTraders(token);
      case 'marketcap':
        return this.marketcap(token);
      case 'exch':
        return this.price(token);
      case 'pro5m':
        return windows.change(token, Window.m5);
      case 'pro1h':
        return windows.change(token, Window.h1);
      case 'pro24h':
        return windows.change(token, Window.h24);
      case 'pro7d':
        return windows.change(token, Window.d7);
      case 'pro30d':
        return windows.change(token, Window.d30);
      case 'holders':
        return lines.holdersCount(token);
      case 'trustlines':
        return lines.lineCount(token);
      case 'supply':
        return this.amount(token);
      case 'tvl':
        return this.tvl(token);
      case 'dateon':
        return tokens.createdAt(token) || undefined;
      case 'trendingScore':
      case 'assessmentScore':
      case 'nginxScore':
      case 'name':
        // Scores and page views are not on the ledger; names are not numbers.
        return undefined;
    }
  }

  /** Unix ms of the first appearance; undefined for tokens that are older than what was seen. */
  dateon(token: number): number | undefined {
    const time = this.#state.tokens.createdAt(token);
    return time > 0 ? unixMs(time) : undefined;
  }

  /** Activity and size in one number, for ranking search results: orders of magnitude of money and people. */
  weight(token: number): number {
    const holders = this.#state.lines.holdersCount(token);
    return (
      Math.log10(1 + this.volume(token, Window.h24)) +
      Math.log10(1 + (this.tvl(token) ?? 0)) +
      Math.log10(1 + holders)
    );
  }
}
