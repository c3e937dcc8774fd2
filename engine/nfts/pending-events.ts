/**
 * The events of NFTs on their way to the store, and those that are not durable yet.
 *
 *     nftEvents            | ledger 4 | tx 2 | number 2 |                 the record (event-record.ts)
 *     nftTokenEvents       | NFT 4 | ledger 4 | tx 2 | number 2 |         empty, as those of accounts and collections
 *
 * Cost: 112 bytes in the store for each event, and 12 for each NFT, collection and account that it concerns (24 in all, of
 * most).
 */
import type { Batch } from '../store.ts';
import { NFT_EVENT_BYTES, type NftEventBuffer, NftEventReader } from './event-record.ts';

const EMPTY = new Uint8Array(0);

interface PendingLedger {
  readonly ledger: number;
  readonly bytes: Uint8Array;
}

export class PendingNftEvents {
  readonly #ledgers: PendingLedger[] = [];
  readonly #reader = new NftEventReader();

  /** Ledgers whose events may not be in the store yet, oldest first: NFT_EVENT_BYTES an event. */
  get ledgers(): readonly PendingLedger[] {
    return this.#ledgers;
  }

  /** Hands over the events of a ledger. */
  add(ledger: number, { bytes, count }: NftEventBuffer, batch: Pick<Batch, 'record'>): void {
    if (count === 0) return;
    const kept = bytes.slice(0, count * NFT_EVENT_BYTES);
    this.#ledgers.push({ ledger, bytes: kept });
    const reader = this.#reader.load(kept);
    for (let i = 0; i < count; i++) {
      reader.at(i);
      const { tx, number, from, to, broker } = reader;
      batch.record('nftEvents', [ledger, tx, number], reader.bytes);
      batch.record('nftTokenEvents', [reader.nft, ledger, tx, number], EMPTY);
      batch.record('nftCollectionEvents', [reader.collection, ledger, tx, number], EMPTY);
      for (const party of new Set([from, to, broker]))
        if (party !== 0) batch.record('nftAccountEvents', [party, ledger, tx, number], EMPTY);
    }
  }

  durable(ledger: number): void {
    const kept = this.#ledgers.findIndex((one) => one.ledger > ledger);
    this.#ledgers.splice(0, kept < 0 ? this.#ledgers.length : kept);
  }

  clear(): void {
    this.#ledgers.length = 0;
  }
}
