/**
 * Open offers, and the order books they form.
 *
 *     book = (token the taker pays, token the taker gets, permissioned domain or none)
 *     offers of a book: by quality (last 8 bytes of BookDirectory, unsigned: lower is better for the taker),
 *     then by age, as the ledger's book directories keep them
 *
 * Goal: any book's offers, best first, without a search, while thousands of offers per minute are placed and taken. Non-goals: whether
 * an offer is funded (views/), crossing. An offer first seen when it changed counts as older than any whose
 * creation was seen; among such, the one that a snapshot has at an earlier place (book-places.ts), then the lower account sequence, goes first. A hybrid offer (XLS-81: it has a domain and
 * the flag lsfHybrid) is in its domain's book and in the open one. Expired offers stay on the ledger until a
 * transaction changes them: readers skip those whose `expired` is true.
 * Cost: 60 bytes of row, 5 to 11 of index, 4 to 6 of list; a change is a binary search and a short memory move.
 */

import { readU32 } from '../codec/bytes.ts';
import { NodeAction, OfferNode } from '../codec/changes.ts';
import { ROWS_A_STEP, type RowSteps } from '../event-loop.ts';
import { AccountRows } from './account-rows.ts';
import type { Accounts } from './accounts.ts';
import { BookOrder } from './book-order.ts';
import type { Changed } from './changed.ts';
import type { Domains } from './domains.ts';
import { hash2 } from './hash.ts';
import type { RowIndex } from './row-index.ts';
import type { Table } from './table.ts';
import type { Tokens } from './tokens.ts';

/** Entries that a page of a directory has at most, and pages that can be told apart. */
export const PAGE_ENTRIES = 32;
const PAGES_MAX = 2 ** 27 - 1;
/** Offers placed before other work may run: about 5 ms. */
const PLACED_A_STEP = 1024;

/** Offer flags. https://xrpl.org/docs/references/protocol/ledger-data/ledger-entry-types/offer */
export const OfferFlag = { passive: 0x00010000, sell: 0x00020000, hybrid: 0x00040000 } as const;

export class Books {
  readonly table: Table;
  // Columns by offer id.
  readonly accounts: Uint32Array;
  readonly sequences: Uint32Array;
  /** Token the taker pays (the owner receives). */
  readonly paysTokens: Uint32Array;
  /** Token the taker gets (the owner gives). */
  readonly getsTokens: Uint32Array;
  /** Raw TakerPays, TakerGets: what is left of the offer. */
  readonly paysHi: Uint32Array;
  readonly paysLo: Uint32Array;
  readonly getsHi: Uint32Array;
  readonly getsLo: Uint32Array;
  /** Pays per gets when the offer was placed: exponent + 100 in the first byte, then the mantissa. */
  readonly qualityHi: Uint32Array;
  readonly qualityLo: Uint32Array;
  /** See OfferFlag. */
  readonly flags: Uint32Array;
  /** Ripple epoch seconds; 0 = never. */
  readonly expirations: Uint32Array;
  /** Domain number; 0 = open market. */
  readonly domainIds: Uint32Array;
  readonly byAccount: AccountRows;
  /** Offers that exist now. */
  existing = 0;

  /** Ledger of creation and place of the node in it; when it was not seen, 0 and the place in the directory of a snapshot, or 0. */
  readonly #ageLedgers: Uint32Array;
  readonly #ageOrders: Uint32Array;
  readonly #index: RowIndex;
  readonly #order: BookOrder;
  readonly #accounts: Accounts;
  readonly #tokens: Tokens;
  readonly #domains: Domains;
  /** By token: offers of any book that pay or get it. */
  readonly #offersOf: Uint32Array;
  readonly #changed: Changed;

