/**
 * What a sum of two doubles that are not negative loses by rounding (Dekker's fast two-sum): added up beside the sum, it keeps
 * the error of many terms that of one.
 */
export function roundingOfSum(a: number, b: number): number {
  const total = a + b;
  return a >= b ? b - (total - a) : a - (total - b);
}

/**
 * Adds a term to the sum of a row. The rest is what the sum lacks, less than half of its last digit: so the sum is that of all
 * terms, rounded once, in whatever order and parts they are added up.
 */
export function addWithRest(sums: Float64Array, rests: Float32Array, row: number, term: number): void {
  const sum = sums[row]!;
  const added = sum + term;
  const rest = roundingOfSum(sum, term) + rests[row]!;
  const rounded = added + rest;
  rests[row] = rest - (rounded - added);
  sums[row] = rounded;
}
