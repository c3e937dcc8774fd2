/**
 * The node's door: WebSocket, JSON-RPC and the faucet on one loopback port.
 *
 * Requests of one socket are answered in the order they came, one at a time; those over HTTP share a lane. Whose turn it
 * is the desk says (desk.ts). Everything a stranger can make grow has a limit, of its own and of all together: bodies,
 * sockets, requests that wait, bytes not yet read. Who asks with the key that only the process itself knows has a place
 * beside the strangers, however many of them there are.
 */
import type { Server, ServerWebSocket } from 'bun';
import type { Clock } from '../../engine/ledger/clock.ts';
import { entropyOfPassphrase, keyPair } from '../protocol/keys.ts';
import { after, Desk, Lane } from './desk.ts';
import { answerBody, answerMessage, type Caller } from './dispatch.ts';
import type { Faucet } from './faucet.ts';
import type { Network } from './network.ts';
import { allowReading, isForeign, preflightAnswer } from './origin.ts';
import { Publisher } from './publisher.ts';
import { Session } from './session.ts';
import { Unread } from './unread.ts';

/** A signed transaction is at most about 1 MB in rippled; nothing asks for more. */
const BODY_BYTES_MAX = 1 << 20;
const SOCKETS_MAX = 512;
/** Sockets of the process itself, beside those. It follows its own network with one; an ended one may linger. */
const OWN_SOCKETS_MAX = 4;
/** Requests of one socket that wait for their turn, and their letters together; letters of all sockets. */
const WAITING_MAX = 4_096;
const WAITING_LETTERS_MAX = 8 << 20;
const LETTERS_IN_ALL_MAX = 64 << 20;
/** What a reader may leave unread before it is cut off, a page of `ledger_data` being about 2 MB; and all of them. */
const UNREAD_BYTES_MAX = 8 << 20;
const UNREAD_IN_ALL_MAX = 128 << 20;
/** Requests over HTTP: under way, being read or waiting, and their bodies together. */
const CALLS_AT_ONCE = 16;
const CALLS_MAX = 512;
const BODIES_MAX = 64 << 20;
/** Answers over HTTP that nobody has read yet; the longest is about 4 MB. */
const UNREAD_ANSWERS_MAX = 64;
/** Whoever is closed with something unread is cut off after this long. */
const LINGER_MS = 2_000;
/** Close code of who asks too much (RFC 6455: policy violation). */
const TOO_MUCH = 1008;
/** Close code of a node that does not know what to answer (RFC 6455: internal error). */
const BROKEN = 1011;

interface SocketData {
  /** What it may do. */
  readonly caller: Caller;
  /** The process's own. */
  readonly isOwn: boolean;
  readonly session: Session;
  readonly lane: Lane;
  /** Letters of the requests that wait. */
  letters: number;
  /** Nothing more is done for it. */
  isClosing: boolean;
}

type Socket = ServerWebSocket<SocketData>;

export interface ListenerOptions {
  readonly network: Network;
  readonly faucet: Faucet;
  readonly clock: Clock;
  /** 16 bytes nobody can guess: for the keys and random numbers that commands make. */
  readonly entropy: () => Uint8Array;
  /** Ledgers close by `ledger_accept` only. Default: no. */
  readonly manual?: boolean;
  /** 0 takes any free port. */
  readonly port: number;
  /** What nobody can guess: who asks with `?own=` and this is the process itself. Default: nobody is. */
  readonly ownKey?: string;
  /** Called with what a command threw that is no answer. */
  readonly onFault: (fault: unknown, command: string) => void;
}

/** A network's one node has one key, so that restarts do not change it. */
const nodeKey = (networkId: number): string =>
  keyPair(entropyOfPassphrase(`node of network ${networkId}`), 'secp256k1').publicKey;

const json = (body: unknown, status = 200): Response => Response.json(body, { status });
const tooBusy = (): Response => json({ error: 'tooBusy' }, 503);
const JSON_TEXT = { 'content-type': 'application/json;charset=utf-8' };
const isWebSocket = ({ headers }: Request): boolean => headers.get('upgrade')?.toLowerCase() === 'websocket';

