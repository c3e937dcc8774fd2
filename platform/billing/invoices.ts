/**
 * Invoices: what a wallet wants to buy, for which price, until when. Whoever pays one pays for that wallet.
 *
 *     created --- enough has been delivered in time (XRP), or the card processor says paid ---> applied
 *        `------- 30 minutes pass ---> expired                        a card's money goes back ---> refunded
 *
 * A purchase is applied in the transaction in which the payment is counted. An invoice that nobody paid is removed after a
 * week, one for a card after a month; one that was paid, or has its number, stays. Messages of a card processor come in any order: of a refund that comes before its payment a
 * note is kept, and the payment then gives nothing.
 */
import { DAY_MS } from '../../engine/ripple-time.ts';
import type { Collection, Key, PlatformReads, PlatformStore, PlatformTransaction } from '../store.ts';
import type { Moment } from '../terms.ts';
import type { Deliver, Purchase } from './purchase.ts';

/** Section 8.3 of the contract. */
export const INVOICE_MS = 30 * 60_000;
/**
 * Invoices without any payment and without a number are kept so long after their end. What a page of the card processor takes
 * may be a debit of a bank account, of which it knows only some weeks later whether it was paid.
 */
const UNPAID_KEPT_MS = { xrp: 7 * DAY_MS, card: 30 * DAY_MS } as const;
/** Removed with each new one at most, so that they do not grow in number. */
const REMOVED_AT_ONCE = 4;
/** An open invoice for the same purchase is given again while it has this long to run. */
const REUSED_FROM_MS = 10 * 60_000;
/** The first destination tag: small ones are typed by mistake. */
const FIRST_TAG = 100_000;

/** How an invoice is to be paid. */
export type InvoiceWay =
  | {
      readonly by: 'xrp';
      readonly tag: number;
      readonly drops: number;
      /** The newest ledger when it was made: payments up to it were not for this invoice. */
      readonly since: number;
    }
  | { readonly by: 'card'; readonly session: string };

export interface Invoice {
  readonly id: string;
  /** r-address that gets what is bought. */
  readonly wallet: string;
  readonly purchase: Purchase;
  readonly usdCents: number;
  readonly way: InvoiceWay;
  /** Unix ms. */
  readonly createdAt: number;
  /** Unix ms. */
  readonly expiresAt: number;
  /** Drops that were delivered for it in time. */
  readonly received: number;
  /** Unix ms. */
  readonly appliedAt?: number;
  /** Of the payment that completed it: hash of the transaction, or id of the card payment. */
  readonly paidBy?: string;
  /** Unix ms; what was bought has been taken back, as far as it was there. */
  readonly refundedAt?: number;
  /** Given when it is fetched for the first time: 1, 2, 3, ... */
  readonly number?: number;
}

export type InvoiceStatus = 'created' | 'applied' | 'expired' | 'refunded';

/** By id. */
export const INVOICES: Collection<Invoice> = {
  name: 'invoices',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 2048, rows: 2_000_000 },
  indexes: {
    wallet: { unique: false, keys: ({ wallet, createdAt }) => [[wallet, createdAt]] },
    tag: { unique: true, keys: ({ way }) => (way.by === 'xrp' ? [[way.tag]] : []) },
    session: { unique: true, keys: ({ way }) => (way.by === 'card' ? [[way.session]] : []) },
    payment: {
      unique: false,
      keys: ({ way, paidBy }) => (way.by === 'card' && paidBy !== undefined ? [[paidBy]] : []),
    },
    unpaid: {
      unique: false,
      keys: ({ appliedAt, received, expiresAt }) =>
        appliedAt === undefined && received === 0 ? [[expiresAt]] : [],
    },
    // By when it is removed. Numbers are to be without gaps.
    removable: {
      unique: false,
      keys: ({ appliedAt, received, expiresAt, number, way }) =>
        appliedAt === undefined && received === 0 && number === undefined
          ? [[expiresAt + UNPAID_KEPT_MS[way.by]]]
          : [],
    },
  },
};

/** The last numbers that were given: of invoices, of destination tags. */
const COUNTERS: Collection<number> = {
  name: 'invoice-counters',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 16, rows: 16 },
  indexes: {},
};

/** Unix ms at which the money of a card payment went back that no invoice is known to be paid with; by id of the payment. */
const EARLY_REFUNDS: Collection<number> = {
  name: 'early-refunds',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 16, rows: 100_000 },
  indexes: { time: { unique: false, keys: (at) => [[at]] } },
};

