/**
 * NFTokenPages that were seen since the last gap: all of their NFTs are known with their owners, so that of a later change only
 * the NFTs that came or left need to be looked at.
 *
 * Kept in memory only: of a page that is not here, as after a restart, every NFT is looked at once more. When there are too many
 * all are forgotten. Cost: 32 bytes a page and 8 to 16 of slots.
 */
import { copyBytes, sameBytes } from '../codec/bytes.ts';
import { hashBytes } from '../state/hash.ts';

const KEY_BYTES = 32;
const FIRST_PAGES = 1024;
/** The main network has some 400,000. */
const PAGES_MAX = 2 ** 21;

export class SeenPages {
  #keys = new Uint8Array(FIRST_PAGES * KEY_BYTES);
  /** Place of a key, from 1; twice as many as there is room for keys. */
  #slots = new Uint32Array(FIRST_PAGES * 2);
  #count = 0;

  /** Whether the page of an index at an offset is among them; it is from now on. */
  add(bytes: Uint8Array, at: number): boolean {
    let slot = this.#slotOf(bytes, at);
    if (this.#slots[slot] !== 0) return true;
    if ((this.#count + 1) * KEY_BYTES > this.#keys.length) {
      this.#grow();
      slot = this.#slotOf(bytes, at);
    }
    copyBytes(bytes, at, this.#keys, this.#count * KEY_BYTES, KEY_BYTES);
    this.#slots[slot] = ++this.#count;
    return false;
  }

  clear(): void {
    this.#count = 0;
    this.#slots.fill(0);
  }

  /** Where its place is, or would be. */
  #slotOf(bytes: Uint8Array, at: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hashBytes(bytes, at, KEY_BYTES) & mask; ; slot = (slot + 1) & mask) {
      const place = this.#slots[slot]!;
      if (place === 0 || sameBytes(this.#keys, (place - 1) * KEY_BYTES, bytes, at, KEY_BYTES)) return slot;
    }
  }

  #grow(): void {
    if (this.#count >= PAGES_MAX) {
      this.clear();
      return;
    }
    const keys = this.#keys;
    this.#keys = new Uint8Array(keys.length * 2);
    this.#keys.set(keys);
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let place = 1; place <= this.#count; place++)
      this.#slots[this.#slotOf(keys, (place - 1) * KEY_BYTES)] = place;
  }
}
