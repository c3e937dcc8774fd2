/**
 * Figures of the whole market: `H24` and `global` of the API, as far as the ledger tells them.
 *
 * Absent: sentimentScore and volumes by tag (meme, scam, NFT), which no ledger holds; avgRSI, which is not built.
 * A percent change (`...Pro`) is absent until there is a snapshot of 24 hours ago to compare with; of volumes, until
 * the snapshot itself covered 24 hours.
 *
 * Market cap counts listed tokens only, because a token's price times supply can be anything its issuer likes: a
 * listed token has an XRP pool with at least LISTED_POOL_XRP and LISTED_HOLDERS holders. Pools are walked for it, at
 * most once a minute of close time; a snapshot is kept at the first ledger of each hour.
 */
import { DROPS_PER_XRP, decimalNumber } from '../codec/amount.ts';
import { DAY, HOUR, unixMs } from '../ripple-time.ts';
import { Table } from '../state/table.ts';
import type { Activity } from './activity.ts';
import { Fiat, type Figures, Window } from './figures.ts';
import { MarketTable } from './limits.ts';
import { type Meta, Scalar } from './meta.ts';
import type { Prices } from './prices.ts';
import type { Rates } from './rates.ts';
import type { Standards } from './standards.ts';
import type { MarketState } from './state-view.ts';
import type { Windows } from './windows.ts';

export const LISTED_POOL_XRP = 40;
export const LISTED_HOLDERS = 30;

const DAY_HOURS = 24;
/** Hourly snapshots kept: more than the 48 that comparisons need. */
const SNAPSHOTS = 64;

export interface GlobalsState extends MarketState {
  readonly books: { readonly existing: number };
  readonly fees?: { readonly totalDrops?: bigint };
  readonly pools: MarketState['pools'] & {
    readonly count: number;
    exists(pool: number): boolean;
    reserveRaw(pool: number, side: 1 | 2): [number, number];
  };
}

interface MarketFigures {
  readonly windows: Windows;
  readonly prices: Prices;
  readonly standards: Standards;
  readonly rates: Rates;
  readonly activity: Activity;
  readonly closeTime: number;
}

export class Globals {
  readonly table = new Table(MarketTable.globals, 'market globals', SNAPSHOTS);
  private readonly hours = this.table.u32('hours');
  private readonly marketcaps = this.table.f64('marketcaps');
  private readonly tvls = this.table.f64('tvls');
  private readonly volumes = this.table.f64('volumes');
  private readonly stableVolumes = this.table.f64('stableVolumes');
  private readonly state: GlobalsState;
  private readonly market: MarketFigures;
  private readonly meta: Meta;
  private walkedMinute = -1;
  private marketcap = 0;
  private tvl = 0;

  constructor(state: GlobalsState, market: MarketFigures, meta: Meta) {
    this.state = state;
    this.market = market;
    this.meta = meta;
  }

  /** After a ledger: keeps a snapshot if it is the first of its hour. */
  turn(time: number): void {
    const hour = Math.floor(time / HOUR);
    if (hour === this.meta.get(Scalar.snapshotHour)) return;
    this.meta.set(Scalar.snapshotHour, hour);
    this.walkPools(time);
    const row = hour % SNAPSHOTS;
    this.hours[row] = hour;
    this.marketcaps[row] = this.marketcap;
    this.tvls[row] = this.tvl;
    this.volumes[row] = this.volume();
    this.stableVolumes[row] = this.stableVolume();
    this.table.touch(row);
  }

  rebuild(): void {
    this.walkedMinute = -1;
  }

  private volume(): number {
    const { windows } = this.market;
    return windows.volumeDrops(windows.all, Window.h24) / DROPS_PER_XRP;
  }

  private stableVolume(): number {
    const { rates, windows } = this.market;
    let drops = 0;
    for (const token of rates.anchorTokens) drops += windows.volumeDrops(token, Window.h24);
    return drops / DROPS_PER_XRP;
  }

