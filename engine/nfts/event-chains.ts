/**
 * The events of each NFT, collection and account as chains, so that their history needs no index in the store: the rows know
 * the newest event, and each event names the one before it of all that it concerns.
 *
 *     row of the NFT --newest--> event 9 --before--> event 4 --before--> event 1 --> none
 *                                   `--before of its collection--> event 8 --> ...
 *
 * Cost: 6 bytes an NFT, collection and account, and 30 an event.
 */
import type { Table } from '../state/table.ts';
import { ChainOf, NFT_EVENT_BYTES, NftEventReader, setEventBefore } from './event-record.ts';

const SINCE_OPENED = 'stores of schema version 6 chain the events of later ledgers only';

/** Where an event is. */
export interface NftEventPlace {
  readonly ledger: number;
  /** In the ledger. */
  readonly number: number;
}

/** The same, with its transaction. */
export interface NftPlace extends NftEventPlace {
  readonly tx: number;
}

/** Whose events: a row of this domain; 0 has none. */
export type NftEventOwner =
  | { readonly nft: number }
  | { readonly collection: number }
  | { readonly party: number };
export type NftScope = NftEventOwner | 'all';

/** The newest event of each row of a table. */
class Newest {
  readonly #table: Table;
  readonly #ledger: Uint32Array;
  readonly #number: Uint16Array;

  constructor(table: Table) {
    this.#table = table;
    this.#ledger = table.u32('eventLedger');
    this.#number = table.u16('eventNumber');
    for (const column of ['eventLedger', 'eventNumber']) table.excludeFromDigest(column, SINCE_OPENED);
  }

  of(row: number): NftEventPlace | undefined {
    const ledger = this.#ledger[row]!;
    return ledger === 0 ? undefined : { ledger, number: this.#number[row]! };
  }

  set(row: number, ledger: number, number: number): void {
    this.#ledger[row] = ledger;
    this.#number[row] = number;
    this.#table.markDirty(row);
  }

  /** Names it in a record as the one before. */
  write(row: number, view: DataView, base: number, chain: ChainOf): void {
    setEventBefore(view, base, chain, this.#ledger[row]!, this.#number[row]!);
  }
}

interface Owners {
  readonly nfts: { readonly table: Table };
  readonly collections: { readonly table: Table };
  readonly parties: { readonly table: Table };
}

export class EventChains {
  readonly #nfts: Newest;
  readonly #collections: Newest;
  readonly #parties: Newest;
  readonly #reader = new NftEventReader();

  constructor({ nfts, collections, parties }: Owners) {
    this.#nfts = new Newest(nfts.table);
    this.#collections = new Newest(collections.table);
    this.#parties = new Newest(parties.table);
  }

  newest(owner: NftEventOwner): NftEventPlace | undefined {
    if ('nft' in owner) return this.#nfts.of(owner.nft);
    return 'collection' in owner ? this.#collections.of(owner.collection) : this.#parties.of(owner.party);
  }

  /** Appends the events of a ledger, which are numbered from 0, to the chains of all that they concern. */
  append(ledger: number, bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const event = this.#reader.load(bytes);
    const parties = this.#parties;
    for (let base = 0, number = 0; base < bytes.length; base += NFT_EVENT_BYTES, number++) {
      const { nft, collection, from, to, broker } = event.at(number);
      this.#nfts.write(nft, view, base, ChainOf.nft);
      this.#nfts.set(nft, ledger, number);
      this.#collections.write(collection, view, base, ChainOf.collection);
      this.#collections.set(collection, ledger, number);
      // One account may be two of them: all first name what was before.
      if (from !== 0) parties.write(from, view, base, ChainOf.from);
      if (to !== 0) parties.write(to, view, base, ChainOf.to);
      if (broker !== 0) parties.write(broker, view, base, ChainOf.broker);
      if (from !== 0) parties.set(from, ledger, number);
      if (to !== 0) parties.set(to, ledger, number);
      if (broker !== 0) parties.set(broker, ledger, number);
    }
  }
}