  constructor(table: Table, accounts: Accounts, tokens: Tokens, domains: Domains, changed: Changed) {
    this.table = table;
    this.accounts = table.u32('accounts');
    this.sequences = table.u32('sequences');
    this.paysTokens = table.u32('paysTokens');
    this.getsTokens = table.u32('getsTokens');
    this.paysHi = table.u32('paysHi');
    this.paysLo = table.u32('paysLo');
    this.getsHi = table.u32('getsHi');
    this.getsLo = table.u32('getsLo');
    this.qualityHi = table.u32('qualityHi');
    this.qualityLo = table.u32('qualityLo');
    this.flags = table.u32('flags');
    this.expirations = table.u32('expirations');
    this.domainIds = table.u32('domainIds');
    this.#ageLedgers = table.u32('ageLedgers');
    this.#ageOrders = table.u32('ageOrders');
    table.linkThrough(this.sequences);
    this.byAccount = new AccountRows(table, accounts.table, [this.accounts]);
    this.#index = table.index('offers', (row) => hash2(this.accounts[row]!, this.sequences[row]!));
    this.#order = new BookOrder(table, (a, b) => this.compare(a, b));
    this.#offersOf = tokens.table.derivedU32('offerCounts');
    this.#accounts = accounts;
    this.#tokens = tokens;
    this.#domains = domains;
    this.#changed = changed;
  }

  /** The book in which takers pay one token and get the other; undefined when it never had an offer. */
  book(paysToken: number, getsToken: number, domain = 0): number | undefined {
    return this.#order.find(paysToken, getsToken, domain) || undefined;
  }

  /** Books seen so far are 1 .. bookCount - 1. Ids do not survive a restart. */
  get bookCount(): number {
    return this.#order.count;
  }

  bookPays(book: number): number {
    return this.#order.pays[book]!;
  }

  bookGets(book: number): number {
    return this.#order.gets[book]!;
  }

  bookDomain(book: number): number {
    return this.#order.domains[book]!;
  }

  /** Offer ids, best first. A view: valid until the next ledger. Expired ones are among them. */
  offers(book: number): Uint32Array {
    return this.#order.list(book);
  }

  size(book: number): number {
    return this.#order.size(book);
  }

  /** How many offers of any book, expired ones too, pay or get a token. */
  offersOf(token: number): number {
    return this.#offersOf[token] ?? 0;
  }

  /** By owner and the sequence (or ticket) of the transaction that placed it. */
  find(account: number, sequence: number): number | undefined {
    return this.#find(account, sequence) || undefined;
  }

  /** Whether an offer no longer crosses once a ledger closed at `closeTime` (Ripple epoch seconds). */
  expired(offer: number, closeTime: number): boolean {
    const expiration = this.expirations[offer]!;
    return expiration !== 0 && closeTime >= expiration;
  }

  /** Order of two offers within a book: negative when `a` is taken first. */
  compare(a: number, b: number): number {
    return (
      this.qualityHi[a]! - this.qualityHi[b]! ||
      this.qualityLo[a]! - this.qualityLo[b]! ||
      this.#ageLedgers[a]! - this.#ageLedgers[b]! ||
      this.#ageOrders[a]! - this.#ageOrders[b]! ||
      this.sequences[a]! - this.sequences[b]! ||
      (this.accounts[a] === this.accounts[b]
        ? 0
        : this.#accounts.isBelow(this.accounts[a]!, this.accounts[b]!)
          ? -1
          : 1)
    );
  }

  /**
   * An Offer node.
   * @param ledger index of the ledger, 0 for entries of a snapshot.
   * @param order place of the node in the ledger.
   */
  apply(bytes: Uint8Array, words: Uint32Array, at: number, ledger: number, order: number): void {
    const accountAt = words[at + OfferNode.accountAt]!;
    const paysAt = words[at + OfferNode.takerPaysAt]!;
    const getsAt = words[at + OfferNode.takerGetsAt]!;
    const sequenceAt = words[at + OfferNode.sequenceAt]!;
    if (accountAt === 0) return;
    const account = this.#accounts.intern(bytes, accountAt);
    const sequence = sequenceAt === 0 ? 0 : readU32(bytes, sequenceAt);
    let row = this.#find(account, sequence);
    if (words[at + 1] === NodeAction.deleted) {
      if (row !== 0) this.#remove(row);
      return;
    }
    if (paysAt === 0 || getsAt === 0) return;
    const created = words[at + 1] === NodeAction.created;
    // The place in the book only changes when the entry was replaced in a ledger that was not seen (a gap in the recording).
    const known = row !== 0 && !created && this.#sameBook(row, bytes, words, at);
    if (row !== 0 && !known) {
      this.#remove(row);
      row = 0;
    }
    if (row === 0) row = this.#add(account, sequence);
    this.#write(row, bytes, words, at, paysAt, getsAt);
    if (known) {
      this.#markChanged(row);
      return;
    }
    this.#ageLedgers[row] = created ? ledger : 0;
    this.#ageOrders[row] =
      ledger === 0 ? pageOrder(bytes, words[at + OfferNode.bookNodeAt]!) : created ? order : 0;
    this.#count(row, 1);
    this.#markChanged(row, 'insert');
  }

