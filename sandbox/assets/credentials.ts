/**
 * Credentials used by other transactions: those of a transaction, those accepted by a permissioned domain, those that
 * authorise deposits (XLS-70, XLS-80, XLS-81). Rules: rippled `CredentialHelpers.cpp`, `PermissionedDEXHelpers.cpp`.
 */

import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { ACCOUNT_ZERO } from '../../engine/codec/arithmetic/asset.ts';
import { unlistOwned } from '../ledger/directory.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Entry, Fields, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import type { CredentialKind } from '../protocol/keylets.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { adjustOwnerCount } from './reserve.ts';

/** Maximum number of credentials of a transaction or a deposit authorisation. */
export const CREDENTIALS_MAX = 8;
/** Longest `CredentialType`, in bytes. */
export const CREDENTIAL_TYPE_BYTES_MAX = 64;

const isAccepted = (credential: Readonly<Entry>): boolean => hasAny(credential.Flags, Lsf.lsfAccepted);

/** Whether a close time (Ripple epoch seconds) is past its `Expiration`; in that very second it is still valid. */
export function credentialExpired(credential: Readonly<Entry>, closeTime: number): boolean {
  return credential.Expiration !== undefined && closeTime > credential.Expiration;
}

/** The kinds in an array of `Credential` objects, in the order of the array. */
export function credentialKinds(credentials: readonly Fields[]): CredentialKind[] {
  return credentials.map(({ Credential }) => ({
    issuer: Credential?.Issuer ?? ACCOUNT_ZERO,
    type: Credential?.CredentialType ?? '',
  }));
}

/** Sorted by issuer, then type: the order of deposit authorisations. Undefined when there are duplicates. */
export function sortedKinds(kinds: readonly CredentialKind[]): CredentialKind[] | undefined {
  const text = (kind: CredentialKind): string => kind.issuer + kind.type;
  const sorted = [...kinds].sort((a, b) => (text(a) < text(b) ? -1 : 1));
  return sorted.some((kind, i) => i > 0 && text(kind) === text(sorted[i - 1]!)) ? undefined : sorted;
}

/** Checks the form of a transaction's `CredentialIDs` (rippled `credentials::checkFields`): `temMALFORMED` or success. */
export function validCredentialIds(tx: Readonly<TransactionFields>): Result {
  const ids = tx.CredentialIDs;
  if (!ids) return 'tesSUCCESS';
  if (ids.length === 0 || ids.length > CREDENTIALS_MAX) return 'temMALFORMED';
  return new Set(ids).size === ids.length ? 'tesSUCCESS' : 'temMALFORMED';
}

/** The form of an array of credential kinds (rippled `credentials::checkArray`). */
export function validCredentialArray(credentials: readonly Fields[], most: number): Result {
  if (credentials.length === 0) return 'temARRAY_EMPTY';
  if (credentials.length > most) return 'temARRAY_TOO_LARGE';
  const seen = new Set<string>();
  for (const { issuer, type } of credentialKinds(credentials)) {
    if (issuer === ACCOUNT_ZERO) return 'temINVALID_ACCOUNT_ID';
    if (type.length === 0 || type.length > 2 * CREDENTIAL_TYPE_BYTES_MAX) return 'temMALFORMED';
    if (seen.has(issuer + type)) return 'temMALFORMED';
    seen.add(issuer + type);
  }
  return 'tesSUCCESS';
}

/** Checks that a transaction's credentials exist, are the account's and are accepted; expiry is checked when applying. */
export function credentialsValid(
  view: ReadView,
  tx: Readonly<TransactionFields>,
  account: AccountId,
): Result {
  for (const id of tx.CredentialIDs ?? []) {
    const credential = view.read(id);
    if (credential?.LedgerEntryType !== 'Credential') return 'tecBAD_CREDENTIALS';
    if (credential.Subject !== account || !isAccepted(credential)) return 'tecBAD_CREDENTIALS';
  }
  return 'tesSUCCESS';
}

/**
 * Deletes a credential: from both directories and the owner's count (the subject's once accepted).
 * @param credential the view's own entry.
 */
