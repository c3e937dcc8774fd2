/**
 * Figures of the whole market: `H24` and `global` of the API, as far as they follow from the ledger.
 *
 * Volumes of stablecoins and memes are those of segments.ts, sentimentScore and avgRSI those of sentiment.ts. Absent: volumes
 * of scams and of NFTs.
 * Market cap and value locked are as of the newest ledger (totals.ts), volumes of the 24 hours up to it; of all of them a snapshot
 * is kept at the first ledger of each hour. A change (`...Pro`) is in percent of the snapshot of the hour that was 24 hours ago, so
 * of 24 hours and up to one more; it is absent until there is that snapshot; of volumes, until the snapshot itself covered 24
 * hours. XRP's dominance is all XRP in percent of all XRP and the market cap of tokens.
 */
import { DROPS_PER_XRP } from '../codec/amount.ts';
import { DAY, DAY_HOURS, HOUR, MINUTE, unixMs } from '../ripple-time.ts';
import { Table } from '../state/table.ts';
import { TableId } from '../table-ids.ts';
import type { Activity } from './activity.ts';
import { Fiat, type Figures, Window } from './figures.ts';
import { type Meta, Scalar } from './meta.ts';
import type { Prices } from './prices.ts';
import type { Rates } from './rates.ts';
import type { Segments } from './segments.ts';
import type { Sentiment } from './sentiment.ts';
import type { MarketState } from './state-view.ts';
import type { Totals } from './totals.ts';
import type { Windows } from './windows.ts';

/** Hourly snapshots kept: more than the 48 that comparisons need. */
const SNAPSHOTS = 64;

export interface GlobalsState extends MarketState {
  readonly books: { readonly existing: number };
  readonly fees?: { readonly totalDrops?: bigint };
}

interface MarketFigures {
  readonly windows: Windows;
  readonly prices: Prices;
  readonly totals: Totals;
  readonly rates: Rates;
  readonly activity: Activity;
  readonly segments: Segments;
  readonly sentiment: Sentiment;
  readonly closeTime: number;
}

export class Globals {
  readonly table = new Table(TableId.globals, 'market globals', SNAPSHOTS);
  readonly #hours = this.table.u32('hours');
  readonly #marketcaps = this.table.f64('marketcaps');
  readonly #tvls = this.table.f64('tvls');
  readonly #volumes = this.table.f64('volumes');
  readonly #state: GlobalsState;
  readonly #market: MarketFigures;
  /** XRP per US dollar in a minute of a day ago. */
  #ratesAt: { readonly minute: number; readonly rate: number | undefined } | undefined;
  readonly #meta: Meta;

  constructor(state: GlobalsState, market: MarketFigures, meta: Meta) {
    this.#state = state;
    this.#market = market;
    this.#meta = meta;
  }

  /** After a ledger: keeps a snapshot if it is the first of its hour. */
  keepSnapshot(time: number): void {
    const hour = Math.floor(time / HOUR);
    if (hour === this.#meta.get(Scalar.snapshotHour)) return;
    this.#meta.set(Scalar.snapshotHour, hour);
    const { totals } = this.#market;
    const row = hour % SNAPSHOTS;
    this.#hours[row] = hour;
    this.#marketcaps[row] = totals.marketcap;
    this.#tvls[row] = totals.locked;
    this.#volumes[row] = this.#volume();
    this.table.markDirty(row);
  }

  #volume(): number {
    const { windows } = this.#market;
    return windows.volumeDrops(windows.all, Window.h24) / DROPS_PER_XRP;
  }

  /** `H24`. */
  h24(): Figures {
    const { activity, closeTime, windows, totals } = this.#market;
    const { accounts, books, lines } = this.#state;
    const figures: Figures = {
      _id: 'METRICS_24H',
      transactions24H: activity.transactions,
      tradedXRP24H: this.#volume(),
      tradedTokens24H: windows.tradedTokens,
      activeAddresses24H: activity.activeAccounts,
      uniqueTraders24H: windows.uniqueTraders(windows.all),
      globalBuy24hxrp: windows.buyDrops(windows.all) / DROPS_PER_XRP,
      globalSell24hxrp: windows.sellDrops(windows.all) / DROPS_PER_XRP,
      totalAddresses: accounts.existing,
      totalOffers: books.existing,
      totalTrustLines: lines.existing - lines.holdings,
      totalTVL: totals.locked,
      lastUpdated: new Date(unixMs(closeTime)).toISOString(),
      updateStatus: 'complete',
    };
    const change = this.#xrpChange();
    if (change !== undefined) figures.xrpPro24h = change;
    return figures;
  }

