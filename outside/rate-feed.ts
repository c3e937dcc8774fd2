/**
 * XRP in fiat money from an outside service, for networks whose ledger has no rate. A driver (rate-drivers.ts) describes
 * the address and how prices are read from the answer; the rest is the same for every service and is here: one request a
 * minute, limits of time and size, the age of rates, one report for each series of failures.
 *
 *     every minute: GET url + path -> JSON -> driver.prices -> latest()
 *
 * The engine uses a feed only while the ledger has no rate, and never stores its rates.
 */
import { FIATS, type Fiat, type RateFeed } from '../engine/market/figures.ts';
import { RIPPLE_EPOCH } from '../engine/ripple-time.ts';
import { boundedText, type FetchBounds } from './bounded-fetch.ts';

/** Far below the public limits of such services, which are about one request a second. */
const POLL_MS = 60_000;
/** A rate older than this is no longer used, seconds. */
const RATE_MAX_AGE = 600;
/** Answers with the prices of a few pairs are 1 to 10 KB. */
const BOUNDS: FetchBounds = { timeoutMs: 5_000, bytesMax: 64 * 1024 };

export interface RateDriver {
  /** Its name for `--rate-feed`. */
  readonly name: string;
  /** Base address; users can give another one (`--rate-feed NAME:https://...`). */
  readonly url: string;
  /** Path and query of the request. */
  readonly path: string;
  /** Fiat per XRP, from the parsed JSON of an answer, which is not trusted. @throws Error that describes the fault */
  prices(answer: unknown): Iterable<readonly [fiat: Fiat, price: number]>;
}

interface Rate {
  readonly xrpPerUnit: number;
  /** Ripple epoch seconds. */
  readonly time: number;
}

interface PolledRatesOptions {
  readonly driver: RateDriver;
  /** Base address in place of the driver's. */
  readonly url?: string | undefined;
  /** Unix ms. */
  readonly now: () => number;
  /** Called once each time the feed fails after it worked. */
  readonly onFault: (message: string) => void;
}

export class PolledRates implements RateFeed {
  readonly name: string;
  readonly #options: PolledRatesOptions;
  readonly #rates = new Map<Fiat, Rate>();
  /** Answers taken so far. */
  #taken = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #failing = false;

  constructor(options: PolledRatesOptions) {
    this.name = options.driver.name;
    this.#options = options;
  }

  /** Requests the rates now, then every minute. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.poll(), POLL_MS);
    this.#timer.unref();
    await this.poll();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Each answer counts, and each rate of it that has become too old since. */
  get version(): number {
    let aged = 0;
    for (const { time } of this.#rates.values()) if (this.#isTooOld(time)) aged++;
    return this.#taken * (FIATS.length + 1) + aged;
  }

  latest(fiat: Fiat): Rate | undefined {
    const rate = this.#rates.get(fiat);
    return !rate || this.#isTooOld(rate.time) ? undefined : rate;
  }

  /** One request. After a failure the last rates stay until they are too old. */
  async poll(): Promise<void> {
    const { driver, url, onFault } = this.#options;
    try {
      const text = await boundedText(`${url ?? driver.url}${driver.path}`, BOUNDS);
      this.#store(driver.prices(JSON.parse(text)));
      this.#failing = false;
    } catch (fault) {
      if (!this.#failing) onFault(`${this.name}: ${(fault as Error).message}`);
      this.#failing = true;
    }
  }

  #store(prices: Iterable<readonly [Fiat, number]>): void {
    const time = this.#seconds();
    let stored = 0;
    for (const [fiat, price] of prices) {
      if (!(price > 0) || !Number.isFinite(1 / price)) continue;
      this.#rates.set(fiat, { xrpPerUnit: 1 / price, time });
      stored++;
    }
    if (stored === 0) throw new Error('an answer without a price');
    this.#taken++;
  }

  #isTooOld(time: number): boolean {
    return this.#seconds() - time > RATE_MAX_AGE;
  }

  #seconds(): number {
    return Math.floor(this.#options.now() / 1000) - RIPPLE_EPOCH;
  }
}
