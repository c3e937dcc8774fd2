/** An embedded network, an engine that follows it, and a shop whose payments are counted: on one clock. */
import { openPlatformStore } from '../../../data/platform-store.ts';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import { RIPPLE_EPOCH } from '../../../engine/ripple-time.ts';
import { BILLING_COLLECTIONS, Billing } from '../../../platform/billing/billing.ts';
import type { CardProcessor } from '../../../platform/billing/card.ts';
import { INVOICES, type Invoice, type Invoices } from '../../../platform/billing/invoices.ts';
import type { Purchase } from '../../../platform/billing/purchase.ts';
import type { XrpPayment, XrpPayments } from '../../../platform/billing/xrp-payments.ts';
import { CUSTOMER_COLLECTIONS, Customers } from '../../../platform/customers.ts';
import type { Plans } from '../../../platform/plans.ts';
import type { PlatformStore } from '../../../platform/store.ts';
import { DEFAULT_TIERS } from '../../../requests/admission-settings.ts';
import type { ClosedLedger } from '../../../sandbox/ledger/ledger.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { quiet } from '../../live-rig.ts';
import { NetworkRig } from '../../sandbox/node/network-rig.ts';
import type { TestAccount } from '../../sandbox/rig.ts';

const COLLECTIONS = [...CUSTOMER_COLLECTIONS, ...BILLING_COLLECTIONS];
export const STARTER: Purchase = { type: 'credits', package: 'starter', credits: 1_000_000 };
export const PRICE = 20_000_000;

type Json = Record<string, unknown>;

export class Shop {
  readonly rig: NetworkRig;
  readonly merchant: TestAccount;
  readonly ledgers: ClosedLedger[];
  engine!: Engine;
  store!: PlatformStore & { close(): Promise<void> };
  customers!: Customers;
  billing!: Billing;
  /** Seconds by which the shop's clock is ahead of the network's. */
  ahead = 0;
  /** What the network shows is the present. */
  isPresent = true;
  /** Takes cards from the next start on. */
  card: CardProcessor | undefined;
  readonly #dir: string;
  #engineStore = new MemoryStore();

  private constructor(dir: string, rig: NetworkRig, merchant: TestAccount, ledgers: ClosedLedger[]) {
    this.#dir = dir;
    this.rig = rig;
    this.merchant = merchant;
    this.ledgers = ledgers;
  }

  /** Customers are in the ledger, too, with 10,000 XRP each. */
  static async open(dir: string, ...customers: readonly string[]): Promise<Shop> {
    const rig = new NetworkRig();
    const first = rig.network.closed;
    const [merchant] = rig.fund(['merchant', ...customers], '10000000000');
    const shop = new Shop(dir, rig, merchant!, [first, rig.network.closed]);
    await shop.start();
    return shop;
  }

  get plans(): Plans {
    return this.customers.plans;
  }

  get invoices(): Invoices {
    return this.billing.invoices;
  }

  get payments(): XrpPayments {
    return this.billing.payments!;
  }

  /** Unix ms of the network's clock. */
  get now(): number {
    return (this.rig.time + this.ahead + RIPPLE_EPOCH) * 1000;
  }

  /** Close time of the newest ledger, Unix ms. */
  get closedAt(): number {
    return this.engine.head!.closeTimeMs;
  }

  /** @param lose the engine's store: every ledger is read again */
  async start(lose = false): Promise<void> {
    if (lose) this.#engineStore = new MemoryStore();
    this.engine = new Engine({ store: this.#engineStore, log: quiet });
    this.engine.restore();
    this.store = await openPlatformStore({ dir: this.#dir, network: 0, collections: COLLECTIONS });
    this.customers = new Customers((tier) => DEFAULT_TIERS[tier].creditsPerMonth);
    this.customers.attach(this.store);
    this.billing = new Billing({
      customers: this.customers,
      address: this.merchant.address,
      card: this.card,
      log: quiet,
      now: () => this.now,
    });
    this.watch();
    await this.catchUp();
  }

  /** Begins to follow payments. */
  watch(): void {
    const shop = this;
    this.billing.attach(this.store, {
      engine: this.engine,
      get presentMs() {
        return shop.isPresent ? shop.closedAt : undefined;
      },
      get ready() {
        return shop.isPresent;
      },
    });
  }

  /** Applies the ledgers that the engine does not have. */
  async catchUp(): Promise<void> {
    const { engine } = this;
    for (const ledger of this.ledgers) {
      if (ledger.index <= (engine.head?.index ?? 0)) continue;
      const packed = ledger.packed();
      await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), false);
    }
    await engine.drain();
    await this.payments.idle();
  }

  async stop(): Promise<void> {
    await this.billing.stop();
    await this.customers.close();
    await this.store.close();
  }

  /** Another process, with what is stored. */
  async restart(lose = false): Promise<void> {
    await this.stop();
    await this.start(lose);
  }

  invoice(customer: string, purchase = STARTER, drops = PRICE): Promise<Invoice> {
    const { address } = this.rig.account(customer);
    return this.billing.invoiceXrp({ wallet: address, purchase, usdCents: 500 }, drops);
  }

  /** Of all invoices of the store, paid or not. */
  tags(): number[] {
    const tags: number[] = [];
    this.store.walk(INVOICES, {}, (invoice) => {
      tags.push(this.tagOf(invoice));
      return true;
    });
    return tags.sort((a, b) => a - b);
  }

  tagOf({ way }: Invoice): number {
    if (way.by !== 'xrp') throw new Error('no invoice in XRP');
    return way.tag;
  }

  /** Pays, closes the ledger and follows it. @returns what has become of the payment */
  async pay(from: string, tag: number | undefined, changes: Json = {}): Promise<XrpPayment | undefined> {
    const hash = this.submit(from, tag, changes);
    await this.close();
    return this.payments.of(hash);
  }

  /** @returns hash of the transaction */
  submit(from: string, tag: number | undefined, changes: Json = {}): string {
    const transaction = this.rig.signed(this.rig.account(from), {
      TransactionType: 'Payment',
      Destination: this.merchant.address,
      Amount: String(PRICE),
      ...(tag !== undefined && { DestinationTag: tag }),
      ...changes,
    });
    this.rig.network.submit(transaction);
    return transaction.hash;
  }

  async close(): Promise<void> {
    this.ledgers.push(this.rig.close());
    await this.catchUp();
  }

  credits(customer: string): number {
    return this.plans.of(this.rig.account(customer).address).purchasedCredits;
  }
}
