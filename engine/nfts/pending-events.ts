/**
 * The events of NFTs on their way to the store, and those that are not durable yet.
 *
 *     nftLedgerEvents      | ledger 4 | number 2 |       up to EVENTS_A_PIECE records (event-record.ts), from that number on
 *
 * Cost: 144 bytes in the store for each event; a twelfth of a row.
 */
import type { Batch } from '../store.ts';
import type { EventChains, NftEventOwner, NftEventPlace } from './event-chains.ts';
import { NFT_EVENT_BYTES, type NftEventBuffer } from './event-record.ts';

/** Two pieces fill a page of the store, and whoever reads one event reads little more. */
export const EVENTS_A_PIECE = 12;

interface PendingLedger {
  readonly ledger: number;
  readonly bytes: Uint8Array;
}

export class PendingNftEvents {
  readonly #ledgers: PendingLedger[] = [];
  readonly #chains: EventChains;

  constructor(chains: EventChains) {
    this.#chains = chains;
  }

  /** Ledgers whose events may not be in the store yet, oldest first: NFT_EVENT_BYTES an event. */
  get ledgers(): readonly PendingLedger[] {
    return this.#ledgers;
  }

  /** The newest event of an NFT, a collection or an account, pending or stored. */
  newest(owner: NftEventOwner): NftEventPlace | undefined {
    return this.#chains.newest(owner);
  }

  /** Hands over the events of a ledger. They stay where they are. */
  add(ledger: number, { bytes, count }: NftEventBuffer, batch: Pick<Batch, 'record'>): void {
    if (count === 0) return;
    const kept = bytes.subarray(0, count * NFT_EVENT_BYTES);
    this.#chains.append(ledger, kept);
    this.#ledgers.push({ ledger, bytes: kept });
    for (let first = 0; first < count; first += EVENTS_A_PIECE) {
      const piece = kept.subarray(first * NFT_EVENT_BYTES, (first + EVENTS_A_PIECE) * NFT_EVENT_BYTES);
      batch.record('nftLedgerEvents', [ledger, first], piece);
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
