/** Who may use the service: keys, plans, credits and what they were used for, in one place for the gate and the routes. */
import { ApiKeys, KEY_COLLECTIONS } from './api-keys.ts';
import { type AllowanceOf, CreditAccounts } from './credits.ts';
import { DAY_COLLECTIONS } from './day-windows.ts';
import { FEEDBACK_COLLECTIONS } from './feedback.ts';
import { KeyUsages, USAGE_COLLECTIONS } from './key-usage.ts';
import { NOTE_COLLECTIONS } from './notes.ts';
import { PLAN_COLLECTIONS, Plans } from './plans.ts';
import { SeenSignatures, SIGNATURE_COLLECTIONS } from './seen-signatures.ts';
import { SPENDING_COLLECTIONS } from './spending.ts';
import type { PlatformStore } from './store.ts';

export const CUSTOMER_COLLECTIONS = [
  ...KEY_COLLECTIONS,
  ...PLAN_COLLECTIONS,
  ...SPENDING_COLLECTIONS,
  ...USAGE_COLLECTIONS,
  ...SIGNATURE_COLLECTIONS,
  ...FEEDBACK_COLLECTIONS,
  ...NOTE_COLLECTIONS,
  ...DAY_COLLECTIONS,
];

export class Customers {
  readonly keys = new ApiKeys();
  readonly plans = new Plans();
  readonly credits: CreditAccounts;
  readonly usage = new KeyUsages();
  readonly signatures = new SeenSignatures();
  #store: PlatformStore | undefined;

  constructor(allowanceOf: AllowanceOf) {
    this.credits = new CreditAccounts(this.plans, allowanceOf);
  }

  /** Takes in what is kept there, and keeps it there from now on. */
  attach(store: PlatformStore): void {
    this.#store = store;
    this.plans.attach(store);
    this.credits.attach(store);
    this.usage.attach(store);
    this.signatures.attach(store);
    this.keys.attach(store);
  }

  /** undefined: it is not open yet */
  get store(): PlatformStore | undefined {
    return this.#store;
  }

  /** Writes what is left to write. */
  async close(): Promise<void> {
    await Promise.all([this.credits.close(), this.usage.close()]);
  }
}
