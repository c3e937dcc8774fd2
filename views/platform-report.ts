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
 * tokens launched since. What only the state at that moment said (pools, holders, market caps of single tokens) is not kept, and not in it. Cost: one
 * walk over two days of trades, in slices; the newest REPORTS_KEPT reports are kept.
 */
import { DROPS_PER_XRP } from '../engine/codec/amount.ts';
import type { Engine } from '../engine/engine.ts';
import { yieldToLoop } from '../engine/event-loop.ts';
import { Fiat } from '../engine/market/figures.ts';
import { platformByNumber } from '../engine/market/platforms.ts';
import type { TradeReader } from '../engine/market/trade-record.ts';
import { DAY, HOUR, MINUTE, unixMs } from '../engine/ripple-time.ts';
import { XRP } from '../engine/state/tokens.ts';
import { PRUNED_TRADES_VALUE } from '../engine/store.ts';
import { USAGE_HOURS } from '../engine/usage/platform-hours.ts';
import { dateText } from './date-text.ts';
import { assetObject, tokenName } from './identity.ts';
import { tokensByDay } from './token-creation.ts';

/** After midnight, when the report of the day before can be read. */
const READY_AFTER = 5 * MINUTE;
const REPORTS_KEPT = 32;
const TOP_TOKENS = 10;
const NEW_DAYS = 7;
/** Longer names are counted with this length. */
const NAME_LENGTH_MAX = 20;

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

/** What one token did on a day. */
interface TokenDay {
  trades: number;
  drops: number;
}

/** What the trades of one day add up to. */
class DaySums {
  trades = 0;
  drops = 0;
  readonly traders = new Set<number>();
  readonly tokens = new Map<number, TokenDay>();
  /** By number of the platform. */
  readonly platforms = new Map<number, TokenDay>();

  take({ account, paidToken, gotToken, valueDrops, platform }: TradeReader): void {
    this.trades++;
    this.drops += valueDrops;
    this.traders.add(account);
    for (const token of [paidToken, gotToken]) if (token !== XRP) add(this.tokens, token, valueDrops);
    add(this.platforms, platform, valueDrops);
  }
}

export class PlatformReports {
  readonly #engine: Engine;
  /** By day (close time / DAY) on which they can first be read. */
  readonly #made = new Map<number, Promise<Report>>();
  readonly #durations = new Map<number, number>();

  constructor(engine: Engine) {
    this.#engine = engine;
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
    const market = this.#market(day, today);
    const report = {
      date: dateText(day * DAY),
      from: unixMs((day - 1) * DAY),
      to: unixMs(day * DAY),
      generatedAt: readyAt(day),
      market,
      revenue: this.#revenue(day),
      platforms: platformRows(today),
      launchpads: this.#launchpads(day, today),
      topTokens: this.#topTokens(day, today),
      nameLengthSuccess: this.#nameLengths(day, today),
      dailyNewTokens: this.#newTokens(day),
      historicalDeltas: this.#deltas(day, market, yesterday),
      errors: [] as string[],
    };
    const totalDurationMs = Math.round(now() - started);
    this.#durations.set(day, totalDurationMs);
    return { ...report, totalDurationMs };
  }

