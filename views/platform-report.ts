/**
 * The report of a day, made of what the store keeps of it.
 *
 *     report of 8 March, readable from 8 March 00:05 UTC:   7 March 00:00 <= close time < 8 March 00:00
 *
 * Traded XRP, trades and traders are those of all trades (a trade of two tokens counts once, a trader is who signed);
 * tokens and market cap are those after the day's last ledger. Of a token, its volume is what its trades were worth. A
 * token counts for its launch platform (engine/market/launches.ts) once it was launched, whenever the report is read.
 *
 * A report follows from ledgers alone, so it is made when it is asked for, and again after a restart: the same one, but for
 * tokens launched since, and what creators have taken of all time. What tokens and pools were at the end of the day is
 * stored day by day (report/token-ends.ts); where the day is older than that, these parts are absent. Cost: one
 * walk over two days of trades and one over all tokens and pools, in slices; the newest REPORTS_KEPT reports are kept.
 */
import { DROPS_PER_XRP } from '../engine/codec/amount.ts';
import type { Engine } from '../engine/engine.ts';
import { yieldToLoop } from '../engine/event-loop.ts';
import { Fiat } from '../engine/market/figures.ts';
import { platformByNumber } from '../engine/market/platforms.ts';
import { DAY, HOUR, MINUTE, unixMs } from '../engine/ripple-time.ts';
import { PRUNED_TRADES_VALUE } from '../engine/store.ts';
import { USAGE_HOURS } from '../engine/usage/platform-hours.ts';
import { Best } from './best.ts';
import { dateText } from './date-text.ts';
import { assetObject } from './identity.ts';
import { creatorBehavior } from './report/creators.ts';
import { DaySums } from './report/day-sums.ts';
import { DayEnd } from './report/token-ends.ts';
import { TokenParts } from './report/token-parts.ts';
import type { RiskMetrics } from './risk-metrics.ts';
import { tokensByDay } from './token-creation.ts';

/** After midnight, when the report of the day before can be read. */
const READY_AFTER = 5 * MINUTE;
const REPORTS_KEPT = 32;
const TOP_TOKENS = 10;
const NEW_DAYS = 7;
/** Pools that lock less are not ranked by their yield. */
const RANKED_POOL_XRP = 100;
/** Tokens and pools read before other work may run: about 2 ms. */
const TOKENS_A_SLICE = 256;
const POOLS_A_SLICE = 256;

export interface ReportDate {
  /** YYYY-MM-DD */
  readonly date: string;
  /** Unix ms: 00:05 UTC of the date. */
  readonly generatedAt: number;
  /** null: it has not been made since the start. */
  readonly durationMs: number | null;
  readonly errorCount: number;
}

type Report = Awaited<ReturnType<PlatformReports['make']>>;

export class PlatformReports {
  readonly #engine: Engine;
  readonly #risk: RiskMetrics;
  /** By day (close time / DAY) on which they can first be read. */
  readonly #made = new Map<number, Promise<Report>>();
  readonly #durations = new Map<number, number>();

  constructor(engine: Engine, risk: RiskMetrics) {
    this.#engine = engine;
    this.#risk = risk;
  }

