/**
 * The threads that run heavy reads (engine/heavy-reads.ts), over the memory that the main thread writes.
 *
 *     run(name, input) --> queue, bounded --> thread: attaches to the tables, reads under their locks
 *          ^                                     |
 *          `------ described again --------------'  an index was replaced before it could be read
 *
 * Goals: the main thread pays for two small messages, whatever is computed; a caller waits for a bounded time; a task that
 * was cancelled uses a thread only until its next check. Non-goals: recycling threads (they are started at the first heavy
 * read and kept), priorities, terminating a thread: a task reads from a word of shared memory that it was cancelled.
 *
 * Cost of an empty task: about 0.2 ms, of which 0.1 ms to describe and attach.
 */
import { Piscina } from 'piscina';
import {
  type HeavyInput,
  type HeavyReads,
  HeavyReadsBusyError,
  type HeavyResult,
  type HeavyTaskName,
  type ReadDescriptions,
} from '../engine/heavy-reads.ts';
import type { Risk } from '../engine/risk/risk.ts';
import { OvertakenError } from '../engine/state/sequence-lock.ts';
import { describeState, type StateDescription } from '../engine/state/shared-state.ts';
import type { State } from '../engine/state/state.ts';
import type { Traders } from '../engine/traders/traders.ts';

export interface HeavyLimits {
  /** Started at the first heavy read. */
  readonly threads: number;
  /** Tasks that may wait for a thread: at 60 ms for the largest token, two seconds of work. */
  readonly queue: number;
  /** From the call to the result, ms. */
  readonly deadline: number;
}

export const HEAVY_LIMITS: HeavyLimits = { threads: 1, queue: 32, deadline: 5000 };

/** Threads at most: heavy reads are rare, and there is one writer that they must not slow down. */
const THREADS_MAX = 2;

/**
 * @param workers the number of threads that the service may use beside the main one; 0: none, heavy reads run on the
 * calling thread
 */
export function heavyReadPool(workers: number): HeavyReadPool | undefined {
  if (workers === 0) return undefined;
  return new HeavyReadPool({ threads: Math.min(THREADS_MAX, Math.max(1, workers >> 1)) });
}

/** How often a task is described again because an index grew; one that doubles does so once. */
const DESCRIPTIONS_MAX = 3;

/** What a thread gets. */
export interface HeavyRequest extends ReadDescriptions {
  readonly name: HeavyTaskName;
  readonly input: HeavyInput<HeavyTaskName>;
  readonly state: StateDescription;
  /** One word; not 0: cancelled. */
  readonly cancelled: SharedArrayBuffer;
}

type Describe = () => Pick<HeavyRequest, 'state' | keyof ReadDescriptions>;

/** What it returns. Errors lose their class between threads, so those that callers distinguish are named. */
export type HeavyResponse =
  | { readonly kind: 'done'; readonly result: HeavyResult<HeavyTaskName> }
  | { readonly kind: 'outdated' | 'overtaken' | 'cancelled' };

export class HeavyReadPool {
  readonly #limits: HeavyLimits;
  #pool: Piscina<HeavyRequest, HeavyResponse> | undefined;
  #closed = false;

  constructor(limits: Partial<HeavyLimits> = {}) {
    this.#limits = { ...HEAVY_LIMITS, ...limits };
  }

  /** Reads of one network; several networks share the threads. What is not given cannot be read. */
  of(state: State, traders?: Pick<Traders, 'describe'>, risk?: Pick<Risk, 'describe'>): HeavyReads {
    const describe = () => ({
      state: describeState(state),
      ...(traders && { traders: traders.describe() }),
      ...(risk && { risk: risk.describe() }),
    });
    return { run: (name, input, signal) => this.#run(describe, name, input, signal) };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool?.destroy();
  }

  async #run<N extends HeavyTaskName>(
    describe: Describe,
    name: N,
    input: HeavyInput<N>,
    signal?: AbortSignal,
  ): Promise<HeavyResult<N>> {
    signal?.throwIfAborted();
    const cancelled = new SharedArrayBuffer(4);
    const ended = Promise.withResolvers<never>();
    const end = (reason: unknown): void => {
      Atomics.store(new Int32Array(cancelled), 0, 1);
      ended.reject(reason);
    };
    const { deadline } = this.#limits;
    const late = () => end(new HeavyReadsBusyError(`${name} took longer than ${deadline} ms`));
    const timer = setTimeout(late, deadline);
    const onAbort = () => end(signal!.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([this.#attempt(describe, name, input, cancelled), ended.promise]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  async #attempt<N extends HeavyTaskName>(
    describe: Describe,
    name: N,
    input: HeavyInput<N>,
    cancelled: SharedArrayBuffer,
  ): Promise<HeavyResult<N>> {
    for (let described = 0; described < DESCRIPTIONS_MAX; described++) {
      const pool = this.#started();
      if (pool.queueSize >= this.#limits.queue)
        throw new HeavyReadsBusyError(`${pool.queueSize} heavy reads are waiting`);
      const response = await pool.run({ name, input, ...describe(), cancelled }).catch((fault) => {
        throw this.#closed ? new HeavyReadsBusyError('the service is stopping') : fault;
      });
      if (response.kind === 'done') return response.result as HeavyResult<N>;
      if (response.kind !== 'outdated') break;
    }
    throw new OvertakenError(`${name}: the state changed faster than it could be read`);
  }

  #started(): Piscina<HeavyRequest, HeavyResponse> {
    if (this.#closed) throw new HeavyReadsBusyError('the service is stopping');
    const { threads } = this.#limits;
    this.#pool ??= new Piscina({
      filename: new URL('./heavy-reads.worker.ts', import.meta.url).href,
      minThreads: threads,
      maxThreads: threads,
      idleTimeout: Number.POSITIVE_INFINITY,
    });
    return this.#pool;
  }
}
