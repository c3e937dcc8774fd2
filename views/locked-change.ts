/**
 * What the value locked in a token's pools changed by in the last 24 hours: the value now less what its pools locked a
 * day ago. What a pool held then is what it holds now less what moved in and out since; a pool with XRP locked twice its XRP, one
 * between two tokens its sides at the prices of then. A pool made since counts whole, and one closed since holds nothing now.
 * Absent where the token had no pool a day ago, or not every ledger of the day was read.
 */

import { DROPS_PER_XRP } from '../engine/codec/amount.ts';
import type { Engine } from '../engine/engine.ts';
import { hasLeft, Window } from '../engine/market/figures.ts';
import { DAY } from '../engine/ripple-time.ts';
import { XRP } from '../engine/state/tokens.ts';
import { prunedOf } from '../engine/store.ts';
import type { PoolVolumes } from './pool-volumes.ts';
import { type Revisions, VersionedCache } from './versioned-cache.ts';

export class LockedChange {
  readonly #engine: Engine;
  readonly #volumes: PoolVolumes;
  readonly #dayWasRead: VersionedCache<boolean>;
  /** Pools that were closed in the day, by token. */
  readonly #closed: VersionedCache<ReadonlyMap<number, readonly number[]>>;
  /** The first stored ledger of those that reach the newest without a gap, and when the first one read of these closed. */
  #firstRead: { readonly index: number; readonly closeTime: number } | undefined;

  constructor(engine: Engine, volumes: PoolVolumes, { ledger }: Revisions) {
    this.#engine = engine;
    this.#volumes = volumes;
    this.#dayWasRead = new VersionedCache([ledger], 1);
    this.#closed = new VersionedCache([ledger], 1);
  }

  /**
   * XRP. Known when every ledger of the day was read, and the token had a pool a day ago; undefined = not known.
   */
  of(token: number): number | undefined {
    if (token === XRP || !this.isKnown) return undefined;
    const { pools } = this.#engine.state;
    let isKnown = false;
    let change = 0;
    for (const pool of pools.of(token)) {
      change += this.#engine.market.totals.lockedDrops(pool) / DROPS_PER_XRP;
      if (!this.#isOld(pool)) continue;
      isKnown = true;
      change -= this.#dayAgo(pool);
    }
    for (const pool of this.#closed.get('', () => this.#findClosed()).get(token) ?? []) {
      isKnown = true;
      change -= this.#dayAgo(pool);
    }
    return isKnown ? change : undefined;
  }

  /** Whether there was the pool a day ago. */
  #isOld(pool: number): boolean {
    return hasLeft(this.#engine.state.pools.createdAt(pool), this.#now, DAY);
  }

  /** A pool closes when all is taken out of it, which is a move of the day. */
  #findClosed(): ReadonlyMap<number, readonly number[]> {
    const { pools } = this.#engine.state;
    const found = new Map<number, number[]>();
    for (const pool of this.#volumes.day.pools) {
      if (pools.exists(pool) || !this.#isOld(pool)) continue;
      for (const token of [pools.asset1(pool), pools.asset2(pool)]) {
        const own = found.get(token);
        if (own) own.push(pool);
        else found.set(token, [pool]);
      }
    }
    return found;
  }

  /** Whether every ledger of the last 24 hours was read, and what moved in them is known. */
  get isKnown(): boolean {
    const { loaded, day } = this.#volumes;
    return loaded && day.isWhole && this.#dayWasRead.get('', () => this.#wasRead());
  }

  /** What a pool locked at the beginning of the day, by what it held and the prices then, XRP. */
  #dayAgo(pool: number): number {
    const { pools, tokens } = this.#engine.state;
    const [one, two] = [pools.asset1(pool), pools.asset2(pool)];
    const holds = (side: 1 | 2, token: number) =>
      pools.exists(pool) ? tokens.number(token, ...pools.reserveRaw(pool, side)) : 0;
    // Of a pool whose closing an earlier version recorded without it, the last withdrawal is missing.
    const held = (side: 1 | 2, token: number, other: number) =>
      Math.max(0, holds(side, token) - this.#volumes.day.flow(pool, token, other));
    if (one === XRP) return 2 * held(1, one, two);
    if (two === XRP) return 2 * held(2, two, one);
    return held(1, one, two) * this.#priceDayAgo(one) + held(2, two, one) * this.#priceDayAgo(two);
  }

  #priceDayAgo(token: number): number {
    const { totals, windows } = this.#engine.market;
    const now = totals.priceInPools(token);
    return now > 0 ? (windows.basePrice(token, Window.h24) ?? now) : 0;
  }

  #wasRead(): boolean {
    const ranges = this.#engine.ledgerRanges();
    const index = ranges.at(-1)?.[0];
    if (index === undefined) return false;
    if (this.#firstRead?.index !== index) {
      const pruned = ranges.length === 1 ? prunedOf(this.#engine.store) : undefined;
      const closeTime = pruned?.since.closeTime ?? this.#engine.ledgerBytes(index)?.closeTime;
      if (closeTime === undefined) return false;
      this.#firstRead = { index, closeTime };
    }
    return hasLeft(this.#firstRead.closeTime, this.#now, DAY);
  }

  get #now(): number {
    return this.#engine.head?.closeTime ?? 0;
  }
}
