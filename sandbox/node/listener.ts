/**
 * The node's network interface: WebSocket, JSON-RPC and the faucet on one loopback port.
 *
 * Requests of one socket are answered in order, one at a time; all requests over HTTP share one flow. The scheduler
 * decides which flow is served next (fair-scheduler.ts). Everything that a client can make grow has a limit, for one
 * client and for all together: bodies, sockets, waiting requests, unread bytes. Connections of the process itself, which
 * carry its secret key, have reserved places, so that other clients cannot use them all.
 */
import type { Server, ServerWebSocket } from 'bun';
import type { Clock } from '../../engine/ledger/clock.ts';
import { entropyOfPassphrase, keyPair } from '../protocol/keys.ts';
import { BackpressureGuard } from './backpressure-guard.ts';
import { answerBody, answerMessage, type Caller } from './dispatch.ts';
import { after, FairScheduler, FlowQueue } from './fair-scheduler.ts';
import type { Faucet } from './faucet.ts';
import type { Network } from './network.ts';
import { allowReading, isForeign, preflightAnswer } from './origin.ts';
import { Publisher } from './publisher.ts';
import { Session } from './session.ts';

/** A signed transaction is at most about 1 MB in rippled; no request needs more. */
const BODY_BYTES_MAX = 1 << 20;
const SOCKETS_MAX = 512;
/** Reserved sockets of the process itself. It follows its own network with one; a closed one may still be draining. */
const OWN_SOCKETS_MAX = 4;
/** Waiting requests of one socket, their characters together, and the characters of all sockets. */
const WAITING_MAX = 4_096;
const WAITING_CHARACTERS_MAX = 8 << 20;
const WAITING_CHARACTERS_TOTAL_MAX = 64 << 20;
/** Bytes that one reader may leave unread before it is terminated (a page of `ledger_data` is about 2 MB); and all readers. */
const UNREAD_BYTES_MAX = 8 << 20;
const UNREAD_BYTES_TOTAL_MAX = 128 << 20;
/** Requests over HTTP: running at the same time, being read or waiting, and their bodies together. */
const CALLS_CONCURRENT = 16;
const CALLS_MAX = 512;
const BODIES_MAX = 64 << 20;
/** Answers over HTTP that are not read yet; the longest is about 4 MB. */
const UNREAD_ANSWERS_MAX = 64;
/** A closed socket with unread data is terminated after this long. */
const DRAIN_MS = 2_000;
/** Close code for too many requests (RFC 6455: policy violation). */
const CLOSE_TOO_MANY = 1008;
/** Close code after an error in the node (RFC 6455: internal error). */
const CLOSE_INTERNAL_ERROR = 1011;

interface SocketData {
  /** The permissions of the client. */
  readonly caller: Caller;
  /** A connection of the process itself. */
  readonly isOwn: boolean;
  readonly session: Session;
  readonly flow: FlowQueue;
  /** Characters of the waiting requests. */
  characters: number;
  /** Set while it closes: no further request is served. */
  isClosing: boolean;
}

type Socket = ServerWebSocket<SocketData>;

export interface ListenerOptions {
  readonly network: Network;
  readonly faucet: Faucet;
  readonly clock: Clock;
  /** 16 unpredictable bytes: for the keys and random numbers that commands make. */
  readonly entropy: () => Uint8Array;
  /** Ledgers close by `ledger_accept` only. Default: no. */
  readonly manual?: boolean;
  /** 0 takes any free port. */
  readonly port: number;
  /** Secret: a connection with `?own=` and this value belongs to the process itself. Default: none does. */
  readonly ownKey?: string;
  /** Called with an exception of a command that is not an RpcError. */
  readonly onFault: (fault: unknown, command: string) => void;
}

/** A network's one node has one key, so that restarts do not change it. */
const nodeKey = (networkId: number): string =>
  keyPair(entropyOfPassphrase(`node of network ${networkId}`), 'secp256k1').publicKey;

const json = (body: unknown, status = 200): Response => Response.json(body, { status });
const tooBusy = (): Response => json({ error: 'tooBusy' }, 503);
/** For requests without a host. */
const BASE_URL = 'http://127.0.0.1';
/** Where a domain serves its file (XLS-26). */
const TOML_PATH = '/.well-known/xrp-ledger.toml';
const TOML_TEXT = { 'content-type': 'application/toml;charset=utf-8' };
const JSON_TEXT = { 'content-type': 'application/json;charset=utf-8' };
const hostNamed = (headers: Headers): string =>
  (headers.get('host') ?? '').replace(/:\d+$/, '').toLowerCase();
const isWebSocket = ({ headers }: Request): boolean => headers.get('upgrade')?.toLowerCase() === 'websocket';

