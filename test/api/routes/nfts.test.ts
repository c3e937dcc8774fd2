/** One NFT, its offers and histories over HTTP, against the embedded network's node and the transactions of its ledgers. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { decode } from 'ripple-binary-codec';
import { bytesOf, hexOf } from '../../../engine/codec/bytes.ts';
import { transactionHash } from '../../../engine/codec/hash.ts';
import { Engine } from '../../../engine/engine.ts';
import type { Source } from '../../../engine/ledger/source.ts';
import { Network } from '../../../views/network.ts';
import { asTheNode } from '../../engine/nfts/node-nfts.ts';
import { follow, RandomNfts } from '../../engine/nfts/random-nfts.ts';
import { quiet } from '../../live-rig.ts';
import { PrunedMemory } from '../../pruned-memory.ts';
import { drawsOf } from '../../sandbox/seed.ts';
import { asker, type Json } from './ask.ts';

const LEDGERS = 150;
const SEED = 20_261_125;
const TYPES: Readonly<Record<string, string>> = {
  NFTokenMint: 'MINT',
  NFTokenBurn: 'BURN',
  NFTokenModify: 'MODIFY',
};

const store = new PrunedMemory();
const engine = new Engine({ store, log: quiet });
const random = new RandomNfts(drawsOf(SEED));
const ask = asker(new Network({ engine }));
/** Successful transactions that make just one event: by hash its type and NFT. */
const made = new Map<string, { type: string; nft: string; account: string }>();

const get = async (path: string): Promise<Json> => {
  const { status, body } = await ask.get(path);
  expect([path, status]).toEqual([path, 200]);
  return body;
};

/** All pages of a history. */
async function all(path: string): Promise<Json[]> {
  const rows: Json[] = [];
  for (let marker: string | undefined; ; ) {
    const page = await get(
      `${path}${path.includes('?') ? '&' : '?'}limit=7${marker ? `&marker=${marker}` : ''}`,
    );
    rows.push(...(page.histories as Json[]));
    marker = page.marker as string | undefined;
    if (marker === undefined) return rows;
  }
}

beforeAll(async () => {
  await follow(engine, random.rig.network.closed);
  for (let i = 0; i < LEDGERS; i++) {
    const packed = await follow(engine, random.next());
    // A part is in the store, the rest in memory only.
    if (i === LEDGERS / 2) await engine.drain();
    for (let tx = 0; tx < packed.count; tx++) {
      const json = decode(hexOf(packed.tx(tx))) as Json;
      const type = TYPES[String(json.TransactionType)];
      const meta = decode(hexOf(packed.meta(tx))) as Json;
      if (type === undefined || type === 'MINT' || meta.TransactionResult !== 'tesSUCCESS') continue;
      const hash = hexOf(transactionHash(packed.tx(tx)));
      made.set(hash, { type, nft: String(json.NFTokenID), account: String(json.Owner ?? json.Account) });
    }
  }
});