export const INVOICE_COLLECTIONS = [
  INVOICES,
  COUNTERS,
  EARLY_REFUNDS,
] as unknown as readonly Collection<unknown>[];

export interface NewInvoice {
  readonly wallet: string;
  readonly purchase: Purchase;
  readonly usdCents: number;
}

/** @param now Unix ms */
export function statusOf({ appliedAt, expiresAt, refundedAt }: Invoice, now: number): InvoiceStatus {
  if (refundedAt !== undefined) return 'refunded';
  if (appliedAt !== undefined) return 'applied';
  return now < expiresAt ? 'created' : 'expired';
}

export class Invoices {
  readonly #deliver: Deliver;
  readonly #takeBack: Deliver;
  #store: PlatformStore | undefined;

  constructor(deliver: Deliver, takeBack: Deliver) {
    this.#deliver = deliver;
    this.#takeBack = takeBack;
  }

  attach(store: PlatformStore): void {
    this.#store = store;
  }

  /** undefined: nothing can be bought yet. */
  get store(): PlatformStore | undefined {
    return this.#store;
  }

  get(id: string): Invoice | undefined {
    return this.#store?.get(INVOICES, [id]);
  }

  bySession(session: string): Invoice | undefined {
    return this.#store && byIndex(this.#store, 'session', [session]);
  }

  /**
   * An invoice to be paid in XRP; an open one for the same purchase is given again. Resolves when it is durable.
   * @param since index of the newest ledger
   */
  createXrp(invoice: NewInvoice, drops: number, since: number, { now, past }: Moment): Promise<Invoice> {
    return this.#store!.transaction((transaction) => {
      const open = openFor(transaction, invoice, now);
      if (open) return open;
      const tag = Math.max(FIRST_TAG, (transaction.get(COUNTERS, ['tag']) ?? 0) + 1);
      transaction.put(COUNTERS, ['tag'], tag);
      removeUnpaid(transaction, past);
      return create(transaction, invoice, { by: 'xrp', tag, drops, since }, newId(), now);
    });
  }

  /** An invoice that a card pays in a session of its processor. @param id that the session was made with */
  createCard(invoice: NewInvoice, session: string, id: string, { now, past }: Moment): Promise<Invoice> {
    return this.#store!.transaction((transaction) => {
      removeUnpaid(transaction, past);
      return create(transaction, invoice, { by: 'card', session }, id, now);
    });
  }

  /** Gives it the next number, if it has none. @returns undefined: there is no such invoice */
  numbered(id: string): Promise<Invoice | undefined> {
    return this.#store!.transaction((transaction) => {
      const invoice = transaction.get(INVOICES, [id]);
      if (!invoice || invoice.number !== undefined) return invoice;
      const number = (transaction.get(COUNTERS, ['number']) ?? 0) + 1;
      transaction.put(COUNTERS, ['number'], number);
      const after = { ...invoice, number };
      transaction.put(INVOICES, [id], after);
      return after;
    });
  }

  /**
   * The card processor says that it was paid. It counts once, also when it came late: the money has been taken.
   * @returns the invoice; undefined: there is none of that session
   */
  async paidByCard(session: string, payment: string, at: Moment): Promise<Invoice | undefined> {
    const result = await this.#store!.transaction((transaction) => {
      const invoice = byIndex(transaction, 'session', [session]);
      if (!invoice || invoice.appliedAt !== undefined) return { invoice, delivered: undefined };
      const refundedAt = transaction.get(EARLY_REFUNDS, [payment]);
      if (refundedAt !== undefined) {
        const after = { ...invoice, appliedAt: at.now, paidBy: payment, refundedAt };
        transaction.put(INVOICES, [invoice.id], after);
        transaction.delete(EARLY_REFUNDS, [payment]);
        return { invoice: after, delivered: undefined };
      }
      return this.complete(transaction, invoice, payment, at);
    });
    result.delivered?.applied();
    return result.invoice;
  }

  /**
   * The money of a card payment went back. It counts once, also when the message of it comes before that of the payment.
   * @returns the invoice; undefined: none is known to be paid with it
   */
  async refunded(payment: string, at: Moment): Promise<Invoice | undefined> {
    const result = await this.#store!.transaction((transaction) => {
      const invoice = byIndex(transaction, 'payment', [payment]);
      if (!invoice) noteRefund(transaction, payment, at);
      if (!invoice || invoice.refundedAt !== undefined) return { invoice, taken: undefined };
      const after = { ...invoice, refundedAt: at.now };
      transaction.put(INVOICES, [invoice.id], after);
      const { wallet, purchase } = invoice;
      return { invoice: after, taken: this.#takeBack(transaction, wallet, purchase, at) };
    });
    result.taken?.applied();
    return result.invoice;
  }

  /** Gives what an invoice is for. `applied` of the result must be called when the transaction is durable. */
  complete(
    transaction: PlatformTransaction,
    invoice: Invoice,
    paidBy: string,
    at: Moment,
  ): { readonly invoice: Invoice; readonly delivered: ReturnType<Deliver> } {
    const after = { ...invoice, appliedAt: at.now, paidBy };
    transaction.put(INVOICES, [invoice.id], after);
    const { wallet, purchase } = invoice;
    return { invoice: after, delivered: this.#deliver(transaction, wallet, purchase, at) };
  }
}

