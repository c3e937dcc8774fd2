/**
 * Bounds the bytes that wait for slow readers, in total and in time.
 *
 * Goal: however many sockets read slowly or not at all, their queues together stay below `queueBytesInAll`, and a
 * socket that is being closed frees its queue within `drainMs`. Non-goal: the bound of a single socket (connection.ts).
 *
 *     bytes handed to sockets -> after each eighth of the bound: add up the queues -> above the bound? terminate
 *     sockets, closing ones first, then those with the longest queues, down to three quarters of the bound
 *
 * A queue is memory of the transport: only the end of its socket frees it. Cost: one read of each socket's queue
 * length for every `queueBytesInAll` / 8 bytes sent, about 0.1 us each.
 */
import type { Connection } from './connection.ts';
import type { Limits } from './limits.ts';

/** How often closing sockets are checked, ms. The transport itself reports when one has read everything. */
const CHECK_EVERY_MS = 500;

export class BackpressureGuard {
  readonly #limits: Limits;
  readonly #open: Iterable<Connection>;
  readonly #onTerminate: () => void;
  /** Closing sockets, and since when (performance.now). */
  readonly #draining = new Map<Connection, number>();
  #unmeasured = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param open every open socket, including those that are closing. */
  constructor(limits: Limits, open: Iterable<Connection>, onTerminate: () => void) {
    this.#limits = limits;
    this.#open = open;
    this.#onTerminate = onTerminate;
  }

  /** Number of sockets that are closing and still have frames to read. */
  get draining(): number {
    return this.#draining.size;
  }

  /** Bytes that wait in all queues now. */
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

  /** Closes the socket when its queue is empty, or terminates it after `drainMs`. */
  drain(connection: Connection): void {
    this.#draining.set(connection, performance.now());
    this.#timer ??= setInterval(() => this.#checkDraining(), CHECK_EVERY_MS);
  }

  /** The socket's queue is empty. */
  drained(connection: Connection): void {
    if (!this.#draining.has(connection) || connection.queued > 0) return;
    this.forget(connection);
    connection.finish();
  }

  /** The socket has ended. */
  forget(connection: Connection): void {
    if (!this.#draining.delete(connection) || this.#draining.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  stop(): void {
    this.#draining.clear();
    clearInterval(this.#timer);
  }

  #checkDraining(): void {
    const deadline = performance.now() - this.#limits.drainMs;
    for (const [connection, since] of [...this.#draining]) {
      if (connection.queued === 0) this.drained(connection);
      else if (since < deadline) this.#terminate(connection);
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
    const closing = ({ connection }: { connection: Connection }) => Number(this.#draining.has(connection));
    waiting.sort((a, b) => closing(b) - closing(a) || b.bytes - a.bytes);
    for (const { connection, bytes } of waiting) {
      if (sum <= (this.#limits.queueBytesInAll * 3) / 4) return;
      this.#terminate(connection);
      sum -= bytes;
    }
  }

  #terminate(connection: Connection): void {
    this.forget(connection);
    this.#onTerminate();
    connection.terminate();
  }
}
