/**
 * The ring of ticks: one row for each token of each trade of the last 24 hours, in order. XRP itself has no rows.
 *
 *     sequence number   tail ............................ head        row = sequence mod capacity
 *                        oldest still in 24 h            next one
 *
 * When it is full the oldest tick leaves every window early, and `leftEarly` counts it: windows then cover less than
 * 24 hours; the newer trades in them are complete.
 */
import { Table } from '../state/table.ts';
import { TableId } from '../table-ids.ts';
import { type Meta, Scalar } from './meta.ts';

export const TickFlag = {
  /** The signer received the token. */
  bought: 1,
  amm: 2,
  /** The other side was XRP. */
  xrpLeg: 4,
  /** Second row of a trade between two tokens: sums over all trades leave it out. */
  second: 8,
  deposit: 16,
  withdraw: 32,
  /** The price is not this trade's, which was too small: it is the spot price of its pool. */
  quoted: 64,
} as const;

/** In the maker column: a pool, no account. */
export const NO_ACCOUNT = 0xffffffff;

export class Ticks {
  readonly table: Table;
  readonly capacity: number;
  /** Close time, Ripple epoch seconds. */
  readonly time: Uint32Array;
  readonly token: Uint32Array;
  /** The signer. */
  readonly account: Uint32Array;
  /** Owner of the offer, NO_ACCOUNT for a pool. */
  readonly maker: Uint32Array;
  readonly flags: Uint8Array;
  /** Price the trade set, XRP per token; 0 = none. */
  readonly price: Float64Array;
  /** Value, integer drops. */
  readonly drops: Float64Array;
  /** Token units. */
  readonly amount: Float64Array;
  readonly #meta: Meta;

  constructor(capacity: number, meta: Meta) {
    const table = new Table(TableId.ticks, 'ticks', capacity);
    this.table = table;
    this.capacity = table.capacity;
    this.time = table.u32('time');
    this.token = table.u32('token');
    this.account = table.u32('account');
    this.maker = table.u32('maker');
    this.flags = table.u8('flags');
    this.price = table.f64('price');
    this.drops = table.f64('drops');
    this.amount = table.f64('amount');
    this.#meta = meta;
  }

  get head(): number {
    return this.#meta.get(Scalar.tickHead);
  }

  get tail(): number {
    return this.#meta.get(Scalar.tickTail);
  }

  get leftEarly(): number {
    return this.#meta.get(Scalar.ticksLeftEarly);
  }

  get isFull(): boolean {
    return this.head - this.tail >= this.capacity;
  }

  row(sequence: number): number {
    return sequence % this.capacity;
  }

  /** The row of the next tick, which the caller fills. There must be room. */
  append(): number {
    const { head } = this;
    const row = head % this.capacity;
    this.table.reserve(row + 1);
    this.#meta.set(Scalar.tickHead, head + 1);
    this.table.markDirty(row);
    return row;
  }

  /** The oldest tick is out of 24 hours. */
  drop(early: boolean): void {
    this.#meta.set(Scalar.tickTail, this.tail + 1);
    if (early) this.#meta.set(Scalar.ticksLeftEarly, this.leftEarly + 1);
  }
}
