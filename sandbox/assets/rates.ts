/** An issuer's fee for transfers between others, as a rate: 1,000,000,000 is none, 1,010,000,000 one percent. */

import type { AccountId, Asset } from '../../engine/codec/arithmetic/asset.ts';
import { isMpt, issuerOf, isXrp } from '../../engine/codec/arithmetic/asset.ts';
import type { ReadView } from '../ledger/view.ts';
import * as keylets from '../protocol/keylets.ts';

/** No transfer fee. */
export const PARITY = 1_000_000_000;
/** An MPT's fee is in tenths of a basis point: 50,000 is 50%. */
const RATE_OF_MPT_FEE = 10_000;

/** @param assetOrIssuer an asset, or the account id of an issuer. Rules: rippled `transferRate`, XLS-33. */
export function transferRate(view: ReadView, assetOrIssuer: Asset | AccountId): number {
  if (isXrp(assetOrIssuer)) return PARITY;
  if (isMpt(assetOrIssuer))
    return PARITY + RATE_OF_MPT_FEE * (view.read(keylets.mptIssuance(assetOrIssuer))?.TransferFee ?? 0);
  const issuer = assetOrIssuer.length === 40 ? assetOrIssuer : issuerOf(assetOrIssuer);
  return view.read(keylets.account(issuer))?.TransferRate ?? PARITY;
}
