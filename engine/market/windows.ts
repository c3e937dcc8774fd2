/**
 * Rolling windows of every token, exact to the second for 5 minutes, 1, 6 and 24 hours, in whole hours for 7 and 30
 * days (hours.ts). A window of length W of a ledger that closed at T holds the trades with close time > T - W.
 *
 *       tail24h          tail6h      tail1h  tail5m    head
 *     ----+----------------+-----------+-------+---------+----->  ticks, in order
 *         [ 24 h: sums, parties, extremes                ]
 *                          [ 6 h: sums                   ]
 *
 * Each tick enters all windows at once and leaves each when the tail of that window passes it; its price then is
 * the last one before the window. (A liquidity event counts in no volume, but may have set a price: prices.ts.) The ticks
 * and, for each token, the last price that left 24 hours are persisted; everything else follows from them (`rebuild`) and
 * equals the figures of a run without restart.
 *
 * The change of a price over a window, in percent, is (price now / price before the window - 1) * 100; where there was no price
 * before it, the first price that ever was stands for that.
 *
 * Rows of the sums: token id + 1. XRP's takes every trade with an XRP leg; row 0 takes every trade once.
 *
 * Cost: about twenty additions to typed arrays a tick, twice in its life. No objects.
 */

import { DROPS_PER_XRP } from '../codec/amount.ts';
import { ROWS_A_STEP, type RowSteps } from '../event-loop.ts';
import type { Columns } from './columns.ts';
import { Extremes } from './extremes.ts';
import { hasLeft, WINDOW_SECONDS, Window, type WindowFigures } from './figures.ts';
import { Hours } from './hours.ts';
import type { MarketLimits } from './limits.ts';
import { type Meta, Scalar } from './meta.ts';
import type { Prices } from './prices.ts';
import { DaySums, VolumeSums } from './sums.ts';
import { TickFlag, Ticks } from './ticks.ts';

const SHORT_WINDOWS = [Window.m5, Window.h1, Window.h6, Window.h24] as const;
/** Row of the sums over all trades, and of XRP's. */
const ALL_ROW = 0;
const XRP_ROW = 1;
const LIQUIDITY = TickFlag.deposit | TickFlag.withdraw;

export class Windows implements WindowFigures {
  readonly ticks: Ticks;
  readonly hours: Hours;
  /** In place of a token id: all trades, each counted once. */
  readonly all = -1;
  readonly #volumes: VolumeSums[];
  readonly #day: DaySums;
  readonly #extremes: Extremes;
  /** Last price that left 5 m, 1 h, 6 h; that of 24 h is in the prices table. */
  readonly #before: Float64Array[];
  readonly #tails = new Float64Array(SHORT_WINDOWS.length);
  readonly #meta: Meta;
  readonly #prices: Prices;
  /** Called with each token whose figures change because trades age out. */
  readonly #onAged: (token: number) => void;

  constructor(
    limits: MarketLimits,
    columns: Columns,
    meta: Meta,
    prices: Prices,
    onAged: (token: number) => void,
  ) {
    this.#meta = meta;
    this.#prices = prices;
    this.#onAged = onAged;
    this.ticks = new Ticks(limits.ticks, meta);
    this.hours = new Hours(limits.hours, columns, meta, prices);
    this.#volumes = SHORT_WINDOWS.map(() => new VolumeSums(columns));
    this.#day = new DaySums(columns, this.ticks);
    this.#extremes = new Extremes(columns, this.ticks.table, this.ticks.price);
    this.#before = [...SHORT_WINDOWS.slice(0, 3).map(() => columns.f64()), prices.before24h];
  }

