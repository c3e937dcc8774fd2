/**
 * XRP in fiat from Kraken's public REST interface, for networks whose ledger has no rate.
 *
 * Wire: `GET /0/public/Ticker?pair=XRPUSD,XRPEUR,XRPJPY` answers `{ error: [], result: { XXRPZUSD: { c: ["0.52",
 * "100"] } } }`; `c[0]` is the price of the last trade. Kraken names the pair in its own way (XXRPZUSD, XRPJPY), so
 * a pair is recognised by its ending. https://docs.kraken.com/api/docs/rest-api/get-ticker-information
 *
 * The engine uses a feed only while the ledger has no rate, and never stores its rates.
 */
import { FIATS, type Fiat, type RateFeed } from '../engine/market/figures.ts';
import { RIPPLE_EPOCH } from '../engine/ripple-time.ts';
import { boundedText, type FetchBounds } from './bounded-fetch.ts';

/** One request per minute: far below the public limit of about one request a second. */
const POLL_MS = 60_000;
/** A rate older than this is no longer used, seconds. */
const RATE_MAX_AGE = 600;
/** Three pairs are about 1 KB. */
const BOUNDS: FetchBounds = { timeoutMs: 5_000, bytesMax: 64 * 1024 };
const PAIRS = 'XRPUSD,XRPEUR,XRPJPY';

export const KRAKEN_URL = 'https://api.kraken.com';

interface Rate {
  readonly xrpPerUnit: number;
  /** Ripple epoch seconds. */
  readonly time: number;
}

export interface KrakenOptions {
  /** Base address; another one in tests. */
  readonly url?: string;
  /** Unix ms. */
  readonly now: () => number;
  /** Called once each time the feed fails after it worked. */
  readonly onFault: (message: string) => void;
}

export class KrakenRates implements RateFeed {
  readonly name = 'kraken';
  readonly #options: KrakenOptions;
  readonly #rates = new Map<Fiat, Rate>();
  /** Answers taken so far. */
  #taken = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #failing = false;

  constructor(options: KrakenOptions) {
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
    try {
      const url = `${this.#options.url ?? KRAKEN_URL}/0/public/Ticker?pair=${PAIRS}`;
      const text = await boundedText(url, BOUNDS);
      this.#store(JSON.parse(text));
      this.#failing = false;
    } catch (fault) {
      if (!this.#failing) this.#options.onFault(`kraken: ${(fault as Error).message}`);
      this.#failing = true;
    }
  }

  #store(answer: unknown): void {
    const { error, result } = (answer ?? {}) as { error?: unknown; result?: unknown };
    if (Array.isArray(error) && error.length > 0) throw new Error(String(error[0]));
    if (typeof result !== 'object' || result === null) throw new Error('an answer without result');
    let stored = 0;
    for (const [pair, ticker] of Object.entries(result)) {
      const fiat = FIATS.findIndex((name) => pair.endsWith(name));
      const last = (ticker as { c?: unknown })?.c;
      const price = Array.isArray(last) ? Number(last[0]) : Number.NaN;
      if (fiat < 0 || !(price > 0) || !Number.isFinite(1 / price)) continue;
      this.#rates.set(fiat as Fiat, { xrpPerUnit: 1 / price, time: this.#seconds() });
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
