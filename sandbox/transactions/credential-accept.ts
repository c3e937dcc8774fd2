/** CredentialAccept (XLS-70): the subject accepts a credential. Rules: rippled `CredentialAccept.cpp`. */

import { ACCOUNT_ZERO } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { credentialExpired, deleteCredential } from '../assets/credentials.ts';
import { adjustOwnerCount, reserveOf } from '../assets/reserve.ts';
import type { ReadView } from '../ledger/view.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { badCredentialType, credentialFlags } from './credential-create.ts';

function preflight(tx: Readonly<TransactionFields>): Result {
  if (tx.Issuer === ACCOUNT_ZERO) return 'temINVALID_ACCOUNT_ID';
  return badCredentialType(tx.CredentialType!) ? 'temMALFORMED' : 'tesSUCCESS';
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  if (view.read(keylets.account(tx.Issuer!)) === undefined) return 'tecNO_ISSUER';
  const credential = view.read(keylets.credential(tx.Account, tx.Issuer!, tx.CredentialType!));
  if (credential === undefined) return 'tecNO_ENTRY';
  return !hasAny(credential.Flags, Lsf.lsfAccepted) ? 'tesSUCCESS' : 'tecDUPLICATE';
}

function apply({ view, tx, account, priorBalance }: ApplyContext): Result {
  const subject = view.peek(keylets.account(account));
  const issuer = view.peek(keylets.account(tx.Issuer!));
  const credential = view.peek(keylets.credential(account, tx.Issuer!, tx.CredentialType!));
  if (subject === undefined || issuer === undefined || credential === undefined) return 'tefINTERNAL';
  if (priorBalance < reserveOf(view, subject, 1)) return 'tecINSUFFICIENT_RESERVE';
  if (credentialExpired(credential, view.header.parentCloseTime)) {
    // The deletion stays although the transaction fails.
    const deleted = deleteCredential(view, credential);
    return deleted === 'tesSUCCESS' ? 'tecEXPIRED' : deleted;
  }
  credential.Flags = Lsf.lsfAccepted;
  adjustOwnerCount(view, issuer, -1);
  adjustOwnerCount(view, subject, 1);
  return 'tesSUCCESS';
}

export const credentialAccept: Rule = {
  type: 'CredentialAccept',
  amendment: 'Credentials',
  flags: credentialFlags,
  preflight,
  preclaim,
  apply,
};
