/** Adds and deletes entries that an account owns, with its directory and its owner count. */

import type { AccountId } from '../../engine/codec/arithmetic/asset.ts';
import { listOwned, unlistOwned } from '../ledger/directory.ts';
import type { ApplyView } from '../ledger/view.ts';
import type { Entry } from '../protocol/fields.ts';
import type { Result } from '../protocol/results.ts';
import { adjustOwnerCount, adjustOwnerCountOf } from './reserve.ts';

/** How an entry is listed and counted with its owner. */
interface Owning {
  /** Its owner count; default one. */
  readonly count?: number;
  /** Whether the root of the owner's directory stays when it becomes empty; this depends on the type. */
  readonly keepRoot?: boolean;
}

/**
 * Adds an entry to the ledger, to its owner's directory and count.
 * @param owner the view's own entry of the account. @returns `tecDIR_FULL`
 */
export function insertOwned(view: ApplyView, owner: Entry, entry: Entry, count = 1): Result {
  const page = listOwned(view, owner.Account!, entry.index);
  if (page === undefined) return 'tecDIR_FULL';
  view.insert({ ...entry, OwnerNode: page });
  adjustOwnerCount(view, owner, count);
  return 'tesSUCCESS';
}

/** Deletes an entry from its owner's directory and count and the ledger. @returns `tefBAD_LEDGER` if not listed */
export function deleteOwned(
  view: ApplyView,
  owner: AccountId,
  entry: Readonly<Entry>,
  { count = 1, keepRoot = false }: Owning = {},
): Result {
  if (!unlistOwned(view, owner, entry.OwnerNode, entry.index, keepRoot)) return 'tefBAD_LEDGER';
  adjustOwnerCountOf(view, owner, -count);
  view.erase(entry.index);
  return 'tesSUCCESS';
}
