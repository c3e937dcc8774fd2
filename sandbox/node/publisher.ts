/**
 * Publishes events to sessions: closed ledgers, transactions, books, load.
 *
 *     ledger durable ──► consensusPhase, ledgerClosed, bookChanges ──► each transaction: streams, books, accounts ──► path_find
 *     proposed       ──► transactions_proposed, accounts_proposed
 *
 * Each message is made once for all sessions that use the same shape (API version), and not at all without subscribers.
 * As in rippled, a session that has subscribed to a stream and to an account gets a transaction twice, and so does one
 * that has subscribed to both streams of transactions.
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { type AccountId, type Hex, issuerOf, isXrp } from '../../engine/codec/arithmetic/asset.ts';
import type { JsonObject } from '../../engine/codec/json.ts';
import { affectedAccounts, affectedNodes } from '../ledger/indexing.ts';
import type { ClosedLedger } from '../ledger/ledger.ts';
import { FIELD_BY_NAME, Kind } from '../protocol/field-table.ts';
import type { Fields } from '../protocol/fields.ts';
import {
  type ConsensusPhase,
  consensusMessage,
  ledgerClosedMessage,
  proposedMessage,
  serverStatusMessage,
  validatedMessage,
} from './messages.ts';
import type { Network, Proposed } from './network.ts';
import { bookChangesOf } from './rpc/book-changes.ts';
import type { ApiVersion, Session } from './session.ts';

/** Both streams contain validated transactions (rippled `pubValidatedTransaction`). */
const TRANSACTION_STREAMS = ['transactions', 'transactions_proposed'] as const;
/** Digits of a book directory's key that name the book; the rest is the quality. */
const BOOK_DIGITS = 48;

/** A message in the shape of each API version, made at first use. */
class MessageShapes {
  readonly #make: (apiVersion: ApiVersion) => JsonObject;
  readonly #texts = new Map<ApiVersion, string>();

  constructor(make: (apiVersion: ApiVersion) => JsonObject) {
    this.#make = make;
  }

  text(apiVersion: ApiVersion): string {
    const text = this.#texts.get(apiVersion) ?? JSON.stringify(this.#make(apiVersion));
    this.#texts.set(apiVersion, text);
    return text;
  }
}

/** The version of the first of a session's subscriptions that matches one of the keys. */
function versionOf<Key>(watched: ReadonlyMap<Key, ApiVersion>, keys: Iterable<Key>): ApiVersion | undefined {
  for (const key of keys) {
    const version = watched.get(key);
    if (version !== undefined) return version;
  }
  return undefined;
}

/** Accounts that a transaction names (rippled `STTx::getMentionedAccounts`). */
function mentionedAccounts(fields: Readonly<Fields>): Set<AccountId> {
  const found = new Set<AccountId>();
  for (const [name, value] of Object.entries(fields)) {
    if (FIELD_BY_NAME.get(name)?.kind === Kind.account) found.add(value as AccountId);
    else if (value instanceof Amount && !isXrp(value.asset)) found.add(issuerOf(value.asset));
  }
  return found;
}

/** Books whose offers a transaction has placed, consumed or removed. A failed one matches none, though it may remove offers. */
function changedBooks(meta: Readonly<Fields>): Set<Hex> {
  const found = new Set<Hex>();
  if (meta.TransactionResult !== 0) return found;
  for (const { type, kind, fields, previous } of affectedNodes(meta)) {
    if (type !== 'Offer' || fields.BookDirectory === undefined) continue;
    const amounts = kind === 'ModifiedNode' ? previous : fields;
    if (amounts.TakerPays !== undefined && amounts.TakerGets !== undefined)
      found.add(fields.BookDirectory.slice(0, BOOK_DIGITS));
  }
  return found;
}

export class Publisher {
  readonly #network: Network;
  readonly #sessions = new Set<Session>();
  readonly #stops: readonly (() => void)[];
  /** Cost of the open ledger when it was last published. */
  #publishedCost: bigint | undefined;

