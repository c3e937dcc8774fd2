/** Permissioned domains and their order books: domains are well-formed, their offers trade only with each other. */
import type { Fields } from '../../protocol/fields.ts';
import { hasAny, Lsf } from '../../protocol/flags.ts';
import { type Checker, entryAfter, type TransactionEffect } from './checker.ts';

const CREDENTIALS_MAX = 10;

/** One to ten, sorted, without duplicates. */
function goodCredentials(credentials: readonly Fields[] | undefined): boolean {
  const texts = (credentials ?? []).map(
    ({ Credential }) => `${Credential?.Issuer}${Credential?.CredentialType}`,
  );
  if (texts.length === 0 || texts.length > CREDENTIALS_MAX) return false;
  return texts.every((text, at) => at === 0 || text > (texts[at - 1] as string));
}

/** What each type must have done to domains; every other type must not change any. (fixCleanup3_1_3) */
function onlyOwnDomain({ changes, tx, result }: TransactionEffect): boolean {
  const domains = changes.of('PermissionedDomain');
  const [first] = domains;
  if (domains.length > 1 || (first && result !== 'tesSUCCESS')) return false;
  if (result !== 'tesSUCCESS') return true;
  if (tx.TransactionType === 'PermissionedDomainDelete') return first?.action === 'erase';
  if (tx.TransactionType !== 'PermissionedDomainSet') return first === undefined;
  // Settings that were so already make no change.
  return first === undefined
    ? tx.DomainID !== undefined
    : first.action !== 'erase' && goodCredentials(first.after.AcceptedCredentials);
}

const validDomain: Checker = {
  name: 'ValidPermissionedDomain',
  holds(done) {
    if (done.table.rules.enabled('fixCleanup3_1_3')) return onlyOwnDomain(done);
    if (done.tx.TransactionType !== 'PermissionedDomainSet' || done.result !== 'tesSUCCESS') return true;
    return done.changes.of('PermissionedDomain').every((change) => {
      const domain = entryAfter(change);
      return domain === undefined || goodCredentials(domain.AcceptedCredentials);
    });
  },
};

const validBooks: Checker = {
  name: 'ValidPermissionedDEX',
  holds({ changes, tx, result, table }) {
    const type = tx.TransactionType;
    if ((type !== 'Payment' && type !== 'OfferCreate') || result !== 'tesSUCCESS') return true;
    const offers = changes.of('Offer');
    const badHybrid = offers.some(
      ({ after: { Flags, DomainID, AdditionalBooks } }) =>
        hasAny(Flags, Lsf.lsfHybrid) && (DomainID === undefined || AdditionalBooks?.length !== 1),
    );
    if (type === 'OfferCreate' && badHybrid) return false;
    if (tx.DomainID === undefined) return true;
    if (table.read(tx.DomainID)?.LedgerEntryType !== 'PermissionedDomain') return false;
    const pages = changes.of('DirectoryNode').map(({ after }) => after);
    const foreign = pages.some(({ DomainID }) => DomainID !== undefined && DomainID !== tx.DomainID);
    // An offer in a domain may replace one in the open book. (fixCleanup3_2_0)
    const replacing = table.rules.enabled('fixCleanup3_2_0');
    const regular = offers.some(
      ({ after, action }) => after.DomainID === undefined && !(replacing && action === 'erase'),
    );
    return (
      !foreign && !regular && offers.every(({ after }) => (after.DomainID ?? tx.DomainID) === tx.DomainID)
    );
  },
};

export const PERMISSIONED_CHECKERS: readonly Checker[] = [validDomain, validBooks];
