/**
 * What an account owns, page by page, in the order of its owner directory (rippled `forEachItemAfter`).
 *
 *     marker   "<key of the last entry looked at>,<number of its directory page>"
 *
 * A page ends after `limit` entries of any kind, so that its cost is bounded for any filter. The page number is a hint:
 * if the entry is not on that page any more, the directory is searched from its root, and if it is not listed at all the
 * marker is refused.
 */

import type { AccountId, Hex } from '../../../engine/codec/arithmetic/asset.ts';
import type { JsonObject } from '../../../engine/codec/json.ts';
import type { ReadView } from '../../ledger/view.ts';
import type { Entry } from '../../protocol/fields.ts';
import { directoryPage, ownerDirectory } from '../../protocol/keylets.ts';
import { expectedField, RpcError } from './errors.ts';
import { U64_MAX } from './params.ts';

const MARKER = /^([0-9A-Fa-f]{64}),(\d{1,20})$/;

interface Place {
  readonly key: Hex;
  readonly page: bigint;
}

/** @throws RpcError invalidParams */
function markerOf(params: JsonObject): Place | undefined {
  const { marker } = params;
  if (marker === undefined) return undefined;
  if (typeof marker !== 'string') throw expectedField('marker', 'string');
  const parts = MARKER.exec(marker);
  const page = BigInt(parts?.[2] ?? 0);
  if (!parts || page > U64_MAX) throw new RpcError('invalidParams');
  return { key: parts[1]!.toUpperCase(), page };
}

/** Keys of a directory after `after`, from the first one if it is absent. @throws RpcError when it is not listed */
export function* keysAfter(view: ReadView, root: Hex, after?: Place): Generator<Place, void, undefined> {
  let found = after === undefined;
  let page = 0n;
  if (after !== undefined && view.read(directoryPage(root, after.page))?.Indexes?.includes(after.key))
    page = after.page;
  for (;;) {
    const node = view.read(directoryPage(root, page));
    if (node?.LedgerEntryType === 'DirectoryNode')
      for (const key of node.Indexes ?? []) {
        if (found) yield { key, page };
        else found = key === after!.key;
      }
    page = node?.IndexNext ?? 0n;
    if (page !== 0n) continue;
    if (!found) throw new RpcError('invalidParams');
    return;
  }
}

/** Every entry an account owns, directory page by page. */
export function* ownedEntries(
  view: ReadView,
  account: AccountId,
): Generator<Readonly<Entry>, void, undefined> {
  for (const { key } of keysAfter(view, ownerDirectory(account))) {
    const entry = view.read(key);
    if (entry !== undefined) yield entry;
  }
}

/**
 * One page of what an account owns: `pick` is called with each of its entries, `limit` at most.
 * @returns `limit` and `marker` when there is more. @throws RpcError invalidParams for an invalid marker
 */
export function pageOfOwned(
  view: ReadView,
  account: AccountId,
  params: JsonObject,
  limit: number,
  pick: (entry: Readonly<Entry>) => void,
): JsonObject {
  const after = markerOf(params);
  let seen = 0;
  let last: Place | undefined;
  for (const place of keysAfter(view, ownerDirectory(account), after)) {
    if (seen === limit) return { limit, marker: `${last!.key},${last!.page}` };
    const entry = view.read(place.key);
    if (entry !== undefined) pick(entry);
    last = place;
    seen++;
  }
  return {};
}