  /** Market cap and value locked, XRP, as of this minute. */
  private walkPools(time: number): void {
    const minute = Math.floor(time / 60);
    if (minute === this.walkedMinute) return;
    this.walkedMinute = minute;
    const { pools, lines } = this.state;
    this.marketcap = 0;
    this.tvl = 0;
    for (let pool = 1; pool < pools.count; pool++) {
      if (!pools.exists(pool)) continue;
      const one = pools.asset1(pool);
      const two = pools.asset2(pool);
      const first = this.sideValue(pool, 1, one);
      const second = this.sideValue(pool, 2, two);
      // A pool with XRP is worth twice its XRP; between tokens, what is worth something by standards.
      this.tvl += one === 0 ? 2 * first : two === 0 ? 2 * second : first + second;
      const token = one === 0 ? two : two === 0 ? one : 0;
      const xrp = one === 0 ? first : second;
      if (token === 0 || xrp < LISTED_POOL_XRP || lines.holdersCount(token) < LISTED_HOLDERS) continue;
      const price = this.market.prices.price(token);
      if (price !== undefined) this.marketcap += price * decimalNumber(lines.supply(token));
    }
  }

  private sideValue(pool: number, side: 1 | 2, token: number): number {
    const price = this.market.standards.price(token, this.market.closeTime);
    if (price === 0) return 0;
    const [hi, lo] = this.state.pools.reserveRaw(pool, side);
    return this.state.tokens.number(token, hi, lo) * price;
  }

  /** `H24`. */
  h24(): Figures {
    const { activity, closeTime, windows, prices } = this.market;
    const { accounts, books, lines } = this.state;
    this.walkPools(closeTime);
    let traded = 0;
    for (let token = 1; token < prices.end; token++) if (windows.trades(token, Window.h24) > 0) traded++;
    const figures: Figures = {
      _id: 'METRICS_24H',
      transactions24H: activity.transactions,
      tradedXRP24H: this.volume(),
      tradedTokens24H: traded,
      activeAddresses24H: activity.activeAccounts,
      uniqueTraders24H: windows.uniqueTraders(windows.all),
      globalBuy24hxrp: windows.buyDrops(windows.all) / DROPS_PER_XRP,
      globalSell24hxrp: windows.sellDrops(windows.all) / DROPS_PER_XRP,
      totalAddresses: accounts.existing,
      totalOffers: books.existing,
      totalTrustLines: lines.existing,
      totalTVL: this.tvl,
      lastUpdated: new Date(unixMs(closeTime)).toISOString(),
      updateStatus: 'complete',
    };
    const change = this.xrpChange();
    if (change !== undefined) figures.xrpPro24h = change;
    return figures;
  }

  /** Percent change of the price of XRP in USD over 24 hours. */
  private xrpChange(): number | undefined {
    const { rates, closeTime } = this.market;
    const now = rates.xrpPer(Fiat.USD);
    const before = rates.at(Fiat.USD, closeTime - DAY);
    return now === undefined || before === undefined ? undefined : (before / now - 1) * 100;
  }

  /** `global`. Volumes and caps in XRP. */
  global(): Figures {
    const { accounts, books, lines, tokens, fees } = this.state;
    this.walkPools(this.market.closeTime);
    const figures: Figures = {
      _id: 'METRICS_GLOBAL',
      total: tokens.count,
      gMarketcap: this.marketcap,
      gDexVolume: this.volume(),
      gStableVolume: this.stableVolume(),
      gTVL: this.tvl,
      totalAddresses: accounts.existing,
      totalOffers: books.existing,
      totalTrustLines: lines.existing,
    };
    if (fees?.totalDrops !== undefined) {
      const xrp = Number(fees.totalDrops) / DROPS_PER_XRP;
      if (xrp > 0) figures.gXRPdominance = (xrp / (xrp + this.marketcap)) * 100;
    }
    this.addChanges(figures);
    return figures;
  }

  private addChanges(figures: Figures): void {
    const hour = Math.floor(this.market.closeTime / HOUR) - DAY_HOURS;
    const row = hour % SNAPSHOTS;
    if (hour <= 0 || this.hours[row] !== hour) return;
    addChange(figures, 'gMarketcapPro', this.marketcap, this.marketcaps[row]!);
    addChange(figures, 'gTVLPro', this.tvl, this.tvls[row]!);
    const covered = hour - DAY_HOURS;
    if (covered <= 0 || this.hours[covered % SNAPSHOTS] !== covered) return;
    addChange(figures, 'gDexVolumePro', this.volume(), this.volumes[row]!);
    addChange(figures, 'gStableVolumePro', this.stableVolume(), this.stableVolumes[row]!);
  }
}

function addChange(figures: Figures, name: string, now: number, before: number): void {
  if (before > 0) figures[name] = (now / before - 1) * 100;
}
