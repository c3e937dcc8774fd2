/**
 * Entries that stay removed although a transaction failed: expired or unfunded ones that it found. Which types, depends
 * on the result. Rules: rippled `Transactor::processPersistentChanges`.
 */

import type { Hex } from '../../engine/codec/arithmetic/asset.ts';
import { deleteCredential } from '../assets/credentials.ts';
import { deleteTokenOffer } from '../assets/nftoken-offers.ts';
import { offerDelete } from '../assets/offers.ts';
import { deleteAmmTrustLine } from '../assets/trust-lines.ts';
import { sameValue } from '../ledger/same.ts';
import type { EntryTable } from '../ledger/tables.ts';
import type { ApplyView } from '../ledger/view.ts';
import type { EntryType } from '../protocol/fields.ts';
import type { Result } from '../protocol/results.ts';

const UNFUNDED_OFFERS_MAX = 1000;
const EXPIRED_TOKEN_OFFERS_MAX = 500;
const AMM_TRUST_LINES_MAX = 512;

const KINDS: Partial<Record<Result, readonly EntryType[]>> = {
  tecOVERSIZE: ['Offer'],
  tecKILLED: ['Offer'],
  tecINCOMPLETE: ['RippleState'],
  // In the order of the types' codes, in which they are removed again.
  tecEXPIRED: ['NFTokenOffer', 'Credential'],
};

/** Whether a failure of this kind claims the fee even where others are tried again. */
export const hasCleanUp = (result: Result): boolean => KINDS[result] !== undefined;

/** Entries that were removed, by type, in order of their keys. */
export type Removed = ReadonlyMap<EntryType, readonly Hex[]>;

/** The entries that a failed transaction removed and that may stay removed. Call it before its view is discarded. */
export function collectRemoved(table: EntryTable, result: Result): Removed {
  const removed = new Map<EntryType, Hex[]>((KINDS[result] ?? []).map((type) => [type, []]));
  for (const { key, action, before, after } of table.changes()) {
    if (action !== 'erase') continue;
    // An offer that was partly consumed before its removal was funded: only unchanged ones were found unfunded.
    if (after.LedgerEntryType === 'Offer' && !sameValue(before?.TakerPays, after.TakerPays)) continue;
    removed.get(after.LedgerEntryType)?.push(key);
  }
  for (const keys of removed.values()) keys.sort();
  return removed;
}

function removeOne(view: ApplyView, type: EntryType, key: Hex): void {
  const entry = view.peek(key);
  if (entry === undefined) return;
  if (type === 'Offer') offerDelete(view, entry);
  else if (type === 'NFTokenOffer') deleteTokenOffer(view, entry);
  else if (type === 'Credential') deleteCredential(view, entry);
  else deleteAmmTrustLine(view, entry);
}

/** Removes them again, after only the fee has been taken. */
export function removeAgain(view: ApplyView, removed: Removed): void {
  for (const [type, keys] of removed) {
    if (type === 'RippleState' && keys.length > AMM_TRUST_LINES_MAX) continue;
    const most = type === 'Offer' ? UNFUNDED_OFFERS_MAX : EXPIRED_TOKEN_OFFERS_MAX;
    const limit = type === 'Offer' || type === 'NFTokenOffer' ? most : keys.length;
    for (const key of keys.slice(0, limit)) removeOne(view, type, key);
  }
}
