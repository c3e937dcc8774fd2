/**
 * Any number of rippled/Clio endpoints as one source.
 *
 * Goals: a ledger that one endpoint cannot deliver comes from another within 5 s; an endpoint that sends false data is
 * not used for a while; no single endpoint can move the source. Non-goals: proof (the follower proves) and consensus
 * (signatures of validators are not checked: if all endpoints agree on a false history that links to ours, it is accepted).
 *
 * All endpoints are connected and subscribed all the time, which costs one small message per ledger and makes a switch
 * immediate. A ledger is requested from the endpoint with the best score that claims to have it, at most once per
 * endpoint and call, and never from an endpoint that has not announced that ledger or a later one; when an endpoint is
 * late, the next one is tried as well. A ledger is accepted when its header hashes to the hash in the message, when its
 * sender announced the same hash, and when at least as many endpoints announced that hash as another one.
 *
 * The newest ledger is the newest that two endpoints announce, or that one endpoint announces and is not in doubt about:
 *
 *     A  ........100
 *     B  ........100..............600     101 is requested from B. Until B delivers, the newest ledger is 100. A missing
 *                 |--- only B ---|        delivery counts as a fault of B, not of A; it is retried with growing pauses.
 */
import type { LedgerRequest } from 'xrpl';
import { bytesOf, hexOf } from '../codec/bytes.ts';
import type { PackedLedger } from '../codec/packed.ts';
import { Counters } from '../counters.ts';
import type { Log } from '../log.ts';
import { type Clock, sleep } from './clock.ts';
import { Endpoint, type NodeSocket, type NodeSockets, type Session } from './endpoint.ts';
import { namesOf } from './endpoint-log.ts';
import { LIMITS, type Limits } from './limits.ts';
import { type Json, ledgerOf, resultOf } from './node-messages.ts';
import { openPages } from './node-snapshot.ts';
import { inlinePreparer } from './prepare.ts';
import {
  type LedgerRange,
  type LedgerRef,
  type NodeCommand,
  type PageProver,
  type Snapshot,
  type SnapshotResume,
  type Source,
  SourceError,
} from './source.ts';
import { StateSenders } from './state-senders.ts';

export interface NodeSourceOptions {
  /** ws:// or wss:// addresses; the order does not matter. */
  readonly urls: readonly string[];
  readonly clock: Clock;
  /** A fraction from 0 to 1, for jitter. */
  random(): number;
  readonly log: Log;
  /** Endpoints that name another network are not used. Default: any network. */
  readonly networkId?: number;
  /** Where duplicates and switches are counted: the counters of the engine. */
  readonly counters?: Counters;
  readonly limits?: Limits;
  /** What earlier sources of the same endpoints have found about them. */
  readonly stateSenders?: StateSenders;
  /** Opens sockets; those of this thread when absent. Closed with the source. */
  readonly sockets?: NodeSockets;
}

/** What /health shows of an endpoint. */
export interface EndpointStatus {
  readonly name: string;
  readonly up: boolean;
  readonly latest: number | undefined;
  /** Lower is better, in ms. */
  readonly score: number;
  readonly faults: number;
}

const ownSockets: NodeSockets = {
  /** No compression: otherwise a message of a kilobyte could inflate to a hundred megabytes. */
  connect: (url) => new WebSocket(url, { perMessageDeflate: false }) as NodeSocket,
  async close() {},
};

/** The endpoint that sent a ledger, and the connection. */
interface Sender {
  readonly endpoint: Endpoint;
  readonly session: Session;
}

/** Commands that belong to a socket's session: passed on, they would disturb our own subscription. */
const SESSION_COMMANDS = new Set(['subscribe', 'unsubscribe', 'path_find']);

