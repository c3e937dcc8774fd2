/**
 * What happened to the NFTs of a collection, as charts and rankings need it: its sales in order of time, and counts by day.
 *
 *     events of the collection in the store, newest first --slices--> sales, days    kept until an event of it comes
 *
 * Goal: charts of any resolution, traders, mints of a collection from one read of its events. Non-goal: collections with more
 * than EVENTS_MAX events from their beginning: of these the newest are shown, and the answer says so.
 * Cost: some 15 us an event when a collection is first asked for, in slices; 40 bytes a sale while it is kept.
 */
import { AssetKind, DROPS_PER_XRP, dropsOf } from '../../engine/codec/amount.ts';
import type { Engine, LedgerEvent } from '../../engine/engine.ts';
import { yieldToLoop } from '../../engine/event-loop.ts';
import { NftEventHistory, type NftPlace } from '../../engine/nfts/event-history.ts';
import { type NftAmount, NftEventReader, NftEventType } from '../../engine/nfts/event-record.ts';
import { DAY, unixMs } from '../../engine/ripple-time.ts';
import type { Invalidated } from '../invalidation.ts';

/** Events of a collection that are read. */
const EVENTS_MAX = 50_000;
/** Of them in one go: about 5 ms. */
const EVENTS_A_SLICE = 400;
/** Collections whose events are kept. */
const KEPT = 256;

/** A sale for XRP. */
export interface CollectionSale {
  /** Close time, Ripple epoch seconds. */
  readonly time: number;
  readonly xrp: number;
  readonly nft: number;
  /** Parties. */
  readonly buyer: number;
  readonly seller: number;
}

/** A day that begins at `day` (Ripple epoch seconds). */
export interface CollectionDay {
  readonly day: number;
  mints: number;
  burns: number;
  transfers: number;
  listings: number;
  bids: number;
  sales: number;
  /** XRP. */
  volume: number;
  royalties: number;
  brokerFees: number;
}

export interface CollectionPast {
  /** Oldest first. */
  readonly sales: readonly CollectionSale[];
  /** Those with an event, oldest first. */
  readonly days: readonly CollectionDay[];
  /** Older events were not read. */
  readonly isPart: boolean;
}

/** One candle of sales. */
export interface SaleCandle {
  /** Unix ms. */
  readonly time: number;
  readonly open: number;
  high: number;
  low: number;
  close: number;
  /** XRP. */
  volume: number;
  sales: number;
}

export class CollectionSales implements Invalidated {
  readonly #engine: Engine;
  readonly #history: NftEventHistory;
  readonly #kept = new Map<number, Promise<CollectionPast>>();

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#history = new NftEventHistory(engine.store, engine.nfts.pending);
  }

  applied({ events: { nfts } }: LedgerEvent): void {
    const event = new NftEventReader().load(nfts.bytes);
    for (let i = 0; i < nfts.count; i++) this.#kept.delete(event.at(i).collection);
  }

  drop(): void {
    this.#kept.clear();
  }

  of(collection: number): Promise<CollectionPast> {
    let past = this.#kept.get(collection);
    if (!past) {
      if (this.#kept.size >= KEPT) this.#kept.delete(this.#kept.keys().next().value!);
      past = this.#read(collection);
      this.#kept.set(collection, past);
      past.catch(() => this.#kept.delete(collection));
    }
    return past;
  }

  async #read(collection: number): Promise<CollectionPast> {
    const sales: CollectionSale[] = [];
    const days = new Map<number, CollectionDay>();
    let next: NftPlace | undefined;
    for (let read = 0; read < EVENTS_MAX; read += EVENTS_A_SLICE) {
      if (read > 0) await yieldToLoop();
      next = this.#history.visit({ collection }, next, EVENTS_A_SLICE, (event) => {
        this.#take(event, sales, days);
        return true;
      });
      if (!next) break;
    }
    return {
      sales: sales.reverse(),
      days: [...days.values()].sort((a, b) => a.day - b.day),
      isPart: next !== undefined,
    };
  }

  #take(event: NftEventReader, sales: CollectionSale[], days: Map<number, CollectionDay>): void {
    const { closeTime: time, type } = event;
    const day = dayOf(days, time - (time % DAY));
    if (type === NftEventType.mint) day.mints++;
    else if (type === NftEventType.burn) day.burns++;
    else if (type === NftEventType.transfer) day.transfers++;
    else if (type === NftEventType.list) day.listings++;
    else if (type === NftEventType.bid) day.bids++;
    if (type !== NftEventType.sale) return;
    day.sales++;
    const xrp = this.#xrp(event.price);
    if (xrp === 0) return;
    day.volume += xrp;
    day.royalties += this.#xrp(event.royalty);
    day.brokerFees += this.#xrp(event.brokerFee);
    sales.push({ time, xrp, nft: event.nft, buyer: event.to, seller: event.from });
  }

  /** 0: another asset, or nothing. */
  #xrp(amount: NftAmount | undefined): number {
    if (!amount || this.#engine.nfts.assets.kind(amount.asset) !== AssetKind.xrp) return 0;
    return Number(dropsOf(amount.hi, amount.lo)) / DROPS_PER_XRP;
  }
}

function dayOf(days: Map<number, CollectionDay>, day: number): CollectionDay {
  let found = days.get(day);
  if (!found) {
    const nothing = { mints: 0, burns: 0, transfers: 0, listings: 0, bids: 0, sales: 0 };
    found = { day, ...nothing, volume: 0, royalties: 0, brokerFees: 0 };
    days.set(day, found);
  }
  return found;
}

/** Candles of sales, oldest first; intervals without a sale have none. @param seconds of an interval */
export function saleCandles(sales: readonly CollectionSale[], seconds: number): SaleCandle[] {
  const candles: SaleCandle[] = [];
  let begin = -1;
  for (const { time, xrp } of sales) {
    const at = time - (time % seconds);
    let candle = candles.at(-1);
    if (!candle || at !== begin) {
      begin = at;
      candle = { time: unixMs(at), open: xrp, high: xrp, low: xrp, close: xrp, volume: 0, sales: 0 };
      candles.push(candle);
    }
    candle.high = Math.max(candle.high, xrp);
    candle.low = Math.min(candle.low, xrp);
    candle.close = xrp;
    candle.volume += xrp;
    candle.sales++;
  }
  return candles;
}

/** What an account bought and sold of a collection, XRP. */
export interface CollectionTrader {
  readonly party: number;
  buyVolume: number;
  buys: number;
  sellVolume: number;
  sells: number;
  /** Close time. */
  lastTrade: number;
}

/** Those who traded since a close time, by volume, the largest first. */
export function collectionTraders(sales: readonly CollectionSale[], since: number): CollectionTrader[] {
  const traders = new Map<number, CollectionTrader>();
  const of = (party: number, time: number): CollectionTrader => {
    const nothing = { party, buyVolume: 0, buys: 0, sellVolume: 0, sells: 0, lastTrade: 0 };
    const trader = traders.get(party) ?? nothing;
    trader.lastTrade = Math.max(trader.lastTrade, time);
    traders.set(party, trader);
    return trader;
  };
  for (const { time, xrp, buyer, seller } of sales) {
    if (time <= since) continue;
    const bought = of(buyer, time);
    bought.buyVolume += xrp;
    bought.buys++;
    const sold = of(seller, time);
    sold.sellVolume += xrp;
    sold.sells++;
  }
  const volume = ({ buyVolume, sellVolume }: CollectionTrader) => buyVolume + sellVolume;
  return [...traders.values()].sort((a, b) => volume(b) - volume(a) || a.party - b.party);
}