export function deleteCredential(view: ApplyView, credential: Entry): Result {
  const issuer = credential.Issuer!;
  const subject = credential.Subject!;
  const accepted = isAccepted(credential);
  const unlink = (account: AccountId, page: bigint | undefined, owns: boolean): Result => {
    const entry = view.peek(keylets.account(account));
    if (!entry) return 'tecINTERNAL';
    if (!unlistOwned(view, account, page, credential.index)) return 'tefBAD_LEDGER';
    if (owns) adjustOwnerCount(view, entry, -1);
    return 'tesSUCCESS';
  };
  const first = unlink(issuer, credential.IssuerNode, !accepted || subject === issuer);
  if (first !== 'tesSUCCESS') return first;
  if (subject !== issuer) {
    const second = unlink(subject, credential.SubjectNode, accepted);
    if (second !== 'tesSUCCESS') return second;
  }
  view.erase(credential.index);
  return 'tesSUCCESS';
}

/** Deletes the expired ones of the credentials. @returns whether there was one. */
export function removeExpiredCredentials(view: ApplyView, ids: readonly Hex[]): boolean {
  let found = false;
  for (const id of ids) {
    const credential = view.read(id);
    if (credential?.LedgerEntryType !== 'Credential') continue;
    if (!credentialExpired(credential, view.header.parentCloseTime)) continue;
    deleteCredential(view, view.peek(id)!);
    found = true;
  }
  return found;
}

/** Whether `owner` accepts deposits from holders of exactly these credentials: `tecNO_PERMISSION` if not. */
export function authorizedDepositPreauth(view: ReadView, ids: readonly Hex[], owner: AccountId): Result {
  const kinds: CredentialKind[] = [];
  for (const id of ids) {
    const credential = view.read(id);
    if (!credential) return 'tefINTERNAL';
    kinds.push({ issuer: credential.Issuer!, type: credential.CredentialType! });
  }
  const sorted = sortedKinds(kinds);
  if (!sorted) return 'tefINTERNAL';
  return view.read(keylets.depositPreauthCredentials(owner, sorted)) ? 'tesSUCCESS' : 'tecNO_PERMISSION';
}

function domainCredentials(view: ReadView, domain: Readonly<Entry>, subject: AccountId): Readonly<Entry>[] {
  return credentialKinds(domain.AcceptedCredentials ?? [])
    .map(({ issuer, type }) => view.read(keylets.credential(subject, issuer, type)))
    .filter((credential) => credential !== undefined);
}

/**
 * Whether the account has a credential the domain accepts (rippled `credentials::validDomain`): `tecOBJECT_NOT_FOUND`
 * without the domain, `tecEXPIRED` when there is one but expired, `tecNO_AUTH` otherwise.
 */
export function validDomain(view: ReadView, domainId: Hex, subject: AccountId): Result {
  const domain = view.read(domainId);
  if (domain?.LedgerEntryType !== 'PermissionedDomain') return 'tecOBJECT_NOT_FOUND';
  let expired = false;
  for (const credential of domainCredentials(view, domain, subject)) {
    if (credentialExpired(credential, view.header.parentCloseTime)) expired = true;
    else if (isAccepted(credential)) return 'tesSUCCESS';
  }
  return expired ? 'tecEXPIRED' : 'tecNO_AUTH';
}

/** As `validDomain`, while applying: expired credentials are deleted; `tecNO_PERMISSION` instead of `tecNO_AUTH`. */
export function verifyValidDomain(view: ApplyView, domainId: Hex, subject: AccountId): Result {
  const domain = view.read(domainId);
  if (domain?.LedgerEntryType !== 'PermissionedDomain') return 'tecOBJECT_NOT_FOUND';
  const credentials = domainCredentials(view, domain, subject);
  const expired = removeExpiredCredentials(
    view,
    credentials.map(({ index }) => index),
  );
  if (credentials.some((credential) => view.read(credential.index) && isAccepted(credential)))
    return 'tesSUCCESS';
  return expired ? 'tecEXPIRED' : 'tecNO_PERMISSION';
}

/** Whether the account may trade in the domain: it owns it or has a valid accepted credential (rippled `accountInDomain`). */
export function authorizedByDomain(view: ReadView, domainId: Hex, account: AccountId): boolean {
  const domain = view.read(domainId);
  if (domain?.LedgerEntryType !== 'PermissionedDomain') return false;
  if (domain.Owner === account) return true;
  return domainCredentials(view, domain, account).some(
    (credential) => isAccepted(credential) && !credentialExpired(credential, view.header.parentCloseTime),
  );
}

/** Whether the offer still belongs in the domain's book (rippled `offerInDomain`). */
export function offerInDomain(view: ReadView, offerKey: Hex, domainId: Hex): boolean {
  const offer = view.read(offerKey);
  if (offer?.DomainID !== domainId) return false;
  if (hasAny(offer.Flags, Lsf.lsfHybrid) && !offer.AdditionalBooks) return false;
  return authorizedByDomain(view, domainId, offer.Account!);
}
