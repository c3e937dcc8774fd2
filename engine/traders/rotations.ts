/**
 * Rotations: what traders sold to buy something else.
 *
 *     10:05 sells A for 300 XRP          proceeds of A: 300
 *     10:20 buys  B for 200 XRP          rotated A -> B: 200     left: 100
 *     10:50 buys  C for 500 XRP          rotated A -> C: 100     the rest was other XRP
 *     12:30 buys  D for 100 XRP          nothing: the sale is more than an hour ago
 *
 * A trade of two tokens is a rotation of its whole value. Within a transaction sales go before purchases, whatever the order
 * of their records: what a payment sold on the way to XRP it bought with. Only the proceeds of the token sold last are known; pools do not
 * rotate. Kept by hour for 7 days: one row for a trader, two tokens and an hour, in a ring like those of windows
 * (buckets.ts), linked by trader. Cost: 36 bytes a row and 24 a trader; a trade looks at the trader's rows of the hour.
 */
import type { CooperativeTask } from '../event-loop.ts';
import { HOUR } from '../ripple-time.ts';
import { Table } from '../state/table.ts';
import type { TableDescription } from '../state/table-memory.ts';
import { XRP } from '../state/tokens.ts';
import { TableId } from '../table-ids.ts';
import type { TraderLimits } from './limits.ts';
import { TraderScalar, type TraderScalars } from './scalars.ts';

/** Seconds between a sale and a purchase that is paid with its proceeds. */
const ROTATION_SPAN = HOUR;
/** Hours kept, the present one included. */
export const ROTATION_HOURS = 168;

/** Rows summed before other work may run: about 3 ms. */
const ROWS_A_SLICE = 8000;

/** What other threads attach to. */
export type RotationsDescription = Readonly<Record<'rows' | 'proceeds', TableDescription>>;

export class Rotations {
  /** Ring. */
  readonly table: Table;
  readonly traders: Uint32Array;
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly hours: Uint32Array;
  readonly counts: Uint32Array;
  readonly drops: Float64Array;
  /** Sequence + 1 of the trader's row before it. */
  readonly #previous: Float64Array;
  /** By trader: token sold last, when, and the drops that are left of its proceeds; sequence + 1 of its newest row. */
  readonly proceeds: Table;
  readonly #soldToken: Uint32Array;
  readonly #soldAt: Uint32Array;
  readonly #left: Float64Array;
  readonly #latest: Float64Array;
  readonly #scalars: TraderScalars;
  /** Of the transaction that is taken: trader, time, token, drops. */
  readonly #purchases: number[] = [];

  constructor(limits: TraderLimits, scalars: TraderScalars, attached?: RotationsDescription) {
    const table = attached
      ? Table.attach(attached.rows)
      : new Table(TableId.rotations, 'rotations', limits.rotations);
    this.table = table;
    this.traders = table.u32('traders');
    this.from = table.u32('from');
    this.to = table.u32('to');
    this.hours = table.u32('hours');
    this.counts = table.u32('counts');
    this.drops = table.f64('drops');
    this.#previous = table.f64('previous');
    const proceeds = attached
      ? Table.attach(attached.proceeds)
      : new Table(TableId.rotationProceeds, 'proceeds of sales', limits.traders);
    this.proceeds = proceeds;
    this.#soldToken = proceeds.u32('token');
    this.#soldAt = proceeds.u32('time');
    this.#left = proceeds.f64('drops');
    this.#latest = proceeds.f64('latest');
    this.#scalars = scalars;
  }

  describe(): RotationsDescription {
    return { rows: this.table.describe(), proceeds: this.proceeds.describe() };
  }

  /** A trader gave `sold` for `bought`, worth so many drops. @throws TableFullError */
  take(trader: number, time: number, sold: number, bought: number, drops: number): void {
    if (drops === 0) return;
    if (sold === XRP) this.#purchases.push(trader, time, bought, drops);
    else if (bought === XRP) this.#sell(trader, time, sold, drops);
    else this.#add(trader, time, sold, bought, drops);
  }

  /** All trades of a transaction have been taken. @throws TableFullError */
  transactionEnds(): void {
    const purchases = this.#purchases;
    for (let i = 0; i < purchases.length; i += 4)
      this.#buy(purchases[i]!, purchases[i + 1]!, purchases[i + 2]!, purchases[i + 3]!);
    purchases.length = 0;
  }

  /** Rows that began in the last `count` hours, newest first. */
  *rows(now: number, count: number): Generator<number, void> {
    const from = firstHour(now, count);
    const tail = this.#tail;
    for (let sequence = this.#head - 1; sequence >= tail; sequence--) {
      const row = sequence % this.table.capacity;
      if (this.hours[row]! < from) return;
      yield row;
    }
  }

