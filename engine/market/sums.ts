/**
 * What ticks of a window add up to, by token. Every sum is an integer number of drops or a count, so adding and
 * taking back is exact up to 2^53 drops (9,007 million XRP) in one sum; a sum whose count is zero is zero again.
 */
import type { Columns } from './columns.ts';
import { ExactSums } from './exact-sum.ts';
import type { Ticks } from './ticks.ts';
import { NO_ACCOUNT, TickFlag } from './ticks.ts';
import { Traders } from './traders.ts';

/** Worth and number of the trades of one window. */
export class VolumeSums {
  readonly drops: Float64Array;
  readonly trades: Uint32Array;

  constructor(columns: Columns) {
    this.drops = columns.f64();
    this.trades = columns.u32();
  }

  add(token: number, drops: number): void {
    this.drops[token]! += drops;
    this.trades[token]!++;
  }

  remove(token: number, drops: number): void {
    this.drops[token] = --this.trades[token]! === 0 ? 0 : this.drops[token]! - drops;
  }

  clear(): void {
    this.drops.fill(0);
    this.trades.fill(0);
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
  private readonly ticks: Ticks;

  constructor(columns: Columns, ticks: Ticks) {
    this.ticks = ticks;
    this.buys = new VolumeSums(columns);
    this.sells = new VolumeSums(columns);
    this.amm = new VolumeSums(columns);
    this.book = new VolumeSums(columns);
    this.deposits = new VolumeSums(columns);
    this.withdrawals = new VolumeSums(columns);
    this.tokenVolume = new ExactSums(columns);
    this.traders = new Traders(columns);
  }

  /** A tick enters (or leaves) the sums of `target`: its own token, XRP or all. */
  enter(row: number, target: number): void {
    const flags = this.ticks.flags[row]!;
    const drops = this.ticks.drops[row]!;
    if (flags & (TickFlag.deposit | TickFlag.withdraw)) {
      (flags & TickFlag.deposit ? this.deposits : this.withdrawals).add(target, drops);
      return;
    }
    (flags & TickFlag.bought ? this.buys : this.sells).add(target, drops);
    (flags & TickFlag.amm ? this.amm : this.book).add(target, drops);
  }

  leave(row: number, target: number): void {
    const flags = this.ticks.flags[row]!;
    const drops = this.ticks.drops[row]!;
    if (flags & (TickFlag.deposit | TickFlag.withdraw)) {
      (flags & TickFlag.deposit ? this.deposits : this.withdrawals).remove(target, drops);
      return;
    }
    (flags & TickFlag.bought ? this.buys : this.sells).remove(target, drops);
    (flags & TickFlag.amm ? this.amm : this.book).remove(target, drops);
  }

  /** Token units and the two parties of a trade: the signer, and the owner of the offer on the other side. */
  enterParties(row: number, token: number, all: number): void {
    const { flags, account, maker, amount } = this.ticks;
    const bought = (flags[row]! & TickFlag.bought) !== 0;
    const other = maker[row]!;
    this.tokenVolume.add(token, amount[row]!, 1);
    this.traders.add(token, account[row]!, bought);
    this.traders.add(all, account[row]!, bought);
    if (other === NO_ACCOUNT) return;
    this.traders.add(token, other, !bought);
    this.traders.add(all, other, !bought);
  }

  leaveParties(row: number, token: number, all: number): void {
    const { flags, account, maker, amount } = this.ticks;
    const bought = (flags[row]! & TickFlag.bought) !== 0;
    const other = maker[row]!;
    this.tokenVolume.add(token, amount[row]!, -1);
    this.traders.remove(token, account[row]!, bought);
    this.traders.remove(all, account[row]!, bought);
    if (other === NO_ACCOUNT) return;
    this.traders.remove(token, other, !bought);
    this.traders.remove(all, other, !bought);
  }

  clear(): void {
    for (const sums of [this.buys, this.sells, this.amm, this.book, this.deposits, this.withdrawals])
      sums.clear();
    this.tokenVolume.clear();
    this.traders.clear();
  }
}
