/** Sums over periods of the market of NFTs. Amounts are drops. */
import type { NftCount, NftPeriods } from '../../engine/nfts/periods.ts';

export type NftSums = Readonly<Record<NftCount, number>>;

export const NO_SUMS: NftSums = {
  sales: 0,
  xrpSales: 0,
  mints: 0,
  burns: 0,
  transfers: 0,
  sellOffers: 0,
  buyOffers: 0,
  cancelled: 0,
  volume: 0,
  royalties: 0,
  brokerFees: 0,
};
const COUNTS = Object.keys(NO_SUMS) as NftCount[];

/** With those of a row; 0: there is none. */
export function addRow(sums: NftSums, periods: NftPeriods, row: number): NftSums {
  if (row === 0) return sums;
  return Object.fromEntries(COUNTS.map((count) => [count, sums[count] + periods[count][row]!])) as NftSums;
}

/** Both ends included. @param platform undefined: of all */
export function sumOf(periods: NftPeriods, from: number, to: number, platform: number | undefined): NftSums {
  let sums = NO_SUMS;
  for (let period = Math.max(0, from); period <= to; period++)
    sums = addRow(sums, periods, periods.row(period, platform));
  return sums;
}
