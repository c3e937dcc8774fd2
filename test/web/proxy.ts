/**
 * A small reverse proxy, as stands before a service in production: it serves the service below a path prefix, and can cut
 * every connection as a broken network does.
 *
 *     browser ──► http://127.0.0.1:PORT/some/prefix/… ──► the service's own address
 */
import type { Server, ServerWebSocket } from 'bun';

interface Bridge {
  readonly upstream: WebSocket;
  /** What the browser sent before the service's socket was open. */
  readonly waiting: string[];
}

export class PrefixProxy implements AsyncDisposable {
  readonly prefix: string;
  readonly #server: Server<Bridge>;
  readonly #sockets = new Set<ServerWebSocket<Bridge>>();
  #isCut = false;

  /** @param target `http://127.0.0.1:3000` */
  constructor(target: string, prefix = '/some/prefix') {
    this.prefix = prefix;
    this.#server = Bun.serve<Bridge>({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request, server) => this.#fetch(request, server, target),
      websocket: {
        open: (socket) => this.#open(socket),
        message: (socket, message) => {
          const { upstream, waiting } = socket.data;
          if (upstream.readyState === WebSocket.OPEN) upstream.send(message);
          else waiting.push(String(message));
        },
        close: (socket) => {
          this.#sockets.delete(socket);
          socket.data.upstream.close();
        },
      },
    });
  }

  /** Of the pages. */
  get url(): string {
    return `http://127.0.0.1:${this.#server.port}${this.prefix}/`;
  }

  /** Sockets that are open now. */
  get open(): number {
    return this.#sockets.size;
  }

  /** Breaks every socket, and lets none be opened and no request through until {@link mend}. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.terminate();
  }

  mend(): void {
    this.#isCut = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }

  async #fetch(request: Request, server: Server<Bridge>, target: string): Promise<Response | undefined> {
    const { pathname, search } = new URL(request.url);
    if (this.#isCut) return new Response(null, { status: 502 });
    if (!pathname.startsWith(`${this.prefix}/`)) return new Response('not below the prefix', { status: 404 });
    const address = target + pathname.slice(this.prefix.length) + search;
    if (request.headers.get('upgrade')?.toLowerCase() === 'websocket') {
      const upstream = new WebSocket(address.replace(/^http/, 'ws'));
      return server.upgrade(request, { data: { upstream, waiting: [] } })
        ? undefined
        : new Response(null, { status: 400 });
    }
    const { method, headers } = request;
    const body = method === 'GET' || method === 'HEAD' ? null : await request.arrayBuffer();
    // As it comes: what is compressed stays so.
    return fetch(address, { method, headers, body, redirect: 'manual', decompress: false });
  }

  #open(socket: ServerWebSocket<Bridge>): void {
    this.#sockets.add(socket);
    const { upstream, waiting } = socket.data;
    const flush = () => {
      for (const text of waiting.splice(0)) upstream.send(text);
    };
    upstream.onopen = flush;
    if (upstream.readyState === WebSocket.OPEN) flush();
    upstream.onmessage = ({ data }) => void socket.send(String(data));
    upstream.onclose = ({ code, reason }) => {
      if (code === 1006 || code === 1005) socket.terminate();
      else socket.close(code, reason);
    };
  }
}
