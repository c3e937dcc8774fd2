/** The report of a day against a recount of the raw trades, tokens and transactions of the embedded network. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { Engine } from '../../../engine/engine.ts';
import { PLATFORMS } from '../../../engine/market/platforms.ts';
import { TRADE_BYTES, TradeReader } from '../../../engine/market/trade-record.ts';
import { RIPPLE_EPOCH, unixMs } from '../../../engine/ripple-time.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { BruteTotals } from '../../engine/market/brute-totals.ts';
import { quiet } from '../../live-rig.ts';
import { World } from '../../sandbox/population/world.ts';
import { applyAll } from '../../views/world.ts';
import { missingNames, REPORT_READS } from '../client-names.ts';
import { type Asker, asker, type Json } from './ask.ts';

const STEP = 3600;
const DAY = 86_400;
const HOURS = 3.5 * 24;
const dateOf = (day: number) => new Date((day * DAY + RIPPLE_EPOCH) * 1000).toISOString().slice(0, 10);

/** What the engine showed after the last ledger of a day. */
interface End {
  readonly holders: Map<number, number>;
  readonly marketcaps: Map<number, number>;
  readonly prices: Map<number, number>;
  /** XRP that pools with XRP lock, and that all do. */
  readonly locked: readonly [number, number];
  /** Realised profit of each account that traded, drops. */
  readonly profits: readonly number[];
}

function endOf({ state, market, traders: { traders } }: Engine): End {
  const { tokens, lines, pools } = state;
  const [holders, marketcaps, prices] = [1, 2, 3].map(() => new Map<number, number>());
  for (let token = 1; token < tokens.count; token++) {
    if (tokens.tokenType(token) === 'lp') continue;
    if (lines.holdersCount(token) > 0) holders!.set(token, lines.holdersCount(token));
    const price = market.totals.price(token);
    if (price !== undefined) prices!.set(token, price);
    if (market.totals.ofMarket.has(token)) marketcaps!.set(token, market.totals.marketcapOf(token)!);
  }
  let withXrp = 0;
  for (let pool = 1; pool < pools.count; pool++)
    if (pools.exists(pool) && (pools.asset1(pool) === 0 || pools.asset2(pool) === 0))
      withXrp += market.totals.lockedDrops(pool) / 1e6;
  return {
    holders: holders!,
    marketcaps: marketcaps!,
    prices: prices!,
    locked: [withXrp, market.totals.locked],
    profits: profitsOf(traders),
  };
}

function profitsOf({
  table,
  isPool,
  trades,
  bookRealised,
  poolRealised,
}: Engine['traders']['traders']): number[] {
  const rows = Array.from({ length: table.count - 1 }, (_, i) => i + 1);
  return rows
    .filter((row) => isPool[row] === 0 && trades[row]! > 0)
    .map((row) => bookRealised[row]! + poolRealised[row]!);
}

interface Trade {
  readonly time: number;
  readonly signer: number;
  readonly drops: number;
  readonly tokens: readonly number[];
  readonly tag: number | undefined;
  readonly isPool: boolean;
}

