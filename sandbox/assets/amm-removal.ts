/**
 * Removal of a pool without LP tokens: its trust lines, its entry, its account (XLS-30; rippled
 * `deleteAMMAccount`, `cleanupOnAccountDelete`).
 */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId, Asset } from '../../engine/codec/arithmetic/asset.ts';
import { emptyDirDelete, unlistOwned } from '../ledger/directory.ts';
import type { ApplyView } from '../ledger/view.ts';
import type { Entry, EntryType } from '../protocol/fields.ts';
import { account as accountKey, amm as ammKey, directoryPage, ownerDirectory } from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { deleteAmmTrustLine } from './trust-lines.ts';

/** Entries of a pool's directory that one transaction may read (rippled `maxDeletableAMMTrustLines`). */
const ENTRIES_MAX = 512;

/**
 * Removes the trust lines of a directory, page by page, except entries of the types in `skipped`.
 * @returns `tecINCOMPLETE` when there are more than one transaction may read
 */
function removeLines(view: ApplyView, pool: AccountId, skipped: readonly EntryType[]): Result {
  const root = ownerDirectory(pool);
  let looked = 0;
  let number: bigint | undefined = 0n;
  while (number !== undefined) {
    const page: Readonly<Entry> | undefined = view.read(directoryPage(root, number));
    // An empty page is deleted: its contents and its link are read first.
    const next: bigint = page?.IndexNext ?? 0n;
    for (const key of page?.Indexes ?? []) {
      looked += 1;
      if (looked > ENTRIES_MAX) return 'tecINCOMPLETE';
      const entry = view.peek(key);
      if (entry === undefined) return 'tefBAD_LEDGER';
      if (skipped.includes(entry.LedgerEntryType)) continue;
      if (entry.LedgerEntryType !== 'RippleState' || !entry.Balance!.isZero) return 'tecINTERNAL';
      const result = deleteAmmTrustLine(view, entry, pool);
      if (result !== 'tesSUCCESS') return result;
    }
    number = next === 0n ? undefined : next;
  }
  return 'tesSUCCESS';
}

/**
 * Deletes a pool without LP tokens. With very many lines of former providers it deletes some of them and returns
 * `tecINCOMPLETE`: the pool stays, empty.
 */
export function deleteAmmAccount(view: ApplyView, asset: Asset, asset2: Asset): Result {
  const amm = view.peek(ammKey(asset, asset2));
  if (amm === undefined) return 'tecINTERNAL';
  const pool = amm.Account!;
  const account = view.peek(accountKey(pool));
  if (account === undefined) return 'tecINTERNAL';
  const lines = removeLines(view, pool, ['AMM', 'MPToken']);
  if (lines !== 'tesSUCCESS') return lines;
  const root = ownerDirectory(pool);
  if (!unlistOwned(view, pool, amm.OwnerNode, amm.index)) return 'tecINTERNAL';
  if (view.read(root) !== undefined && !emptyDirDelete(view, root)) return 'tecINTERNAL';
  view.erase(amm.index);
  view.erase(account.index);
  return 'tesSUCCESS';
}

/**
 * Writes a pool's new total of LP tokens, or deletes the pool when it is zero.
 * @param amm the view's own copy
 * @returns `tesSUCCESS` also when the pool could not be deleted completely (see `deleteAmmAccount`)
 */
export function setLpTokensOrDelete(view: ApplyView, amm: Entry, lpTokens: Amount): Result {
  if (lpTokens.isZero) {
    const deleted = deleteAmmAccount(view, amm.Asset!, amm.Asset2!);
    if (deleted !== 'tecINCOMPLETE') return deleted;
  }
  amm.LPTokenBalance = lpTokens;
  return 'tesSUCCESS';
}
