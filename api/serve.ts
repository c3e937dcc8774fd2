/**
 * The Bun.serve options: WebSocket addresses go to the hub, a cached answer is sent before any routing, everything
 * else goes to the app.
 */
import { isIP } from 'node:net';
import type { Serve, Server, WebSocketHandler } from 'bun';
import { LOOPBACK_ADDRESSES } from '../requests/address.ts';
import type { ApiError } from '../requests/errors.ts';
import type { AddressSource } from '../requests/identity.ts';
import type { Api } from './app.ts';
import { Edge } from './edge.ts';
import { targetOf } from './request.ts';

/** Serves `/ws/*`, `/v1/ws/*` and `/api/ws/*`, also with the prefix of a mount before `/ws`. It gets the request's full address. */
export interface SocketHub<Data = unknown> {
  /** undefined: upgraded. An error: refused. */
  upgrade(request: Request, server: Server<Data>): Response | ApiError | undefined;
  readonly websocket: WebSocketHandler<Data>;
  /** Closes every socket with 1001. */
  close(): void | Promise<void>;
}

export interface ServeOptions<Data> {
  readonly api: Api;
  readonly hub: SocketHub<Data>;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Default: none. */
  readonly edge?: Edge;
  /** Texts of a certificate chain and its key (PEM). Default: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Largest body that the server reads, bytes; routes set smaller limits of their own. */
  readonly maxRequestBodySize?: number;
  /** Aborted: the server is about to stop. Each connection is closed after its current answer. */
  readonly stopping?: AbortSignal;
}

/** An idle connection is closed after this. */
const IDLE_SECONDS = 60;

export function serveOptions<Data>(options: ServeOptions<Data>): Serve.Options<Data> {
  const { api, hub, stopping, edge = new Edge() } = options;
  const socketPath = new RegExp(`^(?:/v1|/api)?(?:${api.mountPrefixes.join('|')})/ws(?:[/?]|$)`);
  const isOfStream = (request: Request) => socketPath.test(targetOf(request)) && request.method !== 'OPTIONS';
  const finished = (answer: Response | Promise<Response>) =>
    answer instanceof Promise ? answer.then((done) => edge.finish(done)) : edge.finish(answer);
  const known = knownSource(options.host);
  function answerOf(request: Request, server: Server<Data>): Response | undefined | Promise<Response> {
    api.callers.server = known ?? server;
    const refusedAtEdge = edge.refuses ? edge.refuse(request, isOfStream(request)) : undefined;
    if (refusedAtEdge) return refusedAtEdge;
    const answered = api.cached(request) ?? api.messages(request);
    if (answered) return answered;
    if (!isOfStream(request)) return api.fetch(request);
    const refused = hub.upgrade(request, server);
    return refused && api.streamAnswer(request, refused);
  }
  return {
    hostname: options.host,
    port: options.port,
    ...(options.tls && { tls: options.tls }),
    maxRequestBodySize: options.maxRequestBodySize ?? 4 * 1024 * 1024,
    idleTimeout: IDLE_SECONDS,
    // Bun's own page would expose the error's text and stack.
    development: false,
    // Without `development` Bun shares the port with other processes: two services would answer alternately.
    reusePort: false,
    fetch(request: Request, server: Server<Data>) {
      const answer = answerOf(request, server);
      const answered = edge.finishes && answer ? finished(answer) : answer;
      return stopping?.aborted && answered ? closeAfter(answered) : answered;
    },
    error: (error: unknown) => api.internalError(error),
    websocket: hub.websocket,
  } as Serve.Options<Data>;
}

/**
 * The address of whoever can reach a server that listens on this machine alone, as one behind a proxy does: asking the runtime for
 * it takes 3 us a request. undefined: it must be asked
 */
function knownSource(host: string): AddressSource | undefined {
  const remote = LOOPBACK_ADDRESSES.includes(host) ? { address: host } : undefined;
  return remote && { requestIP: () => remote };
}

/** Closes the connection after this answer: clients that keep sending requests would delay the stop. */
async function closeAfter(answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer;
  response.headers.set('Connection', 'close');
  return response;
}

/** Bun's codes for a port that cannot be opened, in words. */
const listenErrors: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this user may not listen there',
  EINVAL: 'this machine cannot listen on such an address',
};

/**
 * Why a port cannot be opened. Bun looks names up as it opens it, and says of one that has no address now this, now that: mostly
 * that the port is taken.
 */
function listenFault(host: string, { code = '', message }: { code?: string; message: string }): string {
  const known = listenErrors[code];
  if (isIP(host) !== 0 || host === 'localhost') return known ?? message;
  return `${known ?? message}, or "${host}" is neither an address of this machine nor the name of one`;
}

/** Starts to listen. @throws Error with one line that names address and port. */
export function listen<Data>(options: ServeOptions<Data>): Server<Data> {
  const { host, port } = options;
  try {
    return Bun.serve(serveOptions(options));
  } catch (fault) {
    const reason = listenFault(host, fault as Error);
    throw new Error(
      `cannot listen on ${host}, port ${port}: ${reason}. Choose another with --port or --host`,
      {
        cause: fault,
      },
    );
  }
}

/** Another process may have taken the address for a moment. */
const LISTEN_TRIES = 100;
const LISTEN_WAIT_MS = 100;

/**
 * Takes new connections in the place of a server, with another certificate. Connections that are open stay with the old
 * one, which takes no more. Rejects as {@link listen} throws: nobody listens then.
 */
export async function listenAnew<Data>(
  before: Server<Data>,
  options: Omit<ServeOptions<Data>, 'port'>,
): Promise<Server<Data>> {
  const port = before.port!;
  void before.stop(false);
  for (let tried = 1; ; tried++) {
    // The address is free in the next turn.
    await Promise.resolve();
    try {
      return listen({ ...options, port });
    } catch (fault) {
      if (tried === LISTEN_TRIES) throw fault;
      await Bun.sleep(LISTEN_WAIT_MS);
    }
  }
}

/** How often it is checked whether requests are still running, ms. */
const CHECK_EVERY_MS = 20;

/**
 * Accepts no new connections, closes the sockets, waits for running requests, and terminates what is left after
 * `graceMs`. It does not wait for idle keep-alive connections.
 */
export async function stopServing<Data>(
  server: Server<Data>,
  hub: SocketHub<Data>,
  graceMs = 5000,
): Promise<void> {
  void server.stop(false);
  await hub.close();
  for (let waited = 0; server.pendingRequests > 0 && waited < graceMs; waited += CHECK_EVERY_MS)
    await Bun.sleep(CHECK_EVERY_MS);
  await server.stop(true);
}