  /** XRP per US dollar at a time of a day ago. Every ledger asks, and history has one rate a minute. */
  #dayAgo(time: number): number | undefined {
    const minute = Math.floor(time / MINUTE);
    if (this.#ratesAt?.minute !== minute)
      this.#ratesAt = { minute, rate: this.#market.rates.at(Fiat.USD, time) };
    return this.#ratesAt.rate;
  }

  /** Percent change of the price of XRP in USD over 24 hours. */
  #xrpChange(): number | undefined {
    const { rates, closeTime } = this.#market;
    const now = rates.xrpPer(Fiat.USD);
    const before = this.#dayAgo(closeTime - DAY);
    return now === undefined || before === undefined ? undefined : (before / now - 1) * 100;
  }

  /** `global`. Volumes and caps in XRP. */
  global(): Figures {
    const { accounts, books, lines, fees } = this.#state;
    const { closeTime, totals, segments, sentiment } = this.#market;
    const { marketcap } = totals;
    const figures: Figures = {
      _id: 'METRICS_GLOBAL',
      total: totals.listed,
      gMarketcap: marketcap,
      gDexVolume: this.#volume(),
      ...segments.figures(closeTime),
      gTVL: totals.locked,
      ...sentiment.figures(),
      totalAddresses: accounts.existing,
      totalOffers: books.existing,
      totalTrustLines: lines.existing - lines.holdings,
    };
    if (fees?.totalDrops !== undefined) {
      const xrp = Number(fees.totalDrops) / DROPS_PER_XRP;
      if (xrp > 0) figures.gXRPdominance = dominanceOf(xrp, marketcap);
    }
    this.#addChanges(figures);
    return figures;
  }

  /** With the XRP of now: what a day burns is less than a billionth of it. @param before market cap of 24 hours ago, XRP */
  #addDominanceChange(figures: Figures, before: number): void {
    const now = figures.gXRPdominance;
    const xrp = Number(this.#state.fees?.totalDrops ?? 0) / DROPS_PER_XRP;
    if (typeof now === 'number' && before > 0)
      addChange(figures, 'gXRPdominancePro', now, dominanceOf(xrp, before));
  }

  /** Percent change of the market cap over 24 hours; undefined: it is not known. */
  get marketcapChange(): number | undefined {
    const row = this.#snapshotOf(this.#hourAgo(DAY_HOURS));
    return row === undefined ? undefined : changeOf(this.#market.totals.marketcap, this.#marketcaps[row]!);
  }

  #addChanges(figures: Figures): void {
    const row = this.#snapshotOf(this.#hourAgo(DAY_HOURS));
    if (row === undefined) return;
    this.#addDominanceChange(figures, this.#marketcaps[row]!);
    const cap = this.marketcapChange;
    if (cap !== undefined) figures.gMarketcapPro = cap;
    addChange(figures, 'gTVLPro', this.#market.totals.locked, this.#tvls[row]!);
    if (this.#snapshotOf(this.#hourAgo(2 * DAY_HOURS)) === undefined) return;
    addChange(figures, 'gDexVolumePro', this.#volume(), this.#volumes[row]!);
  }

  /** An hour before the present one, as close time / HOUR. */
  #hourAgo(hours: number): number {
    return Math.floor(this.#market.closeTime / HOUR) - hours;
  }

  /** The row of an hour's snapshot; undefined: there is none. */
  #snapshotOf(hour: number): number | undefined {
    const row = hour % SNAPSHOTS;
    return hour > 0 && this.#hours[row] === hour ? row : undefined;
  }
}

/** Percent of XRP in the market cap of XRP and all tokens. */
function dominanceOf(xrp: number, marketcap: number): number {
  return (xrp / (xrp + marketcap)) * 100;
}

/** Percent; undefined without a base. */
function changeOf(now: number, before: number): number | undefined {
  return before > 0 ? (now / before - 1) * 100 : undefined;
}

function addChange(figures: Figures, name: string, now: number, before: number): void {
  const change = changeOf(now, before);
  if (change !== undefined) figures[name] = change;
}
