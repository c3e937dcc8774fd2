/** Which tokens `/rsi` lists: those with an RSI in any frame, within the bounds that were sent. */
import { Window } from '../engine/market/figures.ts';
import { RSI_FRAMES, type RsiFrame } from '../engine/market/relative-strength.ts';
import { RSI_OVERBOUGHT, RSI_OVERSOLD } from '../engine/metrics/rsi.ts';
import type { TokenFigures } from './token-figures.ts';

type Figure = (figures: TokenFigures, token: number) => number | undefined;

/** What has a least and a largest value, by the names of the parameters without `min` and `max`. */
const FIGURES = {
  MarketCap: (figures, token) => figures.marketcap(token),
  Volume24h: (figures, token) => figures.volume(token, Window.h24),
  PriceChange24h: ({ market }, token) => market.windows.change(token, Window.h24),
  Rsi15m: ({ market }, token) => market.strength.of(token, '15m'),
  Rsi1h: ({ market }, token) => market.strength.of(token, '1h'),
  Rsi4h: ({ market }, token) => market.strength.of(token, '4h'),
  Rsi24h: ({ market }, token) => market.strength.of(token, '24h'),
  Rsi7d: ({ market }, token) => market.strength.of(token, '7d'),
  Rsi30d: ({ market }, token) => market.strength.of(token, '30d'),
  Rsi90d: ({ market }, token) => market.strength.of(token, '90d'),
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

/** Whether a token passes. A token whose figure is not known is outside every bound of it. */
export function rsiFilter(figures: TokenFigures, query: RsiQuery): (token: number) => boolean {
  const { market, state } = figures;
  const { strength, windows } = market;
  const checks: ((token: number) => boolean)[] = [
    (token) => RSI_FRAMES.some((frame) => strength.of(token, frame) !== undefined),
  ];
  const bound = (figure: Figure, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY) => {
    checks.push((token) => {
      const value = figure(figures, token);
      return value !== undefined && value >= min && value <= max;
    });
  };
  const { minHolders, minTVL, minUniqueTraders, timeframe } = query;
  if (query.activeOnly) bound((_, token) => windows.trades(token, Window.h24), 1);
  if (minHolders !== undefined) bound((_, token) => state.lines.holdersCount(token), minHolders);
  if (minTVL !== undefined) bound((_, token) => figures.tvl(token), minTVL);
  if (minUniqueTraders !== undefined) bound((_, token) => windows.uniqueTraders(token), minUniqueTraders);
  for (const name of BOUNDED_FIGURES) {
    const [min, max] = [query[`min${name}`], query[`max${name}`]];
    if (min !== undefined || max !== undefined) bound(FIGURES[name], min, max);
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
  return (token) => checks.every((check) => check(token));
}
