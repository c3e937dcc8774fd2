/**
 * AccountDelete: deletes an account and sends its remaining XRP to another one. The entries it owns must be of types that
 * do not affect other accounts; they are deleted with it. It costs an owner reserve, and the account must have been idle:
 * its sequence numbers could otherwise be used again after it is created again. Rules: rippled `AccountDelete.cpp`.
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { verifyDepositPreauth } from '../assets/authorisation.ts';
import { credentialsValid, deleteCredential, validCredentialIds } from '../assets/credentials.ts';
import { deleteTokenOffer } from '../assets/nftoken-offers.ts';
import { offerDelete } from '../assets/offers.ts';
import { deleteTicket } from '../assets/tickets.ts';
import { dirEntries, emptyDirDelete } from '../ledger/directory.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Entry, EntryType, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf, withoutFlags } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { deleteDelegate } from './delegate-set.ts';
import { removeDepositPreauth } from './deposit-preauth.ts';
import { deleteDid } from './did.ts';
import { deleteOracle } from './oracle.ts';
import { removeSignerList } from './signer-list-set.ts';

/** Ledgers between the account's last sequence number and its deletion. */
const QUIET_LEDGERS = 255;
/** Maximum number of entries that are deleted with an account. */
const OWNED_MAX = 1000;

type Removal = (view: ApplyView, entry: Entry, account: AccountId) => Result;

/** How entries that do not affect other accounts are removed. Any other type prevents the deletion. */
const REMOVALS: Partial<Record<EntryType, Removal>> = {
  Offer: offerDelete,
  SignerList: (view, _entry, account) => removeSignerList(view, account),
  Ticket: (view, entry, account) => deleteTicket(view, account, entry.index),
  DepositPreauth: (view, entry) => removeDepositPreauth(view, entry.index),
  NFTokenOffer: (view, entry) => (deleteTokenOffer(view, entry) ? 'tesSUCCESS' : 'tefBAD_LEDGER'),
  DID: deleteDid,
  Oracle: deleteOracle,
  Credential: deleteCredential,
  Delegate: deleteDelegate,
};

function preflight(tx: Readonly<TransactionFields>): Result {
  return tx.Account === tx.Destination ? 'temDST_IS_SRC' : validCredentialIds(tx);
}

/** Conditions for the account that receives the XRP. */
function checkDestination(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const id = tx.Destination as AccountId;
  const destination = view.read(keylets.account(id));
  if (destination === undefined) return 'tecNO_DST';
  if (hasAny(destination.Flags, Lsf.lsfRequireDestTag) && tx.DestinationTag === undefined)
    return 'tecDST_TAG_NEEDED';
  const credentials = credentialsValid(view, tx, tx.Account);
  if (credentials !== 'tesSUCCESS') return credentials;
  // With credentials this is checked after the expired ones are removed.
  if (tx.CredentialIDs !== undefined || !hasAny(destination.Flags, Lsf.lsfDepositAuth)) return 'tesSUCCESS';
  return view.read(keylets.depositPreauth(id, tx.Account)) ? 'tesSUCCESS' : 'tecNO_PERMISSION';
}

function checkTokens(view: ReadView, account: Readonly<Entry>, id: AccountId): Result {
  if (account.MintedNFTokens !== account.BurnedNFTokens) return 'tecHAS_OBLIGATIONS';
  const last = keylets.nftPageMax(id);
  const page = view.successor(keylets.nftPageMin(id), last) ?? last;
  if (view.read(page) !== undefined) return 'tecHAS_OBLIGATIONS';
  const quietSince = view.header.index - QUIET_LEDGERS;
  if ((account.Sequence ?? 0) > quietSince) return 'tecTOO_SOON';
  const used = (account.FirstNFTokenSequence ?? 0) + (account.MintedNFTokens ?? 0);
  return used > quietSince ? 'tecTOO_SOON' : 'tesSUCCESS';
}

function checkOwned(view: ReadView, id: AccountId): Result {
  let count = 0;
  for (const key of dirEntries(view, keylets.ownerDirectory(id))) {
    const entry = view.read(key);
    if (entry === undefined) return 'tefBAD_LEDGER';
    if (REMOVALS[entry.LedgerEntryType] === undefined) return 'tecHAS_OBLIGATIONS';
    count += 1;
    if (count > OWNED_MAX) return 'tefTOO_BIG';
  }
  return 'tesSUCCESS';
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const destination = checkDestination(view, tx);
  if (destination !== 'tesSUCCESS') return destination;
  const account = view.read(keylets.account(tx.Account));
  if (account === undefined) return 'terNO_ACCOUNT';
  const tokens = checkTokens(view, account, tx.Account);
  return tokens === 'tesSUCCESS' ? checkOwned(view, tx.Account) : tokens;
}

function removeOwned(view: ApplyView, id: AccountId): Result {
  const root = keylets.ownerDirectory(id);
  // The list is read before entries are removed.
  for (const key of [...dirEntries(view, root)]) {
    const entry = view.peek(key);
    if (entry === undefined) return 'tefBAD_LEDGER';
    const result = REMOVALS[entry.LedgerEntryType]?.(view, entry, id) ?? 'tecHAS_OBLIGATIONS';
    if (result !== 'tesSUCCESS') return result;
  }
  return view.read(root) !== undefined && !emptyDirDelete(view, root) ? 'tecHAS_OBLIGATIONS' : 'tesSUCCESS';
}

function apply({ view, tx, account: id, deliver }: ApplyContext): Result {
  const account = view.peek(keylets.account(id));
  const destinationId = tx.Destination as AccountId;
  const destination = view.peek(keylets.account(destinationId));
  if (account?.Balance === undefined || destination?.Balance === undefined) return 'tefBAD_LEDGER';
  if (tx.CredentialIDs !== undefined) {
    const allowed = verifyDepositPreauth(view, tx, id, destinationId, destination);
    if (allowed !== 'tesSUCCESS') return allowed;
  }
  const removed = removeOwned(view, id);
  if (removed !== 'tesSUCCESS') return removed;
  const left = account.Balance;
  destination.Balance = destination.Balance.add(left);
  account.Balance = Amount.drops(0n);
  deliver(left);
  if (left.drops > 0n && hasAny(destination.Flags, Lsf.lsfPasswordSpent)) {
    destination.Flags = withoutFlags(destination.Flags, Lsf.lsfPasswordSpent);
  }
  view.erase(account.index);
  return 'tesSUCCESS';
}

export const accountDelete: Rule = {
  type: 'AccountDelete',
  flags: 0,
  delegable: false,
  blocker: true,
  baseFee: (view) => view.fees.increment,
  preflight,
  preclaim,
  apply,
};
