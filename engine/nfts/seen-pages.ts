/**
 * NFTokenPages that were seen since the last gap: all of their NFTs are known with their owners, so that of a later change only
 * the NFTs that came or left need to be looked at.
 *
 *     slot | slot | ...        the eight words of a page's index, or zeros; open addressing, at most half are taken
 *
 * Kept in memory only: of a page that is not here, as after a restart, every NFT is looked at once more. When there are too many
 * all are forgotten. Cost: 64 to 128 bytes a page, and mostly one cache line a look-up.
 */
import { BytesView, putWords, sameWords } from '../codec/bytes.ts';
import { hashView, hashWords } from '../state/hash.ts';

const KEY_BYTES = 32;
const KEY_WORDS = KEY_BYTES / 4;
const FIRST_PAGES = 1024;
/** The main network has some 400,000. */
const PAGES_MAX = 2 ** 21;

export class SeenPages {
  /** Twice as many as there is room for keys. */
  #slots = new Int32Array(FIRST_PAGES * 2 * KEY_WORDS);
  readonly #views = new BytesView();
  #count = 0;

  /** Whether the page of an index at an offset is among them; it is from now on. */
  add(bytes: Uint8Array, at: number): boolean {
    const slots = this.#slots;
    const view = this.#views.of(bytes);
    const end = slots.length;
    let slot = homeOf(hashView(view, at, KEY_BYTES), end);
    for (; !isFree(slots, slot); slot = nextOf(slot, end))
      if (sameWords(slots, slot, view, at, KEY_WORDS)) return true;
    putWords(slots, slot, view, at, KEY_WORDS);
    if (++this.#count * KEY_WORDS * 2 >= end) this.#grow();
    return false;
  }

  clear(): void {
    this.#count = 0;
    this.#slots.fill(0);
  }

  #grow(): void {
    if (this.#count >= PAGES_MAX) {
      this.clear();
      return;
    }
    const before = this.#slots;
    const slots = new Int32Array(before.length * 2);
    const end = slots.length;
    for (let key = 0; key < before.length; key += KEY_WORDS) {
      if (isFree(before, key)) continue;
      let slot = homeOf(hashWords(before, key, KEY_WORDS), end);
      while (!isFree(slots, slot)) slot = nextOf(slot, end);
      for (let i = 0; i < KEY_WORDS; i++) slots[slot + i] = before[key + i]!;
    }
    this.#slots = slots;
  }
}

/** @param end a power of two */
const homeOf = (hash: number, end: number): number => (hash & (end / KEY_WORDS - 1)) * KEY_WORDS;
const nextOf = (slot: number, end: number): number => (slot + KEY_WORDS) & (end - 1);

function isFree(slots: Int32Array, slot: number): boolean {
  for (let i = 0; i < KEY_WORDS; i++) if (slots[slot + i] !== 0) return false;
  return true;
}
