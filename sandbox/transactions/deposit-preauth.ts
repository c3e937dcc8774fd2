/**
 * DepositPreauth: who may pay an account with deposit authorisation, by account or by a set of credentials (XLS-70).
 * Rule: rippled `DepositPreauth.cpp`.
 */

import { ACCOUNT_ZERO, type Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import {
  CREDENTIALS_MAX,
  credentialKinds,
  sortedKinds,
  validCredentialArray,
} from '../assets/credentials.ts';
import { deleteOwned, insertOwned } from '../assets/owned.ts';
import { isPseudoAccountEntry } from '../assets/pseudo-accounts.ts';
import { reserveOf } from '../assets/reserve.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Fields, TransactionFields } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';

type Tx = Readonly<TransactionFields>;

function preflight(tx: Tx, rules: Rules): Result {
  const credentials = tx.AuthorizeCredentials ?? tx.UnauthorizeCredentials;
  if (credentials && !rules.enabled('Credentials')) return 'temDISABLED';
  const given = [tx.Authorize, tx.Unauthorize, tx.AuthorizeCredentials, tx.UnauthorizeCredentials];
  if (given.filter((value) => value !== undefined).length !== 1) return 'temMALFORMED';
  if (credentials) return validCredentialArray(credentials, CREDENTIALS_MAX);
  if ((tx.Authorize ?? tx.Unauthorize) === ACCOUNT_ZERO) return 'temINVALID_ACCOUNT_ID';
  return tx.Authorize === tx.Account ? 'temCANNOT_PREAUTH_SELF' : 'tesSUCCESS';
}

/** Key of the transaction's authorisation. */
function keyOf(tx: Tx): Hex {
  const credentials = tx.AuthorizeCredentials ?? tx.UnauthorizeCredentials;
  if (credentials) return keylets.depositPreauthCredentials(tx.Account, credentialKinds(credentials));
  return keylets.depositPreauth(tx.Account, (tx.Authorize ?? tx.Unauthorize)!);
}

function preclaim(view: ReadView, tx: Tx): Result {
  const known = view.read(keyOf(tx)) !== undefined;
  if (tx.Unauthorize !== undefined || tx.UnauthorizeCredentials) return known ? 'tesSUCCESS' : 'tecNO_ENTRY';
  if (tx.Authorize !== undefined) {
    const authorized = view.read(keylets.account(tx.Authorize));
    if (!authorized) return 'tecNO_TARGET';
    if (view.rules.enabled('fixCleanup3_3_0') && isPseudoAccountEntry(authorized)) return 'tecPSEUDO_ACCOUNT';
  }
  for (const { issuer } of credentialKinds(tx.AuthorizeCredentials ?? [])) {
    if (!view.read(keylets.account(issuer))) return 'tecNO_ISSUER';
  }
  return known ? 'tecDUPLICATE' : 'tesSUCCESS';
}

/** Deletes an authorisation (also when its owner is deleted). */
export function removeDepositPreauth(view: ApplyView, key: Hex): Result {
  const entry = view.read(key);
  return entry ? deleteOwned(view, entry.Account!, entry) : 'tecNO_ENTRY';
}

/** The fields of the authorisation: an account, or credentials sorted by issuer and type. */
function content(tx: Tx): Fields {
  if (tx.Authorize !== undefined) return { Authorize: tx.Authorize };
  const kinds = sortedKinds(credentialKinds(tx.AuthorizeCredentials!)) ?? [];
  return {
    AuthorizeCredentials: kinds.map(({ issuer, type }) => ({
      Credential: { Issuer: issuer, CredentialType: type },
    })),
  };
}

function apply({ view, tx, account, priorBalance }: ApplyContext): Result {
  const key = keyOf(tx);
  if (tx.Unauthorize !== undefined || tx.UnauthorizeCredentials) return removeDepositPreauth(view, key);
  const owner = view.peek(keylets.account(account));
  if (!owner) return 'tefINTERNAL';
  if (priorBalance < reserveOf(view, owner, 1)) return 'tecINSUFFICIENT_RESERVE';
  return insertOwned(view, owner, {
    ...content(tx),
    LedgerEntryType: 'DepositPreauth',
    index: key,
    Flags: 0,
    Account: account,
  });
}

export const depositPreauth: Rule = {
  type: 'DepositPreauth',
  amendment: 'DepositPreauth',
  flags: 0,
  preflight,
  preclaim,
  apply,
};
