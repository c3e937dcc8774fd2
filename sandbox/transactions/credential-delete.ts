/** CredentialDelete (XLS-70): by subject or issuer; by any account if expired. Rules: rippled `CredentialDelete.cpp`. */

import type { Hex } from '../../engine/codec/arithmetic/asset.ts';
import { ACCOUNT_ZERO } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { credentialExpired, deleteCredential } from '../assets/credentials.ts';
import type { ReadView } from '../ledger/view.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { badCredentialType, credentialFlags } from './credential-create.ts';

/** If subject or issuer is left out, it is the sender. */
const keyOf = (tx: Readonly<TransactionFields>): Hex =>
  keylets.credential(tx.Subject ?? tx.Account, tx.Issuer ?? tx.Account, tx.CredentialType!);

function preflight(tx: Readonly<TransactionFields>): Result {
  if (tx.Subject === undefined && tx.Issuer === undefined) return 'temMALFORMED';
  if (tx.Subject === ACCOUNT_ZERO || tx.Issuer === ACCOUNT_ZERO) return 'temINVALID_ACCOUNT_ID';
  return badCredentialType(tx.CredentialType!) ? 'temMALFORMED' : 'tesSUCCESS';
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  return view.read(keyOf(tx)) === undefined ? 'tecNO_ENTRY' : 'tesSUCCESS';
}

function apply({ view, tx, account }: ApplyContext): Result {
  const credential = view.peek(keyOf(tx));
  if (credential === undefined) return 'tefINTERNAL';
  const isParty = credential.Subject === account || credential.Issuer === account;
  if (!isParty && !credentialExpired(credential, view.header.parentCloseTime)) return 'tecNO_PERMISSION';
  return deleteCredential(view, credential);
}

export const credentialDelete: Rule = {
  type: 'CredentialDelete',
  amendment: 'Credentials',
  flags: credentialFlags,
  preflight,
  preclaim,
  apply,
};
