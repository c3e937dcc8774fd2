/**
 * The price of one unit of fiat money in XRP, from the ledger alone: recent price oracles (OracleSet), else the price of
 * the anchors (anchors.ts) against XRP over the last 60 minutes, kept for ANCHOR_MAX_AGE after the last such trade. When
 * there is neither, the rate is unknown and absent.
 *
 * Anyone may publish an oracle, so oracles are used only where something else confirms them: their median counts when it
 * is within ORACLE_TOLERANCE of the anchors' price, or, without anchors, when ORACLE_OWNERS owners give one. Where that
 * many owners contradict the anchors, known issuers are used; where no anchor is a known issuer's, the rate is unknown.
 *
 * The anchors' price is volume-weighted over all that are within ANCHOR_TOLERANCE of their weighted median. The weight of
 * an anchor in the median is its volume of a day at the current pace, and both there and in the mean at most the depth
 * (XRP) it has had: trading with oneself buys no weight.
 *
 *     ticks of anchors -> sums by token and minute (60 of them) -> rate -> history, one entry a minute at most
 *
 * The history has changes only: the rate at a time is the last entry at or before it; 0 means "unknown from here on".
 * An outside feed may be added (`feed`): it is used only while the ledger gives no rate, and is never stored.
 */

import { ROWS_A_STEP, type RowSteps } from '../event-loop.ts';
import { type WeightedValue, weightedMedian } from '../metrics/weighted-median.ts';
import { DAY, DAY_HOURS, MINUTE } from '../ripple-time.ts';
import type { Batch, Store } from '../store.ts';
import type { AnchorTrades } from './anchor-trades.ts';
import { type Anchors, near, ORACLE_OWNERS } from './anchors.ts';
import { FIATS, type Fiat, type RateFeed } from './figures.ts';
import { type OracleSource, oracleRate } from './oracle-prices.ts';
import type { Ticks } from './ticks.ts';

export const ORACLE_TOLERANCE = 0.1;
/** Anchor prices are kept this long (seconds) after the last trade of an anchor. */
export const ANCHOR_MAX_AGE = DAY;

export interface RateParts {
  readonly anchors: Anchors;
  readonly trades: AnchorTrades;
  readonly oracles: OracleSource;
  readonly store: Pick<Store, 'records'>;
  /** Last price of each token, XRP; 0 = none. */
  readonly prices: Float64Array;
}

/** The price of a currency by all its anchors. */
interface AnchorPrice {
  /** XRP per unit; 0 when none traded within 60 minutes. */
  readonly rate: number;
  /** Whether a known issuer's token is among those that agree. */
  readonly known: boolean;
}

const NO_PRICE: AnchorPrice = { rate: 0, known: false };

/** An anchor's price, with its weight in the median and its volume in the mean. */
interface Quote extends WeightedValue {
  readonly token: number;
  readonly volume: number;
}

/** An entry of the history that may not be durable yet. */
interface Entry {
  readonly ledger: number;
  readonly fiat: Fiat;
  readonly bucket: number;
  readonly rate: number;
}

/** Receives the start of a minute and the rate at its end; false to stop. */
type RateVisitor = (minute: number, xrpPerUnit: number) => boolean;

export class Rates {
  /** Optional outside feed; see above. */
  feed: RateFeed | undefined;

  /** Ids of the anchors that traded within a day or so, ascending; as of the newest ledger. */
  anchorTokens: readonly number[] = [];

  /** Fiats whose rate the last ledger changed. */
  readonly changed = new Set<Fiat>();

  readonly #anchorList: Anchors;
  readonly #trades: AnchorTrades;
  readonly #store: Pick<Store, 'records'>;
  readonly #oracles: OracleSource;
  readonly #prices: Float64Array;
  /** Current rate, 0 = unknown. */
  readonly #current = new Float64Array(FIATS.length);
  /** Minute (its start) of the newest entry of the history. */
  readonly #changes = new Float64Array(FIATS.length);
  /** Anchors of each fiat, of `anchorTokens`. */
  readonly #byFiat: readonly number[][] = FIATS.map(() => []);
  #entries: Entry[] = [];

