/**
 * The market by day (UTC, of close times): one row for each day since the first ledger, and one for each day and platform;
 * and the same by hour, for windows of 24 hours. Rows of days without ledgers are zero. A trade of two tokens counts once.
 * Fees are what pools kept of trades, at the pool's fee: an upper bound, as the holder of its auction slot pays a tenth.
 */
import { TradeType } from '../market/trade-record.ts';
import { DAY, HOUR } from '../ripple-time.ts';
import { Table } from '../state/table.ts';
import { TableId } from '../table-ids.ts';
import { TraderScalar, type TraderScalars } from './scalars.ts';

/** Rows of a day in the table of platforms (market/platforms.ts has 20): number 0 is of no platform. */
const PLATFORMS_A_DAY = 64;

/** Why marketcap and tokens are not digested. */
const SINCE_OPENED = 'stores of earlier versions know them only since this version opened them';
const FEE_OF_NOW = 'for trades before this version opened the store, the fee is the one of that moment';

/** XRP, and number of listed tokens. */
export interface MarketValue {
  readonly marketcap: number;
  readonly unfilteredMarketcap: number;
  readonly listed: number;
}

export interface DayTrade {
  readonly time: number;
  readonly drops: number;
  readonly isPool: boolean;
  readonly platform: number;
  readonly feeDrops: number;
}

export class MarketDays {
  readonly table: Table;
  readonly poolDrops: Float64Array;
  readonly bookDrops: Float64Array;
  readonly poolTrades: Uint32Array;
  readonly bookTrades: Uint32Array;
  /** Distinct accounts; pools are none. */
  readonly poolTraders: Uint32Array;
  readonly bookTraders: Uint32Array;
  readonly traders: Uint32Array;
  readonly deposits: Uint32Array;
  readonly withdrawals: Uint32Array;
  readonly creates: Uint32Array;
  /** XRP legs. */
  readonly depositDrops: Float64Array;
  readonly withdrawDrops: Float64Array;
  readonly createDrops: Float64Array;
  readonly feeDrops: Float64Array;
  /** XRP and number of listed tokens, after the day's last ledger; 0: not known. */
  readonly marketcap: Float64Array;
  /** Of all listed tokens, XRP. */
  readonly unfiltered: Float64Array;
  readonly tokens: Uint32Array;
  readonly platforms: Table;
  readonly platformDrops: Float64Array;
  readonly platformTrades: Uint32Array;
  readonly platformFees: Float64Array;
  readonly #seconds: number;
  readonly #first: number;
  readonly #scalars: TraderScalars;

  private constructor(
    table: Table,
    platforms: Table,
    seconds: number,
    first: number,
    scalars: TraderScalars,
  ) {
    this.table = table;
    this.#seconds = seconds;
    this.#first = first;
    this.poolDrops = table.f64('poolDrops');
    this.bookDrops = table.f64('bookDrops');
    this.poolTrades = table.u32('poolTrades');
    this.bookTrades = table.u32('bookTrades');
    this.poolTraders = table.u32('poolTraders');
    this.bookTraders = table.u32('bookTraders');
    this.traders = table.u32('traders');
    this.deposits = table.u32('deposits');
    this.withdrawals = table.u32('withdrawals');
    this.creates = table.u32('creates');
    this.depositDrops = table.f64('depositDrops');
    this.withdrawDrops = table.f64('withdrawDrops');
    this.createDrops = table.f64('createDrops');
    this.feeDrops = table.f64('feeDrops');
    this.marketcap = table.f64('marketcap');
    this.unfiltered = table.f64('unfiltered');
    this.tokens = table.u32('tokens');
    this.platforms = platforms;
    this.platformDrops = platforms.f64('drops');
    this.platformTrades = platforms.u32('trades');
    this.platformFees = platforms.f64('fees');
    this.#scalars = scalars;
    table.excludeFromDigest('marketcap', SINCE_OPENED);
    table.excludeFromDigest('unfiltered', SINCE_OPENED);
    table.excludeFromDigest('tokens', SINCE_OPENED);
    table.excludeFromDigest('feeDrops', FEE_OF_NOW);
    platforms.excludeFromDigest('fees', FEE_OF_NOW);
  }

