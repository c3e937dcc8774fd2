/**
 * One rippled or Clio WebSocket endpoint: keeps a subscription to closed ledgers alive and answers requests.
 *
 *     waiting --timer--> connecting --open--> subscribing --answer--> up
 *        ^                   |                    |                    |
 *        +---- back-off -----+----- any fault, time-out, close --------+
 *
 * While up, silence (no new ledger for `limits.silence`) first brings a new subscription on the same socket, and a
 * second silence in a row a new socket: behind one name often stand several nodes, and a socket can be connected
 * and dead. Nothing that arrives is believed here beyond its shape; what it means is judged by the node source.
 */
import type { SubscribeRequest } from 'xrpl';
import { bytesOf, hexOf } from '../codec/bytes.ts';
import type { Counters } from '../counters.ts';
import type { Log } from '../log.ts';
import type { Clock } from './clock.ts';
import type { Limits } from './limits.ts';
import { closedOf, type Json, parseMessage, rangesOf, resultOf } from './node-messages.ts';
import { type LedgerRange, type LedgerRef, type NodeCommand, SourceError } from './source.ts';

export interface EndpointContext {
  readonly clock: Clock;
  /** A fraction from 0 to 1. */
  random(): number;
  readonly limits: Limits;
  readonly log: Log;
  readonly counters: Counters;
  /** The endpoint announced a ledger it had not announced before. */
  onClosed(ref: Required<LedgerRef>): void;
  /** It came up or went down. */
  onState(): void;
}

interface Pending {
  readonly resolve: (response: Json) => void;
  readonly reject: (error: SourceError) => void;
  readonly cancel: () => void;
}

/** Latency assumed of an endpoint that has not answered yet, in ms. */
const LATENCY_GUESS = 500;
/** What one recent fault weighs in the score, in ms of latency. */
const FAULT_WEIGHT = 2_000;
/** A fault is forgotten after this many ledgers without another: about a minute. */
const FORGIVEN_AFTER = 16;

export class Endpoint {
  /** Host and path, without credentials or query: safe to log. */
  readonly name: string;
  readonly #url: string;
  readonly #context: EndpointContext;
  #socket: WebSocket | undefined;
  #up = false;
  #stopped = true;
  #faults = 0;
  #ledgersSinceFault = 0;
  #latency = LATENCY_GUESS;
  #heardAt = 0;
  #strays = 0;
  #silences = 0;
  /** Silences since a ledger newer than all before was heard, over any number of sockets; and that ledger. */
  #quiet = 0;
  #newest = 0;
  #nextId = 1;
  #cancelTimer: () => void = () => {};
  readonly #pending = new Map<number, Pending>();
  readonly #queue: (() => void)[] = [];
  #latest: number | undefined;
  #ranges: readonly LedgerRange[] = [];
  /** Ledger index -> hash as announced, hex; bounded, oldest first. */
  readonly #announced = new Map<number, string>();

  /** @throws SyntaxError or TypeError when the address is no ws:// or wss:// URL. */
  constructor(url: string, context: EndpointContext) {
    const parsed = new URL(url);
    if (parsed.protocol !== 'ws:' && parsed.protocol !== 'wss:')
      throw new TypeError(`endpoint ${parsed.host}: give a ws:// or wss:// address`);
    this.name = parsed.host + (parsed.pathname === '/' ? '' : parsed.pathname);
    this.#url = url;
    this.#context = context;
  }

  get up(): boolean {
    return this.#up;
  }

  /** Newest ledger index it announced. */
  get latest(): number | undefined {
    return this.#up ? this.#latest : undefined;
  }

  get ranges(): readonly LedgerRange[] {
    return this.#ranges;
  }

  /** Lower is better: ms of latency, weighed with load and recent faults. */
  get score(): number {
    return this.#latency * (1 + this.#pending.size / 4) + this.#faults * FAULT_WEIGHT;
  }

  get faults(): number {
    return this.#faults;
  }

  /** Hash it announced for a ledger, upper-case hex. */
  announced(index: number): string | undefined {
    return this.#up ? this.#announced.get(index) : undefined;
  }

