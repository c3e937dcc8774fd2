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
 *
 * Each connection is a session. An untruth is punished once a session: whatever else came over it is refused with it
 * (`Session.lied`), and what comes to light after it has ended is not laid to the next one, where another node may
 * answer. The pauses and penalties stand in limits.ts.
 */
import type { SubscribeRequest } from 'xrpl';
import { bytesOf } from '../codec/bytes.ts';
import type { Counters } from '../counters.ts';
import type { Log } from '../log.ts';
import { Claims } from './claims.ts';
import type { Clock } from './clock.ts';
import { EndpointLog } from './endpoint-log.ts';
import type { Limits } from './limits.ts';
import { closedOf, type Json, parseMessage, rangesOf, resultOf } from './node-messages.ts';
import { Requests } from './requests.ts';
import { type LedgerRef, type NodeCommand, SourceError } from './source.ts';

/** What an endpoint needs of a WebSocket; the runtime's satisfies it. */
export type NodeSocket = Pick<
  WebSocket,
  'onopen' | 'onclose' | 'onerror' | 'onmessage' | 'send' | 'terminate'
>;

export interface EndpointContext {
  readonly clock: Clock;
  /** A fraction from 0 to 1. */
  random(): number;
  readonly limits: Limits;
  readonly log: Log;
  readonly counters: Counters;
  connect(url: string): NodeSocket;
  /** The endpoint announced a ledger it had not announced before. */
  onClosed(ref: Required<LedgerRef>): void;
  /** It came up or went down. */
  onState(): void;
  /** Is no other endpoint up? */
  alone(endpoint: Endpoint): boolean;
}

/** One connection of an endpoint. */
export interface Session {
  /** It told an untruth: nothing that came over it is used. */
  lied: boolean;
}

export class Endpoint {
  /** Host and path, without credentials or query: safe to log. */
  readonly name: string;
  readonly #url: string;
  readonly #context: EndpointContext;
  readonly #log: EndpointLog;
  readonly #claims: Claims;
  readonly #requests: Requests;
  #socket: NodeSocket | undefined;
  #session: Session = { lied: false };
  #up = false;
  #stopped = true;
  #faults = 0;
  #ledgersSinceFault = 0;
  /** Untruths in a row. */
  #lies = 0;
  /** Since when it is up, ms. */
  #upSince = 0;
  /** While it waits out an untruth: since when (ms), and the jitter of its pause. */
  #penalty: { readonly since: number; readonly jitter: number } | undefined;
  #heardAt = 0;
  /** Newest ledger announced, on any connection. */
  #lastHeard: number | undefined;
  #strays = 0;
  #silences = 0;
  #cancelTimer: () => void = () => {};

  /** @throws SyntaxError or TypeError when the address is no ws:// or wss:// URL. */
  constructor(url: string, context: EndpointContext) {
    const parsed = new URL(url);
    if (parsed.protocol !== 'ws:' && parsed.protocol !== 'wss:')
      throw new TypeError(`endpoint ${parsed.host}: give a ws:// or wss:// address`);
    this.name = parsed.host + (parsed.pathname === '/' ? '' : parsed.pathname);
    this.#url = url;
    this.#context = context;
    const { clock, limits, log } = context;
    this.#log = new EndpointLog(log, this.name);
    this.#claims = new Claims(limits);
    const onTimeout = (sent: number) => this.#timedOut(sent);
    this.#requests = new Requests({ name: this.name, clock, limits, onTimeout });
  }

  get up(): boolean {
    return this.#up;
  }

  /** What it says of its ledgers. Empty while it is not connected. */
  get claims(): Omit<Readonly<Claims>, 'announce' | 'clear' | 'doubt' | 'missed'> {
    return this.#claims;
  }

  /** The present connection, or the last one. */
  get session(): Session {
    return this.#session;
  }

  /** Newest ledger index it announced. */
  get latest(): number | undefined {
    return this.#up ? this.#claims.latest : undefined;
  }

  /** Lower is better: ms of latency, weighed with load and recent faults. */
  get score(): number {
    const { responseTime, inFlight } = this.#requests;
    return responseTime.latency * (1 + inFlight / 4) + this.#faults * this.#context.limits.faultWeight;
  }

