/**
 * How long an event loop is blocked: the largest lateness of a 2 ms timer, by the clock of the same thread. On a shared
 * machine part of that is caused by the scheduler: `waited` (total ms that this thread has waited for a core) separates
 * the two. It is read only for long stalls, since reading it takes a system call.
 */
import { readFileSync } from 'node:fs';

const EVERY_MS = 2;
const READ_WAITED_ABOVE_MS = 10;

export class StallMeter {
  /** ms. */
  longest = 0;
  /** ms, without the time the thread waited for a core. */
  longestOwn = 0;
  readonly #waited: () => number;
  #last = performance.now();
  #lastWaited: number;
  #timer: ReturnType<typeof setTimeout>;

  constructor(waited: () => number = waitedForCore) {
    this.#waited = waited;
    this.#lastWaited = waited();
    this.#timer = setTimeout(() => this.#tick(), EVERY_MS);
  }

  reset(): void {
    this.longest = 0;
    this.longestOwn = 0;
  }

  /** Stops the meter. @returns the longest stall, ms */
  stop(): number {
    clearTimeout(this.#timer);
    return this.longest;
  }

  #tick(): void {
    const now = performance.now();
    const late = now - this.#last - EVERY_MS;
    this.longest = Math.max(this.longest, late);
    if (late > READ_WAITED_ABOVE_MS || late > this.longestOwn) {
      const waited = this.#waited();
      this.longestOwn = Math.max(this.longestOwn, late - (waited - this.#lastWaited));
      this.#lastWaited = waited;
    }
    this.#last = now;
    this.#timer = setTimeout(() => this.#tick(), EVERY_MS);
  }
}

/** ms that this thread was ready to run and did not get a core; 0 where the system does not report it. */
export function waitedForCore(): number {
  return schedulerTime(1) ?? 0;
}

/** CPU time of this thread in ms; that of the whole process where the system does not report it per thread. */
export function onCore(): number {
  const { user, system } = process.cpuUsage();
  return schedulerTime(0) ?? (user + system) / 1000;
}

/** A field of the thread's scheduler statistics, in ms. */
function schedulerTime(field: 0 | 1): number | undefined {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[field]) / 1e6;
  } catch {
    return undefined;
  }
}
