/** Deleting an offer. Rule: rippled `offerDelete`. */
import { dirRemove, unlistOwned } from '../ledger/directory.ts';
import type { ApplyView } from '../ledger/view.ts';
import type { Entry } from '../protocol/fields.ts';
import type { Result } from '../protocol/results.ts';
import { adjustOwnerCountOf } from './reserve.ts';

/** Deletes the offer: from its owner's directory, its book and (hybrid offers) the open book, and the ledger. */
export function offerDelete(view: ApplyView, offer: Readonly<Entry> | undefined): Result {
  if (!offer) return 'tesSUCCESS';
  const owner = offer.Account!;
  const { index } = offer;
  if (!unlistOwned(view, owner, offer.OwnerNode, index)) return 'tefBAD_LEDGER';
  if (!dirRemove(view, offer.BookDirectory!, offer.BookNode ?? 0n, index, false)) return 'tefBAD_LEDGER';
  for (const { Book } of offer.AdditionalBooks ?? []) {
    if (!dirRemove(view, Book!.BookDirectory!, Book!.BookNode ?? 0n, index, false)) return 'tefBAD_LEDGER';
  }
  adjustOwnerCountOf(view, owner, -1);
  view.erase(index);
  return 'tesSUCCESS';
}
