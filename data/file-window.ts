/**
 * Reads a file mostly from front to back: a read that begins where the previous one ended fetches bytes ahead, twice as many
 * as the time before. Values that were written together are stored one after another, and a system call costs more than
 * copying a page; between values that were written one by one, only the first few bytes ahead are in vain.
 */
import { readSync } from 'node:fs';

const AHEAD_MIN_BYTES = 16 * 1024;
const NOTHING = Buffer.alloc(0);
const AHEAD_MAX_BYTES = 256 * 1024;

export class FileWindow {
  readonly #fd: number;
  #bytes = Buffer.alloc(0);
  /** Range of the file that is in `#bytes`. */
  #from = 0;
  #end = 0;
  #ahead = AHEAD_MIN_BYTES;

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** @returns bytes that are valid until the next call; fewer at the end of the file */
  read(at: number, length: number): Buffer {
    // A damaged page may name any place: no file is that long.
    if (!Number.isSafeInteger(at + length)) return NOTHING;
    if (at < this.#from || at + length > this.#end) {
      // A small distance also counts: the rest of a value's last page is not read.
      const follows = at >= this.#end && at - this.#end < AHEAD_MIN_BYTES;
      this.#fill(at, follows ? Math.max(length, this.#ahead) : length);
      this.#ahead = follows ? Math.min(AHEAD_MAX_BYTES, this.#ahead * 2) : AHEAD_MIN_BYTES;
    }
    const start = at - this.#from;
    return this.#bytes.subarray(start, Math.min(start + length, this.#end - this.#from));
  }

  #fill(at: number, length: number): void {
    if (this.#bytes.length < length) this.#bytes = Buffer.alloc(length);
    this.#from = at;
    this.#end = at + readSync(this.#fd, this.#bytes, 0, length, at);
  }
}
