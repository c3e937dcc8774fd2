/**
 * The events of one NFT, collection or account, or of all, newest first: those that are not durable yet, then those of the store.
 *
 *     of one    newest -> before -> before ...        a read of the store for each event that is on another piece
 *     of all    pending, youngest first ][ pieces of the store, backwards
 *
 * Where these end, a store that a program of schema version 6 began has older ones (older-events.ts).
 */
import type { StoreReads } from '../store.ts';
import type { NftEventOwner, NftEventPlace, NftPlace, NftScope } from './event-chains.ts';
import { ChainOf, NFT_EVENT_BYTES, NftEventReader, nftEventAt } from './event-record.ts';
import { olderNftEvents } from './older-events.ts';
import type { PendingNftEvents } from './pending-events.ts';
import { StoredNftEvents, storedNftEventsOf } from './stored-events.ts';

const AFTER_ALL = { ledger: 0xffffffff, tx: 0, number: 0 };

export type { NftPlace, NftScope };

type EventStore = Pick<StoreReads, 'records'>;

export class NftEventHistory {
  readonly #store: EventStore;
  readonly #pending: PendingNftEvents;

  constructor(store: EventStore, pending: PendingNftEvents) {
    this.#store = store;
    this.#pending = pending;
  }

  /**
   * Visits events, newest first, until `visit` returns false.
   * @param from the first to visit, one of the scope's; undefined: the newest
   * @param visits the most that are read. @returns the next one, where it ended before the last
   */
  visit(
    scope: NftScope,
    from: NftPlace | undefined,
    visits: number,
    visit: (event: NftEventReader) => boolean,
  ): NftPlace | undefined {
    if (isNobody(scope)) return undefined;
    const reader = new NftEventReader();
    let left = visits;
    for (const bytes of scope === 'all' ? this.#all(from) : this.#chain(scope, from))
      if (left-- <= 0 || !visit(reader.load(bytes))) return placeOf(reader.load(bytes));
    return undefined;
  }

  /** Events of one transaction, in their order. */
  ofTransaction(ledger: number, tx: number): Uint8Array[] {
    const pending = this.#pending.ledgers.find((one) => one.ledger === ledger);
    if (!pending) return storedNftEventsOf(this.#store, ledger, tx);
    return recordsOf(pending.bytes).filter((bytes) => new NftEventReader().load(bytes).tx === tx);
  }

  *#chain(scope: NftEventOwner, from: NftPlace | undefined): Generator<Uint8Array> {
    const stored = new StoredNftEvents(this.#store);
    const event = new NftEventReader();
    let before = justAfter(from);
    for (let next = from ?? this.#pending.newest(scope); next; ) {
      const bytes = this.#pendingAt(next) ?? stored.at(next);
      if (!bytes) break;
      const chain = chainOf(event.load(bytes), scope);
      if (chain === undefined) return;
      before = placeOf(event);
      next = event.before(chain);
      yield bytes;
    }
    yield* olderNftEvents(this.#store, scope, before);
  }

  *#all(from: NftPlace | undefined): Generator<Uint8Array> {
    const event = new NftEventReader();
    let before = justAfter(from);
    for (const { ledger, bytes } of this.#pending.ledgers.toReversed()) {
      if (ledger > before.ledger) continue;
      for (const record of recordsOf(bytes).reverse()) {
        if (event.load(record).ledger === before.ledger && event.number >= before.number) continue;
        before = placeOf(event);
        yield record;
      }
    }
    for (const record of new StoredNftEvents(this.#store).before(before)) {
      before = placeOf(event.load(record));
      yield record;
    }
    yield* olderNftEvents(this.#store, 'all', before);
  }

  #pendingAt({ ledger, number }: NftEventPlace): Uint8Array | undefined {
    const pending = this.#pending.ledgers.findLast((one) => one.ledger === ledger);
    return pending && nftEventAt(pending.bytes, number);
  }
}

const isNobody = (scope: NftScope): boolean => scope !== 'all' && Object.values(scope).includes(0);

/** The chain of the scope that an event is in; undefined: it does not concern it. */
function chainOf(event: NftEventReader, scope: NftEventOwner): ChainOf | undefined {
  if ('nft' in scope) return event.nft === scope.nft ? ChainOf.nft : undefined;
  if ('collection' in scope) return event.collection === scope.collection ? ChainOf.collection : undefined;
  if (event.from === scope.party) return ChainOf.from;
  if (event.to === scope.party) return ChainOf.to;
  return event.broker === scope.party ? ChainOf.broker : undefined;
}

function recordsOf(bytes: Uint8Array): Uint8Array[] {
  return Array.from({ length: bytes.length / NFT_EVENT_BYTES }, (_, i) => nftEventAt(bytes, i)!);
}

const placeOf = ({ ledger, tx, number }: NftEventReader): NftPlace => ({ ledger, tx, number });

/** The end of what begins with a place. */
const justAfter = (from: NftPlace | undefined): NftPlace =>
  from ? { ...from, number: from.number + 1 } : AFTER_ALL;
