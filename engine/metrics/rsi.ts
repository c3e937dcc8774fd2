/**
 * Relative strength index (J. Welles Wilder, New Concepts in Technical Trading Systems, 1978), 0 to 100.
 *
 *     first average gain / loss = mean of the first `period` changes
 *     then average = (average * (period - 1) + change) / period        (Wilder's smoothing)
 *     RSI = 100 - 100 / (1 + average gain / average loss)
 *
 * It is 100 when there is no loss, and 50 when there is no change.
 * @param closes closing prices, oldest first
 * @returns undefined with fewer than period + 1 prices
 */
export function rsi(closes: ArrayLike<number>, period = 14): number | undefined {
  if (!(period >= 1) || closes.length < period + 1) return undefined;
  let gain = 0;
  let loss = 0;
  for (let i = 1; i < closes.length; i++) {
    const change = closes[i]! - closes[i - 1]!;
    const up = Math.max(change, 0);
    const down = Math.max(-change, 0);
    if (i <= period) {
      gain += up / period;
      loss += down / period;
    } else {
      gain = (gain * (period - 1) + up) / period;
      loss = (loss * (period - 1) + down) / period;
    }
  }
  if (loss === 0) return gain === 0 ? 50 : 100;
  return 100 - 100 / (1 + gain / loss);
}
