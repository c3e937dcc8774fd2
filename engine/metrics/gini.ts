/**
 * Gini coefficient of balances: 0 = all hold the same, towards 1 = one holds everything.
 *
 *     G = sum((2i - n - 1) * x_i) / (n * sum(x))        x ascending, i = 1..n
 *
 * The usual form for a finite population (Dixon et al. 1987, https://en.wikipedia.org/wiki/Gini_coefficient); for n
 * equal to the population its largest value is 1 - 1/n.
 * @param descending token units, each above zero, largest first
 * @returns undefined when there are none
 */
export function gini(descending: Float64Array): number | undefined {
  const n = descending.length;
  let sum = 0;
  let weighted = 0;
  for (let i = 0; i < n; i++) {
    const x = descending[n - 1 - i]!;
    sum += x;
    weighted += (2 * (i + 1) - n - 1) * x;
  }
  return giniOf(weighted, n, sum);
}

/** @param weighted numerator above, of `count` balances with the sum `sum` */
export function giniOf(weighted: number, count: number, sum: number): number | undefined {
  // Rounding can leave a little less than zero where all hold the same.
  return sum > 0 ? Math.max(0, weighted / (count * sum)) : undefined;
}
