/** Entries an account owns: into the ledger and out of it, with its directory and its owner count. */
import { unlistOwned } from '../ledger/directory.ts';
import type { ApplyView } from '../ledger/view.ts';
import type { AccountId } from '../protocol/asset.ts';
import type { Entry } from '../protocol/fields.ts';
import type { Result } from '../protocol/results.ts';
import { adjustOwnerCountOf } from './reserve.ts';

/** How an entry is listed and counted with its owner. */
interface Owning {
  /** What it counts; one unless said otherwise. */
  readonly count?: number;
  /** Whether the root of the owner's directory stays when nothing else is listed; the types differ. */
  readonly keepRoot?: boolean;
}

/** Takes an entry off its owner's directory and count and out of the ledger. @returns `tefBAD_LEDGER` if not listed */
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
