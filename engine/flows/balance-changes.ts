/**
 * Every change of a holder's balance in the last 24 hours, exact to the transaction: a ring of rows, chained by token.
 *
 *     ring     ... | 41: A 10 -> 7 | 42: B 0 -> 5 | 43: A 7 -> 7.5 | ...     oldest rows leave a day later
 *     chain          41 <----------- back 2 ------- 43 <-- newest of the token
 *
 * Goals: who bought and sold a token in the last day, and what each held at any moment of it, without reading ledgers.
 * Non-goals: XRP, whose balances change with every fee; what is older than a day.
 *
 * A row is a line's (or holding's) change by one transaction, seen from the holder. It is a trade or a change of liquidity
 * where a trade record of that transaction names holder and token (but for trades with itself, see trade-record.ts), else a
 * transfer. Amounts are raw, so sums and
 * differences are exact. `worth` is the value of those records, of a transfer the amount at the token's price.
 *
 * Cost: 49 bytes a row; for each change of a balance two look-ups of a token, its records, and its market cap once a
 * ledger. The newest rows of the chains are derived, the rest is in the table.
 */
import { DROPS_PER_XRP } from '../codec/amount.ts';
import { hasLeft } from '../market/figures.ts';
import { TRADE_BYTES, TradeReader } from '../market/trade-record.ts';
import { DAY } from '../ripple-time.ts';
import { BalanceLogReader } from '../state/balance-log.ts';
import { ISSUED_ZERO, isZeroIssued, SIGN } from '../state/line-fields.ts';
import type { State } from '../state/state.ts';
import { Table } from '../state/table.ts';
import { TableId } from '../table-ids.ts';
import { FlowScalar, type FlowScalars } from './scalars.ts';

/** What changed a balance. Numbers as clients read them. */
export const ChangeKind = { trade: 0, liquidity: 1, transfer: 2 } as const;
export type ChangeKind = (typeof ChangeKind)[keyof typeof ChangeKind];

/** The trade records of a ledger (trade-record.ts). */
export interface LedgerRecords {
  readonly trades: Uint8Array;
  readonly tradeCount: number;
}

/** What the ring asks of the market. */
export interface ChangePrices {
  /** XRP per token. */
  price(token: number): number | undefined;
}

/** @param tx transaction row of the ledger */
type OnRow = (row: number, tx: number, token: number) => void;

export class BalanceChanges {
  readonly table: Table;
  readonly time: Uint32Array;
  readonly account: Uint32Array;
  /** Raw balance before and after. */
  readonly beforeHi: Uint32Array;
  readonly beforeLo: Uint32Array;
  readonly afterHi: Uint32Array;
  readonly afterLo: Uint32Array;
  /** See ChangeKind. */
  readonly kind: Uint8Array;
  /** Drops. */
  readonly worth: Float64Array;
  /** XRP; 0 = not known. */
  readonly marketcap: Float64Array;
  readonly #token: Uint32Array;
  /** Rows back to the one before of the same token, 0 = none when it was written. */
  readonly #back: Uint32Array;
  readonly #scalars: FlowScalars;
  readonly #state: State;
  readonly #prices: ChangePrices;
  readonly #entries: BalanceLogReader;
  readonly #records = new TradeReader(new Uint8Array(TRADE_BYTES));
  /** Sequence number of each token's newest row. */
  readonly #newest = new Map<number, number>();
  /** Market caps of this ledger, by token. */
  readonly #caps = new Map<number, number>();
  #recordCount = 0;
  /** First record of the transaction that is read. */
  #firstRecord = 0;

  constructor(capacity: number, scalars: FlowScalars, state: State, prices: ChangePrices, reason: string) {
    const table = new Table(TableId.balanceChanges, 'balance changes', capacity);
    this.table = table;
    this.time = table.u32('time');
    this.#token = table.u32('token');
    this.account = table.u32('account');
    this.beforeHi = table.u32('beforeHi');
    this.beforeLo = table.u32('beforeLo');
    this.afterHi = table.u32('afterHi');
    this.afterLo = table.u32('afterLo');
    this.#back = table.u32('back');
    this.kind = table.u8('kind');
    this.worth = table.f64('worth');
    this.marketcap = table.f64('marketcap');
    for (const { name } of table.columns) table.excludeFromDigest(name, reason);
    this.#scalars = scalars;
    this.#state = state;
    this.#prices = prices;
    this.#entries = new BalanceLogReader(state.changed.balances);
  }

  /** Close time from which on every change is known; 0 = none is. */
  get since(): number {
    return this.#scalars.get(FlowScalar.changesSince);
  }

  /**
   * After state and market applied a ledger.
   * @param follows whether it is the one after the last. @param onRow gets each new row, in the order of the ledger
   */
  apply(time: number, follows: boolean, { trades, tradeCount }: LedgerRecords, onRow: OnRow): void {
    if (!follows || this.since === 0) this.#scalars.set(FlowScalar.changesSince, time);
    this.#age(time);
    this.#records.load(trades);
    this.#recordCount = tradeCount;
    this.#firstRecord = 0;
    this.#caps.clear();
    const entries = this.#entries.restart();
    while (entries.next()) if (entries.isMoved) this.#take(time, onRow);
  }

  /** Rows of a token in the ring, newest first: those of ledgers that closed after a time. Valid until the next ledger. */
  *rows(token: number, after: number): Generator<number, void> {
    const { capacity } = this.table;
    const tail = this.#scalars.get(FlowScalar.changesTail);
    let at = this.#newest.get(token) ?? -1;
    while (at >= tail) {
      const row = at % capacity;
      if (this.time[row]! <= after) return;
      yield row;
      const back = this.#back[row]!;
      if (back === 0) return;
      at -= back;
    }
  }

