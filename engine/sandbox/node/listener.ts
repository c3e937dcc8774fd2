/**
 * The node's door: WebSocket, JSON-RPC and the faucet on one loopback port.
 *
 * Requests of one socket are answered in the order they came, one at a time; between them other sockets have their
 * turn. Everything a stranger can make grow has a limit: bodies, sockets, requests that wait, bytes not yet read.
 */
import type { Server, ServerWebSocket } from 'bun';
import { entropyOfPassphrase, keyPair } from '../protocol/keys.ts';
import { answerBody, answerMessage, type Caller } from './dispatch.ts';
import type { Faucet } from './faucet.ts';
import type { Network } from './network.ts';
import { Publisher } from './publisher.ts';
import { Session } from './session.ts';

/** A signed transaction is at most about 1 MB in rippled; nothing asks for more. */
const BODY_BYTES_MAX = 1 << 20;
const SOCKETS_MAX = 512;
/** Requests of one socket that wait for their turn, and their letters together. */
const WAITING_MAX = 4_096;
const WAITING_LETTERS_MAX = 8 << 20;
/** What a reader may leave unread before it is closed: a page of `ledger_data` is about 2 MB. */
const UNREAD_BYTES_MAX = 8 << 20;
/** Close code of a reader that is too slow (RFC 6455: policy violation). */
const TOO_SLOW = 1008;
/** Close code of a node that does not know what to answer (RFC 6455: internal error). */
const BROKEN = 1011;

interface SocketData {
  readonly session: Session;
  tail: Promise<void>;
  waiting: number;
  waitingLetters: number;
}

type Socket = ServerWebSocket<SocketData>;

export interface ListenerOptions {
  readonly network: Network;
  readonly faucet: Faucet;
  /** 16 bytes nobody can guess: for the keys and random numbers that commands make. */
  readonly entropy: () => Uint8Array;
  /** Ledgers close by `ledger_accept` only. Default: no. */
  readonly manual?: boolean;
  /** 0 takes any free port. */
  readonly port: number;
  /** Called with what a command threw that is no answer. */
  readonly onFault: (fault: unknown, command: string) => void;
}

/** A network's one node has one key, so that restarts do not change it. */
const nodeKey = (networkId: number): string =>
  keyPair(entropyOfPassphrase(`node of network ${networkId}`), 'secp256k1').publicKey;

const json = (body: unknown, status = 200): Response => Response.json(body, { status });

export class Listener {
  readonly #server: Server<SocketData>;
  readonly #publisher: Publisher;
  readonly #caller: Caller;
  readonly #faucet: Faucet;
  readonly #sockets = new Set<Socket>();

  /** @throws Error when the port is taken */
  constructor({ network, faucet, port, entropy, manual = false, onFault }: ListenerOptions) {
    // Whoever reaches a loopback port may do everything, as in rippled's stand-alone mode.
    const node = { startedAt: network.unixMs, manual, entropy, publicKey: nodeKey(network.networkId) };
    this.#caller = { network, node, admin: true, onFault };
    this.#faucet = faucet;
    this.#publisher = new Publisher(network, (fault) => onFault(fault, 'stream'));
    this.#server = Bun.serve<SocketData>({
      hostname: '127.0.0.1',
      port,
      maxRequestBodySize: BODY_BYTES_MAX,
      fetch: (request, server) => this.#fetch(request, server),
      error: (fault) => {
        onFault(fault, 'http');
        return json({ error: 'internal' }, 500);
      },
      websocket: {
        maxPayloadLength: BODY_BYTES_MAX,
        backpressureLimit: UNREAD_BYTES_MAX,
        idleTimeout: 120,
        sendPings: true,
        open: (socket) => this.#open(socket),
        message: (socket, message) => this.#message(socket, message),
        close: (socket) => this.#close(socket),
      },
    });
  }

  get port(): number {
    return this.#server.port!;
  }

  async stop(): Promise<void> {
    this.#publisher.stop();
    await this.#server.stop(true);
  }

  async #fetch(request: Request, server: Server<SocketData>): Promise<Response | undefined> {
    if (request.headers.get('upgrade')?.toLowerCase() === 'websocket') {
      if (this.#sockets.size >= SOCKETS_MAX) return json({ error: 'tooBusy' }, 503);
      // The socket that the session writes to is known once it is open.
      const data: SocketData = {
        session: new Session(),
        tail: Promise.resolve(),
        waiting: 0,
        waitingLetters: 0,
      };
      return server.upgrade(request, { data }) ? undefined : json({ error: 'badSyntax' }, 400);
    }
    const { pathname } = new URL(request.url);
    if (pathname === '/accounts' || pathname === '/faucet/accounts') return this.#fund(request);
    if (request.method !== 'POST')
      return json({ error: 'badSyntax', error_message: 'POST a JSON-RPC request' }, 405);
    const answer = await answerBody(await request.text(), this.#caller);
    return typeof answer === 'string' ? new Response(`${answer}\r\n`, { status: 400 }) : json(answer);
  }

  async #fund(request: Request): Promise<Response> {
    if (request.method !== 'POST') return json({ error: 'POST {"destination": "r..."}' }, 405);
    const { status, body } = this.#faucet.answer(await request.text());
    return json(body, status);
  }

  #open(socket: Socket): void {
    this.#sockets.add(socket);
    const { session } = socket.data;
    session.writeWith((text) => {
      if (socket.readyState !== WebSocket.OPEN) return;
      // 0: dropped, the reader has left more unread than it may.
      if (socket.send(text) === 0) socket.close(TOO_SLOW, 'reading too slowly');
    });
    this.#publisher.add(session);
  }

  #message(socket: Socket, message: string | Buffer): void {
    const { data } = socket;
    const text = typeof message === 'string' ? message : message.toString('utf8');
    if (data.waiting >= WAITING_MAX || data.waitingLetters + text.length > WAITING_LETTERS_MAX) {
      socket.close(TOO_SLOW, 'too many requests waiting');
      return;
    }
    data.waiting++;
    data.waitingLetters += text.length;
    data.tail = data.tail.then(() => this.#answer(socket, text));
  }

  /** Answers one request, and lets others have their turn. */
  async #answer(socket: Socket, text: string): Promise<void> {
    const { data } = socket;
    data.waiting--;
    data.waitingLetters -= text.length;
    if (socket.readyState !== WebSocket.OPEN) return;
    try {
      data.session.send(await answerMessage(text, data.session, this.#caller));
    } catch (fault) {
      this.#caller.onFault(fault, 'websocket');
      socket.close(BROKEN, 'internal error');
    }
    await new Promise(setImmediate);
  }

  #close(socket: Socket): void {
    this.#sockets.delete(socket);
    this.#publisher.remove(socket.data.session);
  }
}
