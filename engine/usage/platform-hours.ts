/**
 * What came through each platform in each of the last 720 hours (of close time): a row for an hour and a platform, at a
 * place that follows from both. Platform 0 is everything else: transactions without the SourceTag of a named one.
 *
 *     slot = hour mod 720 + 1      row = slot * 64 + platform      a row whose hour is another is an old one: zero
 *
 * Cost: 2.5 MB in all; a transaction changes one row.
 */
import { HOURS_KEPT } from '../market/accounts-by-hour.ts';
import { HOUR } from '../ripple-time.ts';
import { Table } from '../state/table.ts';
import { TableId } from '../table-ids.ts';
import type { Side } from './sides.ts';

/** 30 days. */
export const USAGE_HOURS = HOURS_KEPT;
/** Rows of an hour; market/platforms.ts names 20. */
const PLATFORMS_AN_HOUR = 64;

/** Sums over some hours. */
export interface UsageSums {
  transactions: number;
  trades: number;
  /** Of all trades; trades of two tokens are neither bought nor sold. */
  drops: number;
  boughtDrops: number;
  soldDrops: number;
}

export class PlatformHours {
  readonly table: Table;
  readonly #hour: Uint32Array;
  readonly #transactions: Uint32Array;
  readonly #accounts: Uint32Array;
  readonly #trades: Uint32Array;
  readonly #traders: Uint32Array;
  readonly #drops: Float64Array;
  readonly #boughtDrops: Float64Array;
  readonly #soldDrops: Float64Array;

  constructor() {
    const table = new Table(
      TableId.platformUsage,
      'usage of platforms',
      (USAGE_HOURS + 1) * PLATFORMS_AN_HOUR,
    );
    this.table = table;
    this.#hour = table.u32('hour');
    this.#transactions = table.u32('transactions');
    this.#accounts = table.u32('accounts');
    this.#trades = table.u32('trades');
    this.#traders = table.u32('traders');
    this.#drops = table.f64('drops');
    this.#boughtDrops = table.f64('boughtDrops');
    this.#soldDrops = table.f64('soldDrops');
  }

  /** Makes room for all rows; before the first ledger. */
  begin(): void {
    this.table.reserve(this.table.capacity);
  }

  /** @param isFirst it is its account's first one through the platform in this hour */
  transaction(platform: number, time: number, isFirst: boolean): void {
    const row = this.#open(platform, time);
    this.#transactions[row]!++;
    if (isFirst) this.#accounts[row]!++;
  }

  /** @param isFirst it is its account's first one through the platform in this hour */
  trade(platform: number, time: number, side: Side, drops: number, isFirst: boolean): void {
    const row = this.#open(platform, time);
    this.#trades[row]!++;
    if (isFirst) this.#traders[row]!++;
    this.#drops[row]! += drops;
    if (side === 'bought') this.#boughtDrops[row]! += drops;
    else if (side === 'sold') this.#soldDrops[row]! += drops;
  }

  /** Sums of a platform. @param first hour (close time / 3600) of the window, @param last included */
  sums(platform: number, first: number, last: number): UsageSums {
    const sums: UsageSums = { transactions: 0, trades: 0, drops: 0, boughtDrops: 0, soldDrops: 0 };
    for (let hour = first; hour <= last; hour++) {
      const row = this.#rowOf(platform, hour);
      if (this.#hour[row] !== hour) continue;
      sums.transactions += this.#transactions[row]!;
      sums.trades += this.#trades[row]!;
      sums.drops += this.#drops[row]!;
      sums.boughtDrops += this.#boughtDrops[row]!;
      sums.soldDrops += this.#soldDrops[row]!;
    }
    return sums;
  }

  /** Transactions through any platform and none. @param last hour, included */
  transactions(first: number, last: number): number {
    let sum = 0;
    for (let platform = 0; platform < PLATFORMS_AN_HOUR; platform++)
      sum += this.sums(platform, first, last).transactions;
    return sum;
  }

  /** Distinct accounts of one hour: those that signed, and those of them that traded. Not kept for platform 0. */
  distinct(platform: number, hour: number): { accounts: number; traders: number } {
    const row = this.#rowOf(platform, hour);
    if (this.#hour[row] !== hour) return { accounts: 0, traders: 0 };
    return { accounts: this.#accounts[row]!, traders: this.#traders[row]! };
  }

  #rowOf(platform: number, hour: number): number {
    return ((hour % USAGE_HOURS) + 1) * PLATFORMS_AN_HOUR + platform;
  }

  /** The row of the hour of `time`, zeroed where it was of an earlier one, and marked as changed. */
  #open(platform: number, time: number): number {
    const hour = Math.floor(time / HOUR);
    const row = this.#rowOf(platform, hour);
    this.table.markDirty(row);
    if (this.#hour[row] === hour) return row;
    this.#hour[row] = hour;
    for (const column of [this.#transactions, this.#accounts, this.#trades, this.#traders]) column[row] = 0;
    for (const column of [this.#drops, this.#boughtDrops, this.#soldDrops]) column[row] = 0;
    return row;
  }
}
