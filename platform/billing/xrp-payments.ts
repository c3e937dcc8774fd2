/**
 * Payments in XRP to the operator's address, as the engine follows them: what each one paid for, whether somebody asks or
 * not. Validated ledgers alone count; the amount is what was delivered.
 *
 *     ledger -> payments to the address (offsets in its change set) -> queue -> one transaction each:
 *                 `onceAt` its position: payment row, received of its invoice, and, when that is enough, the purchase
 *
 * A payment counts once, however often its ledger is read: after kill -9, or of a store that is made again. Ledgers that
 * were applied before a stop are looked through at the next start. Cost: two reads a transaction of a ledger; nothing is
 * kept in memory but payments that wait for the store.
 */
import { AssetKind, amountKind, dropsOf } from '../../engine/codec/amount.ts';
import { accountBytes, accountText } from '../../engine/codec/base58.ts';
import { hexOf, readU32, sameBytes } from '../../engine/codec/bytes.ts';
import { Changes, Tx } from '../../engine/codec/changes.ts';
import { extractChanges } from '../../engine/codec/extract.ts';
import type { PackedLedger } from '../../engine/codec/packed.ts';
import type { Engine, LedgerEvent } from '../../engine/engine.ts';
import { yieldToLoop } from '../../engine/event-loop.ts';
import type { Log } from '../../engine/log.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import type { Position } from '../../engine/store.ts';
import type { Collection, PlatformStore, PlatformTransaction } from '../store.ts';
import { beginningAt } from '../terms.ts';
import { INVOICES, type Invoice, type Invoices, invoiceOfTag } from './invoices.ts';
import type { Deliver } from './purchase.ts';

/** Name of the cause in the store: payments are applied once at each position. */
const CAUSE = 'xrp-payments';
/** TransactionType code of Payment. */
const PAYMENT = 0;
const ACCOUNT_BYTES = 20;
/** Close times are rounded to as much as 10 s, and clocks differ: a payment counts so long after the end, ms. */
export const GRACE_MS = 30_000;
/** Ledgers after which it is stored that all before have been looked through: these are read again after a crash. */
const SETTLE_LEDGERS = 256;
/** Payments that bought nothing are kept, the newest; anybody can send any number of them. */
const UNAPPLIED_MAX = 50_000;
/** Payments that wait for the store. Beyond that, those of further ledgers are read again from the ledgers. */
const QUEUE_MAX = 10_000;

/** What became of a payment. */
export type Outcome =
  | 'applied'
  /** Less than the invoice asks for: counted, and the rest may follow in time. */
  | 'short'
  | 'late'
  | 'before_invoice'
  | 'already_paid'
  | 'unknown_tag'
  | 'no_tag'
  | 'wrong_currency';

export interface XrpPayment {
  /** Hash of the transaction, upper-case hex. */
  readonly txHash: string;
  readonly ledger: number;
  readonly tx: number;
  /** Close time of the ledger, Unix ms. */
  readonly closedAt: number;
  /** r-address that sent it. */
  readonly from: string;
  readonly tag?: number;
  /** Drops that were delivered; 0 where it was no XRP. */
  readonly drops: number;
  readonly outcome: Outcome;
  /** Of its invoice. */
  readonly invoice?: string;
  /** r-address for which it was. */
  readonly wallet?: string;
}

/** By hash of the transaction. */
const PAYMENTS: Collection<XrpPayment> = {
  name: 'xrp-payments',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 1024, rows: 2_000_000 },
  indexes: {
    wallet: { unique: false, keys: ({ wallet, ledger, tx }) => (wallet ? [[wallet, ledger, tx]] : []) },
    unapplied: {
      unique: false,
      keys: ({ outcome, ledger, tx }) => (outcome === 'applied' ? [] : [[ledger, tx]]),
    },
  },
};

export const PAYMENT_COLLECTIONS = [PAYMENTS] as unknown as readonly Collection<unknown>[];

/** A payment as the ledger has it. */
type Seen = Omit<XrpPayment, 'outcome' | 'invoice' | 'wallet'>;

export interface XrpPaymentsParts {
  /** r-address that is paid to. */
  readonly address: string;
  readonly engine: Engine;
  readonly invoices: Invoices;
  readonly store: PlatformStore;
  readonly log: Log;
  /** Unix ms. */
  readonly now: () => number;
}

