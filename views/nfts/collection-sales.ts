/**
 * What happened to the NFTs of a collection, as charts and rankings need it: its sales in order of time, and what was minted and
 * burned by day.
 *
 *     events of the collection in the store, newest first --slices--> sales, days    kept until an event of it comes
 *
 * Goal: charts of any resolution, traders, mints of a collection from one read of its events. Non-goal: collections with more
 * than EVENTS_MAX events from their beginning: of these the newest are shown, and the answer says so.
 * Cost: some 15 us an event when a collection is first asked for, in slices; 60 bytes a sale, and 12 a change of owners, while it is kept.
 */
import type { Engine, LedgerEvent } from '../../engine/engine.ts';
import { yieldToLoop } from '../../engine/event-loop.ts';
import { bucketStart } from '../../engine/market/intervals.ts';
import { NftEventHistory, type NftPlace } from '../../engine/nfts/event-history.ts';
import { NftEventReader, NftEventType } from '../../engine/nfts/event-record.ts';
import { DAY, unixMs } from '../../engine/ripple-time.ts';
import type { Invalidated } from '../invalidation.ts';
import { dropsIn } from './amounts.ts';
import { NftCosts, type NftGain } from './gains.ts';

/** Events of a collection that are read. */
const EVENTS_MAX = 50_000;
/** Of them in one go: about 5 ms. */
const EVENTS_A_SLICE = 400;
/** After which an NFT has another owner. */
const MOVES: ReadonlySet<number> = new Set([
  NftEventType.mint,
  NftEventType.sale,
  NftEventType.transfer,
  NftEventType.burn,
]);
/** Collections whose events are kept, and what these take in all, bytes: a collection with EVENTS_MAX has up to 4 MB. */
const KEPT = 256;
const KEPT_BYTES = 64 * 1024 * 1024;
/** What a collection, a sale and a change of owners take. */
const COLLECTION_BYTES = 512;
const SALE_BYTES = 60;
const MOVE_BYTES = 12;

/** A sale for XRP. */
export interface CollectionSale {
  /** Close time, Ripple epoch seconds. */
  readonly time: number;
  readonly drops: number;
  readonly nft: number;
  /** Parties. */
  readonly buyer: number;
  readonly seller: number;
  /** Of the seller; undefined: it had not bought it for XRP. */
  readonly gain: NftGain | undefined;
}

/** A sale for another asset. */
type OtherSale = Pick<CollectionSale, 'time' | 'nft' | 'buyer' | 'seller'>;

/** A day that begins at `day` (Ripple epoch seconds). */
export interface CollectionDay {
  readonly day: number;
  mints: number;
  burns: number;
}

export interface CollectionPast {
  /** Oldest first. */
  readonly sales: readonly CollectionSale[];
  /** Those for other assets, oldest first. */
  readonly others: readonly OtherSale[];
  /** Those with one of them, oldest first. */
  readonly days: readonly CollectionDay[];
  /** When an NFT got another owner, oldest first: close times and parties; 0: it was minted, or burned. */
  readonly moves: { readonly times: Uint32Array; readonly from: Uint32Array; readonly to: Uint32Array };
  /** Older events were not read. */
  readonly isPart: boolean;
}

/** One candle of sales; drops. */
export interface SaleCandle {
  /** Unix ms. */
  readonly time: number;
  readonly open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
  sales: number;
}

/** An event that an NFT got another owner by. */
interface Move {
  readonly time: number;
  readonly nft: number;
  readonly from: number;
  readonly to: number;
  readonly isSale: boolean;
  /** Drops; 0: it was not sold for XRP. */
  readonly drops: number;
  /** Of these, what went to others than the seller. */
  readonly parts: number;
}

interface Kept {
  readonly past: Promise<CollectionPast>;
  /** 0 while it is read. */
  bytes: number;
}

export class CollectionSales implements Invalidated {
  readonly #engine: Engine;
  readonly #history: NftEventHistory;
  readonly #keptBytes: number;
  readonly #kept = new Map<number, Kept>();
  #bytes = 0;

  constructor(engine: Engine, keptBytes = KEPT_BYTES) {
    this.#engine = engine;
    this.#history = new NftEventHistory(engine.store, engine.nfts.pending);
    this.#keptBytes = keptBytes;
  }

  /** What all that is kept takes. */
  get bytes(): number {
    return this.#bytes;
  }

  applied({ events: { nfts } }: LedgerEvent): void {
    const event = new NftEventReader().load(nfts.bytes);
    for (let i = 0; i < nfts.count; i++) this.#forget(event.at(i).collection);
  }

  drop(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }

  of(collection: number): Promise<CollectionPast> {
    const known = this.#kept.get(collection);
    if (known) return known.past;
    if (this.#kept.size >= KEPT) this.#forget(this.#kept.keys().next().value!);
    const kept: Kept = { past: this.#read(collection), bytes: 0 };
    this.#kept.set(collection, kept);
    kept.past.then(
      (past) => this.#weigh(collection, kept, past),
      () => this.#kept.get(collection) === kept && this.#forget(collection),
    );
    return kept.past;
  }

  /** It has been read: where all take too much, the ones first asked for go. */
  #weigh(collection: number, kept: Kept, past: CollectionPast): void {
    if (this.#kept.get(collection) !== kept) return;
    kept.bytes = bytesOf(past);
    this.#bytes += kept.bytes;
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#bytes <= this.#keptBytes) return;
      // What is still read takes nothing yet.
      if (oldest !== collection && bytes > 0) this.#forget(oldest);
    }
  }

  #forget(collection: number): void {
    this.#bytes -= this.#kept.get(collection)?.bytes ?? 0;
    this.#kept.delete(collection);
  }

