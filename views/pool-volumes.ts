/**
 * Traded volume of each pool, in XRP: of the last 24 hours exactly (pool-day.ts), of the last seven days by the hour.
 *
 *   pool -> ring of 168 hours [ ... | hour - 1 | hour ]   (an hour's cell is cleared when its hour comes round)
 *
 * Takes in the trade records of each ledger. What the store holds of the time before the first of them is read once, when
 * pool figures are first requested, in slices that let other work run in between. The seven days are whole hours, as a
 * token's (market/hours.ts): the running one and the 167 before it.
 */

import { DROPS_PER_XRP } from '../engine/codec/amount.ts';
import type { LedgerEvent } from '../engine/engine.ts';
import { yieldToLoop } from '../engine/event-loop.ts';
import { TradeReader } from '../engine/market/trade-record.ts';
import { HOUR } from '../engine/ripple-time.ts';
import type { Tokens } from '../engine/state/tokens.ts';
import type { Position, Store } from '../engine/store.ts';
import { PoolDay } from './pool-day.ts';

const HOURS = 168;
/** Records read at a time: about 5 ms. */
const SLICE = 5000;

interface Ring {
  readonly drops: Float64Array;
  /** Last hour written. */
  hour: number;
  /** Close time of the newest trade. */
  lastTraded: number;
}

export class PoolVolumes {
  /** The last 24 hours; what `loaded` says holds of it, too. */
  readonly day: PoolDay;
  readonly #rings = new Map<number, Ring>();
  readonly #store: Store;
  readonly #reader = new TradeReader(new Uint8Array(0));
  /** First ledger whose records came in live; older ones are in the store. */
  #liveFrom = 0;
  #loading: Promise<void> | undefined;
  #loaded = false;

  constructor(store: Store, tokens: Pick<Tokens, 'number'>) {
    this.#store = store;
    this.day = new PoolDay((token, hi, lo) => tokens.number(token, hi, lo));
  }

  applied({ head, events }: LedgerEvent): void {
    const { trades, tradeCount } = events.market;
    this.add(head.index, head.closeTime, trades, tradeCount);
  }

  /** What has been traded stays so. */
  drop(): void {}

  /** Records of an applied ledger, and its close time. */
  add(ledger: number, time: number, records: Uint8Array, count: number): void {
    if (this.#liveFrom === 0) this.#liveFrom = ledger;
    this.day.age(time);
    const reader = this.#reader.load(records);
    for (let i = 0; i < count; i++) this.#take(reader.at(i), 'live');
  }

  /** Resolves when the stored part of the seven days is in. @param now close time of the newest ledger, `head` its index. */
  load(now: number, head: number): Promise<void> {
    this.#loading ??= this.#load(now, head).then(() => {
      this.#loaded = true;
    });
    return this.#loading;
  }

  /** Whether the stored part is in. */
  get loaded(): boolean {
    return this.#loaded;
  }

  /** XRP traded in the last seven days, in whole hours. @param now close time of the newest ledger */
  week(pool: number, now: number): number {
    const ring = this.#rings.get(pool);
    if (!ring) return 0;
    const newest = Math.floor(now / HOUR);
    const first = Math.max(newest, ring.hour) - HOURS + 1;
    const last = Math.min(newest, ring.hour);
    let drops = 0;
    let cell = first % HOURS;
    for (let hour = first; hour <= last; hour++) {
      drops += ring.drops[cell]!;
      if (++cell === HOURS) cell = 0;
    }
    return drops / DROPS_PER_XRP;
  }

  /** Close time of the newest trade; 0 = none in the seven days. @param now close time of the newest ledger */
  lastTraded(pool: number, now: number): number {
    const traded = this.#rings.get(pool)?.lastTraded ?? 0;
    return Math.floor(traded / HOUR) > Math.floor(now / HOUR) - HOURS ? traded : 0;
  }

  async #load(now: number, head: number): Promise<void> {
    const first = this.#store.ledgerAt(Math.max(0, now - HOURS * HOUR)) ?? this.#store.firstLedger();
    if (!first) return;
    this.day.age(now);
    // Ledgers that come in from here on are added live.
    const end = this.#liveFrom === 0 ? head + 1 : this.#liveFrom;
    let from: Position | undefined = { ledger: first.index, tx: 0, entry: 0 };
    while (from) {
      from = this.#slice(from, end);
      if (from) await yieldToLoop();
    }
  }

  /** Reads one slice; returns where the next begins. */
  #slice(from: Position, end: number): Position | undefined {
    const reader = new TradeReader(new Uint8Array(0));
    let seen = 0;
    let last: Position | undefined;
    this.#store.trades({ from, limit: SLICE }, (position, record) => {
      if (position.ledger >= end) return false;
      seen++;
      last = { ledger: position.ledger, tx: position.tx, entry: position.entry + 1 };
      this.#take(reader.load(record), 'stored');
      return true;
    });
    return seen === SLICE ? last : undefined;
  }

  #take(trade: TradeReader, source: 'live' | 'stored'): void {
    const { pool } = trade;
    if (pool === undefined) return;
    this.day.add(trade, pool, source);
    if (trade.isLiquidity) return;
    const hour = Math.floor(trade.closeTime / HOUR);
    let ring = this.#rings.get(pool);
    if (!ring) {
      ring = { drops: new Float64Array(HOURS), hour, lastTraded: 0 };
      this.#rings.set(pool, ring);
    }
    if (hour > ring.hour) {
      for (let h = Math.max(ring.hour + 1, hour - HOURS + 1); h <= hour; h++) ring.drops[h % HOURS] = 0;
      ring.hour = hour;
    }
    if (hour > ring.hour - HOURS) ring.drops[hour % HOURS]! += trade.valueDrops;
    ring.lastTraded = Math.max(ring.lastTraded, trade.closeTime);
  }
}
