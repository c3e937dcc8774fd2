/**
 * LP tokens that nobody can redeem: of addresses without a key, and of the token's issuer once nobody can sign for it. The
 * latter is how they are given up: an address without a key cannot set the trust line that a payment needs. Other holders are
 * not looked at: rows are made after every ledger, and a pool may have thousands.
 */
import { divToNumber, rawDecimal, rawNumber } from '../codec/amount.ts';
import { BLACK_HOLE_BYTES } from './black-holes.ts';
import type { State } from './state.ts';

export interface BurnedShares {
  /** Of the LP tokens, 0 to 100. */
  readonly percent: number;
  readonly amount: number;
  readonly holders: number;
}

/** undefined where there are no LP tokens. @param issuer account id of the issuer of the pool's token */
export function burnedShares(
  { lines, accounts }: State,
  lpToken: number,
  issuer: number,
): BurnedShares | undefined {
  const supply = lines.supply(lpToken);
  if (supply.m <= 0n) return undefined;
  let amount = 0;
  let share = 0;
  let holders = 0;
  const holds = (account: number | undefined): void => {
    const line = account === undefined ? undefined : lines.find(account, lpToken);
    if (line === undefined) return;
    const [hi, lo] = lines.balanceRaw(line, lpToken);
    if (rawNumber(1, hi, lo) <= 0) return;
    amount += rawNumber(1, hi, lo);
    share += divToNumber(rawDecimal(1, hi, lo), supply);
    holders++;
  };
  for (const bytes of BLACK_HOLE_BYTES) holds(accounts.find(bytes, 0));
  if (accounts.isBlackholed(issuer)) holds(issuer);
  return { percent: share * 100, amount, holders };
}
