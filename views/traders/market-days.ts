/**
 * The market by day, and over the last 24 hours, 7 and 30 days and all time. A window is the present hour (day, for more
 * than 24 hours) and the whole ones before it, UTC. XRP.
 */
import type { Engine } from '../../engine/engine.ts';
import { PLATFORMS } from '../../engine/market/platforms.ts';
import { DAY_HOURS, rippleSeconds, unixMs } from '../../engine/ripple-time.ts';
import type { MarketDays } from '../../engine/traders/market-days.ts';
import type { ActiveTraders, Interval } from '../../engine/traders/rankings.ts';
import { dateText } from '../date-text.ts';
import { percent } from '../number-format.ts';
import { type Revision, VersionedCache } from '../versioned-cache.ts';
import { xrpOf } from './trader-rows.ts';

interface Sums {
  volume: number;
  trades: number;
  fees: number;
  volumeAMM: number;
  volumeNonAMM: number;
  tradesAMM: number;
  tradesNonAMM: number;
  ammDeposits: number;
  ammWithdraws: number;
}

type PlatformFigures = Record<string, { volume: number; trades: number; fees: number }>;

/** Days of an answer unless a start is asked for: a year. */
const DAYS_SHOWN = 365;

export class MarketDayViews {
  readonly #engine: Engine;
  readonly #cache: VersionedCache<object>;

  constructor(engine: Engine, revisions: readonly Revision[]) {
    this.#engine = engine;
    this.#cache = new VersionedCache(revisions, 8);
  }

  /** @param startMs first day, Unix ms; undefined: a year ago */
  answer(startMs: number | undefined, active: Record<Interval, ActiveTraders>) {
    const days = this.#engine.traders.marketDays;
    const hours = this.#engine.traders.marketHours;
    const now = this.#engine.head?.closeTime ?? 0;
    const today = days.row(now);
    const first = Math.max(
      1,
      startMs === undefined ? today - DAYS_SHOWN + 1 : days.row(rippleSeconds(startMs)),
    );
    const daily: ReturnType<MarketDayViews['day']>[] = [];
    for (let row = first; row <= today && now > 0; row++) daily.push(this.day(row));
    const hour = hours.row(now);
    const aggregates = {
      '24h': sumOf(hours, hour - DAY_HOURS + 1, hour),
      '7d': sumOf(days, today - 6, today),
      '30d': sumOf(days, today - 29, today),
      all: this.#all(today),
    };
    const before = baseOf(hours, hour - 2 * DAY_HOURS + 1, hour - DAY_HOURS);
    const week = baseOf(days, today - 13, today - 7);
    return {
      daily,
      aggregates,
      percentChanges: {
        volume24hPct: change(aggregates['24h'].volume, before?.volume),
        trades24hPct: change(aggregates['24h'].trades, before?.trades),
        marketcap24hPct: percent(this.#engine.market.globals.marketcapChange) ?? null,
        volume7dPct: change(aggregates['7d'].volume, week?.volume),
      },
      platformStatsAll: this.#platformsAll(today),
      traderBalances: traderBalances(active),
      uniqueTraderCount: active.all.traders,
      lastUpdated: unixMs(now),
    };
  }

  /** One day. */
  day(row: number) {
    const days = this.#engine.traders.marketDays;
    const sums = sumOf(days, row, row);
    const deposits = xrpOf(days.depositDrops[row]! + days.createDrops[row]!);
    const withdrawals = xrpOf(days.withdrawDrops[row]!);
    return {
      date: dateText(days.timeOf(row)),
      volume: sums.volume,
      trades: sums.trades,
      marketcap: days.tokens[row]! > 0 ? days.marketcap[row]! : null,
      tokenCount: days.tokens[row]! > 0 ? days.tokens[row]! : null,
      avgTradeSize: sums.trades > 0 ? sums.volume / sums.trades : 0,
      volumeAMM: sums.volumeAMM,
      volumeNonAMM: sums.volumeNonAMM,
      tradesAMM: sums.tradesAMM,
      tradesNonAMM: sums.tradesNonAMM,
      uniqueTraders: days.traders[row]!,
      uniqueTradersAMM: days.poolTraders[row]!,
      uniqueTradersNonAMM: days.bookTraders[row]!,
      ammDeposit: days.deposits[row]!,
      ammWithdraw: days.withdrawals[row]!,
      ammCreate: days.creates[row]!,
      ammDepositVolume: deposits,
      ammWithdrawVolume: withdrawals,
      ammNetFlow: xrpOf(days.depositDrops[row]! + days.createDrops[row]! - days.withdrawDrops[row]!),
      volumeByPlatform: platformsOf(days, row, row),
    };
  }

  #all(today: number): Sums {
    return this.#cache.get('all', () => sumOf(this.#engine.traders.marketDays, 1, today)) as Sums;
  }

  #platformsAll(today: number): PlatformFigures {
    const make = () => platformsOf(this.#engine.traders.marketDays, 1, today);
    return this.#cache.get('platforms', make) as PlatformFigures;
  }
}

/** How many traded in each interval, and what they have. */
export function traderBalances(active: Record<Interval, ActiveTraders>) {
  return {
    balance24h: xrpOf(active['24h'].balance),
    balance7d: xrpOf(active['7d'].balance),
    balance30d: xrpOf(active['30d'].balance),
    balanceAll: xrpOf(active.all.balance),
    traders24h: active['24h'].traders,
    traders7d: active['7d'].traders,
    traders30d: active['30d'].traders,
    tradersAll: active.all.traders,
  };
}

/** Sums of rows, both ends included. */
function sumOf(days: MarketDays, from: number, to: number): Sums {
  let [pool, book, fees, poolTrades, bookTrades, deposits, withdrawals] = [0, 0, 0, 0, 0, 0, 0];
  for (let row = Math.max(1, from); row <= to; row++) {
    pool += days.poolDrops[row]!;
    book += days.bookDrops[row]!;
    fees += days.feeDrops[row]!;
    poolTrades += days.poolTrades[row]!;
    bookTrades += days.bookTrades[row]!;
    deposits += days.deposits[row]! + days.creates[row]!;
    withdrawals += days.withdrawals[row]!;
  }
  return {
    volume: xrpOf(pool + book),
    trades: poolTrades + bookTrades,
    fees: xrpOf(fees),
    volumeAMM: xrpOf(pool),
    volumeNonAMM: xrpOf(book),
    tradesAMM: poolTrades,
    tradesNonAMM: bookTrades,
    ammDeposits: deposits,
    ammWithdraws: withdrawals,
  };
}

/** By name; those without trades are absent. */
function platformsOf(days: MarketDays, from: number, to: number): PlatformFigures {
  const figures: PlatformFigures = {};
  for (const { number, name } of PLATFORMS) {
    let [drops, trades, fees] = [0, 0, 0];
    for (let row = Math.max(1, from); row <= to; row++) {
      const at = days.platformRow(row, number);
      drops += days.platformDrops[at]!;
      trades += days.platformTrades[at]!;
      fees += days.platformFees[at]!;
    }
    if (trades > 0) figures[name] = { volume: xrpOf(drops), trades, fees: xrpOf(fees) };
  }
  return figures;
}

/** What a change is against; undefined: not all of it was read. The first row may have begun before the first ledger. */
function baseOf(days: MarketDays, from: number, to: number): Sums | undefined {
  return from > 1 ? sumOf(days, from, to) : undefined;
}

/** Percent; null without a base. */
function change(now: number, before = 0): number | null {
  return before > 0 ? (percent(((now - before) / before) * 100) ?? null) : null;
}
