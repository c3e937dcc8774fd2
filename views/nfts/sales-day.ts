/**
 * Sales of the last 24 hours of close time, by collection, exact to the second.
 *
 *     events of each ledger --push--> [ ... a day of sales ... ] --expire--> out
 *                                \      sums by collection      /
 *
 * What the store holds of the day before the first ledger that came in is read once, in slices, when figures are first asked
 * for. Cost: 24 bytes a sale; a day of the main network has some ten thousand.
 */
import { DROPS_PER_XRP } from '../../engine/codec/amount.ts';
import { yieldToLoop } from '../../engine/event-loop.ts';
import { hasLeft } from '../../engine/market/figures.ts';
import { NFT_EVENT_BYTES, NftEventReader, NftEventType } from '../../engine/nfts/event-record.ts';
import { eachStoredNftEvent } from '../../engine/nfts/stored-events.ts';
import { DAY } from '../../engine/ripple-time.ts';
import type { Store } from '../../engine/store.ts';

/** Events read at a time: about 3 ms. */
const SLICE = 3000;
/** Sales of a day that are kept; the oldest leave early. */
const SALES_MAX = 500_000;

interface Sale {
  readonly time: number;
  readonly collection: number;
  readonly drops: number;
}

interface Sum {
  sales: number;
  drops: number;
}

const NOTHING: Readonly<Sum> = { sales: 0, drops: 0 };

export class SalesDay {
  readonly #sums = new Map<number, Sum>();
  /** In order of time: those read from the store come before all that came in. */
  #sales: Sale[] = [];
  #first = 0;
  #now = 0;
  /** First ledger whose events came in; older ones are in the store. */
  #liveFrom = 0;
  #loading: Promise<void> | undefined;
  readonly #drops: (event: NftEventReader) => number;

  /** @param drops of a sale; 0: not for XRP */
  constructor(drops: (event: NftEventReader) => number) {
    this.#drops = drops;
  }

  /** The events of an applied ledger. */
  add(ledger: number, time: number, bytes: Uint8Array, count: number): void {
    if (this.#liveFrom === 0) this.#liveFrom = ledger;
    const event = new NftEventReader().load(bytes.subarray(0, count * NFT_EVENT_BYTES));
    for (let i = 0; i < count; i++) {
      const sale = this.#saleOf(event.at(i));
      if (!sale) continue;
      this.#sales.push(sale);
      this.#sum(sale, 1);
    }
    this.#age(time);
  }

  /** XRP, and how many. */
  of(collection: number): { readonly sales: number; readonly volume: number } {
    const { sales, drops } = this.#sums.get(collection) ?? NOTHING;
    return { sales, volume: drops / DROPS_PER_XRP };
  }

  /** Resolves when the stored part of the day is in. @param now close time of the newest ledger, `head` its index */
  load(store: Store, now: number, head: number): Promise<void> {
    this.#loading ??= this.#load(store, now, head);
    return this.#loading;
  }

  async #load(store: Store, now: number, head: number): Promise<void> {
    const first = store.ledgerAt(Math.max(0, now - DAY)) ?? store.firstLedger();
    if (!first) return;
    const end = this.#liveFrom === 0 ? head + 1 : this.#liveFrom;
    const stored: Sale[] = [];
    for (let from = first.index; from < end; ) {
      let last = from;
      let seen = 0;
      eachStoredNftEvent(store, { from, to: end - 1 }, (event) => {
        // A slice ends between two ledgers.
        if (seen >= SLICE && event.ledger !== last) return false;
        last = event.ledger;
        seen++;
        const sale = this.#saleOf(event);
        if (sale && !hasLeft(sale.time, now, DAY)) stored.push(sale);
        return true;
      });
      if (seen === 0) break;
      from = last + 1;
      await yieldToLoop();
    }
    for (const sale of stored) this.#sum(sale, 1);
    this.#sales = [...stored, ...this.#sales.slice(this.#first)];
    this.#first = 0;
    this.#age(Math.max(now, this.#now));
  }

  #saleOf(event: NftEventReader): Sale | undefined {
    if (event.type !== NftEventType.sale) return undefined;
    return { time: event.closeTime, collection: event.collection, drops: this.#drops(event) };
  }

  #age(now: number): void {
    this.#now = now;
    const sales = this.#sales;
    while (
      this.#first < sales.length &&
      (hasLeft(sales[this.#first]!.time, now, DAY) || sales.length - this.#first > SALES_MAX)
    )
      this.#sum(sales[this.#first++]!, -1);
    // The part that has left is half of the list: what is moved is paid for by what left.
    if (this.#first > 1024 && this.#first * 2 > sales.length) {
      this.#sales = sales.slice(this.#first);
      this.#first = 0;
    }
  }

  #sum({ collection, drops }: Sale, sign: 1 | -1): void {
    const sum = this.#sums.get(collection) ?? { sales: 0, drops: 0 };
    sum.sales += sign;
    // Whole numbers, so that what leaves takes off exactly what came.
    sum.drops += sign * drops;
    if (sum.sales === 0) this.#sums.delete(collection);
    else this.#sums.set(collection, sum);
  }
}