  /** Moves the windows to a ledger that closed at `time`; before its trades are added. */
  age(time: number): void {
    const { ticks } = this;
    const head = ticks.head;
    for (const window of SHORT_WINDOWS) {
      const seconds = WINDOW_SECONDS[window]!;
      let tail = this.#tails[window]!;
      while (tail < head && hasLeft(ticks.time[tail % ticks.capacity]!, time, seconds)) {
        this.#leave(window, tail % ticks.capacity, true);
        tail++;
        if (window === Window.h24) ticks.drop(false);
      }
      this.#tails[window] = tail;
    }
    this.hours.age(time, this.#onAged);
  }

  /** Makes room for one more tick and returns its row; the caller fills it and calls `enter`. */
  append(): number {
    if (this.ticks.isFull) this.#dropOldest();
    return this.ticks.append();
  }

  /** A filled tick enters every window. */
  enter(row: number): void {
    this.#enterShort(row);
    const flags = this.ticks.flags[row]!;
    const time = this.ticks.time[row]!;
    const price = this.ticks.price[row]!;
    const token = this.ticks.token[row]! + 1;
    if (flags & LIQUIDITY) {
      if (price > 0) this.hours.quote(token, time, price);
      return;
    }
    const drops = this.ticks.drops[row]!;
    this.hours.add(token, time, drops, price);
    if (flags & TickFlag.second) return;
    if (flags & TickFlag.xrpLeg) this.hours.add(XRP_ROW, time, drops, 0);
    this.hours.add(ALL_ROW, time, drops, 0);
  }

  /** Recomputes everything that is not in the tables. */
  *rebuilding(): RowSteps {
    const { ticks } = this;
    const prices = this.#prices;
    const { end } = prices;
    for (const sums of this.#volumes) sums.clear();
    this.#day.clear();
    this.#extremes.clear();
    const stored = prices.before24h.subarray(0, end);
    for (const window of [Window.m5, Window.h1, Window.h6]) this.#before[window]!.set(stored);
    const { tail, head } = ticks;
    this.#tails.fill(tail);
    for (let sequence = tail; sequence < head; sequence++) {
      this.#enterShort(sequence % ticks.capacity);
      if (sequence % ROWS_A_STEP === 0) yield 0;
    }
    const time = this.#meta.get(Scalar.closeTime);
    for (const window of [Window.m5, Window.h1, Window.h6]) {
      const seconds = WINDOW_SECONDS[window]!;
      let at = tail;
      for (; at < head && hasLeft(ticks.time[at % ticks.capacity]!, time, seconds); at++)
        this.#leave(window, at % ticks.capacity, false);
      this.#tails[window] = at;
    }
    this.hours.rebuild(time);
  }

  #enterShort(row: number): void {
    const { ticks } = this;
    const day = this.#day;
    const flags = ticks.flags[row]!;
    const token = ticks.token[row]!;
    const bought = (flags & TickFlag.bought) !== 0;
    const once = (flags & TickFlag.second) === 0;
    const withXrp = once && (flags & TickFlag.xrpLeg) !== 0;
    day.enter(row, token + 1, bought);
    if (withXrp) day.enter(row, XRP_ROW, !bought);
    if (once) day.enter(row, ALL_ROW, bought);
    if (ticks.price[row]! > 0) this.#extremes.push(token, row);
    if (flags & LIQUIDITY) return;
    const drops = ticks.drops[row]!;
    for (const sums of this.#volumes) {
      sums.add(token + 1, drops);
      if (withXrp) sums.add(XRP_ROW, drops);
      if (once) sums.add(ALL_ROW, drops);
    }
    day.tokenVolume.add(token + 1, ticks.amount[row]!, 1);
    day.enterParties(row, token + 1, bought);
    if (withXrp) day.enterParties(row, XRP_ROW, !bought);
    day.enterParties(row, ALL_ROW, bought);
  }

  #leave(window: number, row: number, report: boolean): void {
    const { ticks } = this;
    const flags = ticks.flags[row]!;
    const token = ticks.token[row]!;
    if (window === Window.h24) this.#leaveDay(row, flags, token);
    if (report) this.#onAged(token);
    if ((flags & LIQUIDITY) === 0) {
      const sums = this.#volumes[window]!;
      const drops = ticks.drops[row]!;
      sums.remove(token + 1, drops);
      if ((flags & TickFlag.second) === 0) {
        if (flags & TickFlag.xrpLeg) sums.remove(XRP_ROW, drops);
        sums.remove(ALL_ROW, drops);
      }
    }
    const price = ticks.price[row]!;
    if (price === 0) return;
    this.#before[window]![token] = price;
    if (window === Window.h24) this.#prices.markDirty(token);
  }

