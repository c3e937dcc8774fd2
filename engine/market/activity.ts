/**
 * Transactions and active accounts of the last 24 hours. Transactions: a ring of ledgers, exact to the second.
 * Active accounts (those that sent a transaction): by whole hours of close time, the running one and 23 before.
 */
import { DAY, HOUR } from '../ripple-time.ts';
import { Table } from '../state/table.ts';
import { MarketTable } from './limits.ts';
import { type Meta, Scalar } from './meta.ts';

const HOURS = 24;
const NEVER = 0;

export class Activity {
  readonly table: Table;
  /** Transactions of the last 24 hours. */
  transactions = 0;
  private readonly time: Uint32Array;
  private readonly count: Uint32Array;
  private readonly meta: Meta;
  /** Hour (close time / 3600) of each account's last transaction, 0 = never. */
  private activeHour = new Uint32Array(1024);
  /** How many accounts were last active in each of the last 24 hours, by hour mod 24. */
  private readonly byHour = new Uint32Array(HOURS);
  private hour = 0;

  constructor(capacity: number, meta: Meta) {
    const table = new Table(MarketTable.ledgers, 'market ledgers', capacity);
    this.table = table;
    this.time = table.u32('time');
    this.count = table.u32('count');
    this.meta = meta;
  }

  /** A ledger closed. */
  ledger(time: number, transactions: number): void {
    const { capacity } = this.table;
    const head = this.meta.get(Scalar.ledgerHead);
    let tail = this.meta.get(Scalar.ledgerTail);
    while (tail < head && (this.time[tail % capacity]! <= time - DAY || head - tail >= capacity)) {
      this.transactions -= this.count[tail % capacity]!;
      tail++;
    }
    this.meta.set(Scalar.ledgerTail, tail);
    this.table.reserve((head % capacity) + 1);
    this.time[head % capacity] = time;
    this.count[head % capacity] = transactions;
    this.table.touch(head % capacity);
    this.meta.set(Scalar.ledgerHead, head + 1);
    this.transactions += transactions;
    this.turn(Math.floor(time / HOUR));
  }

  private turn(hour: number): void {
    if (hour - this.hour >= HOURS) this.byHour.fill(0);
    else for (let h = this.hour + 1; h <= hour; h++) this.byHour[h % HOURS] = 0;
    if (hour > this.hour) this.hour = hour;
  }

  /** An account sent a transaction in the ledger just taken in. */
  active(account: number): void {
    if (account >= this.activeHour.length) {
      const wider = new Uint32Array(Math.max(account + 1, this.activeHour.length * 2));
      wider.set(this.activeHour);
      this.activeHour = wider;
    }
    const before = this.activeHour[account]!;
    if (before === this.hour) return;
    if (before !== NEVER && before > this.hour - HOURS) this.byHour[before % HOURS]!--;
    this.byHour[this.hour % HOURS]!++;
    this.activeHour[account] = this.hour;
  }

  /** Accounts that sent a transaction in the last 24 hours. */
  get activeAccounts(): number {
    let sum = 0;
    for (const count of this.byHour) sum += count;
    return sum;
  }

  /** @param lastActive close time of each account's last transaction, ids below `accounts` */
  rebuild(time: number, lastActive: Uint32Array, accounts: number): void {
    const { capacity } = this.table;
    this.transactions = 0;
    for (let s = this.meta.get(Scalar.ledgerTail); s < this.meta.get(Scalar.ledgerHead); s++)
      this.transactions += this.count[s % capacity]!;
    this.hour = Math.floor(time / HOUR);
    this.byHour.fill(0);
    this.activeHour = new Uint32Array(Math.max(1024, accounts));
    for (let account = 0; account < accounts; account++) {
      const hour = Math.floor(lastActive[account]! / HOUR);
      if (lastActive[account] === 0) continue;
      this.activeHour[account] = hour;
      if (hour > this.hour - HOURS) this.byHour[hour % HOURS]!++;
    }
  }
}
