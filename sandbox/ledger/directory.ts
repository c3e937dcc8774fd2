/**
 * Directories: the lists of entries that an account owns, or of offers of one quality.
 *
 * A directory is a ring of pages of at most 32 keys. Its root (page 0) has the directory's own key and links to the first
 * page after it (`IndexNext`) and to the last one (`IndexPrevious`); each entry stores its page number
 * (`OwnerNode` and the like), so that removal needs no search.
 *
 *     root(0) -> 1 -> 2 -> ... -> n -> root         new keys go to page n, then to n + 1
 *
 * Pages keep their number; a page that becomes empty is unlinked. A link that was set and is reset to the root stays in
 * the entry as zero, as on the public network. Rules: rippled `ApplyView.cpp`.
 */
import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { Entry } from '../protocol/fields.ts';
import { directoryPage, ownerDirectory } from '../protocol/keylets.ts';
import type { ApplyView, ReadView } from './view.ts';

/** Maximum number of keys of a page. */
export const PAGE_ENTRIES = 32;
/** Maximum number of pages before amendment fixDirectoryLimit (2025). */
const PAGES_MAX_OLD = 262_144n;
const PAGES_MAX = 1n << 64n;
const ROOT = 0n;

/** Writes the owner or book of its directory into a new page. */
export type Describe = (page: Entry) => void;

export const describeOwnerDir =
  (account: AccountId): Describe =>
  (page) => {
    page.Owner = account;
  };

const next = (page: Readonly<Entry>): bigint => page.IndexNext ?? ROOT;
const previous = (page: Readonly<Entry>): bigint => page.IndexPrevious ?? ROOT;

function pageOf(view: ApplyView, root: Hex, page: bigint): Entry {
  const entry = view.peek(directoryPage(root, page));
  if (entry === undefined) throw new Error(`directory ${root}: page ${page} is missing`);
  return entry;
}

function newPage(
  view: ApplyView,
  root: Hex,
  index: Hex,
  key: Hex,
  describe: Describe,
  before?: bigint,
): void {
  const page: Entry = { LedgerEntryType: 'DirectoryNode', index, Flags: 0, RootIndex: root, Indexes: [key] };
  if (before !== undefined && before !== ROOT) page.IndexPrevious = before;
  describe(page);
  view.insert(page);
}

function withKey(keys: readonly Hex[], key: Hex, sorted: boolean): Hex[] {
  if (keys.includes(key)) throw new Error(`directory: ${key} is listed already`);
  if (!sorted) return [...keys, key];
  // Pages from before the sorting rule may be in any order: they are sorted when changed.
  return [...keys, key].sort();
}

function add(view: ApplyView, root: Hex, key: Hex, describe: Describe, sorted: boolean): bigint | undefined {
  const first = view.peek(root);
  if (first === undefined) {
    newPage(view, root, root, key, describe);
    return ROOT;
  }
  const lastNumber = previous(first);
  const last = lastNumber === ROOT ? first : pageOf(view, root, lastNumber);
  const keys = last.Indexes ?? [];
  if (keys.length < PAGE_ENTRIES) {
    last.Indexes = withKey(keys, key, sorted);
    return lastNumber;
  }
  const number = lastNumber + 1n;
  if (number >= (view.rules.enabled('fixDirectoryLimit') ? PAGES_MAX : PAGES_MAX_OLD)) return undefined;
  last.IndexNext = number;
  first.IndexPrevious = number;
  newPage(view, root, directoryPage(root, number), key, describe, lastNumber);
  return number;
}

/**
 * Adds an entry to a directory whose pages are sorted (owners, NFT offers).
 * @returns the page's number, undefined when the directory is full. @throws Error when it is listed on that page.
 */
export function dirInsert(view: ApplyView, root: Hex, entry: Hex, describe: Describe): bigint | undefined {
  return add(view, root, entry, describe, true);
}

/** Adds an entry at the end of a directory in order of arrival (order books). As `dirInsert`. */
export function dirAppend(view: ApplyView, root: Hex, entry: Hex, describe: Describe): bigint | undefined {
  return add(view, root, entry, describe, false);
}

