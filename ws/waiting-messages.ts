/**
 * Bounds the bytes that clients have sent and that nobody has answered yet.
 *
 * Messages wait for the first frame of their socket, which may wait for a node or another thread, and until the scheduler
 * runs them. The allowance bounds their number alone: 200 sockets of one address may send 5 GB in a moment. Goal: what waits of one
 * socket stays below `waitingBytes`, of all together below `waitingBytesInAll`; whoever has the most waiting is closed, with the
 * code for too many messages. Non-goal: what waits for slow readers (backpressure-guard.ts).
 *
 * Cost: an addition a message, and a look at each socket where all together have too much.
 */
import type { Connection } from './connection.ts';
import { CloseCode, type Limits } from './limits.ts';

export class WaitingMessages {
  readonly #limits: Limits;
  readonly #open: Iterable<Connection>;
  #bytes = 0;

  /** @param open every open socket, including those that are closing. */
  constructor(limits: Limits, open: Iterable<Connection>) {
    this.#limits = limits;
    this.#open = open;
  }

  /** Of all sockets; some of it may be of sockets that are closing, which have none any more. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A message has come. Its socket, or others, may be closed after it. */
  add(connection: Connection, data: string | Buffer): void {
    const bytes = bytesOf(data);
    connection.waitingBytes += bytes;
    this.#bytes += bytes;
    if (connection.waitingBytes > this.#limits.waitingBytes) this.#close(connection);
    else if (this.#bytes > this.#limits.waitingBytesInAll) this.#measure();
  }

  /** It is answered. */
  remove(connection: Connection, data: string | Buffer): void {
    const bytes = bytesOf(data);
    connection.waitingBytes -= bytes;
    this.#bytes -= bytes;
  }

  /** Nothing of the socket waits any more. */
  forget(connection: Connection): void {
    this.#bytes -= connection.waitingBytes;
    connection.waitingBytes = 0;
    connection.early = undefined;
  }

  #close(connection: Connection): void {
    connection.close(CloseCode.rate, 'too many bytes of messages wait to be answered');
    this.forget(connection);
  }

  #measure(): void {
    const waiting: Connection[] = [];
    for (const connection of this.#open)
      if (connection.closed) this.forget(connection);
      else if (connection.waitingBytes > 0) waiting.push(connection);
    if (this.#bytes <= this.#limits.waitingBytesInAll) return;
    waiting.sort((a, b) => b.waitingBytes - a.waitingBytes);
    for (const connection of waiting) {
      if (this.#bytes <= (this.#limits.waitingBytesInAll * 3) / 4) return;
      this.#close(connection);
    }
  }
}

const bytesOf = (data: string | Buffer): number =>
  typeof data === 'string' ? Buffer.byteLength(data) : data.length;
