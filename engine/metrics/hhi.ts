/**
 * Herfindahl-Hirschman index: the sum of squared shares in percent, 0 to 10000 (one holder = 10000). As the US
 * Department of Justice defines it, https://www.justice.gov/atr/herfindahl-hirschman-index
 * @param balances token units, each above zero, in any order
 * @returns undefined when there are none
 */
export function hhi(balances: Float64Array): number | undefined {
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < balances.length; i++) {
    const x = balances[i]!;
    sum += x;
    squares += x * x;
  }
  return hhiOf(squares, sum);
}

/** @param squares sum of squared balances, @param sum of balances */
export function hhiOf(squares: number, sum: number): number | undefined {
  return sum > 0 ? (squares / sum / sum) * 10_000 : undefined;
}
