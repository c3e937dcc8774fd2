/** Clawback: an issuer takes back what it issued, issued currency or MPT. Rule: rippled `Clawback.cpp`; XLS-39. */

import { MPT_MAX } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId, Asset } from '../../engine/codec/arithmetic/asset.ts';
import { currencyOf, issued } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { accountHolds } from '../assets/funds.ts';
import { isPseudoAccountEntry } from '../assets/pseudo-accounts.ts';
import { rippleCredit } from '../assets/send.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';

type Tx = Readonly<TransactionFields>;

/** The holder: for issued currency it is in the amount's issuer field. */
const holderOf = (tx: Tx): AccountId => (tx.Amount!.isMpt ? tx.Holder! : tx.Amount!.issuer);

/** The asset to claw back, with its true issuer. */
const assetOf = (tx: Tx): Asset =>
  tx.Amount!.isMpt ? tx.Amount!.asset : issued(currencyOf(tx.Amount!.asset)!, tx.Account);

function preflight(tx: Tx, rules: Rules): Result {
  const amount = tx.Amount!;
  if (amount.isMpt) {
    if (!rules.enabled('MPTokensV1')) return 'temDISABLED';
    if (tx.Holder === undefined || tx.Holder === tx.Account) return 'temMALFORMED';
    return amount.signum <= 0 || amount.mantissa > MPT_MAX ? 'temBAD_AMOUNT' : 'tesSUCCESS';
  }
  if (tx.Holder !== undefined) return 'temMALFORMED';
  if (amount.isNative || amount.issuer === tx.Account || amount.signum <= 0) return 'temBAD_AMOUNT';
  return 'tesSUCCESS';
}

function preclaim(view: ReadView, tx: Tx): Result {
  const holder = view.read(keylets.account(holderOf(tx)));
  const issuer = view.read(keylets.account(tx.Account));
  if (!holder || !issuer) return 'terNO_ACCOUNT';
  if (view.rules.enabled('SingleAssetVault') && isPseudoAccountEntry(holder)) return 'tecPSEUDO_ACCOUNT';
  if (holder.AMMID !== undefined) return 'tecAMM_ACCOUNT';
  const result = tx.Amount!.isMpt ? preclaimMpt(view, tx) : preclaimIssued(view, tx, issuer);
  if (result !== 'tesSUCCESS') return result;
  const held = accountHolds(view, holderOf(tx), assetOf(tx), { freeze: 'ignore' });
  return held.signum <= 0 ? 'tecINSUFFICIENT_FUNDS' : 'tesSUCCESS';
}

function preclaimIssued(view: ReadView, tx: Tx, issuer: Readonly<Entry>): Result {
  if (!hasAny(issuer.Flags, Lsf.lsfAllowTrustLineClawback) || hasAny(issuer.Flags, Lsf.lsfNoFreeze))
    return 'tecNO_PERMISSION';
  const holder = holderOf(tx);
  const line = view.read(keylets.line(holder, tx.Account, currencyOf(tx.Amount!.asset)!));
  if (!line) return 'tecNO_LINE';
  // The side with the positive balance must be the holder: else the sender would be the holder of the other's issue.
  const owed = line.Balance!.signum;
  if (owed > 0 && tx.Account < holder) return 'tecNO_PERMISSION';
  return owed < 0 && tx.Account > holder ? 'tecNO_PERMISSION' : 'tesSUCCESS';
}

function preclaimMpt(view: ReadView, tx: Tx): Result {
  const issuance = view.read(keylets.mptIssuance(tx.Amount!.asset));
  if (!issuance) return 'tecOBJECT_NOT_FOUND';
  if (!hasAny(issuance.Flags, Lsf.lsfMPTCanClawback) || issuance.Issuer !== tx.Account)
    return 'tecNO_PERMISSION';
  return view.read(keylets.mptoken(tx.Amount!.asset, tx.Holder!)) ? 'tesSUCCESS' : 'tecOBJECT_NOT_FOUND';
}

function apply({ view, tx, account }: ApplyContext): Result {
  const holder = holderOf(tx);
  const asset = assetOf(tx);
  if (holder === account) return 'tecINTERNAL';
  const held = accountHolds(view, holder, asset, { freeze: 'ignore' });
  const wanted = tx.Amount!.withAsset(asset);
  return rippleCredit(view, holder, account, held.compare(wanted) < 0 ? held : wanted, true);
}

export const clawback: Rule = {
  type: 'Clawback',
  amendment: 'Clawback',
  flags: 0,
  preflight,
  preclaim,
  apply,
};
