/**
 * The one way to share the thread with other work: long computations yield to the event loop between time slices.
 *
 * Goals: requests, sockets and timers wait for one slice at most, whatever runs. Non-goals: priorities (schedulers have
 * those), interrupting a slice. Two measures of a slice: milliseconds, where the clock is at hand (`TimeSlice`), or a
 * count of items, where the same input must be cut at the same places on every machine (`mapInSlices`, generators).
 *
 * Cost: a yield takes about a microsecond while nothing else waits.
 */

/** Resolves after the events that wait have been served: timers, sockets, other immediates. */
export function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Two rounds of the loop: with one, the next slice began before the timers and sockets that became ready in this one were
 * served (longest stall of a replay 65 ms instead of 50).
 */
export async function yieldTwice(): Promise<void> {
  await yieldToLoop();
  await yieldToLoop();
}

/** Bounds by time how long work runs before it yields. */
export class TimeSlice {
  readonly #ms: number;
  readonly #now: () => number;
  #startedAt: number;

  /** @param ms length of a slice. @param now monotonic milliseconds */
  constructor(ms: number, now: () => number) {
    this.#ms = ms;
    this.#now = now;
    this.#startedAt = now();
  }

  /** Yields where the slice is used up, and begins the next one. undefined: go on, there is time left. */
  pause(): Promise<void> | undefined {
    if (this.#now() - this.#startedAt < this.#ms) return undefined;
    return this.#yield();
  }

  async #yield(): Promise<void> {
    await yieldTwice();
    this.#startedAt = this.#now();
  }
}

/** Pieces of work that many ask for: a number in each turn of the event loop, in the order in which they were asked for. */
export class Turns {
  readonly #perTurn: number;
  readonly #waiting: (() => void)[] = [];
  /** Places of this turn that are not taken. */
  #left: number;
  #hasNext = false;

  constructor(perTurn: number) {
    this.#perTurn = perTurn;
    this.#left = perTurn;
  }

  /** Takes a place in this turn. @returns whether there was one that nobody waits for */
  take(): boolean {
    if (this.#left === 0) return false;
    this.#left -= 1;
    this.#plan();
    return true;
  }

  /** Resolves with a place in this turn or a later one. */
  wait(): Promise<void> {
    if (this.take()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #plan(): void {
    if (this.#hasNext) return;
    this.#hasNext = true;
    setImmediate(() => this.#next());
  }

  #next(): void {
    this.#hasNext = false;
    // Who waits comes before who asks in this turn.
    const resumed = this.#waiting.splice(0, this.#perTurn);
    this.#left = this.#perTurn - resumed.length;
    if (resumed.length > 0) this.#plan();
    for (const resume of resumed) resume();
  }
}

/** `make` of every item; yields after each `slice` items. */
export async function mapInSlices<T, R>(
  items: ArrayLike<T>,
  slice: number,
  make: (item: T) => R,
): Promise<R[]> {
  const made: R[] = [];
  for (let i = 0; i < items.length; i++) {
    if (i > 0 && i % slice === 0) await yieldToLoop();
    made.push(make(items[i]!));
  }
  return made;
}

/** A computation that yields between slices; its caller decides what runs in between. */
export type CooperativeTask<T> = Generator<void, T>;

/** Work over rows: yields the number of rows it has passed since the last time. */
export type RowSteps = Generator<number, void>;

/** Rows of a step: up to 4 ms in the most expensive pass. */
export const ROWS_A_STEP = 8192;

/** Runs the whole task without yielding. */
export function runToEnd<T>(task: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = task.next();
    if (done) return value;
  }
}

/** Runs the task, yielding to the event loop between its slices. */
export async function runInSlices<T>(task: Generator<unknown, T>): Promise<T> {
  for (;;) {
    const { done, value } = task.next();
    if (done) return value;
    await yieldToLoop();
  }
}
