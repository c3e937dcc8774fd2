/**
 * Bounds what all readers together leave unread. What waits for a reader is memory of the transport; the only way to
 * have it back is to cut the socket off, for a close would wait behind what is not read.
 *
 *     bytes sent ──► every eighth of the bound: add up what waits ──► too much? cut off the longest, down to half of it
 *
 * Cost: a look at each socket for every eighth of the bound that is sent.
 */

/** A socket as its transport knows it. */
export interface Reader {
  /** Bytes that were sent and not read. */
  getBufferedAmount(): number;
  /** Ends it at once, whatever waits. */
  terminate(): void;
}

export class Unread {
  readonly #readers: Iterable<Reader>;
  readonly #most: number;
  #sent = 0;

  /** @param readers every open socket @param most bytes that may wait for all of them together */
  constructor(readers: Iterable<Reader>, most: number) {
    this.#readers = readers;
    this.#most = most;
  }

  sent(bytes: number): void {
    this.#sent += bytes;
    if (this.#sent < this.#most / 8) return;
    this.#sent = 0;
    const waiting = Array.from(this.#readers, (reader) => ({ reader, bytes: reader.getBufferedAmount() }));
    let sum = waiting.reduce((total, { bytes: unread }) => total + unread, 0);
    if (sum <= this.#most) return;
    waiting.sort((a, b) => b.bytes - a.bytes);
    for (const { reader, bytes: unread } of waiting) {
      if (sum <= this.#most / 2) return;
      reader.terminate();
      sum -= unread;
    }
  }
}
