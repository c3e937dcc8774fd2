/** The candles of a token for as long as its page is shown: all of them, then the newest few again whenever the token moved. */
import { useState } from 'preact/hooks';
import type { Failure } from '../../net/rest.ts';
import { useAnswer } from '../../net/use-answer.ts';
import type { Candle } from '../../parts/chart/candles.tsx';
import { useJoined } from '../../parts/chart/joined.ts';

const COUNT = 500;
/** What ledgers in a row can have changed, at little cost. */
const NEWEST = 5;
const NONE: readonly Candle[] = [];

interface CandlesAsked {
  readonly id: string;
  readonly vs_currency: string;
  /** The newest candles of this length; or those of a range, whose length the service chooses. */
  readonly interval?: string | undefined;
  readonly range?: string | undefined;
}

interface ShownCandles {
  /** Oldest first. */
  readonly candles: readonly Candle[];
  /** Undefined until the first answer. */
  readonly interval: string | undefined;
  readonly isAnswered: boolean;
  /** Why the newest question for all candles was not answered. */
  readonly failure: Failure | undefined;
  /** Another one whenever all candles were asked for. */
  readonly answers: number;
}

/** @param version another one whenever the token moved */
export function useCandles(asked: CandlesAsked, version: number): ShownCandles {
  const [holes, setHoles] = useState(0);
  const count = asked.range === undefined ? COUNT : undefined;
  const all = useAnswer('/ohlc/{id}', { ...asked, cb: count }, { version: holes });
  const interval = all.value?.interval ?? asked.interval;
  const { id, vs_currency } = asked;
  const newest = useAnswer(
    interval === undefined ? undefined : '/ohlc/{id}',
    { id, vs_currency, interval, cb: NEWEST },
    { version },
  );
  const { candles, answers } = useJoined(all.value, newest.value?.ohlc ?? NONE, NEWEST, () =>
    setHoles((before) => before + 1),
  );
  return { candles, interval, answers, isAnswered: all.value !== undefined, failure: all.failure };
}
