/**
 * What each account did with each token: one row for an account and a token, made by its trades.
 *
 *     buys 10 for 100 XRP     held 10, cost 100
 *     buys 10 for 140 XRP     held 20, cost 240                    average cost 12
 *     sells 5 for  75 XRP     held 15, cost 180                    realised 75 - 5 * 12 = 15
 *     sells 40 for 600 XRP    held  0, cost   0                    realised 15 / 40 * 600 - 180 = 45; 25 had no known cost
 *
 * Rules. Cost basis is the average cost (of all tokens of the position that were bought and not sold yet). Only what was
 * bought on the ledger has a cost: tokens that came by transfer, from a pool, or before the first ledger read have none,
 * and selling them is no profit. Where more is sold than was bought and is left, the proceeds are split by amount. Payments
 * and deposits into pools move tokens and leave cost alone: whether they are still there is seen from the balance. A trade
 * whose value is not known (0 drops) gives no cost, and takes away what it sells at its cost. Trading fees of pools are part
 * of what is paid; transaction fees and transfer fees are not counted.
 *
 * XRP is in whole drops, so sums of it are exact up to 2^53 drops and do not depend on their order. Amounts of tokens are
 * sums of doubles with what they lack beside them (engine/metrics/rounding-of-sum.ts), so that they are rounded once however many
 * terms there are, and those of windows (buckets.ts) are the same in their last digit.
 *
 * Cost: 96 bytes of columns a position, and 5 to 7 of the index; a trade looks up two rows and writes them.
 */
import type { RowSteps } from '../event-loop.ts';
import { addWithRest } from '../metrics/rounding-of-sum.ts';
import { hash2 } from '../state/hash.ts';
import type { RowIndex } from '../state/row-index.ts';
import { Table } from '../state/table.ts';
import type { TableDescription } from '../state/table-memory.ts';
import { TableId } from '../table-ids.ts';

/** What is left after a sale below this share of it is rounding: the sale was of all. */
const ALL_BUT = 1e-12;

export class Positions {
  readonly table: Table;
  readonly accounts: Uint32Array;
  readonly tokens: Uint32Array;
  /** Next position of the same account, 0: it is the last. */
  readonly next: Uint32Array;
  readonly trades: Uint32Array;
  /** Close times of the first and last trade, Ripple epoch seconds; 0: it has not been traded. */
  readonly first: Uint32Array;
  readonly last: Uint32Array;
  /** Tokens. */
  readonly bought: Float64Array;
  readonly sold: Float64Array;
  /** Drops paid for what was bought, and received for what was sold. */
  readonly spent: Float64Array;
  readonly received: Float64Array;
  /** Tokens bought and not sold, and what they cost in drops. */
  readonly held: Float64Array;
  readonly cost: Float64Array;
  /** Drops gained or lost by sales of what was bought. */
  readonly realised: Float64Array;
  /** Tokens bought from pools: a part of `bought`. For shares. */
  readonly fromPools: Float32Array;
  /** Tokens taken out of pools as their provider, less those put in. For shares. */
  readonly liquidity: Float32Array;
  readonly #boughtRest: Float32Array;
  readonly #soldRest: Float32Array;
  readonly #index: RowIndex;

  /** @param attached the table of another thread */
  constructor(capacity: number, attached?: TableDescription) {
    const table = attached ? Table.attach(attached) : new Table(TableId.positions, 'positions', capacity);
    this.table = table;
    this.accounts = table.u32('accounts');
    this.tokens = table.u32('tokens');
    this.next = table.u32('next');
    this.trades = table.u32('trades');
    this.first = table.u32('first');
    this.last = table.u32('last');
    this.bought = table.f64('bought');
    this.sold = table.f64('sold');
    this.spent = table.f64('spent');
    this.received = table.f64('received');
    this.held = table.f64('held');
    this.cost = table.f64('cost');
    this.realised = table.f64('realised');
    // Tables have no columns of 32-bit floats: their bits are stored as words.
    const f32 = (name: string) => new Float32Array(table.u32(name).buffer);
    this.fromPools = f32('fromPools');
    this.liquidity = f32('liquidity');
    this.#boughtRest = f32('boughtRest');
    this.#soldRest = f32('soldRest');
    this.#index = table.index('positions', (row) => hash2(this.accounts[row]!, this.tokens[row]!));
  }

  /** The row of a position; 0: there is none. */
  find(account: number, token: number): number {
    const index = this.#index;
    for (let slot = index.first(hash2(account, token)); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0 || (this.accounts[row] === account && this.tokens[row] === token)) return row;
    }
  }

  /** A new position. @param next the account's newest one so far. @throws TableFullError */
  add(account: number, token: number, next: number): number {
    const row = this.table.add();
    this.accounts[row] = account;
    this.tokens[row] = token;
    this.next[row] = next;
    this.#index.add(row);
    return row;
  }

  /** @param drops that were paid; 0: not known */
  buy(row: number, amount: number, drops: number, isPool: boolean): void {
    addWithRest(this.bought, this.#boughtRest, row, amount);
    if (isPool) this.fromPools[row]! += amount;
    if (drops > 0) {
      this.spent[row]! += drops;
      this.held[row]! += amount;
      this.cost[row]! += drops;
    }
    this.table.markDirty(row);
  }

  /** @param drops that were received; 0: not known. @returns drops gained (negative: lost), and whether any had a cost */
  sell(row: number, amount: number, drops: number): number {
    addWithRest(this.sold, this.#soldRest, row, amount);
    this.received[row]! += drops;
    this.table.markDirty(row);
    const held = this.held[row]!;
    if (!(held > 0) || !(amount > 0)) return 0;
    const isAll = amount >= held * (1 - ALL_BUT);
    const covered = isAll ? held : amount;
    const cost = isAll ? this.cost[row]! : Math.round((this.cost[row]! * covered) / held);
    const proceeds = amount <= held * (1 + ALL_BUT) ? drops : Math.round((drops * covered) / amount);
    this.held[row] = isAll ? 0 : held - covered;
    this.cost[row]! -= cost;
    if (drops === 0) return 0;
    this.realised[row]! += proceeds - cost;
    return proceeds - cost;
  }

  /** A ledger that closed at `time` traded it. */
  traded(row: number, time: number): void {
    if (this.trades[row]!++ === 0) this.first[row] = time;
    this.last[row] = time;
  }

  /** @param amount taken out of a pool; negative: put in */
  provide(row: number, amount: number): void {
    this.liquidity[row]! += amount;
    this.table.markDirty(row);
  }

  rebuilding(): RowSteps {
    return this.#index.filling(this.table.count);
  }
}
