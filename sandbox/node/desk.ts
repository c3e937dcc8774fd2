/**
 * Whose request is answered next.
 *
 *     socket ──► lane ─┐
 *     socket ──► lane ─┼─► those whose requests are quick ─┐  half of the time each,
 *     HTTP ────► lane ─┘   all others ─────────────────────┴─ while both wait ──► for TURN_MS, then timers and sockets
 *
 * Goals: ledgers close at their pace whatever is asked, for a turn is short; who asks little is answered at once beside
 * any number who ask much. Lanes share the thread's time, not the number of requests: the one that has had least of it
 * begins next (start-time fair queueing, Goyal, Vin, Cheng 1996). Non-goal: cutting a request in two. Commands keep
 * themselves short, or go on in turns of their own.
 *
 * Cost: a look at every lane that waits, for each request.
 */

/** Requests are begun for this long; a timer is late by that and by one request at most. */
const TURN_MS = 8;
/** A lane whose requests take less is among the quick ones. One that is new is not, until it has shown it. */
const QUICK_MS = 10;
const FIRST_MS = 50;
/** How much the newest request counts in what is expected of the next. One that took long may have waited for a core. */
const SHORTER = 0.5;
const LONGER = 0.1;

/** Goes on with a value at once, or when it is there. */
export function after<T, U>(value: T | Promise<T>, go: (value: T) => U): U | Promise<U> {
  return value instanceof Promise ? value.then(go) : go(value);
}

/** Those who share a place in line: a socket, or all requests over HTTP. */
export class Lane {
  /** Requests that may be under way at once; 1 keeps them in order. */
  readonly atOnce: number;
  /** What waits, in the order it came. */
  readonly waiting: (() => void | Promise<void>)[] = [];
  underWay = 0;
  /** What its next request is expected to take, ms. */
  expected = FIRST_MS;
  queue: Queue | undefined;
  /** The thread's time it has had in its queue, ms. */
  used = 0;

  constructor(atOnce = 1) {
    this.atOnce = atOnce;
  }
}

/** Lanes that have something to begin. */
class Queue {
  readonly lanes = new Set<Lane>();
  /** What the lane that was served last had used before. */
  #floor = 0;

  add(lane: Lane): void {
    // Time that nobody asked for is no credit.
    lane.used = lane.queue === this ? Math.max(lane.used, this.#floor) : this.#floor;
    lane.queue = this;
    this.lanes.add(lane);
  }

  /** Takes out the lane that has used least, of several the one that has waited longest. */
  take(): Lane {
    let next: Lane | undefined;
    for (const lane of this.lanes) if (next === undefined || lane.used < next.used) next = lane;
    this.lanes.delete(next!);
    this.#floor = next!.used;
    return next!;
  }
}

export class Desk {
  readonly #now: () => number;
  readonly #quick = new Queue();
  readonly #slow = new Queue();
  /** The time by which the quick ones are ahead of the others, ms. */
  #ahead = 0;
  #isArmed = false;

  /** @param now monotonic milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Does something when its lane's turn has come. What it does before its first `await` is held against the lane.
   * @returns what came of it; it stays open where the lane has left before
   */
  run<T>(lane: Lane, work: () => T | Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    lane.waiting.push(() => {
      try {
        const result = work();
        if (result instanceof Promise) return result.then(resolve, reject);
        resolve(result);
      } catch (fault) {
        reject(fault);
      }
    });
    this.#admit(lane);
    return promise;
  }

  /** Forgets what a lane waits for. */
  leave(lane: Lane): void {
    lane.waiting.length = 0;
    lane.queue?.lanes.delete(lane);
  }

  get #waits(): boolean {
    return this.#quick.lanes.size + this.#slow.lanes.size > 0;
  }

  #admit(lane: Lane): void {
    const isListed = lane.queue?.lanes.has(lane) ?? false;
    if (isListed || lane.waiting.length === 0 || lane.underWay >= lane.atOnce) return;
    (lane.expected < QUICK_MS ? this.#quick : this.#slow).add(lane);
    this.#arm();
  }

  #arm(): void {
    if (this.#isArmed || !this.#waits) return;
    this.#isArmed = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isArmed = false;
    let time = this.#now();
    const until = time + TURN_MS;
    while (this.#waits && time < until) time = this.#serve(time);
    this.#arm();
  }

  /** Begins one request. @returns the time after it */
  #serve(began: number): number {
    const [quick, slow] = [this.#quick, this.#slow];
    // Where only some wait nobody is owed anything.
    if (quick.lanes.size === 0 || slow.lanes.size === 0) this.#ahead = 0;
    const queue = slow.lanes.size === 0 || (quick.lanes.size > 0 && this.#ahead <= 0) ? quick : slow;
    const lane = queue.take();
    lane.underWay++;
    const going = lane.waiting.shift()!();
    const now = this.#now();
    const took = now - began;
    this.#ahead += queue === quick ? took : -took;
    lane.used += took;
    lane.expected += (took - lane.expected) * (took < lane.expected ? SHORTER : LONGER);
    const ended = (): void => {
      lane.underWay--;
      this.#admit(lane);
    };
    if (going === undefined) ended();
    else {
      void going.then(ended);
      this.#admit(lane);
    }
    return now;
  }
}
