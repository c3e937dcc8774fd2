/**
 * What one unit of fiat money costs in XRP, as the ledger tells it: a fresh price oracle (OracleSet), else the
 * volume-weighted price of the anchors (anchors.ts) against XRP over the last 60 minutes in which they traded, kept
 * for ANCHOR_MAX_AGE after the last such trade. When neither is there the rate is unknown, and absent.
 *
 *     ticks of anchors -> sums by fiat and minute (60 of them) -> rate -> history, one entry a minute at most
 *
 * History holds changes only: the rate at a time is the last entry at or before it; 0 says "unknown from here on".
 * An outside feed may be plugged in (`feed`): it is asked only while the ledger knows no rate, and is never stored.
 */
import type { Batch, Store } from '../store.ts';
import { ANCHORS } from './anchors.ts';
import { type CandleSeries, CANDLE_COLUMNS, Candle, FIATS, type Fiat, type RateFeed } from './figures.ts';
import { type Ticks, TickFlag } from './ticks.ts';

/** A price oracle older than this (seconds) is not asked. XLS-47 oracles update every few minutes. */
export const ORACLE_MAX_AGE = 3600;
/** Anchor prices are kept this long (seconds) after the last trade of an anchor. */
export const ANCHOR_MAX_AGE = 86400;

const MINUTE = 60;
const MINUTES = 60;
const NO_ANCHOR = 255;

interface TokenTexts {
  issuerText(token: number): string;
  currencyText(token: number): string;
}

/** XRP per unit by the freshest oracle, and its close time; undefined when there is none. */
export type OracleRate = (fiat: Fiat) => { readonly xrpPerUnit: number; readonly time: number } | undefined;

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

  private readonly store: Pick<Store, 'rates'>;
  private readonly tokens: TokenTexts;
  private readonly oracle: OracleRate;
  /** By token: 0 not looked at, NO_ANCHOR, else number of the anchor + 1. */
  private readonly anchorOf: Uint8Array;
  private readonly minutes = new Float64Array(FIATS.length * MINUTES);
  private readonly drops = new Float64Array(FIATS.length * MINUTES);
  private readonly units = new Float64Array(FIATS.length * MINUTES);
  /** Current rate, 0 = unknown; close time of the last trade of an anchor. */
  private readonly current = new Float64Array(FIATS.length);
  private readonly lastTrade = new Float64Array(FIATS.length);
  private entries: Entry[] = [];
  private time = 0;

  constructor(tokens: number, texts: TokenTexts, oracle: OracleRate, store: Pick<Store, 'rates'>) {
    this.tokens = texts;
    this.oracle = oracle;
    this.store = store;
    this.anchorOf = new Uint8Array(tokens);
  }

  /** Number of the anchor that a token is, -1 when it is none. */
  anchor(token: number): number {
    const known = this.anchorOf[token]!;
    if (known !== 0) return known === NO_ANCHOR ? -1 : known - 1;
    const issuer = this.tokens.issuerText(token);
    const found = ANCHORS.findIndex((a) => a.issuer === issuer && a.currency === this.tokens.currencyText(token));
    this.anchorOf[token] = found < 0 ? NO_ANCHOR : found + 1;
    return found;
  }

  /** Takes in a tick: a priced trade of an anchor against XRP. */
  take(ticks: Ticks, row: number): void {
    const anchor = this.anchor(ticks.token[row]!);
    if (anchor < 0 || ticks.price[row] === 0 || (ticks.flags[row]! & TickFlag.xrpLeg) === 0) return;
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
    this.time = time;
    for (let fiat = 0 as Fiat; fiat < FIATS.length; fiat++) {
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
    const oracle = this.oracle(fiat);
    if (oracle && oracle.time > time - ORACLE_MAX_AGE && oracle.xrpPerUnit > 0) return oracle.xrpPerUnit;
    const oldest = Math.floor(time / MINUTE) - MINUTES;
    let drops = 0;
    let units = 0;
    for (let minute = oldest + 1; minute <= oldest + MINUTES; minute++) {
      const at = fiat * MINUTES + (minute % MINUTES);
      if (this.minutes[at] !== minute) continue;
      drops += this.drops[at]!;
      units += this.units[at]!;
    }
    const rate = drops / 1e6 / units;
    if (units > 0 && Number.isFinite(rate) && rate > 0) return rate;
    return this.lastTrade[fiat]! > time - ANCHOR_MAX_AGE ? this.current[fiat]! : 0;
  }

  /** XRP per unit of fiat now; undefined when neither the ledger nor the feed knows. */
  xrpPer(fiat: Fiat): number | undefined {
    return this.current[fiat] || this.feed?.latest(fiat)?.xrpPerUnit || undefined;
  }

  /** XRP per unit of fiat at a close time, from history; undefined when the ledger told none. */
  at(fiat: Fiat, time: number): number | undefined {
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
    this.time = time;
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