  constructor({ anchors, trades, oracles, store, prices }: RateParts) {
    this.#anchorList = anchors;
    this.#trades = trades;
    this.#oracles = oracles;
    this.#store = store;
    this.#prices = prices;
  }

  /**
   * Whether other tokens may be valued by this one, since it stands for fiat money: an anchor whose last price is that of
   * its currency. A known issuer's counts at any price, also while no rate is known.
   */
  anchors(token: number, time: number): boolean {
    if (!this.#anchorList.isAnchor(token, time)) return false;
    if (this.#anchorList.isKnown(token, time)) return true;
    return near(this.#prices[token]!, this.#current[this.#anchorList.claim(token)!]!);
  }

  /** Adds a tick. */
  take(ticks: Ticks, row: number): void {
    if (this.#anchorList.claim(ticks.token[row]!) !== undefined) this.#trades.add(ticks, row);
  }

  /** After the trades of a ledger: sets the rates and writes those that changed. */
  settle(ledger: number, time: number, batch: Batch): void {
    this.changed.clear();
    this.anchorTokens = this.#anchorList.tokens(time);
    for (const tokens of this.#byFiat) tokens.length = 0;
    for (const token of this.anchorTokens) this.#byFiat[this.#anchorList.claim(token)!]!.push(token);
    for (let fiat = 0 as Fiat; fiat < FIATS.length; fiat++) {
      const rate = this.#measure(fiat, this.#byFiat[fiat]!, time);
      if (rate === this.#current[fiat]) continue;
      this.#current[fiat] = rate;
      const bucket = time - (time % MINUTE);
      this.#changes[fiat] = bucket;
      this.changed.add(fiat);
      batch.record('rates', [fiat, bucket], rateRecord(rate));
      const last = this.#entries.findIndex((e) => e.fiat === fiat && e.bucket === bucket);
      if (last >= 0) this.#entries.splice(last, 1);
      this.#entries.push({ ledger, fiat, bucket, rate });
    }
  }

  /** The rate from the ledger at a time, 0 when there is none. @param tokens its anchors */
  #measure(fiat: Fiat, tokens: readonly number[], time: number): number {
    const anchors = this.#anchorPrice(tokens, time);
    const oracles = oracleRate(this.#oracles, fiat, time);
    const many = oracles.owners >= ORACLE_OWNERS;
    if (oracles.rate > 0) {
      const agree = Math.abs(oracles.rate / anchors.rate - 1) <= ORACLE_TOLERANCE;
      if (anchors.rate > 0 ? agree : many) return oracles.rate;
    }
    if (anchors.rate > 0) return many && !anchors.known ? 0 : anchors.rate;
    const kept = tokens.some((token) => this.#trades.last(token) > time - ANCHOR_MAX_AGE);
    return kept ? this.#current[fiat]! : 0;
  }

  #anchorPrice(tokens: readonly number[], time: number): AnchorPrice {
    const anchorList = this.#anchorList;
    const quotes: Quote[] = [];
    for (const token of tokens) {
      const { price, volume } = this.#trades.hour(token, time);
      if (price === 0) continue;
      const limit = anchorList.weight(token, time);
      const weight = Math.min(limit, volume * DAY_HOURS);
      quotes.push({ token, value: price, weight, volume: Math.min(limit, volume) });
    }
    if (quotes.length === 0) return NO_PRICE;
    const middle = weightedMedian(quotes);
    let xrp = 0;
    let units = 0;
    let known = false;
    for (const { token, value, volume } of quotes) {
      if (!near(value, middle)) continue;
      xrp += volume;
      units += volume / value;
      known ||= anchorList.isKnown(token, time);
    }
    return { rate: units > 0 ? xrp / units : 0, known };
  }

  /** XRP per unit of fiat now; undefined when neither the ledger nor the feed has one. */
  xrpPer(fiat: Fiat): number | undefined {
    return this.#current[fiat] || this.feed?.latest(fiat)?.xrpPerUnit || undefined;
  }

  /** XRP per unit of fiat at a close time, from history; undefined when there was none. */
  at(fiat: Fiat, time: number): number | undefined {
    let found = 0;
    const take = (_minute: number, rate: number): boolean => {
      found = rate;
      return false;
    };
    if (time >= 0) this.walkBack(fiat, 0, time, take, 1); // a day before the first ledger
    return found || undefined;
  }

  /** `exch` of the API: XRP per unit, only currencies that have a rate. */
  exch(): Partial<Record<(typeof FIATS)[number], number>> {
    const out: Partial<Record<(typeof FIATS)[number], number>> = {};
    for (let fiat = 0 as Fiat; fiat < FIATS.length; fiat++) {
      const rate = this.xrpPer(fiat);
      if (rate !== undefined) out[FIATS[fiat]!] = rate;
    }
    return out;
  }

  /**
   * Visits the history of a fiat from a time back, newest first: the start of a minute and the rate at its end (XRP per
   * unit, 0 = unknown), which holds until the next entry.
   */
  walkBack(fiat: Fiat, from: number, to: number, visit: RateVisitor, limit = Number.POSITIVE_INFINITY): void {
    let left = limit;
    const newest = this.#entries
      .filter((entry) => entry.fiat === fiat && entry.bucket >= from && entry.bucket <= to)
      .sort((a, b) => b.bucket - a.bucket);
    for (const { bucket, rate } of newest) if (left-- <= 0 || visit(bucket, rate) === false) return;
    if (left <= 0) return;
    // Entries not durable yet are newer than the durable ones, except in the minute that they share.
    const oldest = newest.at(-1)?.bucket ?? to + 1;
    const walk = {
      from,
      to: Math.min(to, oldest - 1),
      reverse: true,
      ...(Number.isFinite(left) && { limit: left }),
    };
    if (walk.to >= from)
      this.#store.records('rates', [fiat], walk, (bucket, record) => visit(bucket, storedRate(record)));
  }

  /** XRP per unit of fiat as of the newest ledger, 0 = unknown. The feed is not used. */
  settled(fiat: Fiat): number {
    return this.#current[fiat]!;
  }

  /** The minute (its start) in which the rate last changed, 0 = never. */
  changedAt(fiat: Fiat): number {
    return this.#changes[fiat]!;
  }

  durable(ledger: number): void {
    this.#entries = this.#entries.filter((entry) => entry.ledger > ledger);
  }

  /** Restores the minute sums from the ticks, and the current rates from history. The anchors must have been rebuilt before. */
  *rebuilding(ticks: Ticks, time: number): RowSteps {
    this.#trades.clear();
    this.#current.fill(0);
    this.#changes.fill(0);
    this.#entries = [];
    for (let sequence = ticks.tail; sequence < ticks.head; sequence++) {
      this.take(ticks, ticks.row(sequence));
      if (sequence % ROWS_A_STEP === 0) yield 0;
    }
    for (let fiat = 0 as Fiat; fiat < FIATS.length; fiat++) {
      const take = (minute: number, rate: number): boolean => {
        this.#current[fiat] = rate;
        this.#changes[fiat] = minute;
        return false;
      };
      this.walkBack(fiat, 0, time, take, 1);
    }
    this.anchorTokens = this.#anchorList.tokens(time);
  }

  /** Current figures, for the digest. */
  get figures(): readonly number[] {
    return [...this.#current];
  }
}

/** XRP per unit as the store has it. */
export function rateRecord(xrpPerUnit: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, xrpPerUnit);
  return bytes;
}

export function storedRate(record: Uint8Array): number {
  return new DataView(record.buffer, record.byteOffset).getFloat64(0);
}
