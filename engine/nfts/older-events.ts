/**
 * Events that a program of schema version 6 stored: records of 112 bytes, one a row, and an index of each NFT, collection and
 * account. They are older than all events of a store in today's form (pending-events.ts), and stay as they are.
 *
 *     nftEvents            | ledger 4 | tx 2 | number 2 |                 the record
 *     nftTokenEvents       | NFT 4 | ledger 4 | tx 2 | number 2 |         empty, as those of accounts and collections
 */
import { readU16, readU32 } from '../codec/bytes.ts';
import type { StoreReads, Walk } from '../store.ts';
import type { NftPlace, NftScope } from './event-chains.ts';

/** Places read from an index in one go. */
const SLICE = 256;

type EventStore = Pick<StoreReads, 'records'>;

/** The records before a place, newest first. */
export function* olderNftEvents(store: EventStore, scope: NftScope, before: NftPlace): Generator<Uint8Array> {
  for (let end = before; ; ) {
    const places = placesBefore(store, scope, end);
    for (const place of places) {
      const record = recordAt(store, place);
      if (record) yield record;
    }
    if (places.length < SLICE) return;
    end = places.at(-1)!;
  }
}

/** The records of a transaction, in their order. */
export function olderNftEventsOf(store: EventStore, ledger: number, tx: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  store.records('nftEvents', [ledger, tx], {}, (_, record) => {
    found.push(record.slice());
    return true;
  });
  return found;
}

/** Visits the records of some ledgers, oldest first. @returns false when `visit` did */
export function eachOlderNftEvent(
  store: EventStore,
  ledgers: Walk<number>,
  visit: (record: Uint8Array) => boolean,
): boolean {
  let goesOn = true;
  store.records('nftEvents', [], ledgers, (_, record) => {
    goesOn = visit(record);
    return goesOn;
  });
  return goesOn;
}

function placesBefore(store: EventStore, scope: NftScope, before: NftPlace): NftPlace[] {
  const found: NftPlace[] = [];
  const [family, prefix] = indexOf(scope);
  store.records(family, prefix, { to: before.ledger, reverse: true }, (_last, _value, key) => {
    const at = key.length - 8;
    const place = { ledger: readU32(key, at), tx: readU16(key, at + 4), number: readU16(key, at + 6) };
    if (compare(place, before) < 0) found.push(place);
    return found.length < SLICE;
  });
  return found;
}

function recordAt(store: EventStore, { ledger, tx, number }: NftPlace): Uint8Array | undefined {
  let found: Uint8Array | undefined;
  store.records('nftEvents', [ledger, tx], { from: number, to: number }, (_, record) => {
    found = record.slice();
    return false;
  });
  return found;
}

function indexOf(scope: NftScope) {
  if (scope === 'all') return ['nftEvents', []] as const;
  if ('nft' in scope) return ['nftTokenEvents', [scope.nft]] as const;
  if ('collection' in scope) return ['nftCollectionEvents', [scope.collection]] as const;
  return ['nftAccountEvents', [scope.party]] as const;
}

function compare(a: NftPlace, b: NftPlace): number {
  return a.ledger - b.ledger || a.tx - b.tx || a.number - b.number;
}
