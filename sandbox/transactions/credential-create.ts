/** CredentialCreate (XLS-70): an issuer issues a credential to a subject. Rules: rippled `CredentialCreate.cpp`. */

import type { Hex } from '../../engine/codec/arithmetic/asset.ts';
import { ACCOUNT_ZERO } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { CREDENTIAL_TYPE_BYTES_MAX } from '../assets/credentials.ts';
import { isPseudoAccount } from '../assets/pseudo-accounts.ts';
import { adjustOwnerCount, reserveOf } from '../assets/reserve.ts';
import { listOwned } from '../ledger/directory.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import { Lsf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { badLength } from './bad-length.ts';

/** Longest URI, in bytes. */
const URI_BYTES_MAX = 256;
const ANY_FLAGS = 0xffff_ffff;

/** Before fixInvalidTxFlags the flags of these types were not checked. */
export const credentialFlags = (_tx: Readonly<TransactionFields>, rules: Rules): number =>
  rules.enabled('fixInvalidTxFlags') ? 0 : ANY_FLAGS;

/** Whether a `CredentialType` (hex) is empty or too long. */
export const badCredentialType = (type: Hex): boolean => badLength(type, CREDENTIAL_TYPE_BYTES_MAX);

function preflight(tx: Readonly<TransactionFields>): Result {
  if (tx.Subject === ACCOUNT_ZERO) return 'temMALFORMED';
  return badLength(tx.URI, URI_BYTES_MAX) || badCredentialType(tx.CredentialType!)
    ? 'temMALFORMED'
    : 'tesSUCCESS';
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  if (view.read(keylets.account(tx.Subject!)) === undefined) return 'tecNO_TARGET';
  const index = keylets.credential(tx.Subject!, tx.Account, tx.CredentialType!);
  if (view.read(index) !== undefined) return 'tecDUPLICATE';
  // A pseudo-account cannot accept a credential.
  const isPseudo = view.rules.enabled('fixCleanup3_3_0') && isPseudoAccount(view, tx.Subject!);
  return isPseudo ? 'tecPSEUDO_ACCOUNT' : 'tesSUCCESS';
}

function apply({ view, tx, account, priorBalance }: ApplyContext): Result {
  const subject = tx.Subject!;
  if (tx.Expiration !== undefined && view.header.parentCloseTime > tx.Expiration) return 'tecEXPIRED';
  const issuer = view.peek(keylets.account(account));
  if (issuer === undefined) return 'tefINTERNAL';
  if (priorBalance < reserveOf(view, issuer, 1)) return 'tecINSUFFICIENT_RESERVE';
  const index = keylets.credential(subject, account, tx.CredentialType!);
  const credential: Entry = {
    LedgerEntryType: 'Credential',
    index,
    Flags: subject === account ? Lsf.lsfAccepted : 0,
    Subject: subject,
    Issuer: account,
    CredentialType: tx.CredentialType!,
  };
  if (tx.Expiration !== undefined) credential.Expiration = tx.Expiration;
  if (tx.URI !== undefined) credential.URI = tx.URI;
  credential.IssuerNode = listOwned(view, account, index);
  if (credential.IssuerNode === undefined) return 'tecDIR_FULL';
  adjustOwnerCount(view, issuer, 1);
  if (subject !== account) {
    // Listed with both; it counts for the issuer until the subject accepts it.
    credential.SubjectNode = listOwned(view, subject, index);
    if (credential.SubjectNode === undefined) return 'tecDIR_FULL';
  }
  view.insert(credential);
  return 'tesSUCCESS';
}

export const credentialCreate: Rule = {
  type: 'CredentialCreate',
  amendment: 'Credentials',
  flags: credentialFlags,
  preflight,
  preclaim,
  apply,
};
