/**
 * The latest prices of XRP in fiat money from price oracles (Oracle entries, XLS-47). One row for each oracle and quote
 * currency. The owner of the oracle writes the series: it is parsed defensively, and the market decides
 * which of them it trusts.
 */

import { readU32 } from '../codec/bytes.ts';
import { EntryType, NodeAction, OracleNode } from '../codec/changes.ts';
import type { Accounts } from './accounts.ts';
import type { EntryTable } from './entry-table.ts';
import { hash3 } from './hash.ts';
import type { RowIndex } from './row-index.ts';
import { Table } from './table.ts';

/** Quote currencies that are kept (ISO 4217; CNH is offshore CNY). */
export const ORACLE_QUOTES = [
  'USD',
  'EUR',
  'JPY',
  'CNY',
  'CNH',
  'GBP',
  'CHF',
  'KRW',
  'AUD',
  'CAD',
  'SGD',
  'HKD',
  'INR',
  'BRL',
  'MXN',
] as const;

/** Price of 1 XRP: (hi, lo) as an unsigned 64-bit integer, times 10^-scale. */
export interface OraclePrice {
  readonly owner: number;
  readonly documentId: number;
  readonly hi: number;
  readonly lo: number;
  readonly scale: number;
  /** The same as a double, for ranking and charts. */
  readonly price: number;
  /** LastUpdateTime, Unix seconds, as the owner set it. */
  readonly lastUpdate: number;
}

/** rippled refuses longer series (maxOracleDataSeries). */
const SERIES_MAX = 10;
const CODES = ORACLE_QUOTES.map(codeOf);

interface SeriesEntry {
  priceHi: number;
  priceLo: number;
  hasPrice: boolean;
  scale: number;
  baseAt: number;
  quoteAt: number;
}

export class Oracles implements EntryTable {
  readonly entryType = EntryType.Oracle;
  readonly table: Table;
  readonly owners: Uint32Array;
  readonly documentIds: Uint32Array;
  /** Three ASCII characters. */
  readonly quotes: Uint32Array;
  readonly pricesHi: Uint32Array;
  readonly pricesLo: Uint32Array;
  readonly scales: Uint8Array;
  readonly lastUpdates: Uint32Array;
  readonly #index: RowIndex;
  readonly #accounts: Accounts;

  constructor(id: number, capacity: number, accounts: Accounts) {
    const table = new Table(id, 'oracles', capacity);
    this.table = table;
    this.owners = table.u32('owners');
    this.documentIds = table.u32('documentIds');
    this.quotes = table.u32('quotes');
    this.pricesHi = table.u32('pricesHi');
    this.pricesLo = table.u32('pricesLo');
    this.scales = table.u8('scales');
    this.lastUpdates = table.u32('lastUpdates');
    table.linkThrough(this.documentIds);
    this.#index = table.index('oracles', (row) =>
      hash3(this.owners[row]!, this.documentIds[row]!, this.quotes[row]!),
    );
    this.#accounts = accounts;
  }

  /** The latest XRP price of every oracle that has one in this currency. */
  latest(quote: string): OraclePrice[] {
    const code = quote.length === 3 ? codeOf(quote) : 0;
    const found: OraclePrice[] = [];
    for (let row = 1; row < this.table.count; row++) {
      if (this.owners[row] === 0 || this.quotes[row] !== code) continue;
      const hi = this.pricesHi[row]!;
      const lo = this.pricesLo[row]!;
      const scale = this.scales[row]!;
      found.push({
        owner: this.owners[row]!,
        documentId: this.documentIds[row]!,
        hi,
        lo,
        scale,
        price: (hi * 2 ** 32 + lo) / 10 ** scale,
        lastUpdate: this.lastUpdates[row]!,
      });
    }
    return found;
  }

  /** An Oracle node. Pairs that its series no longer prices are forgotten. */
  apply(bytes: Uint8Array, words: Uint32Array, at: number): void {
    const ownerAt = words[at + OracleNode.ownerAt]!;
    const documentAt = words[at + OracleNode.documentIdAt]!;
    const updateAt = words[at + OracleNode.lastUpdateAt]!;
    const seriesAt = words[at + OracleNode.seriesAt]!;
    if (ownerAt === 0) return;
    const owner = this.#accounts.intern(bytes, ownerAt);
    const documentId = documentAt === 0 ? 0 : readU32(bytes, documentAt);
    const deleted = words[at + 1] === NodeAction.deleted;
    const lastUpdate = updateAt === 0 ? 0 : readU32(bytes, updateAt);
    const series = deleted || seriesAt === 0 ? [] : readSeries(bytes, seriesAt);
    for (const code of CODES) {
      const entry = series.find(
        (e) => e.hasPrice && isXrp(bytes, e.baseAt) && quoteCode(bytes, e.quoteAt) === code,
      );
      if (entry) this.#put(owner, documentId, code, entry, lastUpdate);
      else this.#drop(owner, documentId, code);
    }
  }

  rebuild(): void {
    this.#index.reset(this.table.count);
    for (let row = 1; row < this.table.count; row++) if (this.owners[row] !== 0) this.#index.add(row);
  }

  #find(owner: number, documentId: number, code: number): number {
    const index = this.#index;
    for (let slot = index.first(hash3(owner, documentId, code)); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0) return 0;
      if (this.owners[row] === owner && this.documentIds[row] === documentId && this.quotes[row] === code)
        return row;
    }
  }

  #put(owner: number, documentId: number, code: number, entry: SeriesEntry, lastUpdate: number): void {
    let row = this.#find(owner, documentId, code);
    if (row === 0) {
      row = this.table.add();
      this.owners[row] = owner;
      this.documentIds[row] = documentId;
      this.quotes[row] = code;
      this.#index.add(row);
    }
    this.pricesHi[row] = entry.priceHi;
    this.pricesLo[row] = entry.priceLo;
    this.scales[row] = entry.scale;
    this.lastUpdates[row] = lastUpdate;
    this.table.markDirty(row);
  }

  #drop(owner: number, documentId: number, code: number): void {
    const row = this.#find(owner, documentId, code);
    if (row === 0) return;
    this.#index.remove(row);
    this.table.remove(row);
  }
}

