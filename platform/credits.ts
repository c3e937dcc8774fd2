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
 * A cycle is 30 days, from when the wallet's first key was made, and from each beginning or end of a paid term. It never
 * moves back, whatever the clock does.
 *
 * Cost: 0.05 us to spend; 0.5 KB a wallet in memory.
 */
import type { Plans, PlanTier } from './plans.ts';
import type { Collection, PlatformStore } from './store.ts';
import { WriteBehind } from './write-behind.ts';

/** Units in which credits are counted. */
export const TENTHS = 10;

const CYCLE_MS = 30 * 86_400_000;

interface SpendingRow {
  /** Unix ms at which the cycle began. */
  readonly cycle: number;
  /** Tenths of the cycle's allowance that were used. */
  readonly used: number;
  /** Tenths of those bought that were used, in all. */
  readonly usedBought: number;
}

/** By r-address. */
const SPENDING: Collection<SpendingRow> = {
  name: 'credit-spending',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 256, rows: 1_000_000 },
  indexes: {},
};

export const CREDIT_COLLECTIONS = [SPENDING] as unknown as readonly Collection<unknown>[];

/** Credits that a tier has in a cycle; undefined: any number. */
export type AllowanceOf = (tier: PlanTier) => number | undefined;

interface AccountParts {
  readonly plans: Plans;
  readonly allowanceOf: AllowanceOf;
  /** What is kept of it must be written. */
  readonly onSpent: (account: CreditAccount) => void;
}

/** The credits of one wallet. One object for as long as the service runs. */
export class CreditAccount {
  readonly wallet: string;
  readonly #parts: AccountParts;
  /** As it is stored. */
  #stored: SpendingRow;
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
  /** Unix ms at which plan or cycle must be looked at again. */
  #until = Number.NEGATIVE_INFINITY;

  constructor(wallet: string, stored: SpendingRow, parts: AccountParts) {
    this.wallet = wallet;
    this.#parts = parts;
    this.#stored = stored;
    this.#used = stored.used;
    this.#usedBought = stored.usedBought;
    this.#cycle = stored.cycle;
  }

  /** What it may do now. @param now Unix ms */
  tier(now: number): PlanTier {
    if (now >= this.#until) this.#renew(now);
    return this.#tier;
  }

  /** The cycle of the allowance that runs, Unix ms. */
  cycle(now: number): { readonly start: number; readonly end: number } {
    if (now >= this.#until) this.#renew(now);
    return { start: this.#cycle, end: this.#cycle + CYCLE_MS };
  }

  /** Tenths that are left; Infinity: they are not counted. */
  left(now: number): number {
    if (now >= this.#until) this.#renew(now);
    return Math.max(0, this.#allowance - this.#used) + this.#bought - this.#usedBought;
  }

  /** Tenths of this cycle's allowance that were used. */
  used(now: number): number {
    if (now >= this.#until) this.#renew(now);
    return this.#used;
  }

  /** Tenths that were bought and are left. */
  boughtLeft(now: number): number {
    if (now >= this.#until) this.#renew(now);
    return this.#bought - this.#usedBought;
  }

  /** Uses up the allowance first, then what was bought. @returns false: that much is not left, and nothing is spent */
  spend(tenths: number, now: number): boolean {
    if (now >= this.#until) this.#renew(now);
    const free = Math.min(tenths, Math.max(0, this.#allowance - this.#used));
    const rest = tenths - free;
    if (rest > this.#bought - this.#usedBought) return false;
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

  /** What must be written; undefined: nothing was spent since. */
  unsaved(): SpendingRow | undefined {
    this.#isUnsaved = false;
    const { cycle, used, usedBought } = this.#stored;
    if (used === this.#used && usedBought === this.#usedBought && cycle === this.#cycle) return undefined;
    return { cycle: this.#cycle, used: this.#used, usedBought: this.#usedBought };
  }

  saved(row: SpendingRow): void {
    this.#stored = row;
  }

  /** Looks at the plan and the cycle. */
  #renew(now: number): void {
    const { plans, allowanceOf } = this.#parts;
    const { terms, purchasedCredits } = plans.of(this.wallet);
    this.#tier = plans.tierOf(this.wallet, now);
    const allowance = allowanceOf(this.#tier);
    this.#allowance = allowance === undefined ? Number.POSITIVE_INFINITY : allowance * TENTHS;
    this.#bought = purchasedCredits * TENTHS;
    const ends = terms.flatMap(({ start, end }) => [start, end]);
    const base = Math.max(this.#cycle, ...ends.filter((at) => at <= now));
    const cycle = base + Math.floor(Math.max(0, now - base) / CYCLE_MS) * CYCLE_MS;
    if (cycle > this.#cycle) {
      this.#cycle = cycle;
      this.#used = 0;
    }
    this.#until = Math.min(this.#cycle + CYCLE_MS, ...ends.filter((at) => at > now));
  }
}

export class CreditAccounts {
  #store: PlatformStore | undefined;
  readonly #parts: AccountParts;
  readonly #accounts = new Map<string, CreditAccount>();
  readonly #behind = new WriteBehind<CreditAccount>((account, transaction) => {
    const row = account.unsaved();
    if (!row) return undefined;
    transaction.put(SPENDING, [account.wallet], row);
    return () => account.saved(row);
  });

  constructor(plans: Plans, allowanceOf: AllowanceOf) {
    this.#parts = { plans, allowanceOf, onSpent: (account) => this.#behind.changed(account) };
    plans.onChange((wallet) => this.#accounts.get(wallet)?.planChanged());
  }

  attach(store: PlatformStore): void {
    this.#store = store;
    store.walk(SPENDING, {}, (spent, [wallet]) => {
      this.#accounts.set(String(wallet), new CreditAccount(String(wallet), spent, this.#parts));
      return true;
    });
    this.#behind.attach(store);
  }

  /** undefined: the wallet never had a key. */
  of(wallet: string): CreditAccount | undefined {
    return this.#accounts.get(wallet);
  }

  /** The account of a wallet, made if it is new. Resolves when it is durable. @param now Unix ms */
  async open(wallet: string, now: number): Promise<CreditAccount> {
    const known = this.#accounts.get(wallet);
    if (known) return known;
    const row = await this.#store!.transaction((transaction) => {
      const before = transaction.get(SPENDING, [wallet]);
      if (before) return before;
      const first = { cycle: now, used: 0, usedBought: 0 };
      transaction.put(SPENDING, [wallet], first);
      return first;
    });
    // Another call may have been faster.
    const account = this.#accounts.get(wallet) ?? new CreditAccount(wallet, row, this.#parts);
    this.#accounts.set(wallet, account);
    return account;
  }

  /** Resolves when all that was spent is durable. */
  save(): Promise<void> {
    return this.#behind.save();
  }

  close(): Promise<void> {
    return this.#behind.close();
  }
}
