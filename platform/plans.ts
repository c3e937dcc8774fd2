/**
 * What wallets have bought or been given: paid terms, credits of packages, and a tier that the operator grants. A wallet's
 * tier follows from its plan and the time; its keys have that tier. What is spent of the credits is kept elsewhere.
 *
 * A purchase is applied in the transaction that stores its cause (a payment), and shown when that is durable. All plans
 * are in memory: a request's tier is a map lookup.
 */
import type { Purchase } from './billing/purchase.ts';
import type { Collection, PlatformReads, PlatformStore, PlatformTransaction } from './store.ts';
import {
  type Moment,
  runningTerm,
  type SoldTier,
  type Term,
  termTime,
  withoutTerm,
  withTerm,
} from './terms.ts';

/** Tiers of wallets, the lowest first. */
const RANKS = ['free', 'developer', 'partner', 'business', 'professional', 'enterprise'] as const;
export type PlanTier = (typeof RANKS)[number];
/** Tiers that are not sold. */
export type GrantedTier = Exclude<PlanTier, SoldTier | 'free'>;

export interface Plan {
  readonly terms: readonly Term[];
  /** Of all packages so far. */
  readonly purchasedCredits: number;
  /** Without an end. */
  readonly granted?: GrantedTier;
}

/** By r-address. */
const PLANS: Collection<Plan> = {
  name: 'plans',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 2048, rows: 1_000_000 },
  indexes: {},
};

export const PLAN_COLLECTIONS = [PLANS] as unknown as readonly Collection<unknown>[];

const NONE: Plan = { terms: [], purchasedCredits: 0 };

export class Plans {
  #store: PlatformStore | undefined;
  #present: () => number | undefined = () => undefined;
  /** ms that the clock lacks to the time that terms run by. */
  #wrongBy = 0;
  readonly #plans = new Map<string, Plan>();
  readonly #listeners = new Set<(wallet: string) => void>();
  /** Plans that were written since the start, in the order of their transactions. */
  readonly #order = new WeakMap<Plan, number>();
  #written = 0;

  /** Takes in all plans, and stores from now on. */
  attach(store: PlatformStore): void {
    this.#store = store;
    store.walk(PLANS, {}, (plan, [wallet]) => {
      this.#plans.set(String(wallet), plan);
      return true;
    });
  }

  /** @param present Unix ms, as {@link termTime} has it */
  follow(present: () => number | undefined): void {
    this.#present = present;
  }

  /** The time that terms and credits run by. @param clock Unix ms: as wrong as when the present was last shown, while it is not */
  timeAt(clock: number): number {
    const present = this.#present();
    if (present !== undefined) this.#wrongBy = termTime(clock, present) - clock;
    return clock + this.#wrongBy;
  }

  of(wallet: string): Plan {
    return this.#plans.get(wallet) ?? NONE;
  }

  /** Terms that have not ended. @param clock Unix ms */
  termsOf(wallet: string, clock: number): readonly Term[] {
    const now = this.timeAt(clock);
    return this.of(wallet).terms.filter(({ end }) => end > now);
  }

  /** The term that runs. @param clock Unix ms */
  runningTermOf(wallet: string, clock: number): Term | undefined {
    return runningTerm(this.of(wallet).terms, this.timeAt(clock));
  }

  /** @param clock Unix ms */
  tierOf(wallet: string, clock: number): PlanTier {
    return this.tierAt(wallet, this.timeAt(clock));
  }

  /** @param now as {@link timeAt} has it, which must not be asked of it again: it would be taken for the clock */
  tierAt(wallet: string, now: number): PlanTier {
    const plan = this.#plans.get(wallet);
    if (!plan) return 'free';
    const sold = runningTerm(plan.terms, now)?.tier;
    const rank = (tier: PlanTier | undefined) => (tier === undefined ? 0 : RANKS.indexOf(tier));
    return RANKS[Math.max(rank(sold), rank(plan.granted))]!;
  }

  /** Called with the wallet whenever its plan has changed. */
  onChange(listener: (wallet: string) => void): void {
    this.#listeners.add(listener);
  }

  /** Writes what a purchase changes. @param at as {@link timeAt} has it */
  deliver(
    transaction: PlatformTransaction,
    wallet: string,
    purchase: Purchase,
    at: Moment,
  ): { applied(): void } {
    const before = this.in(transaction, wallet);
    const after =
      purchase.type === 'credits'
        ? { ...before, purchasedCredits: before.purchasedCredits + purchase.credits }
        : { ...before, terms: withTerm(before.terms, purchase.tier, purchase.billing, at) };
    return this.#write(transaction, wallet, after);
  }

  /** Writes what the refund of a purchase changes, as {@link deliver}. */
  takeBack(
    transaction: PlatformTransaction,
    wallet: string,
    purchase: Purchase,
    at: Moment,
  ): { applied(): void } {
    const before = this.in(transaction, wallet);
    const after =
      purchase.type === 'credits'
        ? { ...before, purchasedCredits: Math.max(0, before.purchasedCredits - purchase.credits) }
        : { ...before, terms: withoutTerm(before.terms, purchase.tier, purchase.billing, at) };
    return this.#write(transaction, wallet, after);
  }

  /** Gives a wallet a tier without an end, or takes it back. Resolves when it is durable. */
  async grant(wallet: string, granted: GrantedTier | undefined): Promise<void> {
    const change = await this.#store!.transaction((transaction) =>
      this.granting(transaction, wallet, () => granted),
    );
    change.applied();
  }

  /** The same within a transaction, as {@link deliver}. @param choose the tier, from what is granted so far */
  granting(
    transaction: PlatformTransaction,
    wallet: string,
    choose: (before: GrantedTier | undefined) => GrantedTier | undefined,
  ): { applied(): void } {
    const { terms, purchasedCredits, granted: before } = this.in(transaction, wallet);
    const granted = choose(before);
    return this.#write(transaction, wallet, { terms, purchasedCredits, ...(granted && { granted }) });
  }

  /** As of a transaction, which may come after one that is not shown yet. */
  in(transaction: PlatformReads, wallet: string): Plan {
    return transaction.get(PLANS, [wallet]) ?? NONE;
  }

  #write(transaction: PlatformTransaction, wallet: string, plan: Plan): { applied(): void } {
    transaction.put(PLANS, [wallet], plan);
    const place = ++this.#written;
    this.#order.set(plan, place);
    return {
      applied: () => {
        // Whoever waits for a later transaction may have been told first.
        const shown = this.#order.get(this.of(wallet)) ?? 0;
        if (shown < place) this.#plans.set(wallet, plan);
        for (const listener of this.#listeners) listener(wallet);
      },
    };
  }
}
