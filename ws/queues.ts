/**
 * Bounds what waits for readers, in all and in time.
 *
 * Goal: however many sockets read slowly or not at all, their queues together stay below `queueBytesInAll`, and who is
 * being closed gives its queue back within `lingerMs`. Non-goal: the bound of a single socket (connection.ts).
 *
 *     bytes handed to sockets -> every eighth of the bound: add up the queues -> too much? cut off, closing ones
 *     first, then the longest, down to three quarters of the bound
 *
 * A queue is memory of the transport: the only way to give it back is to end the socket. Cost: one look at each socket
 * for every `queueBytesInAll` / 8 bytes sent, about 0.1 us each.
 */
import type { Connection } from './connection.ts';
import type { Limits } from './limits.ts';

/** How often closing sockets are looked at, ms; the transport says itself when one has read all. */
const LOOK_EVERY_MS = 500;

export class Queues {
  readonly #limits: Limits;
  readonly #open: Iterable<Connection>;
  readonly #onCut: () => void;
  /** Closing sockets, and since when (performance.now). */
  readonly #lingering = new Map<Connection, number>();
  #unmeasured = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param open every open socket, the closing ones too. */
  constructor(limits: Limits, open: Iterable<Connection>, onCut: () => void) {
    this.#limits = limits;
    this.#open = open;
    this.#onCut = onCut;
  }

  /** Sockets that are closing and still have something to read. */
  get lingering(): number {
    return this.#lingering.size;
  }

  /** Bytes that wait, now. */
  get bytes(): number {
    let sum = 0;
    for (const connection of this.#open) sum += connection.queued;
    return sum;
  }

  sent(bytes: number): void {
    this.#unmeasured += bytes;
    if (this.#unmeasured < this.#limits.queueBytesInAll / 8) return;
    this.#unmeasured = 0;
    this.#measure();
  }

  linger(connection: Connection): void {
    this.#lingering.set(connection, performance.now());
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  /** Everything that waited for this socket has left. */
  drained(connection: Connection): void {
    if (!this.#lingering.has(connection) || connection.queued > 0) return;
    this.forget(connection);
    connection.finish();
  }

  /** The socket has ended. */
  forget(connection: Connection): void {
    if (!this.#lingering.delete(connection) || this.#lingering.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  stop(): void {
    this.#lingering.clear();
    clearInterval(this.#timer);
  }

  #look(): void {
    const over = performance.now() - this.#limits.lingerMs;
    for (const [connection, since] of [...this.#lingering]) {
      if (connection.queued === 0) this.drained(connection);
      else if (since < over) this.#cut(connection);
    }
  }

  #measure(): void {
    const waiting: { connection: Connection; bytes: number }[] = [];
    let sum = 0;
    for (const connection of this.#open) {
      const bytes = connection.queued;
      if (bytes === 0) continue;
      sum += bytes;
      waiting.push({ connection, bytes });
    }
    if (sum <= this.#limits.queueBytesInAll) return;
    const closing = ({ connection }: { connection: Connection }) => Number(this.#lingering.has(connection));
    waiting.sort((a, b) => closing(b) - closing(a) || b.bytes - a.bytes);
    for (const { connection, bytes } of waiting) {
      if (sum <= (this.#limits.queueBytesInAll * 3) / 4) return;
      this.#cut(connection);
      sum -= bytes;
    }
  }

  #cut(connection: Connection): void {
    this.forget(connection);
    this.#onCut();
    connection.cut();
  }
}
