/** Values at the bounds of every parameter, over the store that keeps 32-bit keys. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openStore } from '../../../data/store.ts';
import { Engine } from '../../../engine/engine.ts';
import { temporaryDir } from '../../data/tools.ts';
import { recordedRun } from '../../ledgers.ts';
import { applyAll } from '../../views/world.ts';
import { type Asker, asker } from './ask.ts';

/** Unix ms before the first and after the last ledger that 32 bits can date, and beyond a Date. */
const times = ['0', '-1', '1', '-9e15', '946684799999', '5241652096000', '9e15', '1e300', '-1e300'];

describe('edges', () => {
  const place = temporaryDir();
  let ask: Asker;
  let engine: Engine;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const store = await openStore({ dir: place.dir, network: 'test' });
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    engine = new Engine({ store, log });
    await applyAll(engine, recordedRun());
    ask = asker(engine);
    close = () => store.close();
  });

  afterAll(async () => {
    await close?.();
    place.remove();
  });

  test.each(times)('time %s is read as the nearest a ledger can have', async (time) => {
    const at = await ask.get(`/ledger/at?time=${time}`);
    expect(at.status).toBe(200);
    expect(at.body.clampedToGenesis ?? at.body.clampedToHead).toBe(true);
    for (const path of ['/ohlc/XRP?vs_currency=USD&abn=', '/history?md5=XRP&start_time=']) {
      expect((await ask.get(path + time)).status, path).toBe(200);
    }
    const token = engine.state.tokens.md5(1);
    for (const interval of ['1m', '1h', '1d', '1w'])
      expect((await ask.get(`/ohlc/${token}?interval=${interval}&abn=${time}`)).status, interval).toBe(200);
    const both = await ask.get(`/history?md5=XRP&start_time=${time}&end_time=${time}`);
    expect(both.body.data).toEqual([]);
    const asked = Math.trunc(Number(time) % 9e15) + 0;
    const metrics = await ask.post('/stats/metrics', { timestamps: [asked] });
    expect(metrics.status).toBe(200);
    expect(metrics.body.history[0].timestamp).toBe(Math.min(asked, engine.head!.closeTimeMs));
  });

  test('charts and pools are empty while no ledger has been read', async () => {
    const empty = temporaryDir();
    const store = await openStore({ dir: empty.dir, network: 'test' });
    const asked = asker(new Engine({ store, log: { debug() {}, info() {}, warn() {}, error() {} } }));
    for (const interval of ['1m', '1h', '1d', '1w']) {
      for (const path of [
        `/ohlc/XRP?vs_currency=USD&interval=${interval}`,
        '/sparkline/XRP?vs_currency=USD',
      ]) {
        const { status, body } = await asked.get(path);
        expect([path, status, body.ohlc ?? body.data?.prices]).toEqual([path, 200, []]);
      }
    }
    for (const path of ['/amm', '/amm?status=all', '/amm?sort=created']) {
      const { status, body } = await asked.get(path);
      expect([path, status, body.pools]).toEqual([path, 200, []]);
    }
    await store.close();
    empty.remove();
  });

  test('rates of a future time are those of the newest ledger, and name its time', async () => {
    const now = engine.head!.closeTimeMs;
    const timestamps = [now - 1000, now, now + 1, now + 86_400_000];
    const { length, history } = (await ask.post('/stats/metrics', { timestamps })).body;
    expect(length).toBe(4);
    expect(history[1].USD).toBe(engine.market.rates.xrpPer(0));
    expect(history[1]).toMatchObject({ timestamp: now, XRP: 1 / history[1].USD });
    expect(history.slice(2)).toEqual([history[1], history[1]]);
    expect(history[0].timestamp).toBe(now - 1000);
  });

  test('health shows which ledgers are held, and that the state is partial', async () => {
    const { ledger } = (await ask.get('/health')).body;
    expect(ledger.ranges).toEqual(engine.ledgerRanges().slice(-20));
    expect(ledger.ranges.at(-1)[1]).toBe(ledger.index);
    expect(ledger).toMatchObject({ rangesTotal: engine.ledgerRanges().length, state: 'partial' });
  });

  test('a list of nothing is a missing list', async () => {
    for (const sent of ['', '?md5s=', '?md5s=,', '?md5s=%20,%20,']) {
      const { status, body } = await ask.get(`/sparkline/batch${sent}`);
      expect([status, body.code]).toEqual([400, 'missing_parameter']);
    }
  });

  test('search: the offset gives way to the limit', async () => {
    const pages = [
      [
        { offset: 1000, limit: 20 },
        { offset: 80, limit: 20 },
      ],
      [
        { offset: 90, limit: 50 },
        { offset: 50, limit: 50 },
      ],
      [
        { offset: 5, limit: 1000 },
        { offset: 0, limit: 100 },
      ],
      [
        { offset: -5, limit: -5 },
        { offset: 0, limit: 1 },
      ],
    ] as const;
    for (const [sent, used] of pages) {
      const { body } = await ask.post('/search', { search: 'usd', ...sent });
      expect(body.pagination).toMatchObject({ ...used, maxResults: 100 });
    }
  });

  test('search: an r-address is answered with its account, known or not', async () => {
    const stranger = 'rrrrrrrrrrrrrrrrrrrrBZbvji';
    expect((await ask.post('/search', { search: stranger })).body.account.address).toBe(stranger);
    expect((await ask.post('/search', { search: 'usd' })).body.account).toBeNull();
  });

  test('holders of XRP are accounts, ranked by balance', async () => {
    const { accounts, fees } = engine.state;
    const naive = Array.from({ length: accounts.count }, (_, id) => id)
      .filter((id) => accounts.exists(id))
      .map((id) => ({ account: accounts.text(id), drops: accounts.balanceDrops(id), id }))
      .sort((a, b) => Number(b.drops - a.drops) || a.id - b.id);
    const names = naive.map(({ account }) => account);
    expect(naive.length).toBeGreaterThan(30);

    const { body } = await ask.get('/holders/list/XRP?limit=200');
    expect(body.length).toBe(naive.length);
    const rows = body.richList as { account: string; balance: string; rank: number }[];
    expect(rows.map((row) => row.account)).toEqual(names.slice(0, 200));
    for (const [i, row] of rows.entries()) {
      expect(row.rank).toBe(i + 1);
      expect(Math.round(Number(row.balance) * 1e6)).toBe(Number(naive[i]!.drops));
    }
    const ten = naive.slice(0, 10).reduce((sum, { drops }) => sum + drops, 0n);
    const share = (Number(ten) / Number(fees.totalDrops)) * 100;
    expect(body.summary.top10Hold).toBeCloseTo(share, 3);
    const info = (await ask.get('/holders/info/XRP')).body.richInfo;
    expect(info.top10).toBe(body.summary.top10Hold);
    expect(info.holders).toBe(naive.length);

    const last = (await ask.get('/holders/list/XRP?order=asc&limit=2')).body.richList;
    expect(last.map((row: { account: string }) => row.account)).toEqual(names.toReversed().slice(0, 2));
    const part = names[5]!.slice(2, 9);
    const found = (await ask.get(`/holders/list/XRP?search=${part}`)).body;
    expect(found.richList[0]).toMatchObject({ account: names[5]!, rank: 6 });
    expect((await ask.get('/holders/list/XRP?freeze=true')).body).toMatchObject({ length: 0, richList: [] });
    const bound = Number(naive[3]!.drops) / 1e6;
    expect((await ask.get(`/holders/list/XRP?minBalance=${bound}`)).body.length).toBe(
      naive.filter(({ drops }) => Number(drops) / 1e6 >= bound).length,
    );

    const ranks = (await ask.get(`/holders/ranks/XRP?accounts=${names[7]},nobody`)).body;
    expect(ranks.ranks).toEqual({ [names[7]!]: 8, nobody: null });
    const position = (await ask.get(`/holders/position/XRP/${names[7]}`)).body;
    const { drops } = naive[7]!;
    expect(position).toMatchObject({ rank: 8, holders: naive.length });
    expect(Math.round(Number(position.balance) * 1e6)).toBe(Number(drops));
    expect(position.holding).toBe(Number((drops * 10_000n) / fees.totalDrops) / 100);
    expect((await ask.get('/holders/graph/XRP')).body.length).toBe(1);
    expect((await ask.get('/holders/empty/XRP')).body.total).toBe(0);
  });
});
