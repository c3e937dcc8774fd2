/** The parts of the state that the market needs. `State` of engine/state satisfies them; tests may pass something smaller. */
import type { AssetKind, Decimal } from '../codec/amount.ts';

/** Ids of the accounts, tokens and pools of trades. Ids are dense; 0 and undefined both mean "none". */
export interface TradeNames {
  readonly accounts: {
    intern(bytes: Uint8Array, at: number): number;
    find(bytes: Uint8Array, at: number): number | undefined;
  };
  readonly tokens: {
    /** Token id of the Amount at `at`; interns it. XRP is 0. */
    ofAmount(bytes: Uint8Array, at: number): number;
    ofIssue(bytes: Uint8Array, at: number): number;
    ofMptId(bytes: Uint8Array, at: number): number;
    kind(token: number): AssetKind;
  };
  readonly pools: {
    /** The pool of an AMM account when the ledger began or ended. */
    inLedger(account: number): number | undefined;
    asset1(pool: number): number;
    asset2(pool: number): number;
  };
}

/** Raw amounts as numbers: XRP (not drops), or tokens. */
export interface TokenAmounts {
  number(token: number, hi: number, lo: number): number;
}

/** Reserves of pools, for spot prices. */
export interface PoolReserves {
  readonly tokens: TokenAmounts;
  readonly pools: {
    /** The existing pool of two tokens. */
    byAssets(a: number, b: number): number | undefined;
    asset1(pool: number): number;
    /** Raw amount of asset 1 or 2 that the pool holds. */
    reserveRaw(pool: number, side: 1 | 2): [number, number];
  };
}

export interface MarketState extends TradeNames, PoolReserves {
  readonly accounts: TradeNames['accounts'] & {
    readonly count: number;
    readonly existing: number;
    /** Close time of the last transaction an account sent. */
    readonly lastActive: Uint32Array;
    balanceDrops(account: number): bigint;
  };
  readonly pools: TradeNames['pools'] & PoolReserves['pools'];
  readonly tokens: TradeNames['tokens'] &
    TokenAmounts & {
      readonly count: number;
      /** AssetScale of MPTs. */
      readonly assetScale: Uint8Array;
      /** Close time of the ledger that first showed a token; 0 = before the first ledger read. */
      createdAt(token: number): number;
      /** MPTokenMetadata as text. */
      metadata(token: number): string | undefined;
      issuer(token: number): number;
      issuerText(token: number): string;
      currencyText(token: number): string;
    };
  readonly lines: {
    /** Trust lines and MPT holdings; holdings alone. */
    readonly existing: number;
    readonly holdings: number;
    find(holder: number, token: number): number | undefined;
    holders(token: number): Uint32Array;
    readonly highs: Uint32Array;
    readonly balancesHi: Uint32Array;
    readonly balancesLo: Uint32Array;
    balanceNumber(line: number, token: number): number;
    /** Balance of any line; 0 when it is, now, not one of the token's. */
    heldNow(line: number, token: number): number;
    holdersCount(token: number): number;
    lineCount(token: number): number;
    supply(token: number): Decimal;
  };
  readonly changed: {
    readonly tokens: Set<number>;
    readonly holders: Set<number>;
    /** Token, line, token, line, ... */
    readonly holderLines: readonly number[];
  };
}

/** The parts of the state that sums over all tokens and pools need. */
export interface TotalsState {
  readonly tokens: PoolReserves['tokens'] & { readonly count: number; readonly assetScale: Uint8Array };
  readonly lines: { supplyNumber(token: number): number };
  readonly pools: MarketState['pools'] & {
    /** Ids are 1 .. count - 1. */
    readonly count: number;
    exists(pool: number): boolean;
    /** The existing pools of a token. */
    of(token: number): ReadonlySet<number>;
  };
  /** See engine/state/listing.ts. */
  readonly listing: { isListed(token: number): boolean; isOfMarket(token: number): boolean };
  readonly changed: {
    readonly tokens: ReadonlySet<number>;
    readonly pools: ReadonlySet<number>;
    readonly repriced: Set<number>;
  };
}
