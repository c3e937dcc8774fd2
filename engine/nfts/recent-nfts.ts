/**
 * The NFTs that were looked up last, by their ids: what a ledger does to an NFT names it several times.
 *
 *     row | eight words of the id | unused        64 bytes: one cache line
 *
 * Goal: a repeated look-up touches the id and one line, instead of a slot of the index and five columns. Non-goals: NFTs that
 * are not known (rows are never given again, so no answer becomes wrong); resistance to chosen ids, which only push one another
 * out.
 */

import { BytesView, putWords, sameWords } from '../codec/bytes.ts';
import { NFT_ID_BYTES } from '../codec/nft-id.ts';

/** A power of two: 256 KiB. */
const SLOT_BITS = 12;
const SLOT_WORDS = 16;
const ID_WORDS = NFT_ID_BYTES / 4;

export class RecentNfts {
  readonly #slots = new Int32Array(SLOT_WORDS << SLOT_BITS);
  readonly #views = new BytesView();

  /** The row of the id at `at`; 0 when it was not among the last. */
  find(bytes: Uint8Array, at: number): number {
    const slots = this.#slots;
    const view = this.#views.of(bytes);
    const slot = slotOf(view, at);
    return sameWords(slots, slot + 1, view, at, ID_WORDS) ? slots[slot]! : 0;
  }

  /** It has this row, for good. */
  keep(bytes: Uint8Array, at: number, row: number): void {
    const slots = this.#slots;
    const view = this.#views.of(bytes);
    const slot = slotOf(view, at);
    slots[slot] = row;
    putWords(slots, slot + 1, view, at, ID_WORDS);
  }

  /** Forgets all: rows are given again. */
  clear(): void {
    this.#slots.fill(0);
  }
}

/** By Fibonacci hashing of a word of the issuer and the sequence: issuers number their NFTs alike. */
const slotOf = (view: DataView, at: number): number =>
  (Math.imul(
    view.getInt32(at + 4, true) ^ Math.imul(view.getInt32(at + 28, true), 0x85ebca6b),
    0x9e3779b1,
  ) >>>
    (32 - SLOT_BITS)) *
  SLOT_WORDS;
