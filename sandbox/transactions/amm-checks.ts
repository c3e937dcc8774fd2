/** Checks that pool transactions share (rippled AMMCore.cpp: `invalidAMMAsset` and others; 2.6). */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { type Asset, isBadCurrency, isMpt } from '../../engine/codec/arithmetic/asset.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import { firstFailure, type Result } from '../protocol/results.ts';

/** The two assets of a pool. */
export type AssetPair = readonly [Asset, Asset];

/** Pools hold XRP and issued currencies; pools of MPTs (MPTokensV2) are not on mainnet. */
export function checkNoMpt(tx: Readonly<TransactionFields>): Result {
  const assets = [tx.Asset, tx.Asset2, tx.Amount?.asset, tx.Amount2?.asset];
  return assets.some((asset) => asset !== undefined && isMpt(asset)) ? 'temDISABLED' : 'tesSUCCESS';
}

function checkAsset(asset: Asset, pair: AssetPair | undefined): Result {
  if (isBadCurrency(asset)) return 'temBAD_CURRENCY';
  return pair === undefined || pair.includes(asset) ? 'tesSUCCESS' : 'temBAD_AMM_TOKENS';
}

/** `Asset` and `Asset2` of a transaction: different and valid. */
export function checkAssetPair(tx: Readonly<TransactionFields>): Result {
  const [asset, asset2] = [tx.Asset!, tx.Asset2!];
  if (asset === asset2) return 'temBAD_AMM_TOKENS';
  return firstFailure(
    () => checkAsset(asset, undefined),
    () => checkAsset(asset2, undefined),
  );
}

/**
 * Checks an amount of one of `pair` (of any asset without it), above zero.
 * @param zero whether zero is allowed
 */
export function checkPoolAmount(amount: Amount | undefined, pair?: AssetPair, zero = false): Result {
  if (amount === undefined) return 'tesSUCCESS';
  const asset = checkAsset(amount.asset, pair);
  if (asset !== 'tesSUCCESS') return asset;
  return amount.signum < 0 || (!zero && amount.isZero) ? 'temBAD_AMOUNT' : 'tesSUCCESS';
}

/** The result of a change that is too small for any LP tokens. */
export const noTokens = (rules: Rules): Result =>
  rules.enabled('fixAMMv1_3') ? 'tecAMM_INVALID_TOKENS' : 'tecAMM_FAILED';
