/**
 * Freezes of an asset that moves into or out of a pseudo-account: a vault's, a pool's (fixCleanup3_3_0;
 * rippled `TokenHelpers.cpp`: `checkDepositFreeze`, `checkWithdrawFreeze`).
 */

import { type AccountId, type Asset, isMpt, issuerOf, isXrp } from '../../engine/codec/arithmetic/asset.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Result } from '../protocol/results.ts';
import { checkDeepFrozen, isGlobalFrozen, isIndividualFrozen, isVaultPseudoAccountFrozen } from './freeze.ts';

const frozen = (asset: Asset): Result => (isMpt(asset) ? 'tecLOCKED' : 'tecFROZEN');

/** Pseudo-accounts do not hold shares of vaults: a freeze of an underlying asset cannot occur. */
function checkBehind(view: ReadView, pseudo: AccountId, asset: Asset): Result {
  return isMpt(asset) && isVaultPseudoAccountFrozen(view, pseudo, asset, 0) ? 'tecINTERNAL' : 'tesSUCCESS';
}

/** Whether `from` may deposit. The pseudo-account must be able to return what it receives: its own freeze counts too. */
export function checkDepositFreeze(view: ReadView, from: AccountId, pseudo: AccountId, asset: Asset): Result {
  if (isXrp(asset)) return 'tesSUCCESS';
  if (isGlobalFrozen(view, asset)) return frozen(asset);
  if (from !== issuerOf(asset) && isIndividualFrozen(view, from, asset)) return frozen(asset);
  if (isIndividualFrozen(view, pseudo, asset)) return frozen(asset);
  return checkBehind(view, pseudo, asset);
}

/** Whether `sender` may withdraw to `to`: always to the issuer; to itself unless deep frozen. */
export function checkWithdrawFreeze(
  view: ReadView,
  pseudo: AccountId,
  sender: AccountId,
  to: AccountId,
  asset: Asset,
): Result {
  if (isXrp(asset) || to === issuerOf(asset)) return 'tesSUCCESS';
  if (isGlobalFrozen(view, asset) || isIndividualFrozen(view, pseudo, asset)) return frozen(asset);
  if (sender !== to && isIndividualFrozen(view, sender, asset)) return frozen(asset);
  const deep = checkDeepFrozen(view, to, asset);
  return deep === 'tesSUCCESS' ? checkBehind(view, pseudo, asset) : deep;
}
