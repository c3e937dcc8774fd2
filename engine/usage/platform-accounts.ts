/**
 * When each account last signed and last traded through each named platform, and through any: from it distinct accounts of
 * any window that ends now follow exactly; of platforms in one pass, of all traders from counters by hour. One row for a
 * platform and an account; rows of no platform are in a table of their own, by account id.
 */
import { ROWS_A_STEP, type RowSteps } from '../event-loop.ts';
import { AccountsByHour } from '../market/accounts-by-hour.ts';
import { hash2 } from '../state/hash.ts';
import type { RowIndex } from '../state/row-index.ts';
import { Table } from '../state/table.ts';
import { TableId } from '../table-ids.ts';

export class PlatformAccounts {
  readonly table: Table;
  readonly signers: Table;
  readonly #platform: Uint16Array;
  readonly #account: Uint32Array;
  /** Close times, 0 = never. */
  readonly #signed: Uint32Array;
  readonly #traded: Uint32Array;
  /** By account id: close time of the last trade signed. */
  readonly #lastTrade: Uint32Array;
  /** The same accounts by the hour of that trade. */
  readonly #traders = new AccountsByHour();
  readonly #index: RowIndex;

  constructor(accounts: number, signers: number) {
    const table = new Table(TableId.platformAccounts, 'accounts of platforms', accounts);
    this.table = table;
    this.#platform = table.u16('platform');
    this.#account = table.u32('account');
    this.#signed = table.u32('signed');
    this.#traded = table.u32('traded');
    this.#index = table.index('accounts of platforms', (row) =>
      hash2(this.#platform[row]!, this.#account[row]!),
    );
    this.signers = new Table(TableId.tradeSigners, 'signers of trades', signers);
    this.#lastTrade = this.signers.u32('traded');
  }

  /** An account signed a transaction. @returns close time of the one before; 0: it is the first */
  signed(platform: number, account: number, time: number): number {
    return this.#set(this.#signed, platform, account, time);
  }

  /** The same of a trade. */
  traded(platform: number, account: number, time: number): number {
    this.#tradedAnywhere(account, time);
    return platform === 0 ? 0 : this.#set(this.#traded, platform, account, time);
  }

  /** Distinct accounts that signed (traded) at `from` or later, by number of the platform. */
  since(from: number): { signed: number[]; traded: number[] } {
    const [signed, traded]: [number[], number[]] = [[], []];
    for (let row = 1; row < this.table.count; row++) {
      const platform = this.#platform[row]!;
      if (this.#signed[row]! >= from) signed[platform] = (signed[platform] ?? 0) + 1;
      if (this.#traded[row]! >= from) traded[platform] = (traded[platform] ?? 0) + 1;
    }
    return { signed, traded };
  }

  /** Distinct accounts that signed a trade in that hour (close time / 3600) or later, through any platform or none. */
  tradersSince(first: number): number {
    return this.#traders.since(first);
  }

  *rebuilding(): RowSteps {
    yield* this.#index.filling(this.table.count);
    this.#traders.clear();
    for (let account = 1; account < this.signers.count; account++) {
      if (account % ROWS_A_STEP === 0) yield 0;
      const last = this.#lastTrade[account]!;
      if (last !== 0) this.#traders.moved(0, last);
    }
  }

  #tradedAnywhere(account: number, time: number): void {
    const { signers } = this;
    if (account >= signers.count) {
      signers.reserve(account + 1);
      signers.count = account + 1;
      signers.markDirty(0);
    }
    const before = this.#lastTrade[account]!;
    if (before === time) return;
    this.#traders.moved(before, time);
    this.#lastTrade[account] = time;
    signers.markDirty(account);
  }

  /** An account beyond the limit counts in no distinct figure: then 0 would be wrong, so the time itself. */
  #set(times: Uint32Array, platform: number, account: number, time: number): number {
    const row = this.#findOrAdd(platform, account);
    if (row === 0) return time;
    const before = times[row]!;
    if (before === time) return before;
    times[row] = time;
    this.table.markDirty(row);
    return before;
  }

  /** 0: the table is full. */
  #findOrAdd(platform: number, account: number): number {
    const index = this.#index;
    const hash = hash2(platform, account);
    for (let slot = index.first(hash); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0) break;
      if (this.#platform[row] === platform && this.#account[row] === account) return row;
    }
    if (this.table.count >= this.table.capacity) return 0;
    const row = this.table.add();
    this.#platform[row] = platform;
    this.#account[row] = account;
    index.add(row);
    return row;
  }
}
