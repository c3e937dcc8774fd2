/**
 * Any number of rippled/Clio endpoints as one source.
 *
 * Goals: a ledger that one endpoint cannot deliver comes from another within 5 s; whoever lies is left alone; no
 * endpoint's word alone moves the source. Non-goal: proof (the follower proves) and consensus (validators' signatures
 * are not checked: if all endpoints agree on a false history that links to ours, it is believed).
 *
 * All endpoints are connected and subscribed all the time, which costs one small message a ledger and makes the switch
 * immediate. Ledgers are asked from the endpoint with the best score that claims to have them, each endpoint at most
 * once a call; when it lets wait, the next one is asked as well. A ledger is accepted when its header hashes to what came with it, when its giver announced the same
 * hash, and when not more endpoints announced another hash than the same.
 */
import type { LedgerRequest } from 'xrpl';
import { hexOf } from '../codec/bytes.ts';
import type { PackedLedger } from '../codec/packed.ts';
import { Counters } from '../counters.ts';
import type { Log } from '../log.ts';
import type { Clock } from './clock.ts';
import { Endpoint } from './endpoint.ts';
import { LIMITS, type Limits } from './limits.ts';
import { type Json, ledgerOf, resultOf } from './node-messages.ts';
import { snapshotPages } from './node-snapshot.ts';
import {
  type LedgerRange,
  type LedgerRef,
  type NodeCommand,
  type Snapshot,
  type SnapshotResume,
  type Source,
  SourceError,
} from './source.ts';

export interface NodeSourceOptions {
  /** ws:// or wss:// addresses; the order does not matter. */
  readonly urls: readonly string[];
  readonly clock: Clock;
  /** A fraction from 0 to 1, for jitter. */
  random(): number;
  readonly log: Log;
  /** Where duplicates and switches are counted: those of the engine it feeds. */
  readonly counters?: Counters;
  readonly limits?: Limits;
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

/** Commands bound to a socket's session: passed through they would disturb our own subscription. */
const SESSION_COMMANDS = new Set(['subscribe', 'unsubscribe', 'path_find']);

export class NodeSource implements Source {
  readonly name: string;
  readonly live = true;
  readonly #options: NodeSourceOptions;
  readonly #limits: Limits;
  readonly #counters: Counters;
  readonly #endpoints: readonly Endpoint[];
  readonly #listeners = new Set<(ref: LedgerRef) => void>();
  readonly #givers = new WeakMap<PackedLedger, Endpoint>();
  readonly #stateWaiters = new Set<() => void>();
  /** Ledgers announced lately, by anyone; bounded. */
  readonly #heard = new Set<number>();
  #serving: Endpoint | undefined;
  #closed = false;

