/**
 * The pages that store an account's NFTs.
 *
 * Goal: store any number of NFTs in order; find, add, remove and change one with as few changed entries as possible.
 * Non-goal: repairing pages that an old bug left broken (LedgerStateFix does that on the network).
 *
 * A page's key is its owner's id and 96 bits that are above the low 96 bits of every NFT on it; the last page's are all
 * ones. NFTs with equal low 96 bits ("equivalent") are on one page, so an account holds at most 32 such.
 *
 *     owner|4A..01  <->  owner|9C..77  <->  owner|FF..FF        NextPageMin -> <- PreviousPageMin
 *      <= 32 NFTs         <= 32 NFTs         <= 32 NFTs         sorted by low 96 bits, then by the whole id
 *
 * A full page is split near its middle, the lower half going to a new page; neighbours that fit on one page are merged
 * into the upper one. Each page counts once in the owner's reserve.
 *
 * Cost: one `successor` and one entry to find; a split writes two or three entries, a removal at most four.
 * Rules: rippled `NFTokenHelpers.cpp` (before 3.0 `NFTokenUtils.cpp`), XLS-20, amendment fixNFTokenPageLinks.
 */

import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Entry, Fields } from '../protocol/fields.ts';
import { account, nftPage, nftPageMax } from '../protocol/keylets.ts';
import { compareNftIds, nftPageOrder } from '../protocol/nft-id.ts';
import type { Result } from '../protocol/results.ts';
import { accountReserve, adjustOwnerCountOf } from './reserve.ts';

/** Maximum number of NFTs of a page. */
export const PAGE_TOKENS = 32;

/** An element of `NFTokens`. */
type Tokens = readonly Fields[];

const LAST_PAGE_BITS = 'F'.repeat(24);
const HASH_BITS = 256n;

const idOf = (element: Fields): Hex => element.NFToken!.NFTokenID!;
const bitsOf = (element: Fields): Hex => nftPageOrder(idOf(element));
const inPageOrder = (a: Fields, b: Fields): number => compareNftIds(idOf(a), idOf(b));
const tokensOf = (page: Readonly<Entry>): Tokens => page.NFTokens ?? [];

/** The key after `key`. */
function keyAfter(key: Hex): Hex {
  return BigInt.asUintN(Number(HASH_BITS), BigInt(`0x${key}`) + 1n)
    .toString(16)
    .toUpperCase()
    .padStart(64, '0');
}

/** The key of the one page that `id` can be on: the first above its low 96 bits. */
function pageKey(view: ReadView, owner: AccountId, id: Hex): Hex {
  const last = nftPageMax(owner);
  return view.successor(nftPage(owner, id), keyAfter(last)) ?? last;
}

function pageFor(view: ApplyView, owner: AccountId, id: Hex): Entry | undefined {
  const page = view.peek(pageKey(view, owner, id));
  return page?.LedgerEntryType === 'NFTokenPage' ? page : undefined;
}

/** The NFT (`NFTokenID`, `URI`) in its owner's page; undefined when `owner` does not own it. */
export function findToken(view: ReadView, owner: AccountId, id: Hex): Readonly<Fields> | undefined {
  const page = view.read(pageKey(view, owner, id));
  if (page?.LedgerEntryType !== 'NFTokenPage') return undefined;
  return tokensOf(page).find((element) => idOf(element) === id)?.NFToken;
}

/** Sets or (undefined) removes the URI of an owned NFT. @returns `tecINTERNAL` when `owner` does not own it. */
export function changeTokenUri(view: ApplyView, owner: AccountId, id: Hex, uri: Hex | undefined): Result {
  const page = pageFor(view, owner, id);
  if (page === undefined || !tokensOf(page).some((element) => idOf(element) === id)) return 'tecINTERNAL';
  const token: Fields = uri === undefined ? { NFTokenID: id } : { NFTokenID: id, URI: uri };
  page.NFTokens = tokensOf(page).map((element) => (idOf(element) === id ? { NFToken: token } : element));
  return 'tesSUCCESS';
}

/**
 * The position at which a full page is split: the elements before it go to a new page, the others stay.
 * Equivalent NFTs stay together, so the position moves to the end of the run that spans the middle, or to its start when
 * it reaches the end. A page with equivalents only is not split, for a new NFT that is not one of them.
 * @returns undefined when there is no page for the NFT.
 */
function cutOf(tokens: Tokens, id: Hex): number | undefined {
  const middle = bitsOf(tokens[PAGE_TOKENS / 2 - 1]!);
  for (let at = PAGE_TOKENS / 2; at < tokens.length; at += 1) if (bitsOf(tokens[at]!) !== middle) return at;
  const start = tokens.findIndex((element) => bitsOf(element) === middle);
  if (start > 0) return start;
  const own = nftPageOrder(id);
  if (own === middle) return undefined;
  return own > middle ? tokens.length : 0;
}

/** Splits a full page. @returns the half for `id`, undefined when there is no page for it. */
function splitPage(view: ApplyView, owner: AccountId, page: Entry, id: Hex): Entry | undefined {
  const tokens = tokensOf(page);
  const cut = cutOf(tokens, id);
  if (cut === undefined) return undefined;
  const lower = tokens.slice(0, cut);
  const upper = tokens.slice(cut);
  // The page's bits are above those of its elements: if nothing stays in the upper half, one above the last.
  const bound = upper[0] === undefined ? keyAfter(idOf(lower[lower.length - 1]!)) : idOf(upper[0]);
  const made: Entry = {
    LedgerEntryType: 'NFTokenPage',
    index: nftPage(owner, bound),
    Flags: 0,
    NFTokens: lower,
    NextPageMin: page.index,
  };
  const before = page.PreviousPageMin;
  if (before !== undefined) {
    made.PreviousPageMin = before;
    const neighbour = view.peek(before);
    if (neighbour !== undefined) neighbour.NextPageMin = made.index;
  }
  view.insert(made);
  page.NFTokens = upper;
  page.PreviousPageMin = made.index;
  return nftPage(owner, id) < made.index ? made : page;
}

