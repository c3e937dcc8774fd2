/**
 * Limits what all readers together leave unread. Unread data is memory of the transport; the only way to free it is to
 * terminate the socket, because a close would wait behind the unread data.
 *
 *     bytes sent ──► every eighth of the limit: add up unread bytes ──► too much? terminate the largest, down to half of it
 *
 * Cost: a look at each socket for every eighth of the limit that is sent.
 */

/** A socket of the transport. */
export interface Reader {
  /** Bytes that were sent and not read. */
  getBufferedAmount(): number;
  /** Ends the connection at once, discarding unread data. */
  terminate(): void;
}

export class BackpressureGuard {
  readonly #readers: Iterable<Reader>;
  readonly #limit: number;
  #sent = 0;

  /** @param readers every open socket @param limit bytes that all of them together may leave unread */
  constructor(readers: Iterable<Reader>, limit: number) {
    this.#readers = readers;
    this.#limit = limit;
  }

  sent(bytes: number): void {
    this.#sent += bytes;
    if (this.#sent < this.#limit / 8) return;
    this.#sent = 0;
    const waiting = Array.from(this.#readers, (reader) => ({ reader, bytes: reader.getBufferedAmount() }));
    let sum = waiting.reduce((total, { bytes: unread }) => total + unread, 0);
    if (sum <= this.#limit) return;
    waiting.sort((a, b) => b.bytes - a.bytes);
    for (const { reader, bytes: unread } of waiting) {
      if (sum <= this.#limit / 2) return;
      reader.terminate();
      sum -= unread;
    }
  }
}
