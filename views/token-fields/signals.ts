/** What a token's market has been doing: relative strength. */
import type { RsiFrame } from '../../engine/market/relative-strength.ts';
import { rounded } from '../number-format.ts';
import { FULL, field, number } from './field.ts';

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
] as const;
