/**
 * What streams read of an engine, as JSON text where a frame contains it unchanged. `engine-feed.ts` implements it for
 * a real engine. Streams use nothing else of the engine.
 */
import type { Head } from '../engine/engine.ts';
import type { Currency } from '../views/charts.ts';
import type { Interval } from '../views/intervals.ts';
import type { FieldTexts } from '../views/token-fields.ts';

export type TokenId = number;

/** A read-only set of ids. */
export interface Ids extends Iterable<number> {
  readonly size: number;
  has(id: number): boolean;
}

export interface SyncFilter {
  /** 24 h volume in XRP. */
  readonly minVolume?: number;
  readonly tags?: readonly string[];
  readonly topN: number;
}

export type TradeKind = 'trades' | 'liquidity' | 'all';

/** A trade of the ledger that was just applied. */
export interface NewTrade {
  readonly paid: TokenId;
  readonly got: TokenId;
  readonly isLiquidity: boolean;
  /** The trade row as JSON text. */
  json(): string;
}

/** One applied ledger. Valid only during the call of the listener. */
export interface LedgerEvent {
  readonly head: Head;
  readonly tokens: Ids;
  /** Accounts whose balance, settings, activity or lines changed. */
  readonly accounts: Ids;
  /** Whether an offer of the book, in either direction, was created, deleted or changed. */
  hasBook(base: TokenId, quote: TokenId): boolean;
  /** Tokens with a changed candle. */
  readonly candles: Iterable<number>;
  /** Currencies whose rate changed, and tokens whose candles in these currencies changed as a result. */
  readonly revalued: { readonly currencies: ReadonlySet<string>; readonly tokens: Iterable<number> };
  trades(): readonly NewTrade[];
}

/** What the shown form of a book depends on, besides its offers. */
export interface BookDependencies {
  /** Owners of its offers, because their funds change, and the issuers, because they can freeze. */
  readonly accounts: ReadonlySet<number>;
  /** Unix ms of the close time at which the next offer in it expires. */
  readonly expires: number;
}

/** A side of an order book as JSON text of its rows. */
export interface Depth {
  readonly pair: string;
  readonly bids: string;
  readonly asks: string;
}

/** [start in Unix ms, open, high, low, close, volume]; prices in `vs_currency`. */
export type CandleRow = readonly [number, number, number, number, number, number, ...unknown[]];

/** Drops; undefined if the ledgers read so far do not contain the value. */
export interface Fees {
  readonly reserveBase: number | undefined;
  readonly reserveIncrement: number | undefined;
  readonly baseFee: number | undefined;
}

export interface Feed {
  readonly head: Head | undefined;
  /** Increases with every applied ledger, and with other changes of what rows show. */
  readonly version: number;
  onLedger(listener: (event: LedgerEvent) => void): () => void;
  /** Any identifier form of section 2.1. */
  resolve(id: string): TokenId | undefined;
  /** @param issuer absent for XRP. */
  resolveIssue(currency: string, issuer: string | undefined): TokenId | undefined;
  md5(token: TokenId): string;
  /** Number of all indexed tokens. */
  total(): number;
  /** Token object as JSON text. */
  row(token: TokenId, lightweight: boolean): string;
  /** JSON texts of single fields of a token by name, those without a value left out. @param names undefined: all. */
  texts(token: TokenId, names: readonly string[] | undefined): FieldTexts;
  /** `"exch":{...},"H24":{...},"global":{...}` */
  metrics(): Readonly<Record<'exch' | 'H24' | 'global', string>>;
  /** Changes when rows of unchanged tokens may differ too, because they show fiat prices and shares of the market. */
  rowBasis(): string;
  tags(): readonly string[];
  /** Most traded tokens (24 h, XRP) that pass the filter. */
  select(filter: SyncFilter): readonly TokenId[];
  depth(base: TokenId, quote: TokenId, limit: number): Depth;
  bookDependencies(base: TokenId, quote: TokenId): BookDependencies;
  /** The last `limit` candles, oldest first; none for times at which the currency's rate is not known. */
  candles(token: TokenId, interval: Interval, vs: Currency, limit: number): readonly CandleRow[];
  /** The latest trades, newest first, as JSON text of the rows, joined by commas. */
  history(
    token: TokenId,
    kind: TradeKind,
    pair: 'xrp' | undefined,
    limit: number,
  ): { count: number; rows: string };
  /** For a token with very many holders: resolves when `holders` no longer blocks the event loop. undefined: ready now. */
  holdersReady(token: TokenId): Promise<void> | undefined;
  /** JSON text of the parts. */
  holders(
    token: TokenId,
    limit: number,
  ): {
    total: number;
    summary: string;
    holders: string;
    /** Ids of the accounts in the list. */
    accounts: () => ReadonlySet<number>;
  };
  fees(): Fees;
}
