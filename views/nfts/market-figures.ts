/**
 * The market of NFTs by day, over windows, by marketplace and by broker. XRP.
 *
 * A window is the present hour (for more than 24 hours: day) and the whole ones before it, UTC, as for tokens. A marketplace is
 * the platform that the broker, the source tag or a memo of a transaction names (engine/nfts/marketplaces.ts). Sales for other assets than XRP count as sales
 * and are in no sum of XRP.
 *
 * Cost: a few rows of periods; distinct accounts of windows one pass over the accounts, once a ledger, in slices.
 */
import { accountText } from '../../engine/codec/base58.ts';
import type { Engine } from '../../engine/engine.ts';
import type { CooperativeTask } from '../../engine/event-loop.ts';
import { PLATFORMS, platformByNumber } from '../../engine/market/platforms.ts';
import { rsi } from '../../engine/metrics/rsi.ts';
import { brokerPlatform } from '../../engine/nfts/marketplaces.ts';
import { DAY, DAY_HOURS, rippleSeconds, unixMs } from '../../engine/ripple-time.ts';
import { atOneVersion } from '../at-one-version.ts';
import { dateText } from '../date-text.ts';
import { percent, rounded } from '../number-format.ts';
import { xrpOf } from '../traders/trader-rows.ts';
import { VersionedCache } from '../versioned-cache.ts';
import { dropsOfParty } from './amounts.ts';
import { addRow, type NftSums, NO_SUMS, sumOf } from './market-sums.ts';
import type { NftRecentSales } from './recent-sales.ts';

/** Days of an answer at most. */
const DAYS_MAX = 366;
/** Accounts and collections looked at before other work may run: about a millisecond. */
const ROWS_A_SLICE = 65_536;

export const NFT_WINDOWS = ['24h', '7d', '30d', 'all'] as const;
export type NftWindow = (typeof NFT_WINDOWS)[number];

/** Those that were seen in a window. */
interface Distinct {
  buyers: number;
  sellers: number;
  /** Either of both. */
  traders: number;
  /** XRP of these now, drops. */
  balance: number;
  collections: number;
}

/** Of which the first NFT was minted on one day. */
interface CreatedCollections {
  readonly count: number;
  /** NFTs of them that exist. */
  readonly items: number;
  /** Rows of those with most volume. */
  readonly top: readonly number[];
}

export class NftMarketFigures {
  readonly #engine: Engine;
  readonly #recent: NftRecentSales;
  readonly #distinct: VersionedCache<Promise<Readonly<Record<NftWindow, Distinct>>>>;
  readonly #created: VersionedCache<Promise<ReadonlyMap<string, CreatedCollections>>>;
  readonly #all: VersionedCache<ReadonlyMap<number | undefined, NftSums>>;

  constructor(engine: Engine, recent: NftRecentSales) {
    this.#engine = engine;
    this.#recent = recent;
    this.#distinct = new VersionedCache([engine], 1);
    this.#all = new VersionedCache([engine], 1);
    this.#created = new VersionedCache([engine], 1);
  }

  /** Sums over a window. @param platform undefined: of all */
  sums(window: NftWindow, platform?: number): NftSums {
    const { days, hours } = this.#engine.nfts.market;
    const now = this.#now;
    const [hour, today] = [hours.of(now), days.of(now)];
    if (window === '24h') return sumOf(hours, hour - DAY_HOURS + 1, hour, platform);
    if (window === '7d') return sumOf(days, today - 6, today, platform);
    if (window === '30d') return sumOf(days, today - 29, today, platform);
    return this.#ofAllTime().get(platform) ?? NO_SUMS;
  }