/**
 * Adds an NFT (`NFTokenID`, `URI`) to its new owner's pages.
 * @param balance XRP in drops that must cover the reserve when a page is added; not checked if absent.
 * @returns `tecINSUFFICIENT_RESERVE`; `tecNO_SUITABLE_NFTOKEN_PAGE` when 32 equivalent NFTs fill the only page.
 */
export function insertToken(view: ApplyView, owner: AccountId, token: Fields, balance?: bigint): Result {
  const id = token.NFTokenID!;
  let page = pageFor(view, owner, id);
  const isFirst = page === undefined;
  if (page === undefined) {
    page = { LedgerEntryType: 'NFTokenPage', index: nftPageMax(owner), Flags: 0, NFTokens: [] };
    view.insert(page);
  }
  const isFull = tokensOf(page).length === PAGE_TOKENS;
  if (isFull) {
    page = splitPage(view, owner, page, id);
    if (page === undefined) return 'tecNO_SUITABLE_NFTOKEN_PAGE';
  }
  if (isFirst || isFull) {
    const count = view.read(account(owner))?.OwnerCount ?? 0;
    if (balance !== undefined && balance < accountReserve(view.fees, count + 1)) {
      return 'tecINSUFFICIENT_RESERVE';
    }
    adjustOwnerCountOf(view, owner, 1);
  }
  page.NFTokens = [...tokensOf(page), { NFToken: token }].sort(inPageOrder);
  return 'tesSUCCESS';
}

/** The neighbour of a link. @throws Error when the linked page does not exist. */
function neighbour(view: ApplyView, page: Entry, link: 'PreviousPageMin' | 'NextPageMin'): Entry | undefined {
  const key = page[link];
  if (key === undefined) return undefined;
  const found = view.peek(key);
  if (found === undefined) throw new Error(`NFT page ${page.index}: ${link} leads to no page`);
  return found;
}

/** Sets or removes a link. */
function link(page: Entry, name: 'PreviousPageMin' | 'NextPageMin', key: Hex | undefined): void {
  if (key === undefined) delete page[name];
  else page[name] = key;
}

/** Moves the elements of `lower` to the page after it if they fit, and deletes `lower`. @throws Error on broken links. */
function mergePages(view: ApplyView, lower: Entry, upper: Entry): boolean {
  if (lower.NextPageMin !== upper.index || upper.PreviousPageMin !== lower.index) {
    throw new Error(`NFT pages ${lower.index} and ${upper.index} are not linked`);
  }
  const tokens = [...tokensOf(lower), ...tokensOf(upper)];
  if (tokens.length > PAGE_TOKENS) return false;
  const before = neighbour(view, lower, 'PreviousPageMin');
  upper.NFTokens = tokens.sort(inPageOrder);
  link(upper, 'PreviousPageMin', before?.index);
  if (before !== undefined) before.NextPageMin = upper.index;
  view.erase(lower.index);
  return true;
}

/** The last page became empty: the elements of the page before are moved to it, because the last page's key is fixed. */
function refillLastPage(view: ApplyView, owner: AccountId, last: Entry, previous: Entry): void {
  const before = neighbour(view, previous, 'PreviousPageMin');
  last.NFTokens = tokensOf(previous);
  link(last, 'PreviousPageMin', before?.index);
  if (before !== undefined) before.NextPageMin = last.index;
  adjustOwnerCountOf(view, owner, -1);
  view.erase(previous.index);
}

/** Deletes an empty page. */
function dropPage(view: ApplyView, owner: AccountId, page: Entry, previous?: Entry, next?: Entry): void {
  const isLast = page.index.endsWith(LAST_PAGE_BITS);
  if (previous !== undefined && isLast && view.rules.enabled('fixNFTokenPageLinks')) {
    refillLastPage(view, owner, page, previous);
    return;
  }
  if (previous !== undefined) link(previous, 'NextPageMin', next?.index);
  if (next !== undefined) link(next, 'PreviousPageMin', previous?.index);
  adjustOwnerCountOf(view, owner, -1);
  view.erase(page.index);
  if (previous !== undefined && next !== undefined && mergePages(view, previous, next)) {
    adjustOwnerCountOf(view, owner, -1);
  }
}

/**
 * Removes an NFT from its owner's pages.
 * @returns `tecNO_ENTRY` when `owner` does not own it. @throws Error when the pages' links are broken.
 */
export function removeToken(view: ApplyView, owner: AccountId, id: Hex): Result {
  const page = pageFor(view, owner, id);
  if (page === undefined) return 'tecNO_ENTRY';
  const left = tokensOf(page).filter((element) => idOf(element) !== id);
  if (left.length === tokensOf(page).length) return 'tecNO_ENTRY';
  const previous = neighbour(view, page, 'PreviousPageMin');
  const next = neighbour(view, page, 'NextPageMin');
  if (left.length === 0) {
    dropPage(view, owner, page, previous, next);
    return 'tesSUCCESS';
  }
  page.NFTokens = left;
  // One removal may merge three pages into one.
  if (previous !== undefined && mergePages(view, previous, page)) adjustOwnerCountOf(view, owner, -1);
  if (next !== undefined && mergePages(view, page, next)) adjustOwnerCountOf(view, owner, -1);
  return 'tesSUCCESS';
}
