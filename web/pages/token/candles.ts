/**
 * The candles of a token for as long as its page is shown: all that were asked for at once, then the newest few again
 * whenever the token moved. Where these do not reach back to those that are there (the tab was hidden for long, the
 * connection lost), all are asked for again: a chart never has a hole.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Failure } from '../../net/rest.ts';
import { useAnswer } from '../../net/use-answer.ts';
import type { Candle } from '../../parts/chart/candles.tsx';

const COUNT = 500;
/** What ledgers in a row can have changed, at little cost. */
const NEWEST = 5;

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
  const kept = useRef<{ of: unknown; candles: readonly Candle[]; answers: number }>({
    of: undefined,
    candles: [],
    answers: 0,
  });
  if (kept.current.of !== all.value)
    kept.current = {
      of: all.value,
      candles: all.value?.ohlc ?? [],
      answers: kept.current.answers + 1,
    };
  const newer = newest.value?.ohlc ?? [];
  const hasHole = all.value !== undefined && !reaches(kept.current.candles, newer);
  if (!hasHole) kept.current.candles = joined(kept.current.candles, newer);
  useEffect(() => {
    if (hasHole) setHoles((before) => before + 1);
  }, [newest.value]);
  const { candles, answers } = kept.current;
  return { candles, interval, answers, isAnswered: all.value !== undefined, failure: all.failure };
}

/** Whether no candle is missing between those that are there and the newest; fewer than were asked for are all that exist. */
function reaches(candles: readonly Candle[], newest: readonly Candle[]): boolean {
  const [last, first] = [candles.at(-1)?.[0], newest[0]?.[0]];
  return newest.length < NEWEST || first === undefined || (last !== undefined && first <= last);
}

/** The newest candles take the place of those of the same time. */
function joined(candles: readonly Candle[], newest: readonly Candle[]): readonly Candle[] {
  const [from, to] = [newest[0]?.[0], newest.at(-1)?.[0]];
  if (from === undefined || to === undefined) return candles;
  return [
    ...candles.filter(([time]) => time! < from),
    ...newest,
    // An answer of all may be of a later ledger than one of the newest.
    ...candles.filter(([time]) => time! > to),
  ];
}