  /** Of the 24 hours before the last 24. */
  dayBefore(): NftSums {
    const { hours } = this.#engine.nfts.market;
    const hour = hours.of(this.#now) - DAY_HOURS;
    return sumOf(hours, hour - DAY_HOURS + 1, hour, undefined);
  }

  /** Distinct accounts that bought or sold in these; undefined: older sales were more than are kept. */
  async tradersDayBefore(): Promise<number | undefined> {
    const { sales, isPart } = await this.#recent.get();
    if (isPart) return undefined;
    const { hours } = this.#engine.nfts.market;
    const end = (hours.of(this.#now) - DAY_HOURS + 1) * hours.seconds;
    const traders = new Set<number>();
    for (const { time, buyer, seller } of sales)
      if (time >= end - DAY && time < end) traders.add(buyer).add(seller);
    return traders.size;
  }

  /** Distinct accounts and collections of each window. */
  distinct(): Promise<Readonly<Record<NftWindow, Distinct>>> {
    return this.#distinct.get('', () => atOneVersion([this.#engine], () => this.#count()));
  }

  /** Days with and without events, oldest first. @param fromMs first day, @param toMs last: Unix ms; undefined: all, a year at most */
  daily(fromMs: number | undefined, toMs: number | undefined) {
    const { days } = this.#engine.nfts.market;
    if (days.count <= 1) return [];
    const today = days.of(this.#now);
    const last = toMs === undefined ? today : Math.min(today, days.of(rippleSeconds(toMs)));
    const first = fromMs === undefined ? 0 : days.of(rippleSeconds(fromMs));
    const rows: ReturnType<NftMarketFigures['day']>[] = [];
    for (let day = Math.max(first, days.periodOf(1), last - DAYS_MAX + 1); day <= last; day++)
      rows.push(this.day(day));
    return rows;
  }

  /** @param day number of the day since the epoch of ledgers */
  day(day: number) {
    const { days } = this.#engine.nfts.market;
    const row = days.row(day, undefined);
    const platforms = PLATFORMS.flatMap(({ number, name }) => {
      const sums = sumOf(days, day, day, number);
      return sums.sales > 0 ? [[name, sums] as const] : [];
    });
    return {
      date: dateText(day * days.seconds),
      ...shown(sumOf(days, day, day, undefined)),
      uniqueBuyers: days.buyers[row]!,
      uniqueSellers: days.sellers[row]!,
      uniqueCollections: days.collections[row]!,
      volumeByPlatform: Object.fromEntries(
        platforms.map(([name, { volume, sales }]) => [name, { volume: xrpOf(volume), sales }]),
      ),
      feesByPlatform: Object.fromEntries(
        platforms.map(([name, { royalties, brokerFees }]) => [
          name,
          { royalties: xrpOf(royalties), brokerFees: xrpOf(brokerFees) },
        ]),
      ),
    };
  }

  /** Marketplaces with events, those with most volume first, and what came through none that is known. */
  marketplaces() {
    const rows = PLATFORMS.flatMap(({ number, name, slug, sourceTag }) => {
      const sums = this.#ofAllTime().get(number);
      return sums ? [{ name, slug, sourceTag, ...this.#ofMarketplace(number, sums) }] : [];
    });
    rows.sort((a, b) => b.volume - a.volume || b.sales - a.sales || a.sourceTag - b.sourceTag);
    return { rows, other: this.#ofMarketplace(0, this.#ofAllTime().get(0) ?? NO_SUMS) };
  }

  /** By name; those without sales are absent. */
  platformStats() {
    const { rows } = this.marketplaces();
    return Object.fromEntries(
      rows.flatMap(({ name, volume, sales, avgPrice, royalties, brokerFees }) =>
        sales > 0 ? [[name, { volume, sales, avgPrice, royalties, brokerFees }]] : [],
      ),
    );
  }

  /** Accounts that brokered sales, those with most volume first. */
  brokers(skip: number, limit: number) {
    const { market, parties } = this.#engine.nfts;
    const { brokers } = market;
    const order = Array.from({ length: brokers.count - 1 }, (_, i) => i + 1);
    order.sort(
      (a, b) => brokers.volume[b]! - brokers.volume[a]! || brokers.sales[b]! - brokers.sales[a]! || a - b,
    );
    const rows = order.slice(skip, skip + limit).map((row) => ({
      address: accountText(parties.key(brokers.party(row))),
      ...nameOfBroker(parties.key(brokers.party(row))),
      sales: brokers.sales[row]!,
      volume: xrpOf(brokers.volume[row]!),
      fees: xrpOf(brokers.fees[row]!),
      feePct: ratioPercent(brokers.fees[row]!, brokers.volume[row]!),
      firstSale: unixMs(brokers.firstSale[row]!),
      lastSale: unixMs(brokers.lastSale[row]!),
    }));
    return { rows, total: order.length };
  }

  /**
   * Relative strength (14 days, Wilder) of the mean price of the days that had sales for XRP, today left out; null: fewer than
   * 15 such days.
   */
  strength(): number | null {
    const { days } = this.#engine.nfts.market;
    const today = days.of(this.#now);
    const prices: number[] = [];
    for (let day = Math.max(today - DAYS_MAX, 0); day < today; day++) {
      const row = days.row(day, undefined);
      if (row !== 0 && days.xrpSales[row]! > 0) prices.push(days.volume[row]! / days.xrpSales[row]!);
    }
    const value = rsi(prices);
    return value === undefined ? null : rounded(value, 2);
  }

  /** Collections by the day of their first minting: how many they are, and those with most volume. @param most of a day */
  async created(most: number): Promise<ReadonlyMap<string, CreatedCollections>> {
    return this.#created.get(String(most), () => atOneVersion([this.#engine], () => this.#creations(most)));
  }

  *#creations(most: number): CooperativeTask<Map<string, CreatedCollections>> {
    const { collections } = this.#engine.nfts;
    const days = new Map<string, CreatedCollections>();
    const volume = (row: number) => collections.volumeDrops(row);
    const larger = (a: number, b: number) => (volume(a) > volume(b) ? -1 : volume(a) < volume(b) ? 1 : a - b);
    const from = this.#now - DAYS_MAX * DAY;
    for (let row = 1; row < collections.count; row++) {
      if (row % ROWS_A_SLICE === 0) yield;
      const time = collections.created[row]!;
      if (time === 0 || time < from) continue;
      const date = dateText(time);
      const { count, items, top } = days.get(date) ?? { count: 0, items: 0, top: [] };
      days.set(date, {
        count: count + 1,
        items: items + collections.items[row]!,
        top: [...top, row].sort(larger).slice(0, most),
      });
    }
    return days;
  }

  /** What an account bought and sold. @param party 0: nothing */
  ofParty(party: number) {
    const { parties } = this.#engine.nfts;
    const [bought, sold] = [parties.bought[party]!, parties.sold[party]!];
    return {
      buys: parties.buys[party]!,
      sells: parties.sells[party]!,
      trades: parties.buys[party]! + parties.sells[party]!,
      buyVolume: xrpOf(parties.buyVolume[party]!),
      sellVolume: xrpOf(parties.sellVolume[party]!),
      totalVolume: xrpOf(parties.buyVolume[party]! + parties.sellVolume[party]!),
      lastBuy: bought === 0 ? null : unixMs(bought),
      lastSell: sold === 0 ? null : unixMs(sold),
    };
  }

  get #now(): number {
    return this.#engine.head?.closeTime ?? 0;
  }

  #ofMarketplace(platform: number, all: NftSums) {
    const [day, month] = [this.sums('24h', platform), this.sums('30d', platform)];
    const whole = this.sums('all').volume;
    return {
      ...shown(all),
      volume24h: xrpOf(day.volume),
      sales24h: day.sales,
      volume30d: xrpOf(month.volume),
      sales30d: month.sales,
      volumePct: ratioPercent(all.volume, whole),
    };
  }

  /** Sums of all days, by platform. */
  #ofAllTime(): ReadonlyMap<number | undefined, NftSums> {
    return this.#all.get('', () => {
      const { days } = this.#engine.nfts.market;
      const sums = new Map<number | undefined, NftSums>();
      for (let row = 1; row < days.count; row++) {
        const platform = days.platformOf(row);
        sums.set(platform, addRow(sums.get(platform) ?? NO_SUMS, days, row));
      }
      return sums;
    });
  }

  *#count(): CooperativeTask<Record<NftWindow, Distinct>> {
    const { parties, collections, market } = this.#engine.nfts;
    const now = this.#now;
    const day = (back: number) => (market.days.of(now) - back) * market.days.seconds;
    const starts = {
      '24h': (market.hours.of(now) - DAY_HOURS + 1) * market.hours.seconds,
      '7d': day(6),
      '30d': day(29),
      all: 1,
    } as const;
    const distinct = (): Distinct => ({ buyers: 0, sellers: 0, traders: 0, balance: 0, collections: 0 });
    const counts = { '24h': distinct(), '7d': distinct(), '30d': distinct(), all: distinct() };
    for (let row = 1; row < parties.count; row++) {
      if (row % ROWS_A_SLICE === 0) yield;
      const [bought, sold] = [parties.bought[row]!, parties.sold[row]!];
      if (bought === 0 && sold === 0) continue;
      const balance = dropsOfParty(this.#engine, row) ?? 0;
      for (const window of NFT_WINDOWS) {
        const start = Math.max(1, starts[window]);
        if (bought >= start) counts[window].buyers++;
        if (sold >= start) counts[window].sellers++;
        if (bought < start && sold < start) continue;
        counts[window].traders++;
        counts[window].balance += balance;
      }
    }
    for (let row = 1; row < collections.count; row++) {
      if (row % ROWS_A_SLICE === 0) yield;
      for (const window of NFT_WINDOWS)
        if (collections.sold[row]! >= Math.max(1, starts[window])) counts[window].collections++;
    }
    return counts;
  }
}

/** Of the marketplace that an account brokers for, where that is known. */
function nameOfBroker(account: Uint8Array) {
  const platform = platformByNumber(brokerPlatform(account));
  return platform ? { name: platform.name } : {};
}

/** As clients read them: XRP. */
export function shown(sums: NftSums) {
  return {
    volume: xrpOf(sums.volume),
    sales: sums.sales,
    avgPrice: sums.xrpSales === 0 ? 0 : xrpOf(sums.volume) / sums.xrpSales,
    mints: sums.mints,
    burns: sums.burns,
    transfers: sums.transfers,
    buyOffers: sums.buyOffers,
    sellOffers: sums.sellOffers,
    cancelledOffers: sums.cancelled,
    royalties: xrpOf(sums.royalties),
    brokerFees: xrpOf(sums.brokerFees),
  };
}

/** Percent by which a figure grew; null without a base. */
export function changePercent(now: number, before: number): number | null {
  return before > 0 ? (percent(((now - before) / before) * 100) ?? null) : null;
}

/** Percent of a whole; 0 of nothing. */
const ratioPercent = (part: number, whole: number): number =>
  whole > 0 ? rounded((part / whole) * 100, 4) : 0;
