/**
 * The hub: every WebSocket of one network.
 *
 * Goal: frames of a ledger are published in the iteration of the event loop in which it was applied, one buffer a
 * topic. No client blocks the event loop or other clients, however many messages it sends and however slowly it
 * reads. Non-goals: HTTP (api), keys and credits. It uses Bun's own WebSocket: a wrapper would cost 5 KB a socket and
 * guess JSON.
 *
 *     engine.onLedger -> markDirty (streams mark what concerns their members) -> flush, once an iteration of the loop
 *                            -> jobs -> frames -> channels -> publish
 *     socket -> size? allowance? -> job -> stream.message -> reply
 */
import type { Server, ServerWebSocket, WebSocketHandler } from 'bun';
import type { LedgerEvent } from '../engine/engine.ts';
import type { Log } from '../engine/log.ts';
import type { Changed } from '../engine/state/changed.ts';
import { type Admit, admitAll, NO_ROW } from '../requests/admission.ts';
import { ApiError, badRequest, notFound, unavailable } from '../requests/errors.ts';
import { type Identify, identifyByAddress } from '../requests/identity.ts';
import { paramReader } from '../requests/param-reader.ts';
import { protocolHeaders } from '../requests/socket-protocol.ts';
import type { Network } from '../views/network.ts';
import { BackpressureGuard } from './backpressure-guard.ts';
import { StreamCounters } from './channel.ts';
import { Connection, type ConnectionTransport } from './connection.ts';
import { ConnectionCounts } from './connection-counts.ts';
import { info } from './info.ts';
import { CloseCode, closeCodeOf, DEFAULT_LIMITS, ErrorCode, type Limits, Refusal } from './limits.ts';
import { match } from './match.ts';
import { Scheduler } from './scheduler.ts';
import type { Message, Stream, StreamServer } from './stream.ts';
import { streams } from './streams/index.ts';
import { WaitingMessages } from './waiting-messages.ts';

export interface HubOptions {
  readonly log: Log;
  readonly limits?: Partial<Limits>;
  /** Unix ms; the wall clock unless given. */
  readonly now?: () => number;
  /** Identifies the client of a socket. Default: by address alone. Connections are counted by its `ip`. */
  readonly identify?: Identify;
  /** Called before a socket opens and before each message is read. Default: admits every client. */
  readonly admit?: Admit;
  /** What the path of its streams begins with, after `/v1` or `/api`: '' or `/testnet`. */
  readonly prefix?: string;
  /** The streams it serves. Default: those of the table. */
  readonly streams?: readonly Stream[];
  /** Counts its sockets together with those of other hubs. */
  readonly counts?: ConnectionCounts;
}

