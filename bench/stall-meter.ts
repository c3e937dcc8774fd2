/**
 * How long an event loop stands still: the largest lateness of a 2 ms timer, by the clock of the same thread.
 * On a machine that others use, part of that is the scheduler's: `waited` (ms this thread has ever waited for a core)
 * lets the two be told apart. It is read only at a stall worth telling, since reading it takes a system call.
 */
import { readFileSync } from 'node:fs';

const EVERY_MS = 2;
const WORTH_TELLING_MS = 10;

export class StallMeter {
  /** ms. */
  longest = 0;
  /** ms, without what the thread waited for a core. */
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

  /** Ends it. @returns the longest stall, ms */
  stop(): number {
    clearTimeout(this.#timer);
    return this.longest;
  }

  #tick(): void {
    const now = performance.now();
    const late = now - this.#last - EVERY_MS;
    this.longest = Math.max(this.longest, late);
    if (late > WORTH_TELLING_MS || late > this.longestOwn) {
      const waited = this.#waited();
      this.longestOwn = Math.max(this.longestOwn, late - (waited - this.#lastWaited));
      this.#lastWaited = waited;
    }
    this.#last = now;
    this.#timer = setTimeout(() => this.#tick(), EVERY_MS);
  }
}

/** ms that this thread was ready to run and did not get a core, where Linux tells. */
export function waitedForCore(): number {
  return schedulerTime(1) ?? 0;
}

/** ms that this thread has been on a core; where Linux does not tell, that of the whole process. */
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
