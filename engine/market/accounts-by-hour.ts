/**
 * How many accounts were last seen in each of the newest hours (of close time): so the distinct accounts since the start
 * of an hour are a sum over hours, instead of a pass over millions of accounts. Seen: whatever the owner calls so.
 *
 *     slot = hour mod 720      a slot whose hour is another is an old one
 *
 * Derived: filled again from each account's last time, in any order. Cost: two counters an account and ledger; 6 kB.
 */
import { DAY_HOURS, HOUR } from '../ripple-time.ts';

/** 30 days. */
export const HOURS_KEPT = 30 * DAY_HOURS;
const NEVER = 0;

export class AccountsByHour {
  readonly #hours = new Uint32Array(HOURS_KEPT);
  readonly #accounts = new Uint32Array(HOURS_KEPT);

  /** An account was seen again. @param before close time of the time before, 0: never. @param now not before it */
  moved(before: number, now: number): void {
    const from = Math.floor(before / HOUR);
    const to = Math.floor(now / HOUR);
    if (before !== NEVER) {
      if (from === to) return;
      const slot = from % HOURS_KEPT;
      if (this.#hours[slot] === from) this.#accounts[slot]!--;
    }
    this.#add(to);
  }

  /** Accounts last seen in that hour (close time / 3600) or later; at most HOURS_KEPT hours back. */
  since(first: number): number {
    let accounts = 0;
    for (let slot = 0; slot < HOURS_KEPT; slot++)
      if (this.#hours[slot]! >= first) accounts += this.#accounts[slot]!;
    return accounts;
  }

  clear(): void {
    this.#hours.fill(0);
    this.#accounts.fill(0);
  }

  #add(hour: number): void {
    const slot = hour % HOURS_KEPT;
    if (this.#hours[slot]! > hour) return;
    if (this.#hours[slot]! < hour) {
      this.#hours[slot] = hour;
      this.#accounts[slot] = 0;
    }
    this.#accounts[slot]!++;
  }
}
