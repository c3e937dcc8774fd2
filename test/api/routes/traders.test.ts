/** Lists of traders and their pages against a ledger of trades in exact arithmetic. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { decimalNumber } from '../../../engine/codec/amount.ts';
import { PackedLedger } from '../../../engine/codec/packed.ts';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import { DAY, HOUR, unixMs } from '../../../engine/ripple-time.ts';
import { TRADER_SORTS } from '../../../engine/traders/rankings.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Network } from '../../../views/network.ts';
import { HeavyReadPool } from '../../../workers/heavy-reads.ts';
import { quietLog as quiet } from '../../engine/ledger/quiet.ts';
import { type ExactPosition, TradeLedger } from '../../engine/traders/trade-ledger.ts';
import { World } from '../../sandbox/population/world.ts';
import { asker, type Json } from './ask.ts';

const HOURS = 27;
const STEP = 1200;
/** Of figures that are not known. */
const UNKNOWN = Number.NEGATIVE_INFINITY;

const store = new MemoryStore();
const engine = new Engine({ store, log: quiet });
const ask = asker(engine);
const get = async (path: string): Promise<Json> => {
  const { status, body } = await ask.get(path);
  expect([path, status]).toEqual([path, 200]);
  return body;
};
let exact: TradeLedger;
let now = 0;
/** Drops differ by the rounding of each sale. */
const near = (a: number, b: number, absolute = 1e-3) => Math.abs(a - b) <= Math.abs(b) * 1e-9 + absolute;
const text = (account: number) => engine.state.accounts.text(account);
const sum = (list: readonly bigint[]) => Number(list.reduce((a, b) => a + b, 0n)) / 1e6;
const isPool = (account: number) => engine.state.pools.byAccount(account) !== undefined;

beforeAll(async () => {
  const world = new World({ seed: 'pages' });
  const from = world.network.closed.closeTime;
  while (world.network.closed.closeTime < from + HOURS * HOUR) {
    const packed = new PackedLedger(world.step(STEP).packed().bytes);
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
  }
  await engine.drain();
  exact = new TradeLedger(engine, store);
  now = engine.head!.closeTime;
});

