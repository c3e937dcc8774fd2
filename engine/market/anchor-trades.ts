/**
 * Trades against XRP, in the last 60 minutes, of tokens that claim to be fiat money: sums by token and minute.
 *
 * Derived from the ticks: a restart sums them again. A token that has not traded for a day is dropped.
 */
import { DROPS_PER_XRP } from '../codec/amount.ts';
import { MINUTE } from '../ripple-time.ts';
import { TickFlag, type Ticks } from './ticks.ts';

const MINUTES = 60;
/** Ticks whose price, if any, no trade of their own set. */
const NO_PRICE = TickFlag.deposit | TickFlag.withdraw | TickFlag.quoted;

/** By minute modulo MINUTES. */
interface Sums {
  readonly minutes: Float64Array;
  readonly drops: Float64Array;
  readonly units: Float64Array;
  /** Close time of the last trade. */
  last: number;
  /** The minute that `hour` was last asked for, and the sums of the 59 before it; NO_MINUTE: not known. */
  minute: number;
  olderDrops: number;
  olderUnits: number;
}

const NO_MINUTE = -1;

export interface HourTrades {
  /** XRP per unit, volume-weighted; 0 without a trade. */
  readonly price: number;
  /** XRP traded. */
  readonly volume: number;
}

const NO_TRADES: HourTrades = { price: 0, volume: 0 };

export class AnchorTrades {
  readonly #sums = new Map<number, Sums>();

  /** Tokens that traded within a day or so. */
  get tokens(): Iterable<number> {
    return this.#sums.keys();
  }

  /** Adds a tick of a token. @returns whether it was a priced trade against XRP */
  add(ticks: Ticks, row: number): boolean {
    const flags = ticks.flags[row]!;
    if (ticks.price[row] === 0 || flags & NO_PRICE || (flags & TickFlag.xrpLeg) === 0) return false;
    const sums = this.#of(ticks.token[row]!);
    const time = ticks.time[row]!;
    const minute = Math.floor(time / MINUTE);
    const at = minute % MINUTES;
    if (minute !== sums.minute) sums.minute = NO_MINUTE;
    if (sums.minutes[at] !== minute) {
      sums.minutes[at] = minute;
      sums.drops[at] = 0;
      sums.units[at] = 0;
    }
    sums.drops[at]! += ticks.drops[row]!;
    sums.units[at]! += ticks.amount[row]!;
    sums.last = time;
    return true;
  }

  #of(token: number): Sums {
    let sums = this.#sums.get(token);
    if (sums === undefined) {
      const column = () => new Float64Array(MINUTES);
      sums = {
        minutes: column(),
        drops: column(),
        units: column(),
        last: 0,
        minute: NO_MINUTE,
        olderDrops: 0,
        olderUnits: 0,
      };
      this.#sums.set(token, sums);
    }
    return sums;
  }

  /** The 60 minutes up to a close time. Asked with every ledger: only the first one of a minute passes all of them. */
  hour(token: number, time: number): HourTrades {
    const sums = this.#sums.get(token);
    if (sums === undefined) return NO_TRADES;
    const newest = Math.floor(time / MINUTE);
    if (sums.minute !== newest) sumOlder(sums, newest);
    const at = newest % MINUTES;
    const isTraded = sums.minutes[at] === newest;
    const drops = sums.olderDrops + (isTraded ? sums.drops[at]! : 0);
    const units = sums.olderUnits + (isTraded ? sums.units[at]! : 0);
    const volume = drops / DROPS_PER_XRP;
    const price = volume / units;
    return units > 0 && Number.isFinite(price) ? { price, volume } : NO_TRADES;
  }

  /** Close time of the last trade of a token, 0 when none is known. */
  last(token: number): number {
    return this.#sums.get(token)?.last ?? 0;
  }

  /** Drops tokens that have not traded since a time. */
  dropIdle(before: number): void {
    for (const [token, { last }] of this.#sums) if (last <= before) this.#sums.delete(token);
  }

  clear(): void {
    this.#sums.clear();
  }
}

/** Sums the 59 minutes before one, oldest first. */
function sumOlder(sums: Sums, newest: number): void {
  let drops = 0;
  let units = 0;
  for (let minute = newest - MINUTES + 1; minute < newest; minute++) {
    const at = minute % MINUTES;
    if (sums.minutes[at] !== minute) continue;
    drops += sums.drops[at]!;
    units += sums.units[at]!;
  }
  sums.minute = newest;
  sums.olderDrops = drops;
  sums.olderUnits = units;
}
