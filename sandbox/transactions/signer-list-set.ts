/** SignerListSet: the accounts that sign together for the account, and their weights. Rule: rippled `SignerListSet.cpp`. */

import type { AccountId } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { deleteOwned, insertOwned } from '../assets/owned.ts';
import { reserveOf } from '../assets/reserve.ts';
import type { ApplyView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Entry, Fields, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';

const SIGNERS_MAX = 32;
const EVERY_FLAG = 0xffff_ffff;
/** Owner count of a list created before MultiSignReserve (2019), in addition to one for each signer. */
const OLD_LIST_COUNT = 2;

type Tx = Readonly<TransactionFields>;

/** The entries by account, in the order of the ledger. */
function sortedEntries(entries: readonly Fields[]): Fields[] {
  return entries
    .map(({ SignerEntry }) => SignerEntry ?? {})
    .sort((a, b) => (a.Account! < b.Account! ? -1 : 1));
}

/** Entries have an account, a weight, optionally a WalletLocator, and no other field. */
function isSignerEntry({ SignerEntry }: Fields): boolean {
  if (SignerEntry?.Account === undefined || SignerEntry.SignerWeight === undefined) return false;
  return Object.keys(SignerEntry).every(
    (name) => name === 'Account' || name === 'SignerWeight' || name === 'WalletLocator',
  );
}

function preflight(tx: Tx): Result {
  const quorum = tx.SignerQuorum ?? 0;
  if (!tx.SignerEntries) return quorum === 0 ? 'tesSUCCESS' : 'temMALFORMED';
  if (quorum === 0 || !tx.SignerEntries.every(isSignerEntry)) return 'temMALFORMED';
  const entries = sortedEntries(tx.SignerEntries);
  if (entries.length === 0 || entries.length > SIGNERS_MAX) return 'temMALFORMED';
  if (entries.some((entry, i) => i > 0 && entry.Account === entries[i - 1]!.Account)) return 'temBAD_SIGNER';
  let weight = 0;
  for (const entry of entries) {
    if (entry.SignerWeight === 0) return 'temBAD_WEIGHT';
    if (entry.Account === tx.Account) return 'temBAD_SIGNER';
    weight += entry.SignerWeight!;
  }
  return weight < quorum ? 'temBAD_QUORUM' : 'tesSUCCESS';
}

/** Deletes an account's signer list, if it has one (also when the account is deleted). */
export function removeSignerList(view: ApplyView, account: AccountId): Result {
  const list = view.read(keylets.signerList(account));
  if (!list) return 'tesSUCCESS';
  const count = hasAny(list.Flags, Lsf.lsfOneOwnerCount)
    ? 1
    : OLD_LIST_COUNT + (list.SignerEntries ?? []).length;
  return deleteOwned(view, account, list, { count });
}

function replaceList({ view, tx, account, priorBalance }: ApplyContext): Result {
  // The old list is deleted first: that may free the reserve that the new one needs.
  const removed = removeSignerList(view, account);
  if (removed !== 'tesSUCCESS') return removed;
  const owner = view.peek(keylets.account(account));
  if (!owner) return 'tefINTERNAL';
  const one = view.rules.enabled('MultiSignReserve');
  const count = one ? 1 : OLD_LIST_COUNT + tx.SignerEntries!.length;
  if (priorBalance < reserveOf(view, owner, count)) return 'tecINSUFFICIENT_RESERVE';
  const list: Entry = {
    LedgerEntryType: 'SignerList',
    index: keylets.signerList(account),
    ...(view.rules.enabled('fixIncludeKeyletFields') && { Owner: account }),
    Flags: one ? Lsf.lsfOneOwnerCount : 0,
    SignerQuorum: tx.SignerQuorum,
    SignerListID: 0,
    SignerEntries: sortedEntries(tx.SignerEntries!).map((SignerEntry) => ({ SignerEntry })),
  };
  return insertOwned(view, owner, list, count);
}

function apply(context: ApplyContext): Result {
  const { view, tx, account } = context;
  if (tx.SignerEntries) return replaceList(context);
  const owner = view.read(keylets.account(account));
  if (!owner) return 'tefINTERNAL';
  // An account must keep at least one way to sign.
  if (hasAny(owner.Flags, Lsf.lsfDisableMaster) && owner.RegularKey === undefined)
    return 'tecNO_ALTERNATIVE_KEY';
  return removeSignerList(view, account);
}

export const signerListSet: Rule = {
  type: 'SignerListSet',
  // Flags were not checked before fixInvalidTxFlags (2025).
  flags: (_tx: Tx, rules: Rules) => (rules.enabled('fixInvalidTxFlags') ? 0 : EVERY_FLAG),
  delegable: false,
  blocker: true,
  preflight,
  apply,
};