  #leaveDay(row: number, flags: number, token: number): void {
    const { ticks } = this;
    const day = this.#day;
    const bought = (flags & TickFlag.bought) !== 0;
    const once = (flags & TickFlag.second) === 0;
    const withXrp = once && (flags & TickFlag.xrpLeg) !== 0;
    day.leave(row, token + 1, bought);
    if (withXrp) day.leave(row, XRP_ROW, !bought);
    if (once) day.leave(row, ALL_ROW, bought);
    if (ticks.price[row]! > 0) this.#extremes.leave(token, row);
    if (flags & LIQUIDITY) return;
    day.tokenVolume.add(token + 1, ticks.amount[row]!, -1);
    day.leaveParties(row, token + 1, bought);
    if (withXrp) day.leaveParties(row, XRP_ROW, !bought);
    day.leaveParties(row, ALL_ROW, bought);
  }

  /** The ring is full: its oldest tick leaves every window it is still in. */
  #dropOldest(): void {
    const { ticks } = this;
    const { tail } = ticks;
    for (const window of SHORT_WINDOWS) {
      if (this.#tails[window] !== tail) continue;
      this.#leave(window, tail % ticks.capacity, true);
      this.#tails[window] = tail + 1;
    }
    ticks.drop(true);
  }

  volumeDrops(token: number, window: Window): number {
    return this.#sumsOf(window).drops[token + 1] ?? 0;
  }

  trades(token: number, window: Window): number {
    return this.#sumsOf(window).trades[token + 1] ?? 0;
  }

  /** Tokens that traded in the last 24 hours. */
  get tradedTokens(): number {
    const { trades, traded } = this.#volumes[Window.h24]!;
    return traded - (trades[ALL_ROW]! > 0 ? 1 : 0) - (trades[XRP_ROW]! > 0 ? 1 : 0);
  }

  #sumsOf(window: Window): VolumeSums {
    if (window === Window.d7) return this.hours.week;
    if (window === Window.d30) return this.hours.month;
    return this.#volumes[window]!;
  }

  basePrice(token: number, window: Window): number | undefined {
    const before =
      window === Window.d7
        ? this.hours.before7d[token + 1]
        : window === Window.d30
          ? this.#prices.before30d[token]
          : this.#before[window]![token];
    return before || this.#prices.first[token] || undefined;
  }

  change(token: number, window: Window): number | undefined {
    const base = this.basePrice(token, window);
    const price = this.#prices.last[token];
    return base === undefined || !price ? undefined : (price / base - 1) * 100;
  }

  buyDrops(token: number): number {
    return this.#day.buys.drops[token + 1] ?? 0;
  }
  sellDrops(token: number): number {
    return this.#day.sells.drops[token + 1] ?? 0;
  }
  buys(token: number): number {
    return this.#day.buys.trades[token + 1] ?? 0;
  }
  sells(token: number): number {
    return this.#day.sells.trades[token + 1] ?? 0;
  }
  ammDrops(token: number): number {
    return this.#day.amm.drops[token + 1] ?? 0;
  }
  bookDrops(token: number): number {
    return this.#day.book.drops[token + 1] ?? 0;
  }
  tokenVolume(token: number): number {
    return token === 0
      ? this.volumeDrops(0, Window.h24) / DROPS_PER_XRP
      : this.#day.tokenVolume.value(token + 1);
  }
  uniqueTraders(token: number): number {
    return this.#day.traders.traders(token + 1);
  }
  uniqueBuyers(token: number): number {
    return this.#day.traders.buyers(token + 1);
  }
  uniqueSellers(token: number): number {
    return this.#day.traders.sellers(token + 1);
  }
  depositDrops(token: number): number {
    return this.#day.deposits.drops[token + 1] ?? 0;
  }
  withdrawDrops(token: number): number {
    return this.#day.withdrawals.drops[token + 1] ?? 0;
  }
  deposits(token: number): number {
    return this.#day.deposits.trades[token + 1] ?? 0;
  }
  withdrawals(token: number): number {
    return this.#day.withdrawals.trades[token + 1] ?? 0;
  }
  max(token: number): number | undefined {
    return this.#extremes.max(token);
  }
  min(token: number): number | undefined {
    return this.#extremes.min(token);
  }
}
