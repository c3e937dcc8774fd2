/**
 * The same answer in its other forms, at one ledger of the embedded network: under the other prefix, as a table, in part, by
 * the adapters, and as what the frames of sockets add up to that were open for a hundred ledgers.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Agreement } from './agreement-rig.ts';
import { type Asked, requestsAbout } from './agreement-routes.ts';
import { type Frame, type Listener, until } from './live-rig.ts';

/** A day, and some hours that are out of its windows. */
const SECONDS = 26 * 3600;
/** Between two ledgers, s. */
const STEP = 480;
/** Ledgers that close while sockets listen. */
const LIVE = 100;

const seed = process.env.SEED ?? 'forms';
console.log(`seed ${seed}`);

let world: Agreement;
let tokens: string[];
let accounts: string[];
let asked: Asked[];
let all: Frame[];
const sockets = new Map<string, Listener>();
/** Frames of the socket to be resumed, in the middle of the ledgers. */
let known: number;

const text = (path: string) => fetch(`${world.service.url}${path}`).then((response) => response.text());
const withQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`;
const resumable = () => `/ws/token/${tokens[0]}?fields=full&delta=true`;

beforeAll(async () => {
  world = await Agreement.start(seed, SECONDS, STEP, LIVE);
  tokens = (await world.get('/tokens?limit=6')).tokens.map(({ md5 }: Frame) => md5);
  const { data } = await world.get('/token/analytics/traders?limit=3&includeAMM=false');
  accounts = data.map(({ address }: Frame) => address);
  const { pools } = await world.get('/amm?limit=6');
  const paths = [
    ...tokens.flatMap((md5) => [
      ...['ticker', 'price', 'trading', 'full', 'all'].map(
        (preset) => `token/${md5}?fields=${preset}&delta=true`,
      ),
      `token/${md5}`,
      `holders/${md5}?limit=20`,
      `history/${md5}?limit=100&type=all`,
      `creator/${md5}`,
      ...['XRP', 'USD'].map((currency) => `ohlc/${md5}?interval=5m&vs_currency=${currency}`),
    ]),
    ...pools.map(({ ammAccount }: Frame) => `amm/info?amm_account=${ammAccount}`),
    ...accounts.flatMap((account) => [
      `account/balance/${account}`,
      `account/offers/${account}?limit=50`,
      `trustlines/${account}?limit=50`,
    ]),
    'ledger',
  ];
  for (const path of paths) sockets.set(`/ws/${path}`, await world.listen(`/ws/${path}`));
  await world.close(LIVE / 2);
  known = sockets.get(resumable())!.frames.length;
  await world.close(LIVE / 2);
  await until(() => sockets.get('/ws/ledger')!.frames.length === LIVE + 1, 'the frames of all ledgers');
  all = (await world.pages('/tokens', 'tokens')).rows;
  const { collections } = await world.get('/nft/collections?limit=2');
  const { nfts } = await world.get('/nft?limit=2');
  ({ asked } = requestsAbout({
    tokens: tokens.slice(0, 3),
    accounts: accounts.slice(0, 2),
    collections: collections.map(({ slug }: Frame) => slug),
    nfts: nfts.map(({ NFTokenID }: Frame) => NFTokenID),
    platforms: [],
  }));
}, 600_000);

afterAll(() => world?.stop());

/** Without what is of the request or of the clock. */
const timeless = (body: string) => body.replace(/"(took|lastUpdated|retryAfter)":("[^"]*"|\d+),?/g, '');

/** Answers to what is asked, by address. */
async function answers(only: (one: Asked) => boolean = () => true): Promise<[Asked, Frame][]> {
  const found: [Asked, Frame][] = [];
  for (const one of asked.filter(only)) {
    const response = await fetch(`${world.service.url}/v1${one.path}`);
    if (response.status === 200) found.push([one, (await response.json()) as Frame]);
  }
  return found;
}

describe('addresses', () => {
  test('both prefixes say the same', async () => {
    // The clock is another one a moment later.
    for (const [{ path }, answer] of await answers(({ row }) => row.path !== '/udf/time'))
      expect([path, timeless(await text(`/api${path}`))]).toEqual([path, timeless(JSON.stringify(answer))]);
  }, 300_000);

  test('one member is the same alone', async () => {
    for (const [{ path }, answer] of await answers()) {
      const { success: _, result: __, attribution: ___, took: ____, ...members } = answer;
      for (const name of Object.keys(members).slice(-1)) {
        const part = JSON.parse(await text(`/v1${withQuery(path, `fields=${encodeURIComponent(name)}`)}`));
        expect([path, timeless(JSON.stringify(part[name]))]).toEqual([
          path,
          timeless(JSON.stringify(answer[name])),
        ]);
      }
    }
  }, 300_000);

  test('a page that an answer names is the one that was asked for', async () => {
    const named: string[] = [];
    for (const [{ row, path }, answer] of await answers()) {
      const pageOf = ({ pagination, page }: Frame): number | undefined => pagination?.page ?? page;
      const first = pageOf(answer);
      if (first === undefined || named.includes(row.path)) continue;
      named.push(row.path);
      const small = withQuery(path.replace(/limit=\d+/, 'limit=1'), `page=${first + 2}`);
      expect([small, pageOf(JSON.parse(await text(`/v1${small}`)))]).toEqual([small, first + 2]);
    }
    expect(named.length).toBeGreaterThan(12);
  });

  test('tables have the rows', async () => {
    const tables = await answers(({ row }) => row.table !== undefined);
    for (const [{ row, path }, answer] of tables) {
      const rows: Frame[] = answer[row.table!.rows];
      const lines = (await text(`/v1${withQuery(path, 'format=ndjson')}`)).split('\n').filter(Boolean);
      expect([path, lines.map((line) => JSON.parse(line))]).toEqual([path, rows]);
      const csv = (await text(`/v1${withQuery(path, 'format=csv')}`)).split('\r\n');
      expect([path, csv.length]).toEqual([path, rows.length + 2]);
      const columns = csv[0]!.split(',');
      // Text in quotes may have commas: rows that have none are compared cell by cell.
      for (const [i, line] of csv.slice(1, -1).entries()) {
        if (line.includes('"')) continue;
        const values = columns.map(
          (name, j) => (Array.isArray(rows[i]) ? rows[i]![j] : rows[i]![name]) ?? '',
        );
        expect([path, line]).toEqual([path, values.map(String).join(',')]);
      }
    }
    expect(tables.length).toBeGreaterThan(10);
  });
});

describe('adapters', () => {
  test('the feed of charts has the candles', async () => {
    const lengths = { 1: '1m', 15: '15m', 60: '1h', '1D': '1d', '1W': '1w' };
    for (const md5 of tokens)
      for (const [resolution, interval] of Object.entries(lengths)) {
        const { ohlc } = await world.get(`/ohlc/${md5}?interval=${interval}&cb=200&vs_currency=XRP`);
        const symbol = encodeURIComponent(all.find((row) => row.md5 === md5)!.slug);
        const query = `symbol=${symbol}/XRP&resolution=${resolution}&countback=200`;
        const { t, o, h, l, c, v } = JSON.parse(await text(`/v1/udf/history?${query}`));
        const rows = t.map((time: number, i: number) => [time * 1000, o[i], h[i], l[i], c[i], v[i]]);
        expect(rows).toEqual(ohlc.map((row: number[]) => [...row.slice(0, 5), row[6]]));
      }
  });

  test('tickers have the figures of tokens, pairs and books', async () => {
    const [gecko, cap] = await Promise.all(
      ['coingecko', 'coinmarketcap'].map(
        async (site): Promise<Frame[]> => JSON.parse(await text(`/v1/tickers/${site}`)),
      ),
    );
    expect(gecko!.length).toBeGreaterThan(5);
    expect(cap).toHaveLength(gecko!.length);
    for (const [i, ticker] of gecko!.entries()) {
      const row = all.find(({ slug }) => slug === ticker.base_currency)!;
      const { pairs } = await world.get(`/pairs/${row.md5}`);
      const { curr1, curr2 } = pairs.find(
        (pair: Frame) => pair.curr1.currency === 'XRP' || pair.curr2.currency === 'XRP',
      );
      const sides = curr1.currency === 'XRP' ? [curr2.value, curr1.value] : [curr1.value, curr2.value];
      const { bids, asks } = await world.get(`/orderbook?base=${row.md5}&quote=XRP&limit=1`);
      const number = (one: unknown) => (one === undefined ? undefined : Number(one));
      const figures = [
        row.exch,
        ...(row.maxMin24h ?? [undefined, undefined]),
        bids[0]?.price,
        asks[0]?.price,
        ...sides,
      ].map(number);
      const { last_price, high, low, bid, ask, base_volume, target_volume } = ticker;
      expect([last_price, high, low, bid, ask, base_volume, target_volume].map(number)).toEqual(figures);
      const other = cap![i]!;
      const { highest_price_24h, lowest_price_24h, highest_bid, lowest_ask, quote_volume } = other;
      const prices = [other.last_price, highest_price_24h, lowest_price_24h, highest_bid, lowest_ask];
      expect([...prices, other.base_volume, quote_volume]).toEqual(figures);
      expect([other.price_change_percent_24h, ticker.pool_id]).toEqual([row.pro24h, row.AMM]);
    }
  });
});

test('traders: who traded in 24 hours, and how often with others', async () => {
  let traded = 0;
  for (const { md5, uniqueTraders24h } of all) {
    const { activeTraders } = await world.get(`/token/analytics/token/${md5}`);
    expect([md5, activeTraders['24h']]).toEqual([md5, uniqueTraders24h]);
    if (activeTraders.all > uniqueTraders24h) traded++;
  }
  expect(traded).toBeGreaterThan(0);
  const list = await world.get('/token/analytics/traders?limit=100&includeAMM=false');
  for (const { address, totalTrades } of list.data) {
    const { data, meta } = await world.get(`/token/analytics/trader/${address}/trades?limit=1000`);
    const alone = data.filter(({ maker, taker }: Frame) => maker === taker).length;
    expect([address, totalTrades]).toEqual([address, meta.total - alone]);
  }
}, 60_000);

const OF_OTHERS: ReadonlySet<string> = new Set(['value', 'percentOwned', 'token']);

describe('sockets', () => {
  const of = (stream: string): [string, string, Frame[]][] =>
    [...sockets]
      .filter(([path]) => path.startsWith(`/ws/${stream}`))
      .map(([path, { frames }]) => [path, path.slice(`/ws/${stream}/`.length).split('?')[0]!, frames]);
  const some = <T>(list: readonly T[]): readonly T[] => {
    expect(list.length).toBeGreaterThan(0);
    return list;
  };

  test('a token: presets and changes', async () => {
    for (const [path, md5, frames] of some(of('token'))) {
      const row: Frame = Object.assign({}, ...frames.map(({ token }) => token));
      const { token } = await world.get(`/token/${md5}?desc=yes`);
      const shown = Object.entries(row).filter(([name]) => Object.hasOwn(token, name));
      expect([path, Object.fromEntries(shown)]).toEqual([
        path,
        Object.fromEntries(shown.map(([name]) => [name, token[name]])),
      ]);
    }
  });

  test('holders, trades, events of the creator', async () => {
    for (const [path, md5, frames] of some(of('holders'))) {
      const { length, richList } = await world.get(`/holders/list/${md5}?limit=20`);
      const last = frames.at(-1)!;
      expect([path, last.total, last.holders]).toEqual([path, length, richList]);
    }
    for (const [path, md5, frames] of some(of('history'))) {
      const { data } = await world.get(`/history?md5=${md5}&limit=1000&type=all`);
      const rows = new Map<string, Frame>(data.map((row: Frame) => [row._id, row]));
      const live = frames.slice(1).flatMap(({ trades }) => trades as Frame[]);
      expect(new Set(live.map(({ _id }) => _id)).size).toBe(live.length);
      for (const trade of live) expect([path, rows.get(trade._id)]).toEqual([path, trade]);
      const before = frames[0]!.trades[0]?._id;
      expect(data.findIndex(({ _id }: Frame) => _id === before)).toBe(live.length);
    }
    for (const [path, md5, frames] of some(of('creator'))) {
      const { events } = await world.get(`/creator-activity/${md5}?limit=200`);
      const hashes = new Set(events.map(({ hash }: Frame) => hash));
      for (const { h } of frames.slice(1)) expect([path, hashes.has(h)]).toEqual([path, true]);
    }
  });

  test('candles', async () => {
    for (const [path, md5, frames] of some(of('ohlc'))) {
      const rows = new Map<number, number[]>(
        frames[0]!.ohlc.map((row: number[]) => [row[0], row.slice(0, 6)]),
      );
      for (const { k } of frames.slice(1)) rows.set(k.t, [k.t, k.o, k.h, k.l, k.c, k.v].map(Number));
      const currency = new URLSearchParams(path.split('?')[1]).get('vs_currency');
      const { ohlc } = await world.get(`/ohlc/${md5}?interval=5m&vs_currency=${currency}&cb=1000`);
      const newest = ohlc.slice(-50).map((row: number[]) => row.slice(0, 6));
      expect([path, newest]).toEqual([path, newest.map(([start]: number[]) => rows.get(start!))]);
    }
  });

  test('pools, accounts, ledgers', async () => {
    for (const [path, , frames] of some(of('amm/info'))) {
      const { amm } = await world.get(path.slice('/ws'.length));
      expect([path, frames.at(-1)!.amm]).toEqual([path, amm]);
    }
    for (const [stream, names] of [
      ['account/balance', ['balance', 'balanceDrops', 'spendableDrops', 'reserve', 'ownerCount', 'sequence']],
      ['account/offers', ['offers', 'total']],
      ['trustlines', ['lines', 'total']],
    ] as const)
      for (const [path, , frames] of some(of(stream))) {
        const [last, answer] = [frames.at(-1)!, await world.get(path.slice('/ws'.length))];
        // What others move of a line is as of its last frame (account-lists.ts).
        const own = (member: unknown) =>
          JSON.stringify(member, (name, one) => (OF_OTHERS.has(name) ? 0 : one));
        for (const name of names)
          expect([path, name, own(last[name])]).toEqual([path, name, own(answer[name])]);
      }
    const { frames } = sockets.get('/ws/ledger')!;
    const { ledger_index, ledger_hash, close_time, txn_count } = await world.get('/ledger');
    expect(frames).toHaveLength(LIVE + 1);
    expect(frames.at(-1)).toMatchObject({ ledger_index, ledger_hash, close_time, txn_count });
  });

  test('a socket that was away gets the frames that it missed', async () => {
    const { frames } = sockets.get(resumable())!;
    const missed = frames.slice(known);
    const query = `from_seq=${frames[known - 1]!.seq}&session=${frames[0]!.session}`;
    const back = await world.listen(`${resumable()}&${query}`);
    await until(() => back.frames.length > missed.length, 'the missed frames');
    expect(back.frames).toEqual([
      expect.objectContaining({ type: 'resumed', missed: missed.length }),
      ...missed,
    ]);
    expect(missed.length).toBeGreaterThan(3);
  });
});
