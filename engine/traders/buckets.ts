/**
 * What positions did in each hour (or day) of a window: one row for a position and a bucket of time in which it was
 * traded, in a ring, oldest first. The rows of one trader are linked, newest first.
 *
 *     sequence   tail ............................ head        row = sequence % capacity
 *                [ 10h: 3 positions ][ 11h: 2 ][ 12h: 4 ]
 *     trader     latest ---> previous ---> previous ...        a sequence before the tail ends the walk
 *
 * A window is the present bucket and the ones before it, so it is up to one bucket shorter than its name says. When the
 * ring is full the oldest row leaves early (counted), as with ticks. Cost: 80 bytes a row; a map of the present bucket.
 */
import { DAY, HOUR } from '../ripple-time.ts';
import { Table } from '../state/table.ts';
import type { TableDescription } from '../state/table-memory.ts';
import { TableId } from '../table-ids.ts';
import type { TraderLimits } from './limits.ts';
import { TraderScalar } from './scalars.ts';

/** Hours and days of the windows, the present ones included. */
const HOURS_KEPT = 24;
const DAYS_KEPT = 30;

/** Where a ring keeps its scalars. */
interface RingScalars {
  get(scalar: number): number;
  set(scalar: number, value: number): void;
}

interface RingOptions {
  readonly id: number;
  readonly name: string;
  readonly capacity: number;
  /** Seconds of a bucket. */
  readonly seconds: number;
  /** Buckets that are kept, the present one included. */
  readonly kept: number;
  /** Numbers of its scalars: head, tail, rows that left early. */
  readonly head: number;
  readonly tail: number;
  readonly leftEarly: number;
}

export class Buckets {
  readonly table: Table;
  readonly seconds: number;
  readonly kept: number;
  readonly positions: Uint32Array;
  /** Close time divided by `seconds`, rounded down. */
  readonly buckets: Uint32Array;
  readonly trades: Uint32Array;
  /** Trades and drops of the trader: a trade of two tokens is only with the one that was sold. */
  readonly ownTrades: Uint32Array;
  readonly ownDrops: Float64Array;
  readonly bought: Float64Array;
  readonly sold: Float64Array;
  readonly spent: Float64Array;
  readonly received: Float64Array;
  readonly realised: Float64Array;
  /** What the sums of tokens lost, as in positions.ts; of a store of an earlier version from its opening on. */
  readonly boughtRest: Float32Array;
  readonly soldRest: Float32Array;
  /** Sequence + 1 of the trader's row before it. */
  readonly previous: Float64Array;
  readonly #options: RingOptions;
  readonly #scalars: RingScalars;
  /** Row of each position in the present bucket. */
  readonly #current = new Map<number, number>();
  #currentBucket = 0;

  constructor(options: RingOptions, scalars: RingScalars, attached?: TableDescription) {
    const { id, name, capacity } = options;
    const table = attached ? Table.attach(attached) : new Table(id, name, capacity);
    this.table = table;
    this.seconds = options.seconds;
    this.kept = options.kept;
    this.positions = table.u32('positions');
    this.buckets = table.u32('buckets');
    this.trades = table.u32('trades');
    this.ownTrades = table.u32('ownTrades');
    this.ownDrops = table.f64('ownDrops');
    this.bought = table.f64('bought');
    this.sold = table.f64('sold');
    this.spent = table.f64('spent');
    this.received = table.f64('received');
    this.realised = table.f64('realised');
    this.previous = table.f64('previous');
    // Tables have no columns of 32-bit floats: their bits are stored as words.
    const f32 = (name: string) => new Float32Array(table.u32(name).buffer);
    this.boughtRest = f32('boughtRest');
    this.soldRest = f32('soldRest');
    this.#options = options;
    this.#scalars = scalars;
  }

  /** Sequence of the oldest row, and of the one that comes next. */
  get tail(): number {
    return this.#scalars.get(this.#options.tail);
  }

  get head(): number {
    return this.#scalars.get(this.#options.head);
  }

  bucketOf(time: number): number {
    return Math.floor(time / this.seconds);
  }

