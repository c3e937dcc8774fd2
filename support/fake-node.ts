/** A stand-in node on a loopback port. */
import { type Connection, type NodeOptions, StandInNode } from './stand-in-node.ts';

export class FakeNode extends StandInNode {
  #server: ReturnType<FakeNode['listen']>;
  readonly #port: number;

  constructor(options: NodeOptions) {
    super(options);
    this.#server = this.listen(0);
    this.#port = this.#server.port!;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.#port}`;
  }

  /** Stops listening and closes all connections; `restart` listens again at the same address. */
  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  restart(): void {
    this.#server = this.listen(this.#port);
  }

  protected delayed(ms: number, run: () => void): void {
    setTimeout(run, ms);
  }

  protected listen(port: number) {
    return Bun.serve<Connection['data']>({
      port,
      hostname: '127.0.0.1',
      fetch: (request, server) =>
        server.upgrade(request, { data: { subscribed: false } })
          ? undefined
          : new Response('a WebSocket is expected', { status: 400 }),
      websocket: {
        open: (socket) => this.opened(socket),
        close: (socket) => this.lost(socket),
        message: (socket, text) => this.receive(socket, String(text)),
      },
    });
  }
}
