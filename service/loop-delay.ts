/**
 * How long the main thread was held up lately: requests and sockets wait for so long. A timer of the runtime measures how
 * late it is; figures are of the last full minute and the present one, so that an old stall does not stand for ever.
 *
 * Cost: 50 measurements a second in the runtime's own code.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { MetricSample } from '../api/metrics.ts';

const RESOLUTION_MS = 20;
const WINDOW_MS = 60_000;
const QUANTILES = [0.5, 0.99] as const;
const NS = 1e9;

export class LoopDelay {
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #timer: ReturnType<typeof setInterval>;
  /** Longest delay of the full minute before, seconds. */
  #before = 0;

  constructor() {
    this.#delays.enable();
    this.#timer = setInterval(() => this.rotate(), WINDOW_MS);
    this.#timer.unref();
  }

  /** Seconds; 0 before the first measurement. */
  get longest(): number {
    return Math.max(this.#before, this.#now);
  }

  /** Begins the next minute. */
  rotate(): void {
    this.#before = this.#now;
    this.#delays.reset();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#delays.disable();
  }

  samples(): MetricSample[] {
    const isMeasured = this.#delays.count > 0;
    const quantiles = QUANTILES.map((quantile) => ({
      labels: { quantile: String(quantile) },
      value: isMeasured ? this.#delays.percentile(quantile * 100) / NS : 0,
    }));
    return [
      {
        type: 'gauge',
        name: 'main_thread_delay_seconds',
        help: 'How long work waited for the main thread, this minute',
        values: quantiles,
      },
      {
        type: 'gauge',
        name: 'main_thread_stall_seconds',
        help: 'Longest time that the main thread was held up, this minute and the one before',
        values: [{ value: this.longest }],
      },
    ];
  }

  get #now(): number {
    return this.#delays.count > 0 ? this.#delays.max / NS : 0;
  }
}