export class NodeSource implements Source {
  readonly name: string;
  readonly live = true;
  readonly #options: NodeSourceOptions;
  readonly #limits: Limits;
  readonly #counters: Counters;
  readonly #sockets: NodeSockets;
  readonly #endpoints: readonly Endpoint[];
  readonly #listeners = new Set<(ref: LedgerRef) => void>();
  readonly #senders = new WeakMap<PackedLedger, Sender>();
  readonly #stateWaiters = new Set<() => void>();
  /** Requests that are late: each function tries a further endpoint as soon as it announces the ledger. */
  readonly #hedged = new Set<() => void>();
  /** Ledgers that any endpoint announced recently; bounded. */
  readonly #announced = new Set<number>();
  #serving: Endpoint | undefined;
  readonly #stateSenders: StateSenders;
  /** Newest ledger delivered by any endpoint. */
  #delivered = 0;
  #closed = false;

  /** @throws TypeError when an address is no WebSocket address, RangeError when there is none. */
  constructor(options: NodeSourceOptions) {
    if (options.urls.length === 0) throw new RangeError('node source: give at least one endpoint');
    this.#options = options;
    this.#limits = options.limits ?? LIMITS;
    this.#sockets = options.sockets ?? ownSockets;
    const { clock, log } = options;
    this.#counters = options.counters ?? new Counters();
    this.#stateSenders = options.stateSenders ?? new StateSenders();
    this.#stateSenders.begin();
    const context = {
      clock,
      random: () => options.random(),
      limits: this.#limits,
      log,
      counters: this.#counters,
      networkId: options.networkId,
      onClosed: (ref: Required<LedgerRef>) => this.#announce(ref),
      connect: (url: string) => this.#sockets.connect(url),
      onState: () => this.#onState(),
      alone: (endpoint: Endpoint) => this.#others(endpoint).length === 0,
    };
    const urls = [...new Set(options.urls)];
    const names = namesOf(urls);
    this.#endpoints = urls.map((url, i) => new Endpoint(url, names[i]!, context));
    this.name = this.#endpoints.map((endpoint) => endpoint.name).join(', ');
  }

  /** What the endpoints say that are up, where all that say something agree. */
  get networkId(): number | undefined {
    const ids = this.#endpoints.filter(({ up }) => up).map(({ networkId }) => networkId);
    const known = new Set(ids.filter((id) => id !== undefined));
    return known.size === 1 ? [...known][0] : undefined;
  }

