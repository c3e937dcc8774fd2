/**
 * The rows of a table by account: which lines, which offers an account has. Doubly linked through arrays of this thread, one link
 * for each end of a row (a trust line has two), so that adding and taking out are O(1) however many rows an account has.
 *
 *     newest[account] -> link -> link -> 0        link = row * ends + end
 *
 * Goal: no scan of the table, and no cost where nobody asks: the links are made, in steps, when they are first asked for, and
 * kept from then on. While they are made ledgers may go on: rows below `#linkedTo` are linked as they change, the others when
 * the pass comes to them. Non-goals: order (the newest link comes first), other threads, the store. Cost once made: 8 bytes a
 * link, 8 an account; the pass takes about 100 ns a link.
 *
 * Readers that keep what they made of an account with many rows follow it (`follow`): a log says which rows came, changed and
 * went since. Accounts that nobody follows cost one comparison a change.
 */
import type { RowSteps } from '../event-loop.ts';
import type { Table } from './table.ts';

/** Rows linked in one step: about 3 ms. */
const ROWS_A_STEP = 16_384;
/** Room that arrays get beyond what is needed: growing is a system call. */
const SPARE = 65_536;
/** Events of a log; more than this, and reading all rows again is cheaper. */
const LOGGED_MAX = 16_384;

/** What happened to the rows of an account, in order. */
export class RowLog {
  /** A row that came or changed; -1 - row: one that went. */
  #events: number[] = [];
  #isLost = false;

  /** More happened than is recorded: the rows have to be read again. */
  get isLost(): boolean {
    return this.#isLost;
  }

  record(event: number): void {
    if (this.#isLost || this.#events.at(-1) === event) return;
    if (this.#events.length === LOGGED_MAX) this.lose();
    else this.#events.push(event);
  }

  lose(): void {
    this.#isLost = true;
    this.#events = [];
  }

  /** Events since the last call. */
  take(): readonly number[] {
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }
}

export class AccountRows {
  readonly #table: Pick<Table, 'count' | 'capacity'>;
  readonly #accounts: Pick<Table, 'count' | 'capacity'>;
  /** By row: the account at each end; 0: none, or the row is free. */
  readonly #ends: readonly Uint32Array[];
  /** Rows below it are linked; 0: nobody has asked. */
  #linkedTo = 0;
  #passing = false;
  #newest = growing(0);
  #counts = growing(0);
  #next = growing(0);
  #before = growing(0);
  /** By account, of those that are followed. */
  readonly #logs = new Map<number, Set<RowLog>>();

  /** @param ends columns of the table: accounts; the first is 0 in free rows, and in no other */
  constructor(
    table: Pick<Table, 'count' | 'capacity'>,
    accounts: Pick<Table, 'count' | 'capacity'>,
    ends: readonly Uint32Array[],
  ) {
    this.#table = table;
    this.#accounts = accounts;
    this.#ends = ends;
  }

  /** Whether `of` and `count` can be read. */
  get isReady(): boolean {
    return this.#linkedTo > 0 && !this.#passing;
  }