/** Drops an empty last page (older servers left such pages) from a directory of two pages. */
function dropEmptySecond(view: ApplyView, rootPage: Entry): void {
  const other = next(rootPage);
  if (other === ROOT || other !== previous(rootPage)) return;
  const last = pageOf(view, rootPage.index, other);
  if ((last.Indexes ?? []).length > 0) return;
  rootPage.IndexNext = ROOT;
  rootPage.IndexPrevious = ROOT;
  view.erase(last.index);
}

const isAlone = (page: Readonly<Entry>): boolean => next(page) === ROOT && previous(page) === ROOT;

function unlink(view: ApplyView, root: Hex, page: Entry, keepRoot: boolean): void {
  const before = pageOf(view, root, previous(page));
  const after = pageOf(view, root, next(page));
  before.IndexNext = next(page);
  after.IndexPrevious = previous(page);
  view.erase(page.index);
  let afterNumber = next(page);
  if (afterNumber !== ROOT && next(after) === ROOT && (after.Indexes ?? []).length === 0) {
    view.erase(after.index);
    before.IndexNext = ROOT;
    pageOf(view, root, ROOT).IndexPrevious = previous(page);
    afterNumber = ROOT;
  }
  const onlyRootLeft = afterNumber === ROOT && previous(page) === ROOT;
  if (!keepRoot && onlyRootLeft && (before.Indexes ?? []).length === 0) view.erase(before.index);
}

/**
 * Removes an entry from a page; an empty page is deleted, and an empty directory with it unless `keepRoot`.
 * @returns false when the page does not exist or does not list the entry. @throws Error when links are broken.
 */
export function dirRemove(view: ApplyView, root: Hex, page: bigint, entry: Hex, keepRoot: boolean): boolean {
  const node = view.peek(directoryPage(root, page));
  const keys = node?.Indexes;
  if (node === undefined || keys === undefined || !keys.includes(entry)) return false;
  node.Indexes = keys.filter((key) => key !== entry);
  if (node.Indexes.length > 0) return true;
  if (page !== ROOT) {
    unlink(view, root, node, keepRoot);
    return true;
  }
  dropEmptySecond(view, node);
  if (!keepRoot && isAlone(node)) view.erase(root);
  return true;
}

/** Whether a directory lists nothing; true when there is none. */
export function dirIsEmpty(view: ReadView, root: Hex): boolean {
  const node = view.read(root);
  if (node === undefined) return true;
  return (node.Indexes ?? []).length === 0 && next(node) === ROOT;
}

/** The keys that a directory lists, page by page. Entries must not be removed during the walk. */
export function* dirEntries(view: ReadView, root: Hex): IterableIterator<Hex> {
  for (const page of dirPages(view, root)) yield* page.Indexes ?? [];
}

/** The pages of a directory, from its root. */
export function* dirPages(view: ReadView, root: Hex): IterableIterator<Readonly<Entry>> {
  let number = ROOT;
  do {
    const page = view.read(directoryPage(root, number));
    if (page === undefined) return;
    yield page;
    number = next(page);
  } while (number !== ROOT);
}

/** Erases an empty directory. @returns false when it lists something or does not exist. */
export function emptyDirDelete(view: ApplyView, root: Hex): boolean {
  const node = view.peek(root);
  if (node === undefined || node.RootIndex !== root || (node.Indexes ?? []).length > 0) return false;
  dropEmptySecond(view, node);
  if (!isAlone(node)) return false;
  view.erase(root);
  return true;
}

/** Adds an entry to an account's owner directory. @returns the page's number; undefined when the directory is full */
export function listOwned(view: ApplyView, owner: AccountId, index: Hex): bigint | undefined {
  return dirInsert(view, ownerDirectory(owner), index, describeOwnerDir(owner));
}

/** Removes an entry from an account's owner directory, as `dirRemove`. @param page absent in an entry means the first */
export function unlistOwned(
  view: ApplyView,
  owner: AccountId,
  page: bigint | undefined,
  index: Hex,
  keepRoot = false,
): boolean {
  return dirRemove(view, ownerDirectory(owner), page ?? ROOT, index, keepRoot);
}
