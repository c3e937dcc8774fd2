/**
 * Transactions and active accounts of the last 24 hours, exact to the second. Transactions: a ring of ledgers. Active
 * accounts (those that sent a transaction): how many were last active in each second of the day, 86,400 counters; of 30
 * days, in each hour.
 */
import { ROWS_A_STEP, type RowSteps } from '../event-loop.ts';
import { DAY } from '../ripple-time.ts';
import { Table } from '../state/table.ts';
import { TableId } from '../table-ids.ts';
import { AccountsByHour } from './accounts-by-hour.ts';
import { hasLeft } from './figures.ts';
import { type Meta, Scalar } from './meta.ts';

const NEVER = 0;

export class Activity {
  readonly table: Table;
  /** Transactions of the last 24 hours. */
  transactions = 0;
  readonly #time: Uint32Array;
  readonly #count: Uint32Array;
  readonly #meta: Meta;
  /** Accounts that sent a transaction in the last 24 hours. */
  activeAccounts = 0;
  /** Accounts by the hour of their last transaction. */
  readonly byHour = new AccountsByHour();
  /** Close time of each account's last transaction, 0 = never. */
  #lastTime = new Uint32Array(1024);
  /** How many accounts were last active at a close time of the last 24 hours, by close time mod DAY. */
  readonly #bySecond = new Uint32Array(DAY);
  /** Close time of the newest ledger. */
  #now = 0;

  constructor(capacity: number, meta: Meta) {
    const table = new Table(TableId.ledgers, 'market ledgers', capacity);
    this.table = table;
    this.#time = table.u32('time');
    this.#count = table.u32('count');
    this.#meta = meta;
  }

  /** A ledger closed. */
  ledger(time: number, transactions: number): void {
    const { capacity } = this.table;
    const head = this.#meta.get(Scalar.ledgerHead);
    let tail = this.#meta.get(Scalar.ledgerTail);
    while (tail < head && (hasLeft(this.#time[tail % capacity]!, time, DAY) || head - tail >= capacity)) {
      this.transactions -= this.#count[tail % capacity]!;
      tail++;
    }
    this.#meta.set(Scalar.ledgerTail, tail);
    this.table.reserve((head % capacity) + 1);
    this.#time[head % capacity] = time;
    this.#count[head % capacity] = transactions;
    this.table.markDirty(head % capacity);
    this.#meta.set(Scalar.ledgerHead, head + 1);
    this.transactions += transactions;
    this.#advance(time);
  }

  #advance(time: number): void {
    if (time - this.#now >= DAY) this.#clearDay();
    // A second shares its cell with the same second of the day before, which is out of the window now.
    else for (let second = this.#now + 1; second <= time; second++) this.#clearCell(second % DAY);
    if (time > this.#now) this.#now = time;
  }

  #clearDay(): void {
    this.#bySecond.fill(0);
    this.activeAccounts = 0;
  }

  #clearCell(cell: number): void {
    this.activeAccounts -= this.#bySecond[cell]!;
    this.#bySecond[cell] = 0;
  }

  /** An account sent a transaction in the newest ledger. */
  active(account: number): void {
    if (account >= this.#lastTime.length) {
      const wider = new Uint32Array(Math.max(account + 1, this.#lastTime.length * 2));
      wider.set(this.#lastTime);
      this.#lastTime = wider;
    }
    const before = this.#lastTime[account]!;
    if (before === this.#now) return;
    this.byHour.moved(before, this.#now);
    if (before !== NEVER && !hasLeft(before, this.#now, DAY)) this.#bySecond[before % DAY]!--;
    else this.activeAccounts++;
    this.#bySecond[this.#now % DAY]!++;
    this.#lastTime[account] = this.#now;
  }

  /** @param lastActive close time of each account's last transaction, ids below `accounts` */
  *rebuilding(time: number, lastActive: Uint32Array, accounts: number): RowSteps {
    const { capacity } = this.table;
    this.transactions = 0;
    for (let s = this.#meta.get(Scalar.ledgerTail); s < this.#meta.get(Scalar.ledgerHead); s++)
      this.transactions += this.#count[s % capacity]!;
    this.#now = time;
    this.#clearDay();
    this.byHour.clear();
    this.#lastTime = new Uint32Array(Math.max(1024, accounts));
    for (let account = 0; account < accounts; account++) {
      if (account % ROWS_A_STEP === ROWS_A_STEP - 1) yield 0;
      const last = lastActive[account]!;
      this.#lastTime[account] = last;
      if (last === NEVER) continue;
      this.byHour.moved(NEVER, last);
      if (hasLeft(last, time, DAY)) continue;
      this.#bySecond[last % DAY]!++;
      this.activeAccounts++;
    }
  }
}