  /** Links all rows; ledgers may be applied between its steps. Two passes at a time are one. */
  *linking(): RowSteps {
    if (this.#linkedTo === 0) this.#begin();
    while (this.#passing) {
      const to = Math.min(this.#table.count, this.#linkedTo + ROWS_A_STEP);
      const from = this.#linkedTo;
      this.#linkedTo = to;
      for (let row = from; row < to; row++) this.#link(row);
      if (to >= this.#table.count) this.#passing = false;
      yield to - from;
    }
  }

  /** Rows of an account, the newest links first. The table must not change meanwhile. */
  *of(account: number): Generator<number, void, undefined> {
    const ends = this.#ends.length;
    for (let link = this.#newest[account] ?? 0; link !== 0; link = this.#next[link]!)
      yield Math.floor(link / ends);
  }

  count(account: number): number {
    return this.#counts[account] ?? 0;
  }

  /** Records from now on what happens to the rows of an account, until `unfollow`. Only while `isReady`. */
  follow(account: number): RowLog {
    const log = new RowLog();
    const logs = this.#logs.get(account) ?? new Set();
    this.#logs.set(account, logs.add(log));
    return log;
  }

  unfollow(account: number, log: RowLog): void {
    const logs = this.#logs.get(account);
    if (logs?.delete(log) && logs.size === 0) this.#logs.delete(account);
  }

  /** A row has been added, with its accounts. */
  add(row: number): void {
    if (this.#linkedTo === 0) return;
    if (!this.#passing) this.#linkedTo = Math.max(this.#linkedTo, row + 1);
    if (row < this.#linkedTo) this.#link(row);
    this.changed(row);
  }

  /** Another column of a row has changed, or may have. */
  changed(row: number): void {
    if (this.#logs.size > 0) this.#record(row, row);
  }

  /** A row is about to be removed. */
  remove(row: number): void {
    if (row >= this.#linkedTo) return;
    if (this.#logs.size > 0) this.#record(row, -1 - row);
    for (const [end, accounts] of this.#ends.entries()) {
      const account = accounts[row]!;
      if (account !== 0) this.#unlink(row * this.#ends.length + end, account);
    }
  }

  /** The table was filled again. */
  clear(): void {
    this.#linkedTo = 0;
    this.#passing = false;
    for (const logs of this.#logs.values()) for (const log of logs) log.lose();
    this.#logs.clear();
    for (const array of [this.#newest, this.#counts, this.#next, this.#before])
      (array.buffer as ArrayBuffer).resize(0);
  }

  #record(row: number, event: number): void {
    for (const accounts of this.#ends) {
      const logs = this.#logs.get(accounts[row]!);
      if (logs) for (const log of logs) log.record(event);
    }
  }

  #begin(): void {
    const links = this.#table.capacity * this.#ends.length;
    this.#newest = growing(this.#accounts.capacity);
    this.#counts = growing(this.#accounts.capacity);
    this.#next = growing(links);
    this.#before = growing(links);
    this.#linkedTo = 1;
    this.#passing = true;
  }

  #link(row: number): void {
    const ends = this.#ends.length;
    // Other columns of a free row may link it to the next free one.
    if (this.#ends[0]![row] === 0) return;
    for (let end = 0; end < ends; end++) {
      const account = this.#ends[end]![row]!;
      if (account === 0) continue;
      const link = row * ends + end;
      this.#makeRoom(account, link);
      const newest = this.#newest[account]!;
      this.#next[link] = newest;
      this.#before[link] = 0;
      if (newest !== 0) this.#before[newest] = link;
      this.#newest[account] = link;
      this.#counts[account]!++;
    }
  }

  #unlink(link: number, account: number): void {
    const next = this.#next[link]!;
    const before = this.#before[link]!;
    if (next !== 0) this.#before[next] = before;
    if (before !== 0) this.#next[before] = next;
    else this.#newest[account] = next;
    this.#counts[account]!--;
  }

  #makeRoom(account: number, link: number): void {
    if (account >= this.#newest.length) {
      const accounts = Math.max(account, this.#accounts.count) + SPARE;
      grow(this.#newest, accounts);
      grow(this.#counts, accounts);
    }
    if (link >= this.#next.length) {
      const links = Math.max(link, this.#table.count * this.#ends.length) + SPARE;
      grow(this.#next, links);
      grow(this.#before, links);
    }
  }
}

/** Empty; its length follows its buffer. */
function growing(capacity: number): Uint32Array {
  return new Uint32Array(new ArrayBuffer(0, { maxByteLength: (capacity + SPARE) * 4 }));
}

function grow(array: Uint32Array, length: number): void {
  const buffer = array.buffer as ArrayBuffer;
  buffer.resize(Math.min(length * 4, buffer.maxByteLength));
}
