/** A value with the weight of who holds it. */
export interface Voice {
  readonly value: number;
  /** Above zero. */
  readonly weight: number;
}

/**
 * The weighted median: the value at which the weights of all that lie below and of all that lie above are each at most
 * half of the whole; the mean of two where the whole is halved between them. So whoever has less than half of the
 * weight cannot move it beyond what the others say. https://en.wikipedia.org/wiki/Weighted_median
 * @returns 0 without voices
 */
export function weightedMedian(voices: readonly Voice[]): number {
  const sorted = voices.toSorted((a, b) => a.value - b.value);
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let below = 0;
  for (const [i, { value, weight }] of sorted.entries()) {
    below += weight;
    if (below > half) return value;
    if (below === half) return (value + (sorted[i + 1]?.value ?? value)) / 2;
  }
  return sorted.at(-1)?.value ?? 0;
}
