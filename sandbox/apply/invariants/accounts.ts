/** Accounts: created and deleted only by the permitted types, one at a time, and completely. */

import type { AccountId } from '../../../engine/codec/arithmetic/asset.ts';
import { isPseudoAccountEntry } from '../../assets/pseudo-accounts.ts';
import type { ReadView } from '../../ledger/view.ts';
import type { Entry } from '../../protocol/fields.ts';
import { Lsf } from '../../protocol/flags.ts';
import * as keylets from '../../protocol/keylets.ts';
import { type Checker, entryAfter } from './checker.ts';
import { may } from './privileges.ts';

const PSEUDO_FLAGS = Lsf.lsfDisableMaster | Lsf.lsfDefaultRipple | Lsf.lsfDepositAuth;

const notDeleted: Checker = {
  name: 'AccountRootsNotDeleted',
  holds({ changes, tx, result }) {
    const deleted = changes.of('AccountRoot').filter(({ action }) => action === 'erase').length;
    const succeeded = result === 'tesSUCCESS';
    if (succeeded && may(tx.TransactionType, 'mustDeleteAccount')) return deleted === 1;
    if (succeeded && deleted === 1 && may(tx.TransactionType, 'mayDeleteAccount')) return true;
    return deleted === 0;
  },
};

/** Whether nothing is left that can be found from the account alone. */
function leftNothing(view: ReadView, id: AccountId): boolean {
  const keys = [keylets.ownerDirectory(id), keylets.signerList(id), keylets.did(id), keylets.nftPageMax(id)];
  if (keys.some((key) => view.read(key) !== undefined)) return false;
  return view.successor(keylets.nftPageMin(id), keylets.nftPageMax(id)) === undefined;
}

/** The object of a pseudo-account is deleted with it. */
const leftNoObject = (view: ReadView, { AMMID, VaultID, LoanBrokerID }: Readonly<Entry>): boolean =>
  [AMMID, VaultID, LoanBrokerID].every((id) => id === undefined || view.read(id) === undefined);

const deletedClean: Checker = {
  name: 'AccountRootsDeletedClean',
  holds: ({ changes, table }) =>
    changes
      .of('AccountRoot')
      .filter(({ action }) => action === 'erase')
      .every(({ after }) => {
        const empty = after.Balance?.isZero === true && (after.OwnerCount ?? 0) === 0;
        return empty && leftNothing(table, after.Account as AccountId) && leftNoObject(table, after);
      }),
};

/** A pool or vault is deleted with its pseudo-account. (fixCleanup3_3_0) */
const objectHasAccount: Checker = {
  name: 'ObjectHasPseudoAccount',
  holds: ({ changes, table }) =>
    !table.rules.enabled('fixCleanup3_3_0') ||
    [...changes.of('AMM'), ...changes.of('Vault')]
      .filter(({ action }) => action === 'erase')
      .every(({ after }) => after.Account !== undefined && !table.read(keylets.account(after.Account))),
};

const typesMatch: Checker = {
  name: 'LedgerEntryTypesMatch',
  holds: ({ changes }) =>
    changes.all.every(
      ({ before, after }) => before === undefined || before.LedgerEntryType === after.LedgerEntryType,
    ),
};

const newAccount: Checker = {
  name: 'ValidNewAccountRoot',
  holds({ changes, tx, result, table }) {
    const made = changes.of('AccountRoot').filter(({ action }) => action === 'insert');
    const [first] = made;
    if (first === undefined) return true;
    const type = tx.TransactionType;
    if (made.length > 1 || result !== 'tesSUCCESS' || !may(type, 'createAccount', 'createPseudoAccount'))
      return false;
    const account = first.after;
    const pseudo = isPseudoAccountEntry(account) && table.rules.enabled('SingleAssetVault');
    if (!pseudo)
      return account.Sequence === (table.rules.enabled('DeletableAccounts') ? table.header.index : 1);
    return (
      may(type, 'createPseudoAccount') && account.Sequence === 0 && (account.Flags ?? 0) === PSEUDO_FLAGS
    );
  },
};

function goodPseudo(account: Readonly<Entry>, before: Readonly<Entry> | undefined): boolean {
  const fields = [account.AMMID, account.VaultID, account.LoanBrokerID].filter((id) => id !== undefined);
  const flagged = ((account.Flags ?? 0) & PSEUDO_FLAGS) === PSEUDO_FLAGS;
  const still = before === undefined || before.Sequence === account.Sequence;
  return fields.length === 1 && flagged && still && account.RegularKey === undefined;
}

const pseudoAccounts: Checker = {
  name: 'ValidPseudoAccounts',
  holds: ({ changes, table }) =>
    !table.rules.enabled('SingleAssetVault') ||
    changes.of('AccountRoot').every((change) => {
      const account = entryAfter(change);
      if (account === undefined) return true;
      // Only pseudo-accounts have a sequence of zero.
      const pseudo = isPseudoAccountEntry(account) || account.Sequence === 0;
      return !pseudo || goodPseudo(account, change.before);
    }),
};

export const ACCOUNT_CHECKERS: readonly Checker[] = [
  notDeleted,
  deletedClean,
  objectHasAccount,
  typesMatch,
  newAccount,
  pseudoAccounts,
];
