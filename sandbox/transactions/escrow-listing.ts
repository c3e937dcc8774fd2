/** The directories that list an escrow. */

import type { AccountId } from '../../engine/codec/arithmetic/asset.ts';
import { issuerOf } from '../../engine/codec/arithmetic/asset.ts';
import { unlistOwned } from '../ledger/directory.ts';
import type { ApplyView } from '../ledger/view.ts';
import type { Entry } from '../protocol/fields.ts';

function unlist(
  view: ApplyView,
  owner: AccountId,
  page: bigint | undefined,
  escrow: Readonly<Entry>,
): boolean {
  return page === undefined || unlistOwned(view, owner, page, escrow.index, true);
}

/**
 * Removes an escrow from the directories of its creator and its destination; their roots stay.
 * Escrows from before 2017-11 (fix1523) are not listed with the destination.
 * @returns false when one of them does not list it.
 */
export function unlistEscrow(view: ApplyView, escrow: Readonly<Entry>): boolean {
  return (
    unlist(view, escrow.Account!, escrow.OwnerNode ?? 0n, escrow) &&
    unlist(view, escrow.Destination!, escrow.DestinationNode, escrow)
  );
}

/**
 * Removes an escrow of an issued currency from its issuer's directory. Call it after the amount is paid out: a trust
 * line created for that is added to the page that lists the escrow, if there is room.
 */
export function unlistFromIssuer(view: ApplyView, escrow: Readonly<Entry>): boolean {
  return unlist(view, issuerOf(escrow.Amount!.asset), escrow.IssuerNode, escrow);
}
