/**
 * How long an endpoint may take to answer, learned from how long it did take: TCP's estimator (RFC 6298). The time-out
 * is the smoothed response time and four times its mean deviation, between two bounds; each time-out doubles it until an
 * answer shows what is true. So a far or busy node is waited for, and a near one that hangs is not waited for long.
 */
export interface ResponseBounds {
  /** Shortest and longest time-out, ms. */
  readonly requestTimeout: number;
  readonly requestTimeoutMost: number;
  /** Response time assumed before the first answer, ms. */
  readonly latencyGuess: number;
}

/** Shares of the newest sample in the two means, and deviations that are waited for: the figures of RFC 6298. */
const SMOOTHING = 1 / 8;
const DEVIATION_SMOOTHING = 1 / 4;
const DEVIATIONS = 4;

export class ResponseTime {
  readonly #bounds: ResponseBounds;
  #smoothed: number | undefined;
  #deviation = 0;
  #timeout: number;

  constructor(bounds: ResponseBounds) {
    this.#bounds = bounds;
    this.#timeout = bounds.requestTimeout;
  }

  /** ms to wait for the next answer. */
  get timeout(): number {
    return this.#timeout;
  }

  /** Smoothed response time, ms. */
  get latency(): number {
    return this.#smoothed ?? this.#bounds.latencyGuess;
  }

  /** An answer came after `ms`, in time or not. */
  answered(ms: number): void {
    if (this.#smoothed === undefined) {
      this.#smoothed = ms;
      this.#deviation = ms / 2;
    } else {
      this.#deviation += (Math.abs(ms - this.#smoothed) - this.#deviation) * DEVIATION_SMOOTHING;
      this.#smoothed += (ms - this.#smoothed) * SMOOTHING;
    }
    this.#set(this.#smoothed + DEVIATIONS * this.#deviation);
  }

  /** No answer came in time. */
  expired(): void {
    this.#set(this.#timeout * 2);
  }

  #set(ms: number): void {
    const { requestTimeout, requestTimeoutMost } = this.#bounds;
    this.#timeout = Math.min(Math.max(ms, requestTimeout), requestTimeoutMost);
  }
}
