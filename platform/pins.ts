/**
 * Media that clients ask to keep: content of IPFS, pinned at the node that the operator runs.
 *
 *     request -> queued (stored) -> AT_ONCE at a time: pin/add -> pinned
 *                                          `- fails: again after 1, then 10 minutes -> failed, until it is asked for again
 *
 * Goals: what was taken into the queue is pinned, or said to have failed, whatever happens to this process; a flood of
 * requests is refused and does no harm. Non-goals: unpinning, and how much the node keeps: the operator sets its StorageMax.
 * Cost: a row of some 200 bytes each; those that wait are in memory.
 */
import type { Collection, PlatformStore } from './store.ts';

/** Keeps content. Errors say in one line why it cannot. */
export interface PinningNode {
  /** Resolves when all of it is there and kept. */
  pin(cid: string): Promise<void>;
  /** Whether it is kept now; undefined: the node does not say. */
  isPinned(cid: string): Promise<boolean | undefined>;
}

export const PIN_STATUSES = ['queued', 'pinning', 'pinned', 'failed'] as const;

export interface Pin {
  readonly status: 'queued' | 'pinned' | 'failed';
  /** Unix ms. */
  readonly requestedAt: number;
  readonly pinnedAt?: number;
  readonly attempts: number;
  /** Why the last attempt failed. */
  readonly error?: string;
}

export const PIN_COLLECTION: Collection<Pin> = {
  name: 'pins',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 1024, rows: 200_000 },
  indexes: { waiting: { unique: false, keys: ({ status }) => (status === 'queued' ? [['queued']] : []) } },
};
export const PIN_COLLECTIONS = [PIN_COLLECTION as Collection<unknown>];

const WAITING_MAX = 1000;
/** The node fetches from the network: most of that is waiting. */
const AT_ONCE = 4;
/** Questions to the node at a time. */
const ASKED_MAX = 32;
const RETRIES_MS = [60_000, 600_000] as const;
const ERROR_MAX = 200;

/** As much waits as may. */
export class PinsFullError extends Error {
  override readonly name = 'PinsFullError';
}

export interface PinsParts {
  readonly node: PinningNode;
  /** Unix ms. */
  readonly now: () => number;
  /** After a failed attempt, each; then it has failed. */
  readonly retriesMs?: readonly number[];
}

export class Pins {
  readonly #node: PinningNode;
  readonly #now: () => number;
  readonly #retriesMs: readonly number[];
  #store: PlatformStore | undefined;
  /** In the order in which they were asked for. */
  readonly #waiting = new Set<string>();
  /** Of those that wait for another attempt, too: they have a place in the queue. */
  readonly #timers = new Map<string, Timer>();
  readonly #running = new Set<string>();
  /** Questions whether something is kept. */
  readonly #asked = new Map<string, Promise<boolean | undefined>>();
  #closed = false;

  constructor({ node, now, retriesMs = RETRIES_MS }: PinsParts) {
    this.#node = node;
    this.#now = now;
    this.#retriesMs = retriesMs;
  }

  /** From now on they are kept there; what waited is taken up. */
  attach(store: PlatformStore): void {
    this.#store = store;
    store.walkIndex(PIN_COLLECTION, 'waiting', { prefix: ['queued'] }, (_, [cid]) => {
      this.#waiting.add(String(cid));
      return true;
    });
    this.#start();
  }

  get isAttached(): boolean {
    return this.#store !== undefined;
  }

  /** What was asked for, and what became of it. */
  of(cid: string): (Omit<Pin, 'status'> & { readonly status: (typeof PIN_STATUSES)[number] }) | undefined {
    const pin = this.#store?.get(PIN_COLLECTION, [cid]);
    return pin && (this.#running.has(cid) ? { ...pin, status: 'pinning' } : pin);
  }

  /** Resolves when the request is durable. What is pinned or waits already stays as it is. @throws PinsFullError, PlatformError */
  async request(cid: string): Promise<void> {
    const known = this.#store!.get(PIN_COLLECTION, [cid]);
    if (known && known.status !== 'failed') return;
    if (this.#waiting.size + this.#running.size + this.#timers.size >= WAITING_MAX)
      throw new PinsFullError(`${WAITING_MAX} wait`);
    this.#waiting.add(cid);
    try {
      await this.#write(cid, { status: 'queued', requestedAt: this.#now(), attempts: 0 });
    } catch (fault) {
      this.#waiting.delete(cid);
      throw fault;
    }
    this.#start();
  }

  /** Whether the node keeps it, whoever asked for it; undefined: it does not say, or is being asked too much. */
  isKept(cid: string): Promise<boolean | undefined> {
    const running = this.#asked.get(cid);
    if (running) return running;
    if (this.#asked.size >= ASKED_MAX) return Promise.resolve(undefined);
    const asked = this.#node.isPinned(cid).finally(() => this.#asked.delete(cid));
    this.#asked.set(cid, asked);
    return asked;
  }

  /** Begins no more; what waits is taken up after the next start. */
  close(): void {
    this.#closed = true;
    this.#waiting.clear();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #start(): void {
    for (const cid of this.#waiting) {
      if (this.#running.size >= AT_ONCE) return;
      this.#waiting.delete(cid);
      this.#running.add(cid);
      void this.#run(cid).catch(() => this.#notStored(cid));
    }
  }

  async #run(cid: string): Promise<void> {
    const error = await this.#node.pin(cid).then(
      () => undefined,
      (fault: Error) => fault.message.slice(0, ERROR_MAX) || 'it failed',
    );
    if (this.#closed) return;
    const before = this.#store!.get(PIN_COLLECTION, [cid])!;
    const attempts = before.attempts + 1;
    const { requestedAt } = before;
    const wait = this.#retriesMs[attempts - 1];
    if (error === undefined)
      await this.#write(cid, { status: 'pinned', requestedAt, attempts, pinnedAt: this.#now() });
    else
      await this.#write(cid, {
        status: wait === undefined ? 'failed' : 'queued',
        requestedAt,
        attempts,
        error,
      });
    this.#running.delete(cid);
    if (error !== undefined && wait !== undefined && !this.#closed) this.#later(cid, wait);
    this.#start();
  }

  /** What became of it could not be stored: it is in the queue still, and tried again as after a failed attempt. */
  #notStored(cid: string): void {
    this.#running.delete(cid);
    if (!this.#closed) this.#later(cid, this.#retriesMs[0] ?? RETRIES_MS[0]);
    this.#start();
  }

  #later(cid: string, ms: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(cid);
      this.#waiting.add(cid);
      this.#start();
    }, ms);
    timer.unref();
    this.#timers.set(cid, timer);
  }

  #write(cid: string, pin: Pin): Promise<void> {
    return this.#store!.transaction((transaction) => transaction.put(PIN_COLLECTION, [cid], pin));
  }
}
