/**
 * The numbers of a token, each from the part that knows it. undefined = not known from the ledgers seen so far.
 *
 * Price, market cap (price times issued amount) and value locked (of all the token's pools) are those of
 * engine/market/totals.ts, which sums them.
 */

import { DROPS_PER_XRP, decimalNumber, decimalText } from '../engine/codec/amount.ts';
import type { Engine } from '../engine/engine.ts';
import type { Creators } from '../engine/flows/creators.ts';
import { Fiat, Window } from '../engine/market/figures.ts';
import type { Market } from '../engine/market/market.ts';
import { type AssessmentInputs, assessmentScore } from '../engine/metrics/assessment-score.ts';
import { trendingScore } from '../engine/metrics/trending-score.ts';
import { unixMs } from '../engine/ripple-time.ts';
import { issuerRights, lpBurned } from '../engine/risk/features.ts';
import type { State } from '../engine/state/state.ts';
import { XRP } from '../engine/state/tokens.ts';
import type { Standing } from '../platform/token-metadata.ts';
import { finite, percent } from './number-format.ts';

/** Figures that are kept by someone else. */
export interface KeptFigures {
  /** What the value locked in a token's pools changed by in the last 24 hours, XRP; undefined when that is not known. */
  lockedChange(token: number): number | undefined;
  /** Percent of the supply that the ten largest holders have; undefined where nobody holds it. */
  top10(token: number): number | undefined;
  /** What the service's admin vouches for. */
  standing(token: number): Standing | undefined;
  /** Views in 24 hours. */
  views(token: number): number;
  /** Whether anybody says what it is. */
  isDescribed(token: number): boolean;
}

export class TokenFigures {
  readonly state: State;
  readonly market: Market;
  readonly #kept: KeptFigures;
  readonly #creators: Creators;

  constructor({ state, market, flows }: Pick<Engine, 'state' | 'market' | 'flows'>, kept: KeptFigures) {
    this.state = state;
    this.market = market;
    this.#creators = flows.creators;
    this.#kept = kept;
  }

  /** XRP in 24 hours; undefined: not known. */
  lockedChange(token: number): number | undefined {
    return this.#kept.lockedChange(token);
  }

  /** Percent; undefined where nobody holds it. */
  top10(token: number): number | undefined {
    return this.#kept.top10(token);
  }

  /** How many tokens an account created. */
  createdBy(account: number): number {
    return this.#creators.countOf(account);
  }

  standing(token: number): Standing | undefined {
    return this.#kept.standing(token);
  }

  /** Views in 24 hours (platform/view-counts.ts). */
  views(token: number): number {
    return this.#kept.views(token);
  }

  /** Whether issuer or creator says what it is. */
  isDescribed(token: number): boolean {
    return this.#kept.isDescribed(token);
  }

  /** Account id of who created the token. */
  creator(token: number): number {
    return this.#creators.of(token);
  }

  /** Percent, of four decimals; undefined: not known (engine/flows/creators.ts). */
  creatorHolding(token: number): number | undefined {
    return percent(this.#creators.holding(token));
  }

  /** XRP per token. */
  price(token: number): number | undefined {
    return this.market.totals.price(token);
  }

  /** US dollars per token. */
  usd(token: number): number | undefined {
    const price = this.price(token);
    const perDollar = this.market.rates.xrpPer(Fiat.USD);
    return price === undefined || perDollar === undefined ? undefined : finite(price / perDollar);
  }

  /** The token's XRP pool. */
  pool(token: number): number | undefined {
    return token === XRP ? undefined : this.state.pools.byAssets(XRP, token);
  }

  /** Reserves of the token's XRP pool, in XRP and tokens. */
  reserves(token: number): { readonly xrp: number; readonly tokens: number } | undefined {
    const pool = this.pool(token);
    if (pool === undefined) return undefined;
    const { pools, tokens } = this.state;
    const xrpFirst = pools.asset1(pool) === XRP;
    const xrp = pools.reserveRaw(pool, xrpFirst ? 1 : 2);
    const other = pools.reserveRaw(pool, xrpFirst ? 2 : 1);
    return { xrp: tokens.number(XRP, ...xrp), tokens: tokens.number(token, ...other) };
  }

  /** Value that the token's pools lock, XRP. */
  tvl(token: number): number | undefined {
    return token === XRP ? undefined : this.market.totals.lockedOf(token);
  }

  /** Issued amount as exact text; XRP: all that exists. */
  amountText(token: number): string {
    if (token === XRP) return decimalText({ m: this.state.fees.totalDrops, e: -6 });
    return decimalText(this.state.lines.supply(token));
  }

  amount(token: number): number {
    if (token === XRP) return Number(this.state.fees.totalDrops) / DROPS_PER_XRP;
    return decimalNumber(this.state.lines.supply(token));
  }

  /** XRP. */
  marketcap(token: number): number | undefined {
    return token === XRP ? this.amount(XRP) : this.market.totals.marketcapOf(token);
  }

  /** XRP. */
  volume(token: number, window: Window): number {
    return this.market.windows.volumeDrops(token, window) / DROPS_PER_XRP;
  }

  /** Unix ms of the first appearance; undefined for tokens that are older than the ledgers read. */
  dateon(token: number): number | undefined {
    const time = this.state.tokens.createdAt(token);
    return time > 0 ? unixMs(time) : undefined;
  }

  /** See engine/metrics/trending-score.ts; XRP itself has none. */
  trendingScore(token: number): number | undefined {
    if (token === XRP) return undefined;
    const { windows } = this.market;
    return trendingScore({
      trades1h: windows.trades(token, Window.h1),
      trades24h: windows.trades(token, Window.h24),
      traders24h: windows.uniqueTraders(token),
      volume24h: this.volume(token, Window.h24),
    });
  }

  /** See engine/metrics/assessment-score.ts; undefined for XRP, and where nobody holds it. */
  assessmentScore(token: number): number | undefined {
    const top10 = token === XRP ? undefined : this.top10(token);
    if (top10 === undefined) return undefined;
    return assessmentScore(this.assessment(token, top10));
  }

  /** What that score is made of. */
  assessment(token: number, top10: number): AssessmentInputs {
    return {
      locked: this.tvl(token) ?? 0,
      holders: this.state.lines.holdersCount(token),
      top10,
      traders24h: this.market.windows.uniqueTraders(token),
      lpBurned: lpBurned(this.state, token),
      ...issuerRights(this.state, token),
    };
  }

  /** Activity and size in one number, for ranking search results: orders of magnitude of value and holders. */
  weight(token: number): number {
    const holders = this.state.lines.holdersCount(token);
    return (
      Math.log10(1 + this.volume(token, Window.h24)) +
      Math.log10(1 + (this.tvl(token) ?? 0)) +
      Math.log10(1 + holders)
    );
  }
}