  /** Derives what is not in the rows. */
  rebuild(): void {
    this.#newest.clear();
    const head = this.#scalars.get(FlowScalar.changesHead);
    for (let at = this.#scalars.get(FlowScalar.changesTail); at < head; at++)
      this.#newest.set(this.#token[at % this.table.capacity]!, at);
  }

  /** Rows that are a day old leave. */
  #age(time: number): void {
    const { capacity } = this.table;
    const head = this.#scalars.get(FlowScalar.changesHead);
    let tail = this.#scalars.get(FlowScalar.changesTail);
    for (; tail < head && hasLeft(this.time[tail % capacity]!, time, DAY); tail++) this.#forget(tail);
    this.#scalars.set(FlowScalar.changesTail, tail);
  }

  #forget(at: number): void {
    const token = this.#token[at % this.table.capacity]!;
    if (this.#newest.get(token) === at) this.#newest.delete(token);
  }

  /** The reader's current entry: a line can carry two tokens, and its sign says which one it holds. */
  #take(time: number, onRow: OnRow): void {
    const { tx, low, high, code, beforeHi, beforeLo, afterHi, afterLo } = this.#entries;
    const { tokens } = this.#state;
    if (high === 0) {
      onRow(this.#add(time, code, low, beforeHi, beforeLo, afterHi, afterLo), tx, code);
      return;
    }
    const before = isZeroIssued(beforeHi, beforeLo) ? 0 : beforeHi & SIGN ? 1 : -1;
    const after = isZeroIssued(afterHi, afterLo) ? 0 : afterHi & SIGN ? 1 : -1;
    for (const side of [1, -1]) {
      if (before !== side && after !== side) continue;
      const token = side > 0 ? tokens.findPair(high, code) : tokens.findPair(low, code);
      if (token === 0) continue;
      const flip = side > 0 ? 0 : SIGN;
      const row = this.#add(
        time,
        token,
        side > 0 ? low : high,
        before === side ? (beforeHi ^ flip) >>> 0 : ISSUED_ZERO,
        before === side ? beforeLo : 0,
        after === side ? (afterHi ^ flip) >>> 0 : ISSUED_ZERO,
        after === side ? afterLo : 0,
      );
      onRow(row, tx, token);
    }
  }

  #add(
    time: number,
    token: number,
    account: number,
    beforeHi: number,
    beforeLo: number,
    afterHi: number,
    afterLo: number,
  ): number {
    const row = this.#append(token);
    this.time[row] = time;
    this.#token[row] = token;
    this.account[row] = account;
    this.beforeHi[row] = beforeHi;
    this.beforeLo[row] = beforeLo;
    this.afterHi[row] = afterHi;
    this.afterLo[row] = afterLo;
    this.#classify(row, token, account);
    this.marketcap[row] = this.#capOf(token);
    return row;
  }

  /** Kind and worth of a new row, from the records of its transaction. */
  #classify(row: number, token: number, account: number): void {
    const { tx } = this.#entries;
    const records = this.#records;
    while (this.#firstRecord < this.#recordCount && records.at(this.#firstRecord).tx < tx)
      this.#firstRecord++;
    let kind: ChangeKind = ChangeKind.transfer;
    let worth = 0;
    for (let i = this.#firstRecord; i < this.#recordCount; i++) {
      const record = records.at(i);
      if (record.tx !== tx) break;
      if (record.isWithItself) continue;
      const { paidToken, gotToken, lpToken, maker, taker } = record;
      if (paidToken !== token && gotToken !== token && lpToken !== token) continue;
      if (maker !== account && taker !== account && record.account !== account) continue;
      kind = record.isLiquidity ? ChangeKind.liquidity : ChangeKind.trade;
      worth += record.valueDrops;
    }
    this.kind[row] = kind;
    this.worth[row] = worth > 0 ? worth : this.#atPrice(row, token);
  }

  /** What the change is worth at the token's price, drops; 0 without a price. */
  #atPrice(row: number, token: number): number {
    const { tokens } = this.#state;
    const before = tokens.number(token, this.beforeHi[row]!, this.beforeLo[row]!);
    const after = tokens.number(token, this.afterHi[row]!, this.afterLo[row]!);
    const drops = Math.abs(after - before) * (this.#prices.price(token) ?? 0) * DROPS_PER_XRP;
    return Number.isFinite(drops) ? Math.round(drops) : 0;
  }

  #capOf(token: number): number {
    let cap = this.#caps.get(token);
    if (cap === undefined) {
      cap = (this.#prices.price(token) ?? 0) * this.#state.lines.supplyNumber(token);
      if (!Number.isFinite(cap)) cap = 0;
      this.#caps.set(token, cap);
    }
    return cap;
  }

  /** The row of a new change, chained to the one before of its token. */
  #append(token: number): number {
    const { capacity } = this.table;
    const head = this.#scalars.get(FlowScalar.changesHead);
    const tail = this.#scalars.get(FlowScalar.changesTail);
    if (head - tail >= capacity) {
      // Of its ledger other rows are still here: known from the one after it.
      this.#scalars.set(FlowScalar.changesSince, this.time[tail % capacity]! + 1);
      this.#scalars.set(FlowScalar.changesLeftEarly, this.#scalars.get(FlowScalar.changesLeftEarly) + 1);
      this.#forget(tail);
      this.#scalars.set(FlowScalar.changesTail, tail + 1);
    }
    const row = head % capacity;
    this.table.reserve(row + 1);
    this.table.markDirty(row);
    const before = this.#newest.get(token);
    this.#back[row] = before === undefined ? 0 : head - before;
    this.#newest.set(token, head);
    this.#scalars.set(FlowScalar.changesHead, head + 1);
    return row;
  }
}