export class Listener {
  readonly #server: Server<SocketData>;
  readonly #publisher: Publisher;
  /** Every local client is an admin, as in rippled's stand-alone mode; pages of other sites are not. */
  readonly #callers: { readonly admin: Caller; readonly foreign: Caller };
  readonly #ownKey: string | undefined;
  readonly #faucet: Faucet;
  readonly #clock: Clock;
  readonly #scheduler: FairScheduler;
  readonly #sockets = new Set<Socket>();
  /** Of these, connections of the process itself. */
  #ownSockets = 0;
  readonly #backpressure = new BackpressureGuard(this.#sockets, UNREAD_BYTES_TOTAL_MAX);
  readonly #httpFlow = new FlowQueue(CALLS_CONCURRENT);
  /** Characters of the waiting requests of all sockets. */
  #characters = 0;
  /** Requests over HTTP without an answer yet, and their bodies together. */
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
    this.#scheduler = new FairScheduler(clock.now);
    const caller = { network, node, scheduler: this.#scheduler, onFault };
    this.#callers = { admin: { ...caller, admin: true }, foreign: { ...caller, admin: false } };
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
    const { pathname, searchParams } = new URL(request.url, BASE_URL);
    const isOwn = this.#ownKey !== undefined && searchParams.get('own') === this.#ownKey;
    if (isWebSocket(request)) return this.#upgrade(request, server, isOwn);
    return allowReading(await this.#http(request, server, pathname, isOwn));
  }

  #callerOf({ headers }: Request): Caller {
    return isForeign(headers.get('origin')) ? this.#callers.foreign : this.#callers.admin;
  }

  #upgrade(request: Request, server: Server<SocketData>, isOwn: boolean): Response | undefined {
    const others = this.#sockets.size - this.#ownSockets;
    if (isOwn ? this.#ownSockets >= OWN_SOCKETS_MAX : others >= SOCKETS_MAX) return tooBusy();
    const data: SocketData = {
      caller: this.#callerOf(request),
      isOwn,
      // The socket that the session writes to is known once it is open.
      session: new Session(),
      flow: new FlowQueue(),
      characters: 0,
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
    if (pathname === TOML_PATH) return this.#toml(request);
    const file = this.#file(request, pathname);
    if (file) return file;
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
      return await this.#scheduler.run(this.#httpFlow, () => this.#call(request, text, isFaucet));
    } catch (fault) {
      if (!request.signal.aborted) throw fault;
      return new Response();
    } finally {
      this.#calls--;
      this.#bodies -= length;
    }
  }

  /** The xrp-ledger.toml of the domain that the request names as its host: the node serves those of all issuers. */
  #toml({ method, headers }: Request): Response {
    if (method !== 'GET' && method !== 'HEAD') return json({ error: 'GET' }, 405);
    const text = this.#callers.foreign.network.tomlOf?.(hostNamed(headers));
    return text === undefined
      ? json({ error: 'notFound', error_message: 'the Host header names no domain with a file' }, 404)
      : new Response(text, { headers: TOML_TEXT });
  }

  /** What the host has that the request names: the node stands for all hosts of its network. */
  #file({ method, headers }: Request, pathname: string): Response | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    const file = this.#callers.foreign.network.fileOf?.(hostNamed(headers), pathname);
    return file && new Response(file.body as string, { headers: { 'content-type': file.type } });
  }

  #call(request: Request, text: string, isFaucet: boolean): Response | Promise<Response> {
    // The client has gone.
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
    if (data.isOwn) this.#ownSockets++;
    data.session.writeWith((text) => {
      if (data.isClosing || socket.readyState !== WebSocket.OPEN) return;
      // 0: dropped, because the reader has left too much unread.
      if (socket.send(text) === 0) socket.terminate();
      else this.#backpressure.sent(text.length);
    });
    this.#publisher.add(data.session);
  }

  #message(socket: Socket, message: string | Buffer): void {
    const { data } = socket;
    if (data.isClosing) return;
    const text = typeof message === 'string' ? message : message.toString('utf8');
    data.characters += text.length;
    this.#characters += text.length;
    void this.#scheduler.run(data.flow, () => this.#answer(socket, text));
    if (data.flow.waiting.length > WAITING_MAX || data.characters > WAITING_CHARACTERS_MAX)
      this.#rejectFlood(socket);
    else if (this.#characters > WAITING_CHARACTERS_TOTAL_MAX)
      this.#rejectFlood([...this.#sockets].reduce((a, b) => (b.data.characters > a.data.characters ? b : a)));
  }

  /** Answers one request. */
  #answer(socket: Socket, text: string): void | Promise<void> {
    const { data } = socket;
    data.characters -= text.length;
    this.#characters -= text.length;
    const onError = (fault: unknown): void => {
      data.caller.onFault(fault, 'websocket');
      this.#drain(socket, CLOSE_INTERNAL_ERROR, 'internal error');
    };
    try {
      const answer = answerMessage(text, data.session, data.caller);
      if (!(answer instanceof Promise)) return data.session.send(answer);
      return answer.then((later) => data.session.send(later)).catch(onError);
    } catch (fault) {
      onError(fault);
    }
  }

  #rejectFlood(socket: Socket): void {
    this.#drain(socket, CLOSE_TOO_MANY, 'too many requests waiting');
  }

  /** Closes a socket; after a while it is terminated, because a close waits behind unread data. */
  #drain(socket: Socket, code: number, reason: string): void {
    this.#dropRequests(socket);
    const isRead = () => socket.getBufferedAmount() === 0;
    if (isRead()) socket.close(code, reason);
    else
      this.#clock.timer(DRAIN_MS, () => {
        if (socket.readyState !== WebSocket.OPEN) return;
        if (isRead()) socket.close(code, reason);
        else socket.terminate();
      });
  }

  #closed(socket: Socket): void {
    this.#sockets.delete(socket);
    if (socket.data.isOwn) this.#ownSockets--;
    this.#dropRequests(socket);
  }

  /** Drops the requests of a socket. */
  #dropRequests({ data }: Socket): void {
    data.isClosing = true;
    this.#publisher.remove(data.session);
    this.#scheduler.remove(data.flow);
    this.#characters -= data.characters;
    data.characters = 0;
  }
}
