/**
 * The order in which waiting requests are answered.
 *
 *     socket ──► flow queue ─┐
 *     socket ──► flow queue ─┼─► flows whose requests are short ─┐  half of the time each,
 *     HTTP ────► flow queue ─┘   all other flows ────────────────┴─ while both wait ──► for TIME_SLICE_MS, then timers
 *
 * Goals: ledgers close on time under any load, because a time slice is short; a client that sends few requests is
 * answered at once, however many clients send many. Flows share the thread's time, not the number of requests: the flow
 * that has used the least time is served next (start-time fair queueing, Goyal, Vin, Cheng 1996). Non-goal: interrupting
 * a request. Commands are short, or yield to the event loop themselves.
 *
 * Cost: each request looks at every flow that is waiting.
 */
import { yieldToLoop } from '../../engine/event-loop.ts';

/** Requests are started for this long; a timer is late by this and by one request at most. */
const TIME_SLICE_MS = 8;
/** A flow whose requests take less counts as short. A new flow does not, until its requests have been measured. */
const SHORT_MS = 10;
const INITIAL_EXPECTED_MS = 50;
/** Weight of the newest request in the expected time of the next one. A slow one may have waited for a processor core. */
const WEIGHT_WHEN_SHORTER = 0.5;
const WEIGHT_WHEN_LONGER = 0.1;

/** Calls `go` with a value, at once or when the promise resolves. */
export function after<T, U>(value: T | Promise<T>, go: (value: T) => U): U | Promise<U> {
  return value instanceof Promise ? value.then(go) : go(value);
}

/** Requests that are served as one flow: those of a socket, or all requests over HTTP. */
export class FlowQueue {
  /** Requests of the flow that may run at the same time; 1 keeps them in order. */
  readonly concurrency: number;
  /** Requests that wait, in the order they came. */
  readonly waiting: (() => void | Promise<void>)[] = [];
  running = 0;
  /** Expected time of its next request, ms. */
  expected = INITIAL_EXPECTED_MS;
  group: FlowGroup | undefined;
  /** Time of the thread that it has used in its group, ms. */
  used = 0;

  constructor(atOnce = 1) {
    this.concurrency = atOnce;
  }
}

/** Flows that have a request to start. */
class FlowGroup {
  readonly flows = new Set<FlowQueue>();
  /** What the flow that was served last had used before. */
  #floor = 0;

  add(flow: FlowQueue): void {
    // Idle time gives no credit.
    flow.used = flow.group === this ? Math.max(flow.used, this.#floor) : this.#floor;
    flow.group = this;
    this.flows.add(flow);
  }

  /** Takes out the flow that has used least; of several, the one that has waited longest. */
  take(): FlowQueue {
    let next: FlowQueue | undefined;
    for (const flow of this.flows) if (next === undefined || flow.used < next.used) next = flow;
    this.flows.delete(next!);
    this.#floor = next!.used;
    return next!;
  }
}

export class FairScheduler {
  readonly #now: () => number;
  readonly #short = new FlowGroup();
  readonly #long = new FlowGroup();
  /** How much more time the flows of short requests have had than the others, ms. */
  #ahead = 0;
  #isArmed = false;

  /** @param now monotonic milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Runs `work` when its flow is served. The time until its first `await` is charged to the flow.
   * @returns the result of `work`; it never settles if the flow was removed before
   */
  run<T>(flow: FlowQueue, work: () => T | Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    flow.waiting.push(() => {
      try {
        const result = work();
        if (result instanceof Promise) return result.then(resolve, reject);
        resolve(result);
      } catch (fault) {
        reject(fault);
      }
    });
    this.#admit(flow);
    return promise;
  }

  /** Drops all waiting requests of a flow. */
  remove(flow: FlowQueue): void {
    flow.waiting.length = 0;
    flow.group?.flows.delete(flow);
  }

  get #isWaiting(): boolean {
    return this.#short.flows.size + this.#long.flows.size > 0;
  }

  #admit(flow: FlowQueue): void {
    const isListed = flow.group?.flows.has(flow) ?? false;
    if (isListed || flow.waiting.length === 0 || flow.running >= flow.concurrency) return;
    (flow.expected < SHORT_MS ? this.#short : this.#long).add(flow);
    this.#arm();
  }

  #arm(): void {
    if (this.#isArmed || !this.#isWaiting) return;
    this.#isArmed = true;
    void yieldToLoop().then(() => this.#timeSlice());
  }

  #timeSlice(): void {
    this.#isArmed = false;
    let time = this.#now();
    const until = time + TIME_SLICE_MS;
    while (this.#isWaiting && time < until) time = this.#serve(time);
    this.#arm();
  }

  /** Starts one request. @returns the time after it */
  #serve(startedAt: number): number {
    const [short, long] = [this.#short, this.#long];
    // While only one of the groups waits, it has no debt to the other.
    if (short.flows.size === 0 || long.flows.size === 0) this.#ahead = 0;
    const queue = long.flows.size === 0 || (short.flows.size > 0 && this.#ahead <= 0) ? short : long;
    const flow = queue.take();
    flow.running++;
    const result = flow.waiting.shift()!();
    const now = this.#now();
    const elapsed = now - startedAt;
    this.#ahead += queue === short ? elapsed : -elapsed;
    flow.used += elapsed;
    flow.expected +=
      (elapsed - flow.expected) * (elapsed < flow.expected ? WEIGHT_WHEN_SHORTER : WEIGHT_WHEN_LONGER);
    const ended = (): void => {
      flow.running--;
      this.#admit(flow);
    };
    if (result === undefined) ended();
    else {
      void result.then(ended);
      this.#admit(flow);
    }
    return now;
  }
}
