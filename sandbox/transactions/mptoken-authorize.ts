/**
 * MPTokenAuthorize (XLS-33; rippled `MPTokenAuthorize.cpp`): a holder creates or deletes its holding, or the issuer
 * authorizes or unauthorizes a holder.
 */

import type { Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { authorizeMpToken } from '../assets/mptokens.ts';
import type { ReadView } from '../ledger/view.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf, Tf } from '../protocol/flags.ts';
import {
  account as accountKey,
  mptIssuance as issuanceKey,
  mptoken as mptokenKey,
} from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';

const gives = (tx: Readonly<TransactionFields>): boolean => hasAny(tx.Flags, Tf.tfMPTUnauthorize);

function preflight(tx: Readonly<TransactionFields>): Result {
  return tx.Account === tx.Holder ? 'temMALFORMED' : 'tesSUCCESS';
}

/** An issuance may be deleted before the last of its empty holdings: it is not checked here. */
function preclaimGiveUp(view: ReadView, id: Hex, tx: Readonly<TransactionFields>): Result {
  const token = view.read(mptokenKey(id, tx.Account));
  if (token === undefined) return 'tecOBJECT_NOT_FOUND';
  if ((token.MPTAmount ?? 0n) !== 0n || (token.LockedAmount ?? 0n) !== 0n) {
    return view.read(issuanceKey(id)) === undefined ? 'tefINTERNAL' : 'tecHAS_OBLIGATIONS';
  }
  const locked = hasAny(token.Flags, Lsf.lsfMPTLocked);
  return locked && view.rules.enabled('SingleAssetVault') ? 'tecNO_PERMISSION' : 'tesSUCCESS';
}

function preclaimTakeUp(view: ReadView, id: Hex, tx: Readonly<TransactionFields>): Result {
  const issuance = view.read(issuanceKey(id));
  if (issuance === undefined) return 'tecOBJECT_NOT_FOUND';
  if (issuance.Issuer === tx.Account) return 'tecNO_PERMISSION';
  return view.read(mptokenKey(id, tx.Account)) === undefined ? 'tesSUCCESS' : 'tecDUPLICATE';
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const id = tx.MPTokenIssuanceID as Hex;
  const { Holder: holder } = tx;
  if (holder === undefined) return gives(tx) ? preclaimGiveUp(view, id, tx) : preclaimTakeUp(view, id, tx);

  const account = view.read(accountKey(holder));
  if (account === undefined) return 'tecNO_DST';
  const issuance = view.read(issuanceKey(id));
  if (issuance === undefined) return 'tecOBJECT_NOT_FOUND';
  if (issuance.Issuer !== tx.Account) return 'tecNO_PERMISSION';
  if (!hasAny(issuance.Flags, Lsf.lsfMPTRequireAuth)) return 'tecNO_AUTH';
  if (view.read(mptokenKey(id, holder)) === undefined) return 'tecOBJECT_NOT_FOUND';
  // Vaults and loan brokers are always authorized and cannot be unauthorized.
  if (account.VaultID !== undefined || account.LoanBrokerID !== undefined) return 'tecNO_PERMISSION';
  return 'tesSUCCESS';
}

function apply({ view, tx, account, priorBalance }: ApplyContext): Result {
  return authorizeMpToken(view, priorBalance, tx.MPTokenIssuanceID as Hex, account, tx.Flags ?? 0, tx.Holder);
}

export const mptokenAuthorize: Rule = {
  type: 'MPTokenAuthorize',
  amendment: 'MPTokensV1',
  flags: Tf.tfMPTUnauthorize,
  preflight,
  preclaim,
  apply,
};
