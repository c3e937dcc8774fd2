/** What is bought and how it is paid, in one place for the routes: invoices, payments in XRP and by card, partners. */
import type { Engine } from '../../engine/engine.ts';
import type { Log } from '../../engine/log.ts';
import { Fiat } from '../../engine/market/figures.ts';
import type { Customers } from '../customers.ts';
import type { PlatformStore } from '../store.ts';
import { beginningAt, type Moment } from '../terms.ts';
import type { CardProcessor, CardState } from './card.ts';
import {
  INVOICE_COLLECTIONS,
  INVOICE_MS,
  type Invoice,
  Invoices,
  type NewInvoice,
  newId,
} from './invoices.ts';
import { PARTNER_COLLECTIONS, PartnerRequests } from './partners.ts';
import { PAYMENT_COLLECTIONS, XrpPayments } from './xrp-payments.ts';

export const BILLING_COLLECTIONS = [...INVOICE_COLLECTIONS, ...PAYMENT_COLLECTIONS, ...PARTNER_COLLECTIONS];

export interface BillingParts {
  readonly customers: Customers;
  /** r-address that is paid to; undefined: nothing can be paid in XRP. */
  readonly address: string | undefined;
  /** undefined: nothing can be paid by card. */
  readonly card: CardProcessor | undefined;
  readonly log: Log;
  /** Unix ms. */
  readonly now: () => number;
}

/** The network on which payments are made. */
export interface PaidNetwork {
  readonly engine: Engine;
  /** What it shows is the present. */
  readonly ready: boolean;
  /** When its newest ledger closed, Unix ms; undefined: that says nothing of the time now. */
  readonly presentMs: number | undefined;
}

export interface CardPage {
  readonly title: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
}

export class Billing {
  readonly invoices: Invoices;
  readonly partners: PartnerRequests;
  readonly address: string | undefined;
  readonly card: CardProcessor | undefined;
  readonly #parts: BillingParts;
  #network: PaidNetwork | undefined;
  #payments: XrpPayments | undefined;

  constructor(parts: BillingParts) {
    const { customers, address, card } = parts;
    this.#parts = parts;
    this.address = address;
    this.card = card;
    const { plans } = customers;
    this.invoices = new Invoices(
      (...bought) => plans.deliver(...bought),
      (...bought) => plans.takeBack(...bought),
    );
    this.partners = new PartnerRequests(plans);
  }

  /** Keeps everything there, and follows the payments of the network. */
  attach(store: PlatformStore, network: PaidNetwork): void {
    const { address, log, customers } = this.#parts;
    const { engine } = network;
    this.#network = network;
    customers.plans.follow(() => network.presentMs);
    this.invoices.attach(store);
    this.partners.attach(store);
    if (address !== undefined)
      this.#payments = new XrpPayments({
        address,
        engine,
        invoices: this.invoices,
        store,
        log,
        now: () => this.now,
      });
  }

  /** The time that invoices run by, as terms do: Unix ms. */
  get now(): number {
    return this.#parts.customers.plans.timeAt(this.#parts.now());
  }

  /**
   * XRP for a US dollar on the network that is paid on, whichever network is asked about: another one's price is worth
   * nothing there. undefined: there is none, or what is known is not of now.
   */
  get xrpPerUsd(): number | undefined {
    return this.#network?.ready ? this.#network.engine.market.rates.xrpPer(Fiat.USD) : undefined;
  }

  /** An invoice to be paid in XRP from now on. Resolves when it is durable. */
  invoiceXrp(wanted: NewInvoice, drops: number): Promise<Invoice> {
    const since = this.#network?.engine.head?.index ?? 0;
    return this.invoices.createXrp(wanted, drops, since, this.#moment());
  }

  /** Payments in XRP; undefined: none are taken, or the store is not open yet. */
  get payments(): XrpPayments | undefined {
    return this.#payments;
  }

  async stop(): Promise<void> {
    await this.#payments?.stop();
  }

  /** Makes a page on which a card pays. @throws CardError */
  async checkout(
    card: CardProcessor,
    wanted: NewInvoice,
    page: CardPage,
  ): Promise<{ invoice: Invoice; url: string }> {
    const at = this.#moment();
    const id = newId();
    const { usdCents } = wanted;
    const session = await card.checkout({ invoice: id, usdCents, expiresAt: at.now + INVOICE_MS, ...page });
    return { invoice: await this.invoices.createCard(wanted, session.id, id, at), url: session.url };
  }

  /** What the processor has said of a session. @returns its invoice; undefined: it is none of ours */
  async cardSays({ session, status, payment, usdCents }: CardState): Promise<Invoice | undefined> {
    if (status === 'refunded') return this.invoices.refunded(payment, this.#moment());
    const invoice = this.invoices.bySession(session);
    if (!invoice || status !== 'paid') return invoice;
    if (usdCents < invoice.usdCents) {
      this.#parts.log.warn({ invoice: invoice.id, usdCents }, 'a card has paid less than the invoice');
      return invoice;
    }
    return this.invoices.paidByCard(session, payment, this.#termsMoment());
  }

  /** When an invoice is made or refunded: not before the newest ledger closed, since payments are late by the times of ledgers. */
  #moment(): Moment {
    const { now, past } = this.#termsMoment();
    return { now: Math.max(now, this.#network?.engine.head?.closeTimeMs ?? now), past };
  }

  /**
   * When terms begin. The clock may be far ahead, and nothing say so: so what is taken away for good, because its time is over, is what was over when the
   * newest ledger closed, too.
   */
  #termsMoment(): Moment {
    const { now } = this;
    const closedAt = this.#network?.engine.head?.closeTimeMs ?? now;
    return { now: beginningAt(now, closedAt), past: Math.min(now, closedAt) };
  }
}
