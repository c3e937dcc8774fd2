/**
 * Figures of collections against a recount: items, owners, listings from what the node says of every NFT and offer, sales and volume
 * from the transactions as the reference codec reads them.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { Engine } from '../../engine/engine.ts';
import { layoutsName } from '../../engine/state/layout.ts';
import type { Store } from '../../engine/store.ts';
import { TableId } from '../../engine/table-ids.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Network } from '../../views/network.ts';
import { collectionId } from '../../views/nfts/collection-ids.ts';
import { asTheNode } from '../engine/nfts/node-nfts.ts';
import { follow, RandomNfts } from '../engine/nfts/random-nfts.ts';
import { type SeenSale, salesOf } from '../engine/nfts/sales.ts';
import { quiet } from '../live-rig.ts';
import type { TestAccount } from '../sandbox/rig.ts';
import { drawsOf, seedOf } from '../sandbox/seed.ts';

const SEED = seedOf('collections', 20_261_126);
const LEDGERS = 160;
const COMPARED_EVERY = 20;
const DROPS = 1_000_000;

interface Recount {
  items: number;
  readonly owners: Set<string>;
  readonly prices: number[];
  /** XRP that others than the owner offer for one of its NFTs. */
  readonly bids: number[];
  sales: number;
  drops: number;
}

const random = new RandomNfts(drawsOf(SEED));
const engine = new Engine({ store: new MemoryStore(), log: quiet });
const network = new Network({ engine });
const sold: SeenSale[] = [];
const compared: (readonly [string, unknown, unknown])[] = [];

/** By collection. */
function recount(): Map<string, Recount> {
  const { nfts, offers } = asTheNode(random.ask);
  const found = new Map<string, Recount>();
  const of = (nft: string): Recount => {
    const row = engine.nfts.nfts.find(Buffer.from(nft, 'hex'), 0);
    const id = collectionId(engine.nfts.collections, engine.nfts.nfts.collection[row]!);
    const one = found.get(id) ?? { items: 0, owners: new Set(), prices: [], bids: [], sales: 0, drops: 0 };
    found.set(id, one);
    return one;
  };
  const now = engine.head!.closeTime;
  for (const [nft, { owner }] of Object.entries(nfts)) {
    const one = of(nft);
    one.items++;
    one.owners.add(owner);
    const prices = Object.values(offers)
      .filter((offer) => offer.nft === nft && offer.flags === 1 && offer.owner === owner)
      .filter(({ amount, destination }) => typeof amount === 'string' && destination === undefined)
      .filter(({ expiration }) => expiration === undefined || Number(expiration) > now)
      .map(({ amount }) => Number(amount) / DROPS);
    if (prices.length > 0) one.prices.push(Math.min(...prices));
    for (const offer of Object.values(offers))
      if (offer.nft === nft && offer.flags === 0 && offer.owner !== owner)
        one.bids.push(Number(offer.amount) / DROPS);
  }
  for (const { nft, drops } of sold) {
    const one = of(nft);
    one.sales++;
    one.drops += drops;
  }
  return found;
}

async function compare(at: Network, what: string): Promise<void> {
  const { collections } = at.views.nfts;
  await collections.ready();
  for (const [id, { items, owners, prices, bids: made, sales, drops }] of recount()) {
    const {
      burned,
      time,
      marketcap,
      fees,
      royalties,
      brokerFees,
      bids,
      origin,
      trending: _,
      ...shown
    } = collections.of(at.views.nfts.collection(id));
    const volume = drops / DROPS;
    // The ledgers of this test are of one day.
    const expected = { sales, volume, vol24h: volume, sales24h: sales };
    const floorDrops = Math.round(Math.min(...prices) * DROPS);
    expect(marketcap).toBe(prices.length === 0 ? null : (floorDrops * items) / DROPS);
    // Compared in test/api/routes/nft-market.test.ts.
    expect([fees, origin]).toEqual([(royalties * DROPS + brokerFees * DROPS) / DROPS, undefined]);
    expect(bids).toBeGreaterThanOrEqual(0);
    const floor = prices.length === 0 ? null : Math.min(...prices);
    // Everybody has more XRP than these offers come to.
    const topOffer = made.length === 0 ? null : Math.max(...made);
    compared.push([
      `${what} ${id}`,
      shown,
      { items, owners: owners.size, listed: prices.length, floor, topOffer, ...expected },
    ]);
    expect([burned >= 0, time === null || time > 0]).toEqual([true, true]);
  }
}

/** Id of the layout of a version that did not count sales: any other than ours. */
const OLD_LAYOUT = 1;

/** A block or row with that id. */
function ofOldLayout(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  new DataView(copy.buffer).setUint32(0, OLD_LAYOUT, true);
  return copy;
}

