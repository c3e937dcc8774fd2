/** Lists of NFTs, and NFTs and offers of accounts over HTTP, against the embedded network's node and a plain recount. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { Engine } from '../../../engine/engine.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Network } from '../../../views/network.ts';
import { asTheNode } from '../../engine/nfts/node-nfts.ts';
import { follow, RandomNfts } from '../../engine/nfts/random-nfts.ts';
import { quiet } from '../../live-rig.ts';
import { drawsOf } from '../../sandbox/seed.ts';
import { asker, type Json } from './ask.ts';

const LEDGERS = 100;
const SEED = 20_261_201;

const store = new MemoryStore();
const engine = new Engine({ store, log: quiet });
const random = new RandomNfts(drawsOf(SEED));
const ask = asker(new Network({ engine }));

interface NodeNft {
  readonly id: string;
  readonly owner: string;
  readonly cid: string;
}

const nodeNfts: NodeNft[] = [];
/** Open sell offers in XRP that anyone can take: the cheapest of each NFT, XRP. */
const costs = new Map<string, number>();
/** XRP of the sales of each NFT. */
const volumes = new Map<string, number>();
/** Place of each minting among all. */
const minted = new Map<string, number>();

const get = async (path: string): Promise<Json> => {
  const { status, body } = await ask.get(path);
  expect([path, status]).toEqual([path, 200]);
  return body;
};

/** All pages of a list. */
async function all(path: string, member: string, size = 7): Promise<Json[]> {
  const rows: Json[] = [];
  for (;;) {
    const separator = path.includes('?') ? '&' : '?';
    const page = await get(`${path}${separator}limit=${size}&offset=${rows.length}`);
    rows.push(...(page[member] as Json[]));
    if (rows.length >= page.total || page.count === 0) {
      expect(rows.length).toBe(page.total);
      return rows;
    }
  }
}

const ids = (rows: readonly Json[]) => rows.map(({ NFTokenID }) => String(NFTokenID));

beforeAll(async () => {
  await follow(engine, random.rig.network.closed);
  for (let i = 0; i < LEDGERS; i++) await follow(engine, random.next());
  for (const { account } of random.accounts) {
    const { account_nfts } = random.ask('account_nfts', { account, ledger_index: 'validated' });
    for (const { NFTokenID, Issuer, NFTokenTaxon } of account_nfts as Json[])
      nodeNfts.push({ id: String(NFTokenID), owner: account, cid: `${Issuer}:${NFTokenTaxon}` });
  }
  const { offers, nfts } = asTheNode(random.ask);
  const now = engine.head!.closeTime;
  for (const offer of Object.values(offers)) {
    const nft = String(offer.nft);
    if (offer.flags !== 1 || offer.owner !== nfts[nft]?.owner || offer.destination !== undefined) continue;
    if (offer.expiration && Number(offer.expiration) <= now) continue;
    costs.set(nft, Math.min(costs.get(nft) ?? Number.POSITIVE_INFINITY, Number(offer.amount) / 1e6));
  }
  for (let marker = ''; ; ) {
    const page = await get(`/nft/history?limit=200${marker}`);
    for (const { type, NFTokenID, costXRP } of page.histories as Json[]) {
      if (type === 'MINT') minted.set(NFTokenID, -minted.size);
      if (type === 'SALE') volumes.set(NFTokenID, (volumes.get(NFTokenID) ?? 0) + costXRP);
    }
    if (page.marker === undefined) break;
    marker = `&marker=${page.marker}`;
  }
});

