/**
 * What one unit of fiat money costs in XRP, as the ledger tells it: fresh price oracles (OracleSet), else the
 * volume-weighted price of the anchors (anchors.ts) against XRP over the last 60 minutes, kept for ANCHOR_MAX_AGE
 * after the last such trade. When neither is there the rate is unknown, and absent.
 *
 * Anybody may publish an oracle, so oracles are believed only where others bear them out: their median counts when it
 * lies within ORACLE_TOLERANCE of the anchors' price, or, without anchors, when ORACLES_ALONE owners give one.
 *
 *     ticks of anchors -> sums by fiat and minute (60 of them) -> rate -> history, one entry a minute at most
 *
 * History holds changes only: the rate at a time is the last entry at or before it; 0 says "unknown from here on".
 * An outside feed may be plugged in (`feed`): it is asked only while the ledger knows no rate, and is never stored.
 */
import { DROPS_PER_XRP } from '../codec/amount.ts';
import { MINUTE, RIPPLE_EPOCH } from '../ripple-time.ts';
import type { Batch, Store } from '../store.ts';
import { ANCHORS } from './anchors.ts';
import type { Columns } from './columns.ts';
import { CANDLE_COLUMNS, Candle, type CandleSeries, FIATS, type Fiat, type RateFeed } from './figures.ts';
import { TickFlag, type Ticks } from './ticks.ts';

/** A price oracle older than this (seconds) is not asked. XLS-47 oracles update every few minutes. */
export const ORACLE_MAX_AGE = 3600;
export const ORACLE_TOLERANCE = 0.1;
export const ORACLES_ALONE = 3;
/** Anchor prices are kept this long (seconds) after the last trade of an anchor. */
export const ANCHOR_MAX_AGE = 86400;

const MINUTES = 60;
const NO_ANCHOR = 255;
/** Ticks whose price was told by no trade of theirs. */
const NO_RATE = TickFlag.deposit | TickFlag.withdraw | TickFlag.quoted;

interface TokenTexts {
  issuerText(token: number): string;
  currencyText(token: number): string;
}

/** Price of 1 XRP in a quote currency by one oracle. */
interface OraclePrice {
  readonly owner: number;
  readonly price: number;
  /** Unix seconds. */
  readonly lastUpdate: number;
}

export interface OracleSource {
  latest(quote: string): readonly OraclePrice[];
}

/** Quote currencies of each fiat; CNH is offshore CNY. */
const QUOTES: readonly (readonly string[])[] = [['USD'], ['EUR'], ['JPY'], ['CNY', 'CNH']];

/** An entry of the history that may not be durable yet. */
interface Entry {
  readonly ledger: number;
  readonly fiat: Fiat;
  readonly bucket: number;
  readonly rate: number;
}

export class Rates {
  /** Optional outside feed; see above. */
  feed: RateFeed | undefined;

  /** Ids of the anchors that traded so far. */
  readonly anchorTokens: number[] = [];

  private readonly store: Pick<Store, 'rates'>;
  private readonly tokens: TokenTexts;
  private readonly oracles: OracleSource;
  /** By token: 0 not looked at, NO_ANCHOR, else number of the anchor + 1. */
  private readonly anchorOf: Uint8Array;
  private readonly minutes = new Float64Array(FIATS.length * MINUTES);
  private readonly drops = new Float64Array(FIATS.length * MINUTES);
  private readonly units = new Float64Array(FIATS.length * MINUTES);
  /** Current rate, 0 = unknown; close time of the last trade of an anchor. */
  private readonly current = new Float64Array(FIATS.length);
  private readonly lastTrade = new Float64Array(FIATS.length);
  private entries: Entry[] = [];

  constructor(columns: Columns, texts: TokenTexts, oracles: OracleSource, store: Pick<Store, 'rates'>) {
    this.tokens = texts;
    this.oracles = oracles;
    this.store = store;
    this.anchorOf = columns.u8();
  }

  /** Number of the anchor that a token is, -1 when it is none. */
  anchor(token: number): number {
    const known = this.anchorOf[token]!;
    if (known !== 0) return known === NO_ANCHOR ? -1 : known - 1;
    const issuer = this.tokens.issuerText(token);
    const found = ANCHORS.findIndex(
      (a) => a.issuer === issuer && a.currency === this.tokens.currencyText(token),
    );
    this.anchorOf[token] = found < 0 ? NO_ANCHOR : found + 1;
    if (found >= 0) this.anchorTokens.push(token);
    return found;
  }

  /** Whether a token is an anchor that still pays out at that time. */
  anchors(token: number, time: number): boolean {
    const anchor = this.anchor(token);
    if (anchor < 0) return false;
    const { until } = ANCHORS[anchor]!;
    return until === undefined || time < until;
  }

  /** Takes in a tick: a priced trade of an anchor against XRP. */
  take(ticks: Ticks, row: number): void {
    const anchor = this.anchor(ticks.token[row]!);
    const flags = ticks.flags[row]!;
    if (anchor < 0 || ticks.price[row] === 0 || flags & NO_RATE || (flags & TickFlag.xrpLeg) === 0) return;
    const { fiat, until } = ANCHORS[anchor]!;
    const time = ticks.time[row]!;
    if (until !== undefined && time >= until) return;
    const minute = Math.floor(time / MINUTE);
    const at = fiat * MINUTES + (minute % MINUTES);
    if (this.minutes[at] !== minute) {
      this.minutes[at] = minute;
      this.drops[at] = 0;
      this.units[at] = 0;
    }
    this.drops[at]! += ticks.drops[row]!;
    this.units[at]! += ticks.amount[row]!;
    this.lastTrade[fiat] = time;
  }

