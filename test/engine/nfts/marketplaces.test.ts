/** Marketplaces of NFTs by broker, source tag and memo: which one wins, what is none, and what the routes say of it. */
import { beforeAll, expect, test } from 'bun:test';
import { accountBytes } from '../../../engine/codec/base58.ts';
import { Engine } from '../../../engine/engine.ts';
import { platformByNumber } from '../../../engine/market/platforms.ts';
import { NftEventBuffer, NftEventReader, NftEventType } from '../../../engine/nfts/event-record.ts';
import { marketplaceOf, sitePlatform } from '../../../engine/nfts/marketplaces.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { asker, type Json } from '../../api/routes/ask.ts';
import { quiet } from '../../live-rig.ts';
import { GENESIS, NetworkRig } from '../../sandbox/node/network-rig.ts';
import { follow } from './random-nfts.ts';

// As they brokered sales on the main network, see the sources of the table.
const CAFE = 'rpx9JThQ2y37FaGeeJP7PXDUVEXY3PHZSC';
const BIDDS = 'rpZqTPC8GvrSvEfFsUuHkmPCg29GdQuXhC';
const [CAFE_TAG, BIDDS_TAG] = [101102979, 69420589];
const SELL = 1;
const engine = new Engine({ store: new MemoryStore(), log: quiet });
const api = asker(engine);

const get = async (path: string): Promise<Json> => {
  const { status, body } = await api.get(path);
  expect([path, status]).toEqual([path, 200]);
  return body;
};

const memos = (...texts: string[]) => ({
  Memos: texts.map((text) => ({ Memo: { MemoData: Buffer.from(text).toString('hex').toUpperCase() } })),
});

/** What each transaction shows of where it came from, by its serial number as taxon, and what must follow. */
const CASES: readonly (readonly [shown: object, origin: string | undefined])[] = [
  [{}, undefined],
  [{ SourceTag: CAFE_TAG }, 'XRP Cafe'],
  [{ SourceTag: 4_000_000_001 }, undefined],
  [memos('Mint by xrp.cafe'), 'XRP Cafe'],
  [memos('a picture', 'Created on nft.onxrp.com'), 'Bidds'],
  [{ SourceTag: 4_000_000_001, ...memos('Mint by xrp.cafe') }, 'XRP Cafe'],
  [{ SourceTag: BIDDS_TAG, ...memos('Mint by xrp.cafe') }, 'Bidds'],
  [memos('not-xrp.cafe'), undefined],
];

beforeAll(async () => {
  const rig = new NetworkRig();
  rig.network.ledgers.commitEvery = 1;
  const [issuer] = rig.fund(['issuer']);
  for (const Destination of [CAFE, BIDDS])
    rig.submit(GENESIS, { TransactionType: 'Payment', Destination, Amount: '1000000000' });
  await follow(engine, rig.close());
  for (const [taxon, [shown]] of CASES.entries())
    rig.submit(issuer!, { TransactionType: 'NFTokenMint', NFTokenTaxon: taxon, Flags: 8, ...shown });
  await follow(engine, rig.close());
  const [{ NFTokenID }] = (await get('/nft?limit=1')).nfts;
  const offer = { TransactionType: 'NFTokenCreateOffer', NFTokenID, Flags: SELL };
  rig.submit(issuer!, { ...offer, Amount: '1', Destination: CAFE });
  rig.submit(issuer!, { ...offer, Amount: '2', Destination: BIDDS, SourceTag: CAFE_TAG });
  rig.submit(issuer!, { ...offer, Amount: '3', Destination: GENESIS.address });
  await follow(engine, rig.close());
});

test('of what was minted: by source tag, else by memo', async () => {
  const { nfts } = await get('/nft?limit=50');
  expect(nfts).toHaveLength(CASES.length);
  for (const { NFTokenID, taxon } of nfts) {
    const [event] = (await get(`/nft/history/${NFTokenID}?limit=100`)).history.filter(
      ({ type }: Json) => type === 'MINT',
    );
    expect([taxon, event.origin]).toEqual([taxon, CASES[taxon]![1]]);
  }
});

test('of offers: by the account that alone may take them, whatever tag they have', async () => {
  const { histories } = await get('/nft/history?types=CREATE_SELL_OFFER&limit=10');
  const origins = histories.map(({ amountXRP, origin }: Json) => [Math.round(amountXRP * 1e6), origin]);
  expect(new Map(origins)).toEqual(
    new Map([
      [1, 'XRP Cafe'],
      [2, 'Bidds'],
      [3, undefined],
    ]),
  );
  const { marketplaces, other } = await get('/nft/analytics/marketplaces');
  const counts = marketplaces.map(({ name, mints, sellOffers }: Json) => [name, { mints, sellOffers }]);
  expect(Object.fromEntries(counts)).toEqual({
    'XRP Cafe': { mints: 3, sellOffers: 1 },
    Bidds: { mints: 2, sellOffers: 1 },
  });
  expect(other).toMatchObject({ mints: 3, sellOffers: 1 });
});

test('of sales: by the account that brokered them', async () => {
  const { nfts: domain } = engine;
  const buffer = new NftEventBuffer();
  const hashes = new Uint32Array(8);
  const { index, closeTime } = engine.head!;
  const partyOf = (address: string) => domain.parties.intern(accountBytes(address)!, 0);
  const issuer = domain.nfts.owner[1]!;
  const price = { asset: 0, hi: 0x40000000, lo: 5_000_000 };
  for (const [tx, broker] of [CAFE, BIDDS, GENESIS.address].entries())
    buffer.add(
      {
        ledger: index + 1,
        closeTime,
        tx,
        hashes,
        hashAt: 0,
        txType: 29,
        sourceTag: BIDDS_TAG,
        memoPlatform: 0,
      },
      {
        type: NftEventType.sale,
        nft: 1,
        collection: domain.nfts.collection[1]!,
        from: issuer,
        to: issuer,
        price,
        broker: partyOf(broker),
      },
    );
  const reader = new NftEventReader().load(buffer.bytes);
  const origins = [0, 1, 2].map((i) => {
    domain.market.add(reader.at(i));
    return platformByNumber(marketplaceOf(reader, domain.parties))?.name;
  });
  expect(origins).toEqual(['XRP Cafe', 'Bidds', 'Bidds']);
  engine.version++;
  const { brokers } = await get('/nft/brokers/stats');
  expect(new Map(brokers.map(({ address, name }: Json) => [address, name]))).toEqual(
    new Map([
      [CAFE, 'XRP Cafe'],
      [BIDDS, 'Bidds'],
      [GENESIS.address, undefined],
    ]),
  );
  const { marketplaces } = await get('/nft/analytics/marketplaces');
  expect(Object.fromEntries(marketplaces.map(({ name, sales }: Json) => [name, sales]))).toEqual({
    'XRP Cafe': 1,
    Bidds: 2,
  });
});

test.each([
  ['xrp.cafe - sale', 'XRP Cafe'],
  ['see HTTPS://XRP.CAFE/nft/1', 'XRP Cafe'],
  ['sold on xrp.cafe.', 'XRP Cafe'],
  ['xrp.cafe.example', undefined],
  ['my-xrp.cafe', undefined],
  ['sub.xrp.cafe', undefined],
  ['xrpxcafe', undefined],
  ['onxrp.com', undefined],
  ['', undefined],
])('a memo "%s" names %p', (memo, name) => {
  expect(platformByNumber(sitePlatform(memo))?.name).toBe(name);
});
