/**
 * What wallets have bought or been given: paid terms, credits of packages, and a tier that the operator grants. A wallet's
 * tier follows from its plan and the time; its keys have that tier. What is spent of the credits is kept elsewhere.
 *
 * A purchase is applied in the transaction that stores its cause (a payment), and shown when that is durable. All plans
 * are in memory: a request's tier is a map lookup.
 */
import type { Collection, PlatformStore, PlatformTransaction } from './store.ts';
import { type Billing, runningTerm, type SoldTier, type Term, withTerm } from './terms.ts';

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

/** What one payment buys. */
export type Purchase =
  | { readonly type: 'credits'; readonly package: string; readonly credits: number }
  | { readonly type: 'tier'; readonly tier: SoldTier; readonly billing: Billing };

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
  readonly #plans = new Map<string, Plan>();
  readonly #listeners = new Set<(wallet: string) => void>();

  /** Takes in all plans, and stores from now on. */
  attach(store: PlatformStore): void {
    this.#store = store;
    store.walk(PLANS, {}, (plan, [wallet]) => {
      this.#plans.set(String(wallet), plan);
      return true;
    });
  }

  of(wallet: string): Plan {
    return this.#plans.get(wallet) ?? NONE;
  }

  /** @param now Unix ms */
  tierOf(wallet: string, now: number): PlanTier {
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

  /**
   * Writes what a purchase changes; call {@link applied} with the result when the transaction is durable.
   * @param now Unix ms
   */
  apply(transaction: PlatformTransaction, wallet: string, purchase: Purchase, now: number): Plan {
    const before = transaction.get(PLANS, [wallet]) ?? NONE;
    const after =
      purchase.type === 'credits'
        ? { ...before, purchasedCredits: before.purchasedCredits + purchase.credits }
        : { ...before, terms: withTerm(before.terms, purchase.tier, purchase.billing, now) };
    transaction.put(PLANS, [wallet], after);
    return after;
  }

  applied(wallet: string, plan: Plan): void {
    this.#plans.set(wallet, plan);
    for (const listener of this.#listeners) listener(wallet);
  }

  /** Gives a wallet a tier without an end, or takes it back. Resolves when it is durable. */
  async grant(wallet: string, granted: GrantedTier | undefined): Promise<void> {
    const after = await this.#store!.transaction((transaction) =>
      this.granting(transaction, wallet, granted),
    );
    this.applied(wallet, after);
  }

  /** The same within a transaction, as {@link apply}. */
  granting(transaction: PlatformTransaction, wallet: string, granted: GrantedTier | undefined): Plan {
    const { terms, purchasedCredits } = transaction.get(PLANS, [wallet]) ?? NONE;
    const after = { terms, purchasedCredits, ...(granted && { granted }) };
    transaction.put(PLANS, [wallet], after);
    return after;
  }
}
