/** A digest of the market: its tables, and what is derived from them, in order of token id. */
import { Digest } from '../digest.ts';
import type { Table } from '../state/table.ts';
import type { Activity } from './activity.ts';
import { Window } from './figures.ts';
import type { HolderChanges } from './holder-changes.ts';
import type { Prices } from './prices.ts';
import type { Rates } from './rates.ts';
import type { Totals } from './totals.ts';
import type { Windows } from './windows.ts';

/** The parts of the market that are digested. */
interface Digested {
  readonly tables: readonly Table[];
  readonly windows: Windows;
  readonly prices: Prices;
  readonly rates: Rates;
  readonly activity: Activity;
  readonly holderChanges: HolderChanges;
  readonly totals: Totals;
}

export function digestOf(market: Digested): string {
  const { windows, prices, rates, activity, holderChanges, totals } = market;
  const digest = new Digest();
  for (const table of market.tables) digest.table(table);
  const tokens = [...Array(prices.end).keys(), windows.all];
  for (const token of tokens) {
    for (const window of Object.values(Window)) {
      digest.number(windows.volumeDrops(token, window));
      digest.number(windows.trades(token, window));
    }
    for (const figure of [
      windows.buyDrops(token),
      windows.sellDrops(token),
      windows.buys(token),
      windows.sells(token),
      windows.ammDrops(token),
      windows.bookDrops(token),
      windows.depositDrops(token),
      windows.withdrawDrops(token),
      windows.deposits(token),
      windows.withdrawals(token),
      windows.uniqueTraders(token),
      windows.uniqueBuyers(token),
      windows.uniqueSellers(token),
    ])
      digest.number(figure);
    if (token === windows.all) continue;
    for (const window of Object.values(Window)) digest.number(windows.basePrice(token, window) ?? 0);
    for (const figure of [
      windows.tokenVolume(token),
      windows.max(token) ?? 0,
      windows.min(token) ?? 0,
      holderChanges.of(token)?.holders ?? 0,
      holderChanges.of(token)?.lines ?? 0,
      totals.lockedOf(token) ?? 0,
    ])
      digest.number(figure);
  }
  for (const figure of rates.figures) digest.number(figure);
  for (const figure of [windows.tradedTokens, totals.listed, totals.marketcap, totals.locked])
    digest.number(figure);
  digest.number(activity.transactions);
  digest.number(activity.activeAccounts);
  return digest.text;
}
