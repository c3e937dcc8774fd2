/** Reads the events of NFTs that the store has, in either of their forms (pending-events.ts, older-events.ts). */
import { readU32 } from '../codec/bytes.ts';
import type { StoreReads, Walk } from '../store.ts';
import type { NftEventPlace } from './event-chains.ts';
import { NFT_EVENT_BYTES, NftEventReader, nftEventAt } from './event-record.ts';
import { eachOlderNftEvent, olderNftEventsOf } from './older-events.ts';
import { EVENTS_A_PIECE } from './pending-events.ts';

/** Pieces read in one go. */
const SLICE = 32;

type EventStore = Pick<StoreReads, 'records'>;

/** Visits the events of some ledgers, oldest first, until `visit` returns false; the event is valid during the call only. */
export function eachStoredNftEvent(
  store: EventStore,
  ledgers: Walk<number>,
  visit: (event: NftEventReader) => boolean,
): void {
  const event = new NftEventReader();
  if (!eachOlderNftEvent(store, ledgers, (record) => visit(event.load(record)))) return;
  store.records('nftLedgerEvents', [], ledgers, (_, piece) => {
    event.load(piece);
    for (let i = 0; i < piece.length / NFT_EVENT_BYTES; i++) if (!visit(event.at(i))) return false;
    return true;
  });
}

/** The records of a transaction, in their order. */
export function storedNftEventsOf(store: EventStore, ledger: number, tx: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  const event = new NftEventReader();
  store.records('nftLedgerEvents', [ledger], {}, (_, piece) => {
    event.load(piece.slice());
    for (let i = 0; i < piece.length / NFT_EVENT_BYTES; i++)
      if (event.at(i).tx === tx) found.push(event.bytes);
    return true;
  });
  return found.length > 0 ? found : olderNftEventsOf(store, ledger, tx);
}

/** Reads one event after the other; those of one piece with one read. */
export class StoredNftEvents {
  readonly #store: EventStore;
  #ledger = 0;
  #first = 0;
  #piece: Uint8Array = new Uint8Array(0);

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** undefined: there is none in today's form. */
  at({ ledger, number }: NftEventPlace): Uint8Array | undefined {
    const first = number - (number % EVENTS_A_PIECE);
    if (ledger !== this.#ledger || first !== this.#first) this.#read(ledger, first);
    return nftEventAt(this.#piece, number - first);
  }

  /** All before a place, newest first. */
  *before(end: NftEventPlace): Generator<Uint8Array> {
    for (let { ledger, number } = end; ; ) {
      const pieces = this.#piecesBefore(ledger, number);
      for (const piece of pieces) {
        for (let i = piece.bytes.length / NFT_EVENT_BYTES - 1; i >= 0; i--)
          if (piece.ledger < ledger || piece.first + i < number) yield nftEventAt(piece.bytes, i)!;
      }
      if (pieces.length < SLICE) return;
      const last = pieces.at(-1)!;
      [ledger, number] = [last.ledger, last.first];
    }
  }

  #piecesBefore(end: number, number: number) {
    const pieces: { readonly ledger: number; readonly first: number; readonly bytes: Uint8Array }[] = [];
    this.#store.records('nftLedgerEvents', [], { to: end, reverse: true }, (first, value, key) => {
      const ledger = readU32(key, 0);
      if (ledger < end || first < number) pieces.push({ ledger, first, bytes: value.slice() });
      return pieces.length < SLICE;
    });
    return pieces;
  }

  #read(ledger: number, first: number): void {
    [this.#ledger, this.#first, this.#piece] = [ledger, first, new Uint8Array(0)];
    this.#store.records('nftLedgerEvents', [ledger], { from: first, to: first }, (_, piece) => {
      this.#piece = piece.slice();
      return false;
    });
  }
}
