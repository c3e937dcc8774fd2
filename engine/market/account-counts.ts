/**
 * How many trade records name each account, as maker or taker: trades, and changes of liquidity. A record that names an
 * account twice counts once, as it has one row in the index of the account's records.
 */
import { Table } from '../state/table.ts';
import type { Store } from '../store.ts';
import { TableId } from '../table-ids.ts';
import type { Prices } from './prices.ts';
import { TRADE_BYTES, TradeReader } from './trade-record.ts';

export class AccountCounts {
  readonly table: Table;
  readonly #trades: Uint32Array;
  readonly #liquidity: Uint32Array;

  constructor(accounts: number) {
    const table = new Table(TableId.accountCounts, 'account counts', accounts);
    this.table = table;
    this.#trades = table.u32('trades');
    this.#liquidity = table.u32('liquidity');
  }

  /**
   * Makes room for accounts with ids below `count` at once. They are named in no order, and a table that grows piece by
   * piece gets small pages at the end of each. @throws TableFullError
   */
  reserve(count: number): void {
    this.table.reserve(count);
  }

  trades(account: number): number {
    return this.#trades[account] ?? 0;
  }

  liquidity(account: number): number {
    return this.#liquidity[account] ?? 0;
  }

  /** Counts the reader's current record. @throws TableFullError */
  add({ maker, taker, isLiquidity }: TradeReader): void {
    const counts = isLiquidity ? this.#liquidity : this.#trades;
    this.#add(counts, maker);
    if (taker !== maker) this.#add(counts, taker);
  }

  /** For a store of a version without these counts (by account, of records with an XRP leg): counts them in one pass. */
  countAll(store: Pick<Store, 'trades'>, prices: Prices): void {
    const reader = new TradeReader(new Uint8Array(TRADE_BYTES));
    prices.resetXrpCounts();
    store.trades({}, (_position, record) => {
      reader.load(record);
      this.add(reader);
      if (reader.hasXrp) prices.countXrp(reader.isLiquidity);
      return true;
    });
  }

  #add(counts: Uint32Array, account: number): void {
    if (account === 0) return;
    const { table } = this;
    if (account >= table.count) {
      table.reserve(account + 1);
      table.count = account + 1;
      table.markDirty(0);
    }
    counts[account]!++;
    table.markDirty(account);
  }
}
