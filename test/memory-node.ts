/**
 * Stand-in nodes inside the process, on a clock that only the test advances: hours of faults pass in milliseconds, in
 * the same order each time, and all assertions about time use that clock.
 */
import type { Clock } from '../engine/ledger/clock.ts';
import type { NodeSocket } from '../engine/ledger/endpoint.ts';
import { type Connection, type NodeOptions, StandInNode } from '../support/stand-in-node.ts';

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

export class ManualClock implements Clock {
  #now = 0;
  #timers: Timer[] = [];

  now(): number {
    return this.#now;
  }

  timer(ms: number, run: () => void): () => void {
    const timer: Timer = { at: this.#now + Math.max(0, ms), run };
    // After timers with the same time.
    let at = this.#timers.length;
    while (at > 0 && this.#timers[at - 1]!.at > timer.at) at--;
    this.#timers.splice(at, 0, timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Advances the clock by `ms`, timer by timer; after each, all promises that it settles are awaited. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settled();
    for (let next = this.#timers[0]; next && next.at <= end; next = this.#timers[0]) {
      this.#timers.shift();
      this.#now = next.at;
      next.run();
      await settled();
    }
    this.#now = end;
  }

  /** Advances the clock until `condition` holds. @returns elapsed ms @throws Error after `most` ms of this clock */
  async until(condition: () => boolean, what: string, most: number): Promise<number> {
    const from = this.#now;
    await settled();
    while (!condition()) {
      const next = this.#timers[0];
      if (!next || next.at > from + most)
        throw new Error(`${most} ms of the test's clock passed without ${what}`);
      await this.pass(next.at - this.#now);
    }
    return this.#now - from;
  }
}

/** Waits until all promises that need no timer are settled. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export class MemoryNode extends StandInNode {
  readonly url: string;
  readonly #clock: Clock;
  #reachable = true;

  /** @param name host part of its address */
  constructor(name: string, clock: Clock, options: NodeOptions) {
    super(options);
    this.url = `ws://${name}`;
    this.#clock = clock;
  }

  /** Becomes unreachable and closes all connections. */
  stop(): void {
    this.#reachable = false;
    this.dropSockets();
  }

  restart(): void {
    this.#reachable = true;
  }

  protected delayed(ms: number, run: () => void): void {
    this.#clock.timer(ms, run);
  }

  /** The client's end of a new connection. */
  connect(): NodeSocket {
    const { promise: open, resolve: opened } = Promise.withResolvers<void>();
    let ended = false;
    const event = (handler: unknown, data?: unknown) =>
      (handler as ((event: { data: unknown }) => void) | null)?.({ data });
    const end = () => {
      if (ended) return;
      ended = true;
      this.lost(server);
      queueMicrotask(() => event(client.onclose));
    };
    const server: Connection = {
      data: { subscribed: false },
      send: (text) => queueMicrotask(() => ended || event(client.onmessage, text)),
      close: end,
      terminate: end,
    };
    const client: NodeSocket = {
      onopen: null,
      onclose: null,
      onerror: null,
      onmessage: null,
      send: (text) => void open.then(() => ended || this.receive(server, String(text))),
      terminate: end,
    };
    queueMicrotask(() => {
      if (ended) return;
      if (!this.#reachable) return end();
      this.opened(server);
      opened();
      event(client.onopen);
    });
    return client;
  }
}

/** Connects by address. @throws Error for an unknown address */
export function connector(nodes: readonly MemoryNode[]): (url: string) => NodeSocket {
  return (url) => {
    const node = nodes.find((candidate) => candidate.url === url);
    if (!node) throw new Error(`no node listens on ${url}`);
    return node.connect();
  };
}