  /** @param onFault called with exceptions while publishing, which must not stop the network */
  constructor(network: Network, onFault: (fault: unknown) => void) {
    this.#network = network;
    const safely = <Event>(publish: (event: Event) => void) => {
      return (event: Event): void => {
        try {
          publish(event);
        } catch (fault) {
          onFault(fault);
        }
      };
    };
    this.#stops = [
      network.on(
        'ledger',
        safely((ledger) => this.#ledgerClosed(ledger)),
      ),
      network.on(
        'proposed',
        safely((proposed) => this.#proposed(proposed)),
      ),
    ];
  }

  add(session: Session): void {
    this.#sessions.add(session);
  }

  remove(session: Session): void {
    this.#sessions.delete(session);
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  #ledgerClosed(ledger: ClosedLedger): void {
    this.#consensus('establish', 'accepted');
    const closed = new MessageShapes(() => ledgerClosedMessage(this.#network, ledger));
    const changes = new MessageShapes(() => bookChangesOf(ledger));
    for (const session of [...this.#sessions]) {
      if (session.streams.has('ledger')) session.sendText(closed.text(1));
      if (session.streams.has('book_changes')) session.sendText(changes.text(1));
    }
    this.#transactions(ledger);
    this.#serverStatus();
    for (const session of [...this.#sessions]) session.pathFind?.update();
    this.#consensus('open');
  }

  /** A network of one node reaches consensus at once, but publishes the same phases as any other. */
  #consensus(...phases: readonly ConsensusPhase[]): void {
    for (const session of [...this.#sessions])
      if (session.streams.has('consensus'))
        for (const phase of phases) session.sendText(JSON.stringify(consensusMessage(phase)));
  }

  #transactions(ledger: ClosedLedger): void {
    const sessions = [...this.#sessions];
    const onStreams = sessions.flatMap((session) =>
      TRANSACTION_STREAMS.flatMap((name) => {
        const version = session.streams.get(name);
        return version === undefined ? [] : [{ session, version }];
      }),
    );
    const onAccounts = sessions.filter(
      ({ accounts, accountsProposed }) => accounts.size + accountsProposed.size > 0,
    );
    const onBooks = sessions.filter(({ books }) => books.size > 0);
    if (onStreams.length + onAccounts.length + onBooks.length === 0) return;
    for (const transaction of ledger.transactions) {
      const shapes = new MessageShapes((version) =>
        validatedMessage(this.#network, ledger, transaction, version),
      );
      for (const { session, version } of onStreams) session.sendText(shapes.text(version));
      const books = onBooks.length > 0 ? changedBooks(transaction.metaFields) : [];
      for (const session of onBooks) {
        const version = versionOf(session.books, books);
        if (version !== undefined) session.sendText(shapes.text(version));
      }
      const accounts = onAccounts.length > 0 ? affectedAccounts(transaction.metaFields) : [];
      for (const session of onAccounts) {
        const version =
          versionOf(session.accounts, accounts) ?? versionOf(session.accountsProposed, accounts);
        if (version !== undefined) session.sendText(shapes.text(version));
      }
    }
  }

  #proposed(proposed: Proposed): void {
    const sessions = [...this.#sessions];
    const shapes = new MessageShapes((version) => proposedMessage(this.#network, proposed, version));
    const watching = sessions.some(({ accountsProposed }) => accountsProposed.size > 0);
    const accounts = watching ? mentionedAccounts(proposed.transaction.fields) : [];
    for (const session of sessions) {
      const stream = session.streams.get('transactions_proposed');
      if (stream !== undefined) session.sendText(shapes.text(stream));
      const version = versionOf(session.accountsProposed, accounts);
      if (version !== undefined) session.sendText(shapes.text(version));
    }
    this.#serverStatus();
  }

  /** Publishes the load when it has changed. */
  #serverStatus(): void {
    const cost = this.#network.openLedgerCost;
    if (cost === this.#publishedCost) return;
    this.#publishedCost = cost;
    const shapes = new MessageShapes(() => serverStatusMessage(this.#network));
    for (const session of [...this.#sessions])
      if (session.streams.has('server')) session.sendText(shapes.text(1));
  }
}