  /** Removes every offer and book. */
  clear(): void {
    for (let row = 1; row < this.table.count; row++) {
      if (this.accounts[row] === 0) continue;
      this.#markChanged(row);
      this.table.remove(row);
    }
    this.byAccount.clear();
    this.#index.reset(0);
    this.#order.clear();
    this.#offersOf.fill(0);
    this.existing = 0;
  }

  /** Derives index and book order from the rows. */
  *rebuilding(): RowSteps {
    this.byAccount.clear();
    this.#index.reset(this.table.count);
    this.#order.clear();
    this.#offersOf.fill(0);
    this.existing = 0;
    for (let row = 1; row < this.table.count; row++) {
      if (this.accounts[row] === 0) continue;
      this.existing++;
      this.#index.add(row);
      this.#eachBook(row, (book) => this.#order.append(book, row));
      this.#count(row, 1);
      if (row % ROWS_A_STEP === 0) yield ROWS_A_STEP;
    }
    yield* this.#order.sorting();
  }

  /**
   * Puts the offers of a snapshot in the order of their directories.
   * @param placeOf place in its page of an offer that has others of the same quality beside it
   */
  *placing(placeOf: (offer: number) => number): RowSteps {
    let steps = 0;
    for (let book = 1; book < this.bookCount; book++) {
      const offers = this.#order.list(book);
      for (let i = 0; i < offers.length; i++) {
        const offer = offers[i]!;
        if (!this.#isBeside(offer, offers[i - 1]) && !this.#isBeside(offer, offers[i + 1])) continue;
        const page = this.#ageOrders[offer]! & ~(PAGE_ENTRIES - 1);
        this.#ageOrders[offer] = (page | placeOf(offer)) >>> 0;
        this.table.markDirty(offer);
        if (++steps % PLACED_A_STEP === 0) yield PLACED_A_STEP;
      }
    }
    yield* this.#order.sorting();
  }

  #isBeside(a: number, b: number | undefined): boolean {
    return (
      b !== undefined && this.qualityHi[a] === this.qualityHi[b] && this.qualityLo[a] === this.qualityLo[b]
    );
  }

