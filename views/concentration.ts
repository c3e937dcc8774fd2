/** How unequally a token is held. Both from balances sorted largest first. */

/**
 * Gini coefficient, 0 (equal) to 1: sum((2i - n - 1) x_i) / (n sum(x)) with x ascending, i from 1.
 * @param descending positive balances, largest first. undefined for none.
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
  return sum > 0 ? weighted / (n * sum) : undefined;
}

/** Herfindahl-Hirschman index, 0 to 10000: the sum of the squared percentages. undefined for none. */
export function hhi(balances: Float64Array): number | undefined {
  let sum = 0;
  let squares = 0;
  for (const x of balances) {
    sum += x;
    squares += x * x;
  }
  return sum > 0 ? (squares / sum / sum) * 10_000 : undefined;
}
