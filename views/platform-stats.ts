/** What was done through each platform in a period, and by hour (engine/usage/usage.ts says how it is counted). */
import { DROPS_PER_XRP } from '../engine/codec/amount.ts';
import type { Engine } from '../engine/engine.ts';
import { PLATFORMS, type Platform } from '../engine/market/platforms.ts';
import { DAY, HOUR, unixMs, WEEK } from '../engine/ripple-time.ts';
import { USAGE_HOURS, type UsageSums } from '../engine/usage/platform-hours.ts';
import type { TokenUsage } from '../engine/usage/platform-tokens.ts';

import { assetObject } from './identity.ts';
import { type Revisions, VersionedCache } from './versioned-cache.ts';

/** Whole hours. */
export const PERIODS = { '24h': DAY / HOUR, '7d': WEEK / HOUR, '30d': USAGE_HOURS } as const;
export type Period = keyof typeof PERIODS;

/** Sums of a platform, XRP. */
interface Volumes {
  readonly txCount: number;
  readonly trades: number;
  readonly volume: number;
  readonly buyVolumeXrp: number;
  readonly sellVolumeXrp: number;
}

interface Totals extends Volumes {
  /** Accounts that signed a transaction. */
  readonly uaw: number;
  /** Those that signed a trade. */
  readonly uniqueTraders: number;
}

export interface PlatformRow extends Totals {
  readonly sourceTag: number;
  readonly name: string;
  readonly slug: string;
  /** Percent of the totals. */
  readonly pctVolume: number;
  readonly pctUAW: number;
  readonly pctTx: number;
}

/** First ms of the period, and from when on what is shown is known, where that is later. */
interface Known {
  readonly from: number;
  readonly since?: number;
}

export interface Overview extends Known {
  /** Of all transactions, with and without a platform. */
  readonly totals: Totals;
  /** Those through which something was signed, most volume first. */
  readonly platforms: readonly PlatformRow[];
}

/** A platform by its SourceTag or slug. */
export function platformOf(id: string): Platform | undefined {
  const slug = id.toLowerCase();
  return PLATFORMS.find((platform) => platform.slug === slug || String(platform.sourceTag) === id);
}

export class PlatformStats {
  readonly #engine: Engine;
  readonly #overviews: VersionedCache<Overview>;

  constructor(engine: Engine, { ledger }: Revisions) {
    this.#engine = engine;
    this.#overviews = new VersionedCache([ledger], Object.keys(PERIODS).length);
  }

  overview(period: Period): Overview {
    return this.#overviews.get(period, () => this.#overview(PERIODS[period]));
  }

  /** One platform's row; also of one that nobody used in the period. */
  row(platform: Platform, period: Period): PlatformRow {
    const { totals, platforms } = this.overview(period);
    const found = platforms.find(({ sourceTag }) => sourceTag === platform.sourceTag);
    return found ?? rowOf(platform, NOTHING, totals);
  }