  #find(account: number, sequence: number): number {
    const index = this.#index;
    for (let slot = index.first(hash2(account, sequence)); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0) return 0;
      if (this.accounts[row] === account && this.sequences[row] === sequence) return row;
    }
  }

  #add(account: number, sequence: number): number {
    const row = this.table.add();
    this.accounts[row] = account;
    this.sequences[row] = sequence;
    this.byAccount.add(row);
    this.#index.add(row);
    this.existing++;
    return row;
  }

  #remove(row: number): void {
    this.#markChanged(row, 'remove');
    this.#count(row, -1);
    this.byAccount.remove(row);
    this.#index.remove(row);
    this.table.remove(row);
    this.existing--;
  }

  #write(
    row: number,
    bytes: Uint8Array,
    words: Uint32Array,
    at: number,
    paysAt: number,
    getsAt: number,
  ): void {
    const paysRaw = paysAt + rawOffset(bytes[paysAt]!);
    const getsRaw = getsAt + rawOffset(bytes[getsAt]!);
    this.paysTokens[row] = this.#tokens.ofAmount(bytes, paysAt);
    this.getsTokens[row] = this.#tokens.ofAmount(bytes, getsAt);
    this.paysHi[row] = readU32(bytes, paysRaw);
    this.paysLo[row] = readU32(bytes, paysRaw + 4);
    this.getsHi[row] = readU32(bytes, getsRaw);
    this.getsLo[row] = readU32(bytes, getsRaw + 4);
    const directoryAt = words[at + OfferNode.bookDirectoryAt]!;
    this.qualityHi[row] = directoryAt === 0 ? 0 : readU32(bytes, directoryAt + 24);
    this.qualityLo[row] = directoryAt === 0 ? 0 : readU32(bytes, directoryAt + 28);
    const flagsAt = words[at + OfferNode.flagsAt]!;
    this.flags[row] = flagsAt === 0 ? 0 : readU32(bytes, flagsAt);
    const expirationAt = words[at + OfferNode.expirationAt]!;
    this.expirations[row] = expirationAt === 0 ? 0 : readU32(bytes, expirationAt);
    const domainAt = words[at + OfferNode.domainIdAt]!;
    this.domainIds[row] = domainAt === 0 ? 0 : this.#domains.intern(bytes, domainAt);
    this.table.markDirty(row);
  }

  /** Whether a node leaves the offer at its place: same tokens, quality, domain and hybrid flag. */
  #sameBook(row: number, bytes: Uint8Array, words: Uint32Array, at: number): boolean {
    const directoryAt = words[at + OfferNode.bookDirectoryAt]!;
    const flagsAt = words[at + OfferNode.flagsAt]!;
    const domainAt = words[at + OfferNode.domainIdAt]!;
    const flags = flagsAt === 0 ? 0 : readU32(bytes, flagsAt);
    return (
      (directoryAt === 0 ? 0 : readU32(bytes, directoryAt + 24)) === this.qualityHi[row] &&
      (directoryAt === 0 ? 0 : readU32(bytes, directoryAt + 28)) === this.qualityLo[row] &&
      (domainAt === 0 ? 0 : this.#domains.intern(bytes, domainAt)) === this.domainIds[row] &&
      ((flags ^ this.flags[row]!) & OfferFlag.hybrid) === 0 &&
      this.#tokens.ofAmount(bytes, words[at + OfferNode.takerPaysAt]!) === this.paysTokens[row] &&
      this.#tokens.ofAmount(bytes, words[at + OfferNode.takerGetsAt]!) === this.getsTokens[row]
    );
  }

  #eachBook(row: number, visit: (book: number) => void): void {
    const pays = this.paysTokens[row]!;
    const gets = this.getsTokens[row]!;
    const domain = this.domainIds[row]!;
    visit(this.#order.intern(pays, gets, domain));
    if (domain !== 0 && this.flags[row]! & OfferFlag.hybrid) visit(this.#order.intern(pays, gets, 0));
  }

  #count(row: number, by: 1 | -1): void {
    this.#offersOf[this.paysTokens[row]!]! += by;
    this.#offersOf[this.getsTokens[row]!]! += by;
  }

  /** @param place puts the offer into its books, or takes it out of them */
  #markChanged(row: number, place?: 'insert' | 'remove'): void {
    this.#changed.tokens.add(this.paysTokens[row]!);
    this.#changed.tokens.add(this.getsTokens[row]!);
    this.#eachBook(row, (book) => {
      this.#changed.books.add(book);
      if (place !== undefined) this.#order[place](book, row);
    });
  }
}

/** Orders of the pages of a directory: room for the places in each. The pages of one that is too long count as one. */
function pageOrder(bytes: Uint8Array, bookNodeAt: number): number {
  if (bookNodeAt === 0) return 0;
  const page = readU32(bytes, bookNodeAt) > 0 ? PAGES_MAX : readU32(bytes, bookNodeAt + 4);
  return Math.min(page, PAGES_MAX) * PAGE_ENTRIES;
}

/** Where in an Amount its 8 raw bytes begin: after the flag byte of an MPT amount, else with the first byte. */
function rawOffset(first: number): 0 | 1 {
  return (first & 0x80) === 0 && first & 0x20 ? 1 : 0;
}
