/** The formats of other programs: the same numbers as the contract's own answers. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { createApi } from '../../../api/app.ts';
import type { Engine } from '../../../engine/engine.ts';
import { Mount } from '../../../views/mount.ts';
import { Network } from '../../../views/network.ts';
import { runWorld } from '../../views/world.ts';
import { LoggedErrors } from '../fixture.ts';
import type { Json } from './ask.ts';

let engine: Engine;
let token: Json;
let get: (path: string) => Promise<{ readonly status: number; readonly body: Json; readonly text: string }>;

beforeAll(async () => {
  engine = await runWorld();
  const api = createApi({ mounts: [Mount.of(new Network({ engine }))], log: new LoggedErrors() });
  get = async (path) => {
    const response = await api.fetch(new Request(`http://localhost/v1${path}`));
    const text = await response.text();
    return { status: response.status, text, body: JSON.parse(text) };
  };
  token = (await get('/tokens?limit=1')).body.tokens[0];
});

describe('the universal data feed', () => {
  test('names only resolutions and types that it answers', async () => {
    const { body } = await get('/udf/config');
    expect(body.supported_resolutions).toEqual(['1', '5', '15', '30', '60', '120', '240', '1D', '1W']);
    for (const resolution of body.supported_resolutions)
      expect((await get(`/udf/history?symbol=${token.md5}&resolution=${resolution}`)).body.s).toBe('ok');
    for (const { value } of body.symbols_types)
      expect((await get(`/udf/search?type=${value}`)).status).toBe(200);
    expect(body).toMatchObject({ supports_search: true, supports_group_request: false, supports_time: true });
    const seconds = Number((await get('/udf/time')).text);
    expect(Math.abs(seconds - Date.now() / 1000)).toBeLessThan(60);
  });

  test('describes a token so that its price can be read', async () => {
    const { body } = await get(`/udf/symbols?symbol=${token.md5}/usd`);
    expect(body).toMatchObject({
      name: `${token.name}/USD`,
      ticker: `${token.slug}/USD`,
      type: token.tokenType,
      currency_code: 'USD',
      minmov: 1,
    });
    const inXrp = (await get(`/udf/symbols?symbol=${token.slug}`)).body;
    expect(inXrp.ticker).toBe(`${token.slug}/XRP`);
    // Six digits of the price are whole steps of the scale.
    const [, , , , close] = (await get(`/ohlc/${token.md5}?interval=1d&cb=1`)).body.ohlc[0];
    expect(close * inXrp.pricescale).toBeGreaterThanOrEqual(1e5);
    expect(close * inXrp.pricescale).toBeLessThan(1e6);
  });

  test('finds tokens as the search does', async () => {
    const [rows, found] = [
      (await get(`/udf/search?query=${token.name}&limit=5`)).body as unknown as Json[],
      await engineSearch(String(token.name)),
    ];
    expect(rows.map(({ description }) => description)).toEqual(found.slice(0, 5));
    expect((await get('/udf/search?exchange=Elsewhere')).body).toEqual([] as never);
    expect((await get(`/udf/search?query=${token.name}&type=mpt`)).body).toEqual([] as never);
  });

  test('has the candles of /ohlc as columns', async () => {
    for (const [query, resolution, currency] of [
      ['interval=1m', '1', 'XRP'],
      ['interval=4h&vs_currency=USD', '240', 'USD'],
      ['interval=1d', 'D', 'XRP'],
    ]) {
      const rows = (await get(`/ohlc/${token.md5}?${query}&cb=5000`)).body.ohlc as number[][];
      const history = `/udf/history?symbol=${token.md5}/${currency}&resolution=${resolution}`;
      const { t, o, h, l, c, v, s } = (await get(history)).body;
      expect(rows.length).toBeGreaterThan(0);
      expect(s).toBe('ok');
      expect(rows.map((row) => [row[0]! / 1000, row[1], row[2], row[3], row[4], row[6]])).toEqual(
        t.map((time: number, i: number) => [time, o[i], h[i], l[i], c[i], v[i]]),
      );
    }
  });

  test('reads from, to and countback as the library does', async () => {
    const history = `/udf/history?symbol=${token.md5}&resolution=1`;
    const times = (await get(history)).body.t as number[];
    expect(times.length).toBeGreaterThanOrEqual(3);
    const [from, to] = [times[1]!, times.at(-1)!];
    // The end is not included; a number of candles wins over the beginning.
    expect((await get(`${history}&from=${from}&to=${to}`)).body.t).toEqual(times.slice(1, -1));
    expect((await get(`${history}&from=${to - 1}&to=${to}&countback=2`)).body.t).toEqual(times.slice(-3, -1));
    expect((await get(`${history}&from=${to + 60}&to=${to + 120}`)).body).toEqual({
      s: 'no_data',
      nextTime: to,
    });
    expect((await get(`${history}&from=0&to=${times[0]}`)).body).toEqual({ s: 'no_data' });
  });

  test('names errors where the library looks for them', async () => {
    for (const [path, status] of [
      ['/udf/symbols?symbol=nothing', 404],
      [`/udf/history?symbol=${token.md5}/DOGE`, 404],
      [`/udf/history?symbol=${token.md5}&resolution=7`, 400],
    ] as const) {
      const answer = await get(path);
      expect([path, answer.status, answer.body.s]).toEqual([path, status, 'error']);
      expect(answer.body.errmsg).toBe(answer.body.error);
    }
    expect((await get('/udf/history')).status).toBe(400);
  });
});

describe('tickers', () => {
  test('are the pairs of XRP that traded, with the figures of their rows', async () => {
    const gecko = (await get('/tickers/coingecko')).body as unknown as Json[];
    const market = (await get('/tickers/coinmarketcap')).body as unknown as Json[];
    const pairs = ((await get('/pairs/XRP')).body.pairs as Json[]).filter(({ count }) => count > 0);
    expect(pairs.length).toBeGreaterThan(3);
    expect(gecko.slice(0, pairs.length).map(({ base_volume }) => Number(base_volume))).toEqual(
      pairs.map(({ curr2 }) => curr2.value),
    );
    expect(market).toHaveLength(gecko.length);
    for (const [i, ticker] of gecko.entries()) {
      const row = (await get(`/token/${ticker.base_currency}`)).body.token;
      expect(ticker.ticker_id).toBe(`${row.slug}_XRP`);
      expect(ticker.last_price).toBe(row.exch);
      expect([ticker.high, ticker.low].map(Number)).toEqual(row.maxMin24h ?? [Number.NaN, Number.NaN]);
      const { bids, asks } = (await get(`/orderbook?base=${row.md5}&quote=XRP&limit=1`)).body;
      expect([ticker.bid, ticker.ask]).toEqual([bids[0]?.price, asks[0]?.price]);
      expect(market[i]).toMatchObject({
        trading_pairs: ticker.ticker_id,
        base_volume: Number(ticker.base_volume),
        quote_volume: Number(ticker.target_volume),
      });
      expect(market[i]!.price_change_percent_24h).toBe(row.pro24h);
    }
  });
});

async function engineSearch(text: string): Promise<string[]> {
  const network = new Network({ engine });
  const { tokens } = await network.views.search.find(text, 100);
  return tokens.map((id) => network.views.tokens.slug(id));
}
