/**
 * What pools held and locked over time: hour by hour for a week, day by day for years.
 *
 *     market.applyLedger -> pools that the ledger changed ---> their rows of this hour and day
 *                        -> trades in pools -------------------> volume and fees of these rows
 *                        -> sums over all pools with XRP, and over those between two tokens: two rows more
 *
 * Goal: a chart of one pool, of the pools of a token or of all pools reads as many rows as it has points. Non-goal: the value
 * of a pool between two tokens after the price of one moved elsewhere: it is that of the pool's last change.
 *
 * Fees are the value of the trades times the fee that the pool asks after the ledger, as in the list of pools. What was
 * before this domain read its first ledger is not known; at that ledger, or that of a snapshot, every pool gets its rows.
 *
 * Cost: four look-ups by pool for each pool that a ledger changes; 52 bytes a row.
 */

import { DROPS_PER_XRP } from '../codec/amount.ts';
import type { Changes } from '../codec/changes.ts';
import type { PackedLedger } from '../codec/packed.ts';
import { growTo } from '../columns.ts';
import { Digest } from '../digest.ts';
import { columnBytes, type Domain } from '../domain.ts';
import { type RowSteps, runToEnd } from '../event-loop.ts';
import { TRADE_BYTES, TradeReader } from '../market/trade-record.ts';
import { DAY, HOUR } from '../ripple-time.ts';
import type { State } from '../state/state.ts';
import { persistTables } from '../state/stored-tables.ts';
import type { Table } from '../state/table.ts';
import { XRP } from '../state/tokens.ts';
import type { Batch } from '../store.ts';
import { TableId } from '../table-ids.ts';
import { PoolBuckets } from './pool-buckets.ts';

/**
 * Rows kept. Main network 2025: about a thousand pools change in an hour and three thousand in a day, so that hours last ten
 * days and days four years.
 */
const HOUR_ROWS = 2 ** 18;
const DAY_ROWS = 2 ** 22;

/** In place of a pool: all pools with XRP, and all between two tokens. Of these, held1 is XRP and held2 how many lock something. */
export const XRP_POOLS = 0;
export const TOKEN_POOLS = 1;
/** Pool ids begin at 1. */
const FIRST_POOL = 1;
/** Pools read between two pauses: about a millisecond. */
const POOLS_PER_STEP = 256;

/** The key of a pool's rows. */
export function poolKey(pool: number): number {
  return pool + FIRST_POOL;
}

/** In units of 1/100000. */
const FEE_UNITS = 100_000;

interface PoolMarket {
  readonly trades: Uint8Array;
  readonly tradeCount: number;
  readonly totals: { lockedDrops(pool: number): number };
}

export class PoolHistory implements Domain<'pools', undefined> {
  readonly name = 'pools';
  readonly events = undefined;
  readonly hours = new PoolBuckets(TableId.poolHours, 'hours of pools', HOUR, HOUR_ROWS);
  readonly days = new PoolBuckets(TableId.poolDays, 'days of pools', DAY, DAY_ROWS);
  readonly tables: readonly Table[] = [this.hours.table, this.days.table];
  readonly #state: State;
  readonly #market: PoolMarket;
  readonly #reader = new TradeReader(new Uint8Array(TRADE_BYTES));
  /** What each pool added to the sums: value locked and XRP held, whole drops. */
  #locked: Float64Array = new Float64Array(1024);
  #xrp: Float64Array = new Float64Array(1024);
  /** By key: sums over pools, and how many lock something. */
  readonly #sumLocked = new Float64Array(2);
  readonly #sumXrp = new Float64Array(2);
  readonly #count = new Uint32Array(2);
  /** Pools may have changed unseen. */
  #isIncomplete = false;

  constructor(state: State, market: PoolMarket) {
    this.#state = state;
    this.#market = market;
  }

  get memoryBytes(): number {
    return columnBytes(this.tables);
  }

