/** The sockets to nodes of one thread, and what comes over them: the other end of node-sockets.ts. */
import { yieldToLoop } from '../engine/event-loop.ts';
import type { Limits } from '../engine/ledger/limits.ts';
import { packedAnswer } from '../engine/ledger/node-messages.ts';
import { type FromSockets, type ToSockets, Unread } from './node-sockets.ts';

/** Ids of requests whose answers are to be packed. One whose answer never comes is dropped after so many further ones. */
const EXPECTED_MAX = 1_024;

interface Connection {
  readonly socket: WebSocket;
  readonly unread: Unread;
  readonly expected: Set<number>;
}

export class NodeConnections {
  readonly #limits: Limits;
  readonly #post: (items: readonly FromSockets[]) => void;
  readonly #connections = new Map<number, Connection>();
  /** What is handed over at the end of this round of the event loop. */
  #outgoing: FromSockets[] = [];

  constructor(limits: Limits, post: (items: readonly FromSockets[]) => void) {
    this.#limits = limits;
    this.#post = post;
  }

  run(items: readonly ToSockets[]): void {
    for (const item of items)
      if (item.kind === 'open') this.#open(item.socket, item.url, item.unread);
      else if (item.kind === 'send') this.#send(item.socket, item.text, item.ledger);
      else {
        const { socket } = this.#connections.get(item.socket) ?? {};
        this.#connections.delete(item.socket);
        socket?.terminate();
      }
  }

  #open(id: number, url: string, unread: SharedArrayBuffer): void {
    let socket: WebSocket;
    try {
      // No compression: otherwise a message of a kilobyte could inflate to a hundred megabytes.
      socket = new WebSocket(url, { perMessageDeflate: false });
    } catch {
      this.#handOver({ kind: 'lost', socket: id });
      return;
    }
    this.#connections.set(id, { socket, unread: new Unread(unread), expected: new Set() });
    socket.onopen = () => {
      if (this.#connections.has(id)) this.#handOver({ kind: 'open', socket: id });
    };
    socket.onclose = () => this.#lose(id);
    socket.onerror = () => this.#lose(id);
    socket.onmessage = ({ data }) => this.#receive(id, data);
  }

  #send(id: number, text: string, ledger: number | undefined): void {
    const connection = this.#connections.get(id);
    if (!connection) return;
    const { socket, expected } = connection;
    if (ledger !== undefined) expected.add(ledger);
    if (expected.size > EXPECTED_MAX)
      for (const oldest of expected) {
        expected.delete(oldest);
        break;
      }
    try {
      socket.send(text);
    } catch {
      this.#lose(id);
    }
  }

  #receive(id: number, data: unknown): void {
    const connection = this.#connections.get(id);
    if (!connection) return;
    const { expected, unread } = connection;
    // The endpoint refuses a frame that is not text.
    const text = typeof data === 'string' ? data : undefined;
    if (!unread.add(text?.length ?? 0, this.#limits)) {
      this.#lose(id);
      return;
    }
    const answer = text === undefined ? undefined : packedAnswer(text, this.#limits, expected);
    if (!answer) {
      this.#handOver({ kind: 'text', socket: id, text });
      return;
    }
    expected.delete(answer.id);
    const buffer = answer.packed.bytes.buffer as SharedArrayBuffer;
    this.#handOver({ kind: 'ledger', socket: id, id: answer.id, buffer, size: text!.length });
  }

  /** Ends a connection: nothing more comes over it. */
  #lose(id: number): void {
    const connection = this.#connections.get(id);
    if (!connection) return;
    this.#connections.delete(id);
    connection.socket.terminate();
    this.#handOver({ kind: 'lost', socket: id });
  }

  #handOver(item: FromSockets): void {
    this.#outgoing.push(item);
    if (this.#outgoing.length > 1) return;
    void yieldToLoop().then(() => {
      this.#post(this.#outgoing);
      this.#outgoing = [];
    });
  }
}
