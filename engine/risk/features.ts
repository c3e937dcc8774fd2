/** What is known of a token, at the moment it is measured, that may tell one that will collapse from others. */
import { DROPS_PER_XRP, rawNumber } from '../codec/amount.ts';
import type { Creators } from '../flows/creators.ts';
import type { HoldersHistory } from '../market/holders-history.ts';
import type { Totals } from '../market/totals.ts';
import { AccountFlag } from '../state/accounts.ts';
import { burnedShares } from '../state/burned-shares.ts';
import type { State } from '../state/state.ts';
import { XRP } from '../state/tokens.ts';

/** Whether the issuer can freeze balances. Stored: never change a number. */
export const Freeze = { givenUp: 0, possible: 1, frozen: 2 } as const;
export type Freeze = (typeof Freeze)[keyof typeof Freeze];

export interface RiskFeatures {
  /** Seconds since the first ledger that showed it; undefined: it is older than the ledgers read. */
  readonly age: number | undefined;
  /** XRP that its pool with XRP holds, drops; 0 without one. */
  readonly poolDrops: number;
  /** Percent of the supply that the creator holds; undefined: not known. */
  readonly creatorShare: number | undefined;
  /** Percent of the supply that the ten largest holders have. */
  readonly top10: number;
  /** Percent of that pool's LP tokens that nobody can redeem; 0 without one. */
  readonly lpBurned: number;
  readonly freeze: Freeze;
}

export interface RiskSources {
  readonly state: State;
  readonly market: {
    readonly totals: Pick<Totals, 'price' | 'isListed'>;
    readonly holdersHistory: Pick<HoldersHistory, 'top10' | 'workOf'>;
  };
  readonly creators: Creators;
}

/** @param time Ripple epoch seconds. @param token not XRP */
export function riskFeatures(
  { state, market, creators }: RiskSources,
  token: number,
  time: number,
): RiskFeatures {
  const created = state.tokens.createdAt(token);
  return {
    age: created === 0 ? undefined : Math.max(0, time - created),
    poolDrops: xrpPoolDrops(state, token),
    creatorShare: creators.holding(token),
    top10: market.holdersHistory.top10(token),
    lpBurned: lpBurned(state, token),
    freeze: freezeRight(state, token),
  };
}

/** Drops in the token's pool with XRP; 0 without one. */
export function xrpPoolDrops({ pools }: Pick<State, 'pools'>, token: number): number {
  const pool = pools.byAssets(XRP, token);
  if (pool === undefined) return 0;
  return Math.round(
    rawNumber(0, ...pools.reserveRaw(pool, pools.asset1(pool) === XRP ? 1 : 2)) * DROPS_PER_XRP,
  );
}

/** Percent of the LP tokens of the token's pool with XRP that nobody can redeem (state/burned-shares.ts). */
export function lpBurned(state: State, token: number): number {
  const pool = state.pools.byAssets(XRP, token);
  if (pool === undefined) return 0;
  return burnedShares(state, state.pools.lpToken(pool), state.tokens.issuer(token))?.percent ?? 0;
}

/** What the issuer of a token can do to its holders. */
export function issuerRights({ accounts, tokens }: Pick<State, 'accounts' | 'tokens'>, token: number) {
  const issuer = tokens.issuer(token);
  const flags = accounts.exists(issuer) ? accounts.flags[issuer]! : 0;
  return {
    /** Nobody can sign for it. */
    isBlackholed: accounts.isBlackholed(issuer) === true,
    /** It has given up the right to freeze. */
    noFreeze: (flags & AccountFlag.noFreeze) !== 0,
    /** Every balance is frozen now. */
    isFrozen: (flags & AccountFlag.globalFreeze) !== 0,
  };
}

function freezeRight(state: State, token: number): Freeze {
  const { isBlackholed, noFreeze, isFrozen } = issuerRights(state, token);
  if (isFrozen) return Freeze.frozen;
  return isBlackholed || noFreeze ? Freeze.givenUp : Freeze.possible;
}
