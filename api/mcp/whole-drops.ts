import { wholeDrops } from '../../engine/codec/amount.ts';

/** A row with sums of XRP in whole drops. @param names of its members that are such sums */
export const inWholeDrops = <T extends object>(row: T, names: readonly (keyof T)[]): T => ({
  ...row,
  ...Object.fromEntries(names.map((name) => [name, wholeDrops(Number(row[name]))])),
});