/** The invoice that a destination tag is of. */
export function invoiceOfTag(reads: PlatformReads, tag: number): Invoice | undefined {
  return byIndex(reads, 'tag', [tag]);
}

export const newId = (): string => crypto.randomUUID().replaceAll('-', '').slice(0, 24);

function byIndex(reads: PlatformReads, index: string, key: Key): Invoice | undefined {
  let found: Invoice | undefined;
  reads.walkIndex(INVOICES, index, { prefix: key, limit: 1 }, (invoice) => {
    found = invoice;
    return false;
  });
  return found;
}

function create(
  transaction: PlatformTransaction,
  invoice: NewInvoice,
  way: InvoiceWay,
  id: string,
  now: number,
): Invoice {
  const { wallet, purchase, usdCents } = invoice;
  const times = { createdAt: now, expiresAt: now + INVOICE_MS };
  const made: Invoice = { id, wallet, purchase, usdCents, way, ...times, received: 0 };
  transaction.put(INVOICES, [id], made);
  return made;
}

/**
 * An XRP invoice for the same that nothing has been paid of, with time enough left. One that was made while the clock was ahead has a
 * price of long ago.
 */
function openFor(reads: PlatformReads, { wallet, purchase }: NewInvoice, now: number): Invoice | undefined {
  let found: Invoice | undefined;
  reads.walkIndex(INVOICES, 'wallet', { prefix: [wallet], reverse: true }, (invoice) => {
    if (invoice.expiresAt - now < REUSED_FROM_MS && invoice.createdAt <= now - INVOICE_MS) return false;
    const isOpen =
      invoice.way.by === 'xrp' &&
      invoice.appliedAt === undefined &&
      invoice.received === 0 &&
      invoice.expiresAt - now >= REUSED_FROM_MS &&
      invoice.expiresAt - now <= INVOICE_MS &&
      Bun.deepEquals(invoice.purchase, purchase);
    if (isOpen) found = invoice;
    return !isOpen;
  });
  return found;
}

/** Only while there is an unpaid invoice that the payment may be of; the processor may sell for others, too. */
function noteRefund(transaction: PlatformTransaction, payment: string, { now, past }: Moment): void {
  let since = Number.POSITIVE_INFINITY;
  transaction.walkIndex(INVOICES, 'unpaid', { limit: 1 }, ({ createdAt }) => {
    since = Math.max(createdAt, past - UNPAID_KEPT_MS.card);
    return false;
  });
  const ended: Key[] = [];
  transaction.walkIndex(EARLY_REFUNDS, 'time', { limit: REMOVED_AT_ONCE }, (at, key) => {
    if (at >= since) return false;
    ended.push(key);
    return true;
  });
  for (const key of ended) transaction.delete(EARLY_REFUNDS, key);
  if (since !== Number.POSITIVE_INFINITY && transaction.get(EARLY_REFUNDS, [payment]) === undefined)
    transaction.put(EARLY_REFUNDS, [payment], now);
}

/** @param past Unix ms that has certainly gone by */
function removeUnpaid(transaction: PlatformTransaction, past: number): void {
  const ids: string[] = [];
  transaction.walkIndex(INVOICES, 'removable', { limit: REMOVED_AT_ONCE }, ({ id, expiresAt, way }) => {
    if (expiresAt + UNPAID_KEPT_MS[way.by] > past) return false;
    ids.push(id);
    return true;
  });
  for (const id of ids) transaction.delete(INVOICES, [id]);
}
