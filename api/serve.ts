/**
 * The Bun.serve options: WebSocket addresses go to the hub, a kept answer goes out before any routing, everything
 * else to the app. The short way is worth having: see `bench/http.ts`, which runs both.
 */
import type { Serve, Server, WebSocketHandler } from 'bun';
import type { ApiError } from '../requests/errors.ts';
import type { Api } from './app.ts';
import { targetOf } from './request.ts';

/** What serves `/ws/*`, `/v1/ws/*` and `/api/ws/*`. It sees the request's full address. */
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
  /** Largest body the server reads at all, bytes; routes set narrower bounds of their own. */
  readonly maxRequestBodySize?: number;
  /** Seconds after which a silent connection is closed. */
  readonly idleTimeout?: number;
  /** false: every request goes through the router. */
  readonly shortWay?: boolean;
  /** Aborted: the server is about to stop. Each connection is closed after the answer in hand. */
  readonly stopping?: AbortSignal;
}

const socketPath = /^\/(?:v1\/|api\/)?ws(?:[/?]|$)/;

export function serveOptions<Data>(options: ServeOptions<Data>): Serve.Options<Data> {
  const { api, hub, stopping } = options;
  const short = options.shortWay ?? true;
  function answer(request: Request, server: Server<Data>): Response | undefined | Promise<Response> {
    api.callers.server ??= server;
    if (short) {
      const kept = api.cached(request);
      if (kept) return kept;
    }
    if (!socketPath.test(targetOf(request)) || request.method === 'OPTIONS') return api.fetch(request);
    const told = hub.upgrade(request, server);
    return told && api.outside(request, told);
  }
  return {
    hostname: options.host,
    port: options.port,
    maxRequestBodySize: options.maxRequestBodySize ?? 4 * 1024 * 1024,
    idleTimeout: options.idleTimeout ?? 60,
    // Bun's own page would tell the error's text and stack.
    development: false,
    // Without `development` Bun shares the port with any other process that does: two services would answer in turn.
    reusePort: false,
    fetch(request: Request, server: Server<Data>) {
      const answered = answer(request, server);
      return stopping?.aborted && answered ? lastOf(answered) : answered;
    },
    error: (error: unknown) => api.fault(error),
    websocket: hub.websocket,
  } as Serve.Options<Data>;
}

/** The connection ends with this answer: clients that keep theirs busy would hold up the stop. */
async function lastOf(answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer;
  response.headers.set('Connection', 'close');
  return response;
}

/** Bun's codes for a port that cannot be had, in words. */
const refusals: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this user may not listen there',
};

/** Begins to listen. @throws Error with one line that names address and port. */
export function listen<Data>(options: ServeOptions<Data>): Server<Data> {
  try {
    return Bun.serve(serveOptions(options));
  } catch (fault) {
    const { code = '', message } = fault as { code?: string; message: string };
    throw new Error(
      `cannot listen on ${options.host}, port ${options.port}: ${refusals[code] ?? message}. ` +
        'Choose another with --port or --host',
      { cause: fault },
    );
  }
}

/** How often the end of the running requests is looked for, ms. */
const LOOK_EVERY_MS = 20;

/**
 * Takes no new connections, closes the sockets, lets running requests end, and cuts off what is left after
 * `graceMs`. Connections that are kept alive with nothing to do are not waited for.
 */
export async function stopServing<Data>(
  server: Server<Data>,
  hub: SocketHub<Data>,
  graceMs = 5000,
): Promise<void> {
  void server.stop(false);
  await hub.close();
  for (let waited = 0; server.pendingRequests > 0 && waited < graceMs; waited += LOOK_EVERY_MS)
    await Bun.sleep(LOOK_EVERY_MS);
  await server.stop(true);
}