  /** Day (close time / DAY) of the newest ledger. */
  get today(): number {
    return Math.floor((this.#engine.head?.closeTime ?? 0) / DAY);
  }

  /**
   * The report of a date; undefined: there is none, or not yet.
   * @param day close time / DAY. @param now ms, for how long it took to make
   */
  of(day: number, now: () => number): Promise<Report> | undefined {
    if (!this.#exists(day)) return undefined;
    const known = this.#made.get(day);
    if (known) return known;
    const made = this.make(day, now);
    this.#made.set(day, made);
    made.catch(() => this.#made.delete(day));
    if (this.#made.size > REPORTS_KEPT) this.#made.delete(this.#made.keys().next().value!);
    return made;
  }

  /** Newest first. */
  dates(offset: number, limit: number): ReportDate[] {
    const { first } = this.#engine.traders.marketDays;
    const found: ReportDate[] = [];
    let skip = offset;
    for (let day = this.today; day > first && found.length < limit; day--) {
      if (!this.#exists(day) || skip-- > 0) continue;
      const durationMs = this.#durations.get(day) ?? null;
      found.push({ date: dateText(day * DAY), generatedAt: readyAt(day), durationMs, errorCount: 0 });
    }
    return found;
  }

  /** All of the day before is durable and its trades are kept, and there was a market: a listed token or a trade. */
  #exists(day: number): boolean {
    const { store, traders } = this.#engine;
    if (!store.cursor || store.cursor.closeTime < day * DAY + READY_AFTER) return false;
    const { marketDays } = traders;
    const row = marketDays.row((day - 1) * DAY);
    if (row === 0 || row >= marketDays.table.count) return false;
    if (!(marketDays.tokens[row]! + marketDays.poolTrades[row]! + marketDays.bookTrades[row]!)) return false;
    const kept = store.value(PRUNED_TRADES_VALUE) as number | undefined;
    return kept === undefined || (store.ledgerAt((day - 1) * DAY - 1)?.index ?? 0) + 1 >= kept;
  }

  async make(day: number, now: () => number) {
    const started = now();
    const [today, yesterday] = [await this.#sums(day), await this.#sums(day - 1)];
    const tokens = await this.#tokenParts(day, today);
    const [market, ammOverview] = [this.#market(day, today), await this.#pools(day)];
    const report = {
      date: dateText(day * DAY),
      from: unixMs((day - 1) * DAY),
      to: unixMs(day * DAY),
      generatedAt: readyAt(day),
      market,
      revenue: this.#revenue(day),
      ...(ammOverview && { ammOverview }),
      platforms: platformRows(today),
      ...tokens,
      creatorBehavior: await creatorBehavior(this.#engine, today),
      riskMetrics: await this.#risk.until(day),
      dailyNewTokens: this.#newTokens(day),
      historicalDeltas: this.#deltas(day, market, yesterday),
      errors: [] as string[],
    };
    const totalDurationMs = Math.round(now() - started);
    this.#durations.set(day, totalDurationMs);
    return { ...report, totalDurationMs };
  }

  async #sums(day: number): Promise<DaySums> {
    const { creators } = this.#engine.flows;
    const sums = new DaySums((token) => creators.of(token));
    const span = { start: (day - 1) * DAY, end: day * DAY - 1 };
    await this.#engine.market.history.every(span, (record) => sums.take(record), yieldToLoop);
    return sums;
  }

  #market(day: number, sums: DaySums) {
    const { marketDays } = this.#engine.traders;
    const row = marketDays.row((day - 1) * DAY);
    const tokens = row === 0 ? 0 : marketDays.tokens[row]!;
    const transactions = this.#transactions(day);
    const locked = new DayEnd(this.#engine, day).allPools?.locked;
    return {
      tradedXRP24H: sums.drops / DROPS_PER_XRP,
      trades24H: sums.trades,
      uniqueTraders24H: sums.traders.size,
      activeTokens24h: sums.tokens.size,
      ...(tokens > 0 && { totalTokens: tokens, totalMarketcap: marketDays.marketcap[row]! }),
      ...(locked !== undefined && { totalTVL: locked }),
      ...(transactions !== undefined && { transactions24H: transactions }),
    };
  }

  /** Hours are kept for 30 days; undefined: not all of them are. */
  #transactions(day: number): number | undefined {
    const { usage, head } = this.#engine;
    const [first, end] = [((day - 1) * DAY) / HOUR, (day * DAY) / HOUR];
    const oldest = Math.floor((head?.closeTime ?? 0) / HOUR) - USAGE_HOURS + 1;
    if (first < oldest || usage.since === undefined || usage.since > (day - 1) * DAY) return undefined;
    return usage.hours.transactions(first, end - 1);
  }

  #revenue(day: number) {
    const xrpPerUsd = this.#engine.market.rates.at(Fiat.USD, day * DAY - 1);
    return xrpPerUsd === undefined ? {} : { xrpUsdRate: 1 / xrpPerUsd };
  }

  /** What is said of all tokens issued before the end of the day; LP tokens are none. */
  async #tokenParts(day: number, sums: DaySums) {
    const { tokens } = this.#engine.state;
    const parts = new TokenParts(this.#engine, day);
    for (let token = 1; token < tokens.count; token++) {
      if (token % TOKENS_A_SLICE === 0) await yieldToLoop();
      if (tokens.createdAt(token) < day * DAY && tokens.tokenType(token) !== 'lp')
        parts.take(token, sums.tokens.get(token));
    }
    return parts.sections();
  }

  /** The pools that lock something; undefined: not known of that day. */
  async #pools(day: number) {
    const end = new DayEnd(this.#engine, day);
    const all = end.allPools;
    if (!all) return undefined;
    const { state } = this.#engine;
    const { pools, accounts } = state;
    const best = new Best(TOP_TOKENS);
    for (let pool = 1; pool < pools.count; pool++) {
      if (pool % POOLS_A_SLICE === 0) await yieldToLoop();
      const one = end.pool(pool);
      if (one && one.locked >= RANKED_POOL_XRP) best.offer(pool, one.apy7d);
    }
    const fee = end.averageFee;
    return {
      activePools: all.count,
      totalLiquidityXRP: all.locked,
      ...(fee !== undefined && { avgTradingFee: fee }),
      topPoolsByApy7d: Array.from(best.ids, (pool) => {
        const { locked, apy7d, fee } = end.pool(pool)!;
        return {
          _id: accounts.text(pools.accounts[pool]!),
          assets: [assetObject(state, pools.asset1(pool)), assetObject(state, pools.asset2(pool))],
          apy7d,
          liquidityXRP: locked,
          ...(fee !== undefined && { tradingFee: fee }),
        };
      }),
    };
  }

  #newTokens(day: number) {
    const last7Days = tokensByDay(this.#engine, day - 1, NEW_DAYS);
    return { avgDailyCreation: last7Days.reduce((sum, { count }) => sum + count, 0) / NEW_DAYS, last7Days };
  }

  /** Against the day before; of figures that both have. */
  #deltas(day: number, market: object, yesterday: DaySums) {
    const yesterdayStr = dateText((day - 1) * DAY);
    if (!this.#exists(day - 1)) return { available: false, yesterdayStr, deltas: {} };
    const before = new Map<string, number>(Object.entries(this.#market(day - 1, yesterday)));
    const deltas = Object.entries(market as Record<string, number>).flatMap(([name, now]) => {
      const then = before.get(name);
      if (then === undefined) return [];
      const diff = now - then;
      return [[`market.${name}`, { diff, pctChange: then === 0 ? null : (100 * diff) / then }] as const];
    });
    return { available: true, yesterdayStr, deltas: Object.fromEntries(deltas) };
  }
}

function platformRows({ platforms }: DaySums) {
  return [...platforms]
    .flatMap(([number, { trades, drops }]) => {
      const platform = platformByNumber(number);
      if (!platform) return [];
      const { sourceTag, name, slug } = platform;
      return [{ sourceTag, name, slug, trades, volume: drops / DROPS_PER_XRP }];
    })
    .toSorted((a, b) => b.volume - a.volume || a.sourceTag - b.sourceTag);
}

function readyAt(day: number): number {
  return unixMs(day * DAY + READY_AFTER);
}
