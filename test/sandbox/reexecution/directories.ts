/** The keys that directory pages listed before a recorded transaction: metadata never shows them. */

import type { Hex } from '../../../engine/codec/arithmetic/asset.ts';
import { issuerOf } from '../../../engine/codec/arithmetic/asset.ts';
import { PAGE_ENTRIES } from '../../../sandbox/ledger/directory.ts';
import type { Entry, EntryType, Fields } from '../../../sandbox/protocol/fields.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import type { Before } from './before.ts';

/** The key of another entry in the same directory. */
export const fillerKey = (text: string, at: number): Hex =>
  new Bun.CryptoHasher('sha256').update(`${text}:${at}`).digest('hex').toUpperCase();

/** The directory pages that list an entry: root and page number. */
export function listings(fields: Fields, type: EntryType): [Hex, bigint | undefined][] {
  const owner = fields.Owner ?? fields.Account ?? fields.Issuer;
  const found: [Hex, bigint | undefined][] = [];
  if (owner !== undefined)
    found.push([keylets.ownerDirectory(owner), fields.OwnerNode ?? fields.IssuerNode ?? 0n]);
  if (type === 'NFTokenOffer') {
    const sell = ((fields.Flags ?? 0) & 1) !== 0;
    const root = sell ? keylets.nftSellOffers(fields.NFTokenID!) : keylets.nftBuyOffers(fields.NFTokenID!);
    found.push([root, fields.NFTokenOfferNode ?? 0n]);
  }
  if (type === 'Escrow') {
    found.push([keylets.ownerDirectory(fields.Destination!), fields.DestinationNode]);
    if (!fields.Amount!.isNative)
      found.push([keylets.ownerDirectory(issuerOf(fields.Amount!.asset)), fields.IssuerNode]);
  }
  if (type === 'RippleState') {
    found.push([keylets.ownerDirectory(issuerOf(fields.LowLimit!.asset)), fields.LowNode ?? 0n]);
    found.push([keylets.ownerDirectory(issuerOf(fields.HighLimit!.asset)), fields.HighNode ?? 0n]);
  }
  if (type === 'Check' || type === 'PayChannel')
    found.push([keylets.ownerDirectory(fields.Destination!), fields.DestinationNode]);
  if (type === 'Credential' && fields.Subject !== fields.Issuer)
    found.push([keylets.ownerDirectory(fields.Subject!), fields.SubjectNode ?? 0n]);
  return found;
}

/** Types that no directory lists. */
const UNLISTED: ReadonlySet<EntryType> = new Set<EntryType>(['AccountRoot', 'DirectoryNode', 'NFTokenPage']);

/**
 * A page lists what the transaction deleted from it, and one filler key where the page was kept; it is full where the
 * transaction added a page after it. Where only a later page of a directory is shown, the root page is added.
 */
export function supplyDirectories(state: Before): void {
  const listed = new Map<Hex, Hex[]>();
  const list = (page: Hex, key: Hex): unknown => listed.set(page, [...(listed.get(page) ?? []), key]);
  for (const { before, type, index } of state.of('DeletedNode')) {
    if (UNLISTED.has(type)) continue;
    for (const [root, page] of listings(before!, type))
      if (page !== undefined) list(keylets.directoryPage(root, page), index);
    // A signer list does not name its owner.
    if (type === 'SignerList') list(ownPage(state, before!), index);
  }
  const grown = new Set(
    state
      .of('CreatedNode', 'DirectoryNode')
      .filter(({ after, index }) => after!.RootIndex !== undefined && after!.RootIndex !== index)
      .map(({ after }) => keylets.directoryPage(after!.RootIndex!, after!.IndexPrevious ?? 0n)),
  );
  const added = addedKeys(state);
  for (const { kind, type, index, before } of state.nodes) {
    if (type !== 'DirectoryNode' || before === undefined) continue;
    const keys = [...new Set(listed.get(index) ?? [])];
    // Full after what the transaction added to it.
    const full = PAGE_ENTRIES - (added.get(index) ?? 0);
    const wanted = grown.has(index) ? full : keys.length + (kind === 'DeletedNode' ? 0 : 1);
    for (let at = 0; keys.length < wanted; at += 1) keys.push(fillerKey(index, at));
    before.Indexes = keys.sort();
  }
  supplyRoots(state);
  supplySignerListPage(state);
}

/** How many keys a transaction added to each page. */
function addedKeys(state: Before): Map<Hex, number> {
  const added = new Map<Hex, number>();
  for (const { after, type } of state.of('CreatedNode')) {
    if (UNLISTED.has(type)) continue;
    for (const [root, page] of listings(after!, type)) {
      const key = keylets.directoryPage(root, page ?? 0n);
      added.set(key, (added.get(key) ?? 0) + 1);
    }
  }
  return added;
}

const ownPage = ({ tx }: Before, list: Entry): Hex =>
  keylets.directoryPage(keylets.ownerDirectory(tx.Account), list.OwnerNode ?? 0n);

function supplyRoots(state: Before): void {
  for (const { after, type } of state.of('CreatedNode')) {
    if (type === 'DirectoryNode') continue;
    for (const [root, page] of listings(after!, type)) {
      if (page === undefined || page === 0n) continue;
      state.add({
        LedgerEntryType: 'DirectoryNode',
        index: root,
        Flags: 0,
        RootIndex: root,
        Indexes: [fillerKey(root, 0)],
        IndexNext: page,
        IndexPrevious: page,
      });
    }
  }
}

/** Replacing a signer list leaves its directory page unchanged, and so the page is not shown. */
function supplySignerListPage(state: Before): void {
  const list = state.entries.get(keylets.signerList(state.tx.Account));
  if (state.tx.TransactionType !== 'SignerListSet' || list === undefined) return;
  const index = ownPage(state, list);
  const page = state.entries.get(index);
  if (page === undefined)
    state.add({
      LedgerEntryType: 'DirectoryNode',
      index,
      RootIndex: keylets.ownerDirectory(state.tx.Account),
      Flags: 0,
      Indexes: [list.index, fillerKey(index, 0)].sort(),
    });
  else if (!page.Indexes?.includes(list.index)) page.Indexes = [...(page.Indexes ?? []), list.index].sort();
}
