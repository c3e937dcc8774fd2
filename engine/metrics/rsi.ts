/**
 * Relative strength index (J. Welles Wilder, New Concepts in Technical Trading Systems, 1978), 0 to 100.
 *
 *     first average gain / loss = mean of the first `period` changes
 *     then average = (average * (period - 1) + change) / period        (Wilder's smoothing)
 *     RSI = 100 - 100 / (1 + average gain / average loss)
 *
 * It is 100 when there is no loss, and 50 when there is no change.
 */

/** Wilder's choice. */
export const RSI_PERIOD = 14;
/** Wilder's bounds: above the upper one a market is overbought, below the lower one oversold; between them neutral. */
export const RSI_OVERBOUGHT = 70;
export const RSI_OVERSOLD = 30;

/**
 * @param closes closing prices, oldest first
 * @returns undefined with fewer than period + 1 prices
 */
export function rsi(closes: ArrayLike<number>, period = RSI_PERIOD): number | undefined {
  if (!(period >= 1) || closes.length < period + 1) return undefined;
  let gain = 0;
  let loss = 0;
  for (let i = 1; i < closes.length; i++) {
    const change = closes[i]! - closes[i - 1]!;
    gain = wilderAverage(gain, Math.max(change, 0), i, period);
    loss = wilderAverage(loss, Math.max(-change, 0), i, period);
  }
  return rsiOfAverages(gain, loss);
}

/**
 * The average with one change more. Of fewer than `period` changes it is the part of the first average that is known.
 * @param count how many changes there are with this one
 */
export function wilderAverage(average: number, change: number, count: number, period = RSI_PERIOD): number {
  return count <= period ? average + change / period : (average * (period - 1) + change) / period;
}

/** The index of average gain and average loss. */
export function rsiOfAverages(gain: number, loss: number): number {
  if (loss === 0) return gain === 0 ? 50 : 100;
  return 100 - 100 / (1 + gain / loss);
}
