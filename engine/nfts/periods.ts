/**
 * What happened to NFTs, by hour and by day (UTC, of close times): of all, and of each platform.
 *
 *     key: period 4 | slot 4        slot 0: all; slot n + 1: events of platform n (market/platforms.ts; 0: of none that is known)
 *
 * There are rows only for periods and platforms that have events. Amounts are of XRP; sales for other assets count as sales.
 * Cost: 76 bytes a row and 6 of the index; a year on five platforms has some 2,000 rows of days and 50,000 of hours.
 */
import type { RowSteps } from '../event-loop.ts';
import { KeyedRows } from './keyed-rows.ts';

const KEY_BYTES = 8;
/** Platforms have small numbers: slots beyond are looked up each time. */
const SLOTS = 64;

/** Whole numbers that add up; those of XRP in drops. */
export interface NftPeriodColumns {
  readonly sales: Uint32Array;
  /** Those for XRP. */
  readonly xrpSales: Uint32Array;
  readonly mints: Uint32Array;
  readonly burns: Uint32Array;
  readonly transfers: Uint32Array;
  readonly sellOffers: Uint32Array;
  readonly buyOffers: Uint32Array;
  /** Offers of either side that ended untaken. */
  readonly cancelled: Uint32Array;
  readonly volume: Float64Array;
  readonly royalties: Float64Array;
  readonly brokerFees: Float64Array;
}
export type NftCount = keyof NftPeriodColumns;

export class NftPeriods extends KeyedRows implements NftPeriodColumns {
  /** Seconds of a period. */
  readonly seconds: number;
  readonly sales = this.table.u32('sales');
  readonly xrpSales = this.table.u32('xrpSales');
  readonly mints = this.table.u32('mints');
  readonly burns = this.table.u32('burns');
  readonly transfers = this.table.u32('transfers');
  readonly sellOffers = this.table.u32('sellOffers');
  readonly buyOffers = this.table.u32('buyOffers');
  readonly cancelled = this.table.u32('cancelled');
  readonly volume = this.table.f64('volume');
  readonly royalties = this.table.f64('royalties');
  readonly brokerFees = this.table.f64('brokerFees');
  /** Distinct accounts that bought and that sold, and collections sold of. Kept of all, not of platforms. */
  readonly buyers = this.table.u32('buyers');
  readonly sellers = this.table.u32('sellers');
  readonly collections = this.table.u32('collections');
  readonly #key = new Uint8Array(KEY_BYTES);
  readonly #view = new DataView(this.#key.buffer);
  /** Rows of the period that is counted in, by slot; 0: not looked up yet. */
  readonly #rows = new Uint32Array(SLOTS);
  #period = -1;

  /** @param capacity rows */
  constructor(id: number, name: string, capacity: number, seconds: number) {
    super(id, name, capacity, KEY_BYTES);
    this.seconds = seconds;
  }

  /** Number of the period of a close time. */
  of(time: number): number {
    return Math.floor(time / this.seconds);
  }

  /** Row of a period; 0: it has no events. @param platform undefined: of all */
  row(period: number, platform: number | undefined): number {
    this.#put(period, platform);
    return this.find(this.#key, 0);
  }

  /** The same, for what is counted now. @throws TableFullError */
  rowFor(period: number, platform: number | undefined): number {
    if (period !== this.#period) {
      this.#rows.fill(0);
      this.#period = period;
    }
    const slot = platform === undefined ? 0 : platform + 1;
    const known = this.#rows[slot]!;
    if (known !== 0) return known;
    this.#put(period, platform);
    const row = this.intern(this.#key, 0);
    this.#rows[slot] = row;
    return row;
  }

  override rebuilding(): RowSteps {
    this.#period = -1;
    return super.rebuilding();
  }

  /** Number of the period of a row. */
  periodOf(row: number): number {
    return this.#word(row, 0);
  }

  /** Platform of a row; undefined: it is of all. */
  platformOf(row: number): number | undefined {
    const slot = this.#word(row, 4);
    return slot === 0 ? undefined : slot - 1;
  }

  /** Before all events are counted again. */
  clear(): void {
    for (const counts of [this.sales, this.xrpSales, this.mints, this.burns, this.transfers, this.cancelled])
      counts.fill(0, 0, this.count);
    for (const counts of [this.sellOffers, this.buyOffers, this.buyers, this.sellers, this.collections])
      counts.fill(0, 0, this.count);
    for (const sums of [this.volume, this.royalties, this.brokerFees]) sums.fill(0, 0, this.count);
  }

  #put(period: number, platform: number | undefined): void {
    this.#view.setUint32(0, period, true);
    this.#view.setUint32(4, platform === undefined ? 0 : platform + 1, true);
  }

  #word(row: number, at: number): number {
    const key = this.key(row);
    return key[at]! | (key[at + 1]! << 8) | (key[at + 2]! << 16) | ((key[at + 3]! << 24) >>> 0);
  }
}