  /** Tokens traded through a platform, most volume first. @param limit most rows; total counts all */
  tokens(platform: Platform, period: Period, limit: number) {
    const { usage, state } = this.#engine;
    const sums = [...usage.tokens.sums(platform.number, this.#window(PERIODS[period]).first)];
    const sorted = sums.toSorted(([a, left], [b, right]) => right.drops - left.drops || a - b);
    const tokens = sorted.slice(0, limit).map(([token, sums]) => ({
      ...assetObject(state, token),
      ...tokenVolumes(sums),
    }));
    return { ...this.#known(PERIODS[period]), total: sums.length, tokens };
  }

  /** Each hour of the period, oldest first; the last one is not over yet. */
  hourly(platform: Platform, period: Period) {
    const { usage } = this.#engine;
    const { first, last } = this.#window(PERIODS[period]);
    const hourly = [];
    for (let hour = first; hour <= last; hour++) {
      const { accounts, traders } = usage.hours.distinct(platform.number, hour);
      const volumes = volumesOf(usage.hours.sums(platform.number, hour, hour));
      hourly.push({ time: unixMs(hour * HOUR), ...volumes, uaw: accounts, uniqueTraders: traders });
    }
    return { ...this.#known(PERIODS[period]), hourly };
  }

  #overview(hours: number): Overview {
    const { usage, market } = this.#engine;
    const { first, last } = this.#window(hours);
    const { signed, traded } = usage.accounts.since(first * HOUR);
    const sums = (platform: number) => usage.hours.sums(platform, first, last);
    const byPlatform = PLATFORMS.map(({ number }) => sums(number));
    const used: [Platform, Totals][] = PLATFORMS.map((platform, i) => {
      const { number } = platform;
      const distinct = { uaw: signed[number] ?? 0, uniqueTraders: traded[number] ?? 0 };
      return [platform, { ...volumesOf(byPlatform[i]!), ...distinct }];
    });
    const totals: Totals = {
      ...volumesOf(added([sums(0), ...byPlatform])),
      uaw: market.activity.byHour.since(first),
      uniqueTraders: usage.accounts.tradersSince(first),
    };
    const platforms = used
      .filter(([, { txCount }]) => txCount > 0)
      .map(([platform, own]) => rowOf(platform, own, totals))
      .toSorted((a, b) => b.volume - a.volume || b.txCount - a.txCount || a.sourceTag - b.sourceTag);
    return { ...this.#known(hours), totals, platforms };
  }

  /** First and last hour (close time / 3600). */
  #window(hours: number): { first: number; last: number } {
    const last = Math.floor((this.#engine.head?.closeTime ?? 0) / HOUR);
    return { first: Math.max(0, last - hours + 1), last };
  }

  #known(hours: number): Known {
    const from = this.#window(hours).first * HOUR;
    const { since } = this.#engine.usage;
    return { from: unixMs(from), ...(since !== undefined && since > from && { since: unixMs(since) }) };
  }
}

const NOTHING: Totals = {
  txCount: 0,
  trades: 0,
  volume: 0,
  buyVolumeXrp: 0,
  sellVolumeXrp: 0,
  uaw: 0,
  uniqueTraders: 0,
};

function rowOf({ sourceTag, name, slug }: Platform, own: Totals, all: Totals): PlatformRow {
  return {
    sourceTag,
    name,
    slug,
    ...own,
    pctVolume: percent(own.volume, all.volume),
    pctUAW: percent(own.uaw, all.uaw),
    pctTx: percent(own.txCount, all.txCount),
  };
}

function volumesOf({ transactions, trades, drops, boughtDrops, soldDrops }: UsageSums): Volumes {
  return {
    txCount: transactions,
    trades,
    volume: drops / DROPS_PER_XRP,
    buyVolumeXrp: boughtDrops / DROPS_PER_XRP,
    sellVolumeXrp: soldDrops / DROPS_PER_XRP,
  };
}

function tokenVolumes({ trades, drops, boughtDrops, soldDrops }: TokenUsage) {
  return {
    trades,
    volume: drops / DROPS_PER_XRP,
    buyVolumeXrp: boughtDrops / DROPS_PER_XRP,
    sellVolumeXrp: soldDrops / DROPS_PER_XRP,
  };
}

/** In drops: sums of XRP are not exact. */
function added(all: readonly UsageSums[]): UsageSums {
  const sum = (of: (one: UsageSums) => number) => all.reduce((total, one) => total + of(one), 0);
  return {
    transactions: sum(({ transactions }) => transactions),
    trades: sum(({ trades }) => trades),
    drops: sum(({ drops }) => drops),
    boughtDrops: sum(({ boughtDrops }) => boughtDrops),
    soldDrops: sum(({ soldDrops }) => soldDrops),
  };
}

function percent(part: number, whole: number): number {
  return whole > 0 ? (100 * part) / whole : 0;
}