  get endpoints(): readonly EndpointStatus[] {
    return this.#endpoints.map(({ name, up, latest, score, faults }) => ({
      name,
      up,
      latest,
      score,
      faults,
    }));
  }

  /** Resolves when the first endpoint is up; tries without limit. */
  async open(): Promise<void> {
    for (const endpoint of this.#endpoints) endpoint.start();
    while (!this.#closed && !this.#endpoints.some((endpoint) => endpoint.up)) await this.#stateChange();
    if (this.#closed) throw new SourceError('closed', 'node source: closed while opening');
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const endpoint of this.#endpoints) endpoint.stop();
    for (const wake of [...this.#stateWaiters]) wake();
    await this.#sockets.close();
  }

  /** The newest ledger that two endpoints announce, or one endpoint that is not in doubt. */
  latest(): LedgerRef | undefined {
    let [first, agreed] = [0, 0];
    for (const { latest = 0 } of this.#endpoints) {
      agreed = Math.max(agreed, Math.min(first, latest));
      first = Math.max(first, latest);
    }
    if (first === 0) return undefined;
    // With only one endpoint there is nothing to compare: its announcement counts.
    let index = agreed === 0 ? first : agreed;
    const now = this.#options.clock.now();
    if (agreed > 0)
      for (const { up, claims } of this.#endpoints)
        if (up) index = Math.max(index, claims.undoubted(now) ?? 0);
    const hash = this.#agreedHash(index);
    return hash === undefined ? { index } : { index, hash: bytesOf(hash) };
  }

  /** The hash announced by more than half of the endpoints that announce this ledger. */
  #agreedHash(index: number): string | undefined {
    const hashes = this.#endpoints.map((endpoint) => endpoint.announced(index)).filter((hash) => hash);
    return hashes.find((hash) => 2 * hashes.filter((other) => other === hash).length > hashes.length);
  }

  range(): LedgerRange | undefined {
    const last = this.latest()?.index;
    if (last === undefined) return undefined;
    let first = last;
    for (const endpoint of this.#endpoints)
      for (const range of endpoint.up ? endpoint.claims.ranges : [])
        if (range.last >= last - this.#limits.announcements) first = Math.min(first, range.first);
    return { first, last };
  }

  ledger(index: number): Promise<PackedLedger> {
    return this.#ledger(index, false);
  }

  firstLedger(index: number): Promise<PackedLedger> {
    return this.#ledger(index, true);
  }

  async #ledger(index: number, isFirst: boolean): Promise<PackedLedger> {
    const command = {
      command: 'ledger',
      ledger_index: index,
      binary: true,
      transactions: true,
      expand: true,
    } satisfies LedgerRequest;
    return this.#try(index, true, async (endpoint) => {
      const packed = await this.#ledgerFrom(endpoint, index, command);
      if (isFirst) await this.#checkVotes(endpoint, index, packed.hash);
      this.#delivered = Math.max(this.#delivered, index);
      for (const one of this.#endpoints) one.onDelivered(index, one === endpoint);
      if (this.#serving !== endpoint) {
        if (this.#serving) this.#counters.endpointSwitches++;
        this.#serving = endpoint;
      }
      return packed;
    });
  }

  refuse(ledger: PackedLedger, reason: string): void {
    // Announcements and deliveries of that chain do not apply to the true one.
    this.#announced.clear();
    this.#delivered = Math.min(this.#delivered, ledger.ledgerIndex - 1);
    const sender = this.#senders.get(ledger);
    sender?.endpoint.distrust(`ledger ${ledger.ledgerIndex}: ${reason}`, sender.session);
  }

  refused(ledger: PackedLedger): boolean {
    return this.#senders.get(ledger)?.session.distrusted === true;
  }

  onClosed(listener: (ref: LedgerRef) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async snapshot(
    ref: LedgerRef,
    resume?: SnapshotResume,
    prover: PageProver = inlinePreparer,
  ): Promise<Snapshot> {
    if (!resume) this.#stateSenders.checkPause(this.#options.clock.now());
    const command = { command: 'ledger', ledger_index: ref.index, binary: true } satisfies LedgerRequest;
    const open = this.#try(ref.index, false, async (endpoint) => {
      this.#stateSenders.check(endpoint.name, resume !== undefined);
      const packed = await this.#ledgerFrom(endpoint, ref.index, command);
      if (ref.hash && hexOf(ref.hash) !== hexOf(packed.hash))
        throw new SourceError('false', `ledger ${ref.index} has another hash than requested`);
      if (!resume) await this.#checkVotes(endpoint, ref.index, packed.hash);
      const pages = await openPages({
        endpoint,
        header: packed.header,
        hash: packed.hash,
        resume,
        prover,
        limits: this.#limits,
        clock: this.#options.clock,
        closed: () => this.#closed,
      });
      this.#stateSenders.add(endpoint.name, resume !== undefined);
      return { header: packed.header, hash: packed.hash, pages };
    });
    return open.catch((error) => {
      // An endpoint that is down may have it.
      if (!(error instanceof SourceError) || error.code !== 'missing') throw error;
      throw this.#endpoints.every(({ up }) => up) ? error : new SourceError('unreachable', error.message);
    });
  }

  refuseSnapshot(reason: string): readonly string[] {
    const senders = this.#stateSenders.refuse(
      this.#endpoints.map(({ name }) => name),
      this.#options.clock.now(),
    );
    for (const endpoint of this.#endpoints) if (senders.includes(endpoint.name)) endpoint.distrust(reason);
    return senders;
  }

  async request(command: NodeCommand): Promise<Json> {
    if (SESSION_COMMANDS.has(command.command))
      throw new SourceError('refused', `${command.command} belongs to a session`);
    return answerOf(await this.#try(0, false, (endpoint) => endpoint.request(command)));
  }

  async requestOnce(command: NodeCommand): Promise<Json> {
    const [endpoint] = this.#closed ? [] : this.#candidates(0);
    if (!endpoint) throw new SourceError('unreachable', 'no endpoint is up');
    try {
      return answerOf(await endpoint.request(command));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new SourceError('timeout', `sent, and no answer came: ${message}`);
    }
  }

  /** Usable endpoints, best first: those that claim the ledger, then the rest, by score. */
  #candidates(index: number): Endpoint[] {
    const now = this.#options.clock.now();
    const rank = ({ claims }: Endpoint) => (index === 0 || claims.has(index) ? 0 : 1);
    return this.#endpoints
      .filter(({ up, claims }) => up && (index === 0 || claims.mayRequest(index, now)))
      .sort((a, b) => rank(a) - rank(b) || a.score - b.score);
  }

  #others(endpoint: Endpoint): Endpoint[] {
    return this.#endpoints.filter((other) => other !== endpoint && other.up);
  }

  /**
   * Tries one endpoint after the other until one delivers: the next one when one has failed and, with `isLedger`, also
   * when one is late. The first answer counts.
   * @param index newest ledger the command is about; 0: none
   */
  #try<T>(index: number, isLedger: boolean, use: (endpoint: Endpoint) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new SourceError('closed', 'node source: closed'));
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const tried = new Set<Endpoint>();
    let running = 0;
    let settled = false;
    let last: unknown;
    const next = () => {
      if (settled) return;
      const endpoint = this.#candidates(index).find((candidate) => !tried.has(candidate));
      if (!endpoint) {
        if (running === 0) reject(last ?? this.#noCandidate(index, isLedger));
        return;
      }
      tried.add(endpoint);
      running++;
      const { session } = endpoint;
      const hedge = () => {
        this.#onLate(endpoint, index);
        this.#hedged.add(next);
        next();
      };
      const cancel = isLedger ? this.#options.clock.timer(this.#limits.hedge, hedge) : () => {};
      use(endpoint)
        .then(
          (value) => {
            settled = true;
            resolve(value);
          },
          (error) => {
            if (!(error instanceof SourceError)) {
              reject(error);
              return;
            }
            // "Missing" of one endpoint does not replace the error of another that could not answer.
            if (!(last instanceof SourceError) || error.code !== 'missing') last = error;
            if (endpoint.session === session) this.#blame(endpoint, error, isLedger ? index : 0);
          },
        )
        .finally(() => {
          cancel();
          running--;
          if (running === 0 || settled) this.#hedged.delete(next);
          next();
        });
    };
    next();
    return promise;
  }

  #noCandidate(index: number, isLedger: boolean): SourceError {
    if (!this.#endpoints.some(({ up }) => up)) return new SourceError('unreachable', 'no endpoint is up');
    const code = isLedger ? 'missing' : 'unreachable';
    return new SourceError(code, `ledger ${index} cannot be requested from any endpoint now`);
  }

  /** @param index the ledger that it did not deliver; 0: the request was about something else */
  #blame(endpoint: Endpoint, { code, message }: SourceError, index: number): void {
    const { claims } = endpoint;
    if (code === 'false' || code === 'malformed') endpoint.distrust(message);
    else if (index > 0 && (claims.has(index) || index > claims.delivered)) {
      // When there is no other endpoint, a slow or busy node is better than none.
      const isFalse = claims.has(index) && (code === 'missing' || this.#others(endpoint).length > 0);
      endpoint.missed(index, isFalse || this.#isAhead(endpoint, index));
    } else if (code !== 'missing' && code !== 'refused') endpoint.failed();
  }

  /** While it is late, ledgers that only this endpoint announces do not count, unless it has delivered as new ones. */
  #onLate(endpoint: Endpoint, index: number): void {
    const others = this.#others(endpoint).map(({ latest = 0 }) => latest);
    if (this.#isAhead(endpoint, index) && endpoint.claims.delivered <= Math.max(...others))
      endpoint.doubt(index);
  }

  /** Whether there are other endpoints and none of them has announced this ledger or a later one. */
  #isAhead(endpoint: Endpoint, index: number): boolean {
    const others = this.#others(endpoint);
    return others.length > 0 && others.every(({ latest = 0 }) => latest < index);
  }

  async #ledgerFrom(endpoint: Endpoint, index: number, command: NodeCommand): Promise<PackedLedger> {
    const { session } = endpoint;
    const isWhole = command.transactions === true;
    const response = await (isWhole ? endpoint.requestLedger(command) : endpoint.request(command));
    const packed = ledgerOf(resultOf(response), index, this.#limits);
    const hash = hexOf(packed.hash);
    const own = endpoint.announced(index);
    if (own !== undefined && own !== hash)
      throw new SourceError('false', `ledger ${index} is not the one it announced`);
    let votes = 0;
    for (const other of this.#endpoints) {
      const announced = other === endpoint ? hash : other.announced(index);
      if (announced !== undefined) votes += announced === hash ? 1 : -1;
    }
    if (votes < 0) throw new SourceError('false', `ledger ${index} has another hash than most announced`);
    this.#senders.set(packed, { endpoint, session });
    return packed;
  }

  /**
   * Asks the other endpoints for the first ledger, that of a snapshot or without one: no parent proves it, and all that is followed must
   * descend from it. Of two endpoints none outvotes the other: nothing waits for the answer then, and the log says where they differ.
   * @throws SourceError false when most of those that have it have another one
   */
  async #checkVotes(sender: Endpoint, index: number, hash: Uint8Array): Promise<void> {
    const voted = this.#countVotes(sender, index, hash);
    if (this.#endpoints.length > 2) await voted;
  }

  async #countVotes(sender: Endpoint, index: number, hash: Uint8Array): Promise<void> {
    const command = { command: 'ledger', ledger_index: index, binary: true } satisfies LedgerRequest;
    await this.#allUp();
    const asked = this.#others(sender).map(async (endpoint) => {
      const response = await endpoint.request(command);
      const other = ledgerOf(resultOf(response), index, this.#limits).hash;
      return { name: endpoint.name, agrees: hexOf(other) === hexOf(hash) };
    });
    const votes = (await Promise.allSettled(asked)).flatMap((vote) =>
      vote.status === 'fulfilled' ? [vote.value] : [],
    );
    const against = votes.filter(({ agrees }) => !agrees).map(({ name }) => name);
    if (against.length === 0) return;
    if (2 * against.length > votes.length + 1)
      throw new SourceError('false', `ledger ${index} has another hash than at ${against.join(', ')}`);
    const fields = { ledger: index, endpoint: sender.name, others: against };
    const message = 'nodes disagree about the first ledger: that of this endpoint is followed';
    this.#options.log.warn(fields, message);
  }

  #announce(ref: Required<LedgerRef>): void {
    for (const tryNext of [...this.#hedged]) tryNext();
    // A ledger that is announced again, by a later endpoint, may now be available there.
    if (this.#announced.has(ref.index) && ref.index <= this.#delivered) return;
    this.#announced.add(ref.index);
    if (this.#announced.size > this.#limits.announcements)
      for (const oldest of this.#announced) {
        this.#announced.delete(oldest);
        break;
      }
    for (const listener of [...this.#listeners]) listener(ref);
  }

  #onState(): void {
    if (!this.#endpoints.some(({ up }) => up))
      for (const endpoint of this.#endpoints) endpoint.shortenPause();
    for (const wake of [...this.#stateWaiters]) wake();
  }

  /** Resolves when every endpoint is up, has failed, or has had the time to connect. */
  async #allUp(): Promise<void> {
    const wait = new AbortController();
    const timedOut = sleep(this.#options.clock, this.#limits.connectTimeout, wait.signal).then(() => true);
    const isWaiting = () => !this.#closed && !this.#endpoints.every(({ up, faults }) => up || faults > 0);
    while (isWaiting()) if (await Promise.race([timedOut, this.#stateChange().then(() => false)])) break;
    wait.abort();
  }

  #stateChange(): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#stateWaiters.delete(wake);
        resolve();
      };
      this.#stateWaiters.add(wake);
    });
  }
}

/** What a node answered: its result, or its error. */
function answerOf(response: Json): Json {
  if (response.status === 'success' && typeof response.result === 'object' && response.result !== null)
    return response.result as Json;
  const { id: _ours, type: _type, ...error } = response;
  return error;
}
