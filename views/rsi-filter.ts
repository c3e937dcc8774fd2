/**
 * Which tokens `/rsi` lists: those with an RSI in any frame, within the bounds that were sent.
 *
 * All tokens are looked at: figures that are sums over pools are read from the kept orders of the list, where they are kept
 * up to date. Computing them for 120,000 tokens takes 60 ms, reading all of these 1 ms.
 */
import { Window } from '../engine/market/figures.ts';
import type { RsiFrame } from '../engine/market/relative-strength.ts';
import { RSI_OVERBOUGHT, RSI_OVERSOLD } from '../engine/metrics/rsi.ts';
import type { TokenSort } from './token-fields.ts';
import type { TokenViews } from './token-views.ts';

type Figure = (tokens: TokenViews) => (token: number) => number | undefined;

/** The figure that a list is sorted by. NaN, where nothing is known, is outside of every bound. */
const sortedBy =
  (sort: TokenSort): Figure =>
  (tokens) =>
    tokens.keys(sort);

const strength =
  (frame: RsiFrame): Figure =>
  ({ figures: { market } }) =>
  (token) =>
    market.strength.of(token, frame);

/** What has a least and a largest value, by the names of the parameters without `min` and `max`. */
const FIGURES = {
  MarketCap: sortedBy('marketcap'),
  Volume24h:
    ({ figures }) =>
    (token) =>
      figures.volume(token, Window.h24),
  PriceChange24h:
    ({ figures: { market } }) =>
    (token) =>
      market.windows.change(token, Window.h24),
  Rsi15m: strength('15m'),
  Rsi1h: strength('1h'),
  Rsi4h: strength('4h'),
  Rsi24h: strength('24h'),
  Rsi7d: strength('7d'),
  Rsi30d: strength('30d'),
  Rsi90d: strength('90d'),
} as const satisfies Record<string, Figure>;

export type BoundedFigure = keyof typeof FIGURES;
export const BOUNDED_FIGURES = Object.keys(FIGURES) as readonly BoundedFigure[];

export type RsiBounds = {
  readonly [K in `min${BoundedFigure}` | `max${BoundedFigure}`]?: number | undefined;
};

export interface RsiQuery extends RsiBounds {
  /** Whose RSI `excludeNeutral` judges. */
  readonly timeframe: RsiFrame;
  /** Launch platform, in any case; `XRPL`: through none. */
  readonly origin?: string | undefined;
  /** Traded in the last 24 hours. */
  readonly activeOnly: boolean;
  /** Overbought or oversold in the frame. */
  readonly excludeNeutral: boolean;
  readonly minHolders?: number | undefined;
  /** XRP. */
  readonly minTVL?: number | undefined;
  readonly minUniqueTraders?: number | undefined;
}

/** As the origin of tokens that came through no platform. */
const NO_PLATFORM = 'xrpl';

/** The orders that the filter reads: `listReady` of each must be awaited. */
export function ordersOfFilter({ minMarketCap, maxMarketCap, minTVL }: RsiQuery): TokenSort[] {
  const orders: TokenSort[] = [];
  if (minMarketCap !== undefined || maxMarketCap !== undefined) orders.push('marketcap');
  if (minTVL !== undefined) orders.push('tvl');
  return orders;
}

/** Whether a token passes, until the next ledger. A token whose figure is not known is outside every bound of it. */
export function rsiFilter(tokens: TokenViews, query: RsiQuery): (token: number) => boolean {
  const { market, state } = tokens.figures;
  const { strength, windows } = market;
  const checks: ((token: number) => boolean)[] = [];
  const bound = (
    figure: (token: number) => number | undefined,
    min = Number.NEGATIVE_INFINITY,
    max = Number.POSITIVE_INFINITY,
  ) => {
    checks.push((token) => {
      const value = figure(token);
      return value !== undefined && value >= min && value <= max;
    });
  };
  const { minHolders, minTVL, minUniqueTraders, timeframe } = query;
  if (query.activeOnly) bound((token) => windows.trades(token, Window.h24), 1);
  if (minHolders !== undefined) bound((token) => state.lines.holdersCount(token), minHolders);
  if (minTVL !== undefined) bound(sortedBy('tvl')(tokens), minTVL);
  if (minUniqueTraders !== undefined) bound((token) => windows.uniqueTraders(token), minUniqueTraders);
  for (const name of BOUNDED_FIGURES) {
    const [min, max] = [query[`min${name}`], query[`max${name}`]];
    if (min !== undefined || max !== undefined) bound(FIGURES[name](tokens), min, max);
  }
  if (query.excludeNeutral)
    checks.push((token) => {
      const index = strength.of(token, timeframe);
      return index !== undefined && (index >= RSI_OVERBOUGHT || index <= RSI_OVERSOLD);
    });
  if (query.origin !== undefined) {
    const origin = query.origin.trim().toLowerCase();
    checks.push(
      (token) => (market.launches.platform(token)?.launchpad ?? NO_PLATFORM).toLowerCase() === origin,
    );
  }
  return (token) => strength.isKnown(token) && checks.every((check) => check(token));
}