describe('NFTs over HTTP', () => {
  test('an NFT has the owner and URI that the node says, and the parts of its id', async () => {
    const { nfts } = asTheNode(random.ask);
    expect(Object.keys(nfts).length).toBeGreaterThan(20);
    for (const [id, { owner, uri }] of Object.entries(nfts)) {
      const row = await get(`/nft/${id.toLowerCase()}`);
      expect([row._id, row.account, row.url, row.is_burned]).toEqual([id, owner, uri, false]);
      const [named] = (
        random.ask('account_nfts', { account: owner, ledger_index: 'validated' }).account_nfts as Json[]
      ).filter(({ NFTokenID }) => NFTokenID === id);
      expect([row.issuer, row.taxon, row.serial, row.flags, row.transferFee]).toEqual([
        named!.Issuer,
        named!.NFTokenTaxon,
        named!.nft_serial,
        named!.Flags,
        named!.TransferFee ?? 0,
      ]);
      const { sellOffers, buyOffers } = await get(`/nft/${id}/offers`);
      expect(row.offers).toEqual([...sellOffers.slice(0, 20), ...buyOffers.slice(0, 20)]);
    }
  });

  test('open offers are the node’s without the expired ones, best first, page by page', async () => {
    const { offers } = asTheNode(random.ask);
    const now = engine.head!.closeTime;
    const open = Object.entries(offers).filter(
      ([, { expiration }]) => !expiration || Number(expiration) > now,
    );
    const ids = new Set(open.map(([, { nft }]) => String(nft)));
    const { nfts } = asTheNode(random.ask);
    let seen = 0;
    for (const id of ids) {
      if (!nfts[id]) continue;
      for (const [side, flags] of [
        ['sell', 1],
        ['buy', 0],
      ] as const) {
        const expected = open
          .filter(([, offer]) => offer.nft === id && offer.flags === flags)
          .map(([index]) => index);
        const rows: Json[] = [];
        for (let marker = ''; ; ) {
          const page = await get(`/nft/offers/${side}/${id}?limit=2${marker}`);
          expect(page.total).toBe(expected.length);
          rows.push(...(page.offers as Json[]));
          if (page.marker === undefined) break;
          marker = `&marker=${page.marker}`;
        }
        expect(rows.map(({ index }) => index).sort()).toEqual([...expected].sort());
        const prices = rows.map(({ amount }) => Number(amount) * (side === 'sell' ? 1 : -1));
        expect(prices).toEqual(prices.toSorted((a, b) => a - b));
        for (const { index, owner, orphaned } of rows) {
          expect(owner).toBe(offers[String(index)]!.owner);
          expect(orphaned).toBe(flags === 1 && nfts[id].owner !== owner ? 'yes' : 'no');
        }
        seen += rows.length;
      }
    }
    expect(seen).toBeGreaterThan(20);
  });

  test('offers of both sides are those of each, page by page', async () => {
    let pages = 0;
    for (const id of Object.keys(asTheNode(random.ask).nfts)) {
      const [sell, buy]: Json[][] = [[], []];
      for (let marker = ''; ; pages++) {
        const page = await get(`/nft/${id}/offers?limit=1${marker}`);
        sell!.push(...page.sellOffers);
        buy!.push(...page.buyOffers);
        if (page.marker === undefined) break;
        marker = `&marker=${page.marker}`;
      }
      expect(sell).toEqual((await get(`/nft/offers/sell/${id}`)).offers);
      expect(buy).toEqual((await get(`/nft/offers/buy/${id}`)).offers);
    }
    expect(pages).toBeGreaterThan(5);
  });

  test('the cost of an NFT is its cheapest listing that anyone can take', async () => {
    const { nfts, offers } = asTheNode(random.ask);
    const now = engine.head!.closeTime;
    let listed = 0;
    for (const [id, { owner }] of Object.entries(nfts)) {
      const prices = Object.values(offers)
        .filter(
          (offer) =>
            offer.nft === id &&
            offer.flags === 1 &&
            offer.owner === owner &&
            offer.destination === undefined &&
            (!offer.expiration || Number(offer.expiration) > now),
        )
        .map(({ amount }) => Number(amount) / 1e6);
      const row = await get(`/nft/${id}`);
      expect((row.cost as Json | undefined)?.amount).toBe(
        prices.length > 0 ? Math.min(...prices) : undefined,
      );
      if (prices.length > 0) listed++;
    }
    expect(listed).toBeGreaterThan(3);
  });

  test('histories have every burn and change once, of the NFT, of its account, and of all; by type and page by page', async () => {
    const rows = await all('/nft/history');
    const order = rows.map(({ _id }) => String(_id).split('_').map(Number));
    expect(order).toEqual(
      order.toSorted(([a1, a2, a3], [b1, b2, b3]) => b1! - a1! || b2! - a2! || b3! - a3!),
    );
    expect(new Set(rows.map(({ _id }) => _id)).size).toBe(rows.length);
    const some = [...made].filter((_, i) => i % 5 === 0);
    expect(some.length).toBeGreaterThan(3);
    for (const [hash, { type, nft, account }] of made)
      if (type !== 'MODIFY' || rows.some((row) => row.hash === hash))
        expect(rows.filter((row) => row.hash === hash && row.type === type)).toMatchObject([
          { NFTokenID: nft, account },
        ]);
    const [, sample] = some[0]!;
    const ofNft = rows.filter(({ NFTokenID }) => NFTokenID === sample.nft);
    expect(await all(`/nft/history/${sample.nft}`)).toEqual(ofNft);
    expect(await all(`/nft/history?NFTokenID=${sample.nft}`)).toEqual(ofNft);
    const ofAccount = rows.filter((row) =>
      [row.account, row.seller, row.buyer, row.broker].includes(sample.account),
    );
    expect(await all(`/nft/history?account=${sample.account}`)).toEqual(ofAccount);
    const { NFTokenID: sold, buyer } = rows.findLast(({ type }) => type === 'SALE')!;
    const ofSold = rows.filter(({ NFTokenID }) => NFTokenID === sold);
    const ofBoth = ofSold.filter((row) => [row.account, row.seller, row.buyer, row.broker].includes(buyer));
    expect(ofBoth.length).toBeLessThan(ofSold.length);
    expect(await all(`/nft/history?NFTokenID=${sold}&account=${buyer}`)).toEqual(ofBoth);
    const nobody = 'rrrrrrrrrrrrrrrrrrrrBZbvji';
    expect(await all(`/nft/history?NFTokenID=${sold}&account=${nobody}`)).toEqual([]);
    expect(await all('/nft/history?types=SALE,BURN')).toEqual(
      rows.filter(({ type }) => type === 'SALE' || type === 'BURN'),
    );
    expect(await all(`/nft/activity?cid=${ofNft[0]!.cid}`)).toEqual(
      rows.filter(({ cid }) => cid === ofNft[0]!.cid),
    );
    const { hash } = rows.find(({ type }) => type === 'SALE')!;
    const of = await get(`/nft/transactions/${hash}`);
    expect(of.transactions).toEqual(rows.filter((row) => row.hash === hash).toReversed());
    expect(bytesOf(String(hash)).length).toBe(32);
  });

  test('of a transaction whose ledger was pruned the node knows the place', async () => {
    await engine.drain();
    const [row] = await all('/nft/history?types=SALE');
    const path = `/nft/transactions/${row.hash}`;
    const { took: _, ...shown } = await get(path);
    store.oldest = row.ledger_index + 1;
    const source = {
      request: async ({ command, ...more }: Json) => random.ask(command, more),
      range: () => undefined,
    } as unknown as Source;
    const { status, body } = await asker(new Network({ engine, source })).get(path);
    const alone = await asker(new Network({ engine })).get(path);
    store.oldest = 0;
    expect([status, body]).toEqual([200, { ...shown, took: body.took }]);
    expect(alone.status).toBe(404);
  });

  test('what no ledger has shown is not found, and what is no id is refused', async () => {
    expect((await ask.get(`/nft/${'0'.repeat(64)}`)).status).toBe(404);
    expect((await ask.get('/nft/abc')).status).toBe(400);
    expect((await ask.get('/nft/history?account=abc')).status).toBe(400);
    expect((await ask.get('/nft/history?marker=x')).status).toBe(400);
  });
});