  /** @throws TypeError when an address is no WebSocket address, RangeError when there is none. */
  constructor(options: NodeSourceOptions) {
    if (options.urls.length === 0) throw new RangeError('node source: give at least one endpoint');
    this.#options = options;
    this.#limits = options.limits ?? LIMITS;
    const { clock, log } = options;
    this.#counters = options.counters ?? new Counters();
    const context = {
      clock,
      random: () => options.random(),
      limits: this.#limits,
      log,
      counters: this.#counters,
      onClosed: (ref: Required<LedgerRef>) => this.#announce(ref),
      onState: () => {
        for (const wake of [...this.#stateWaiters]) wake();
      },
    };
    this.#endpoints = [...new Set(options.urls)].map((url) => new Endpoint(url, context));
    this.name = this.#endpoints.map((endpoint) => endpoint.name).join(', ');
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

  /** Resolves when the first endpoint is up; tries for as long as it takes. */
  async open(): Promise<void> {
    for (const endpoint of this.#endpoints) endpoint.start();
    while (!this.#closed && !this.#endpoints.some((endpoint) => endpoint.up)) await this.#stateChange();
    if (this.#closed) throw new SourceError('closed', 'node source: closed while opening');
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const endpoint of this.#endpoints) endpoint.stop();
    for (const wake of [...this.#stateWaiters]) wake();
  }

  /** One endpoint far ahead of all others is not believed. */
  latest(): LedgerRef | undefined {
    const newest = this.#endpoints
      .map((endpoint) => ({ endpoint, index: endpoint.latest ?? 0 }))
      .filter(({ index }) => index > 0)
      .sort((a, b) => b.index - a.index);
    const [first, second] = newest;
    if (!first) return undefined;
    const { endpoint, index } = second && first.index - second.index > this.#limits.leap ? second : first;
    const hash = endpoint.announced(index);
    return hash === undefined ? { index } : { index, hash: Buffer.from(hash, 'hex') };
  }

  range(): LedgerRange | undefined {
    const last = this.latest()?.index;
    if (last === undefined) return undefined;
    let first = last;
    for (const endpoint of this.#endpoints)
      for (const range of endpoint.up ? endpoint.ranges : [])
        if (range.last >= last - this.#limits.announcements) first = Math.min(first, range.first);
    return { first, last };
  }

  async ledger(index: number): Promise<PackedLedger> {
    const command = {
      command: 'ledger',
      ledger_index: index,
      binary: true,
      transactions: true,
      expand: true,
    } satisfies LedgerRequest;
    return this.#ask(index, true, async (endpoint) => {
      const packed = await this.#ledgerFrom(endpoint, index, command);
      if (this.#serving !== endpoint) {
        if (this.#serving) this.#counters.endpointSwitches++;
        this.#serving = endpoint;
      }
      return packed;
    });
  }

  refuse(ledger: PackedLedger, reason: string): void {
    this.#givers.get(ledger)?.lied(`ledger ${ledger.ledgerIndex}: ${reason}`);
  }

  onClosed(listener: (ref: LedgerRef) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async snapshot(ref: LedgerRef, resume?: SnapshotResume): Promise<Snapshot> {
    const command = { command: 'ledger', ledger_index: ref.index, binary: true } satisfies LedgerRequest;
    return this.#ask(ref.index, false, async (endpoint) => {
      const packed = await this.#ledgerFrom(endpoint, ref.index, command);
      if (ref.hash && hexOf(ref.hash) !== hexOf(packed.hash))
        throw new SourceError('false', `ledger ${ref.index} has another hash than asked for`);
      const pages = snapshotPages({
        endpoint,
        header: packed.header,
        hash: packed.hash,
        resume,
        limits: this.#limits,
        clock: this.#options.clock,
        closed: () => this.#closed,
      });
      return { header: packed.header, hash: packed.hash, pages };
    });
  }

  async request(command: NodeCommand): Promise<Json> {
    if (SESSION_COMMANDS.has(command.command))
      throw new SourceError('refused', `${command.command} belongs to a session`);
    const response = await this.#ask(0, false, (endpoint) =>
      endpoint.request(command, this.#limits.requestTimeout),
    );
    if (response.status === 'success' && typeof response.result === 'object' && response.result !== null)
      return response.result as Json;
    const { id: _ours, type: _type, ...error } = response;
    return error;
  }

  /** Endpoints worth asking, best first: those that claim the ledger, then the rest, by score. */
  #candidates(index: number): Endpoint[] {
    const rank = (endpoint: Endpoint) => (index === 0 || endpoint.claims(index) ? 0 : 1);
    return this.#endpoints
      .filter((endpoint) => endpoint.up)
      .sort((a, b) => rank(a) - rank(b) || a.score - b.score);
  }

  /**
   * Asks one endpoint after the other until one delivers: the next when one has failed, and also, with `hedge`, when
   * one lets wait. The first answer counts.
   */
  #ask<T>(index: number, hedge: boolean, use: (endpoint: Endpoint) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new SourceError('closed', 'node source: closed'));
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const tried = new Set<Endpoint>();
    let running = 0;
    let settled = false;
    let last: unknown = new SourceError('unreachable', 'node source: no endpoint is up');
    const next = () => {
      if (settled) return;
      const endpoint = this.#candidates(index).find((candidate) => !tried.has(candidate));
      if (!endpoint) {
        if (running === 0) reject(last);
        return;
      }
      tried.add(endpoint);
      running++;
      const cancel = hedge ? this.#options.clock.timer(this.#limits.hedge, next) : () => {};
      use(endpoint)
        .then(
          (value) => {
            settled = true;
            resolve(value);
          },
          (error) => {
            last = error;
            if (error instanceof SourceError) this.#blame(endpoint, error);
            else reject(error);
          },
        )
        .finally(() => {
          cancel();
          running--;
          next();
        });
    };
    next();
    return promise;
  }

  #blame(endpoint: Endpoint, error: SourceError): void {
    if (error.code === 'false' || error.code === 'malformed') endpoint.lied(error.message);
    else endpoint.failed();
  }

  async #ledgerFrom(endpoint: Endpoint, index: number, command: NodeCommand): Promise<PackedLedger> {
    const response = await endpoint.request(command, this.#limits.requestTimeout);
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
    this.#givers.set(packed, endpoint);
    return packed;
  }

  #announce(ref: Required<LedgerRef>): void {
    if (this.#heard.has(ref.index)) return;
    this.#heard.add(ref.index);
    if (this.#heard.size > this.#limits.announcements)
      for (const oldest of this.#heard) {
        this.#heard.delete(oldest);
        break;
      }
    for (const listener of [...this.#listeners]) listener(ref);
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
