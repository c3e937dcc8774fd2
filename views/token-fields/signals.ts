/** What a token's market has been doing: relative strength, and scores made of several figures. */
import type { RsiFrame } from '../../engine/market/relative-strength.ts';
import { rounded } from '../number-format.ts';
import { FULL, field, integer, LIGHT, number } from './field.ts';

/** The RSI of a frame. */
const strength = <const F extends RsiFrame>(frame: F) =>
  field({
    name: `rsi${frame}`,
    about: `Relative strength index (Wilder's, 14 periods) of the closed candles of ${frame}, 0 to 100; absent with fewer than 15`,
    schema: number,
    sizes: FULL,
    sort: ({ market }, token) => market.strength.of(token, frame),
    value: ({ market, token }) => {
      const index = market.strength.of(token, frame);
      return index === undefined ? undefined : rounded(index, 4);
    },
  } as const);

export const SIGNAL_FIELDS = [
  strength('15m'),
  strength('1h'),
  strength('4h'),
  strength('24h'),
  strength('7d'),
  strength('30d'),
  strength('90d'),
  field({
    name: 'views24h',
    about:
      'Answers to GET /token/{id} in 23 whole hours and the running one, of which one counts for each client and hour; as of the newest ledger',
    schema: integer,
    sizes: LIGHT,
    sort: (figures, token) => figures.views(token),
    sortNames: ['nginxScore', 'views'],
    value: ({ figures, token }) => figures.views(token),
  }),
  field({
    name: 'trendingScore',
    about:
      'How much it is in demand, and whether that is new, from 0: log10(1 + volume of 24 hours) * log2(1 + traders of 24 hours) * (1 + log2(1 + burst)); burst: by how many standard deviations the trades of the last hour exceed an hour of the day',
    schema: number,
    sizes: LIGHT,
    sort: (figures, token) => figures.trendingScore(token),
    sortNames: ['trending'],
    value: ({ figures, token }) => {
      const score = figures.trendingScore(token);
      return score === undefined ? undefined : rounded(score, 4);
    },
  }),
  field({
    name: 'assessmentScore',
    about:
      "Quality as against risk, 0 to 100: points for the value that pools lock, holders, how evenly it is held, the issuer's rights given up, traders, and LP tokens burned; 0 while all balances are frozen",
    schema: number,
    sizes: LIGHT,
    sort: (figures, token) => figures.assessmentScore(token),
    sortNames: ['assessment'],
    value: ({ figures, token }) => {
      const score = figures.assessmentScore(token);
      return score === undefined ? undefined : rounded(score, 4);
    },
  }),
] as const;
