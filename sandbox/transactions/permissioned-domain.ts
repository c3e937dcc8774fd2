/**
 * PermissionedDomainSet, PermissionedDomainDelete (XLS-80): a domain is a list of credentials whose holders are members.
 * Rules: rippled `PermissionedDomainSet.cpp`, `PermissionedDomainDelete.cpp`.
 */

import { HASH_ZERO, type Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { credentialKinds, validCredentialArray } from '../assets/credentials.ts';
import { deleteOwned, insertOwned } from '../assets/owned.ts';
import { coversReserve } from '../assets/reserve.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Fields, TransactionFields } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { sequenceOf } from '../protocol/sequence.ts';

type Tx = Readonly<TransactionFields>;

/** Maximum number of credential kinds that a domain accepts. */
const ACCEPTED_CREDENTIALS_MAX = 10;

function preflightSet(tx: Tx, rules: Rules): Result {
  if (!rules.enabled('Credentials')) return 'temDISABLED';
  const valid = validCredentialArray(tx.AcceptedCredentials!, ACCEPTED_CREDENTIALS_MAX);
  if (valid !== 'tesSUCCESS') return valid;
  return tx.DomainID === HASH_ZERO ? 'temMALFORMED' : 'tesSUCCESS';
}

/** Checks that the domain exists and belongs to the sender. */
function checkOwned(view: ReadView, id: Hex, tx: Tx): Result {
  const domain = view.read(id);
  if (domain?.LedgerEntryType !== 'PermissionedDomain') return 'tecNO_ENTRY';
  return domain.Owner === tx.Account ? 'tesSUCCESS' : 'tecNO_PERMISSION';
}

function preclaimSet(view: ReadView, tx: Tx): Result {
  if (view.read(keylets.account(tx.Account)) === undefined) return 'tefINTERNAL';
  const kinds = credentialKinds(tx.AcceptedCredentials!);
  if (kinds.some(({ issuer }) => view.read(keylets.account(issuer)) === undefined)) return 'tecNO_ISSUER';
  return tx.DomainID === undefined ? 'tesSUCCESS' : checkOwned(view, tx.DomainID, tx);
}

/** By issuer, then type. */
function sorted(credentials: readonly Fields[]): Fields[] {
  const text = ({ Credential }: Fields): string => Credential!.Issuer! + Credential!.CredentialType!;
  return [...credentials].sort((a, b) => (text(a) < text(b) ? -1 : 1));
}

function applySet({ view, tx, account }: ApplyContext): Result {
  const root = view.peek(keylets.account(account));
  if (root === undefined) return 'tefINTERNAL';
  const accepted = sorted(tx.AcceptedCredentials!);
  if (tx.DomainID !== undefined) {
    const domain = view.peek(tx.DomainID);
    if (domain === undefined) return 'tefINTERNAL';
    domain.AcceptedCredentials = accepted;
    return 'tesSUCCESS';
  }
  // The reserve must be covered after the fee, unlike with most types.
  if (!coversReserve(view, root, 1)) return 'tecINSUFFICIENT_RESERVE';
  // Before fixCleanup3_1_3 the number of a ticket was ignored.
  const sequence = view.rules.enabled('fixCleanup3_1_3') ? sequenceOf(tx) : tx.Sequence;
  return insertOwned(view, root, {
    LedgerEntryType: 'PermissionedDomain',
    index: keylets.permissionedDomain(account, sequence),
    Flags: 0,
    Owner: account,
    Sequence: sequence,
    AcceptedCredentials: accepted,
  });
}

function applyDelete({ view, tx, account }: ApplyContext): Result {
  const domain = view.read(tx.DomainID!);
  return domain ? deleteOwned(view, account, domain, { keepRoot: true }) : 'tefINTERNAL';
}

export const permissionedDomainSet: Rule = {
  type: 'PermissionedDomainSet',
  amendment: 'PermissionedDomains',
  flags: 0,
  preflight: preflightSet,
  preclaim: preclaimSet,
  apply: applySet,
};

export const permissionedDomainDelete: Rule = {
  type: 'PermissionedDomainDelete',
  amendment: 'PermissionedDomains',
  flags: 0,
  preflight: (tx) => (tx.DomainID === HASH_ZERO ? 'temMALFORMED' : 'tesSUCCESS'),
  preclaim: (view, tx) => checkOwned(view, tx.DomainID!, tx),
  apply: applyDelete,
};