describe('GET /nft', () => {
  test('has every NFT that the node has, once, the newest first, of all, of an issuer and of a collection', async () => {
    expect(nodeNfts.length).toBeGreaterThan(30);
    const rows = await all('/nft', 'nfts');
    expect(ids(rows).toSorted()).toEqual(nodeNfts.map(({ id }) => id).toSorted());
    const places = ids(rows).map((id) => minted.get(id)!);
    expect(places).toEqual(places.toSorted((a, b) => b - a));
    expect(ids(await all('/nft?order=asc', 'nfts'))).toEqual(ids(rows).toReversed());
    for (const cid of new Set(nodeNfts.map((one) => one.cid))) {
      const [issuer, taxon] = cid.split(':');
      const ofCollection = ids(rows.filter((row) => row.cid === cid));
      expect(ids(await all(`/nft?cid=${cid}`, 'nfts'))).toEqual(ofCollection);
      expect(ids(await all(`/nft?issuer=${issuer}&taxon=${taxon}`, 'nfts'))).toEqual(ofCollection);
      expect(ids(await all(`/nft?issuer=${issuer}`, 'nfts'))).toEqual(
        ids(rows.filter((row) => row.issuer === issuer)),
      );
    }
  });

  test.each([
    ['cost.amount', costs],
    ['volume', volumes],
  ])('sorted by %s has those with a value first, then the rest, the newest first', async (sort, values) => {
    const live = new Set(nodeNfts.map(({ id }) => id));
    const valued = [...values].filter(([id]) => live.has(id));
    expect(valued.length).toBeGreaterThan(3);
    expect(valued.length).toBeLessThan(live.size);
    const newest = ids(await all('/nft', 'nfts'));
    const [first] = nodeNfts;
    for (const filter of ['', `&cid=${first!.cid}`])
      for (const [order, sign] of [
        ['desc', -1],
        ['asc', 1],
      ] as const) {
        const scoped = filter === '' ? newest : newest.filter((id) => cidOf(id) === first!.cid);
        const rows = ids(await all(`/nft?sort=${sort}&order=${order}${filter}`, 'nfts'));
        const count = scoped.filter((id) => values.has(id)).length;
        const found = rows.slice(0, count).map((id) => values.get(id)!);
        expect(found).toEqual(found.toSorted((a, b) => sign * (a - b)));
        expect(rows.slice(count)).toEqual(scoped.filter((id) => !values.has(id)));
        expect(rows.toSorted()).toEqual(scoped.toSorted());
      }
  });

  test('a collection that no ledger has shown has none; a taxon alone and what is no address are refused', async () => {
    expect(await get('/nft?cid=rrrrrrrrrrrrrrrrrrrrBZbvji:5')).toMatchObject({ total: 0, nfts: [] });
    expect((await ask.get('/nft?taxon=1')).status).toBe(400);
    expect((await ask.get('/nft?issuer=abc')).status).toBe(400);
  });

  test('is the same after a restart', async () => {
    const before = await get('/nft?sort=volume&limit=200');
    await engine.drain();
    const again = new Engine({ store, log: quiet });
    again.restore();
    const { body } = await asker(new Network({ engine: again })).get('/nft?sort=volume&limit=200');
    expect(ids(body.nfts)).toEqual(ids(before.nfts));
    expect(body.total).toBe(before.total);
  });
});

test('an NFT has the XRP of its sales and the floor of its collection', async () => {
  for (const { id, cid } of nodeNfts) {
    const { volume, cfloor } = await get(`/nft/${id}`);
    expect([id, cfloor?.amount]).toEqual([id, floorOf(cid)]);
    expect(volume).toBeCloseTo(volumes.get(id) ?? 0, 6);
  }
});

const cidOf = (id: string): string => nodeNfts.find((one) => one.id === id)!.cid;

/** XRP; undefined: nothing of the collection is listed. */
function floorOf(cid: string): number | undefined {
  const listed = nodeNfts.flatMap((one) => (one.cid === cid ? (costs.get(one.id) ?? []) : []));
  return listed.length > 0 ? Math.min(...listed) : undefined;
}