  async #sums(day: number): Promise<DaySums> {
    const sums = new DaySums();
    const span = { start: (day - 1) * DAY, end: day * DAY - 1 };
    const visit = (record: TradeReader) => {
      if (!record.isLiquidity) sums.take(record);
    };
    await this.#engine.market.history.every(span, visit, yieldToLoop);
    return sums;
  }

  #market(day: number, sums: DaySums) {
    const { marketDays } = this.#engine.traders;
    const row = marketDays.row((day - 1) * DAY);
    const tokens = row === 0 ? 0 : marketDays.tokens[row]!;
    const transactions = this.#transactions(day);
    return {
      tradedXRP24H: sums.drops / DROPS_PER_XRP,
      trades24H: sums.trades,
      uniqueTraders24H: sums.traders.size,
      activeTokens24h: sums.tokens.size,
      ...(tokens > 0 && { totalTokens: tokens, totalMarketcap: marketDays.marketcap[row]! }),
      ...(transactions !== undefined && { transactions24H: transactions }),
    };
  }

  /** Hours are kept for 30 days; undefined: not all of them are. */
  #transactions(day: number): number | undefined {
    const { usage, head } = this.#engine;
    const [first, end] = [((day - 1) * DAY) / HOUR, (day * DAY) / HOUR];
    const oldest = Math.floor((head?.closeTime ?? 0) / HOUR) - USAGE_HOURS + 1;
    if (first < oldest || usage.since === 0 || usage.since > (day - 1) * DAY) return undefined;
    return usage.hours.transactions(first, end - 1);
  }

  #revenue(day: number) {
    const xrpPerUsd = this.#engine.market.rates.at(Fiat.USD, day * DAY - 1);
    return xrpPerUsd === undefined ? {} : { xrpUsdRate: 1 / xrpPerUsd };
  }

  /** Tokens issued before the end of the day; LP tokens are none. */
  *#tokens(day: number): Generator<number> {
    const { tokens } = this.#engine.state;
    for (let token = 1; token < tokens.count; token++)
      if (tokens.createdAt(token) < day * DAY && tokens.tokenType(token) !== 'lp') yield token;
  }

  #launchpads(day: number, sums: DaySums) {
    const { launches } = this.#engine.market;
    const found = new Map<string, { total: number; active24h: number; drops: number }>();
    for (const token of this.#tokens(day)) {
      const platform = launches.platform(token)?.launchpad;
      if (platform === undefined) continue;
      const row = found.get(platform) ?? { total: 0, active24h: 0, drops: 0 };
      found.set(platform, row);
      const traded = sums.tokens.get(token);
      row.total++;
      if (traded) row.active24h++;
      row.drops += traded?.drops ?? 0;
    }
    return [...found]
      .map(([platform, { total, active24h, drops }]) => ({
        platform,
        total,
        active24h,
        totalVol24h: drops / DROPS_PER_XRP,
      }))
      .toSorted((a, b) => b.totalVol24h - a.totalVol24h || b.total - a.total);
  }

  #topTokens(day: number, sums: DaySums) {
    const { tokens } = this.#engine.state;
    const sorted = [...sums.tokens].toSorted(([a, left], [b, right]) => right.drops - left.drops || a - b);
    const since = (day - NEW_DAYS) * DAY;
    const isNew = ([token]: [number, TokenDay]) =>
      tokens.createdAt(token) >= since && tokens.createdAt(token) < day * DAY;
    const top = (rows: [number, TokenDay][]) => rows.slice(0, TOP_TOKENS).map((row) => this.#tokenRow(row));
    return { byVolume: top(sorted), newWithTraction: top(sorted.filter(isNew)) };
  }

  #tokenRow([token, { trades, drops }]: [number, TokenDay]) {
    const { state, market } = this.#engine;
    const origin = market.launches.platform(token)?.launchpad;
    return {
      ...assetObject(state, token),
      vol24hxrp: drops / DROPS_PER_XRP,
      vol24htx: trades,
      ...(origin !== undefined && { origin }),
    };
  }

  #nameLengths(day: number, sums: DaySums) {
    const rows = new Map<number, { count: number; active24h: number; drops: number }>();
    for (const token of this.#tokens(day)) {
      const length = Math.min(NAME_LENGTH_MAX, [...tokenName(this.#engine.state, token)].length);
      const row = rows.get(length) ?? { count: 0, active24h: 0, drops: 0 };
      rows.set(length, row);
      const traded = sums.tokens.get(token);
      row.count++;
      if (traded) row.active24h++;
      row.drops += traded?.drops ?? 0;
    }
    return [...rows]
      .toSorted(([a], [b]) => a - b)
      .map(([length, { count, active24h, drops }]) => ({
        length,
        count,
        active24h,
        activeRate: (100 * active24h) / count,
        avgVol24hXRP: drops / DROPS_PER_XRP / count,
      }));
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

function add(sums: Map<number, TokenDay>, key: number, drops: number): void {
  const row = sums.get(key) ?? { trades: 0, drops: 0 };
  sums.set(key, row);
  row.trades++;
  row.drops += drops;
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