export class Listener {
  readonly #server: Server<SocketData>;
  readonly #publisher: Publisher;
  /** Who reaches a loopback port may do everything, as in rippled's stand-alone mode; pages of other sites may not. */
  readonly #callers: { readonly admin: Caller; readonly stranger: Caller };
  readonly #ownKey: string | undefined;
  readonly #faucet: Faucet;
  readonly #clock: Clock;
  readonly #desk: Desk;
  readonly #sockets = new Set<Socket>();
  /** Of these, the process's own. */
  #own = 0;
  readonly #unread = new Unread(this.#sockets, UNREAD_IN_ALL_MAX);
  readonly #httpLane = new Lane(CALLS_AT_ONCE);
  /** Letters of the requests that wait, of all sockets. */
  #letters = 0;
  /** Requests over HTTP that are not answered, and their bodies together. */
  #calls = 0;
  #bodies = 0;

  /** @throws Error when the port is taken */
  constructor({ network, faucet, clock, port, ownKey, entropy, manual = false, onFault }: ListenerOptions) {
    const node = {
      startedAt: network.unixMs,
      manual,
      entropy,
      publicKey: nodeKey(network.networkId),
      port: () => this.port,
    };
    this.#clock = clock;
    this.#desk = new Desk(clock.now);
    const caller = { network, node, desk: this.#desk, onFault };
    this.#callers = { admin: { ...caller, admin: true }, stranger: { ...caller, admin: false } };
    this.#ownKey = ownKey;
    this.#faucet = faucet;
    this.#publisher = new Publisher(network, (fault) => onFault(fault, 'stream'));
    this.#server = Bun.serve<SocketData>({
      hostname: '127.0.0.1',
      port,
      reusePort: false,
      maxRequestBodySize: BODY_BYTES_MAX,
      fetch: (request, server) => this.#fetch(request, server),
      error: (fault) => {
        onFault(fault, 'http');
        return allowReading(json({ error: 'internal' }, 500));
      },
      websocket: {
        maxPayloadLength: BODY_BYTES_MAX,
        backpressureLimit: UNREAD_BYTES_MAX,
        idleTimeout: 120,
        sendPings: true,
        open: (socket) => this.#open(socket),
        message: (socket, message) => this.#message(socket, message),
        close: (socket) => this.#closed(socket),
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
    const { pathname, searchParams } = new URL(request.url);
    const isOwn = this.#ownKey !== undefined && searchParams.get('own') === this.#ownKey;
    if (isWebSocket(request)) return this.#upgrade(request, server, isOwn);
    return allowReading(await this.#http(request, server, pathname, isOwn));
  }

  #callerOf({ headers }: Request): Caller {
    return isForeign(headers.get('origin')) ? this.#callers.stranger : this.#callers.admin;
  }

  #upgrade(request: Request, server: Server<SocketData>, isOwn: boolean): Response | undefined {
    const strangers = this.#sockets.size - this.#own;
    if (isOwn ? this.#own >= OWN_SOCKETS_MAX : strangers >= SOCKETS_MAX) return tooBusy();
    const data: SocketData = {
      caller: this.#callerOf(request),
      isOwn,
      // The socket that the session writes to is known once it is open.
      session: new Session(),
      lane: new Lane(),
      letters: 0,
      isClosing: false,
    };
    return server.upgrade(request, { data }) ? undefined : json({ error: 'badSyntax' }, 400);
  }

  async #http(
    request: Request,
    server: Server<SocketData>,
    pathname: string,
    isOwn: boolean,
  ): Promise<Response> {
    const isFaucet = pathname === '/accounts' || pathname === '/faucet/accounts';
    if (request.method === 'OPTIONS') return preflightAnswer(request);
    if (request.method !== 'POST')
      return isFaucet
        ? json({ error: 'POST {"destination": "r..."}' }, 405)
        : json({ error: 'badSyntax', error_message: 'POST a JSON-RPC request' }, 405);
    const length = Number(request.headers.get('content-length') ?? BODY_BYTES_MAX);
    const unread = server.pendingRequests - this.#calls;
    const isFull =
      this.#calls >= CALLS_MAX || this.#bodies + length > BODIES_MAX || unread > UNREAD_ANSWERS_MAX;
    if (isFull && !isOwn) return tooBusy();
    this.#calls++;
    this.#bodies += length;
    try {
      const text = await request.text();
      return await this.#desk.run(this.#httpLane, () => this.#call(request, text, isFaucet));
    } catch (fault) {
      if (!request.signal.aborted) throw fault;
      return new Response();
    } finally {
      this.#calls--;
      this.#bodies -= length;
    }
  }

  #call(request: Request, text: string, isFaucet: boolean): Response | Promise<Response> {
    // Nobody waits for it any more.
    if (request.signal.aborted) return new Response();
    if (isFaucet) {
      const { status, body, retryAfter } = this.#faucet.answer(text);
      const answer = json(body, status);
      if (retryAfter !== undefined) answer.headers.set('retry-after', String(retryAfter));
      return answer;
    }
    return after(
      answerBody(text, this.#callerOf(request), request.signal),
      ({ status, text: answer }) =>
        new Response(answer, status === 200 ? { headers: JSON_TEXT } : { status }),
    );
  }

  #open(socket: Socket): void {
    this.#sockets.add(socket);
    const { data } = socket;
    if (data.isOwn) this.#own++;
    data.session.writeWith((text) => {
      if (data.isClosing || socket.readyState !== WebSocket.OPEN) return;
      // 0: dropped, the reader has left more unread than it may.
      if (socket.send(text) === 0) socket.terminate();
      else this.#unread.sent(text.length);
    });
    this.#publisher.add(data.session);
  }

