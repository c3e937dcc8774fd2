/** Collections of NFTs over HTTP: sales, charts and rankings against the transactions of the ledgers, books against the node. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { Engine } from '../../../engine/engine.ts';
import { unixMs } from '../../../engine/ripple-time.ts';
import { NO_METADATA } from '../../../platform/nft-metadata.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Network } from '../../../views/network.ts';
import { collectionId } from '../../../views/nfts/collection-ids.ts';
import { NFT_EVENT_NAMES } from '../../../views/nfts/events.ts';
import { NftSearch } from '../../../views/nfts/nft-search.ts';
import { asTheNode } from '../../engine/nfts/node-nfts.ts';
import { follow, RandomNfts } from '../../engine/nfts/random-nfts.ts';
import { type SeenSale, salesOf } from '../../engine/nfts/sales.ts';
import { quiet } from '../../live-rig.ts';
import type { TestAccount } from '../../sandbox/rig.ts';
import { drawsOf } from '../../sandbox/seed.ts';
import { asker, type Json } from './ask.ts';

const LEDGERS = 200;
const SEED = 20_261_127;
const DROPS = 1_000_000;

const engine = new Engine({ store: new MemoryStore(), log: quiet });
const random = new RandomNfts(drawsOf(SEED));
const ask = asker(new Network({ engine }));
/** Of the collection with most sales for XRP. */
let sold: SeenSale[] = [];
let id = '';
let slug = '';

const get = async (path: string): Promise<Json> => {
  const { status, body } = await ask.get(path);
  expect([path, status]).toEqual([path, 200]);
  return body;
};

const collectionOf = (nft: string): string => {
  const { nfts, collections } = engine.nfts;
  return collectionId(collections, nfts.collection[nfts.find(Buffer.from(nft, 'hex'), 0)]!);
};

beforeAll(async () => {
  await follow(engine, random.rig.network.closed);
  const all = new Map<string, SeenSale[]>();
  for (let i = 0; i < LEDGERS; i++) {
    const packed = await follow(engine, random.next());
    if (i === LEDGERS / 2) await engine.drain();
    for (const sale of salesOf(packed)) {
      const of = collectionOf(sale.nft);
      if (sale.drops > 0) all.set(of, [...(all.get(of) ?? []), sale]);
    }
  }
  [[id, sold]] = [...all].sort((a, b) => b[1].length - a[1].length) as [[string, SeenSale[]]];
  ({ slug } = await get(`/nft/collections/${id}`));
});

const xrp = (sales: readonly SeenSale[]) => sales.reduce((sum, { drops }) => sum + drops, 0) / DROPS;

/** Sends a transaction, and follows the ledger that has it. */
async function send(account: TestAccount, json: Json): Promise<void> {
  random.rig.submit(account, json);
  await follow(engine, random.rig.close());
}

