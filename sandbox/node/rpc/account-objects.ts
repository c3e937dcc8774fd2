/**
 * `account_objects`: the entries an account owns, its NFT pages first, then its owner directory (rippled
 * `AccountObjects.cpp`).
 *
 *     marker   "0,<key of the last NFT page>"   or   "<key of the directory page>,<key of the next entry>"
 *
 * An entry counts against the limit whether its type is wanted or not.
 */

import type { AccountId, Hex } from '../../../engine/codec/arithmetic/asset.ts';
import type { JsonObject } from '../../../engine/codec/json.ts';
import type { ReadView } from '../../ledger/view.ts';
import type { EntryType } from '../../protocol/fields.ts';
import { directoryPage, nftPageMax, nftPageMin, ownerDirectory } from '../../protocol/keylets.ts';
import { chooseAccount, entryJson, looseBoolean } from './account-choice.ts';
import type { Command } from './command.ts';
import { entryTypeParam, RPC_NAMES } from './entry-types.ts';
import { expectedField, invalidField } from './errors.ts';
import { LIMITS, limitParam } from './params.ts';

/** Entries without an owner: no account lists them. */
const UNOWNED: ReadonlySet<EntryType> = new Set([
  'Amendments',
  'DirectoryNode',
  'FeeSettings',
  'LedgerHashes',
  'NegativeUNL',
]);
/** Entries that prevent the deletion of an account, by their names in commands. */
const BLOCKERS = [
  'bridge',
  'check',
  'escrow',
  'mpt_issuance',
  'mptoken',
  'nft_page',
  'payment_channel',
  'permissioned_domain',
  'state',
  'vault',
  'xchain_owned_claim_id',
  'xchain_owned_create_account_claim_id',
] as const;

type Wanted = (type: EntryType) => boolean;

/** @throws RpcError */
function wantedTypes(params: JsonObject): Wanted {
  if (looseBoolean(params, 'deletion_blockers_only')) {
    const types = new Set<EntryType>();
    for (const name of BLOCKERS)
      if (params.type === undefined || params.type === name) types.add(RPC_NAMES[name]);
    return (type) => types.has(type);
  }
  const wanted = entryTypeParam(params.type);
  if (wanted === undefined) return () => true;
  if (UNOWNED.has(wanted)) throw invalidField('type');
  return (type) => type === wanted;
}

const KEY = /^(?:0|[0-9A-Fa-f]{64})$/;

interface Marker {
  /** Key of a directory page; undefined before the directory. */
  readonly directory: Hex | undefined;
  readonly entry: Hex;
}

/** @throws RpcError */
function markerOf({ marker }: JsonObject): Marker | undefined {
  if (marker === undefined) return undefined;
  if (typeof marker !== 'string') throw expectedField('marker', 'string');
  const [directory, entry, ...rest] = marker.split(',');
  if (directory === undefined || entry === undefined || rest.length > 0) throw invalidField('marker');
  if (!KEY.test(directory) || !KEY.test(entry)) throw invalidField('marker');
  const none = /^0+$/.test(directory);
  return {
    directory: none ? undefined : directory.toUpperCase(),
    entry: entry.padStart(64, '0').toUpperCase(),
  };
}

/** Collects one page of an account's objects. */
class ObjectPage {
  readonly objects: JsonObject[] = [];
  marker: string | undefined;
  readonly #view: ReadView;
  readonly #account: AccountId;
  readonly #wanted: Wanted;
  #left: number;

  constructor(view: ReadView, account: AccountId, wanted: Wanted, limit: number) {
    this.#view = view;
    this.#account = account;
    this.#wanted = wanted;
    this.#left = limit;
  }

  /** NFT pages from the one after `last` on. @returns whether the page is full and there are more of them */
  addNftPages(last: Hex | undefined): boolean {
    if (!this.#wanted('NFTokenPage')) return false;
    const end = nftPageMax(this.#account);
    let key = this.#next(last ?? nftPageMin(this.#account), end);
    while (key !== undefined) {
      this.objects.push(entryJson(this.#view.read(key)!));
      this.#left--;
      const next = this.#next(key, end);
      if (this.#left === 0 && next !== undefined) {
        this.marker = `0,${key}`;
        return true;
      }
      key = next;
    }
    return false;
  }

  /** What the directory lists, from an entry on. @returns false when the entry is not on that directory page */
  addOwned(from: Marker | undefined): boolean {
    const root = ownerDirectory(this.#account);
    let key: Hex = from?.directory ?? root;
    let start = from?.directory === undefined ? undefined : from.entry;
    for (;;) {
      const node = this.#view.read(key);
      if (node === undefined) return start === undefined;
      const keys = node.Indexes ?? [];
      const at = start === undefined ? 0 : keys.indexOf(start);
      if (at < 0) return false;
      start = undefined;
      for (const entryKey of keys.slice(at)) {
        if (this.#left === 0) {
          this.marker = `${key},${entryKey}`;
          return true;
        }
        this.#add(entryKey);
      }
      const next = node.IndexNext ?? 0n;
      if (next === 0n) return true;
      key = directoryPage(root, next);
    }
  }

  #add(key: Hex): void {
    this.#left--;
    const entry = this.#view.read(key);
    if (entry !== undefined && this.#wanted(entry.LedgerEntryType)) this.objects.push(entryJson(entry));
  }

  #next(key: Hex, end: Hex): Hex | undefined {
    const next = this.#view.successor(key);
    return next !== undefined && next <= end ? next : undefined;
  }
}

export const accountObjects: Command = {
  name: 'account_objects',
  run(params, { network, admin }) {
    const { view, id, address, members } = chooseAccount(params, network);
    const wanted = wantedTypes(params);
    const limit = limitParam(params, LIMITS.accountObjects, admin);
    const marker = markerOf(params);
    if (marker?.directory !== undefined) {
      const node = view.read(marker.directory);
      if (node?.LedgerEntryType !== 'DirectoryNode' || node.Owner !== id) throw invalidField('marker');
    }
    const page = new ObjectPage(view, id, wanted, limit);
    const beforeDirectory = marker?.directory === undefined;
    if (beforeDirectory && marker !== undefined && marker.entry.slice(0, 40) !== id)
      throw invalidField('marker');
    const full = beforeDirectory && page.addNftPages(marker?.entry);
    if (!full && !page.addOwned(marker)) throw invalidField('marker');
    return {
      account: address,
      account_objects: page.objects,
      ...members,
      ...(page.marker === undefined ? {} : { limit, marker: page.marker }),
    };
  },
};
