/**
 * The price of each token in XRP, and what must be remembered of it beyond the windows.
 *
 * A token's price is XRP leg / token leg of its last trade against XRP, on a book or in a pool. A token that never
 * traded against XRP takes trade price * current XRP price of the counter token, if that one is told by XRP trades
 * itself (a price derived from a derived price could feed itself).
 *
 * Dust rule: a trade sets a price only when its XRP worth is at least DUST_DROPS (one drop of rounding is then at
 * most 0.1 %) and the quotient is a finite number between PRICE_MIN and PRICE_MAX. Its volume counts all the same.
 */
import { Table } from '../state/table.ts';
import type { PriceFigures } from './figures.ts';
import { MarketTable } from './limits.ts';

export const DUST_DROPS = 1000;
/** Token amounts reach 10^-81 .. 10^96; quotients beyond these bounds chart nothing. */
const PRICE_MIN = 1e-40;
const PRICE_MAX = 1e40;

/** How a token's price came to be. */
export const PriceSource = { none: 0, derived: 1, xrp: 2 } as const;

export class Prices implements PriceFigures {
  readonly table: Table;
  /** Last price, 0 = none. */
  readonly last: Float64Array;
  readonly lastTime: Uint32Array;
  readonly source: Uint8Array;
  /** First price ever seen. */
  readonly first: Float64Array;
  /** Last price that left the 24 h and the 30 d window, 0 = none yet. */
  readonly before24h: Float64Array;
  readonly before30d: Float64Array;
  readonly high: Float64Array;
  readonly highTime: Uint32Array;
  readonly tradeTime: Uint32Array;
  readonly tradeCount: Uint32Array;
  readonly liquidityCount: Uint32Array;
  /** Bits of the holders history, see holders-history.ts. */
  readonly holdersState: Uint8Array;
  /** One past the highest token id that was ever written. */
  get end(): number {
    return this.table.count;
  }

  constructor(tokens: number) {
    const table = new Table(MarketTable.prices, 'prices', tokens);
    this.table = table;
    this.last = table.f64();
    this.first = table.f64();
    this.before24h = table.f64();
    this.before30d = table.f64();
    this.high = table.f64();
    this.lastTime = table.u32();
    this.highTime = table.u32();
    this.tradeTime = table.u32();
    this.tradeCount = table.u32();
    this.liquidityCount = table.u32();
    this.source = table.u8();
    this.holdersState = table.u8();
  }

  /** Makes room for tokens with ids below `count`. */
  reserve(count: number): void {
    this.table.reserve(count);
  }

  /** Marks a token's row as written. */
  touch(token: number): void {
    if (token >= this.table.count) {
      this.table.count = token + 1;
      this.table.touch(0);
    }
    this.table.touch(token);
  }

  price(token: number): number | undefined {
    return token === 0 ? 1 : this.last[token] || undefined;
  }

  /** The price if trades against XRP told it, else 0. */
  direct(token: number): number {
    return token === 0 ? 1 : this.source[token] === PriceSource.xrp ? this.last[token]! : 0;
  }

  priceTime(token: number): number {
    return this.lastTime[token] ?? 0;
  }

  athPrice(token: number): number | undefined {
    return this.high[token] || undefined;
  }

  athTime(token: number): number {
    return this.highTime[token] ?? 0;
  }

  lastTradeTime(token: number): number {
    return this.tradeTime[token] ?? 0;
  }

  tradesEver(token: number): number {
    return this.tradeCount[token] ?? 0;
  }

  liquidityEver(token: number): number {
    return this.liquidityCount[token] ?? 0;
  }

  /**
   * Takes in what a trade says about a token's price.
   * @param drops worth of the trade, @param amount token units, @param source PriceSource.xrp or derived
   * @returns the price it set, 0 when it set none.
   */
  take(token: number, drops: number, amount: number, source: number, time: number): number {
    if (drops < DUST_DROPS || source < this.source[token]!) return 0;
    const price = drops / 1e6 / amount;
    if (!(price >= PRICE_MIN && price <= PRICE_MAX)) return 0;
    this.last[token] = price;
    this.lastTime[token] = time;
    this.source[token] = source;
    if (this.first[token] === 0) this.first[token] = price;
    if (price > this.high[token]!) {
      this.high[token] = price;
      this.highTime[token] = time;
    }
    this.touch(token);
    return price;
  }
}
