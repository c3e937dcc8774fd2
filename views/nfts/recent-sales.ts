/**
 * Sales of NFTs of the last 8 days of close time, oldest first, and what those of the last 24 hours come to by collection and by
 * account, exact to the second.
 *
 *     events of the store, in slices --once--> [ ... 7 days | the last day ... ] <--push-- events of each ledger
 *                                                           `--- sums
 *
 * The last day is read when its figures are first asked for, the days before it when somebody asks for all.
 * Cost: some 1 us an event that is read; 56 bytes a sale, of which the main network has some 80,000 in 8 days.
 */
import { AssetKind, DROPS_PER_XRP, dropsOf } from '../../engine/codec/amount.ts';
import type { Engine, LedgerEvent } from '../../engine/engine.ts';
import { yieldToLoop } from '../../engine/event-loop.ts';
import { hasLeft } from '../../engine/market/figures.ts';
import { NFT_EVENT_BYTES, NftEventReader, NftEventType } from '../../engine/nfts/event-record.ts';
import { eachStoredNftEvent } from '../../engine/nfts/stored-events.ts';
import { DAY } from '../../engine/ripple-time.ts';
import type { Invalidated } from '../invalidation.ts';

/** A week, and the day before it, whose proceeds may have been spent in it. */
const KEPT = 8 * DAY;
/** Events read in one go: about 3 ms. */
const SLICE = 3000;
/** Sales that are kept; the oldest leave early. */
const SALES_MAX = 1_000_000;
/** So many have left before they are removed. */
const LEFT_MIN = 1024;

export interface RecentSale {
  /** Close time. */
  readonly time: number;
  readonly collection: number;
  /** Parties. */
  readonly seller: number;
  readonly buyer: number;
  /** 0: not for XRP. */
  readonly drops: number;
}

interface Sum {
  sales: number;
  drops: number;
}

const NOTHING: Readonly<Sum> = { sales: 0, drops: 0 };

interface SalesEngine {
  readonly head: Pick<NonNullable<Engine['head']>, 'index' | 'closeTime'> | undefined;
  readonly store: Pick<Engine['store'], 'ledgerAt' | 'firstLedger' | 'records'>;
  readonly nfts: {
    readonly assets: Pick<Engine['nfts']['assets'], 'kind'>;
    readonly pending: Pick<Engine['nfts']['pending'], 'ledgers'>;
  };
}

export class NftRecentSales implements Invalidated {
  readonly #engine: SalesEngine;
  readonly #reader = new NftEventReader();
  readonly #sums = new Map<number, Sum>();
  /** Of those who bought or sold. */
  readonly #partySums = new Map<number, Sum>();
  #sales: RecentSale[] = [];
  /** Those before it have left the day. */
  #dayFrom = 0;
  /** First ledger whose events came in; 0: none did. */
  #liveFrom = 0;
  /** First ledger that was read from the store. */
  #readFrom = 0;
  #day: Promise<void> | undefined;
  #all: Promise<void> | undefined;
  /** Close time of the newest sale that left early. */
  #cutAt = 0;

  constructor(engine: SalesEngine) {
    this.#engine = engine;
  }