describe('/platform-report', () => {
  const store = new MemoryStore();
  const trades: Trade[] = [];
  const sent = new Map<number, number>();
  const ends = new Map<number, BruteTotals>();
  const states = new Map<number, End>();
  /** Trades and liquidity events of creators with tokens of their own, by day and kind. */
  const acts: { readonly day: number; readonly action: string; readonly drops: number }[] = [];
  let engine = new Engine({ store, log: quiet });
  let ask: Asker;
  let [first, last] = [0, 0];

  beforeAll(async () => {
    const world = new World({ seed: 'reports' });
    for (let ledger = 0; ledger < (HOURS * 3600) / STEP; ledger++) {
      const packed = world.step(STEP).packed();
      await applyAll(engine, [packed]);
      const day = Math.floor(packed.closeTime / DAY);
      first ||= day;
      last = day;
      sent.set(day, (sent.get(day) ?? 0) + packed.count);
      ends.set(day, new BruteTotals(engine.state, engine.market));
      states.set(day, endOf(engine));
    }
    await engine.drain();
    const reader = new TradeReader(new Uint8Array(TRADE_BYTES));
    store.trades({}, (_, bytes) => {
      const one = reader.load(bytes);
      recordActs(one);
      if (one.isLiquidity) return true;
      trades.push({
        time: one.closeTime,
        signer: one.isAMM ? one.maker : one.taker,
        drops: one.valueDrops,
        tokens: [one.paidToken, one.gotToken].filter((token) => token !== 0),
        tag: one.sourceTag,
        isPool: one.isAMM,
      });
      return true;
    });
    ask = asker(engine);
  });

  function recordActs(one: TradeReader): void {
    const day = Math.floor(one.closeTime / DAY);
    const isOwn = (token: number, account: number) =>
      token !== 0 && engine.flows.creators.of(token) === account;
    const record = (action: string) => acts.push({ day, action, drops: one.valueDrops });
    if (one.isLiquidity) {
      const action = ['', 'deposit', 'withdraw', 'amm_create'][one.type]!;
      for (const token of [one.paidToken, one.gotToken]) if (isOwn(token, one.account)) record(action);
      return;
    }
    if (isOwn(one.paidToken, one.maker)) record('buy');
    if (isOwn(one.gotToken, one.taker)) record('buy');
    if (isOwn(one.paidToken, one.taker)) record('sell');
    if (isOwn(one.gotToken, one.maker)) record('sell');
  }

  /** As the traders were when the day ended; volumes of all trades until then. */
  function expectRisk({ riskMetrics }: Json, day: number): void {
    const { profits } = states.get(day)!;
    expect(riskMetrics.totalTraders).toBe(profits.length);
    expect(riskMetrics.totalWinners).toBe(profits.filter((drops) => drops >= 1).length);
    expect(riskMetrics.totalLosers).toBe(profits.filter((drops) => drops <= -1).length);
    expect(riskMetrics.totalWinners).toBeGreaterThan(0);
    expect(riskMetrics.netProfitAllTraders).toBeCloseTo(
      profits.reduce((sum, drops) => sum + drops, 0) / 1e6,
      3,
    );
    const until = trades.filter(({ time }) => time < (day + 1) * DAY);
    const volume = (isPool: boolean) =>
      until.filter((trade) => trade.isPool === isPool).reduce((sum, { drops }) => sum + drops, 0) / 1e6;
    expect(riskMetrics.totalAmmVolume).toBeCloseTo(volume(true), 6);
    expect(riskMetrics.totalDexVolume).toBeCloseTo(volume(false), 6);
    const { inactive, collapsed } = engine.risk.passes.of(day)!;
    expect([riskMetrics.defunctTokenCount, riskMetrics.collapsedTokenCount]).toEqual([inactive, collapsed]);
  }

  function expectEnds(body: Json, day: number): void {
    expectRisk(body, day);
    const { holders, marketcaps, prices, locked } = states.get(day)!;
    const { tokens } = engine.state;
    const largest = (map: Map<number, number>) =>
      [...map].toSorted(([a, left], [b, right]) => right - left || a - b).slice(0, 10);
    const shown = (rows: Json[], key: string) => rows.map((row) => [row.md5, row[key]]);
    expect(shown(body.topTokens.byHolders, 'holders')).toEqual(
      largest(holders).map(([token, count]) => [tokens.md5(token), count]),
    );
    const caps = largest(marketcaps);
    expect(caps.length).toBeGreaterThan(0);
    expect(body.topTokens.byMarketcap.map(({ md5 }: Json) => md5)).toEqual(
      caps.map(([token]) => tokens.md5(token)),
    );
    for (const [i, [, cap]] of caps.entries())
      expect(body.topTokens.byMarketcap[i].marketcap / cap).toBeCloseTo(1, 9);
    const before = states.get(day - 1)?.prices;
    for (const { md5, pro24h } of body.topTokens.byPriceGrowth) {
      const token = tokens.byMd5(md5)!;
      expect(pro24h).toBeCloseTo((prices.get(token)! / before!.get(token)! - 1) * 100, 3);
    }
    const growths = body.topTokens.byPriceGrowth.map((row: Json) => row.pro24h);
    expect(growths).toEqual(growths.toSorted((a: number, b: number) => b - a));
    const popular = [...holders.values()].filter((count) => count > 10).length;
    const sumOf = (rows: Json[], key: string) => rows.reduce((sum, row) => sum + row[key], 0);
    expect(sumOf(body.nameLengthSuccess, 'holdersAbove10')).toBe(popular);
    expect(sumOf(body.nameLengthSuccess, 'mcapAbove5k')).toBe(
      [...marketcaps.values()].filter((cap) => cap > 5000).length,
    );
    const pools: Json[] = body.ammOverview.topPoolsByApy7d;
    expect(pools.length).toBeGreaterThan(0);
    expect(pools.map(({ apy7d }) => apy7d)).toEqual(
      pools.map(({ apy7d }) => apy7d).toSorted((a, b) => b - a),
    );
    for (const { liquidityXRP } of pools) expect(liquidityXRP).toBeGreaterThanOrEqual(100);
    // Pools between two tokens are worth what they were when they changed last.
    expect(body.market.totalTVL).toBe(body.ammOverview.totalLiquidityXRP);
    expect(body.market.totalTVL).toBeGreaterThanOrEqual(locked[0] * (1 - 1e-9));
    expect(Math.abs(body.market.totalTVL / locked[1] - 1)).toBeLessThan(0.02);
  }

  function expectCreators(body: Json, day: number): void {
    const own = acts.filter((one) => one.day === day);
    const kinds = new Set(own.map(({ action }) => action));
    expect(new Set(body.creatorBehavior.last24h.map(({ _id }: Json) => _id))).toEqual(kinds);
    for (const { _id, count, totalXrp } of body.creatorBehavior.last24h) {
      const rows = own.filter(({ action }) => action === _id);
      expect(count).toBe(rows.length);
      expect(totalXrp).toBeCloseTo(rows.reduce((sum, { drops }) => sum + drops, 0) / 1e6, 6);
    }
  }

  const onDay = (day: number) => trades.filter(({ time }) => Math.floor(time / DAY) === day);
  const xrp = (rows: readonly Trade[]) => rows.reduce((sum, { drops }) => sum + drops, 0) / 1e6;

  function expectMarket(shown: Json, day: number): void {
    const rows = onDay(day);
    const totals = ends.get(day)!;
    expect(shown.tradedXRP24H).toBeCloseTo(xrp(rows), 6);
    expect(shown.trades24H).toBe(rows.length);
    expect(shown.uniqueTraders24H).toBe(new Set(rows.map(({ signer }) => signer)).size);
    expect(shown.activeTokens24h).toBe(new Set(rows.flatMap(({ tokens }) => tokens)).size);
    expect(shown.totalTokens).toBe(totals.listed.length);
    expect(shown.totalMarketcap / totals.marketcap).toBeCloseTo(1, 9);
    // The first day is counted only where every ledger of it was read.
    if (day > first) expect(shown.transactions24H).toBe(sent.get(day)!);
  }

  function expectTop(shown: Json[], rows: readonly Trade[], of: (token: number) => boolean): void {
    const { tokens } = engine.state;
    const volumes = new Map<string, number[]>();
    for (const { tokens: traded, drops } of rows)
      for (const token of traded.filter(of)) {
        const md5 = tokens.md5(token);
        volumes.set(md5, [...(volumes.get(md5) ?? []), drops]);
      }
    const sum = (drops: readonly number[]) => drops.reduce((all, one) => all + one, 0) / 1e6;
    const largest = [...volumes.values()].map(sum).toSorted((a, b) => b - a);
    expect(shown).toHaveLength(Math.min(10, volumes.size));
    for (const [i, row] of shown.entries()) {
      expect(row.vol24hxrp).toBeCloseTo(largest[i]!, 6);
      expect(row.vol24hxrp).toBeCloseTo(sum(volumes.get(row.md5)!), 6);
      expect(row.vol24htx).toBe(volumes.get(row.md5)!.length);
    }
  }

  const check = async () => {
    let compared = 0;
    for (let day = first; day < last; day++) {
      const { status, body } = await ask.get(`/platform-report?date=${dateOf(day + 1)}`);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        success: true,
        date: dateOf(day + 1),
        from: unixMs(day * DAY),
        to: unixMs((day + 1) * DAY),
        generatedAt: unixMs((day + 1) * DAY + 300),
        errors: [],
      });
      const rows = onDay(day);
      expect(rows.length).toBeGreaterThan(20);
      expectMarket(body.market, day);
      expectEnds(body, day);
      expectCreators(body, day);
      expectTop(body.topTokens.byVolume, rows, () => true);
      const created = (token: number) => engine.state.tokens.createdAt(token);
      const isNew = (token: number) => created(token) >= (day - 6) * DAY;
      expectTop(body.topTokens.newWithTraction, rows, isNew);
      const known = Array.from({ length: engine.state.tokens.count - 1 }, (_, i) => i + 1).filter(
        (token) => created(token) < (day + 1) * DAY && engine.state.tokens.tokenType(token) !== 'lp',
      );
      for (const [age, { date, count }] of body.dailyNewTokens.last7Days.entries()) {
        expect(date).toBe(dateOf(day - age));
        expect(count).toBe(known.filter((token) => Math.floor(created(token) / DAY) === day - age).length);
      }
      const lengths: Json[] = body.nameLengthSuccess;
      expect(lengths.reduce((sum, { count }) => sum + count, 0)).toBe(known.length);
      const traded = new Set(rows.flatMap(({ tokens }) => tokens).filter((token) => known.includes(token)));
      expect(lengths.reduce((sum, { active24h }) => sum + active24h, 0)).toBe(traded.size);
      const named = PLATFORMS.flatMap(({ sourceTag }) => {
        const own = rows.filter(({ tag }) => tag === sourceTag);
        return own.length > 0 ? [[sourceTag, own.length, xrp(own)] as const] : [];
      });
      expect(body.platforms).toHaveLength(named.length);
      for (const [sourceTag, count, volume] of named) {
        const shown = body.platforms.find((one: Json) => one.sourceTag === sourceTag);
        expect(shown.trades).toBe(count);
        expect(shown.volume).toBeCloseTo(volume, 6);
      }
      const { available, yesterdayStr, deltas } = body.historicalDeltas;
      expect([available, yesterdayStr]).toEqual([day > first, dateOf(day)]);
      if (day > first) {
        const difference = xrp(rows) - xrp(onDay(day - 1));
        expect(deltas['market.tradedXRP24H'].diff).toBeCloseTo(difference, 6);
        expect(deltas['market.tradedXRP24H'].pctChange).toBeCloseTo(
          (100 * difference) / xrp(onDay(day - 1)),
          6,
        );
      }
      compared++;
    }
    expect(compared).toBeGreaterThanOrEqual(3);
  };

  test('recounts each day that is over', check);

  test('has every name that clients read', async () => {
    const answers = [];
    for (let day = first + 1; day <= last; day++)
      answers.push((await ask.get(`/platform-report?date=${dateOf(day)}`)).body);
    expect(missingNames(REPORT_READS, answers)).toEqual([]);
  });

  test('counts for a launch platform the tokens that it launched', async () => {
    const { body } = await ask.get(`/platform-report?date=${dateOf(last)}`);
    const pads = body.launchpads.map((one: Json) => one.platform);
    expect(pads).toContain('FirstLedger');
    const { launches } = engine.market;
    for (const { platform, total } of body.launchpads) {
      let counted = 0;
      for (let token = 1; token < engine.state.tokens.count; token++)
        if (
          launches.platform(token)?.launchpad === platform &&
          engine.state.tokens.createdAt(token) < last * DAY
        )
          counted++;
      expect(total).toBe(counted);
    }
  });

  test('is of the newest ledger’s date when none is named, and there is none of other days', async () => {
    expect((await ask.get('/platform-report')).body.date).toBe(dateOf(last));
    for (const day of [first - 1, first, last + 1, last + 400])
      expect((await ask.get(`/platform-report?date=${dateOf(day)}`)).status).toBe(404);
  });

  test('appears with the first ledger from 00:05 on, and its date with it', async () => {
    const begun = new Engine({ store: new MemoryStore(), log: quiet });
    const world = new World({ seed: 'midnight' });
    const asks = asker(begun);
    const seen = new Set<boolean>();
    for (let i = 0; i < 60 && seen.size < 2; i++) {
      const time = world.network.closed.closeTime;
      // In minutes around midnight, else in hours.
      const untilMidnight = DAY - (time % DAY);
      await applyAll(begun, [
        world
          .step(untilMidnight <= 600 || time % DAY < 600 ? 60 : Math.min(3600, untilMidnight - 300))
          .packed(),
      ]);
      await begun.drain();
      const { closeTime } = begun.head!;
      const today = Math.floor(closeTime / DAY);
      const isOver =
        closeTime - today * DAY >= 300 && today > Math.floor(begun.store.firstLedger()!.closeTime / DAY);
      expect((await asks.get('/platform-report')).status).toBe(isOver ? 200 : 404);
      const { body } = await asks.get('/platform-report/dates');
      expect(body.length).toBe(isOver ? 1 : 0);
      seen.add(isOver);
    }
    expect(seen.size).toBe(2);
  });

  test('lists its dates newest first, page by page', async () => {
    const every = Array.from({ length: last - first }, (_, i) => dateOf(last - i));
    const { body } = await ask.get('/platform-report/dates');
    expect(body.map(({ date }: Json) => date)).toEqual(every);
    expect(body[0]).toMatchObject({ generatedAt: unixMs(last * DAY + 300), errorCount: 0 });
    expect(body[0].durationMs).toBeNumber();
    const page = await ask.get('/platform-report/dates?offset=1&limit=1');
    expect(page.body.map(({ date }: Json) => date)).toEqual(every.slice(1, 2));
  });

  test('is the same after a restart', async () => {
    engine = new Engine({ store, log: quiet });
    engine.restore();
    ask = asker(engine);
    expect((await ask.get('/platform-report/dates')).body[0].durationMs).toBeNull();
    await check();
  });
});

test('transactions are known of each day of a network that was read from its first ledger on', async () => {
  const world = new World({ seed: 'reports' });
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const ledgers = [1, 2].map((index) => world.store.ledger(index)!);
  for (let ledger = 0; ledger < 25; ledger++) ledgers.push(world.step(STEP).packed());
  await applyAll(engine, ledgers);
  await engine.drain();
  const { body } = await asker(engine).get('/platform-report');
  const day = Math.floor(ledgers.at(-1)!.closeTime / DAY) - 1;
  const ofDay = ledgers.filter(({ closeTime }) => Math.floor(closeTime / DAY) === day);
  expect(body.market.transactions24H).toBe(ofDay.reduce((sum, { count }) => sum + count, 0));
  expect(body.market.transactions24H).toBeGreaterThan(100);
});
