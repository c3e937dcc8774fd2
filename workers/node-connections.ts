/** The sockets to nodes of one thread, and what comes over them: the other end of node-sockets.ts. */
import { yieldToLoop } from '../engine/event-loop.ts';
import type { Expected } from '../engine/ledger/endpoint.ts';
import type { Limits } from '../engine/ledger/limits.ts';
import { packedAnswer } from '../engine/ledger/node-messages.ts';
import { type FromSockets, type ToSockets, Unread } from './node-sockets.ts';
import { PageRequests } from './page-requests.ts';

/** Ids of requests whose answers are to be packed. One whose answer never comes is dropped after so many further ones. */
const EXPECTED_MAX = 1_024;

interface Connection {
  readonly socket: WebSocket;
  readonly unread: Unread;
  /** Ids of requests for ledgers. */
  readonly expected: Set<number>;
  readonly pages: PageRequests;
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
      else if (item.kind === 'send') this.#send(item.socket, item.text, item.expects);
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
    const counted = new Unread(unread);
    const pages = new PageRequests({
      send: (request) => this.#write(id, socket, request),
      deliver: (text) => {
        this.#outgoing.push({ kind: 'text', socket: id, text });
        this.#flush();
      },
      drop: (text) => counted.remove(text.length),
    });
    this.#connections.set(id, { socket, unread: counted, expected: new Set(), pages });
    socket.onopen = () => {
      if (this.#connections.has(id)) this.#handOver({ kind: 'open', socket: id });
    };
    socket.onclose = () => this.#lose(id);
    socket.onerror = () => this.#lose(id);
    socket.onmessage = ({ data }) => this.#receive(id, data);
  }

  #send(id: number, text: string, expects: Expected | undefined): void {
    const connection = this.#connections.get(id);
    if (!connection) return;
    const { socket, expected, pages } = connection;
    if (expects?.kind === 'page') {
      pages.request(expects.id, text);
      return;
    }
    if (expects) expected.add(expects.id);
    if (expected.size > EXPECTED_MAX)
      for (const oldest of expected) {
        expected.delete(oldest);
        break;
      }
    this.#write(id, socket, text);
  }

  #write(id: number, socket: WebSocket, text: string): void {
    try {
      socket.send(text);
    } catch {
      this.#lose(id);
    }
  }

  #receive(id: number, data: unknown): void {
    const connection = this.#connections.get(id);
    if (!connection) return;
    const { expected, unread, pages } = connection;
    // The endpoint refuses a frame that is not text.
    const text = typeof data === 'string' ? data : undefined;
    if (!unread.add(text?.length ?? 0, this.#limits)) {
      this.#lose(id);
      return;
    }
    if (text !== undefined && pages.receive(text)) return;
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
    void yieldToLoop().then(() => this.#flush());
  }

  #flush(): void {
    if (this.#outgoing.length > 0) this.#post(this.#outgoing);
    this.#outgoing = [];
  }
}
