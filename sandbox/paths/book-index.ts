/**
 * The assets that have a book: edges of the path finder's graph that cannot be found by a ledger key.
 *
 *     (nothing, or a domain)  ->  asset a taker pays  ->  assets it gets for it, each with the number of
 *                                                         quality directories and pools that give it
 *
 * Read once from the whole state, then updated from closed ledgers by the directories and pools that their transactions
 * created and deleted. A pool counts as a book in both directions, as in rippled's `OrderBookDB`; unlike there an empty
 * book is removed at once. MPTs have no books.
 *
 * Cost: the first request decodes every directory of the state, in time slices; afterwards a ledger costs a look at its
 * metadata. Memory: an entry of a map for each book.
 */

import {
  ACCOUNT_ZERO,
  type Asset,
  CURRENCY_XRP,
  type Hex,
  isMpt,
  issued,
  XRP,
} from '../../engine/codec/arithmetic/asset.ts';
import type { CooperativeTask } from '../../engine/event-loop.ts';
import type { ClosedLedger } from '../ledger/ledger.ts';
import { decodeEntry } from '../protocol/encode.ts';
import type { Entry, Fields } from '../protocol/fields.ts';

/** Up to this many missed ledgers are applied one by one; after more the state is read again. */
const LEDGERS_BEHIND_MAX = 16;
/** Entries of the state per time slice. */
const ENTRIES_A_TURN = 2_000;
const DECODED_A_TURN = 200;
/** Type codes of the entries that define books, after the field code of LedgerEntryType. */
const DIRECTORY = 0x64;
const AMM = 0x79;

type Books = Map<Asset, Map<Asset, number>>;

/** The books at one ledger. */
class BookCounts {
  readonly #public: Books = new Map();
  readonly #domains = new Map<Hex, Books>();

  of(domain: Hex | undefined): Books {
    if (domain === undefined) return this.#public;
    let books = this.#domains.get(domain);
    if (books === undefined) {
      books = new Map();
      this.#domains.set(domain, books);
    }
    return books;
  }

  /** @param fields of a directory or a pool @param change 1: created, -1: deleted */
  count(key: Hex, fields: Fields, isPool: boolean, change: 1 | -1): void {
    if (isPool) {
      // An asset that is XRP may be left out of the metadata as a default.
      const { Asset: a = XRP, Asset2: b = XRP } = fields;
      this.#count(this.#public, a, b, change);
      this.#count(this.#public, b, a, change);
    } else if (fields.ExchangeRate !== undefined && fields.RootIndex === key) {
      const pays = sideOf(fields.TakerPaysCurrency, fields.TakerPaysIssuer, fields.TakerPaysMPT);
      const gets = sideOf(fields.TakerGetsCurrency, fields.TakerGetsIssuer, fields.TakerGetsMPT);
      if (pays !== undefined && gets !== undefined) this.#count(this.of(fields.DomainID), pays, gets, change);
    }
  }

  #count(books: Books, pays: Asset, gets: Asset, change: number): void {
    if (isMpt(pays) || isMpt(gets)) return;
    const outs = books.get(pays) ?? new Map<Asset, number>();
    const count = (outs.get(gets) ?? 0) + change;
    if (count > 0) outs.set(gets, count);
    else outs.delete(gets);
    if (outs.size > 0) books.set(pays, outs);
    else books.delete(pays);
  }
}

/** XRP is left out of metadata, being zero. */
function sideOf(currency = CURRENCY_XRP, issuer = ACCOUNT_ZERO, mpt?: Hex): Asset | undefined {
  if (mpt !== undefined) return undefined;
  return currency === CURRENCY_XRP ? XRP : issued(currency, issuer);
}

/** The books that a search may use. */
export interface BookSource {
  /** The assets that the books of `domain` (undefined: the open market) give for one. */
  outputs(pays: Asset, domain: Hex | undefined): Iterable<Asset>;
  count(pays: Asset, domain: Hex | undefined): number;
}

export class BookIndex implements BookSource {
  #counts = new BookCounts();
  #index: number | undefined;

  /** The ledger whose books these are. */
  get ledgerIndex(): number | undefined {
    return this.#index;
  }

  outputs(pays: Asset, domain: Hex | undefined): Iterable<Asset> {
    return this.#counts.of(domain).get(pays)?.keys() ?? [];
  }

  count(pays: Asset, domain: Hex | undefined): number {
    return this.#counts.of(domain).get(pays)?.size ?? 0;
  }

  /**
   * Updates the index to a ledger.
   * @param past closed ledgers before it by index, undefined for one that is no longer kept
   */
  *follow(ledger: ClosedLedger, past: (index: number) => ClosedLedger | undefined): CooperativeTask<void> {
    const from = this.#index;
    if (from !== undefined && from >= ledger.index) return;
    const next = from === undefined ? undefined : between(from, ledger, past);
    if (next === undefined) yield* this.#readState(ledger);
    else for (const each of next) this.#advance(each);
  }

  #advance(ledger: ClosedLedger): void {
    for (const { metaFields } of ledger.transactions)
      for (const { CreatedNode, DeletedNode } of metaFields.AffectedNodes ?? []) {
        if (CreatedNode?.NewFields) this.#count(CreatedNode, CreatedNode.NewFields, 1);
        else if (DeletedNode?.FinalFields) this.#count(DeletedNode, DeletedNode.FinalFields, -1);
      }
    this.#index = ledger.index;
  }

  #count(node: Fields, fields: Fields, change: 1 | -1): void {
    const { LedgerEntryType: type, LedgerIndex: key } = node;
    if (type !== 'DirectoryNode' && type !== 'AMM') return;
    this.#counts.count(key!, fields, type === 'AMM', change);
  }

  *#readState(ledger: ClosedLedger): CooperativeTask<void> {
    const counts = new BookCounts();
    let seen = 0;
    let decoded = 0;
    for (const item of ledger.state.tree.items()) {
      if (++seen % ENTRIES_A_TURN === 0) yield;
      const { bytes, key } = item;
      const isPool = bytes[1] === 0 && bytes[2] === AMM;
      if (!isPool && !(bytes[1] === 0 && bytes[2] === DIRECTORY)) continue;
      if (++decoded % DECODED_A_TURN === 0) yield;
      // Decoded without the item, whose fields would stay in memory.
      const entry: Entry = decodeEntry(key, bytes);
      counts.count(key, entry, isPool, 1);
    }
    // A faster request may have updated the index in between.
    if (this.#index !== undefined && this.#index >= ledger.index) return;
    this.#counts = counts;
    this.#index = ledger.index;
  }
}

function between(
  from: number,
  ledger: ClosedLedger,
  past: (index: number) => ClosedLedger | undefined,
): ClosedLedger[] | undefined {
  if (ledger.index - from > LEDGERS_BEHIND_MAX) return undefined;
  const next: ClosedLedger[] = [];
  for (let index = from + 1; index < ledger.index; index += 1) {
    const each = past(index);
    if (each === undefined) return undefined;
    next.push(each);
  }
  return [...next, ledger];
}
