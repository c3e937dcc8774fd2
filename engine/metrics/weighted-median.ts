/** A value with its weight. */
export interface WeightedValue {
  readonly value: number;
  /** Above zero. */
  readonly weight: number;
}

/**
 * The weighted median: the value at which the total weight below it and the total weight above it are each at most
 * half of the whole; the mean of two values when the weight is halved exactly between them. So values with less than half
 * of the weight cannot move it outside the range of the others. https://en.wikipedia.org/wiki/Weighted_median
 * @returns 0 for an empty list
 */
export function weightedMedian(values: readonly WeightedValue[]): number {
  const sorted = values.toSorted((a, b) => a.value - b.value);
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let below = 0;
  for (const [i, { value, weight }] of sorted.entries()) {
    below += weight;
    if (below > half) return value;
    if (below === half) return (value + (sorted[i + 1]?.value ?? value)) / 2;
  }
  return sorted.at(-1)?.value ?? 0;
}
