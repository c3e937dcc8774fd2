/**
 * Gini coefficient of balances: 0 = all hold the same, towards 1 = one holds everything.
 *
 *     G = 2 * sum(i * x_i) / (n * sum(x)) - (n + 1) / n        x ascending, i = 1..n
 *
 * The usual form for a finite population (Dixon et al. 1987, https://en.wikipedia.org/wiki/Gini_coefficient); for n
 * equal to the population its largest value is 1 - 1/n.
 * @param balances token units, any order; values that are not above zero are ignored
 * @returns undefined when no balance is above zero
 */
export function gini(balances: Iterable<number>): number | undefined {
  const sorted = Float64Array.from([...balances].filter((b) => b > 0)).sort();
  const n = sorted.length;
  if (n === 0) return undefined;
  let sum = 0;
  let weighted = 0;
  for (let i = 0; i < n; i++) {
    sum += sorted[i]!;
    weighted += (i + 1) * sorted[i]!;
  }
  if (!Number.isFinite(weighted)) return undefined;
  return Math.max(0, (2 * weighted) / (n * sum) - (n + 1) / n);
}