describe('an account', () => {
  test('has its NFTs by collection, each at its floor, and one by one', async () => {
    for (const { account } of random.accounts) {
      const own = nodeNfts.filter(({ owner }) => owner === account);
      const counts = new Map<string, number>();
      for (const { cid } of own) counts.set(cid, (counts.get(cid) ?? 0) + 1);
      const path = `/nft/account/${account}/nfts`;
      const rows = await all(path, 'collections', 2);
      expect(new Map(rows.map(({ cid, count }) => [cid, count]))).toEqual(counts);
      expect(rows.map(({ count }) => count)).toEqual([...counts.values()].sort((a, b) => b - a));
      for (const { cid, count, floor, value } of rows) {
        expect(floor).toBe(floorOf(cid) ?? null);
        expect(value).toBeCloseTo(count * (floorOf(cid) ?? 0), 6);
        const nfts = ids(await all(`${path}?cid=${cid}`, 'nfts', 3));
        expect(nfts.toSorted()).toEqual(own.flatMap((one) => (one.cid === cid ? [one.id] : [])).toSorted());
        const places = nfts.map((id) => minted.get(id)!);
        expect(places).toEqual(places.toSorted((a, b) => b - a));
      }
      const { portfolioValue, collections } = await get(`${path}?sortByValue=true&limit=100`);
      const values = collections.map(({ value }: Json) => value);
      expect(values).toEqual(values.toSorted((a: number, b: number) => b - a));
      expect(portfolioValue).toBeCloseTo(
        rows.reduce((sum, { value }) => sum + value, 0),
        6,
      );
      const [some] = own;
      const found = await get(`${path}?search=${some!.id.toLowerCase()}&limit=100`);
      expect([ids(found.nfts), found.limit]).toEqual([[some!.id], 50]);
    }
  });

  test('has the offers that it has made, and those of others for what it owns, as the node has them', async () => {
    const { offers, nfts } = asTheNode(random.ask);
    const now = engine.head!.closeTime;
    const open = Object.entries(offers).filter(
      ([, { expiration }]) => !expiration || Number(expiration) > now,
    );
    const indexes = (rows: readonly Json[]) => rows.map(({ index }) => String(index)).toSorted();
    let [incoming, own] = [0, 0];
    for (const { account } of random.accounts) {
      const path = `/nft/account/${account}/offers`;
      const made = open.filter(([, { owner }]) => owner === account);
      const named = (side?: number) =>
        made
          .flatMap(([index, { flags }]) => (side === undefined || flags === side ? [index] : []))
          .toSorted();
      expect(indexes(await all(path, 'offers', 3))).toEqual(named());
      expect(indexes(await all(`${path}?type=sell`, 'offers', 3))).toEqual(named(1));
      expect(indexes(await all(`${path}?type=buy`, 'offers', 3))).toEqual(named(0));
      const { incomingOffers, totalIncoming, incomingOffersTruncated } = await get(`${path}?limit=200`);
      const toBuyIts = open.filter(
        ([, { nft, flags }]) => flags === 0 && nfts[String(nft)]?.owner === account,
      );
      const forIts = toBuyIts.filter(([, { owner }]) => owner !== account);
      own += toBuyIts.length - forIts.length;
      expect(indexes(incomingOffers)).toEqual(forIts.map(([index]) => index).toSorted());
      const pages: Json[] = [];
      for (let offset = 0; offset < totalIncoming; offset += 2)
        pages.push(...(await get(`${path}?limit=2&offset=${offset}`)).incomingOffers);
      expect(pages.map(({ index }) => index)).toEqual(incomingOffers.map(({ index }: Json) => index));
      expect([totalIncoming, incomingOffersTruncated]).toEqual([forIts.length, false]);
      for (const { NFTokenID, amount, costXRP, floor, floorDiffPct } of incomingOffers as Json[]) {
        expect(costXRP).toBe(Number(amount) / 1e6);
        expect(floor).toBe(floorOf(cidOf(NFTokenID)) ?? null);
        if (floor) expect(floorDiffPct).toBeCloseTo((costXRP / floor - 1) * 100, 1);
      }
      incoming += forIts.length;
    }
    expect(incoming).toBeGreaterThan(3);
    // Offers of accounts that got the NFT in another way.
    expect(own).toBeGreaterThan(0);
  });

  test('is worth whole drops', async () => {
    for (const { account } of random.accounts) {
      const { collections, portfolioValue } = await get(`/nft/account/${account}/nfts?limit=100`);
      let drops = 0n;
      for (const { value, count, floor } of collections) {
        const worth = BigInt(count) * BigInt(Math.round((floor ?? 0) * 1e6));
        expect([count, floor, value]).toEqual([count, floor, Number(worth) / 1e6]);
        drops += worth;
      }
      expect(portfolioValue).toBe(Number(drops) / 1e6);
    }
  });

  test('that has nothing to do with NFTs has none', async () => {
    const nobody = 'rrrrrrrrrrrrrrrrrrrrBZbvji';
    expect(await get(`/nft/account/${nobody}/nfts`)).toMatchObject({
      total: 0,
      collections: [],
      portfolioValue: 0,
    });
    expect(await get(`/nft/account/${nobody}/offers`)).toMatchObject({ offers: [], incomingOffers: [] });
    expect((await ask.get('/nft/account/abc/nfts')).status).toBe(400);
  });
});

