/** Parameters of NFT routes: what was read of them is in the answers, days are those of the calendar, ranges begin with a candle. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Route } from '../../../api/route.ts';
import { routes } from '../../../api/routes/index.ts';
import { Engine } from '../../../engine/engine.ts';
import { DAY } from '../../../engine/ripple-time.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Network } from '../../../views/network.ts';
import { follow, RandomNfts } from '../../engine/nfts/random-nfts.ts';
import { quiet } from '../../live-rig.ts';
import { drawsOf } from '../../sandbox/seed.ts';
import { asker, type Json } from './ask.ts';

const LEDGERS = 120;
const SEED = 20_261_129;

const engine = new Engine({ store: new MemoryStore(), log: quiet });
const random = new RandomNfts(drawsOf(SEED));
const ask = asker(new Network({ engine }));
/** Of the collection with most sales. */
let slug = '';
let issuer = '';
let nft = '';

const get = async (path: string): Promise<Json> => {
  const { status, body } = await ask.get(path);
  expect([path, status]).toEqual([path, 200]);
  return body;
};

beforeAll(async () => {
  await follow(engine, random.rig.network.closed);
  for (let i = 0; i < LEDGERS; i++) await follow(engine, random.next());
  const [first] = (await get('/nft/collections?sort=totalSales&limit=1')).collections;
  ({ slug, issuer } = first);
  nft = (await get(`/nft?issuer=${issuer}&limit=1`)).nfts[0].NFTokenID;
});

/** Of a row those numbers in the query that are clamped. */
const clamped = ({ params }: Route) =>
  Object.entries(params).flatMap(([name, param]) =>
    param.in === 'query' && param.kind === 'int' && (param.min !== undefined || param.max !== undefined)
      ? [{ name, min: param.min, max: param.max }]
      : [],
  );

/** A taxon that no collection has is 404 there. */
const NAMES_ONE = '/nft/collections/resolve';
const numbers = routes
  .filter(({ section, method }) => method === 'GET' && (section === '4.5' || section === '4.6'))
  .filter(({ path }) => path !== NAMES_ONE)
  .flatMap((row) => clamped(row).map((number) => [`${row.path} ${number.name}`, row, number] as const));

describe('a number that is clamped', () => {
  const pathOf = ({ path }: Route) =>
    path
      .replace(/\{(slug|cid)\}/, slug)
      .replace('{account}', issuer)
      .replace('{nftId}', nft)
      .replace('{date}', '2026-01-01');

  test.each(numbers)('%s is in the answer as it was read', async (_, row, { name, min, max }) => {
    const others = `issuer=${issuer}&account=${issuer}&includeNFTs=true`;
    for (const [sent, read] of [
      [-1_000_000, min],
      [99_999_999_999, max],
    ]) {
      if (read === undefined) continue;
      const { meta, pagination, ...body } = await get(`${pathOf(row)}?${others}&${name}=${sent}`);
      expect({ ...pagination, ...meta, ...body }[name]).toBe(read);
    }
  });
});

test('a range begins with the candle in which its first day is', async () => {
  // Three days after the sales, in the same week.
  random.rig.time += 3 * DAY;
  await follow(engine, random.rig.close());
  const path = `/nft/collections/${slug}/ohlc`;
  const { ohlc: weeks } = await get(`${path}?resolution=W`);
  expect(weeks.length).toBe(1);
  for (const range of ['1D', '5D'])
    expect([range, (await get(`${path}?resolution=W&range=${range}`)).ohlc]).toEqual([range, weeks]);
  expect((await get(`${path}?resolution=D&range=1D`)).ohlc).toEqual([]);
});

test('days that the calendar does not have are refused, and none is taken for another one', async () => {
  const path = `/nft/collections/${slug}/ohlc`;
  for (const day of ['2026-02-31', '2025-02-29', '2026-04-31', '2026-13-01', '2026-00-10'])
    expect([day, (await ask.get(`${path}/${day}/sales`)).status]).toEqual([day, 400]);
  expect((await get(`${path}/2024-02-29/sales`)).date).toBe('2024-02-29');
});

test('sales of a candle are the newest first, and of equal prices, too', async () => {
  const path = `/nft/collections/${slug}`;
  const { history } = await get(`${path}/history?type=SALE&limit=200`);
  const sold = history.filter(({ costXRP }: Json) => costXRP > 0);
  const day = new Date(sold[0].time).toISOString().slice(0, 10);
  const ofDay = sold.filter(({ time }: Json) => new Date(time).toISOString().startsWith(day));
  expect(ofDay.length).toBeGreaterThan(1);
  const shown = (rows: Json[]) => rows.map(({ NFTokenID, costXRP, time }) => ({ NFTokenID, costXRP, time }));
  const { sales } = await get(`${path}/ohlc/${day}/sales?sortBy=time`);
  expect(shown(sales)).toEqual(shown(ofDay));
  const { sales: largest } = await get(`${path}/ohlc/${day}/sales`);
  expect(shown(largest)).toEqual(shown(ofDay.toSorted((a: Json, b: Json) => b.costXRP - a.costXRP)));
});

test('lists of collections are sorted by any figure of theirs, under its own name', async () => {
  for (const [name, sort] of [
    ['marketcap', 'marketcap.amount'],
    ['topOffer', 'topOffer.amount'],
  ]) {
    const ids = async (by: string) =>
      (await get(`/nft/collections?limit=200&sort=${by}`)).collections.map(({ _id }: Json) => _id);
    expect(await ids(name!)).toEqual(await ids(sort!));
  }
  for (const sort of ['transferFee', 'royaltyFee'])
    for (const [order, sign] of [
      ['asc', 1],
      ['desc', -1],
    ] as const) {
      const body = await get(`/nft/collections?limit=200&sort=${sort}&order=${order}`);
      const fees = body.collections.map((row: Json) => row[sort]);
      expect(body.sort).toBe(sort);
      expect(fees).toEqual(fees.toSorted((a: number, b: number) => sign * (a - b)));
    }
});

test('batches of small charts may be kept for 30 s, as those of tokens', async () => {
  const keptFor = async (path: string) => (await ask.raw(path)).headers.get('cache-control');
  const ofTokens = await keptFor('/sparkline/batch?md5s=84e5efeb89c4eae8f68188982dc290d8');
  expect([ofTokens, await keptFor('/nft/collections/sparkline/batch')]).toEqual([
    'public, max-age=30',
    'public, max-age=30',
  ]);
});

test('batches of small charts have them under the ids that were sent', async () => {
  const id = `${issuer}:${slug.slice(slug.lastIndexOf('-') + 1)}`;
  const { data, count } = await get(`/nft/collections/sparkline/batch?slugs=${id},${slug},nobody-1`);
  expect([Object.keys(data), count]).toEqual([[id, slug], 2]);
  expect(data[id]).toEqual(data[slug]);
  expect(Object.keys((await get('/nft/collections/sparkline/batch')).data)).toContain(slug);
});