  /** The market has applied the ledger. */
  applyLedger({ closeTime }: PackedLedger, _changes: Changes): void {
    const { pools, changed } = this.#state;
    const all = this.days.isEmpty || this.#isIncomplete;
    if (all) runToEnd(this.#readAll(closeTime));
    for (const pool of changed.pools) this.#update(pool, closeTime);
    if (pools.count === FIRST_POOL || (!all && changed.pools.size === 0)) return;
    this.#takeTrades(closeTime);
    this.#setSums(closeTime);
  }

  /** Reads every pool, those that are gone among them. */
  *#readAll(time: number): RowSteps {
    const { pools } = this.#state;
    this.#isIncomplete = false;
    for (let pool = FIRST_POOL; pool < pools.count; pool++) {
      if (pools.exists(pool) || this.#locked[pool]! > 0) this.#update(pool, time);
      if (pool % POOLS_PER_STEP === 0) yield POOLS_PER_STEP;
    }
  }

  #setSums(time: number): void {
    for (const key of [XRP_POOLS, TOKEN_POOLS])
      for (const buckets of [this.hours, this.days]) {
        const xrp = this.#sumXrp[key]! / DROPS_PER_XRP;
        buckets.set(key, time, xrp, this.#count[key]!, this.#sumLocked[key]!);
      }
  }

  #update(pool: number, time: number): void {
    const { pools, tokens } = this.#state;
    const exists = pools.exists(pool);
    const [one, two] = [pools.asset1(pool), pools.asset2(pool)];
    const held1 = exists ? tokens.number(one, ...pools.reserveRaw(pool, 1)) : 0;
    const held2 = exists ? tokens.number(two, ...pools.reserveRaw(pool, 2)) : 0;
    const locked = exists ? this.#market.totals.lockedDrops(pool) : 0;
    for (const buckets of [this.hours, this.days]) buckets.set(poolKey(pool), time, held1, held2, locked);
    this.#addToSums(pool, held1, held2, locked);
  }

  #addToSums(pool: number, held1: number, held2: number, locked: number): void {
    this.#locked = growTo(this.#locked, pool + 1);
    this.#xrp = growTo(this.#xrp, pool + 1);
    const { pools } = this.#state;
    const held = pools.asset1(pool) === XRP ? held1 : pools.asset2(pool) === XRP ? held2 : undefined;
    const key = held === undefined ? TOKEN_POOLS : XRP_POOLS;
    const xrp = Math.round((held ?? 0) * DROPS_PER_XRP);
    this.#count[key]! += (locked > 0 ? 1 : 0) - (this.#locked[pool]! > 0 ? 1 : 0);
    this.#sumLocked[key]! += locked - this.#locked[pool]!;
    this.#sumXrp[key]! += xrp - this.#xrp[pool]!;
    this.#locked[pool] = locked;
    this.#xrp[pool] = xrp;
  }

  #takeTrades(time: number): void {
    const { trades, tradeCount } = this.#market;
    if (tradeCount === 0) return;
    const { pools } = this.#state;
    const reader = this.#reader;
    reader.load(trades);
    for (let i = 0; i < tradeCount; i++) {
      const { pool, isAMM, isLiquidity, valueDrops } = reader.at(i);
      if (pool === undefined || !isAMM || isLiquidity) continue;
      const fees = (valueDrops * pools.fee(pool)) / FEE_UNITS;
      const all = pools.asset1(pool) === XRP || pools.asset2(pool) === XRP ? XRP_POOLS : TOKEN_POOLS;
      for (const buckets of [this.hours, this.days])
        for (const key of [poolKey(pool), all]) buckets.trade(key, time, valueDrops, fees);
    }
  }

  /** What changed in between was not seen: at the next ledger every pool is read again. */
  gap(): void {
    this.#isIncomplete = true;
  }

  /** Every pool gets its rows of the snapshot's ledger. */
  *snapshotTaken(closeTime: number): RowSteps {
    yield* this.#readAll(closeTime);
    if (this.#state.pools.count > FIRST_POOL) this.#setSums(closeTime);
  }

  persist(batch: Batch, openedAt: number): void {
    persistTables(batch, this.tables, openedAt);
  }

  *restoring(): RowSteps {
    yield* this.rebuilding();
  }

  *rebuilding(): RowSteps {
    yield* this.hours.rebuilding();
    yield* this.days.rebuilding();
    for (const sums of [this.#locked, this.#xrp, this.#sumLocked, this.#sumXrp, this.#count]) sums.fill(0);
    const { pools } = this.#state;
    const { held1, held2, locked } = this.days;
    for (let pool = FIRST_POOL; pool < pools.count; pool++)
      this.days.walkBack(poolKey(pool), (row) => {
        this.#addToSums(pool, held1[row]!, held2[row]!, locked[row]!);
        return false;
      });
  }

  /** Its tables are left out, since stores of earlier versions lack them; what they are made of is in the other domains. */
  digest(): string {
    const digest = new Digest();
    for (const table of this.tables) digest.table(table);
    return digest.text;
  }
}