  /** After the trades of a ledger: settles the rates and writes what changed. */
  settle(ledger: number, time: number, batch: Batch): void {
    for (let fiat = 0 as Fiat; fiat < FIATS.length; fiat++) {
      // A restart knows trades of 24 hours only.
      if (this.lastTrade[fiat]! <= time - ANCHOR_MAX_AGE) this.lastTrade[fiat] = 0;
      const rate = this.told(fiat, time);
      if (rate === this.current[fiat]) continue;
      this.current[fiat] = rate;
      const bucket = time - (time % MINUTE);
      batch.rate(fiat, bucket, rate);
      const last = this.entries.findIndex((e) => e.fiat === fiat && e.bucket === bucket);
      if (last >= 0) this.entries.splice(last, 1);
      this.entries.push({ ledger, fiat, bucket, rate });
    }
  }

  /** What the ledger tells at a time, 0 when nothing. */
  private told(fiat: Fiat, time: number): number {
    const anchors = this.anchorRate(fiat, time);
    const prices = this.freshOracles(fiat, time);
    if (prices.length > 0) {
      const sorted = prices.map((p) => p.price).sort((a, b) => a - b);
      const middle = sorted.length >> 1;
      const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
      const rate = 1 / median;
      const owners = new Set(prices.map((p) => p.owner)).size;
      if (anchors > 0 ? Math.abs(rate / anchors - 1) <= ORACLE_TOLERANCE : owners >= ORACLES_ALONE)
        return rate;
    }
    if (anchors > 0) return anchors;
    return this.lastTrade[fiat]! > time - ANCHOR_MAX_AGE ? this.current[fiat]! : 0;
  }

  private freshOracles(fiat: Fiat, time: number): OraclePrice[] {
    const oldest = time + RIPPLE_EPOCH - ORACLE_MAX_AGE;
    const fresh: OraclePrice[] = [];
    for (const quote of QUOTES[fiat]!)
      for (const price of this.oracles.latest(quote))
        if (price.lastUpdate >= oldest && price.price > 0 && Number.isFinite(price.price)) fresh.push(price);
    return fresh;
  }

  /** Volume-weighted price of the anchors in the last 60 minutes, 0 when none traded. */
  private anchorRate(fiat: Fiat, time: number): number {
    const newest = Math.floor(time / MINUTE);
    let drops = 0;
    let units = 0;
    for (let minute = newest - MINUTES + 1; minute <= newest; minute++) {
      const at = fiat * MINUTES + (minute % MINUTES);
      if (this.minutes[at] !== minute) continue;
      drops += this.drops[at]!;
      units += this.units[at]!;
    }
    const rate = drops / DROPS_PER_XRP / units;
    return units > 0 && Number.isFinite(rate) ? rate : 0;
  }

  /** XRP per unit of fiat now; undefined when neither the ledger nor the feed knows. */
  xrpPer(fiat: Fiat): number | undefined {
    return this.current[fiat] || this.feed?.latest(fiat)?.xrpPerUnit || undefined;
  }

  /** XRP per unit of fiat at a close time, from history; undefined when the ledger told none. */
  at(fiat: Fiat, time: number): number | undefined {
    if (time < 0) return undefined; // a day before the first ledger
    for (let i = this.entries.length - 1; i >= 0; i--) {
      const entry = this.entries[i]!;
      if (entry.fiat === fiat && entry.bucket <= time) return entry.rate || undefined;
    }
    let found = 0;
    this.store.rates(fiat, { to: time, reverse: true, limit: 1 }, (_bucket, rate) => {
      found = rate;
      return false;
    });
    return found || undefined;
  }

  /** `exch` of the API: XRP per unit, only the moneys that have a rate. */
  exch(): Partial<Record<(typeof FIATS)[number], number>> {
    const out: Partial<Record<(typeof FIATS)[number], number>> = {};
    for (let fiat = 0 as Fiat; fiat < FIATS.length; fiat++) {
      const rate = this.xrpPer(fiat);
      if (rate !== undefined) out[FIATS[fiat]!] = rate;
    }
    return out;
  }

  /**
   * Candles in fiat: each price divided by the rate that held when the candle began (for the newest candles: holds
   * now). Candles from times without a rate are left out. Volumes stay as they are.
   */
  inFiat(series: CandleSeries, fiat: Fiat): CandleSeries {
    const rows = series.rows.slice();
    let length = 0;
    for (let i = 0; i < series.length; i++) {
      const from = i * CANDLE_COLUMNS;
      const start = series.rows[from]!;
      const rate = this.at(fiat, start) ?? this.at(fiat, start + series.baseSeconds - 1);
      if (rate === undefined) continue;
      const to = length++ * CANDLE_COLUMNS;
      rows.copyWithin(to, from, from + CANDLE_COLUMNS);
      for (let c = Candle.open; c <= Candle.close; c++) rows[to + c] = rows[to + c]! / rate;
    }
    return { rows: rows.subarray(0, length * CANDLE_COLUMNS), length, baseSeconds: series.baseSeconds };
  }

  durable(ledger: number): void {
    this.entries = this.entries.filter((entry) => entry.ledger > ledger);
  }

  /** Restores the minute sums from the ticks, and the current rates from history. */
  rebuild(ticks: Ticks, time: number): void {
    this.minutes.fill(0);
    this.lastTrade.fill(0);
    this.entries = [];
    for (let sequence = ticks.tail; sequence < ticks.head; sequence++) this.take(ticks, ticks.row(sequence));
    for (let fiat = 0 as Fiat; fiat < FIATS.length; fiat++) this.current[fiat] = this.at(fiat, time) ?? 0;
  }

  /** Current figures, for the digest. */
  get figures(): readonly number[] {
    return [...this.current, ...this.lastTrade];
  }
}