  /** Does it say that it has this ledger? */
  claims(index: number): boolean {
    return (
      this.#latest !== undefined &&
      index <= this.#latest &&
      (this.#announced.has(index) || this.#ranges.some(({ first, last }) => index >= first && index <= last))
    );
  }

  start(): void {
    if (!this.#stopped) return;
    this.#stopped = false;
    this.#connect();
  }

  stop(): void {
    this.#stopped = true;
    this.#drop(new SourceError('closed', `${this.name}: closed`));
  }

  /** It told an untruth: it is left alone for a while. */
  lied(reason: string): void {
    const { limits, log } = this.#context;
    log.warn({ endpoint: this.name, reason }, 'endpoint marked down: it told an untruth');
    this.#down(new SourceError('false', `${this.name}: ${reason}`), limits.lieBackoff);
  }

  /** It could not do what it was asked; others are preferred for a while. */
  failed(): void {
    this.#faults = Math.min(this.#faults + 1, 16);
    this.#ledgersSinceFault = 0;
  }

  /**
   * Sends a command and waits for its response, whatever its status.
   * @throws SourceError timeout, unreachable, or closed.
   */
  async request(command: NodeCommand, timeout: number): Promise<Json> {
    if (!this.#up) throw new SourceError('unreachable', `${this.name} is down`);
    if (this.#pending.size >= this.#context.limits.requestsInFlight) {
      await new Promise<void>((resolve) => this.#queue.push(resolve));
      if (!this.#up) throw new SourceError('unreachable', `${this.name} is down`);
    }
    const asked = this.#context.clock.now();
    const response = await this.#send(command, timeout);
    this.#latency = this.#latency * 0.8 + (this.#context.clock.now() - asked) * 0.2;
    this.#faults = Math.floor(this.#faults / 2);
    return response;
  }

  #send(command: NodeCommand, timeout: number): Promise<Json> {
    const socket = this.#socket;
    if (!socket) return Promise.reject(new SourceError('unreachable', `${this.name} is down`));
    const id = this.#nextId++;
    const { clock } = this.#context;
    const sent = clock.now();
    return new Promise<Json>((resolve, reject) => {
      const cancel = clock.timer(timeout, () => {
        this.#settle(id)?.reject(new SourceError('timeout', `${this.name}: no answer to ${command.command}`));
        this.failed();
        // Not a word since the question: the socket is dead, not the question hard.
        if (this.#heardAt <= sent) this.#down(new SourceError('timeout', `${this.name} does not answer`));
      });
      this.#pending.set(id, { resolve, reject, cancel });
      try {
        socket.send(JSON.stringify({ ...command, id }));
      } catch {
        this.#settle(id)?.reject(new SourceError('unreachable', `${this.name} is down`));
      }
    });
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (!pending) return undefined;
    pending.cancel();
    this.#pending.delete(id);
    this.#queue.shift()?.();
    return pending;
  }

  #connect(): void {
    const { clock, limits } = this.#context;
    let socket: WebSocket;
    try {
      // Without compression a message costs its sender what it costs us: a kilobyte cannot inflate to a hundred million.
      socket = new WebSocket(this.#url, { perMessageDeflate: false });
    } catch (error) {
      this.#down(new SourceError('unreachable', `${this.name}: ${(error as Error).message}`));
      return;
    }
    this.#socket = socket;
    const mine = (run: () => void) => () => {
      if (this.#socket === socket) run();
    };
    const lost = mine(() => this.#down(new SourceError('unreachable', `${this.name}: connection lost`)));
    this.#arm(limits.connectTimeout, () =>
      this.#down(new SourceError('timeout', `${this.name}: connection timed out`)),
    );
    socket.onopen = mine(() => this.#subscribe());
    socket.onclose = lost;
    socket.onerror = lost;
    socket.onmessage = ({ data }) => {
      if (this.#socket !== socket) return;
      this.#heardAt = clock.now();
      try {
        this.#receive(parseMessage(data, limits));
      } catch (error) {
        this.lied((error as Error).message);
      }
    };
  }

  #subscribe(): void {
    const { limits } = this.#context;
    const socket = this.#socket;
    this.#arm(limits.silence + limits.requestTimeout, () => this.#silent());
    this.#send(
      { command: 'subscribe', streams: ['ledger'] } satisfies SubscribeRequest,
      limits.requestTimeout,
    )
      .then((response) => {
        if (this.#socket !== socket) return;
        const result = resultOf(response);
        this.#readRanges(result.validated_ledgers);
        this.#arm(limits.silence, () => this.#silent());
        if (result.ledger_index !== undefined) this.#announce(closedOf(result), true);
        if (!this.#up) this.#comeUp();
      })
      .catch((error: SourceError) => {
        if (this.#socket !== socket) return;
        if (error.code === 'malformed') this.lied(error.message);
        else this.#down(error);
      });
  }

  /** A ledger may have closed between the subscription and its answer: what was heard until now is told now. */
  #comeUp(): void {
    this.#up = true;
    for (const [index, hash] of this.#announced) this.#context.onClosed({ index, hash: bytesOf(hash) });
    this.#context.onState();
  }

  #silent(): void {
    this.#silences++;
    this.#quiet++;
    // A network that is closed by hand, or not at all, is quiet for days: 1, 2, 4, 8 ... times say so.
    const isLoud = Number.isInteger(Math.log2(this.#quiet));
    this.#context.log[isLoud ? 'warn' : 'debug'](
      { endpoint: this.name, times: this.#quiet },
      'no new ledger heard',
    );
    if (this.#silences < 2 && this.#up) {
      this.#subscribe();
      return;
    }
    this.#silences = 0;
    this.#down(new SourceError('timeout', `${this.name}: no new ledgers`), 0, isLoud);
  }

  #receive(message: Json): void {
    if (message.type === 'ledgerClosed') {
      this.#readRanges(message.validated_ledgers);
      this.#announce(closedOf(message), false);
      return;
    }
    const pending = typeof message.id === 'number' ? this.#settle(message.id) : undefined;
    if (pending) pending.resolve(message);
    else this.#stray();
  }

  /** A message that told nothing. So many of them between two ledgers are a flood. */
  #stray(): void {
    if (++this.#strays > this.#context.limits.strayMessages)
      throw new SourceError('malformed', 'floods with messages nobody asked for');
  }

  #announce(ref: Required<LedgerRef>, again: boolean): void {
    const hash = hexOf(ref.hash);
    const known = this.#announced.get(ref.index);
    if (known !== undefined) {
      if (known !== hash) throw new SourceError('malformed', `two hashes for ledger ${ref.index}`);
      if (again) return;
      this.#context.counters.duplicatesDropped++;
      this.#stray();
      return;
    }
    const { limits } = this.#context;
    this.#announced.set(ref.index, hash);
    if (this.#announced.size > limits.announcements)
      for (const oldest of this.#announced.keys()) {
        this.#announced.delete(oldest);
        break;
      }
    if (this.#latest === undefined || ref.index > this.#latest) {
      this.#latest = ref.index;
      if (++this.#ledgersSinceFault % FORGIVEN_AFTER === 0 && this.#faults > 0) this.#faults--;
      this.#silences = 0;
      if (ref.index > this.#newest) {
        this.#newest = ref.index;
        this.#quiet = 0;
      }
      this.#strays = 0;
      this.#arm(limits.silence, () => this.#silent());
    }
    if (this.#up) this.#context.onClosed(ref);
  }

  #readRanges(text: unknown): void {
    const ranges = rangesOf(text, this.#context.limits);
    if (ranges && ranges.length > 0) this.#ranges = ranges;
  }

  /** Ends the socket and plans the next one. @param isLoud false: it has been logged often enough */
  #down(error: SourceError, least = 0, isLoud = true): void {
    if (this.#stopped) return;
    const { clock, limits, log, random } = this.#context;
    this.failed();
    this.#drop(error);
    const doubled = limits.backoffFirst * 2 ** Math.min(this.#faults - 1, 16);
    const pause = Math.max(least, Math.min(limits.backoffMost, doubled)) * (0.5 + random() / 2);
    const fields = { endpoint: this.name, reason: error.message, pause: Math.round(pause) };
    log[isLoud ? 'info' : 'debug'](fields, 'endpoint down');
    this.#cancelTimer = clock.timer(pause, () => this.#connect());
  }

  #drop(error: SourceError): void {
    this.#cancelTimer();
    const socket = this.#socket;
    const wasUp = this.#up;
    this.#socket = undefined;
    this.#up = false;
    // Another node may answer at the next connection: nothing of what this one said is kept.
    this.#announced.clear();
    this.#latest = undefined;
    this.#ranges = [];
    this.#strays = 0;
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(error);
    for (const wake of this.#queue.splice(0)) wake();
    // No closing handshake: a hung peer would keep the socket for good.
    socket?.terminate();
    if (wasUp) this.#context.onState();
  }

  #arm(ms: number, run: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#context.clock.timer(ms, run);
  }
}