export class Hub {
  readonly websocket: WebSocketHandler<Connection>;
  readonly #streams: readonly Stream[];
  readonly #log: Log;
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #identify: Identify;
  readonly #admit: Admit;
  readonly #network: Pick<Network, 'engine' | 'views'>;
  #transport: ConnectionTransport;
  readonly #guard: BackpressureGuard;
  readonly #waiting: WaitingMessages;
  readonly #scheduler: Scheduler;
  readonly #servers = new Map<Stream, StreamServer>();
  readonly #readers = new Map<Stream, ReturnType<typeof paramReader>>();
  readonly #open = new Set<Connection>();
  readonly #prefix: string;
  readonly #counts: ConnectionCounts;
  readonly #stopListening: () => void;
  /** Those that have opened sockets: one, and those before it, which had another certificate. */
  readonly #listening = new Set<Server<Connection>>();
  #lastId = 0;
  /** Index of the newest ledger. */
  #newest: number | undefined;
  #flushing = false;
  #flushedAt = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor({ engine, views }: Network, options: HubOptions) {
    this.#streams = options.streams ?? streams;
    this.#log = options.log;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#prefix = options.prefix ?? '';
    this.#counts = options.counts ?? new ConnectionCounts(this.#limits);
    this.#now = options.now ?? Date.now;
    this.#identify = options.identify ?? identifyByAddress;
    this.#admit = options.admit ?? admitAll;
    this.#network = { engine, views };
    const counters = new StreamCounters();
    this.#guard = new BackpressureGuard(this.#limits, this.#open, () => counters.terminated++);
    this.#waiting = new WaitingMessages(this.#limits, this.#open);
    this.#transport = this.#makeTransport(counters);
    this.#scheduler = new Scheduler(this.#limits.timeSliceMs, (error) =>
      this.#fault(error, 'a job of a stream failed'),
    );
    for (const stream of this.#streams) this.#readers.set(stream, paramReader(stream));
    this.#newest = engine.head?.index;
    this.#begin();
    const stops = [
      engine.state.onApplied(() => this.#publishEarly(engine.state.changed)),
      engine.onLedger((event) => this.#publishing(event)),
    ];
    this.#stopListening = () => {
      for (const stop of stops) stop();
    };
    this.websocket = this.#handler();
  }

  /** Open sockets. */
  get connections(): number {
    return this.#open.size;
  }

  /** Counts for /metrics. */
  get stats() {
    const { counters, ringBytes } = this.#transport;
    const sockets = new Map<StreamServer, number>();
    for (const { server } of this.#open) if (server) sockets.set(server, (sockets.get(server) ?? 0) + 1);
    const byStream: Record<string, { connections: number; channels: number }> = {};
    for (const [{ path }, server] of this.#servers)
      byStream[path] = { connections: sockets.get(server) ?? 0, channels: server.channels };
    const { bytes: queuedBytes, draining } = this.#guard;
    return {
      connections: this.connections,
      jobs: this.#scheduler.length,
      waitingBytes: this.#waiting.bytes,
      ringBytes,
      queuedBytes,
      draining,
      byStream,
      ...counters,
    };
  }

  /** Answers a request under `/ws`, `/v1/ws` or `/api/ws`, with the prefix before `/ws`. @returns undefined when it became a WebSocket. */
  upgrade(request: Request, server: Server<Connection>): Response | ApiError | undefined {
    const url = targetUrl(request);
    const pathname = this.#pathBelow(url.pathname);
    const found = match(this.#streams, pathname);
    if (found && this.#closed) return unavailable('The service is shutting down', 'Reconnect with back-off');
    const isSocket = request.headers.get('upgrade')?.toLowerCase() === 'websocket';
    if (!found || !isSocket) {
      // Without a socket it is a request as any other.
      const refused = this.#admit('request', NO_ROW, this.#identify(request, server));
      return refused ?? this.#answerPlainly(pathname, found !== undefined);
    }
    this.#listening.add(server);
    const connection = this.#connection(request, server, found, url);
    const headers = protocolHeaders(request);
    if (server.upgrade(request, { data: connection, ...(headers && { headers }) })) return undefined;
    this.#forget(connection);
    return badRequest('The WebSocket handshake failed');
  }

  /** Closes the sockets whose clients are known by a key. @param id of one that works no more */
  keyRevoked(id: string): void {
    const refusal = new Refusal(CloseCode.notAdmitted, 'The API key works no more');
    for (const connection of this.#open)
      if (connection.identity.usesKey?.(id) && !connection.closed) this.#refuse(connection, refusal);
  }

  /** Closes every socket with 1001 and accepts no more. */
  close(): void {
    this.#closed = true;
    this.#stopListening();
    this.#guard.stop();
    for (const connection of this.#open) connection.end(CloseCode.goingAway, 'the service is shutting down');
  }

  #makeTransport(counters: StreamCounters): ConnectionTransport {
    return {
      limits: this.#limits,
      topicPrefix: `${this.#prefix}:`,
      counters,
      ringBytes: 0,
      sent: (bytes) => this.#guard.sent(bytes),
      drain: (connection) => this.#guard.drain(connection),
      publish: (topic, text, compress) => {
        for (const server of this.#listening) server.publish(topic, text, compress);
      },
    };
  }

  /** Serves all streams, from nothing. */
  #begin(): void {
    const context = {
      ...this.#network,
      transport: this.#transport,
      scheduler: this.#scheduler,
      now: this.#now,
      session: crypto.randomUUID(),
    };
    for (const stream of this.#streams) this.#servers.set(stream, stream.serve(context));
  }

  /**
   * Ledgers are missing: what happened in them is not known, and what they changed was not marked. So no stream goes on, and no
   * frame from before is resumed after.
   */
  #beginAgain(): void {
    for (const connection of this.#open)
      connection.end(CloseCode.restart, 'ledgers are missing: connect again for what is known now');
    this.#transport = this.#makeTransport(this.#transport.counters);
    this.#begin();
  }

  #answerPlainly(pathname: string, isStream: boolean): Response | ApiError {
    if (/^\/ws\/info\/?$/.test(pathname)) return Response.json(info(this.#streams, this.#limits));
    if (!isStream) return notFound('No such stream', 'GET /ws/info lists them');
    return new ApiError('upgrade_required', 'This address speaks WebSocket', {
      headers: { Upgrade: 'websocket' },
    });
  }

  #connection(
    request: Request,
    server: Server<Connection>,
    { stream, segments }: NonNullable<ReturnType<typeof match>>,
    url: URL,
  ): Connection {
    const identity = this.#identify(request, server);
    const client = {
      id: ++this.#lastId,
      handler: this.websocket,
      stream,
      identity,
      deflate: /permessage-deflate/i.test(request.headers.get('sec-websocket-extensions') ?? ''),
    };
    try {
      this.#counts.check(identity);
      const refused = this.#admit('connection', stream, identity);
      if (refused) throw refused;
      const input = this.#readers.get(stream)!({ segments, query: url.searchParams, body: undefined });
      const accepted = { ...client, input, server: this.#servers.get(stream), refusal: undefined };
      const connection = new Connection(this.#transport, accepted);
      connection.place = this.#counts.add(identity);
      this.#open.add(connection);
      return connection;
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) throw error;
      return new Connection(this.#transport, { ...client, input: {}, server: undefined, refusal });
    }
  }

  #forget(connection: Connection): void {
    if (this.#open.delete(connection)) this.#counts.remove(connection.place!);
  }

  /** The path of a stream as its row has it. */
  #pathBelow(pathname: string): string {
    const below = pathname.replace(/^\/(?:v1|api)(?=\/)/, '');
    return below.startsWith(`${this.#prefix}/ws`) ? below.slice(this.#prefix.length) : pathname;
  }

  #handler(): WebSocketHandler<Connection> {
    return {
      ...transportOptions(this.#limits),
      open: (socket) => this.#opened(socket),
      message: (socket, data) => this.#received(socket.data, data),
      drain: (socket) => this.#guard.drained(socket.data),
      close: (socket) => this.#left(socket.data),
    };
  }

  #opened(socket: ServerWebSocket<Connection>): void {
    const connection = socket.data;
    connection.attach(socket);
    this.#transport.counters.opened++;
    if (connection.refusal) {
      this.#refuse(connection, connection.refusal);
    } else if (this.#closed) {
      connection.end(CloseCode.goingAway, 'the service is shutting down');
    } else {
      this.#submit(connection, () => this.#sendFirst(connection));
    }
  }

  /** Sends the first frame once what it needs is there. */
  #sendFirst(connection: Connection): void {
    const { server, input } = connection;
    const wait = server?.ready?.(input);
    if (!wait) {
      server?.open(connection, input);
      return;
    }
    connection.early = [];
    const open = () => {
      // A fault shows to `open`, too.
      this.#submit(connection, () => {
        server?.open(connection, input);
        this.#answerEarly(connection);
      });
    };
    void wait.then(open, open);
  }

  /** Answers what came before the first frame, a message a job; what comes meanwhile waits behind it. */
  #answerEarly(connection: Connection): void {
    const data = connection.early?.shift();
    if (data === undefined) {
      connection.early = undefined;
      return;
    }
    const answer = () => {
      this.#reply(connection, data);
      this.#answerEarly(connection);
    };
    // Not within the job that is running: its time counts once it has ended.
    queueMicrotask(() => this.#submit(connection, answer));
  }

  #submit(connection: Connection, job: () => void): void {
    this.#scheduler.submit(() => {
      if (!connection.closed) this.#guarded(connection, job);
    });
  }

  #received(connection: Connection, data: string | Buffer): void {
    if (connection.closed) return;
    const { counters } = this.#transport;
    counters.messagesIn++;
    if (tooLong(data, this.#limits.messageBytes)) {
      connection.close(CloseCode.messageSize, `messages are at most ${this.#limits.messageBytes} bytes`);
    } else if (!connection.spend(performance.now())) {
      counters.rateLimited++;
      const { messagesPerSecond, messageBurst } = this.#limits;
      connection.close(
        CloseCode.rate,
        `at most ${messagesPerSecond} messages a second, ${messageBurst} at once`,
      );
    } else {
      const refused = this.#admit('message', connection.stream, connection.identity);
      if (refused) {
        this.#refuse(connection, refusalOf(refused)!);
        return;
      }
      this.#waiting.add(connection, data);
      if (!connection.closed) this.#submit(connection, () => this.#answer(connection, data));
    }
  }

  #answer(connection: Connection, data: string | Buffer): void {
    if (connection.early) connection.early.push(data);
    else this.#reply(connection, data);
  }

  #reply(connection: Connection, data: string | Buffer): void {
    this.#waiting.remove(connection, data);
    const message = typeof data === 'string' ? parsed(data) : undefined;
    if (message === undefined) {
      connection.sendError(ErrorCode.notJson, 'messages are JSON objects as text');
    } else if (typeof message.type !== 'string') {
      connection.sendError(ErrorCode.badMessage, 'a message needs a type');
    } else if (message.type === 'ping') {
      connection.reply({ type: 'pong', time: this.#now() });
    } else if (!connection.server?.message?.(connection, message as Message)) {
      connection.sendError(ErrorCode.badMessage, 'this stream does not know that type; see GET /ws/info');
    } else if (connection.place) {
      // The message may have been a key.
      this.#counts.update(connection.place, connection.identity);
    }
  }

  #left(connection: Connection): void {
    connection.closed = true;
    connection.leaveAll();
    this.#guard.forget(connection);
    this.#waiting.forget(connection);
    this.#transport.counters.closed++;
    if (!connection.refusal) this.#guarded(connection, () => connection.server?.close?.(connection));
    this.#forget(connection);
  }

  #refuse(connection: Connection, { code, message }: Refusal): void {
    this.#transport.counters.refused++;
    connection.close(code, message);
  }

  #guarded(connection: Connection, job: () => void): void {
    try {
      job();
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal) {
        this.#refuse(connection, refusal);
        return;
      }
      this.#fault(error, 'a stream failed');
      connection.close(CloseCode.internal, 'internal error');
    }
  }

  /** Runs within the engine's work on a ledger: it must not throw. While frames wait for the next flush, these do, too. */
  #publishEarly(changed: Changed): void {
    if (this.#flushing || this.#open.size === 0) return;
    if (performance.now() - this.#flushedAt < this.#limits.flushMs) return;
    for (const server of this.#servers.values()) {
      try {
        server.stateApplied?.(changed);
      } catch (error) {
        this.#fault(error, 'a stream failed to publish what state shows of a ledger');
      }
    }
  }

  /** Resolves when the frames of a ledger are out; undefined: there are none, or they go out later. */
  #publishing(event: LedgerEvent): Promise<void> | undefined {
    const isNow = this.#markDirty(event);
    return isNow && this.#open.size > 0 ? this.#scheduler.drained(this.#limits.publishMs) : undefined;
  }

  /**
   * Runs while the engine applies a ledger: it must not throw, and it only marks what changed.
   * @returns whether its frames are published as soon as the event loop turns
   */
  #markDirty(event: LedgerEvent): boolean {
    const { index } = event.head;
    if (this.#newest !== undefined && index > this.#newest + 1) this.#beginAgain();
    this.#newest = index;
    for (const server of this.#servers.values()) {
      try {
        server.markDirty?.(event);
      } catch (error) {
        this.#fault(error, 'a stream failed to mark what a ledger changed');
      }
    }
    if (this.#flushing) return false;
    this.#flushing = true;
    const wait = this.#flushedAt + this.#limits.flushMs - performance.now();
    if (wait > 0) setTimeout(() => this.#scheduler.urgent(() => this.#flush()), wait);
    else this.#scheduler.urgent(() => this.#flush());
    return wait <= 0;
  }

  #flush(): void {
    this.#flushing = false;
    this.#flushedAt = performance.now();
    for (const server of this.#servers.values()) {
      try {
        server.flush?.();
      } catch (error) {
        this.#fault(error, 'a stream could not be flushed');
      }
    }
  }

  #fault(error: unknown, message: string): void {
    this.#transport.counters.faults++;
    this.#log.error({ error: error instanceof Error ? error.stack : String(error) }, message);
  }
}

/** How the server's transport is set up for hubs. */
export function transportOptions(limits: Limits) {
  return {
    maxPayloadLength: limits.transportMessageBytes,
    backpressureLimit: limits.transportQueueBytes,
    closeOnBackpressureLimit: false,
    idleTimeout: limits.idleSeconds,
    sendPings: true,
    // `decompress: 'dedicated'` breaks compliant clients. A shared compressor needs no memory per socket.
    perMessageDeflate: { compress: 'shared', decompress: 'shared' },
  } as const;
}

/** The close of the socket for an error that is reported to the client; undefined for a fault of ours. */
function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  return error instanceof ApiError ? new Refusal(closeCodeOf(error), error.message) : undefined;
}

/** UTF-8 needs at most three bytes a code unit, so the bytes of most texts need not be counted. */
function tooLong(data: string | Buffer, max: number): boolean {
  if (data.length > max) return true;
  return typeof data === 'string' && data.length * 3 > max && Buffer.byteLength(data) > max;
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Path and query of a request. The client writes the Host header: if it is not a host, `url` is the target alone. */
export function targetUrl({ url }: Request): URL {
  const at = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3);
  return new URL(at < 0 ? '/' : url.slice(at).replace(/^\/+/, '/'), 'http://localhost');
}
