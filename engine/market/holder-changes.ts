/**
 * How the number of each token's holders and lines changed in the last 24 hours, exact to the second: a ring of changes,
 * one row for each ledger and token, with a running sum for each token.
 *
 *     state's counts --compared with those of the ledger before--> row (time, token, holders, lines) --> sums
 *                                                                   `--removed a day later-------------> sums
 *
 * XRP is included: its holders are the accounts.
 *
 * A day is known once all its ledgers were read one after another: not in the first day after a snapshot, after ledgers
 * that were missing, and after a start on a store that has no such rows (those of versions before 0.3). When the ring is
 * full its oldest row leaves early, and the day is known again once that row's time is a day old.
 *
 * Persisted are the rows; sums and counts follow from them and from the state (`rebuild`).
 */
import { DAY } from '../ripple-time.ts';
import { Table } from '../state/table.ts';
import { XRP } from '../state/tokens.ts';
import { TableId } from '../table-ids.ts';
import type { Columns } from './columns.ts';
import { hasLeft } from './figures.ts';
import { CHANGES_SINCE_OPENED, type Meta, Scalar } from './meta.ts';
import type { MarketState } from './state-view.ts';

/** Changes of a day; negative: fewer. */
export interface HolderChange {
  /** Holders with a balance. */
  readonly holders: number;
  /** Trust lines or MPT holdings. */
  readonly lines: number;
}

export class HolderChanges {
  readonly table: Table;
  readonly #state: MarketState;
  readonly #meta: Meta;
  /** Called with each token that has a change which is now older than a day. */
  readonly #onAged: (token: number) => void;
  readonly #time: Uint32Array;
  readonly #token: Uint32Array;
  /** Signed, in 32 bits. */
  readonly #holders: Uint32Array;
  readonly #lines: Uint32Array;
  /** Sums of the rows, by token. */
  readonly #holdersSum: Float64Array;
  readonly #linesSum: Float64Array;
  /** The state's counts after the last ledger, by token. */
  readonly #holdersBefore: Uint32Array;
  readonly #linesBefore: Uint32Array;

  constructor(
    capacity: number,
    columns: Columns,
    meta: Meta,
    state: MarketState,
    onAged: (token: number) => void,
  ) {
    const table = new Table(TableId.holderChanges, 'holder changes', capacity);
    this.table = table;
    this.#time = table.u32('time');
    this.#token = table.u32('token');
    this.#holders = table.u32('holders');
    this.#lines = table.u32('lines');
    for (const { name } of table.columns) table.excludeFromDigest(name, CHANGES_SINCE_OPENED);
    this.#holdersSum = columns.f64();
    this.#linesSum = columns.f64();
    this.#holdersBefore = columns.u32();
    this.#linesBefore = columns.u32();
    this.#meta = meta;
    this.#state = state;
    this.#onAged = onAged;
  }

  /** Rows removed before they were a day old, because the ring was full. */
  get leftEarly(): number {
    return this.#meta.get(Scalar.changesLeftEarly);
  }

  /** Whether the whole of the last 24 hours is known. */
  get isKnown(): boolean {
    const since = this.#meta.get(Scalar.changesSince);
    return since !== 0 && hasLeft(since, this.#meta.get(Scalar.closeTime), DAY);
  }

  /** Changes of the last 24 hours; undefined while they are not known. */
  of(token: number): HolderChange | undefined {
    if (!this.isKnown) return undefined;
    return { holders: this.#holdersSum[token] ?? 0, lines: this.#linesSum[token] ?? 0 };
  }

  /** After the state applied a ledger. @param follows whether it is the one after the last. */
  apply(time: number, follows: boolean): void {
    if (!follows || this.#meta.get(Scalar.changesSince) === 0) this.#meta.set(Scalar.changesSince, time);
    this.#age(time);
    this.#compare(XRP, time);
    for (const token of this.#state.changed.holders) this.#compare(token, time);
  }

  /** Derives what is not in the rows. */
  rebuild(): void {
    for (const column of [this.#holdersSum, this.#linesSum]) column.fill(0);
    const head = this.#meta.get(Scalar.changesHead);
    for (let at = this.#meta.get(Scalar.changesTail); at < head; at++) this.#sum(at, 1);
    const { lines, tokens } = this.#state;
    for (let token = 0; token < tokens.count; token++) {
      this.#holdersBefore[token] = lines.holdersCount(token);
      this.#linesBefore[token] = lines.lineCount(token);
    }
  }

  #age(time: number): void {
    const head = this.#meta.get(Scalar.changesHead);
    let tail = this.#meta.get(Scalar.changesTail);
    for (; tail < head && hasLeft(this.#time[tail % this.table.capacity]!, time, DAY); tail++)
      this.#remove(tail);
    this.#meta.set(Scalar.changesTail, tail);
  }

  #compare(token: number, time: number): void {
    const { lines } = this.#state;
    const holders = lines.holdersCount(token);
    const count = lines.lineCount(token);
    const change = holders - this.#holdersBefore[token]!;
    const lineChange = count - this.#linesBefore[token]!;
    if (change === 0 && lineChange === 0) return;
    this.#holdersBefore[token] = holders;
    this.#linesBefore[token] = count;
    const row = this.#append();
    this.#time[row] = time;
    this.#token[row] = token;
    this.#holders[row] = change;
    this.#lines[row] = lineChange;
    this.#sum(row, 1);
  }

  /** The row of a new change. */
  #append(): number {
    const { capacity } = this.table;
    const head = this.#meta.get(Scalar.changesHead);
    const tail = this.#meta.get(Scalar.changesTail);
    if (head - tail >= capacity) {
      this.#meta.set(Scalar.changesSince, this.#time[tail % capacity]!);
      this.#meta.set(Scalar.changesLeftEarly, this.leftEarly + 1);
      this.#remove(tail);
      this.#meta.set(Scalar.changesTail, tail + 1);
    }
    const row = head % capacity;
    this.table.reserve(row + 1);
    this.table.markDirty(row);
    this.#meta.set(Scalar.changesHead, head + 1);
    return row;
  }

  #remove(at: number): void {
    this.#sum(at, -1);
    this.#onAged(this.#token[at % this.table.capacity]!);
  }

  #sum(at: number, sign: 1 | -1): void {
    const row = at % this.table.capacity;
    const token = this.#token[row]!;
    this.#holdersSum[token]! += sign * (this.#holders[row]! | 0);
    this.#linesSum[token]! += sign * (this.#lines[row]! | 0);
  }
}