/**
 * Reads a PriceDataSeries from its first inner byte. Fields of a PriceData object: AssetPrice (UInt64, 30 17),
 * Scale (UInt8, 04 10), BaseAsset and QuoteAsset (Currency, 01 1A and 02 1A). Stops at anything else.
 */
export function readSeries(bytes: Uint8Array, at: number): SeriesEntry[] {
  const series: SeriesEntry[] = [];
  let next = at;
  while (series.length < SERIES_MAX && bytes[next] === 0xe0 && bytes[next + 1] === 0x20) {
    const entry = { priceHi: 0, priceLo: 0, hasPrice: false, scale: 0, baseAt: 0, quoteAt: 0 };
    next = readEntry(bytes, next + 2, entry);
    if (next === 0) return series;
    series.push(entry);
  }
  return series;
}

/** @returns where the object ends, 0 when it holds something unexpected. */
function readEntry(bytes: Uint8Array, at: number, entry: SeriesEntry): number {
  let next = at;
  while (next < bytes.length && bytes[next] !== 0xe1) {
    const field = (bytes[next]! << 8) | (bytes[next + 1] ?? 0);
    next += 2;
    if (field === 0x3017 && next + 8 <= bytes.length) {
      entry.hasPrice = true;
      entry.priceHi = readU32(bytes, next);
      entry.priceLo = readU32(bytes, next + 4);
      next += 8;
    } else if (field === 0x0410) {
      entry.scale = bytes[next] ?? 0;
      next += 1;
    } else if ((field === 0x011a || field === 0x021a) && next + 20 <= bytes.length) {
      if (field === 0x011a) entry.baseAt = next;
      else entry.quoteAt = next;
      next += 20;
    } else {
      return 0;
    }
  }
  return next < bytes.length ? next + 1 : 0;
}

function isXrp(bytes: Uint8Array, at: number): boolean {
  if (at === 0) return false;
  for (let i = at; i < at + 20; i++) if (bytes[i] !== 0) return false;
  return true;
}

/** The three characters of a standard currency code; 0 when it is none. */
function quoteCode(bytes: Uint8Array, at: number): number {
  if (at === 0) return 0;
  for (let i = 0; i < 20; i++) if ((i < 12 || i > 14) && bytes[at + i] !== 0) return 0;
  return (bytes[at + 12]! << 16) | (bytes[at + 13]! << 8) | bytes[at + 14]!;
}

function codeOf(text: string): number {
  return (text.charCodeAt(0) << 16) | (text.charCodeAt(1) << 8) | text.charCodeAt(2);
}