  get faults(): number {
    return this.#faults;
  }

  /** Hash it announced for a ledger, upper-case hex. */
  announced(index: number): string | undefined {
    return this.#up ? this.#claims.announced(index) : undefined;
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

  /** It told an untruth: it is left alone for a while. Once a session, and not for a session that has ended. */
  lied(reason: string, session = this.#session): void {
    if (session.lied || this.#stopped) return;
    session.lied = true;
    if (session === this.#session && this.#socket) {
      this.#down(new SourceError('unreachable', reason), 'lie');
    } else {
      this.failed();
      this.#log.lied(reason, undefined);
    }
  }

  /** No other endpoint is up any more: what is left of a penalty is that of an endpoint that is alone. */
  relieve(): void {
    if (!this.#penalty) return;
    const { since, jitter } = this.#penalty;
    const left = since + this.#penaltyAlone() * jitter - this.#context.clock.now();
    this.#arm(Math.max(0, left), () => this.#connect());
  }

  /** It could not do what it was asked; others are preferred for a while. */
  failed(): void {
    this.#faults = Math.min(this.#faults + 1, this.#context.limits.faultsMost);
    this.#ledgersSinceFault = 0;
  }

  /**
   * It did not deliver a ledger up to which it has announced.
   * @param claimed it says that it has this very one: not to deliver it for long is an untruth
   */
  missed(index: number, claimed: boolean): void {
    // What was under way when it went down says nothing of the next connection.
    if (!this.#up) return;
    const { clock, limits } = this.#context;
    this.failed();
    const now = clock.now();
    const misses = this.#claims.missed(index, now);
    if (claimed && misses >= limits.claimMisses && this.#claims.debt(now) >= limits.claimGrace)
      this.lied(`it claims ledger ${index} and does not deliver it`);
  }

  /** It lets wait for a ledger that nobody else claims. */
  doubt(index: number): void {
    if (this.#up) this.#claims.doubt(index, this.#context.clock.now());
  }

  /** Somebody delivered a ledger. @param own this endpoint did */
  delivered(index: number, own: boolean): void {
    this.#claims.lift(index, own, this.#context.clock.now());
  }

  /**
   * Sends a command and waits for its response, whatever its status.
   * @param timeout least ms to wait, for commands that take long
   * @throws SourceError timeout, unreachable, or closed.
   */
  async request(command: NodeCommand, timeout?: number): Promise<Json> {
    for (let wait = this.#requests.full(); wait && this.#up; wait = this.#requests.full()) await wait;
    if (!this.#up) throw new SourceError('unreachable', `${this.name} is down`);
    const response = await this.#send(command, timeout);
    this.#faults = Math.floor(this.#faults / 2);
    return response;
  }

  #send(command: NodeCommand, timeout?: number): Promise<Json> {
    const socket = this.#socket;
    if (!socket) return Promise.reject(new SourceError('unreachable', `${this.name} is down`));
    return this.#requests.send(command, timeout, (text) => socket.send(text));
  }

  #timedOut(sent: number): void {
    this.failed();
    // Not a word since the question: the socket is dead, not the question hard.
    if (this.#heardAt <= sent) this.#down(new SourceError('timeout', `${this.name} does not answer`));
  }

  #connect(): void {
    const { clock, limits, connect } = this.#context;
    this.#session = { lied: false };
    this.#penalty = undefined;
    let socket: NodeSocket;
    try {
      socket = connect(this.#url);
    } catch (error) {
      this.#down(new SourceError('unreachable', `${this.name}: ${(error as Error).message}`));
      return;
    }
    this.#socket = socket;
    const mine = (run: () => void) => () => {
      if (this.#socket === socket) run();
    };
    const lost = mine(() => this.#down(new SourceError('unreachable', `${this.name}: connection lost`)));
    const { responseTime } = this.#requests;
    this.#arm(Math.max(limits.connectTimeout, responseTime.timeout), () => {
      responseTime.expired();
      this.#down(new SourceError('timeout', `${this.name}: connection timed out`));
    });
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
    this.#arm(limits.silence + this.#requests.responseTime.timeout, () => this.#silent());
    this.#send({ command: 'subscribe', streams: ['ledger'] } satisfies SubscribeRequest)
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
    this.#upSince = this.#context.clock.now();
    this.#log.up();
    for (const [index, hash] of this.#claims.announcements())
      this.#context.onClosed({ index, hash: bytesOf(hash) });
    this.#context.onState();
  }

  #silent(): void {
    this.#silences++;
    this.#log.quiet(this.#silences * this.#context.limits.silence);
    if (this.#silences < 2 && this.#up) {
      this.#subscribe();
      return;
    }
    this.#silences = 0;
    this.#down(new SourceError('timeout', `${this.name}: no new ledgers`), 'silence');
  }

  #receive(message: Json): void {
    if (message.type === 'ledgerClosed') {
      this.#readRanges(message.validated_ledgers);
      this.#announce(closedOf(message), false);
      return;
    }
    if (typeof message.id !== 'number' || !this.#requests.answer(message.id, message)) this.#stray();
  }

  /** A message that told nothing. So many of them between two ledgers are a flood. */
  #stray(): void {
    if (++this.#strays > this.#context.limits.strayMessages)
      throw new SourceError('malformed', 'floods with messages nobody asked for');
  }

  #announce(ref: Required<LedgerRef>, again: boolean): void {
    const { limits, counters } = this.#context;
    const news = this.#claims.announce(ref);
    if (news === 'known') {
      if (again) return;
      counters.duplicatesDropped++;
      this.#stray();
      return;
    }
    if (news === 'newest') {
      if (++this.#ledgersSinceFault % limits.forgivenAfter === 0 && this.#faults > 0) this.#faults--;
      this.#silences = 0;
      this.#strays = 0;
      if (ref.index !== this.#lastHeard) this.#log.heard(ref.index);
      this.#lastHeard = ref.index;
      this.#arm(limits.silence, () => this.#silent());
    }
    if (this.#up) this.#context.onClosed(ref);
  }

  #readRanges(text: unknown): void {
    const ranges = rangesOf(text, this.#context.limits);
    if (ranges && ranges.length > 0) this.#claims.ranges = ranges;
  }

  /** Ends the socket and plans the next one. */
  #down(error: SourceError, cause: 'fault' | 'silence' | 'lie' = 'fault'): void {
    if (this.#stopped) return;
    const { clock, random } = this.#context;
    this.failed();
    const upFor = this.#up ? clock.now() - this.#upSince : 0;
    this.#drop(error);
    const jitter = 0.5 + random() / 2;
    const pause = (cause === 'lie' ? this.#penaltyOfLie(upFor) : this.#backoff()) * jitter;
    if (cause === 'lie') {
      this.#penalty = { since: clock.now(), jitter };
      this.#log.lied(error.message, pause);
    } else this.#log.down(error.message, pause, cause === 'silence');
    this.#arm(pause, () => this.#connect());
  }

  #backoff(): number {
    const { backoffFirst, backoffMost } = this.#context.limits;
    return Math.min(backoffMost, backoffFirst * 2 ** (this.#faults - 1));
  }

  /** @param upFor ms that it was up before */
  #penaltyOfLie(upFor: number): number {
    const { limits, alone } = this.#context;
    this.#lies = upFor >= limits.lieForgivenAfter ? 1 : this.#lies + 1;
    return alone(this) ? this.#penaltyAlone() : limits.lieBackoff;
  }

  #penaltyAlone(): number {
    const { lieBackoffAlone, lieBackoffAloneMost } = this.#context.limits;
    return Math.min(lieBackoffAloneMost, lieBackoffAlone * 2 ** Math.min(this.#lies - 1, 16));
  }

  #drop(error: SourceError): void {
    this.#cancelTimer();
    const socket = this.#socket;
    const wasUp = this.#up;
    this.#socket = undefined;
    this.#up = false;
    this.#claims.clear();
    this.#strays = 0;
    this.#requests.end(error);
    // No closing handshake: a hung peer would keep the socket for good.
    socket?.terminate();
    if (wasUp) this.#context.onState();
  }

  #arm(ms: number, run: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#context.clock.timer(ms, run);
  }
}
