/** Customers on a real store, which can be closed and opened again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LmdbPlatformStore, openPlatformStore } from '../../data/platform-store.ts';
import { CUSTOMER_COLLECTIONS, Customers } from '../../platform/customers.ts';
import { DEFAULT_TIERS } from '../../requests/admission-settings.ts';

export class CustomerRig {
  customers!: Customers;
  store!: LmdbPlatformStore;
  readonly #dir = mkdtempSync(join(tmpdir(), 'millrace-customers-'));

  async open(): Promise<Customers> {
    this.store = await openPlatformStore({
      dir: this.#dir,
      network: 'test',
      collections: CUSTOMER_COLLECTIONS,
    });
    this.customers = new Customers((tier) => DEFAULT_TIERS[tier].creditsPerMonth);
    this.customers.attach(this.store);
    return this.customers;
  }

  /** @param isKilled what was not written yet is lost */
  async restart(isKilled = false): Promise<Customers> {
    if (!isKilled) await this.customers.close();
    await this.store.close();
    return this.open();
  }

  async stop(): Promise<void> {
    await this.customers.close();
    await this.store.close();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