export class XrpPayments {
  readonly #parts: XrpPaymentsParts;
  readonly #account: Uint8Array;
  readonly #queue: Seen[] = [];
  readonly #stopListening: () => void;
  /** Ledgers up to this one have been looked through; their payments are stored or in the queue. */
  #seenTo: number;
  /** Payments that bought nothing and are kept. */
  #unapplied = 0;
  #working: Promise<void> | undefined;
  #isFailing = false;
  #isStopped = false;

  /** Begins with the ledgers that were applied and not looked through. */
  constructor(parts: XrpPaymentsParts) {
    this.#parts = parts;
    this.#account = accountBytes(parts.address)!;
    const { engine, store } = parts;
    const head = engine.head?.index ?? 0;
    this.#seenTo = store.settled(CAUSE) ?? head;
    store.walkIndex(PAYMENTS, 'unapplied', {}, () => {
      this.#unapplied++;
      return true;
    });
    this.#stopListening = engine.onLedger((event) => this.#applied(event));
    if (store.settled(CAUSE) === undefined || this.#seenTo < head) this.#work();
  }

  of(txHash: string): XrpPayment | undefined {
    return this.#parts.store.get(PAYMENTS, [txHash.toUpperCase()]);
  }

  /** What has been paid lately is not stored, and cannot be now: it is tried again with every ledger. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Those for a wallet, the newest first. */
  ofWallet(wallet: string, offset: number, limit: number): { total: number; payments: XrpPayment[] } {
    const payments: XrpPayment[] = [];
    let total = 0;
    this.#parts.store.walkIndex(PAYMENTS, 'wallet', { prefix: [wallet], reverse: true }, (payment) => {
      if (total >= offset && payments.length < limit) payments.push(payment);
      total++;
      return true;
    });
    return { total, payments };
  }

  /** Resolves when everything that was applied so far is stored, or cannot be now. */
  async idle(): Promise<void> {
    while (this.#working) await this.#working;
  }

  /** Looks through no further ledger. Resolves when nothing is being stored. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopListening();
    await this.idle();
  }

  #applied({ head, packed, changes }: LedgerEvent): void {
    // Read again, of a store that is made again.
    if (head.index <= this.#seenTo) return;
    // While ledgers before it are looked through, it is one of those.
    const isNext = head.index === this.#seenTo + 1 && this.#queue.length <= QUEUE_MAX;
    if (isNext) {
      this.#seenTo = head.index;
      this.#queue.push(...paymentsIn(packed, changes, this.#account));
    }
    if (!isNext || this.#queue.length > 0 || head.index % SETTLE_LEDGERS === 0) this.#work();
  }

  /** One round at a time; a failed one is tried again with the next ledger. */
  #work(): void {
    this.#working ??= this.#round()
      .then(() => {
        this.#isFailing = false;
      })
      .catch((error) => {
        this.#isFailing = true;
        this.#parts.log.error({ err: error }, 'payments cannot be stored; they are tried again');
      })
      .finally(() => {
        this.#working = undefined;
      });
  }

  async #round(): Promise<void> {
    const { engine, store } = this.#parts;
    do {
      while (this.#hasMore) {
        await this.#storeQueue();
        const head = engine.head?.index ?? 0;
        if (this.#seenTo >= head || this.#isStopped) continue;
        this.#lookThrough(this.#seenTo + 1, head);
        await yieldToLoop();
      }
      await store.settle(CAUSE, this.#seenTo);
      // A ledger that came meanwhile found this round at work, and began none.
    } while (this.#hasMore);
  }

  get #hasMore(): boolean {
    const isBehind = this.#seenTo < (this.#parts.engine.head?.index ?? 0);
    return this.#queue.length > 0 || (isBehind && !this.#isStopped);
  }

  async #storeQueue(): Promise<void> {
    for (let next = this.#queue[0]; next; next = this.#queue[0]) {
      await this.#store(next);
      this.#queue.shift();
    }
  }

  /** The next ledger that is there; of a gap nothing is known. */
  #lookThrough(index: number, head: number): void {
    const { engine } = this.#parts;
    const range = engine.ledgerRanges().find(([, last]) => last >= index);
    const at = Math.max(index, range?.[0] ?? head);
    const packed = engine.ledgerBytes(at);
    if (packed) this.#queue.push(...paymentsIn(packed, new Changes(extractChanges(packed)), this.#account));
    this.#seenTo = at;
  }

  async #store(seen: Seen): Promise<void> {
    const { store, now, log } = this.#parts;
    const { ledger, tx } = seen;
    const position: Position = { ledger, tx, entry: 0 };
    let result: Counted | undefined;
    await store.onceAt(CAUSE, position, (transaction) => {
      // What an earlier try did was not stored.
      result = this.#count(transaction, seen, now());
    });
    if (!result) return;
    const { payment, delivered, removed } = result;
    if (payment.outcome !== 'applied') this.#unapplied += 1 - removed;
    delivered?.applied();
    const { txHash, outcome, drops } = payment;
    log.info({ txHash, outcome, drops, ledger, invoice: payment.invoice }, 'a payment has been counted');
  }

  #count(transaction: PlatformTransaction, seen: Seen, now: number): Counted {
    const invoice = seen.tag === undefined ? undefined : invoiceOfTag(transaction, seen.tag);
    const outcome = outcomeOf(seen, invoice);
    const payment: XrpPayment = {
      ...seen,
      outcome,
      ...(invoice && { invoice: invoice.id, wallet: invoice.wallet }),
    };
    const removed = outcome === 'applied' ? 0 : this.#makeRoom(transaction);
    transaction.put(PAYMENTS, [seen.txHash], payment);
    if (!invoice || (outcome !== 'applied' && outcome !== 'short')) return { payment, removed };
    const paid = { ...invoice, received: invoice.received + seen.drops };
    if (outcome === 'applied') {
      const at = { now: beginningAt(now, seen.closedAt), past: seen.closedAt };
      const { delivered } = this.#parts.invoices.complete(transaction, paid, seen.txHash, at);
      return { payment, removed, delivered };
    }
    transaction.put(INVOICES, [invoice.id], paid);
    return { payment, removed };
  }

  /** @returns how many of the oldest payments that bought nothing were removed */
  #makeRoom(transaction: PlatformTransaction): number {
    if (this.#unapplied < UNAPPLIED_MAX) return 0;
    let oldest: XrpPayment | undefined;
    transaction.walkIndex(PAYMENTS, 'unapplied', { limit: 1 }, (payment) => {
      oldest = payment;
      return false;
    });
    return oldest && transaction.delete(PAYMENTS, [oldest.txHash]) ? 1 : 0;
  }
}

