/**
 * Sums of the ticks of a window, by token. Every sum is an integer number of drops or a count, so adding and
 * removing is exact up to 2^53 drops (9,007 million XRP) in one sum; a sum whose count is zero is zero again. (All
 * trades of 30 days come to a fifth of that in 2025. Beyond it a sum is off by a few drops until its window empties.)
 */
import type { Columns } from './columns.ts';
import { ExactSums } from './exact-sum.ts';
import type { Ticks } from './ticks.ts';
import { NO_ACCOUNT, TickFlag } from './ticks.ts';
import { Traders } from './traders.ts';

/** Value and number of the trades of one window. */
export class VolumeSums {
  readonly drops: Float64Array;
  readonly trades: Uint32Array;
  /** Rows that have a trade. */
  traded = 0;

  constructor(columns: Columns) {
    this.drops = columns.f64();
    this.trades = columns.u32();
  }

  add(token: number, drops: number, trades = 1): void {
    if (this.trades[token] === 0 && trades > 0) this.traded++;
    this.drops[token]! += drops;
    this.trades[token]! += trades;
  }

  remove(token: number, drops: number, trades = 1): void {
    this.trades[token]! -= trades;
    const isEmpty = this.trades[token] === 0;
    if (isEmpty && trades > 0) this.traded--;
    this.drops[token] = isEmpty ? 0 : this.drops[token]! - drops;
  }

  clear(): void {
    this.drops.fill(0);
    this.trades.fill(0);
    this.traded = 0;
  }
}

/** The further figures of the last 24 hours. */
export class DaySums {
  readonly buys: VolumeSums;
  readonly sells: VolumeSums;
  readonly amm: VolumeSums;
  readonly book: VolumeSums;
  readonly deposits: VolumeSums;
  readonly withdrawals: VolumeSums;
  readonly tokenVolume: ExactSums;
  readonly traders: Traders;
  readonly #ticks: Ticks;

  constructor(columns: Columns, ticks: Ticks) {
    this.#ticks = ticks;
    this.buys = new VolumeSums(columns);
    this.sells = new VolumeSums(columns);
    this.amm = new VolumeSums(columns);
    this.book = new VolumeSums(columns);
    this.deposits = new VolumeSums(columns);
    this.withdrawals = new VolumeSums(columns);
    this.tokenVolume = new ExactSums(columns);
    this.traders = new Traders(columns);
  }

  /** A tick enters the sums of a row: its own token's, XRP's (which is bought where the token is sold) or all. */
  enter(row: number, target: number, bought: boolean): void {
    const flags = this.#ticks.flags[row]!;
    const drops = this.#ticks.drops[row]!;
    if (flags & (TickFlag.deposit | TickFlag.withdraw)) {
      (flags & TickFlag.deposit ? this.deposits : this.withdrawals).add(target, drops);
      return;
    }
    (bought ? this.buys : this.sells).add(target, drops);
    (flags & TickFlag.amm ? this.amm : this.book).add(target, drops);
  }

  /** The same tick leaves them. */
  leave(row: number, target: number, bought: boolean): void {
    const flags = this.#ticks.flags[row]!;
    const drops = this.#ticks.drops[row]!;
    if (flags & (TickFlag.deposit | TickFlag.withdraw)) {
      (flags & TickFlag.deposit ? this.deposits : this.withdrawals).remove(target, drops);
      return;
    }
    (bought ? this.buys : this.sells).remove(target, drops);
    (flags & TickFlag.amm ? this.amm : this.book).remove(target, drops);
  }

  /** The two parties of a trade: the signer, and the owner of the offer on the other side. */
  enterParties(row: number, target: number, bought: boolean): void {
    const { account, maker } = this.#ticks;
    const other = maker[row]!;
    this.traders.add(target, account[row]!, bought);
    if (other !== NO_ACCOUNT) this.traders.add(target, other, !bought);
  }

  leaveParties(row: number, target: number, bought: boolean): void {
    const { account, maker } = this.#ticks;
    const other = maker[row]!;
    this.traders.remove(target, account[row]!, bought);
    if (other !== NO_ACCOUNT) this.traders.remove(target, other, !bought);
  }

  clear(): void {
    for (const sums of [this.buys, this.sells, this.amm, this.book, this.deposits, this.withdrawals])
      sums.clear();
    this.tokenVolume.clear();
    this.traders.clear();
  }
}
