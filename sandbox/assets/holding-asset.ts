import type { Asset } from '../../engine/codec/arithmetic/asset.ts';
import { currencyOf, issued, issuerOf } from '../../engine/codec/arithmetic/asset.ts';
import type { Entry } from '../protocol/fields.ts';

/**
 * The asset of the holding (trust line or MPToken) that a vault's share refers to by `ReferenceHolding`
 * (fixCleanup3_2_0; rippled `assetOfHolding`).
 */
export function assetOfHolding(shareIssuance: Readonly<Entry>, holding: Readonly<Entry>): Asset {
  if (holding.LedgerEntryType === 'MPToken') return holding.MPTokenIssuanceID!;
  const vaultAccount = shareIssuance.Issuer!;
  const low = holding.LowLimit!.asset;
  const high = holding.HighLimit!.asset;
  const issuer = issuerOf(low) === vaultAccount ? issuerOf(high) : issuerOf(low);
  return issued(currencyOf(low)!, issuer);
}