  /** @param capacity days */
  static days(capacity: number, scalars: TraderScalars): MarketDays {
    const table = new Table(TableId.marketDays, 'days of the market', capacity);
    const platforms = new Table(TableId.platformDays, 'days of platforms', capacity * PLATFORMS_A_DAY);
    return new MarketDays(table, platforms, DAY, TraderScalar.firstDay, scalars);
  }

  /** By hour. @param capacity hours */
  static hours(capacity: number, scalars: TraderScalars): MarketDays {
    const table = new Table(TableId.marketHours, 'hours of the market', capacity);
    const platforms = new Table(TableId.platformHours, 'hours of platforms', capacity * PLATFORMS_A_DAY);
    return new MarketDays(table, platforms, HOUR, TraderScalar.firstHour, scalars);
  }

  /** Day (hour) of row 1, as close time / length; 0: there is none. */
  get first(): number {
    return this.#scalars.get(this.#first);
  }

  /** Row of the day (hour) of a time; 0: before the first. */
  row(time: number): number {
    return Math.max(0, Math.floor(time / this.#seconds) - this.first + 1);
  }

  /** Close time at which the day (hour) of a row begins. */
  timeOf(row: number): number {
    return (this.first + row - 1) * this.#seconds;
  }

  /** Row of a day's platform, by its number. */
  platformRow(row: number, platform: number): number {
    return row * PLATFORMS_A_DAY + platform;
  }

  /** Makes the rows up to the day of a ledger. @throws TableFullError */
  begin(time: number): void {
    if (this.first === 0) this.#scalars.set(this.#first, Math.floor(time / this.#seconds));
    const row = this.row(time);
    this.#reserve(this.table, row + 1);
    this.#reserve(this.platforms, this.platformRow(row + 1, 0));
  }

  /** What the market is worth after a ledger. */
  value(time: number, { marketcap, unfilteredMarketcap, listed }: MarketValue): void {
    const row = this.row(time);
    if (this.marketcap[row] === marketcap && this.unfiltered[row] === unfilteredMarketcap)
      if (this.tokens[row] === listed) return;
    this.marketcap[row] = marketcap;
    this.unfiltered[row] = unfilteredMarketcap;
    this.tokens[row] = listed;
    this.table.markDirty(row);
  }

  trade({ time, drops, isPool, platform, feeDrops }: DayTrade): void {
    const row = this.row(time);
    (isPool ? this.poolDrops : this.bookDrops)[row]! += drops;
    (isPool ? this.poolTrades : this.bookTrades)[row]!++;
    this.feeDrops[row]! += feeDrops;
    this.table.markDirty(row);
    const at = this.platformRow(row, platform);
    this.platformDrops[at]! += drops;
    this.platformTrades[at]!++;
    this.platformFees[at]! += feeDrops;
    this.platforms.markDirty(at);
  }

  /** An account's first trade of the day in pools (on books), and its first of all. */
  trader(time: number, isPool: boolean, isFirst: boolean): void {
    const row = this.row(time);
    (isPool ? this.poolTraders : this.bookTraders)[row]!++;
    if (isFirst) this.traders[row]!++;
    this.table.markDirty(row);
  }

  liquidity(time: number, type: TradeType, drops: number): void {
    const row = this.row(time);
    const [counts, sums] =
      type === TradeType.withdraw
        ? [this.withdrawals, this.withdrawDrops]
        : type === TradeType.create
          ? [this.creates, this.createDrops]
          : [this.deposits, this.depositDrops];
    counts[row]!++;
    sums[row]! += drops;
    this.table.markDirty(row);
  }

  #reserve(table: Table, rows: number): void {
    if (rows <= table.count) return;
    table.reserve(rows);
    table.count = rows;
    table.markDirty(0);
    table.markDirty(rows - 1);
  }
}
