/**
 * An AMM's entry and account, read and written by pool transactions and payments (XLS-30; rippled AMMCore.cpp,
 * AMMHelpers.cpp).
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import {
  type AccountId,
  type Asset,
  currencyOf,
  type Hex,
  issued,
  issuerOf,
} from '../../engine/codec/arithmetic/asset.ts';
import { bytesOf, hexOf } from '../../engine/codec/bytes.ts';
import { sha512Half } from '../../engine/codec/hash.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Entry, Fields } from '../protocol/fields.ts';
import { assetOrder, directoryPage, line as lineKey, ownerDirectory } from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { withinRelativeDistance } from './amm-shares.ts';
import { isFrozen } from './freeze.ts';
import { accountHolds } from './funds.ts';

/** A vote's weight is in units of 1/100000 of the LP tokens (rippled `VOTE_WEIGHT_SCALE_FACTOR`). */
export const VOTE_WEIGHT_UNITS = 100_000;
/** How long an auction slot lasts, in seconds (rippled `TOTAL_TIME_SLOT_SECS`). */
export const AUCTION_SLOT_SECONDS = 24 * 3600;
/** The slot's holder trades for a tenth of the fee (rippled `AUCTION_SLOT_DISCOUNTED_FEE_FRACTION`). */
export const DISCOUNTED_FEE_FRACTION = 10;

/** The two assets in the protocol's order. */
export function sortedAssets(asset: Asset, asset2: Asset): [Asset, Asset] {
  return assetOrder(asset2, asset) < 0 ? [asset2, asset] : [asset, asset2];
}

/** The currency code of a pool's LP tokens: 03 and 19 bytes of a hash of both assets (rippled `ammLPTCurrency`). */
export function lpTokenCurrency(asset: Asset, asset2: Asset): Hex {
  const [low, high] = sortedAssets(asset, asset2);
  const hash = sha512Half(bytesOf(currencyOf(low) ?? low), bytesOf(currencyOf(high) ?? high));
  return `03${hexOf(hash.subarray(0, 19))}`;
}

/** A pool's LP tokens as an asset, issued by the pool's account. */
export function lpTokenAsset(asset: Asset, asset2: Asset, poolAccount: AccountId): Asset {
  return issued(lpTokenCurrency(asset, asset2), poolAccount);
}

/** A pool's balances, in the requested order, and its outstanding LP tokens. */
export interface PoolHoldings {
  readonly amount: Amount;
  readonly amount2: Amount;
  readonly lpTokens: Amount;
}

/** Which part of a balance counts: see `accountHolds`. */
export interface PoolCounting {
  /** `zero`: a frozen balance counts as zero. */
  readonly freeze: 'ignore' | 'zero';
  readonly auth: 'ignore' | 'zero';
}

/**
 * A pool's balances (rippled `ammHolds`).
 * @param asset the first one of the result; by default the pool's own order
 * @returns `tecAMM_INVALID_TOKENS` when an asset is not one of the pool's
 */
export function ammHolds(
  view: ReadView,
  amm: Readonly<Entry>,
  asset: Asset | undefined,
  asset2: Asset | undefined,
  counting: PoolCounting,
): PoolHoldings | Result {
  const own = [amm.Asset!, amm.Asset2!] as const;
  const first = asset ?? asset2 ?? own[0];
  const second = asset !== undefined && asset2 !== undefined ? asset2 : own[first === own[0] ? 1 : 0];
  if (first === second || !own.includes(first) || !own.includes(second)) return 'tecAMM_INVALID_TOKENS';
  return {
    amount: accountHolds(view, amm.Account!, first, counting),
    amount2: accountHolds(view, amm.Account!, second, counting),
    lpTokens: amm.LPTokenBalance!,
  };
}

/**
 * LP tokens that an account holds; zero when the pool has frozen them. Unlike `accountHolds` it does not check whether
 * the pool's assets are frozen (rippled `ammLPHolds`).
 */
export function ammLpHolds(view: ReadView, amm: Readonly<Entry>, holder: AccountId): Amount {
  const pool = amm.Account!;
  const asset = lpTokenAsset(amm.Asset!, amm.Asset2!, pool);
  const line = view.read(lineKey(holder, pool, currencyOf(asset)!));
  const balance = holder > pool ? line?.Balance?.negate() : line?.Balance;
  const held =
    balance === undefined || isFrozen(view, holder, asset) ? Amount.zero(asset) : balance.withAsset(asset);
  return view.balanceHook(holder, pool, held);
}

/** The trading fee of an account: discounted for the auction slot's holder and its authorised accounts (1/100000). */
export function getTradingFee(view: ReadView, amm: Readonly<Entry>, account: AccountId): number {
  const slot = amm.AuctionSlot;
  if (slot?.Expiration !== undefined && view.header.parentCloseTime < slot.Expiration) {
    const named = slot.AuthAccounts?.some(({ AuthAccount }) => AuthAccount?.Account === account);
    if (slot.Account === account || named) return slot.DiscountedFee ?? 0;
  }
  return amm.TradingFee ?? 0;
}

/** The discounted fee for a pool's `tradingFee`, absent when it is zero. */
export function discountedFee(tradingFee: number): number {
  return Math.floor(tradingFee / DISCOUNTED_FEE_FRACTION);
}

