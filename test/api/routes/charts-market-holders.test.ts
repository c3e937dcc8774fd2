/** Sections 4.1 and 4.2, charts, trading and holders: parameters, clamps, defaults, echo and shapes. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Engine } from '../../../engine/engine.ts';
import { runWorld, wholeWorld } from '../../views/world.ts';
import { type Asker, asker, type Json } from './ask.ts';

const unknown = '0'.repeat(32);

describe('a run of 2014', () => {
  let engine: Engine;
  let ask: Asker;
  let token: Json;
  beforeAll(async () => {
    engine = await runWorld();
    ask = asker(engine);
    token = (await ask.get('/tokens?limit=1')).body.tokens[0];
  });

  test('candles echo what they were made of', async () => {
    const { body } = await ask.get(`/ohlc/${token.md5}?range=1D&interval=1m&vs_currency=usd`);
    expect(body).toMatchObject({
      success: true,
      resolution: '1',
      interval: '1m',
      interval_seconds: 60,
      vs_currency: 'USD',
      inverted: false,
      base_interval: '1m',
      preAgg: true,
    });
    expect(body.ohlc).toHaveLength(body.length);
    expect(body.length).toBeGreaterThan(0);
    for (const row of body.ohlc) expect(row).toHaveLength(body.format.length);
    const chart = (await ask.get(`/ohlc/${token.md5}?resolution=240&cb=9&invert=1`)).body;
    expect(chart).toMatchObject({
      interval: '4h',
      resolution: '240',
      inverted: true,
      vs_currency: 'XRP',
      preAgg: false,
    });
    expect((await ask.get(`/ohlc/${token.md5}?resolution=D`)).body).toMatchObject({
      interval: '1d',
      resolution: 'D',
    });
    expect((await ask.get(`/ohlc/${token.md5}?interval=7s&vs_currency=DOGE`)).body).toMatchObject({
      interval: '5m',
      vs_currency: 'XRP',
    });
    const first = (await ask.get(`/ohlc/${token.md5}?interval=1m`)).body.ohlc[0][0];
    expect((await ask.get(`/ohlc/${token.md5}?interval=1m&abn=${first}`)).body.ohlc).toEqual([]);
    expect((await ask.get(`/ohlc/${unknown}`)).status).toBe(404);
  });

  test('sparklines', async () => {
    const { body } = await ask.get(`/sparkline/${token.md5}?period=24h&lightweight=true&maxPoints=2`);
    expect(body).toMatchObject({ period: '24h', lightweight: true, vsCurrency: 'XRP', success: true });
    expect(body.chartColor).toMatch(/^#(54D62C|ed5565)$/);
    expect(body.data.prices.every((price: unknown) => typeof price === 'string')).toBe(true);
    expect(body.data.prices).toHaveLength(body.data.timestamps.length);
    expect(Number(body.data.max)).toBeGreaterThanOrEqual(Number(body.data.min));
    const chart = (await ask.get(`/sparkline/${token.md5}?pro7d=-3.5`)).body;
    expect(chart).toMatchObject({ period: '7d', percentChange: -3.5, chartColor: '#ed5565' });
    const many = (await ask.get(`/sparkline/batch?md5s=${token.md5},${unknown}&maxPoints=1`)).body;
    expect(Object.keys(many.sparklines)).toEqual([token.md5]);
    expect((await ask.get('/sparkline/batch')).status).toBe(400);
  });

  test('history pages by cursor and by offset', async () => {
    const all = (await ask.get(`/history?md5=${token.md5}&limit=1000`)).body;
    expect(all.meta).toMatchObject({
      total: all.data.length,
      offset: 0,
      limit: 1000,
      direction: 'desc',
      hasMore: false,
    });
    const rows: Json[] = [];
    for (let cursor = ''; ; ) {
      const page = (await ask.get(`/history?md5=${token.md5}&limit=7${cursor}`)).body;
      rows.push(...page.data);
      if (!page.meta.hasMore) break;
      cursor = `&cursor=${page.meta.nextCursor}`;
    }
    expect(rows).toEqual(all.data);
    const skipped = (await ask.get(`/history?md5=${token.md5}&limit=4&skip=3`)).body;
    expect(skipped.data).toEqual(all.data.slice(3, 7));
    const rising = (await ask.get(`/history?md5=${token.md5}&limit=1000&direction=asc`)).body;
    expect(rising.data).toEqual(all.data.toReversed());
    const middle = all.data[5].time;
    const since = (await ask.get(`/history?md5=${token.md5}&limit=1000&startTime=${middle}`)).body.data;
    expect(since).toEqual(all.data.filter((row: Json) => row.time >= middle));
    const trader = all.data[0].taker;
    const own = (await ask.get(`/history?account=${trader}&limit=1000`)).body.data;
    expect(own.length).toBeGreaterThan(0);
    for (const row of own) expect([row.maker, row.taker]).toContain(trader);
  });

  test('history rows, clamps and refusals', async () => {
    const { data } = (await ask.get(`/history?md5=${token.md5}&limit=1`)).body;
    const [row] = data;
    expect(row._id).toBe(`${row.ledger}_${row._id.split('_')[1]}`);
    expect(row.hash).toMatch(/^[0-9A-F]{64}$/);
    expect(row.pair).toMatch(/^[0-9a-f]{32}$/);
    expect(Object.keys(row.paid)).toEqual(['issuer', 'currency', 'name', 'value']);
    expect(row).toMatchObject({ isAMM: false, isLiquidity: false });
    expect(String(row.time)).toHaveLength(13);
    const far = (await ask.get(`/history?md5=${token.md5}&offset=200000`)).body;
    expect(far.meta).toMatchObject({ truncated: true, offset: 100_000 });
    expect(far.data).toEqual([]);
    expect((await ask.get(`/history?md5=${token.md5}&limit=99999`)).body.meta.limit).toBe(1000);
    expect((await ask.get('/history')).status).toBe(400);
    expect((await ask.get('/history?account=nobody')).status).toBe(400);
    expect((await ask.get(`/history?md5=${unknown}`)).status).toBe(404);
    const stranger = 'rrrrrrrrrrrrrrrrrNAMEtxvNvQ';
    expect((await ask.get(`/history?account=${stranger}`)).body).toMatchObject({
      data: [],
      meta: { total: 0 },
    });
    expect((await ask.get(`/history?account=${stranger}&offset=200000`)).body.meta).toEqual({
      ...far.meta,
      total: 0,
    });
    const large = (await ask.get(`/history?md5=${token.md5}&limit=1000&xrpAmount=1000`)).body.data;
    for (const { paid, got } of large) {
      const leg = paid.currency === 'XRP' ? paid : got;
      expect(leg.issuer).toBe('XRPL');
      expect(Number(leg.value)).toBeGreaterThanOrEqual(1000);
    }
  });

  test('order books by id and by currency', async () => {
    const byId = (await ask.get(`/orderbook?base=${token.md5}&quote=XRP&limit=5`)).body;
    expect(byId).toMatchObject({ success: true, ledger_index: engine.head!.index, limit: 5 });
    const query = `base_currency=XRP&quote_currency=${token.currency}&quote_issuer=${token.issuer}&limit=5`;
    const byName = (await ask.get(`/orderbook?${query}`)).body;
    expect({ ...byName, took: 0 }).toEqual({ ...byId, took: 0 });
    for (const row of [...byId.bids, ...byId.asks]) {
      for (const name of ['price', 'amount', 'total', 'funded'])
        expect(Number.parseFloat(row[name])).toBeGreaterThan(0);
      expect(row.account).toStartWith('r');
    }
    expect((await ask.get(`/orderbook?base=${token.md5}&quote=XRP&limit=9999`)).body.limit).toBe(400);
    expect((await ask.get(`/orderbook?base=${token.md5}&quote=XRP`)).body.limit).toBe(20);
    expect((await ask.get('/orderbook?base=XRP')).status).toBe(400);
    expect((await ask.get('/orderbook?base=XRP&quote=XRP')).status).toBe(400);
    expect((await ask.get(`/orderbook?base=${unknown}&quote=XRP`)).status).toBe(404);
  });

  test('pairs both ways', async () => {
    const byPath = (await ask.get(`/pairs/${token.md5}`)).body;
    const byQuery = (await ask.get(`/pairs?md5=${token.md5}`)).body;
    expect({ ...byQuery, took: 0 }).toEqual({ ...byPath, took: 0 });
    expect(byPath).toMatchObject({ success: true, limit: 100, truncated: false });
    expect(byPath.pairs).toHaveLength(byPath.count);
    expect((await ask.get('/pairs')).status).toBe(400);
  });

  test('holders', async () => {
    const list = (await ask.get(`/holders/list/${token.md5}?start=1&limit=3&sortBy=value`)).body;
    expect(list).toMatchObject({ success: true, offset: 1, limit: 3, sort: 'balance', order: 'desc' });
    expect(list.richList.map(({ rank }: Json) => rank)).toEqual([2, 3, 4]);
    expect(list.summary.top100Hold).toBeGreaterThan(0);
    expect((await ask.get(`/holders/list/${token.md5}?limit=1000`)).body.limit).toBe(200);
    expect((await ask.get(`/holders/list/${token.md5}?sort=percent`)).body.sort).toBe('holding');
    const { account } = list.richList[0];
    const position = (await ask.get(`/holders/position/${token.md5}/${account}`)).body;
    expect(position).toMatchObject({ account, md5: token.md5, rank: 2, holders: list.length });
    expect(Math.round(position.holding * 100) / 100).toBe(position.holding);
    expect((await ask.get(`/holders/position/${token.md5}/nobody`)).status).toBe(400);
    const ranks = (
      await ask.get(`/holders/ranks/${token.md5}?accounts=${account},rrrrrrrrrrrrrrrrrrrrBZbvji`)
    ).body;
    expect(ranks.ranks).toEqual({ [account]: 2, rrrrrrrrrrrrrrrrrrrrBZbvji: null });
    const info = (await ask.get(`/holders/info/${token.md5}`)).body.richInfo;
    expect(info).toMatchObject({ length: token.trustlines, holders: token.holders, top10: token.top10 });
    const graph = (await ask.get(`/holders/graph/${token.md5}`)).body;
    expect(graph.history).toHaveLength(graph.length);
    expect(graph.history.at(-1)).toMatchObject({ length: token.trustlines, holders: token.holders });
    const empty = (await ask.get(`/holders/empty/${token.md5}`)).body;
    expect(empty.count).toBe(empty.total);
    expect(empty.limit).toBeUndefined();
    const page = (await ask.get(`/holders/empty/${token.md5}?limit=1&offset=1`)).body;
    expect(page).toMatchObject({
      limit: 1,
      offset: 1,
      accounts: empty.accounts.slice(1, 2),
      total: empty.total,
    });
    for (const path of ['info', 'list', 'graph', 'ranks', 'empty'])
      expect((await ask.get(`/holders/${path}/${unknown}`)).status).toBe(404);
    for (const path of ['info', 'list', 'graph', 'ranks', 'empty'])
      expect((await ask.get(`/holders/${path}/XRP`)).status).toBe(200);
  });
});

describe('ledgers with pools', () => {
  let engine: Engine;
  let ask: Asker;
  beforeAll(async () => {
    engine = await wholeWorld();
    ask = asker(engine);
  });

  test('the list, its filters and its summary', async () => {
    const { body } = await ask.get('/amm?sortBy=liquidity&status=all&limit=500&page=0');
    expect(body).toMatchObject({
      success: true,
      offset: 0,
      limit: 100,
      page: 0,
      totalPages: 1,
      sort: 'liquidity',
    });
    expect(body.total).toBe(engine.state.pools.existing);
    expect(body.pools).toHaveLength(body.count);
    const [pool] = body.pools;
    expect(pool.asset1.issuer).toBe('XRPL');
    expect(pool.currentLiquidity.asset1Amount * 2).toBeCloseTo(pool.apy24h.liquidity, 5);
    expect(body.summary.totalLiquidity).toBeCloseTo(pool.apy24h.liquidity, 5);
    expect((await ask.get(`/amm?token=${pool.asset2.md5}`)).body.total).toBe(1);
    expect(
      (await ask.get(`/amm?issuer=${pool.asset2.issuer}&currency=${pool.asset2.currency}`)).body.total,
    ).toBe(1);
    expect((await ask.get('/amm?currency=NONE')).body.total).toBe(0);
    expect((await ask.get('/amm?sort=nonsense&status=x')).body).toMatchObject({
      sort: 'fees',
      status: 'active',
    });
    expect((await ask.get(`/amm?token=${unknown}`)).status).toBe(404);
  });

  test('one pool', async () => {
    const [pool] = (await ask.get('/amm')).body.pools;
    const byAccount = (await ask.get(`/amm/info?amm_account=${pool.ammAccount}`)).body;
    const byAssets = (await ask.get(`/amm/info?asset=XRP&asset2=${pool.asset2.md5}`)).body;
    expect(byAssets.amm).toEqual(byAccount.amm);
    expect(byAccount).toMatchObject({ validated: true, ledger_index: engine.head!.index });
    expect(byAccount.amm).toMatchObject({ account: pool.ammAccount, trading_fee: pool.tradingFee });
    expect(Number(byAccount.amm.amount.value)).toBe(pool.currentLiquidity.asset1Amount);
    expect((await ask.get('/amm/info')).status).toBe(400);
    expect((await ask.get('/amm/info?asset=XRP')).status).toBe(400);
    expect((await ask.get('/amm/info?amm_account=rrrrrrrrrrrrrrrrrrrrBZbvji')).status).toBe(404);
  });
});