  /** Those of a trader. */
  *rowsOf(trader: number, now: number, count: number): Generator<number, void> {
    const from = firstHour(now, count);
    const tail = this.#tail;
    for (let sequence = (this.#latest[trader] ?? 0) - 1; sequence >= tail; ) {
      const row = sequence % this.table.capacity;
      if (this.hours[row]! < from) return;
      yield row;
      sequence = this.#previous[row]! - 1;
    }
  }

  get #head(): number {
    return this.#scalars.get(TraderScalar.rotationHead);
  }

  get #tail(): number {
    return this.#scalars.get(TraderScalar.rotationTail);
  }

  #sell(trader: number, time: number, token: number, drops: number): void {
    this.#reserve(trader);
    const isSame = this.#soldToken[trader] === token && this.#isRecent(trader, time);
    this.#left[trader] = drops + (isSame ? this.#left[trader]! : 0);
    this.#soldToken[trader] = token;
    this.#soldAt[trader] = time;
    this.proceeds.markDirty(trader);
  }

  #buy(trader: number, time: number, token: number, drops: number): void {
    this.#reserve(trader);
    const left = this.#left[trader]!;
    const from = this.#soldToken[trader]!;
    if (left === 0 || from === token || !this.#isRecent(trader, time)) return;
    const rotated = Math.min(left, drops);
    this.#left[trader] = left - rotated;
    this.#add(trader, time, from, token, rotated);
    this.proceeds.markDirty(trader);
  }

  #isRecent(trader: number, time: number): boolean {
    return time - this.#soldAt[trader]! <= ROTATION_SPAN;
  }

  #add(trader: number, time: number, from: number, to: number, drops: number): void {
    this.#reserve(trader);
    const hour = Math.floor(time / HOUR);
    for (const row of this.rowsOf(trader, time, 1)) {
      if (this.from[row] !== from || this.to[row] !== to) continue;
      this.counts[row]!++;
      this.drops[row]! += drops;
      this.table.markDirty(row);
      return;
    }
    const head = this.#head;
    const row = this.#open(head, hour);
    this.traders[row] = trader;
    this.from[row] = from;
    this.to[row] = to;
    this.hours[row] = hour;
    this.counts[row] = 1;
    this.drops[row] = drops;
    this.#previous[row] = this.#latest[trader]!;
    this.#latest[trader] = head + 1;
    this.table.markDirty(row);
    this.proceeds.markDirty(trader);
  }

  #open(head: number, hour: number): number {
    const { capacity } = this.table;
    const scalars = this.#scalars;
    let tail = this.#tail;
    while (tail < head && this.hours[tail % capacity]! <= hour - ROTATION_HOURS) tail++;
    if (head - tail >= capacity) {
      tail++;
      const { rotationsLeftEarly } = TraderScalar;
      scalars.set(rotationsLeftEarly, scalars.get(rotationsLeftEarly) + 1);
    }
    scalars.set(TraderScalar.rotationTail, tail);
    scalars.set(TraderScalar.rotationHead, head + 1);
    const row = head % capacity;
    if (row >= this.table.count) {
      this.table.reserve(row + 1);
      this.table.count = row + 1;
      this.table.markDirty(0);
    }
    return row;
  }

  #reserve(trader: number): void {
    const { proceeds } = this;
    if (trader < proceeds.count) return;
    proceeds.reserve(trader + 1);
    proceeds.count = trader + 1;
    proceeds.markDirty(0);
    proceeds.markDirty(trader);
  }
}

function firstHour(now: number, count: number): number {
  return Math.floor(now / HOUR) - Math.min(count, ROTATION_HOURS) + 1;
}

/** What was rotated from one token to another. */
export interface RotationSum {
  readonly from: number;
  readonly to: number;
  drops: number;
  count: number;
  traders: number;
  /** Hour of the newest, as close time / 3600. */
  readonly lastHour: number;
}

/** Sums by pair of tokens. @param rows newest first. @param token only pairs with it; undefined: all */
export function* sumRotations(
  rotations: Rotations,
  rows: Iterable<number>,
  token?: number,
): CooperativeTask<RotationSum[]> {
  const sums = new Map<number, Map<number, RotationSum & { readonly seen: Set<number> }>>();
  let passed = 0;
  for (const row of rows) {
    if (++passed % ROWS_A_SLICE === 0) yield;
    const from = rotations.from[row]!;
    const to = rotations.to[row]!;
    if (token !== undefined && from !== token && to !== token) continue;
    const ofFrom = sums.get(from) ?? new Map();
    sums.set(from, ofFrom);
    const lastHour = rotations.hours[row]!;
    const sum = ofFrom.get(to) ?? { from, to, drops: 0, count: 0, traders: 0, lastHour, seen: new Set() };
    ofFrom.set(to, sum);
    sum.drops += rotations.drops[row]!;
    sum.count += rotations.counts[row]!;
    sum.seen.add(rotations.traders[row]!);
  }
  return [...sums.values()]
    .flatMap((ofFrom) => [...ofFrom.values()])
    .map(({ seen, ...sum }) => ({ ...sum, traders: seen.size }))
    .sort((a, b) => b.drops - a.drops || a.from - b.from || a.to - b.to);
}
