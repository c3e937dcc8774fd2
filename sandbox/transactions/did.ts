/** DIDSet and DIDDelete: an account's decentralised identifier (XLS-40; rippled `DIDSet.cpp`, `DIDDelete.cpp`). */

import type { AccountId } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { deleteOwned, insertOwned } from '../assets/owned.ts';
import { coversReserve } from '../assets/reserve.ts';
import type { ApplyView } from '../ledger/view.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import { account as accountKey, did as didKey } from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';

const CONTENTS = ['URI', 'DIDDocument', 'Data'] as const;
/** Maximum length of each of the three fields, bytes. */
const CONTENT_BYTES_MAX = 256;

const isEmptyDid = (entry: Readonly<Entry>): boolean => CONTENTS.every((name) => entry[name] === undefined);

function preflightSet(tx: Readonly<TransactionFields>): Result {
  if (CONTENTS.every((name) => tx[name] === undefined)) return 'temEMPTY_DID';
  if (CONTENTS.every((name) => tx[name] === '')) return 'temEMPTY_DID';
  if (CONTENTS.some((name) => (tx[name]?.length ?? 0) > 2 * CONTENT_BYTES_MAX)) return 'temMALFORMED';
  return 'tesSUCCESS';
}

/** A given field replaces the present one; an empty one removes it. */
function write(entry: Entry, tx: Readonly<TransactionFields>): void {
  for (const name of CONTENTS) {
    const value = tx[name];
    if (value === undefined) continue;
    if (value === '') delete entry[name];
    else entry[name] = value;
  }
}

function applySet({ view, tx, account }: ApplyContext): Result {
  const key = didKey(account);
  const existing = view.peek(key);
  if (existing !== undefined) {
    write(existing, tx);
    return isEmptyDid(existing) ? 'tecEMPTY_DID' : 'tesSUCCESS';
  }
  const entry: Entry = { LedgerEntryType: 'DID', index: key, Flags: 0, Account: account };
  write(entry, tx);
  if (isEmptyDid(entry) && view.rules.enabled('fixEmptyDID')) return 'tecEMPTY_DID';
  const owner = view.peek(accountKey(account));
  if (owner === undefined) return 'tefINTERNAL';
  // The balance after the fee has to cover the reserve here, unlike with most types.
  if (!coversReserve(view, owner, 1)) return 'tecINSUFFICIENT_RESERVE';
  return insertOwned(view, owner, entry);
}

/** Deletes a DID, for DIDDelete and AccountDelete. */
export function deleteDid(view: ApplyView, entry: Readonly<Entry>, owner: AccountId): Result {
  return deleteOwned(view, owner, entry, { keepRoot: true });
}

function applyDelete({ view, account }: ApplyContext): Result {
  const entry = view.read(didKey(account));
  return entry ? deleteDid(view, entry, account) : 'tecNO_ENTRY';
}

export const didSet: Rule = {
  type: 'DIDSet',
  amendment: 'DID',
  flags: 0,
  preflight: preflightSet,
  apply: applySet,
};

export const didDelete: Rule = { type: 'DIDDelete', amendment: 'DID', flags: 0, apply: applyDelete };
