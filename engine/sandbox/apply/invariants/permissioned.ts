/** Permissioned domains and their order books: domains in form, their members' trades among themselves. */
import type { Fields } from '../../protocol/fields.ts';
import { has, Lsf } from '../../protocol/flags.ts';
import { type Checker, changesOf, remains } from './checker.ts';

const CREDENTIALS_MAX = 10;

/** One to ten, in order, none twice. */
function goodCredentials(credentials: readonly Fields[] | undefined): boolean {
  const texts = (credentials ?? []).map(
    ({ Credential }) => `${Credential?.Issuer}${Credential?.CredentialType}`,
  );
  if (texts.length === 0 || texts.length > CREDENTIALS_MAX) return false;
  return texts.every((text, at) => at === 0 || text > (texts[at - 1] as string));
}

const validDomain: Checker = {
  name: 'ValidPermissionedDomain',
  holds: ({ changes, tx, result }) =>
    tx.TransactionType !== 'PermissionedDomainSet' ||
    result !== 'tesSUCCESS' ||
    changesOf(changes, 'PermissionedDomain').every((change) => {
      const domain = remains(change);
      return domain === undefined || goodCredentials(domain.AcceptedCredentials);
    }),
};

const validBooks: Checker = {
  name: 'ValidPermissionedDEX',
  holds({ changes, tx, result, table }) {
    const type = tx.TransactionType;
    if ((type !== 'Payment' && type !== 'OfferCreate') || result !== 'tesSUCCESS') return true;
    const offers = changesOf(changes, 'Offer').map(({ after }) => after);
    const badHybrid = offers.some(
      ({ Flags, DomainID, AdditionalBooks }) =>
        has(Flags, Lsf.lsfHybrid) && (DomainID === undefined || AdditionalBooks?.length !== 1),
    );
    if (type === 'OfferCreate' && badHybrid) return false;
    if (tx.DomainID === undefined) return true;
    if (table.read(tx.DomainID)?.LedgerEntryType !== 'PermissionedDomain') return false;
    const pages = changesOf(changes, 'DirectoryNode').map(({ after }) => after);
    const foreign = pages.some(({ DomainID }) => DomainID !== undefined && DomainID !== tx.DomainID);
    return !foreign && offers.every(({ DomainID }) => DomainID === tx.DomainID);
  },
};

export const PERMISSIONED_CHECKERS: readonly Checker[] = [validDomain, validBooks];