  applied({
    head,
    events,
  }: Pick<LedgerEvent, 'head'> & { events: Pick<LedgerEvent['events'], 'nfts'> }): void {
    if (this.#liveFrom === 0) this.#liveFrom = head.index;
    const { bytes, count } = events.nfts;
    this.#reader.load(bytes);
    for (let i = 0; i < count; i++) {
      const sale = this.#saleOf(this.#reader.at(i));
      if (!sale) continue;
      this.#sales.push(sale);
      this.#sum(sale, 1);
    }
    this.#age(head.closeTime);
  }

  /** What sales were stays; what was read before any ledger came in may be of a store that was not restored yet. */
  drop(): void {
    if (this.#liveFrom !== 0) return;
    this.#sales = [];
    this.#sums.clear();
    this.#partySums.clear();
    this.#dayFrom = 0;
    this.#day = undefined;
    this.#all = undefined;
  }

  /** Sales of the last 24 hours, and their volume in XRP: whole once `dayReady` has resolved. */
  of(collection: number): { readonly sales: number; readonly volume: number } {
    const { sales, drops } = this.#sums.get(collection) ?? NOTHING;
    return { sales, volume: drops / DROPS_PER_XRP };
  }

  /** The same of an account's purchases and sales. */
  ofParty(party: number): { readonly trades: number; readonly volume: number } {
    const { sales, drops } = this.#partySums.get(party) ?? NOTHING;
    return { trades: sales, volume: drops / DROPS_PER_XRP };
  }

  /** Resolves when the sales of the last 24 hours are known. */
  dayReady(): Promise<void> {
    this.#day ??= this.#readDay();
    return this.#day;
  }

  /** All of 8 days. `isPart`: there were more than are kept. */
  async get(): Promise<{ readonly sales: readonly RecentSale[]; readonly isPart: boolean }> {
    for (;;) {
      this.#all ??= this.#readAll();
      const all = this.#all;
      await all;
      // Else they were dropped meanwhile.
      if (all === this.#all) return { sales: this.#sales, isPart: !hasLeft(this.#cutAt, this.#now, KEPT) };
    }
  }

  get #now(): number {
    return this.#engine.head?.closeTime ?? 0;
  }

  async #readDay(): Promise<void> {
    const end = this.#liveFrom === 0 ? (this.#engine.head?.index ?? 0) + 1 : this.#liveFrom;
    await this.#read(DAY, end);
  }

  async #readAll(): Promise<void> {
    await this.dayReady();
    if (this.#readFrom !== 0) await this.#read(KEPT, this.#readFrom);
  }

  /** Puts sales of a window before those that are there. @param end ledger of the first that is there */
  async #read(seconds: number, end: number): Promise<void> {
    const { store, nfts } = this.#engine;
    const sales = this.#sales;
    const first = store.ledgerAt(Math.max(0, this.#now - seconds)) ?? store.firstLedger();
    // What is not durable yet may become so while the rest is read.
    const pending = nfts.pending.ledgers.filter(({ ledger }) => ledger < end);
    this.#readFrom = Math.min(end, first?.index ?? end, pending[0]?.ledger ?? end);
    const found: RecentSale[] = [];
    const stored = pending[0]?.ledger ?? end;
    for (let from = this.#readFrom; from < stored; await yieldToLoop()) {
      const last = this.#readSlice(from, stored, found);
      if (last === undefined) break;
      from = last + 1;
    }
    for (const { bytes } of pending) {
      const event = new NftEventReader().load(bytes);
      for (let i = 0; i < bytes.length / NFT_EVENT_BYTES; i++) this.#keep(event.at(i), found);
    }
    if (sales !== this.#sales) return;
    // Where one that came in has left the day, so have all of these.
    if (this.#dayFrom > 0) this.#dayFrom += found.length;
    else for (const sale of found) this.#sum(sale, 1);
    this.#sales = [...found, ...sales];
    this.#age(this.#now);
  }

  /** @param end ledger after the last. @returns the last ledger that was read; undefined: there are no further events */
  #readSlice(from: number, end: number, found: RecentSale[]): number | undefined {
    let last: number | undefined;
    let seen = 0;
    eachStoredNftEvent(this.#engine.store, { from, to: end - 1 }, (event) => {
      // A slice ends between two ledgers.
      if (seen++ >= SLICE && event.ledger !== last) return false;
      last = event.ledger;
      this.#keep(event, found);
      return true;
    });
    return last;
  }

  #keep(event: NftEventReader, found: RecentSale[]): void {
    const sale = this.#saleOf(event);
    if (sale) found.push(sale);
  }

  #saleOf(event: NftEventReader): RecentSale | undefined {
    if (event.type !== NftEventType.sale) return undefined;
    const { price, closeTime: time, collection, from: seller, to: buyer } = event;
    const isXrp = price !== undefined && this.#engine.nfts.assets.kind(price.asset) === AssetKind.xrp;
    return { time, collection, seller, buyer, drops: isXrp ? Number(dropsOf(price.hi, price.lo)) : 0 };
  }

  /** Takes what has left the day off its sums, and removes what has left altogether, once that is a quarter of all. */
  #age(now: number): void {
    const sales = this.#sales;
    const early = Math.max(0, sales.length - SALES_MAX);
    for (let sale = sales[this.#dayFrom]; sale; sale = sales[this.#dayFrom]) {
      if (!hasLeft(sale.time, now, DAY) && this.#dayFrom >= early) break;
      this.#sum(sale, -1);
      this.#dayFrom++;
    }
    const quarter = sales[Math.max(LEFT_MIN, sales.length >>> 2)];
    if (early === 0 && (!quarter || !hasLeft(quarter.time, now, KEPT))) return;
    if (early > 0) this.#cutAt = sales[early - 1]!.time;
    let first = early;
    while (first < sales.length && hasLeft(sales[first]!.time, now, KEPT)) first++;
    sales.splice(0, first);
    this.#dayFrom -= first;
  }

  #sum({ collection, seller, buyer, drops }: RecentSale, sign: 1 | -1): void {
    addTo(this.#sums, collection, drops, sign);
    addTo(this.#partySums, seller, drops, sign);
    addTo(this.#partySums, buyer, drops, sign);
  }
}

function addTo(sums: Map<number, Sum>, key: number, drops: number, sign: 1 | -1): void {
  const sum = sums.get(key) ?? { sales: 0, drops: 0 };
  sum.sales += sign;
  // Whole numbers, so that what leaves takes off exactly what came.
  sum.drops += sign * drops;
  if (sum.sales === 0) sums.delete(key);
  else sums.set(key, sum);
}