  async #read(collection: number): Promise<CollectionPast> {
    const moves: Move[] = [];
    const days = new Map<number, CollectionDay>();
    let next: NftPlace | undefined;
    for (let read = 0; read < EVENTS_MAX; read += EVENTS_A_SLICE) {
      if (read > 0) await yieldToLoop();
      next = this.#history.visit({ collection }, next, EVENTS_A_SLICE, (event) => {
        this.#take(event, moves, days);
        return true;
      });
      if (!next) break;
    }
    moves.reverse();
    return {
      sales: salesOf(moves),
      others: moves
        .filter(({ isSale, drops }) => isSale && drops === 0)
        .map(({ time, nft, from, to }) => ({ time, nft, buyer: to, seller: from })),
      moves: {
        times: Uint32Array.from(moves, ({ time }) => time),
        from: Uint32Array.from(moves, ({ from }) => from),
        to: Uint32Array.from(moves, ({ to }) => to),
      },
      days: [...days.values()].sort((a, b) => a.day - b.day),
      isPart: next !== undefined,
    };
  }

  #take(event: NftEventReader, moves: Move[], days: Map<number, CollectionDay>): void {
    const { closeTime: time, type, nft, from, to } = event;
    if (type === NftEventType.mint) dayOf(days, time).mints++;
    if (type === NftEventType.burn) dayOf(days, time).burns++;
    if (!MOVES.has(type)) return;
    const isSale = type === NftEventType.sale;
    const { assets } = this.#engine.nfts;
    const drops = isSale ? dropsIn(assets, event.price) : 0;
    const parts = isSale ? dropsIn(assets, event.royalty) + dropsIn(assets, event.brokerFee) : 0;
    moves.push({ time, nft, from, to, isSale, drops, parts });
  }
}

function bytesOf({ sales, others, moves, days }: CollectionPast): number {
  const objects = sales.length + others.length + days.length;
  return COLLECTION_BYTES + objects * SALE_BYTES + moves.times.length * MOVE_BYTES;
}

/** The sales for XRP. @param moves oldest first */
function salesOf(moves: readonly Move[]): CollectionSale[] {
  const costs = new NftCosts();
  const sales: CollectionSale[] = [];
  for (const { time, nft, from, to, drops, parts } of moves) {
    const gain = costs.left(nft, drops > 0 ? drops - parts : undefined, time);
    costs.came(nft, drops, time);
    if (drops > 0) sales.push({ time, drops, nft, buyer: to, seller: from, gain });
  }
  return sales;
}

function dayOf(days: Map<number, CollectionDay>, time: number): CollectionDay {
  const day = time - (time % DAY);
  const found = days.get(day) ?? { day, mints: 0, burns: 0 };
  days.set(day, found);
  return found;
}

/** Candles of sales, oldest first; intervals without a sale have none. @param seconds of an interval */
export function saleCandles(sales: readonly CollectionSale[], seconds: number): SaleCandle[] {
  const candles: SaleCandle[] = [];
  let begin = -1;
  for (const { time, drops } of sales) {
    const at = bucketStart(seconds, time);
    let candle = candles.at(-1);
    if (!candle || at !== begin) {
      begin = at;
      candle = { time: unixMs(at), open: drops, high: drops, low: drops, close: drops, volume: 0, sales: 0 };
      candles.push(candle);
    }
    candle.high = Math.max(candle.high, drops);
    candle.low = Math.min(candle.low, drops);
    candle.close = drops;
    candle.volume += drops;
    candle.sales++;
  }
  return candles;
}

/** What an account bought and sold of a collection; drops. */
export interface CollectionTrader {
  readonly party: number;
  buyVolume: number;
  buys: number;
  sellVolume: number;
  sells: number;
  /** Sales of NFTs that it had bought for XRP, those of them with a gain, what they gained, and what had been paid. */
  flips: number;
  wins: number;
  profit: number;
  flipCost: number;
  /** Close time. */
  lastTrade: number;
}

const NOTHING = {
  ...{ buyVolume: 0, buys: 0, sellVolume: 0, sells: 0 },
  ...{ flips: 0, wins: 0, profit: 0, flipCost: 0, lastTrade: 0 },
};

export const volumeOf = ({ buyVolume, sellVolume }: CollectionTrader): number => buyVolume + sellVolume;

/** Those who traded since a close time, by volume, the largest first. */
export function collectionTraders(sales: readonly CollectionSale[], since: number): CollectionTrader[] {
  const traders = new Map<number, CollectionTrader>();
  const of = (party: number, time: number): CollectionTrader => {
    const trader = traders.get(party) ?? { party, ...NOTHING };
    trader.lastTrade = Math.max(trader.lastTrade, time);
    traders.set(party, trader);
    return trader;
  };
  for (const { time, drops, buyer, seller, gain } of sales) {
    if (time <= since) continue;
    const bought = of(buyer, time);
    bought.buyVolume += drops;
    bought.buys++;
    const sold = of(seller, time);
    sold.sellVolume += drops;
    sold.sells++;
    if (!gain) continue;
    sold.flips++;
    if (gain.profit > 0) sold.wins++;
    sold.profit += gain.profit;
    sold.flipCost += gain.cost;
  }
  return [...traders.values()].sort((a, b) => volumeOf(b) - volumeOf(a) || a.party - b.party);
}