test('NFTs of a collection are sorted by when they were minted, within a ledger too, and by their newest listing', async () => {
  const [seller, buyer] = random.rig.fund(['seller', 'buyer']);
  await follow(engine, random.rig.network.closed);
  const send = async (...transactions: Json[]) => {
    for (const json of transactions) random.rig.submit(seller!, json);
    await follow(engine, random.rig.close());
  };
  const mint = { TransactionType: 'NFTokenMint', NFTokenTaxon: 3, Flags: 8 };
  await send(mint, mint);
  await send(mint);
  const path = `/nft/collections/${seller!.address}:3/nfts`;
  const sorted = async (sort: string) => ids((await get(`${path}?sort=${sort}`)).nfts);
  const [third, second, first] = await sorted('minted-latest');
  expect(await sorted('minted-earliest')).toEqual([first!, second!, third!]);
  const list = (NFTokenID: string | undefined, Amount: Json, more = {}) =>
    send({ TransactionType: 'NFTokenCreateOffer', NFTokenID, Amount, Flags: 1, ...more });
  await list(first, '1000');
  await list(second, '2000');
  expect(await sorted('recent-listed')).toEqual([second!, first!, third!]);
  await list(first, '3000');
  await list(second, '10', { Destination: buyer!.address });
  expect(await sorted('recent-listed')).toEqual([first!, second!, third!]);
  await list(third, { currency: 'USD', issuer: seller!.address, value: '1' });
  expect(await sorted('recent-listed')).toEqual([third!, first!, second!]);
});

test('every row that shows an NFT asks for its content: offers to its owner, and sales of a candle, too', async () => {
  const wanted = new Set<string>();
  const nftMetadata = { version: 0, content: () => undefined, ask: (id: string) => void wanted.add(id) };
  const own = asker(new Network({ engine, nftMetadata }));
  const shown = { incomingOffers: 0, sales: 0, nfts: 0 };
  const look = async (path: string, member: keyof typeof shown) => {
    wanted.clear();
    const rows = ids((await own.get(path)).body[member]);
    shown[member] += rows.length;
    expect([path, rows.filter((id) => !wanted.has(id))]).toEqual([path, []]);
  };
  for (const { account } of random.accounts)
    await look(`/nft/account/${account}/offers?limit=200`, 'incomingOffers');
  const { history } = await get('/nft/history?types=SALE&limit=200');
  for (const { cid, time } of history) await look(`/nft/collections/${cid}/ohlc/${time}/sales`, 'sales');
  await look('/nft?limit=200', 'nfts');
  for (const [member, count] of Object.entries(shown)) expect(count, member).toBeGreaterThan(0);
});
