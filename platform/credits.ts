/**
 * What wallets have spent of their credits. What they have is their plan (plans.ts): the allowance of their tier, and the
 * credits that they bought.
 *
 *     left = allowance of the tier - used in this cycle  +  bought in all - used of those
 *
 * Plans and what is spent have rows of their own, and different writers, so neither can undo the other's. Credits are spent
 * in memory: a request waits for no disk. It is written behind; a crash forgets what was spent in the last second, which is
 * the operator's loss, never the customer's. Amounts are whole tenths of a credit (a message on a socket costs one tenth).
 *
 * A cycle is 30 days, from when the wallet's first key was made, and from each beginning or end of a paid term. A clock that
 * is set back gives no allowance twice. Where a cycle begins more than 30 days from now, the clock was ahead when it began:
 * the cycles are then those of now again, with what is used of them.
 *
 * Cost: 0.05 us to spend; 0.5 KB a wallet in memory.
 */
import { DAY_MS } from '../engine/ripple-time.ts';
import type { Plans, PlanTier } from './plans.ts';
import { type Spender, Spending, type SpendingRow } from './spending.ts';
import type { PlatformStore } from './store.ts';

/** Units in which credits are counted. */
export const TENTHS = 10;

const CYCLE_MS = 30 * DAY_MS;

/** Credits that a tier has in a cycle; undefined: any number. */
export type AllowanceOf = (tier: PlanTier) => number | undefined;

interface AccountParts {
  readonly plans: Plans;
  readonly allowanceOf: AllowanceOf;
  /** What is kept of it must be written. */
  readonly onSpent: (account: CreditAccount) => void;
}

/** The credits of one wallet. One object for as long as the service runs. */
export class CreditAccount implements Spender {
  readonly wallet: string;
  readonly #parts: AccountParts;
  #used: number;
  #usedBought: number;
  #cycle: number;
  /** It is known that it must be written. */
  #isUnsaved = false;
  #tier: PlanTier = 'free';
  /** Tenths; Infinity: not counted. */
  #allowance = 0;
  /** Tenths in all. */
  #bought = 0;
  /** Unix ms from and until which plan and cycle need not be looked at again. */
  #since = 0;
  #until = Number.NEGATIVE_INFINITY;

  constructor(wallet: string, stored: SpendingRow, parts: AccountParts) {
    this.wallet = wallet;
    this.#parts = parts;
    this.#used = stored.used;
    this.#usedBought = stored.usedBought;
    this.#cycle = stored.cycle;
  }

  /** What it may do now. @param now Unix ms */
  tier(now: number): PlanTier {
    this.#look(now);
    return this.#tier;
  }

  /** The cycle of the allowance that runs, Unix ms. */
  cycle(now: number): { readonly start: number; readonly end: number } {
    this.#look(now);
    return { start: this.#cycle, end: this.#cycle + CYCLE_MS };
  }

  /** Tenths that are left; Infinity: they are not counted. */
  left(now: number): number {
    this.#look(now);
    return Math.max(0, this.#allowance - this.#used) + this.#restBought();
  }

  /** Tenths of this cycle's allowance that were used. */
  used(now: number): number {
    this.#look(now);
    return this.#used;
  }

  /** Tenths that were bought and are left. */
  boughtLeft(now: number): number {
    this.#look(now);
    return this.#restBought();
  }

  /** Uses up the allowance first, then what was bought. @returns false: that much is not left, and nothing is spent */
  spend(tenths: number, now: number): boolean {
    this.#look(now);
    const free = Math.min(tenths, Math.max(0, this.#allowance - this.#used));
    const rest = tenths - free;
    if (rest > this.#restBought()) return false;
    this.#used += free;
    this.#usedBought += rest;
    if (!this.#isUnsaved) {
      this.#isUnsaved = true;
      this.#parts.onSpent(this);
    }
    return true;
  }

  /** The plan of the wallet is another one. */
  planChanged(): void {
    this.#until = Number.NEGATIVE_INFINITY;
  }

  spent(): SpendingRow {
    this.#isUnsaved = false;
    return { cycle: this.#cycle, used: this.#used, usedBought: this.#usedBought };
  }

  /** None where more was spent than is left after a refund: that counts against what is bought next. */
  #restBought(): number {
    return Math.max(0, this.#bought - this.#usedBought);
  }

  /** Looks at the plan and the cycle where others than before may run: a clock may be set back, too. */
  #look(clock: number): void {
    const now = this.#parts.plans.timeAt(clock);
    if (now >= this.#until || now < this.#since) this.#renew(now);
  }

  #renew(now: number): void {
    const { plans, allowanceOf } = this.#parts;
    const { terms, purchasedCredits } = plans.of(this.wallet);
    this.#tier = plans.tierAt(this.wallet, now);
    const allowance = allowanceOf(this.#tier);
    this.#allowance = allowance === undefined ? Number.POSITIVE_INFINITY : allowance * TENTHS;
    this.#bought = purchasedCredits * TENTHS;
    const ends = terms.flatMap(({ start, end }) => [start, end]);
    const ahead = this.#cycle - now;
    const before = this.#cycle - (ahead > CYCLE_MS ? Math.ceil(ahead / CYCLE_MS) * CYCLE_MS : 0);
    const base = Math.max(before, ...ends.filter((at) => at <= now));
    const cycle = base + Math.floor(Math.max(0, now - base) / CYCLE_MS) * CYCLE_MS;
    if (cycle > this.#cycle) this.#used = 0;
    this.#cycle = cycle;
    this.#since = now;
    this.#until = Math.min(this.#cycle + CYCLE_MS, ...ends.filter((at) => at > now));
  }
}

export class CreditAccounts {
  readonly #parts: AccountParts;
  readonly #accounts = new Map<string, CreditAccount>();
  readonly #spending = new Spending();

  constructor(plans: Plans, allowanceOf: AllowanceOf) {
    this.#parts = { plans, allowanceOf, onSpent: (account) => this.#spending.changed(account) };
    plans.onChange((wallet) => this.#accounts.get(wallet)?.planChanged());
  }

  attach(store: PlatformStore): void {
    this.#spending.attach(store, (wallet, spent) => {
      const account = new CreditAccount(wallet, spent, this.#parts);
      this.#accounts.set(wallet, account);
      return account;
    });
  }

  /** undefined: the wallet never had a key. */
  of(wallet: string): CreditAccount | undefined {
    return this.#accounts.get(wallet);
  }

  /** The account of a wallet, made if it is new. Resolves when it is durable. @param now Unix ms */
  async open(wallet: string, now: number): Promise<CreditAccount> {
    const known = this.#accounts.get(wallet);
    if (known) return known;
    const cycle = this.#parts.plans.timeAt(now);
    const row = await this.#spending.open(wallet, { cycle, used: 0, usedBought: 0 });
    // Another call may have been faster.
    const account = this.#accounts.get(wallet) ?? new CreditAccount(wallet, row, this.#parts);
    this.#accounts.set(wallet, account);
    return account;
  }

  /** As spending.ts: gives wallets rows of their own. */
  settle(): Promise<void> {
    return this.#spending.settle();
  }

  /** Resolves when all that was spent is durable. */
  save(): Promise<void> {
    return this.#spending.save();
  }

  close(): Promise<void> {
    return this.#spending.close();
  }
}
