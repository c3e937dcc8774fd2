/**
 * Sales of NFTs for XRP of the last days, oldest first.
 *
 *     events in the store, newest first --once, in slices--> [ ... 8 days of sales ... ] <--push-- events of each ledger
 *
 * Cost: some 15 us an event when it is first asked for, of every type; of very busy networks the newest EVENTS_MAX are read,
 * and the answer says so. 48 bytes a sale while they are kept: of the main network some 80,000.
 */
import { AssetKind, dropsOf } from '../../engine/codec/amount.ts';
import type { Engine, LedgerEvent } from '../../engine/engine.ts';
import { yieldToLoop } from '../../engine/event-loop.ts';
import { NftEventHistory, type NftPlace } from '../../engine/nfts/event-history.ts';
import { NftEventReader, NftEventType } from '../../engine/nfts/event-record.ts';
import { DAY } from '../../engine/ripple-time.ts';
import type { Invalidated } from '../invalidation.ts';

/** A week, and the day before it, whose proceeds may have been spent in it. */
const KEPT_DAYS = 8;
/** Events that are read from the store. */
const EVENTS_MAX = 400_000;
/** Of them in one go: about 5 ms. */
const EVENTS_A_SLICE = 400;
/** Sales that are kept; the oldest leave early. */
const SALES_MAX = 1_000_000;

export interface RecentSale {
  /** Close time. */
  readonly time: number;
  readonly collection: number;
  /** Parties. */
  readonly seller: number;
  readonly buyer: number;
  readonly drops: number;
}

export class NftRecentSales implements Invalidated {
  readonly #engine: Engine;
  readonly #history: NftEventHistory;
  readonly #reader = new NftEventReader();
  #sales: RecentSale[] = [];
  #loading: Promise<void> | undefined;
  #isPart = false;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#history = new NftEventHistory(engine.store, engine.nfts.pending);
  }

  applied({ head, events }: LedgerEvent): void {
    if (!this.#loading) return;
    this.#reader.load(events.nfts.bytes);
    for (let i = 0; i < events.nfts.count; i++) {
      const sale = this.#saleOf(this.#reader.at(i));
      if (sale) this.#sales.push(sale);
    }
    this.#forget(head.closeTime - KEPT_DAYS * DAY);
  }

  drop(): void {
    this.#sales = [];
    this.#loading = undefined;
  }

  /** `isPart`: there are more in the store than were read. */
  async get(): Promise<{ readonly sales: readonly RecentSale[]; readonly isPart: boolean }> {
    for (;;) {
      this.#loading ??= this.#load();
      const loading = this.#loading;
      await loading;
      // Else they were dropped meanwhile.
      if (loading === this.#loading) return { sales: this.#sales, isPart: this.#isPart };
    }
  }

  async #load(): Promise<void> {
    const begin = (this.#engine.head?.closeTime ?? 0) - KEPT_DAYS * DAY;
    // What comes in meanwhile goes to this list, unless it is dropped.
    const live = this.#sales;
    const stored: RecentSale[] = [];
    let isOver = false;
    let next: NftPlace | undefined;
    for (let read = 0; read < EVENTS_MAX && !isOver; read += EVENTS_A_SLICE) {
      if (read > 0) await yieldToLoop();
      next = this.#history.visit('all', next, EVENTS_A_SLICE, (event) => {
        isOver = event.closeTime <= begin;
        if (isOver) return false;
        const sale = this.#saleOf(event);
        if (sale) stored.push(sale);
        return true;
      });
      isOver ||= next === undefined;
    }
    if (live !== this.#sales) return;
    this.#isPart = !isOver;
    this.#sales = [...stored.reverse(), ...live];
  }

  #saleOf(event: NftEventReader): RecentSale | undefined {
    if (event.type !== NftEventType.sale) return undefined;
    const { price, closeTime: time, collection, from: seller, to: buyer } = event;
    if (!price || this.#engine.nfts.assets.kind(price.asset) !== AssetKind.xrp) return undefined;
    return { time, collection, seller, buyer, drops: Number(dropsOf(price.hi, price.lo)) };
  }

  /** Once what has left is a quarter of the list, or there are too many. */
  #forget(before: number): void {
    const sales = this.#sales;
    const isOld = (sale: RecentSale | undefined) => sale !== undefined && sale.time <= before;
    if (!isOld(sales[sales.length >>> 2]) && sales.length <= SALES_MAX) return;
    let first = Math.max(0, sales.length - SALES_MAX);
    while (isOld(sales[first])) first++;
    sales.splice(0, first);
  }
}
