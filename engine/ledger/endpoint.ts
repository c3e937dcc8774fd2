/**
 * One rippled or Clio WebSocket endpoint: keeps a subscription to closed ledgers alive and answers requests.
 *
 *     waiting --timer--> connecting --open--> subscribing --answer--> up
 *        ^                   |                    |                    |
 *        +---- back-off -----+----- any fault, time-out, close --------+
 *
 * While up, silence (no new ledger for `limits.silence`) first causes a new subscription on the same socket, and a
 * second silence in a row a new socket: one host name often has several nodes behind it, and a connected socket may be
 * dead. Only the shape of messages is checked here; the node source judges their content.
 *
 * Each connection is a session. False data is penalised once per session, and everything else that came over the
 * session is refused too (`Session.distrusted`). False data found after its session has ended does not penalise the
 * next session, where another node may answer, unless that happens again and again. The pauses are defined in limits.ts.
 */
import type { SubscribeRequest } from 'xrpl';
import { bytesOf } from '../codec/bytes.ts';
import { valuesIn } from '../codec/nesting.ts';
import type { Counters } from '../counters.ts';
import type { Log } from '../log.ts';
import { Claims } from './claims.ts';
import type { Clock } from './clock.ts';
import { EndpointLog } from './endpoint-log.ts';
import type { Limits } from './limits.ts';
import { closedOf, type Json, parseMessage, rangesOf, resultOf } from './node-messages.ts';
import { type PageWait, Requests, type TextAnswer } from './requests.ts';
import { type LedgerRef, type NodeCommand, SourceError } from './source.ts';

/** What answers a request: the socket may deliver a ledger packed, and request the page after a page by itself. */
export interface Expected {
  readonly kind: 'ledger' | 'page';
  /** Of the request. */
  readonly id: number;
}

/** The part of WebSocket that an endpoint uses. */
export interface NodeSocket {
  onopen: (() => void) | null;
  onclose: (() => void) | null;
  onerror: (() => void) | null;
  /** Data: the text, or a `PackedAnswer`. */
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  send(text: string, expects?: Expected): void;
  /** Ends it without a closing handshake. Nothing is called any more. */
  terminate(): void;
}

/** What opens sockets. */
export interface NodeSockets {
  connect(url: string): NodeSocket;
  close(): Promise<void>;
}

export interface EndpointContext {
  readonly clock: Clock;
  /** A fraction from 0 to 1. */
  random(): number;
  readonly limits: Limits;
  readonly log: Log;
  readonly counters: Counters;
  /** Id of the network that is followed; undefined: any. */
  readonly networkId: number | undefined;
  connect(url: string): NodeSocket;
  /** The endpoint announced a ledger it had not announced before. */
  onClosed(ref: Required<LedgerRef>): void;
  /** The endpoint came up or went down. */
  onState(): void;
  /** Whether no other endpoint is up. */
  alone(endpoint: Endpoint): boolean;
}

/** One connection of an endpoint. */
export interface Session {
  /** It sent false data: nothing that came over it is used. */
  distrusted: boolean;
}

export class Endpoint {
  readonly name: string;
  readonly #url: string;
  readonly #context: EndpointContext;
  readonly #log: EndpointLog;
  readonly #claims: Claims;
  readonly #requests: Requests;
  #socket: NodeSocket | undefined;
  #session: Session = { distrusted: false };
  #up = false;
  #networkId: number | undefined;
  #stopped = true;
  #faults = 0;
  #ledgersSinceFault = 0;
  /** How often in a row it sent false data. */
  #falseInARow = 0;
  /** How often false data was found after its session had ended, since one lasted. */
  #falseAfterEnd = 0;
  /** When it came up, ms. */
  #upSince = 0;
  /** During a pause after false data: when it began (ms), and its jitter. */
  #pause: { readonly since: number; readonly jitter: number } | undefined;
  #receivedAt = 0;
  /** Newest ledger announced, on any connection. */
  #lastAnnounced: number | undefined;
  #unexpected = 0;
  /** Characters that answer no request, and those that their values count for, since a time (ms). */
  #unrequested = { size: 0, since: 0 };
  #silences = 0;
  #cancelTimer: () => void = () => {};

