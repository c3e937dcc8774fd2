/**
 * The time-out of an endpoint's requests, estimated from its response times with the estimator of TCP (RFC 6298): the
 * smoothed response time plus four times its mean deviation, between two bounds. Each time-out doubles it until the next
 * answer. So a distant or busy node gets enough time, and a near node that hangs is detected soon.
 */
export interface ResponseBounds {
  /** Shortest and longest time-out, ms. */
  readonly requestTimeout: number;
  readonly requestTimeoutMax: number;
  /** Response time assumed before the first answer, ms. */
  readonly latencyGuess: number;
}

/** Weights of the newest sample in the two means, and the factor of the deviation: the values of RFC 6298. */
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

  /** Time-out of the next request, ms. */
  get timeout(): number {
    return this.#timeout;
  }

  /** Smoothed response time, ms. */
  get latency(): number {
    return this.#smoothed ?? this.#bounds.latencyGuess;
  }

  /** An answer came after `ms`, before or after the time-out. */
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
    const { requestTimeout, requestTimeoutMax } = this.#bounds;
    this.#timeout = Math.min(Math.max(ms, requestTimeout), requestTimeoutMax);
  }
}
