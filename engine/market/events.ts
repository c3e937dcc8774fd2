import type { Fiat } from './figures.ts';

/** What a ledger changed in the market. */
export interface MarketEvents {
  /** Trade records (trade-record.ts), `tradeCount` of them one after another. */
  readonly trades: Uint8Array;
  readonly tradeCount: number;
  /** Tokens whose candles changed. */
  readonly changedCandles: Iterable<number>;
  /** Tokens whose RSI changed since candles ended with it; those that it traded may be among them. */
  readonly closedCandles: ReadonlySet<number>;
  /** Fiats whose rate changed, and tokens whose candles in these changed with it, traded or not. */
  readonly revalued: { readonly fiats: ReadonlySet<Fiat>; readonly tokens: Iterable<number> };
}
