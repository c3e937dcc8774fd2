/**
 * The events of one NFT, collection or account, or of all, newest first: those that are not durable yet, then those of the store.
 *
 *     pending, youngest first ][ index of the NFT, collection or account, backwards -> records
 */
import { readU16, readU32 } from '../codec/bytes.ts';
import type { Store } from '../store.ts';
import { NFT_EVENT_BYTES, NftEventReader } from './event-record.ts';
import type { PendingNftEvents } from './pending-events.ts';

/** Places read from an index in one go. */
const SLICE = 256;
const LEDGER_MAX = 0xffffffff;

/** Whose events: a row of this domain; 0 has none. */
export type NftScope =
  | { readonly nft: number }
  | { readonly collection: number }
  | { readonly party: number }
  | 'all';

/** Where an event is. */
export interface NftPlace {
  readonly ledger: number;
  readonly tx: number;
  readonly number: number;
}

type EventStore = Pick<Store, 'records'>;

export class NftEventHistory {
  readonly #store: EventStore;
  readonly #pending: PendingNftEvents;

  constructor(store: EventStore, pending: PendingNftEvents) {
    this.#store = store;
    this.#pending = pending;
  }

  /**
   * Visits events, newest first, until `visit` returns false.
   * @param from the first to visit; undefined: the newest
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
    let before = from ? { ...from, number: from.number + 1 } : { ledger: LEDGER_MAX, tx: 0, number: 0 };
    for (const bytes of this.#pendingOf(scope, before)) {
      if (left-- <= 0 || !visit(reader.load(bytes))) return placeOf(reader.load(bytes));
      before = placeOf(reader);
    }
    for (;;) {
      const places = this.#places(scope, before);
      for (const place of places) {
        const bytes = this.#record(place);
        if (!bytes) continue;
        if (left-- <= 0 || !visit(reader.load(bytes))) return place;
      }
      if (places.length < SLICE) return undefined;
      before = places.at(-1)!;
    }
  }

  /** Events of one transaction, in their order. */
  ofTransaction(ledger: number, tx: number): Uint8Array[] {
    const found: Uint8Array[] = [];
    const reader = new NftEventReader();
    for (const one of this.#pending.ledgers) {
      if (one.ledger !== ledger) continue;
      reader.load(one.bytes);
      for (let i = 0; i < one.bytes.length / NFT_EVENT_BYTES; i++)
        if (reader.at(i).tx === tx) found.push(reader.bytes.slice());
      return found;
    }
    this.#store.records('nftEvents', [ledger, tx], {}, (_, record) => {
      found.push(record.slice());
      return true;
    });
    return found;
  }

  #pendingOf(scope: NftScope, before: NftPlace): Uint8Array[] {
    const found: Uint8Array[] = [];
    const reader = new NftEventReader();
    for (const { bytes } of this.#pending.ledgers) {
      reader.load(bytes);
      for (let i = 0; i < bytes.length / NFT_EVENT_BYTES; i++)
        if (concerns(reader.at(i), scope) && compare(placeOf(reader), before) < 0) found.push(reader.bytes);
    }
    return found.reverse();
  }

  /** Stored places before one, newest first. */
  #places(scope: NftScope, before: NftPlace): NftPlace[] {
    const found: NftPlace[] = [];
    const [family, prefix] = indexOf(scope);
    this.#store.records(family, prefix, { to: before.ledger, reverse: true }, (_last, _value, key) => {
      const at = key.length - 8;
      const place = { ledger: readU32(key, at), tx: readU16(key, at + 4), number: readU16(key, at + 6) };
      if (compare(place, before) < 0) found.push(place);
      return found.length < SLICE;
    });
    return found;
  }

  #record({ ledger, tx, number }: NftPlace): Uint8Array | undefined {
    let found: Uint8Array | undefined;
    this.#store.records('nftEvents', [ledger, tx], { from: number, to: number }, (_, record) => {
      found = record.slice();
      return false;
    });
    return found;
  }
}

function indexOf(scope: NftScope) {
  if (scope === 'all') return ['nftEvents', []] as const;
  if ('nft' in scope) return ['nftTokenEvents', [scope.nft]] as const;
  if ('collection' in scope) return ['nftCollectionEvents', [scope.collection]] as const;
  return ['nftAccountEvents', [scope.party]] as const;
}

const isNobody = (scope: NftScope): boolean => scope !== 'all' && Object.values(scope).includes(0);

function concerns(event: NftEventReader, scope: NftScope): boolean {
  if (scope === 'all') return true;
  if ('nft' in scope) return event.nft === scope.nft;
  if ('collection' in scope) return event.collection === scope.collection;
  return event.from === scope.party || event.to === scope.party || event.broker === scope.party;
}

const placeOf = ({ ledger, tx, number }: NftEventReader): NftPlace => ({ ledger, tx, number });

function compare(a: NftPlace, b: NftPlace): number {
  return a.ledger - b.ledger || a.tx - b.tx || a.number - b.number;
}