/** The token with the most traders. */
function busiest(): number {
  const counts = new Map<number, number>();
  for (const { token, trades } of exact.positions.values())
    if (trades > 0) counts.set(token, (counts.get(token) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]![0];
}

const accounts = () => [...new Set(exact.trades.flatMap(({ maker, taker }) => [maker, taker]))];

describe('/token/analytics/traders', () => {
  test('lists each account once, with its trades and profit', async () => {
    const rows: Json[] = [];
    for (let offset = 0; ; offset += 100) {
      const { data, pagination } = await get(`/token/analytics/traders?limit=100&offset=${offset}`);
      rows.push(...data);
      expect(pagination.total).toBe(accounts().length);
      if (!pagination.hasMore) break;
    }
    expect(rows.map((row) => row.address).sort()).toEqual(accounts().map(text).sort());
    const hour = Math.floor(now / HOUR) - 23;
    for (const row of rows) {
      const account = engine.state.accounts.findText(row.address)!;
      const own = exact.trades.filter(({ maker, taker }) => maker === account || taker === account);
      const held = [...exact.positions.values()].filter((one) => one.account === account);
      expect(row).toMatchObject({
        totalTrades: own.length,
        dexVolume: sum(own.filter((one) => !one.isPool).map(({ drops }) => drops)),
        ammVolume: sum(own.filter((one) => one.isPool).map(({ drops }) => drops)),
        volume24h: sum(own.filter((one) => one.time >= hour * HOUR).map(({ drops }) => drops)),
        buyVolume: sum(held.map(({ spent }) => spent)),
        sellVolume: sum(held.map(({ received }) => received)),
        lastTradeDate: unixMs(own.at(-1)!.time),
      });
      expect(near(row.totalProfit, sum(held.map(({ realised }) => realised)))).toBe(true);
      const cost = sum(held.map((one) => one.spent - one.cost));
      if (cost > 0) expect(near(row.avgROI, (row.totalProfit / cost) * 100, 1e-3)).toBe(true);
      else expect(row.avgROI).toBeNull();
      expect(row.isAMM === true).toBe(isPool(account));
    }
  });

  test('sorts by every figure, and filters', async () => {
    const figures: Record<(typeof TRADER_SORTS)[number], (row: Json) => number> = {
      volume24h: (row) => row.volume24h,
      totalVolume: (row) => row.totalVolume,
      totalProfit: (row) => row.totalProfit,
      totalTrades: (row) => row.totalTrades,
      buyVolume: (row) => row.buyVolume,
      sellVolume: (row) => row.sellVolume,
      avgROI: (row) => row.avgROI ?? UNKNOWN,
      winRate: (row) => row.winRate ?? UNKNOWN,
      washTradingScore: (row) => row.washTradingScore,
      lastActive: (row) => row.lastTradeDate,
      xrpBalance: (row) => row.xrpBalance,
    };
    for (const sort of TRADER_SORTS) {
      const { data } = await get(`/token/analytics/traders?limit=100&sort=${sort}`);
      const values = data.map(figures[sort]);
      expect([sort, values]).toEqual([sort, values.toSorted((a: number, b: number) => b - a)]);
      const up = (await get(`/token/analytics/traders?limit=100&sort=${sort}&order=asc`)).data;
      const known = values.filter((value: number) => value !== UNKNOWN);
      const unknown = values.slice(known.length);
      expect([sort, up.map(figures[sort])]).toEqual([sort, [...known.toReversed(), ...unknown]]);
    }
    const few = await get('/token/analytics/traders?minTrades=20&minVolume=1000&includeAMM=false&limit=100');
    const expected = accounts().filter((account) => {
      const own = exact.trades.filter(({ maker, taker }) => maker === account || taker === account);
      return own.length >= 20 && sum(own.map(({ drops }) => drops)) >= 1000 && !isPool(account);
    });
    expect(few.data.map((row: Json) => row.address).sort()).toEqual(expected.map(text).sort());
    const [one] = few.data;
    const alone = await get(`/token/analytics/traders?address=${one.address}`);
    expect(alone.data.map((row: Json) => row.address)).toEqual([one.address]);
    const recent = await get('/token/analytics/traders?period=24h&limit=100&includeAMM=false');
    const traded = accounts().filter(
      (account) =>
        !isPool(account) &&
        exact.trades.some((t) => (t.maker === account || t.taker === account) && t.time > now - DAY),
    );
    expect(recent.pagination.total).toBe(traded.length);
  });

  test('summary: how many traded, and what they have', async () => {
    const { traderBalances } = await get('/token/analytics/traders/summary');
    const people = accounts().filter((account) => !isPool(account));
    const xrp = people.map((account) =>
      engine.state.accounts.exists(account) ? engine.state.accounts.balanceDrops(account) : 0n,
    );
    expect(traderBalances.tradersAll).toBe(people.length);
    expect(traderBalances.balanceAll).toBe(sum(xrp));
    expect(traderBalances.traders7d).toBe(people.length);
    expect(traderBalances.traders24h).toBeLessThan(people.length);
  });

  test('the same from another thread', async () => {
    const pool = new HeavyReadPool({ threads: 1 });
    try {
      const other = asker(new Network({ engine, heavy: pool.of(engine.state, engine.traders) }));
      const token = engine.state.tokens.md5(busiest());
      for (const path of [
        '/token/analytics/traders?limit=100',
        '/token/analytics/traders/summary',
        `/traders/token-traders/${token}?limit=100&interval=24h&sort=pnl`,
        `/token/analytics/token/${token}`,
        '/traders/rotations?period=7d&limit=100',
        `/traders/rotations/${token}`,
      ]) {
        const [a, b] = [await other.get(path), await ask.get(path)];
        expect(a.status).toBe(200);
        const [{ took: _a, ...first }, { took: _b, ...second }] = [a.body, b.body];
        expect(first).toEqual(second);
      }
    } finally {
      await pool.close();
    }
  });
});

describe('the traders of a token', () => {
  const positionsOf = (token: number) =>
    [...exact.positions.values()].filter((one) => one.token === token && one.trades > 0);

  function balanceOf(one: ExactPosition): number {
    const { lines, tokens } = engine.state;
    const line = lines.find(one.account, one.token);
    return line === undefined
      ? 0
      : decimalNumber(tokens.decimal(one.token, ...lines.balanceRaw(line, one.token)));
  }

  test('all of them, with what they paid, gained and hold', async () => {
    const token = busiest();
    const md5 = engine.state.tokens.md5(token);
    const price = engine.market.totals.price(token)!;
    const rows: Json[] = [];
    for (let offset = 0; rows.length < positionsOf(token).length; offset += 100) {
      const page = await get(`/traders/token-traders/${md5}?limit=100&offset=${offset}`);
      expect(page.total).toBe(positionsOf(token).length);
      rows.push(...page.traders);
    }
    for (const one of positionsOf(token)) {
      const row = rows.find(({ address }) => address === text(one.account));
      const bought = decimalNumber(one.bought);
      const balance = balanceOf(one);
      const held = decimalNumber(one.held);
      const left = Math.min(held, balance);
      const unrealised = left > 0 ? left * price - (Number(one.cost) / 1e6) * (left / held) : 0;
      expect(row).toMatchObject({
        volume: sum([one.spent, one.received]),
        trades: one.trades,
        xrpBought: sum([one.spent]),
        xrpSold: sum([one.received]),
        actualBalance: balance,
        firstTradeDate: unixMs(one.first),
      });
      expect(near(row.tokensBought, bought, 1e-9)).toBe(true);
      if (bought > 0) expect(near(row.avgBuyPrice, sum([one.spent]) / bought, 1e-12)).toBe(true);
      expect(near(row.profit, sum([one.realised]))).toBe(true);
      expect(near(row.unrealizedPnl, unrealised, 1e-3)).toBe(true);
      expect(near(row.totalPnl, row.profit + row.unrealizedPnl)).toBe(true);
    }
    const found = await get(`/traders/token-traders/${md5}?search=${rows[0].address.slice(2, 12)}`);
    expect(found.traders.map((row: Json) => row.address)).toContain(rows[0].address);
    const whole = await get(`/traders/token-traders/${md5}?search=${rows[1].address}`);
    expect(whole.traders.map((row: Json) => row.address)).toEqual([rows[1].address]);
    for (const sort of ['pnl', 'roi', 'trades', 'lastActive'] as const) {
      const { traders } = await get(`/token/analytics/token/${md5}/traders?sort=${sort}&limit=100`);
      const key = { pnl: 'totalPnl', roi: 'totalRoi', trades: 'trades', lastActive: 'lastTradeDate' }[sort];
      const values = traders.map((row: Json) => row[key] ?? Number.NEGATIVE_INFINITY);
      expect([sort, values]).toEqual([sort, values.toSorted((a: number, b: number) => b - a)]);
    }
  });

  test('in an interval: what was traded in its hours or days', async () => {
    const token = busiest();
    for (const [interval, start] of [
      ['24h', (Math.floor(now / HOUR) - 23) * HOUR],
      ['7d', (Math.floor(now / DAY) - 6) * DAY],
    ] as const) {
      const { traders, total } = await get(
        `/traders/token-traders/${engine.state.tokens.md5(token)}?interval=${interval}&limit=100`,
      );
      const events = exact.events.filter((one) => one.token === token && one.time >= start);
      expect(total).toBe(new Set(events.map(({ account }) => account)).size);
      for (const row of traders) {
        const own = events.filter(({ account }) => text(account) === row.address);
        expect([row.trades, row.volume]).toEqual([own.length, sum(own.map(({ drops }) => drops))]);
        expect(near(row.profitInterval, sum(own.map(({ gain }) => gain)))).toBe(true);
      }
    }
  });

  test('their sums leave pools out', async () => {
    const token = busiest();
    const totals = await get(`/token/analytics/token/${engine.state.tokens.md5(token)}`);
    const people = positionsOf(token).filter(({ account }) => !isPool(account));
    expect(totals).toMatchObject({
      traders: people.length,
      winningTraders: people.filter(({ realised }) => realised > 0n).length,
      trades: people.reduce((count, { trades }) => count + trades, 0),
      xrpBought: sum(people.map(({ spent }) => spent)),
      xrpSold: sum(people.map(({ received }) => received)),
    });
    expect(near(totals.profit, sum(people.map(({ realised }) => realised)), 1e-2)).toBe(true);
  });
});

describe('one trader', () => {
  test('the page, its tokens, days and trades agree with the trades', async () => {
    const busy = accounts()
      .map((account) => ({
        account,
        trades: exact.trades.filter(({ maker, taker }) => maker === account || taker === account),
      }))
      .sort((a, b) => b.trades.length - a.trades.length)
      .slice(0, 12);
    const everyone = await get('/token/analytics/traders?sort=totalProfit&limit=100&includeAMM=false');
    for (const { account, trades } of busy) {
      const address = text(account);
      const held = [...exact.positions.values()].filter((one) => one.account === account && one.trades > 0);
      const page = await get(`/traders/${address}?limit=100`);
      const gains = held.flatMap((one) => one.gains);
      const dayStart = (Math.floor(now / HOUR) - 23) * HOUR;
      expect(page).toMatchObject({
        totalTrades: trades.length,
        totalTokensTraded: held.length,
        buyVolume: sum(held.map(({ spent }) => spent)),
        sellVolume: sum(held.map(({ received }) => received)),
        trades24h: trades.filter(({ time }) => time >= dayStart).length,
        volume24h: sum(trades.filter(({ time }) => time >= dayStart).map(({ drops }) => drops)),
        isAMM: isPool(account),
        pagination: { totalTokens: held.length, hasMore: false },
      });
      expect(near(page.totalProfit, sum(held.map(({ realised }) => realised)))).toBe(true);
      const best = Math.max(0, ...gains.map(Number));
      expect(near(page.maxProfitTrade, best / 1e6, 1e-5)).toBe(true);
      expect(near(page.totalPnl, page.totalProfit + page.unrealizedPnl, 1e-5)).toBe(true);
      const unrealised = page.tokenPerformance.reduce((s: number, row: Json) => s + row.unrealizedPnl, 0);
      expect(near(page.unrealizedPnl, unrealised, 1e-5)).toBe(true);
      const volumes = page.tokenPerformance.map((row: Json) => row.volume);
      expect(volumes).toEqual(volumes.toSorted((a: number, b: number) => b - a));
      if (page.rank !== null && page.rank <= 100) expect(everyone.data[page.rank - 1].address).toBe(address);
      const { took: _, ...same } = await get(`/token/analytics/trader/${address}`);
      expect(page).toMatchObject({ ...same });

      const { history } = await get(`/token/analytics/trader/${address}/history`);
      const days = new Map<string, number>();
      for (const { time } of trades) {
        const day = new Date(unixMs(time)).toISOString().slice(0, 10);
        days.set(day, (days.get(day) ?? 0) + 1);
      }
      expect(history.map((row: Json) => [row.date, row.trades])).toEqual([...days].reverse());
      expect(
        near(
          history.reduce((s: number, row: Json) => s + row.profit, 0),
          page.profit30d,
        ),
      ).toBe(true);

      const one = page.tokenPerformance[0];
      const alone = await get(`/token/analytics/trader/${address}/tokens?token=${one.tokenId}`);
      expect(alone.tokens).toEqual([one]);
      const rows = await get(`/token/analytics/trader/${address}/trades?limit=1000`);
      expect(rows.data.length).toBe(trades.length);
    }
  });

  test('a day that ends a span belongs to it', async () => {
    const [address] = (await get('/token/analytics/traders?sort=trades&includeAMM=false&limit=1')).data.map(
      (row: Json) => row.address,
    );
    const trader = `/token/analytics/trader/${address}`;
    const { history } = await get(`${trader}/history`);
    expect(history.length).toBeGreaterThan(0);
    for (const { date, trades } of history) {
      const span = `startDate=${date}&endDate=${date}`;
      expect((await get(`${trader}/history?${span}`)).history.map((row: Json) => row.date)).toEqual([date]);
      expect((await get(`${trader}/trades?${span}`)).meta.total).toBe(trades);
      const { data } = await get(`/token/analytics/traders?address=${address}&${span}`);
      expect(data.length).toBe(date === history[0].date ? 1 : 0);
    }
  });

  test('an account that never traded has zeros, and no address is an error', async () => {
    const page = await get('/traders/rrrrrrrrrrrrrrrrrrrn5RM1rHd');
    expect([page.totalTrades, page.rank, page.tokenPerformance]).toEqual([0, null, []]);
    expect((await ask.get('/traders/nobody')).status).toBe(400);
    expect((await ask.get('/traders/token-traders/nothing')).status).toBe(404);
  });
});

describe('rotations', () => {
  /** From token to token, drops and purchases, by account, of the hours from one on. */
  function expected(fromHour: number, only?: number): Map<string, [number, number, Set<number>]> {
    const sums = new Map<string, [number, number, Set<number>]>();
    const sale = new Map<number, { token: number; time: number; left: number }>();
    const add = (account: number, time: number, from: number, to: number, drops: number) => {
      if (Math.floor(time / HOUR) < fromHour || (only !== undefined && account !== only)) return;
      const key = `${engine.state.tokens.md5(from)} ${engine.state.tokens.md5(to)}`;
      const sum = sums.get(key) ?? [0, 0, new Set<number>()];
      sums.set(key, [sum[0] + drops, sum[1] + 1, sum[2].add(account)]);
    };
    // Of a transaction, sales come before purchases.
    const sides = exact.trades.flatMap(
      ({ maker, taker, paidToken, gotToken, time, drops, isPool, transaction }) => [
        { transaction, time, drops, account: maker, gives: gotToken, takes: paidToken },
        ...(isPool ? [] : [{ transaction, time, drops, account: taker, gives: paidToken, takes: gotToken }]),
      ],
    );
    for (const ofOne of Map.groupBy(sides, ({ transaction }) => transaction).values()) {
      const purchases = ofOne.filter(({ gives }) => gives === 0);
      for (const { account, time, drops, gives, takes } of [
        ...ofOne.filter(({ gives }) => gives !== 0),
        ...purchases,
      ]) {
        if (drops === 0n) continue;
        const last = sale.get(account);
        const recent = last && time - last.time <= HOUR ? last : undefined;
        if (gives !== 0 && takes !== 0) add(account, time, gives, takes, Number(drops));
        else if (gives !== 0) {
          const left = (recent?.token === gives ? recent.left : 0) + Number(drops);
          sale.set(account, { token: gives, time, left });
        } else if (recent && recent.left > 0 && recent.token !== takes) {
          const part = Math.min(recent.left, Number(drops));
          recent.left -= part;
          add(account, time, recent.token, takes, part);
        }
      }
    }
    return sums;
  }

  const found = (rows: Json[]) =>
    rows.map((row) => [`${row.from.md5} ${row.to.md5}`, row.volume, row.count, row.traders]).sort();
  const wanted = (sums: ReturnType<typeof expected>) =>
    [...sums].map(([key, [drops, count, people]]) => [key, drops / 1e6, count, people.size]).sort();

  test('of all, of a token and of a trader: proceeds of a sale that bought something else within an hour', async () => {
    for (const [period, hours] of [
      ['24h', 24],
      ['7d', 168],
    ] as const) {
      const sums = expected(Math.floor(now / HOUR) - hours + 1);
      const rows: Json[] = [];
      for (let offset = 0; ; offset += 100) {
        const answer = await get(`/traders/rotations?period=${period}&limit=100&offset=${offset}`);
        rows.push(...answer.rotations);
        if (!answer.pagination.hasMore) break;
      }
      expect(found(rows)).toEqual(wanted(sums));
      expect(rows.length).toBeGreaterThan(5);
      const volumes = rows.map(({ volume }) => volume);
      expect(volumes).toEqual(volumes.toSorted((a, b) => b - a));
    }
    const all = expected(0);
    const { rotations } = await get('/traders/rotations?period=7d&limit=1');
    const { md5 } = rotations[0].to;
    const token = await get(`/traders/rotations/${md5}?period=7d&limit=100`);
    const into = wanted(new Map([...all].filter(([key]) => key.endsWith(md5))));
    expect(found(token.into)).toEqual(into);
    expect(
      near(
        token.inflow,
        into.reduce((sum, row) => sum + Number(row[1]), 0),
        1e-6,
      ),
    ).toBe(true);
    const [, , people] = [...all.values()].sort((a, b) => b[1] - a[1])[0]!;
    const [account] = people;
    const own = await get(`/traders/${text(account!)}/rotations?period=7d&limit=100`);
    expect(found(own.rotations)).toEqual(wanted(expected(0, account)));
    expect((await ask.get('/traders/nobody/rotations')).status).toBe(400);
  });

  test('none was seen after the newest ledger, though hours are kept', () => {
    const { rotations } = new Network({ engine }).views.traders;
    const seen = (lastHour: number) =>
      rotations.row({ from: 1, to: 2, drops: 1, count: 1, traders: 1, lastHour }).lastSeen;
    const hour = Math.floor(now / HOUR);
    expect([seen(hour - 1), seen(hour)]).toEqual([unixMs(hour * HOUR - 1), unixMs(now)]);
  });
});

describe('the market', () => {
  test('by day, and over windows', async () => {
    const answer = await get('/token/analytics/market');
    const days = new Map<string, typeof exact.allTrades>();
    for (const trade of exact.allTrades) {
      const day = new Date(unixMs(trade.time)).toISOString().slice(0, 10);
      days.set(day, [...(days.get(day) ?? []), trade]);
    }
    const traded = answer.daily.filter((row: Json) => row.trades > 0);
    expect(traded.map((row: Json) => [row.date, row.trades, row.tradesAMM, row.volume])).toEqual(
      [...days].map(([day, trades]) => [
        day,
        trades.length,
        trades.filter((one) => one.isPool).length,
        sum(trades.map(({ drops }) => drops)),
      ]),
    );
    const start = (Math.floor(now / HOUR) - 23) * HOUR;
    const newest = exact.allTrades.filter(({ time }) => time >= start);
    expect(answer.aggregates['24h']).toMatchObject({
      trades: newest.length,
      volume: sum(newest.map(({ drops }) => drops)),
    });
    expect(answer.aggregates.all.trades).toBe(exact.allTrades.length);
    expect(answer.daily.at(-1).marketcap).toBe(engine.market.totals.marketcap);
    const deposits = exact.liquidity.filter(({ type }) => type !== 2).length;
    expect(answer.aggregates.all.ammDeposits).toBe(deposits);
    expect(deposits).toBeGreaterThan(0);
    const late = await get(`/token/analytics/market?startDate=${[...days.keys()].at(-1)}`);
    expect(late.daily.length).toBe(1);
  });

  test('sources have each signed trade once', async () => {
    const { sources, total } = await get('/token/analytics/sources?limit=200');
    const tags = new Map<number | null, number>();
    for (const { tag } of exact.trades) tags.set(tag ?? null, (tags.get(tag ?? null) ?? 0) + 1);
    expect(total).toBe(tags.size);
    expect(new Map(sources.map((row: Json) => [row.sourceTag, row.trades]))).toEqual(tags);
  });
});