/** Sets a field, or removes it if the value is zero. */
export function setUnlessZero(fields: Fields, name: 'TradingFee' | 'DiscountedFee', value: number): void {
  if (value === 0) delete fields[name];
  else fields[name] = value;
}

/**
 * Gives `account` the only vote and the auction slot: of a new pool, and of one that is funded again (rippled
 * `initializeFeeAuctionVote`).
 * @param amm the view's own copy, or an entry not yet inserted
 */
export function initializeFeeAuctionVote(
  view: ReadView,
  amm: Entry,
  account: AccountId,
  lpAsset: Asset,
  tradingFee: number,
): void {
  const vote: Fields = { Account: account, VoteWeight: VOTE_WEIGHT_UNITS };
  setUnlessZero(vote, 'TradingFee', tradingFee);
  amm.VoteSlots = [{ VoteEntry: vote }];
  const slot: Fields = {
    ...amm.AuctionSlot,
    Account: account,
    Expiration: view.header.parentCloseTime + AUCTION_SLOT_SECONDS,
    Price: Amount.zero(lpAsset),
  };
  setUnlessZero(slot, 'DiscountedFee', discountedFee(tradingFee));
  // Before fixCleanup3_2_0 the authorised accounts of an earlier holder stayed.
  if (view.rules.enabled('fixCleanup3_2_0')) delete slot.AuthAccounts;
  amm.AuctionSlot = slot;
  setUnlessZero(amm, 'TradingFee', tradingFee);
}

/** Pages of the pool's directory that are read; a last provider's pool has one. */
const PAGES_LOOKED_AT = 10;

/**
 * Whether `provider` holds all of a pool's LP tokens: no other account has a line for them (rippled
 * `isOnlyLiquidityProvider`).
 * @returns `tecINTERNAL` when the pool's directory is not consistent
 */
export function isOnlyLiquidityProvider(
  view: ReadView,
  lpAsset: Asset,
  provider: AccountId,
): boolean | Result {
  const root = ownerDirectory(issuerOf(lpAsset));
  const seen = { pools: 0, holdings: 0, shares: 0, lines: 0 };
  let page = 0n;
  for (let n = 0; n < PAGES_LOOKED_AT; n += 1) {
    const node = view.read(directoryPage(root, page));
    if (node === undefined) return 'tecINTERNAL';
    for (const key of node.Indexes ?? []) {
      const entry = view.read(key);
      if (entry?.LedgerEntryType === 'AMM') seen.pools += 1;
      else if (entry?.LedgerEntryType === 'MPToken') seen.holdings += 1;
      else if (entry?.LedgerEntryType === 'RippleState') {
        const [low, high] = [entry.LowLimit!.asset, entry.HighLimit!.asset];
        const own = issuerOf(low) === provider || issuerOf(high) === provider;
        const share = low === lpAsset || high === lpAsset;
        if (share && !own) return false;
        seen[share ? 'shares' : 'lines'] += 1;
      } else return 'tecINTERNAL';
      if (seen.pools > 1 || seen.shares > 1 || seen.lines > 2) return 'tecINTERNAL';
    }
    page = node.IndexNext ?? 0n;
    if (page === 0n) {
      const assets = seen.lines + seen.holdings;
      return seen.shares === 1 && assets > 0 && assets <= 2 ? true : 'tecINTERNAL';
    }
  }
  return 'tecINTERNAL';
}

/**
 * Sets a pool's total of LP tokens to the last provider's balance, which may differ slightly by rounding
 * (fixAMMv1_1; rippled `verifyAndAdjustLPTokenBalance`).
 * @param amm the view's own copy
 * @returns `tecAMM_INVALID_TOKENS` when they differ by a thousandth or more
 */
export function adjustLastProvidersTokens(
  view: ApplyView,
  amm: Entry,
  held: Amount,
  provider: AccountId,
): Result {
  const only = isOnlyLiquidityProvider(view, held.asset, provider);
  if (typeof only === 'string') return only;
  if (!only) return 'tesSUCCESS';
  const { numbers } = view.rules;
  const thousandth = numbers.div(numbers.of(1n), numbers.of(1000n));
  const near = withinRelativeDistance(numbers, numbers.of(held), numbers.of(amm.LPTokenBalance!), thousandth);
  if (!near) return 'tecAMM_INVALID_TOKENS';
  amm.LPTokenBalance = held;
  return 'tesSUCCESS';
}

/** Checks that the geometric mean of the balances covers the LP tokens, except for the last digits of rounding. */
export function checkPrecisionLoss(view: ReadView, amm: Readonly<Entry>, lpTokens: Amount): Result {
  if (lpTokens.signum <= 0) return 'tesSUCCESS';
  const { numbers } = view.rules;
  const pool = ammHolds(view, amm, undefined, undefined, { freeze: 'ignore', auth: 'ignore' });
  if (typeof pool === 'string') return pool;
  const mean = numbers.sqrt(numbers.mul(numbers.of(pool.amount), numbers.of(pool.amount2)));
  const total = numbers.of(lpTokens);
  const tolerance = numbers.div(numbers.of(1n), numbers.of(100_000_000_000n));
  const sound = numbers.compare(mean, total) >= 0 || withinRelativeDistance(numbers, mean, total, tolerance);
  return sound ? 'tesSUCCESS' : 'tecPRECISION_LOSS';
}
