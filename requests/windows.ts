/**
 * Counters of requests in windows of time, in memory that does not grow.
 *
 *     words of one client:  | start, count | start, count | ...     one pair a window
 *
 * A window begins with the first request after the last one ended, and holds exactly its limit. Times are milliseconds
 * modulo 2^32: a clock that jumps, in either direction, ends the windows that it leaves.
 *
 * Clients by address are in a table of fixed size. An address is one of the {@link WAYS} entries of its set; where all are
 * taken, the one that was seen longest ago makes room. Which addresses share a set depends on a number drawn at start, so
 * that nobody can choose addresses to displace another's. Keys have words of their own and are never displaced.
 *
 * Cost: 30 ns a window. A table of a million addresses with five windows is 50 MB, of which the system provides what is
 * touched.
 */

/** Words of one window. */
export const WINDOW_WORDS = 2;

/** Requests counted in the window that runs now; 0: none runs. @param now ms */
export function counted(words: Uint32Array, at: number, windowMs: number, now: number): number {
  return (now - words[at]!) >>> 0 < windowMs ? words[at + 1]! : 0;
}

/** Counts one. @param now ms */
export function count(words: Uint32Array, at: number, windowMs: number, now: number): void {
  if (words[at + 1] !== 0 && (now - words[at]!) >>> 0 < windowMs) {
    words[at + 1]!++;
    return;
  }
  words[at] = now >>> 0;
  words[at + 1] = 1;
}

/** Ms until the window ends; of none that runs, its whole length. */
export function leftOf(words: Uint32Array, at: number, windowMs: number, now: number): number {
  const elapsed = (now - words[at]!) >>> 0;
  return words[at + 1] !== 0 && elapsed < windowMs ? windowMs - elapsed : windowMs;
}

/** Entries that an address may be in. */
const WAYS = 8;

/** Words before the windows of an entry: the rest of the address's hash, and when it was seen. */
const HEAD_WORDS = 2;

export class AddressWindows {
  readonly words: Uint32Array;
  readonly #stride: number;
  readonly #setMask: number;
  readonly #seed = crypto.getRandomValues(new Uint32Array(2));
  /** Addresses that made room for others while one of their windows was running. */
  displaced = 0;

  /** @param entries a power of 2. @param windows of each address */
  constructor(
    entries: number,
    windows: number,
    readonly longestMs: number,
  ) {
    this.#stride = HEAD_WORDS + windows * WINDOW_WORDS;
    this.#setMask = entries / WAYS - 1;
    this.words = new Uint32Array(entries * this.#stride);
  }

  /** What {@link at} takes of an address. */
  hash(address: string): number {
    return Bun.hash.xxHash32(address, this.#seed[0]);
  }

  /** The rest of it. */
  tag(address: string): number {
    return Bun.hash.xxHash32(address, this.#seed[1]);
  }

  /**
   * Where the windows of an address begin in `words`. It is valid until the next call.
   * @param part of the address: each has windows of its own. @param now ms
   */
  at(hash: number, tag: number, part: number, now: number): number {
    const { words } = this;
    const mixed = mix(hash ^ Math.imul(part + 1, 0x9e3779b1));
    // 0 is the tag of an entry that nobody has.
    const own = (mix(tag + part) | 1) >>> 0;
    const first = (mixed & this.#setMask) * WAYS * this.#stride;
    let oldest = first;
    let age = -1;
    for (let way = 0, at = first; way < WAYS; way++, at += this.#stride) {
      if (words[at] === own) {
        words[at + 1] = now >>> 0;
        return at + HEAD_WORDS;
      }
      const since = words[at] === 0 ? Number.POSITIVE_INFINITY : (now - words[at + 1]!) >>> 0;
      if (since > age) [oldest, age] = [at, since];
    }
    if (age < this.longestMs) this.displaced++;
    words.fill(0, oldest, oldest + this.#stride);
    words[oldest] = own;
    words[oldest + 1] = now >>> 0;
    return oldest + HEAD_WORDS;
  }
}

/** Spreads the bits of a word (the end of MurmurHash3). */
function mix(word: number): number {
  let bits = word ^ (word >>> 16);
  bits = Math.imul(bits, 0x85ebca6b);
  bits ^= bits >>> 13;
  bits = Math.imul(bits, 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
