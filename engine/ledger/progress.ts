/** Progress and speed of the follow loop. */
import type { Clock } from './clock.ts';

/** Minimum time between two reports, and the period of the measured rate, in ms. */
const REPORT_EVERY = 1_000;
const RATE_SPAN = 10_000;

export interface FollowProgress {
  /** Ledgers emitted since the follower started. */
  readonly done: number;
  /** Ledgers to emit from its start to the newest known, without gaps. Grows while the network runs. */
  readonly total: number;
  /** Ledgers per second, over the last seconds. */
  readonly rate: number;
  /** Seconds until it has caught up at this rate; 0 when it has caught up, undefined while the rate is unknown. */
  readonly eta: number | undefined;
}

export class Progress {
  readonly #clock: Clock;
  readonly #listener: ((progress: FollowProgress) => void) | undefined;
  /** (time, ledgers done), oldest first, at most RATE_SPAN old. */
  readonly #marks: { at: number; done: number }[];
  #reportedAt: number;
  #caughtUp = false;

  constructor(clock: Clock, listener: ((progress: FollowProgress) => void) | undefined) {
    this.#clock = clock;
    this.#listener = listener;
    this.#reportedAt = clock.now();
    this.#marks = [{ at: this.#reportedAt, done: 0 }];
  }

  /** @param caughtUp all known ledgers are done: reported immediately, but only once in a row. */
  report(done: number, remaining: number, caughtUp: boolean): void {
    if (!this.#listener) return;
    const at = this.#clock.now();
    if (caughtUp ? this.#caughtUp : at - this.#reportedAt < REPORT_EVERY) {
      if (!caughtUp) this.#caughtUp = false;
      return;
    }
    this.#caughtUp = caughtUp;
    this.#reportedAt = at;
    this.#marks.push({ at, done });
    while (this.#marks.length > 2 && at - this.#marks[0]!.at > RATE_SPAN) this.#marks.shift();
    const first = this.#marks[0]!;
    const rate = at > first.at ? ((done - first.done) * 1000) / (at - first.at) : 0;
    const eta = remaining === 0 ? 0 : rate > 0 ? remaining / rate : undefined;
    this.#listener({ done, total: done + remaining, rate, eta });
  }
}
