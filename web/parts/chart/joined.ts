/**
 * The candles of a chart: all that were asked for at once, and the newest as they come since. Where these do not reach back to
 * those that are there (the tab was hidden for long, the connection lost), all are to be asked for again: a chart never has
 * a hole.
 */
import { useEffect, useRef } from 'preact/hooks';
import type { Candle } from './candles.tsx';

interface JoinedCandles {
  /** Oldest first. */
  readonly candles: readonly Candle[];
  /** Another one whenever all candles were answered. */
  readonly answers: number;
}

/**
 * @param all the answer with all of them. @param newest those that came since, in a row. @param asked so many of the newest, where
 * as many exist. @param onHole asks for all again
 */
export function useJoined(
  all: { readonly ohlc: readonly Candle[] } | undefined,
  newest: readonly Candle[],
  asked: number,
  onHole: () => void,
): JoinedCandles {
  const kept = useRef<JoinedCandles & { readonly of: unknown }>({ of: undefined, candles: [], answers: 0 });
  if (kept.current.of !== all)
    kept.current = { of: all, candles: all?.ohlc ?? [], answers: kept.current.answers + 1 };
  const { candles } = kept.current;
  const hasHole = all !== undefined && !reaches(candles, newest, asked);
  // Older ones than the first are not asked for.
  const wanted = newest.filter(([time]) => time! >= (candles[0]?.[0] ?? 0));
  if (!hasHole) kept.current = { ...kept.current, candles: joined(candles, wanted) };
  useEffect(() => {
    if (hasHole) onHole();
  }, [newest]);
  return kept.current;
}

/** Whether no candle is missing between those that are there and the newest; fewer than were asked for are all that exist. */
function reaches(candles: readonly Candle[], newest: readonly Candle[], asked: number): boolean {
  const [last, first] = [candles.at(-1)?.[0], newest[0]?.[0]];
  return newest.length < asked || first === undefined || (last !== undefined && first <= last);
}

/** The newest candles take the place of those of the same time. */
export function joined(candles: readonly Candle[], newest: readonly Candle[]): readonly Candle[] {
  const [from, to] = [newest[0]?.[0], newest.at(-1)?.[0]];
  if (from === undefined || to === undefined) return candles;
  return [
    ...candles.filter(([time]) => time! < from),
    ...newest,
    // An answer of all may be of a later ledger than one of the newest.
    ...candles.filter(([time]) => time! > to),
  ];
}
