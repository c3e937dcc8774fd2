/**
 * Sums of XRP that tools add up. What is added is whole drops, and so is the sum: as doubles it has rounding errors in its
 * last digits, which a comparison with another answer shows.
 */
import { rounded } from '../../views/number-format.ts';

const XRP_DIGITS = 6;

export const wholeDrops = (xrp: number): number => rounded(xrp, XRP_DIGITS);

/** A row with such sums. @param names of its members that are sums of XRP */
export const inWholeDrops = <T extends object>(row: T, names: readonly (keyof T)[]): T => ({
  ...row,
  ...Object.fromEntries(names.map((name) => [name, wholeDrops(Number(row[name]))])),
});