/** The store as a version wrote it that did not count sales: its columns of that name are others. */
function withoutSales(store: Store): Store {
  const own = TableId.nftCollections;
  const old = ({ columns }: { columns: { name: string }[] }) => ({
    id: OLD_LAYOUT,
    columns: columns.map((column) =>
      /^(sales|sold|volume)/.test(column.name) ? { ...column, name: `no ${column.name}` } : column,
    ),
  });
  const replaced = {
    value: (key: string) => {
      const value = store.value(key);
      return key === layoutsName(own) ? (value as never[]).map(old) : value;
    },
    blocks: (...[id, visit, from]: Parameters<Store['blocks']>) =>
      store.blocks(id, (block, bytes) => visit(block, id === own ? ofOldLayout(bytes) : bytes), from),
    rows: (visit: Parameters<Store['rows']>[0]) =>
      store.rows((id, row, image) => visit(id, row, id === own ? ofOldLayout(image) : image)),
  };
  return new Proxy(store, {
    get(target, member) {
      const value = Reflect.get(Object.hasOwn(replaced, member) ? replaced : target, member);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

beforeAll(async () => {
  await follow(engine, random.rig.network.closed);
  for (let i = 1; i <= LEDGERS; i++) {
    const packed = await follow(engine, random.next());
    sold.push(...salesOf(packed));
    if (i % COMPARED_EVERY === 0) await compare(network, `ledger ${i}`);
  }
  await engine.drain();
});

describe(`collections (SEED=${SEED})`, () => {
  test('have the figures of a recount, after each of some ledgers', () => {
    expect(sold.length).toBeGreaterThan(10);
    expect(compared.length).toBeGreaterThan(20);
    for (const [what, shown, expected] of compared) expect([what, shown]).toEqual([what, expected]);
  });

  test('have them after a restart, too, and after one from a store without sales', async () => {
    for (const store of [engine.store, withoutSales(engine.store)]) {
      const opened = new Engine({ store, log: quiet });
      opened.restore();
      expect(opened.nfts.digest()).toBe(engine.nfts.digest());
      compared.length = 0;
      await compare(new Network({ engine: opened }), 'opened');
      expect(compared.length).toBeGreaterThan(2);
      for (const [what, shown, expected] of compared) expect([what, shown]).toEqual([what, expected]);
    }
  });

  test('are listed in the order of each figure, page by page', async () => {
    const { collections } = network.views.nfts;
    for (const sort of ['volume', 'items', 'sales', 'vol24h', 'sales24h'] as const) {
      const { rows, total } = await collections.list(sort, { skip: 0, limit: 100 });
      expect(rows.length).toBe(total);
      const figures = rows.map((row) => collections.of(row)[sort]);
      expect(figures).toEqual(figures.toSorted((a, b) => b - a));
      expect((await collections.list(sort, { skip: 1, limit: 2 })).rows).toEqual(rows.slice(1, 3));
    }
  });

  test('without the figure come last in either direction', async () => {
    const { collections } = network.views.nfts;
    let unknown = 0;
    for (const sort of ['floor', 'marketcap', 'topOffer'] as const) {
      const figureOf = (row: number) => collections.of(row)[sort] ?? undefined;
      for (const isAscending of [true, false]) {
        const { rows, total } = await collections.list(sort, { skip: 0, limit: 100, isAscending });
        const figures = rows.map(figureOf);
        const known = figures.filter((figure) => figure !== undefined);
        expect([sort, figures.slice(0, known.length)]).toEqual([
          sort,
          known.toSorted((a, b) => (isAscending ? a - b : b - a)),
        ]);
        expect([rows.length, new Set(rows).size]).toEqual([total, total]);
        unknown += figures.length - known.length;
        // Page by page, and of some of them.
        const pages: number[] = [];
        for (let skip = 0; skip < total; skip += 2)
          pages.push(...(await collections.list(sort, { skip, limit: 2, isAscending })).rows);
        expect(pages).toEqual([...rows]);
        const only = new Set(rows.filter((_, i) => i % 2 === 0));
        const some = await collections.list(sort, { skip: 0, limit: 100, isAscending, only });
        expect(some.rows).toEqual(rows.filter((row) => only.has(row)));
      }
    }
    expect(unknown).toBeGreaterThan(0);
  });

  test('have a top offer only while its maker has the XRP, without any event of the NFTs', async () => {
    const [buyer, other] = random.rig.fund(['buyer', 'other']);
    await follow(engine, random.rig.network.closed);
    const [nft, { owner }] = Object.entries(asTheNode(random.ask).nfts)[0]!;
    const row = engine.nfts.nfts.collection[engine.nfts.nfts.find(Buffer.from(nft, 'hex'), 0)]!;
    const { collections } = network.views.nfts;
    const before = collections.of(row).topOffer;
    const then = async (account: TestAccount, json: Record<string, unknown>) => {
      random.rig.submit(account, json);
      await follow(engine, random.rig.close());
      return collections.of(row).topOffer;
    };
    const bid = { TransactionType: 'NFTokenCreateOffer', NFTokenID: nft, Owner: owner };
    expect(await then(buyer!, { ...bid, Amount: String(500 * DROPS) })).toBe(500);
    const paid = { TransactionType: 'Payment', Amount: String(700 * DROPS) };
    expect(await then(buyer!, { ...paid, Destination: other!.address })).toBe(before);
    expect(await then(other!, { ...paid, Destination: buyer!.address })).toBe(500);
  });

  test('have offers that only the owner can take among those to buy, and none that only others can', async () => {
    const [buyer, broker] = random.rig.fund(['suitor', 'agent']);
    await follow(engine, random.rig.network.closed);
    const [NFTokenID, { owner }] = Object.entries(asTheNode(random.ask).nfts)[0]!;
    const row = engine.nfts.nfts.find(Buffer.from(NFTokenID, 'hex'), 0);
    const collection = engine.nfts.nfts.collection[row]!;
    const { collections, members } = network.views.nfts;
    const bid = async (Destination: string, xrp: number) => {
      const to = { TransactionType: 'NFTokenCreateOffer', NFTokenID, Owner: owner, Destination };
      random.rig.submit(buyer!, { ...to, Amount: String(xrp * DROPS) });
      await follow(engine, random.rig.close());
    };
    await bid(String(owner), 700);
    await bid(broker!.address, 800);
    expect(collections.of(collection).topOffer).toBe(700);
    expect((await collections.book(collection)).bids[0]).toMatchObject({ NFTokenID, price: 700 });
    const page = { collection, sort: 'offer-high', traits: [], offset: 0, limit: 1 } as const;
    expect((await members.page(page)).rows).toEqual([row]);
  });
});
