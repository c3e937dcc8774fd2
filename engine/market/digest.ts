/** A digest of the market's figures: two independent 32-bit hashes over every number, in order of token id. */
import { Window } from './figures.ts';
import type { Market } from './market.ts';

class Hasher {
  private a = 0x811c9dc5;
  private b = 0x9747b28c;
  private readonly double = new Float64Array(1);
  private readonly words = new Uint32Array(this.double.buffer);

  add(value: number): void {
    this.double[0] = value;
    for (const word of this.words) {
      this.a = Math.imul(this.a ^ word, 0x01000193) ^ (this.a >>> 15);
      this.b = Math.imul(this.b ^ word, 0xcc9e2d51);
      this.b = (this.b << 13) | (this.b >>> 19);
    }
  }

  text(): string {
    const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, '0');
    return hex(this.a) + hex(this.b);
  }
}

export function digestOf(market: Market): string {
  const { windows, prices, rates, activity, holderChanges, totals, accountCounts } = market;
  const hasher = new Hasher();
  const tokens = [...Array(prices.end).keys(), windows.all];
  for (const token of tokens) {
    for (const window of Object.values(Window)) {
      hasher.add(windows.volumeDrops(token, window));
      hasher.add(windows.trades(token, window));
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
      hasher.add(figure);
    if (token === windows.all) continue;
    for (const window of Object.values(Window)) hasher.add(windows.basePrice(token, window) ?? 0);
    for (const figure of [
      windows.tokenVolume(token),
      windows.max(token) ?? 0,
      windows.min(token) ?? 0,
      prices.price(token) ?? 0,
      prices.priceTime(token),
      prices.athPrice(token) ?? 0,
      prices.lastTradeTime(token),
      prices.tradesEver(token),
      prices.liquidityEver(token),
      prices.holdersState[token]!,
      holderChanges.of(token)?.holders ?? 0,
      holderChanges.of(token)?.lines ?? 0,
      totals.lockedOf(token) ?? 0,
    ])
      hasher.add(figure);
  }
  for (const figure of rates.figures) hasher.add(figure);
  for (const figure of [windows.tradedTokens, totals.listed, totals.marketcap, totals.locked])
    hasher.add(figure);
  for (let account = 1; account < accountCounts.table.count; account++) {
    hasher.add(accountCounts.trades(account));
    hasher.add(accountCounts.liquidity(account));
  }
  hasher.add(activity.transactions);
  hasher.add(activity.activeAccounts);
  hasher.add(market.closeTime);
  hasher.add(market.ledgerIndex);
  return hasher.text();
}
