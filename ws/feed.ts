/**
 * What streams read of an engine, already as JSON text where it goes into frames as it is. `engine-feed.ts` answers
 * it from a real engine; streams know nothing else of it.
 */
import type { Head } from '../engine/engine.ts';

export type TokenId = number;

/** A set of ids as streams look at it. */
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

/** One applied ledger. Valid during the call only. */
export interface LedgerNews {
  readonly head: Head;
  readonly tokens: Ids;
  /** Accounts whose balance, settings, activity or lines changed. */
  readonly accounts: Ids;
  /** Whether an offer of the book, in either direction, came, went or changed. */
  hasBook(base: TokenId, quote: TokenId): boolean;
  /** Tokens with a changed candle. */
  readonly candles: Iterable<number>;
  /** Currencies whose rate changed, and tokens whose candles in these changed with it. */
  readonly revalued: { readonly currencies: ReadonlySet<string>; readonly tokens: Iterable<number> };
  trades(): readonly NewTrade[];
}

/** What a book as it is shown depends on, besides its offers. */
export interface BookGround {
  /** Owners of its offers, who may come to deliver more or less, and the issuers, who may freeze. */
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

/** Drops; undefined what the ledger has not told. */
export interface Fees {
  readonly reserveBase: number | undefined;
  readonly reserveIncrement: number | undefined;
  readonly baseFee: number | undefined;
}

export interface Feed {
  readonly head: Head | undefined;
  /** Grows with every applied ledger, and with other changes of what rows show. */
  readonly version: number;
  onLedger(listener: (news: LedgerNews) => void): () => void;
  /** Any identifier form of section 2.1. */
  resolve(id: string): TokenId | undefined;
  /** @param issuer absent for XRP. */
  resolveIssue(currency: string, issuer: string | undefined): TokenId | undefined;
  md5(token: TokenId): string;
  /** Number of all indexed tokens. */
  total(): number;
  /** Token object as JSON text. */
  row(token: TokenId, lightweight: boolean): string;
  /** The full token object, parsed; not to be changed. */
  object(token: TokenId): Readonly<Record<string, unknown>>;
  /** `"exch":{...},"H24":{...},"global":{...}` */
  metrics(): Readonly<Record<'exch' | 'H24' | 'global', string>>;
  /** Changes when rows of tokens that no ledger changed may read differently: they show fiat prices and shares of the market. */
  rowBasis(): string;
  tags(): readonly string[];
  /** Most traded tokens (24 h, XRP) that pass the filter. */
  select(filter: SyncFilter): readonly TokenId[];
  depth(base: TokenId, quote: TokenId, limit: number): Depth;
  bookGround(base: TokenId, quote: TokenId): BookGround;
  /** The last `limit` candles, oldest first; none of a time for which the currency's rate is not known. */
  candles(token: TokenId, interval: string, vs: string, limit: number): readonly CandleRow[];
  /** The latest trades, newest first, as JSON text of the rows, joined by commas. */
  history(
    token: TokenId,
    kind: TradeKind,
    pair: 'xrp' | undefined,
    limit: number,
  ): { count: number; rows: string };
  /** Resolves when `holders` of a token with very many holds nobody up; undefined: it does not now. */
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