interface Counted {
  readonly payment: XrpPayment;
  readonly removed: number;
  readonly delivered?: ReturnType<Deliver>;
}

function outcomeOf({ tag, drops, closedAt, ledger }: Seen, invoice: Invoice | undefined): Outcome {
  if (drops === 0) return 'wrong_currency';
  if (tag === undefined) return 'no_tag';
  if (invoice?.way.by !== 'xrp') return 'unknown_tag';
  if (invoice.appliedAt !== undefined) return 'already_paid';
  // By ledger, not by clock: an embedded network that makes its history is behind the clock.
  if (ledger <= invoice.way.since) return 'before_invoice';
  if (closedAt >= invoice.expiresAt + GRACE_MS) return 'late';
  return invoice.received + drops >= invoice.way.drops ? 'applied' : 'short';
}

/** Payments of a ledger that delivered something to the account. */
function paymentsIn(packed: PackedLedger, changes: Changes, account: Uint8Array): Seen[] {
  const found: Seen[] = [];
  const { bytes } = packed;
  for (let tx = 0; tx < changes.transactions; tx++) {
    if (changes.tx(tx, Tx.type) !== PAYMENT || changes.tx(tx, Tx.result) !== 0) continue;
    const to = changes.tx(tx, Tx.destinationAt);
    if (to === 0 || !sameBytes(bytes, to, account, 0, ACCOUNT_BYTES)) continue;
    const tagAt = changes.tx(tx, Tx.destinationTagAt);
    found.push({
      txHash: hexOf(changes.hash(tx)),
      ledger: packed.ledgerIndex,
      tx,
      closedAt: unixMs(packed.closeTime),
      from: accountText(bytes, changes.tx(tx, Tx.accountAt)),
      ...(tagAt !== 0 && { tag: readU32(bytes, tagAt) }),
      // The metadata names what was delivered where it is not the whole amount.
      drops: dropsAt(packed, changes.tx(tx, Tx.deliveredAt) || changes.tx(tx, Tx.amountAt)),
    });
  }
  return found;
}

/** 0 where it is no XRP. All XRP there is fits into a number, in drops. */
function dropsAt({ bytes, view }: PackedLedger, at: number): number {
  if (at === 0 || amountKind(bytes[at]!) !== AssetKind.xrp) return 0;
  return Number(dropsOf(view.getUint32(at), view.getUint32(at + 4)));
}