describe('a collection', () => {
  test('is the same by its slug, by issuer and taxon, and as a row of the list', async () => {
    expect(sold.length).toBeGreaterThan(5);
    const { took: _1, ...one } = await get(`/nft/collections/${slug}`);
    const [issuer, taxon] = id.split(':');
    const { took: _2, ...resolved } = await get(`/nft/collections/resolve?issuer=${issuer}&taxon=${taxon}`);
    expect(resolved).toEqual(one);
    const { collections } = await get('/nft/collections?limit=200');
    const row = collections.find(({ _id }: Json) => _id === id);
    expect(one).toMatchObject(row);
    expect([one.totalVolume, one.totalVol24h]).toEqual([xrp(sold), xrp(sold)]);
    expect((await ask.get('/nft/collections/nobody-1')).status).toBe(404);
  });

  test('is found by its slug, its id and its issuer, and its NFTs by their ids', async () => {
    const search = async (text: string) => (await ask.post('/search', { search: text })).body;
    const one = await get(`/nft/collections/${slug}`);
    const issuer = id.slice(0, id.indexOf(':'));
    for (const text of [slug, id, issuer, '']) {
      const { collections, order } = await search(text);
      expect([text, order.includes('collections')]).toEqual([text, true]);
      const found = collections.find((row: Json) => row.slug === slug);
      expect([text, found]).toMatchObject([
        text,
        { account: issuer, name: slug, items: one.items, owners: one.owners, floor: one.floor },
      ]);
    }
    const issued = (await search(issuer)).collections.map(({ account }: Json) => account);
    expect(new Set(issued)).toEqual(new Set([issuer]));
    const nft = sold[0]!.nft;
    const { nfts, collections, order } = await search(nft.toLowerCase());
    expect(nfts).toMatchObject([{ NFTokenID: nft, editions: 1 }]);
    expect([collections, order]).toEqual([[], ['nfts']]);
    expect((await search('0'.repeat(64))).nfts).toEqual([]);
  });

  test('shares its holders with others, as the node has the owners', async () => {
    const owners = new Map<string, Set<string>>();
    for (const [nft, { owner }] of Object.entries(asTheNode(random.ask).nfts)) {
      const of = collectionOf(nft);
      owners.set(of, (owners.get(of) ?? new Set()).add(owner));
    }
    let rows = 0;
    for (const [of, all] of owners) {
      const issuer = of.slice(0, of.indexOf(':'));
      const audience = [...all].filter((address) => address !== issuer);
      const expected = [...owners].flatMap(([other, own]) => {
        const shared = audience.filter((address) => own.has(address)).length;
        const score = Math.round((shared / Math.sqrt(audience.length * own.size)) * 1e6) / 1e6;
        const sameProject = other.startsWith(issuer);
        const one = { collectionId: other, sharedHolders: shared, holders: own.size, score, sameProject };
        return other === of || shared < 2 ? [] : [one];
      });
      const body = await get(`/nft/collections/${of}/related`);
      expect([of, body.audience]).toEqual([of, audience.length]);
      const found = body.related.filter(({ type }: Json) => type === 'collection');
      expect(found.map(({ score }: Json) => score)).toEqual(
        expected.map(({ score }) => score).sort((a, b) => b - a),
      );
      for (const one of expected)
        expect(found.find(({ collectionId: id }: Json) => id === one.collectionId)).toMatchObject(one);
      rows += found.length;
    }
    expect(rows).toBeGreaterThan(10);
  });

  test('is found by its name, with a letter wrong, too, where names are known', async () => {
    const row = new Network({ engine }).views.nfts.collection(id);
    const names = new Map([[row, 'Golden Herons']]);
    const none = () => 0;
    const nameOf = (one: number) => names.get(one);
    const popular = async () => [];
    const parts = { engine, metadata: NO_METADATA, nameOf, collection: none, nft: none, popular };
    const search = new NftSearch({ ...parts, revisions: [{ version: 1 }] });
    for (const text of ['golden herons', 'Herons', 'golden heroms'])
      expect([text, (await search.find(text)).collections]).toEqual([text, [row]]);
    expect((await search.find('nothing like it')).collections).toEqual([]);
    // What was fetched before a restart is known, and none since.
    const metadata = { version: 0, content: () => undefined };
    const restarted = new NftSearch({ ...parts, metadata, revisions: [metadata] });
    expect((await restarted.find('golden herons')).collections).toEqual([row]);
    const unknown = new NftSearch({ ...parts, revisions: [] });
    expect((await unknown.find('golden herons')).collections).toEqual([]);
  });

  test('lists come with the figures of all collections that the market has', async () => {
    const { globalMetrics } = await get('/nft/collections?includeGlobalMetrics=true&limit=1');
    const market = await get('/nft/global-metrics');
    for (const name of ['total24hVolume', 'total24hSales', 'totalCollections', 'activeCollections24h'])
      expect([name, globalMetrics[name]]).toEqual([name, market[name]]);
  });

  test('has the candles of its sales in every resolution', async () => {
    for (const [resolution, seconds] of [
      ['5', 300],
      ['60', 3600],
      ['D', 86_400],
      ['W', 604_800],
    ] as const) {
      const { ohlc, total } = await get(`/nft/collections/${slug}/ohlc?resolution=${resolution}&cb=2000`);
      // Weeks are those of token candles: the Ripple epoch was a Saturday, they begin on Mondays.
      const first = resolution === 'W' ? 2 * 86_400 : 0;
      const begins = [...new Set(sold.map(({ time }) => time - ((time - first) % seconds)))];
      expect([resolution, total, ohlc.length]).toEqual([resolution, begins.length, begins.length]);
      for (const [i, begin] of begins.entries()) {
        const own = sold.filter(({ time }) => time >= begin && time < begin + seconds);
        const prices = own.map(({ drops }) => drops / DROPS);
        const [o, c] = [prices[0], prices.at(-1)];
        expect(ohlc[i]).toMatchObject({
          o,
          c,
          h: Math.max(...prices),
          l: Math.min(...prices),
          s: own.length,
        });
        expect(ohlc[i].v).toBeCloseTo(xrp(own), 6);
        if (resolution === 'W') expect(new Date(ohlc[i].t).getUTCDay()).toBe(1);
      }
    }
    const { date, total } = await get(
      `/nft/collections/${slug}/ohlc/${unixMs(sold[0]!.time)}/sales?interval=W`,
    );
    const [week] = (await get(`/nft/collections/${slug}/ohlc?resolution=W`)).ohlc;
    expect([date, total]).toEqual([week.t, week.s]);
  });

  test('lists the sales of a candle, the largest first', async () => {
    const day = new Date(unixMs(sold[0]!.time)).toISOString().slice(0, 10);
    const { sales, total } = await get(`/nft/collections/${slug}/ohlc/${day}/sales`);
    const own = sold.filter(({ time }) => new Date(unixMs(time)).toISOString().startsWith(day));
    expect(total).toBe(own.length);
    expect(sales.map(({ costXRP }: Json) => costXRP)).toEqual(
      own.map(({ drops }) => drops / DROPS).sort((a, b) => b - a),
    );
    const one = await get(`/nft/collections/${slug}/ohlc/${unixMs(sold[0]!.time)}/sales?interval=5`);
    expect(one.sales.map(({ buyer }: Json) => buyer)).toContain(sold[0]!.buyer);
    expect((await ask.get(`/nft/collections/${slug}/ohlc/yesterday/sales`)).status).toBe(400);
  });

  test('ranks those who traded it', async () => {
    const { traders, total } = await get(`/nft/collections/${slug}/traders?limit=200`);
    expect(total).toBe(new Set(sold.flatMap(({ buyer, seller }) => [buyer, seller])).size);
    for (const { address, buyVolume, buys, sellVolume, sells } of traders) {
      const bought = sold.filter(({ buyer }) => buyer === address);
      const given = sold.filter(({ seller }) => seller === address);
      expect([address, buys, sells]).toEqual([address, bought.length, given.length]);
      expect(buyVolume).toBeCloseTo(xrp(bought), 6);
      expect(sellVolume).toBeCloseTo(xrp(given), 6);
    }
  });

  test('ranks its traders by each figure, and answers for one account', async () => {
    const path = `/nft/analytics/collection/${slug}/traders`;
    const { traders: all, total } = await get(`${path}?limit=200`);
    expect(total).toBeGreaterThan(2);
    for (const sort of ['profitAll', 'buyVolume', 'trades7d', 'roi', 'lastTrade']) {
      const body = await get(`${path}?limit=200&sortBy=${sort}`);
      expect([body.sort, body.total]).toEqual([sort, total]);
      const values = all.map((row: Json) => row[sort] ?? Number.NEGATIVE_INFINITY);
      expect([sort, body.traders.map((row: Json) => row[sort] ?? Number.NEGATIVE_INFINITY)]).toEqual([
        sort,
        values.toSorted((a: number, b: number) => (a === b ? 0 : b - a)),
      ]);
    }
    const last = all.at(-1);
    expect(await get(`${path}?address=${last.address}`)).toMatchObject({ total: 1, traders: [last] });
    const nobody = await get(`${path}?address=rrrrrrrrrrrrrrrrrrrrBZbvji`);
    expect(nobody).toMatchObject({ total: 0, traders: [] });
  });

  test('comes with its NFTs by price, those that nobody can buy last in both directions', async () => {
    const { collections } = await get('/nft/collections?limit=200&sort=listedCount');
    expect(collections[0].listedCount).toBeGreaterThan(1);
    for (const { slug, items } of collections as Json[]) {
      const { asks } = await get(`/nft/collections/${slug}/orderbook?limit=200`);
      const cheapest = asks.map(({ price }: Json) => price);
      for (const [order, listed] of [
        ['asc', cheapest],
        ['desc', cheapest.toReversed()],
      ]) {
        const page = `includeNFTs=true&nftLimit=100&nftSort=price&nftOrder=${order}`;
        const { nfts } = await get(`/nft/collections/${slug}?${page}`);
        const rest = Array(Math.min(items, 100) - listed.length).fill(undefined);
        expect([slug, order, nfts.map(({ cost }: Json) => cost?.amount)]).toEqual([
          slug,
          order,
          [...listed, ...rest],
        ]);
      }
    }
  });

  test('has a book of what can be bought, and prices of it in buckets', async () => {
    const { nfts, offers } = asTheNode(random.ask);
    const now = engine.head!.closeTime;
    const open = Object.values(offers).filter(
      ({ amount, destination, expiration }) =>
        typeof amount === 'string' && destination === undefined && !(Number(expiration) <= now),
    );
    const asks = Object.entries(nfts)
      .filter(([nft]) => collectionOf(nft) === id)
      .map(([nft, { owner }]) =>
        open
          .filter((offer) => offer.nft === nft && offer.flags === 1 && offer.owner === owner)
          .map(({ amount }) => Number(amount) / DROPS),
      )
      .filter((prices) => prices.length > 0)
      .map((prices) => Math.min(...prices))
      .sort((a, b) => a - b);
    const book = await get(`/nft/collections/${slug}/orderbook?limit=200`);
    expect(book.asks.map(({ price }: Json) => price)).toEqual(asks);
    const { buckets, total } = await get(`/nft/collections/${slug}/listings/distribution`);
    expect(total).toBe(asks.length);
    const counts = buckets.map(({ count }: Json) => count as number);
    expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(asks.length);
    const { owners, topShare, totalNFTs } = await get(`/nft/collections/${slug}/ownership?limit=100`);
    expect(totalNFTs).toBe(Object.keys(nfts).filter((nft) => collectionOf(nft) === id).length);
    expect(owners.length === 0 ? 100 : topShare).toBeCloseTo(100, 6);
  });

  test('has a history that can be filtered by type, account and ledger', async () => {
    const { history, total } = await get(`/nft/collections/${slug}/history?type=SALE&limit=200`);
    expect(total).toBeGreaterThanOrEqual(sold.length);
    const newest = history[0];
    const since = await get(`/nft/collections/${slug}/history?type=SALE&sinceLedger=${newest.ledger_index}`);
    expect(since.history.every(({ ledger_index }: Json) => ledger_index === newest.ledger_index)).toBe(true);
    const of = await get(`/nft/collections/${slug}/history?type=SALE&account=${newest.buyer}&limit=200`);
    const own = history.filter(({ buyer, seller, broker }: Json) =>
      [buyer, seller, broker].includes(newest.buyer),
    );
    expect(of.history).toEqual(own);
    const second = await get(`/nft/collections/${slug}/history?type=SALE&limit=2&offset=1`);
    expect(second.history).toEqual(history.slice(1, 3));
    const all = await get(`/nft/collections/${slug}/history?limit=200`);
    const counts = new Map<string, number>();
    for (const type of Object.keys(NFT_EVENT_NAMES)) {
      const body = await get(`/nft/collections/${slug}/history?type=${type}&limit=200`);
      expect(body.history.filter((row: Json) => row.type !== type)).toEqual([]);
      counts.set(type, body.total);
    }
    expect([...counts.values()].reduce((sum, count) => sum + count)).toBe(all.total);
    for (const { type } of all.history) expect(counts.get(type)).toBeGreaterThan(0);
  });

  test('counts what was minted and burned, and its windows of sales', async () => {
    const { mints, minted, burned } = await get(`/nft/collections/${slug}/mints`);
    expect(mints.reduce((sum: number, { mints }: Json) => sum + mints, 0)).toBe(minted);
    expect(mints.reduce((sum: number, { burns }: Json) => sum + burns, 0)).toBe(burned);
    const { windows } = await get(`/nft/collections/${slug}/metrics`);
    for (const name of ['24h', '7d', '30d', 'all'])
      expect([name, windows[name].sales, windows[name].volume.toFixed(6)]).toEqual([
        name,
        sold.length,
        xrp(sold).toFixed(6),
      ]);
    const { data } = await get(`/nft/collections/${slug}/sparkline`);
    const day = new Date(unixMs(sold[0]!.time)).toISOString().slice(0, 10);
    const first = sold.filter(({ time }) => new Date(unixMs(time)).toISOString().startsWith(day));
    expect(data.prices[0]).toBeCloseTo(xrp(first) / first.length, 6);
    const batch = await get(`/nft/collections/sparkline/batch?slugs=${slug}`);
    expect(batch.data[slug].prices).toEqual(data.prices);
  });

  test('lists its NFTs in every order, each once, and those of an owner or with a price', async () => {
    const { nfts } = asTheNode(random.ask);
    const own = Object.entries(nfts).filter(([nft]) => collectionOf(nft) === id);
    const path = `/nft/collections/${slug}/nfts`;
    const values: Record<string, (row: Json) => number | undefined> = {
      'price-low': ({ cost }) => cost?.amount,
      'price-high': ({ cost }) => (cost ? -cost.amount : undefined),
      'minted-latest': ({ date }) => -date,
      'minted-earliest': ({ date }) => date,
      'recent-sale': ({ NFTokenID }) => {
        const last = sold.findLast(({ nft }) => nft === NFTokenID);
        return last && -last.time;
      },
      'volume-high': ({ NFTokenID }) => {
        const all = sold.filter(({ nft }) => nft === NFTokenID);
        return all.length === 0 ? undefined : -xrp(all);
      },
      'rarity-rare': () => undefined,
    };
    for (const [sort, value] of Object.entries(values)) {
      const { nfts: rows, total } = await get(`${path}?sort=${sort}&limit=200`);
      expect([sort, total]).toEqual([sort, own.length]);
      expect(rows.map(({ NFTokenID }: Json) => NFTokenID).sort()).toEqual(own.map(([nft]) => nft).sort());
      const keys = rows.map(value) as (number | undefined)[];
      const known = keys.filter((key) => key !== undefined);
      expect([sort, keys.slice(0, known.length)]).toEqual([sort, known.toSorted((a, b) => a - b)]);
    }
    const priced = await get(`${path}?listed=xrp&limit=200`);
    expect(priced.nfts.every(({ cost }: Json) => cost !== undefined)).toBe(true);
    const listed = await get(`${path}?listed=true&limit=1`);
    const others = await get(`${path}?listed=false&limit=1`);
    expect(listed.total + others.total).toBe(own.length);
    const { owner } = own[0]![1];
    const of = await get(`${path}?owner=${owner}&lightweight=true&limit=200`);
    expect(of.total).toBe(own.filter(([, one]) => one.owner === owner).length);
    expect((await get(`${path}?traits=Color:red`)).total).toBe(0);
    const second = await get(`${path}?limit=2&offset=1`);
    expect(second.nfts).toEqual((await get(`${path}?limit=200`)).nfts.slice(1, 3));
    const { traders } = await get(`/nft/analytics/collection/${slug}/traders?limit=200`);
    const ranked = await get(`/nft/collections/${slug}/traders?limit=200`);
    expect(traders.map(({ address, volAll }: Json) => [address, volAll])).toEqual(
      ranked.traders.map(({ address, volume }: Json) => [address, volume]),
    );
  });

  test('has listings at exactly a multiple of the floor in the bucket that ends there', async () => {
    const [seller] = random.rig.fund(['seller']);
    await follow(engine, random.rig.network.closed);
    // As numbers three times 0.7 are less than 2.1.
    for (const Amount of ['700000', '2100000']) {
      await send(seller!, { TransactionType: 'NFTokenMint', NFTokenTaxon: 7, Flags: 8 });
      const shown = { account: seller!.address, ledger_index: 'validated' };
      const owned = random.ask('account_nfts', shown).account_nfts as Json[];
      const { NFTokenID } = owned.reduce((newest, one) =>
        one.nft_serial > newest.nft_serial ? one : newest,
      );
      await send(seller!, { TransactionType: 'NFTokenCreateOffer', NFTokenID, Amount, Flags: 1 });
    }
    const { buckets } = await get(`/nft/collections/${seller!.address}:7/listings/distribution`);
    const [one, , , , three] = buckets;
    expect([one, three]).toEqual([
      { upTo: 1, maxPrice: 0.7, count: 1 },
      { upTo: 3, maxPrice: 2.1, count: 1 },
    ]);
  });

  test('counts sales for tokens in every window, and sorts NFTs by them', async () => {
    const [seller, buyer] = random.rig.fund(['gateway', 'collector']);
    await follow(engine, random.rig.network.closed);
    const Amount = { currency: 'USD', issuer: seller!.address, value: '10' };
    await send(buyer!, { TransactionType: 'TrustSet', LimitAmount: { ...Amount, value: '1000' } });
    await send(seller!, { TransactionType: 'Payment', Destination: buyer!.address, Amount });
    await send(seller!, { TransactionType: 'NFTokenMint', NFTokenTaxon: 7, Flags: 8 });
    await send(seller!, { TransactionType: 'NFTokenMint', NFTokenTaxon: 7, Flags: 8 });
    const minted = random.ask('account_nfts', { account: seller!.address, ledger_index: 'validated' });
    const [{ NFTokenID }] = (minted.account_nfts as Json[]).sort((a, b) => a.nft_serial - b.nft_serial);
    await send(seller!, { TransactionType: 'NFTokenCreateOffer', NFTokenID, Amount, Flags: 1 });
    const path = `/nft/collections/${seller!.address}:7`;
    const { index } = (await get(`/nft/offers/sell/${NFTokenID}`)).offers[0];
    await send(buyer!, { TransactionType: 'NFTokenAcceptOffer', NFTokenSellOffer: index });

    const { sales24h, totalSales, totalVolume, windows } = await get(`${path}/metrics`);
    expect([sales24h, totalSales, totalVolume]).toEqual([1, 1, 0]);
    const window = { sales: 1, volume: 0, averagePrice: null, traders: 2 };
    expect(windows).toEqual({ '24h': window, '7d': window, '30d': window, all: window });
    const { collections } = await get('/nft/collections?limit=200&interval=24h');
    for (const row of collections as Json[])
      expect([row.slug, row.intervalSales, row.intervalVolume]).toEqual([
        row.slug,
        row.sales24h,
        row.totalVol24h,
      ]);
    const [first] = (await get(`${path}/nfts?sort=recent-sale`)).nfts;
    expect(first.NFTokenID).toBe(NFTokenID);
  });

  test('has a floor of what anyone can buy for each other asset, apart from that in XRP', async () => {
    const [seller, buyer] = random.rig.fund(['bank', 'client']);
    await follow(engine, random.rig.network.closed);
    const of = (currency: string, value: string) => ({ currency, issuer: seller!.address, value });
    await send(buyer!, { TransactionType: 'TrustSet', LimitAmount: of('USD', '1000') });
    const Destination = buyer!.address;
    await send(seller!, { TransactionType: 'Payment', Destination, Amount: of('USD', '50') });
    for (let i = 0; i < 2; i++)
      await send(seller!, { TransactionType: 'NFTokenMint', NFTokenTaxon: 7, Flags: 8 });
    const path = `/nft/collections/${seller!.address}:7`;
    const [one, two] = (await get(`${path}/nfts`)).nfts.map(({ NFTokenID }: Json) => NFTokenID);
    const offer = (NFTokenID: string, Amount: Json, more: Json = {}) =>
      send(seller!, { TransactionType: 'NFTokenCreateOffer', NFTokenID, Amount, Flags: 1, ...more });
    const floors = async () => {
      const { floor, otherFloors } = await get(path);
      const known = otherFloors?.map(({ amount, currency, issuer }: Json) => {
        expect(issuer).toBe(seller!.address);
        return `${amount} ${currency}`;
      });
      return [floor, known];
    };
    expect(await floors()).toEqual([undefined, undefined]);
    await offer(one, of('EUR', '7'));
    await offer(one, of('USD', '10.5'));
    await offer(one, of('USD', '8.25'));
    await offer(two, of('USD', '9'));
    await offer(two, of('USD', '5'), { Destination });
    expect(await floors()).toEqual([undefined, ['8.25 USD', '7 EUR']]);
    await offer(two, of('EUR', '4'), { Expiration: random.rig.time + 60 });
    expect(await floors()).toEqual([undefined, ['8.25 USD', '4 EUR']]);
    random.rig.time += 100;
    await follow(engine, random.rig.close());
    expect(await floors()).toEqual([undefined, ['8.25 USD', '7 EUR']]);
    const { offers } = await get(`/nft/offers/sell/${one}`);
    const { index } = offers.find(({ amount }: Json) => amount.value === '8.25');
    await send(buyer!, { TransactionType: 'NFTokenAcceptOffer', NFTokenSellOffer: index });
    expect(await floors()).toEqual([undefined, ['9 USD']]);
  });

  test('has the name of its issuer, once that has one', async () => {
    const [issuer] = random.rig.fund(['named']);
    await follow(engine, random.rig.network.closed);
    const Domain = Buffer.from('gallery.example').toString('hex').toUpperCase();
    const mint = { TransactionType: 'NFTokenMint', NFTokenTaxon: 7 };
    for (const [json, name] of [
      [mint, undefined],
      [{ TransactionType: 'AccountSet', Domain }, 'gallery.example'],
    ] as const) {
      random.rig.submit(issuer!, json);
      await follow(engine, random.rig.close());
      expect((await get(`/nft/collections/${issuer!.address}:7`)).accountName).toBe(name);
    }
  });
});