  /** The first bucket of a window that ends at `time`. @param count buckets */
  firstOf(time: number, count: number): number {
    return this.bucketOf(time) - Math.min(count, this.kept) + 1;
  }

  rowOf(sequence: number): number {
    return sequence % this.table.capacity;
  }

  /**
   * The row of a position in the bucket of `time`.
   * @param latest by trader: sequence + 1 of its newest row; the new row becomes it
   */
  row(position: number, trader: number, time: number, latest: Float64Array): number {
    const bucket = this.bucketOf(time);
    if (bucket !== this.#currentBucket) this.#begin(bucket);
    const known = this.#current.get(position);
    if (known !== undefined) {
      this.table.markDirty(known);
      return known;
    }
    const { head } = this;
    const row = this.#open(head);
    this.positions[row] = position;
    this.buckets[row] = bucket;
    this.previous[row] = latest[trader]!;
    latest[trader] = head + 1;
    this.#current.set(position, row);
    return row;
  }

  /** Visits the rows of a trader from a bucket on, newest first. @param latest sequence + 1 of its newest row */
  visit(latest: number, from: number, take: (row: number) => void): void {
    const { tail } = this;
    for (let sequence = latest - 1; sequence >= tail; ) {
      const row = this.rowOf(sequence);
      if (this.buckets[row]! < from) return;
      take(row);
      sequence = this.previous[row]! - 1;
    }
  }

  /** Derives the rows of the present bucket. */
  rebuild(): void {
    this.#current.clear();
    const { head, tail } = this;
    this.#currentBucket = head > tail ? this.buckets[this.rowOf(head - 1)]! : 0;
    for (let sequence = head - 1; sequence >= tail; sequence--) {
      const row = this.rowOf(sequence);
      if (this.buckets[row] !== this.#currentBucket) return;
      this.#current.set(this.positions[row]!, row);
    }
  }

  #begin(bucket: number): void {
    this.#current.clear();
    this.#currentBucket = bucket;
    const { head } = this;
    let { tail } = this;
    while (tail < head && this.buckets[this.rowOf(tail)]! <= bucket - this.kept) tail++;
    this.#scalars.set(this.#options.tail, tail);
  }

  #open(head: number): number {
    const { table } = this;
    const scalars = this.#scalars;
    const { tail, leftEarly } = this.#options;
    if (head - this.tail >= table.capacity) {
      this.#current.delete(this.positions[this.rowOf(this.tail)]!);
      scalars.set(tail, this.tail + 1);
      scalars.set(leftEarly, scalars.get(leftEarly) + 1);
    }
    const row = this.rowOf(head);
    if (row >= table.count) {
      table.reserve(row + 1);
      table.count = row + 1;
      table.markDirty(0);
    }
    this.trades[row] = 0;
    this.ownTrades[row] = 0;
    const { ownDrops, bought, sold, spent, received, realised } = this;
    for (const column of [ownDrops, bought, sold, spent, received, realised]) column[row] = 0;
    for (const column of [this.boughtRest, this.soldRest]) column[row] = 0;
    table.markDirty(row);
    scalars.set(this.#options.head, head + 1);
    return row;
  }
}

/** The ring of 24 hours. @param attached the table of another thread */
export function hoursOf(
  { hours }: Pick<TraderLimits, 'hours'>,
  scalars: RingScalars,
  attached?: TableDescription,
): Buckets {
  const { hourHead: head, hourTail: tail, hoursLeftEarly: leftEarly } = TraderScalar;
  const name = 'hours of positions';
  const options = { id: TableId.traderHours, name, capacity: hours, seconds: HOUR, kept: HOURS_KEPT };
  return new Buckets({ ...options, head, tail, leftEarly }, scalars, attached);
}

/** The ring of 30 days. */
export function daysOf(
  { days }: Pick<TraderLimits, 'days'>,
  scalars: RingScalars,
  attached?: TableDescription,
): Buckets {
  const { dayHead: head, dayTail: tail, daysLeftEarly: leftEarly } = TraderScalar;
  const name = 'days of positions';
  const options = { id: TableId.traderDays, name, capacity: days, seconds: DAY, kept: DAYS_KEPT };
  return new Buckets({ ...options, head, tail, leftEarly }, scalars, attached);
}
