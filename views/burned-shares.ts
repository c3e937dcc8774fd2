/** LP tokens that nobody can redeem. */
import { divToNumber, rawDecimal, rawNumber } from '../engine/codec/amount.ts';
import { BLACK_HOLE_BYTES } from '../engine/state/black-holes.ts';
import type { State } from '../engine/state/state.ts';
import { percent } from './number-format.ts';

export interface BurnedShares {
  readonly percent: number | undefined;
  readonly amount: number;
  readonly holders: number;
}

/** undefined where there are no LP tokens. */
export function burnedShares({ lines, accounts }: State, lpToken: number): BurnedShares | undefined {
  const supply = lines.supply(lpToken);
  if (supply.m <= 0n) return undefined;
  let amount = 0;
  let share = 0;
  let holders = 0;
  for (const bytes of BLACK_HOLE_BYTES) {
    const account = accounts.find(bytes, 0);
    const line = account === undefined ? undefined : lines.find(account, lpToken);
    if (line === undefined) continue;
    const [hi, lo] = lines.balanceRaw(line, lpToken);
    if (rawNumber(1, hi, lo) <= 0) continue;
    amount += rawNumber(1, hi, lo);
    share += divToNumber(rawDecimal(1, hi, lo), supply);
    holders++;
  }
  return { percent: percent(share * 100), amount, holders };
}
