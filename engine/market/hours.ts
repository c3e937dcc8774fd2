/**
 * The windows of 7 and 30 days, in whole hours: one row for each token and hour in which it traded, in a ring. A
 * window is the current hour and the 167 (719) before it. A whole hour leaves the window when a ledger closes in a later
 * one; its last price then becomes the price before the window.
 *
 * Rows of sums are named as in windows.ts: token id + 1, and 0 for all trades.
 *
 * When the ring is full the oldest row leaves both windows early (counted), as with ticks.
 */
import { HOUR } from '../ripple-time.ts';
import { Table } from '../state/table.ts';
import { TableId } from '../table-ids.ts';
import type { Columns } from './columns.ts';
import { type Meta, Scalar } from './meta.ts';
import type { Prices } from './prices.ts';
import { VolumeSums } from './sums.ts';

const HOURS_7D = 168;
const HOURS_30D = 720;

export class Hours {
  readonly table: Table;
  readonly week: VolumeSums;
  readonly month: VolumeSums;
  /** Last price that left 7 days, 0 = none. */
  readonly before7d: Float64Array;
  /** Row of the sums: token id + 1, 0 = all trades. */
  readonly #token: Uint32Array;
  readonly #hour: Uint32Array;
  readonly #drops: Float64Array;
  readonly #trades: Uint32Array;
  readonly #close: Float64Array;
  /** Sequence + 1 of a token's latest row, 0 = none. */
  readonly #current: Float64Array;
  readonly #meta: Meta;
  readonly #prices: Prices;
  #weekTail = 0;

  constructor(capacity: number, columns: Columns, meta: Meta, prices: Prices) {
    const table = new Table(TableId.hours, 'hours', capacity);
    this.table = table;
    this.#token = table.u32('token');
    this.#hour = table.u32('hour');
    this.#drops = table.f64('drops');
    this.#close = table.f64('close');
    this.#trades = table.u32('trades');
    this.week = new VolumeSums(columns);
    this.month = new VolumeSums(columns);
    this.before7d = columns.f64();
    this.#current = columns.f64();
    this.#meta = meta;
    this.#prices = prices;
  }

  /** A trade of a token in a ledger that closed at `time`; `price` 0 when it set none. */
  add(token: number, time: number, drops: number, price: number): void {
    const row = this.#row(token, time);
    this.#drops[row]! += drops;
    this.#trades[row]!++;
    if (price > 0) this.#close[row] = price;
    this.table.markDirty(row);
    this.week.add(token, drops);
    this.month.add(token, drops);
  }

  /** A price that no trade set. */
  quote(token: number, time: number, price: number): void {
    const row = this.#row(token, time);
    this.#close[row] = price;
    this.table.markDirty(row);
  }

  /** The row of the token's hour. */
  #row(token: number, time: number): number {
    const hour = Math.floor(time / HOUR);
    const { capacity } = this.table;
    const sequence = this.#current[token]! - 1;
    const isCurrent = sequence >= this.#meta.get(Scalar.hourTail) && this.#hour[sequence % capacity] === hour;
    return (isCurrent ? sequence : this.#open(token, hour)) % capacity;
  }

  /** Removes hours older than the windows of a ledger that closed at `time`. `visit` receives their tokens. */
  age(time: number, visit: (token: number) => void): void {
    const hour = Math.floor(time / HOUR);
    const { capacity } = this.table;
    const head = this.#meta.get(Scalar.hourHead);
    while (this.#weekTail < head && this.#hour[this.#weekTail % capacity]! <= hour - HOURS_7D) {
      visit(this.#token[this.#weekTail % capacity]! - 1);
      this.#leaveWeek();
    }
    for (let tail = this.#meta.get(Scalar.hourTail); tail < head; tail++) {
      if (this.#hour[tail % capacity]! > hour - HOURS_30D) break;
      visit(this.#token[tail % capacity]! - 1);
      this.#leaveMonth(tail);
    }
  }

  /** Recomputes everything that is not in the table. */
  rebuild(time: number): void {
    this.week.clear();
    this.month.clear();
    this.#current.fill(0);
    // Rows of the sums are one past the token's id.
    this.before7d.fill(0);
    this.before7d.set(this.#prices.before30d.subarray(0, this.#prices.end), 1);
    const { capacity } = this.table;
    const tail = this.#meta.get(Scalar.hourTail);
    const head = this.#meta.get(Scalar.hourHead);
    const oldest = Math.floor(time / HOUR) - HOURS_7D;
    this.#weekTail = head;
    for (let sequence = tail; sequence < head; sequence++) {
      const row = sequence % capacity;
      const token = this.#token[row]!;
      this.#current[token] = sequence + 1;
      this.month.add(token, this.#drops[row]!, this.#trades[row]!);
      if (this.#hour[row]! > oldest) {
        if (this.#weekTail === head) this.#weekTail = sequence;
        this.week.add(token, this.#drops[row]!, this.#trades[row]!);
      } else if (this.#close[row]! > 0) this.before7d[token] = this.#close[row]!;
    }
  }

  #open(token: number, hour: number): number {
    const { capacity } = this.table;
    const head = this.#meta.get(Scalar.hourHead);
    const tail = this.#meta.get(Scalar.hourTail);
    if (head - tail >= capacity) {
      if (this.#weekTail === tail) this.#leaveWeek();
      this.#leaveMonth(tail);
      this.#meta.set(Scalar.hoursLeftEarly, this.#meta.get(Scalar.hoursLeftEarly) + 1);
    }
    const row = head % capacity;
    this.table.reserve(row + 1);
    this.#token[row] = token;
    this.#hour[row] = hour;
    this.#drops[row] = 0;
    this.#trades[row] = 0;
    this.#close[row] = 0;
    this.#meta.set(Scalar.hourHead, head + 1);
    this.#current[token] = head + 1;
    return head;
  }

  #leaveWeek(): void {
    const row = this.#weekTail % this.table.capacity;
    const token = this.#token[row]!;
    this.week.remove(token, this.#drops[row]!, this.#trades[row]!);
    if (this.#close[row]! > 0) this.before7d[token] = this.#close[row]!;
    this.#weekTail++;
  }

  #leaveMonth(sequence: number): void {
    const row = sequence % this.table.capacity;
    const token = this.#token[row]!;
    this.month.remove(token, this.#drops[row]!, this.#trades[row]!);
    if (this.#close[row]! > 0) {
      this.#prices.before30d[token - 1] = this.#close[row]!;
      this.#prices.markDirty(token - 1);
    }
    this.#meta.set(Scalar.hourTail, sequence + 1);
  }
}
