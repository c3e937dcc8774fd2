/**
 * The accounts, or currencies, that were looked up last, by their 20 bytes: a ledger names the same ones again and again, as
 * senders, owners of offers, ends of trust lines and issuers.
 *
 *     slot of two words   | id | five words of the account | unused |     32 bytes: half a cache line
 *
 * Goal: a repeated look-up costs one line of 128 KiB that stays in the processor's cache, instead of a slot of the index
 * and a row of the table, which with millions of accounts both come from memory. Non-goals: accounts that do not exist
 * (an answer is kept only when there is one, and ids are never used again, so none becomes wrong); resistance to chosen
 * accounts, which only push one another out.
 */
import { BytesView, putWords } from '../codec/bytes.ts';

/** A power of two: 128 KiB. */
const SLOT_BITS = 12;
const SLOT_WORDS = 8;

export class RecentIds {
  readonly #slots = new Int32Array(SLOT_WORDS << SLOT_BITS);
  readonly #views = new BytesView();

  /** The id of the 20 bytes at `at`; 0 when they were not among the last. */
  find(bytes: Uint8Array, at: number): number {
    const slots = this.#slots;
    const view = this.#views.of(bytes);
    const first = view.getInt32(at, true);
    const fourth = view.getInt32(at + 12, true);
    const slot = slotOf(first ^ fourth);
    return slots[slot + 1] === first &&
      slots[slot + 2] === view.getInt32(at + 4, true) &&
      slots[slot + 3] === view.getInt32(at + 8, true) &&
      slots[slot + 4] === fourth &&
      slots[slot + 5] === view.getInt32(at + 16, true)
      ? slots[slot]!
      : 0;
  }

  /** They have this id, for good. */
  keep(bytes: Uint8Array, at: number, id: number): void {
    const slots = this.#slots;
    const view = this.#views.of(bytes);
    const slot = slotOf(view.getInt32(at, true) ^ view.getInt32(at + 12, true));
    slots[slot] = id;
    putWords(slots, slot + 1, view, at, 5);
  }

  /** Forgets all: ids are given again. */
  clear(): void {
    this.#slots.fill(0);
  }
}

/** By Fibonacci hashing: the upper bits of a product. The letters of a currency are in its fourth word. */
const slotOf = (word: number): number => (Math.imul(word, 0x9e3779b1) >>> (32 - SLOT_BITS)) * SLOT_WORDS;
