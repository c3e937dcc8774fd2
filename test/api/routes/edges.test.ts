/** What lies at the edge of every parameter, over the store that keeps 32-bit keys. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openStore } from '../../../data/store.ts';
import { Engine } from '../../../engine/engine.ts';
import { corpusDir } from '../../corpus.ts';
import { temporaryDir } from '../../data/tools.ts';
import { applyAll } from '../../engine/views/world.ts';
import { recordedRun } from '../../ledgers.ts';
import { type Asker, asker } from './ask.ts';

/** Unix ms before the first and after the last ledger that 32 bits can date, and beyond a Date. */
const times = ['0', '-1', '1', '-9e15', '946684799999', '5241652096000', '9e15', '1e300', '-1e300'];

describe.skipIf(!corpusDir)('edges', () => {
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
    const both = await ask.get(`/history?md5=XRP&start_time=${time}&end_time=${time}`);
    expect(both.body.data).toEqual([]);
    const metrics = await ask.post('/stats/metrics', { timestamps: [Math.trunc(Number(time) % 9e15)] });
    expect(metrics.status).toBe(200);
  });

  test('health tells which ledgers are held, and that the state is not whole', async () => {
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

  test('the position of a holder of XRP is that of the account', async () => {
    const { accounts, fees } = engine.state;
    const id = Array.from({ length: accounts.count }, (_, i) => i).find((one) => accounts.exists(one))!;
    const { body } = await ask.get(`/holders/position/XRP/${accounts.text(id)}`);
    const drops = accounts.balanceDrops(id);
    expect(Number(body.balance)).toBeCloseTo(Number(drops) / 1e6, 6);
    expect(body.holding).toBe(Number((drops * 10_000n) / fees.totalDrops) / 100);
    expect(body).toMatchObject({ rank: null, holders: accounts.existing });
  });
});