  #message(socket: Socket, message: string | Buffer): void {
    const { data } = socket;
    if (data.isClosing) return;
    const text = typeof message === 'string' ? message : message.toString('utf8');
    data.letters += text.length;
    this.#letters += text.length;
    void this.#desk.run(data.lane, () => this.#answer(socket, text));
    if (data.lane.waiting.length > WAITING_MAX || data.letters > WAITING_LETTERS_MAX) this.#crowded(socket);
    else if (this.#letters > LETTERS_IN_ALL_MAX)
      this.#crowded([...this.#sockets].reduce((a, b) => (b.data.letters > a.data.letters ? b : a)));
  }

  /** Answers one request. */
  #answer(socket: Socket, text: string): void | Promise<void> {
    const { data } = socket;
    data.letters -= text.length;
    this.#letters -= text.length;
    const broken = (fault: unknown): void => {
      data.caller.onFault(fault, 'websocket');
      this.#shut(socket, BROKEN, 'internal error');
    };
    try {
      const answer = answerMessage(text, data.session, data.caller);
      if (!(answer instanceof Promise)) return data.session.send(answer);
      return answer.then((later) => data.session.send(later)).catch(broken);
    } catch (fault) {
      broken(fault);
    }
  }

  #crowded(socket: Socket): void {
    this.#shut(socket, TOO_MUCH, 'too many requests waiting');
  }

  /** Closes a socket; what is not read by and by is thrown away, for a close would wait behind it for ever. */
  #shut(socket: Socket, code: number, reason: string): void {
    this.#forget(socket);
    const isRead = () => socket.getBufferedAmount() === 0;
    if (isRead()) socket.close(code, reason);
    else
      this.#clock.timer(LINGER_MS, () => {
        if (socket.readyState !== WebSocket.OPEN) return;
        if (isRead()) socket.close(code, reason);
        else socket.terminate();
      });
  }

  #closed(socket: Socket): void {
    this.#sockets.delete(socket);
    if (socket.data.isOwn) this.#own--;
    this.#forget(socket);
  }

  /** Does nothing more for a socket. */
  #forget({ data }: Socket): void {
    data.isClosing = true;
    this.#publisher.remove(data.session);
    this.#desk.leave(data.lane);
    this.#letters -= data.letters;
    data.letters = 0;
  }
}