  /**
   * @param name safe to log
   * @throws SyntaxError or TypeError when the address is no ws:// or wss:// URL
   */
  constructor(url: string, name: string, context: EndpointContext) {
    const parsed = new URL(url);
    if (parsed.protocol !== 'ws:' && parsed.protocol !== 'wss:')
      throw new TypeError(`endpoint ${parsed.host}: give a ws:// or wss:// address`);
    this.name = name;
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

  /** Id of its network, where it has said so. */
  get networkId(): number | undefined {
    return this.#networkId;
  }

  /** The ledgers it claims to have. Empty while it is not connected. */
  get claims(): Omit<Readonly<Claims>, 'announce' | 'clear' | 'doubt' | 'missed'> {
    return this.#claims;
  }

  /** The current connection, or the last one. */
  get session(): Session {
    return this.#session;
  }

  /** Newest ledger index it announced. */
  get latest(): number | undefined {
    return this.#up ? this.#claims.latest : undefined;
  }

  /** Lower is better: ms of latency, increased by load and recent faults. */
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

  /** It sent false data: it is not used for a while. Counted once per session, and only for the current session. */
  distrust(reason: string, session = this.#session): void {
    if (session.distrusted || this.#stopped) return;
    session.distrusted = true;
    const isCurrent = session === this.#session && this.#socket !== undefined;
    if (isCurrent || ++this.#falseAfterEnd >= this.#context.limits.falseAfterEndMax) {
      this.#down(new SourceError('unreachable', reason), 'false data');
    } else {
      this.failed();
      this.#log.distrusted(reason, undefined);
    }
  }

  /** No other endpoint is up: shortens a running pause to the one for an endpoint that is alone. */
  shortenPause(): void {
    if (!this.#pause) return;
    const { since, jitter } = this.#pause;
    const left = since + this.#distrustPauseAlone() * jitter - this.#context.clock.now();
    this.#arm(Math.max(0, left), () => this.#connect());
  }

  /** A request failed; other endpoints are preferred for a while. */
  failed(): void {
    this.#faults = Math.min(this.#faults + 1, this.#context.limits.faultsMax);
    this.#ledgersSinceFault = 0;
  }

  /**
   * It did not deliver a ledger although it has announced that ledger or a later one.
   * @param claimed it claims this very ledger: not delivering it for a long time counts as false data
   */
  missed(index: number, claimed: boolean): void {
    // Requests that were in flight when it went down do not count for the next connection.
    if (!this.#up) return;
    const { clock, limits } = this.#context;
    this.failed();
    const now = clock.now();
    const misses = this.#claims.missed(index, now);
    if (claimed && misses >= limits.claimMisses && this.#claims.debt(now) >= limits.claimGrace)
      this.distrust(`it claims ledger ${index} and does not deliver it`);
  }

  /** It is late with a ledger that no other endpoint claims. */
  doubt(index: number): void {
    if (this.#up) this.#claims.doubt(index, this.#context.clock.now());
  }

  /** An endpoint delivered a ledger. @param own it was this endpoint */
  onDelivered(index: number, own: boolean): void {
    this.#claims.onDelivered(index, own, this.#context.clock.now());
  }

  /**
   * Sends a command and waits for its response, whatever its status.
   * @param timeout minimum ms to wait, for commands that take long
   * @throws SourceError timeout, unreachable, or closed.
   */
  request(command: NodeCommand, timeout?: number): Promise<Json> {
    return this.#requested(() => this.#send(command, timeout));
  }

  /** The same for a ledger with its transactions, which may come packed: read it with `ledgerOf`. */
  requestLedger(command: NodeCommand): Promise<Json> {
    return this.#requested(() => this.#send(command, undefined, true));
  }

  /** The same for a page of a snapshot, which is not parsed here: the text of a large one is not checked at all. */
  requestPage(command: NodeCommand, wait: PageWait): Promise<TextAnswer> {
    const write = (text: string, id: number) => this.#socket!.send(text, { kind: 'page', id });
    return this.#requested(() => this.#requests.sendForPage(command, wait, write));
  }

  async #requested<T>(send: () => Promise<T>): Promise<T> {
    for (let wait = this.#requests.full(); wait && this.#up; wait = this.#requests.full()) await wait;
    if (!this.#up) throw new SourceError('unreachable', `${this.name} is down`);
    const response = await send();
    this.#faults = Math.floor(this.#faults / 2);
    return response;
  }

  #send(command: NodeCommand, timeout?: number, isLedger = false): Promise<Json> {
    const socket = this.#socket;
    if (!socket) return Promise.reject(new SourceError('unreachable', `${this.name} is down`));
    return this.#requests.send(command, timeout, (text, id) =>
      socket.send(text, isLedger ? { kind: 'ledger', id } : undefined),
    );
  }

  #timedOut(sent: number): void {
    this.failed();
    // Nothing at all received since the request was sent: the socket is dead, the request is not just slow.
    if (this.#receivedAt <= sent) this.#down(new SourceError('timeout', `${this.name} does not answer`));
  }

  #connect(): void {
    const { clock, limits, connect } = this.#context;
    this.#session = { distrusted: false };
    this.#pause = undefined;
    let socket: NodeSocket;
    try {
      socket = connect(this.#url);
    } catch (error) {
      this.#down(new SourceError('unreachable', `${this.name}: ${(error as Error).message}`));
      return;
    }
    this.#socket = socket;
    const whileCurrent = (run: () => void) => () => {
      if (this.#socket === socket) run();
    };
    const lost = whileCurrent(() =>
      this.#down(new SourceError('unreachable', `${this.name}: connection lost`)),
    );
    const { responseTime } = this.#requests;
    this.#arm(Math.max(limits.connectTimeout, responseTime.timeout), () => {
      responseTime.expired();
      this.#down(new SourceError('timeout', `${this.name}: connection timed out`));
    });
    socket.onopen = whileCurrent(() => this.#subscribe());
    socket.onclose = lost;
    socket.onerror = lost;
    socket.onmessage = ({ data }) => {
      if (this.#socket !== socket) return;
      this.#receivedAt = clock.now();
      try {
        if (!this.#requests.answerText(data)) this.#receive(parseMessage(data, limits), data as string);
      } catch (error) {
        this.distrust((error as Error).message);
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
        this.#checkNetwork(result.network_id);
        this.#readRanges(result.validated_ledgers);
        this.#arm(limits.silence, () => this.#silent());
        if (result.ledger_index !== undefined) this.#announce(closedOf(result), true);
        if (!this.#up) this.#setUp();
      })
      .catch((error: SourceError) => {
        if (this.#socket !== socket) return;
        if (error.code === 'malformed') this.distrust(error.message);
        else this.#down(error);
      });
  }

  /** A ledger may have closed between the subscription and its answer: reports what was announced until now. */
  #setUp(): void {
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

  #receive(message: Json, text: string): void {
    if (message.type === 'ledgerClosed') {
      this.#countUnrequested(text);
      this.#checkNetwork(message.network_id);
      this.#readRanges(message.validated_ledgers);
      this.#announce(closedOf(message), false);
      return;
    }
    if (typeof message.id === 'number' && this.#requests.answer(message.id, message, text)) return;
    this.#countUnexpected();
    // A ledger that was packed elsewhere, and has come too late, cost nothing here.
    if (typeof text === 'string') this.#countUnrequested(text);
  }

  /** By time, since a node may announce as many ledgers as it likes. */
  #countUnrequested(text: string): void {
    const { clock, limits } = this.#context;
    const now = clock.now();
    if (now - this.#unrequested.since > limits.unrequestedTime) this.#unrequested = { size: 0, since: now };
    this.#unrequested.size += text.length + limits.unrequestedValueBytes * valuesIn(text, limits.values);
    if (this.#unrequested.size > limits.unrequestedBytes)
      throw new SourceError('malformed', 'sends many megabytes that were not requested');
  }

  /** A message without use. Too many of them between two ledgers count as a flood. */
  #countUnexpected(): void {
    if (++this.#unexpected > this.#context.limits.unexpectedMessages)
      throw new SourceError('malformed', 'floods with messages that were not requested');
  }

  #announce(ref: Required<LedgerRef>, isRepeated: boolean): void {
    const { limits, counters } = this.#context;
    const kind = this.#claims.announce(ref);
    if (kind === 'known') {
      if (isRepeated) return;
      counters.duplicatesDropped++;
      this.#countUnexpected();
      return;
    }
    if (kind === 'newest') {
      if (++this.#ledgersSinceFault % limits.faultForgottenAfter === 0 && this.#faults > 0) this.#faults--;
      this.#silences = 0;
      this.#unexpected = 0;
      if (ref.index !== this.#lastAnnounced) this.#log.announced(ref.index);
      this.#lastAnnounced = ref.index;
      this.#arm(limits.silence, () => this.#silent());
    }
    if (this.#up) this.#context.onClosed(ref);
  }

  /** A store that began with the ledgers of another network could not go on with those of its own. Older nodes do not say of which one they are. */
  #checkNetwork(id: unknown): void {
    const { networkId } = this.#context;
    if (typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < 2 ** 32) this.#networkId = id;
    if (networkId !== undefined && typeof id === 'number' && id !== networkId)
      throw new SourceError(
        'malformed',
        `it is of network ${id}, not ${networkId}: npm run tool -- doctor says what to change`,
      );
  }

  #readRanges(text: unknown): void {
    const ranges = rangesOf(text, this.#context.limits);
    if (ranges && ranges.length > 0) this.#claims.ranges = ranges;
  }

  /** Ends the socket and plans the next one. */
  #down(error: SourceError, cause: 'fault' | 'silence' | 'false data' = 'fault'): void {
    if (this.#stopped) return;
    const { clock, random, limits } = this.#context;
    this.failed();
    const upFor = this.#up ? clock.now() - this.#upSince : 0;
    if (upFor >= limits.distrustResetAfter) this.#falseAfterEnd = 0;
    this.#drop(error);
    const jitter = 0.5 + random() / 2;
    const pause = (cause === 'false data' ? this.#distrustPause(upFor) : this.#backoff()) * jitter;
    if (cause === 'false data') {
      this.#pause = { since: clock.now(), jitter };
      this.#log.distrusted(error.message, pause);
    } else this.#log.down(error.message, pause, cause === 'silence');
    this.#arm(pause, () => this.#connect());
  }

  #backoff(): number {
    const { backoffFirst, backoffMax } = this.#context.limits;
    return Math.min(backoffMax, backoffFirst * 2 ** (this.#faults - 1));
  }

  /** @param upFor ms that it was up */
  #distrustPause(upFor: number): number {
    const { limits, alone } = this.#context;
    this.#falseInARow = upFor >= limits.distrustResetAfter ? 1 : this.#falseInARow + 1;
    return alone(this) ? this.#distrustPauseAlone() : limits.distrustPause;
  }

  #distrustPauseAlone(): number {
    const { distrustPauseAlone, distrustPauseAloneMax } = this.#context.limits;
    return Math.min(distrustPauseAloneMax, distrustPauseAlone * 2 ** Math.min(this.#falseInARow - 1, 16));
  }

  #drop(error: SourceError): void {
    this.#cancelTimer();
    const socket = this.#socket;
    const wasUp = this.#up;
    this.#socket = undefined;
    this.#up = false;
    this.#claims.clear();
    this.#unexpected = 0;
    this.#unrequested = { size: 0, since: 0 };
    this.#requests.end(error);
    // No closing handshake: a hung peer would keep the socket open forever.
    socket?.terminate();
    if (wasUp) this.#context.onState();
  }

  #arm(ms: number, run: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#context.clock.timer(ms, run);
  }
}
