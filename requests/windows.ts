/**
 * Counters of requests in windows of time, in memory that does not grow.
 *
 *     words of one client:  | start, count | start, count | ...     one pair a window
 *
 * A window begins with the first request after the last one ended, and holds exactly its limit. Times are milliseconds
 * modulo 2^32, as signed words ({@link timeOf}), so that they are added and compared as machine words: a clock that jumps,
 * in either direction, ends the windows that it leaves.
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

/** What the functions below take for the time. @param now Unix ms */
export const timeOf = (now: number): number => now | 0;

/** Requests counted in the window that runs at a time; 0: none runs. */
export function counted(words: Int32Array, at: number, windowMs: number, time: number): number {
  return (time - words[at]!) >>> 0 < windowMs ? words[at + 1]! : 0;
}

/** Counts one. */
export function count(words: Int32Array, at: number, windowMs: number, time: number): void {
  if (words[at + 1] !== 0 && (time - words[at]!) >>> 0 < windowMs) {
    words[at + 1]!++;
    return;
  }
  words[at] = time;
  words[at + 1] = 1;
}

/** Ms until the window ends; of none that runs, its whole length. */
export function leftOf(words: Int32Array, at: number, windowMs: number, time: number): number {
  const elapsed = (time - words[at]!) >>> 0;
  return words[at + 1] !== 0 && elapsed < windowMs ? windowMs - elapsed : windowMs;
}

/** Entries that an address may be in. */
const WAYS = 8;

/** Words before the windows of an entry: the rest of the address's hash, and when it was seen. */
const HEAD_WORDS = 2;

export class AddressWindows {
  readonly words: Int32Array;
  readonly #stride: number;
  readonly #setMask: number;
  readonly #seed = crypto.getRandomValues(new Uint32Array(2));
  /** Addresses that made room for others while one of their windows was running. */
  displaced = 0;

  /** @param entries a power of 2. @param windows of each address */
  constructor(
    readonly entries: number,
    windows: number,
    readonly longestMs: number,
  ) {
    this.#stride = HEAD_WORDS + windows * WINDOW_WORDS;
    this.#setMask = entries / WAYS - 1;
    this.words = new Int32Array(entries * this.#stride);
  }

  /** What decides where an address is: nobody may know it. */
  get seed(): readonly number[] {
    return [...this.#seed];
  }

  /** Forgets all addresses. */
  reseed(seed: readonly number[]): void {
    this.#seed.set(seed.slice(0, 2));
    this.words.fill(0);
  }

  /** The number of the entry whose windows begin at a place. */
  entryOf(at: number): number {
    return ((at - HEAD_WORDS) / this.#stride) | 0;
  }

  /** Where the windows of an entry begin. */
  placeOf(entry: number): number {
    return entry * this.#stride + HEAD_WORDS;
  }

  tagOf(entry: number): number {
    return this.words[entry * this.#stride]!;
  }

  /** Gives an entry to whom the tag belongs. @returns where its windows begin */
  put(entry: number, tag: number, time: number): number {
    const at = entry * this.#stride;
    if (this.words[at] !== tag) this.words.fill(0, at, at + this.#stride);
    this.words[at] = tag;
    this.words[at + 1] = time;
    return at + HEAD_WORDS;
  }

  /** What {@link at} takes of an address. Those of IPv4 all differ. */
  hash(address: string): number {
    const bits = ipv4(address);
    return bits < 0 ? Bun.hash.xxHash32(address, this.#seed[0]) : mix(bits ^ this.#seed[0]!);
  }

  /** The rest of it; all that there is of IPv4 is in the hash. */
  tag(address: string, hash: number): number {
    return address.includes(':') ? Bun.hash.xxHash32(address, this.#seed[1]) : mix(hash ^ this.#seed[1]!);
  }

  /**
   * Where the windows of an address begin in `words`. It is valid until the next call.
   * @param part of the address: each has windows of its own
   */
  at(hash: number, tag: number, part: number, time: number): number {
    const { words } = this;
    const mixed = mix(hash ^ Math.imul(part + 1, 0x9e3779b1));
    // 0 is the tag of an entry that nobody has.
    const own = mix(tag + part) | 1;
    const first = (mixed & this.#setMask) * WAYS * this.#stride;
    let oldest = first;
    let age = -1;
    for (let way = 0, at = first; way < WAYS; way++, at += this.#stride) {
      if (words[at] === own) {
        words[at + 1] = time;
        return at + HEAD_WORDS;
      }
      const since = words[at] === 0 ? Number.POSITIVE_INFINITY : (time - words[at + 1]!) >>> 0;
      if (since > age) [oldest, age] = [at, since];
    }
    if (age < this.longestMs) this.displaced++;
    words.fill(0, oldest, oldest + this.#stride);
    words[oldest] = own;
    words[oldest + 1] = time;
    return oldest + HEAD_WORDS;
  }
}

/** Spreads the bits of a word (the end of MurmurHash3). @returns a signed word */
function mix(word: number): number {
  let bits = word ^ (word >>> 16);
  bits = Math.imul(bits, 0x85ebca6b);
  bits ^= bits >>> 13;
  bits = Math.imul(bits, 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

/** The number that an IPv4 address is; -1: it is none. */
function ipv4(address: string): number {
  let bits = 0;
  let part = 0;
  let dots = 0;
  for (let i = 0; i < address.length; i++) {
    const digit = address.charCodeAt(i) - 48;
    if (digit >= 0 && digit <= 9 && part < 100) {
      part = part * 10 + digit;
    } else if (digit === -2 && part < 256) {
      bits = bits * 256 + part;
      part = 0;
      dots++;
    } else return -1;
  }
  return dots === 3 && part < 256 ? bits * 256 + part : -1;
}
