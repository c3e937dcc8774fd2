/**
 * Herfindahl-Hirschman index: the sum of squared shares in percent, 0 to 10000 (one holder = 10000). As the US
 * Department of Justice defines it, https://www.justice.gov/atr/herfindahl-hirschman-index
 * @param balances token units; values that are not above zero are ignored
 * @returns undefined when no balance is above zero
 */
export function hhi(balances: Iterable<number>): number | undefined {
  let sum = 0;
  const held: number[] = [];
  for (const balance of balances) {
    if (!(balance > 0)) continue;
    held.push(balance);
    sum += balance;
  }
  if (held.length === 0 || !Number.isFinite(sum)) return undefined;
  let index = 0;
  for (const balance of held) index += ((balance / sum) * 100) ** 2;
  return index;
}