describe('holders', () => {
  /** Of the node's NFTs: how many each account holds, by collection. */
  function counted(): Map<string, Map<string, number>> {
    const collections = new Map<string, Map<string, number>>();
    for (const { account } of random.accounts) {
      const { account_nfts } = random.ask('account_nfts', { account, ledger_index: 'validated' });
      for (const { Issuer, NFTokenTaxon } of account_nfts as Json[]) {
        const cid = `${Issuer}:${NFTokenTaxon}`;
        const counts = collections.get(cid) ?? new Map<string, number>();
        counts.set(account, (counts.get(account) ?? 0) + 1);
        collections.set(cid, counts);
      }
    }
    return collections;
  }

  test('of each collection equal a count of the node’s NFTs, with ranks and tiers', async () => {
    const collections = counted();
    expect(collections.size).toBeGreaterThan(5);
    for (const [cid, counts] of collections) {
      const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
      const page = await get(`/nft/holders/${cid.replace(':', '-')}?limit=100`);
      expect(page.stats).toEqual({ totalNFTs: total, totalOwners: counts.size });
      expect(new Map(page.topHolders.map((one: Json) => [one.address, one.count]))).toEqual(counts);
      for (const { count, rank, percentage } of page.topHolders as Json[]) {
        expect(rank).toBe([...counts.values()].filter((other) => other > count).length + 1);
        expect(percentage).toBeCloseTo((count / total) * 100, 4);
      }
      const { distribution } = await get(`/nft/holders/${cid}/distribution`);
      const tiers = Object.values(distribution) as Json[];
      expect(tiers.reduce((sum, { nfts }) => sum + nfts, 0)).toBe(total);
      expect(distribution.shrimp.holders).toBe([...counts.values()].filter((count) => count < 5).length);
      expect(distribution.fish.nfts).toBe(
        [...counts.values()]
          .filter((count) => count >= 5 && count < 20)
          .reduce((sum, count) => sum + count, 0),
      );
    }
  });

  test('of an account are its collections, those with most first; none where it holds none', async () => {
    const collections = counted();
    for (const { account } of random.accounts) {
      const own = new Map(
        [...collections].flatMap(([cid, counts]) =>
          counts.has(account) ? [[cid, counts.get(account)!]] : [],
        ),
      );
      const { status, body } = await ask.get(`/nft/holders/address/${account}?limit=100`);
      expect(status).toBe(200);
      expect(body.totalCollections).toBe(own.size);
      expect(new Map(body.holdings.map((one: Json) => [one.cid, one.count]))).toEqual(own);
      const counts = body.holdings.map((one: Json) => one.count);
      expect(counts).toEqual(counts.toSorted((a: number, b: number) => b - a));
    }
    expect((await ask.get('/nft/holders/rrrrrrrrrrrrrrrrrrrrBZbvji-5')).status).toBe(404);
    const nobody = await ask.get('/nft/holders/address/rrrrrrrrrrrrrrrrrrrrBZbvji');
    expect(nobody.body).toMatchObject({ totalCollections: 0, holdings: [] });
  });
});
