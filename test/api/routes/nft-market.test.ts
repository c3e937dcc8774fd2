/** The market of NFTs over HTTP, against a recount of transactions as the reference codec reads them. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { decode } from 'ripple-binary-codec';
import { hexOf } from '../../../engine/codec/bytes.ts';
import { Engine } from '../../../engine/engine.ts';
import { PLATFORMS } from '../../../engine/market/platforms.ts';
import { DAY, DAY_HOURS, HOUR, unixMs } from '../../../engine/ripple-time.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Network } from '../../../views/network.ts';
import { NFT_TRADER_SORTS } from '../../../views/nfts/trader-figures.ts';
import { asTheNode } from '../../engine/nfts/node-nfts.ts';
import { follow, RandomNfts } from '../../engine/nfts/random-nfts.ts';
import { quiet } from '../../live-rig.ts';
import { drawsOf, seedOf } from '../../sandbox/seed.ts';
import { asker, type Json } from './ask.ts';

const SEED = seedOf('market of NFTs', 20_261_202);
const LEDGERS = 140;
const LEDGERS_MAX = 600;
/** Seconds between two ledgers at most: the test is of some three weeks. */
const PAUSE_MAX = 26_000;
const DROPS = 1_000_000;
const [one, other] = [PLATFORMS[2]!, PLATFORMS[7]!];
/** The last is of no platform that is known. */
const TAGS = [undefined, one.sourceTag, other.sourceTag, one.sourceTag, 4_000_000_001];

interface Deal {
  readonly time: number;
  readonly tag: number | undefined;
  readonly count: 'sales' | 'mints' | 'burns' | 'transfers' | 'buyOffers' | 'sellOffers';
  readonly nft: string;
  readonly buyer?: string;
  readonly seller?: string;
  readonly broker?: string | undefined;
  readonly drops: number;
  readonly fee: number;
}

const draw = drawsOf(SEED);
const random = new RandomNfts(draw, TAGS);
const engine = new Engine({ store: new MemoryStore(), log: quiet });
const ask = asker(new Network({ engine }));
const deals: Deal[] = [];

/** Owners by NFT after each ledger, as the node has them. */
const states: { readonly time: number; readonly owners: ReadonlyMap<string, string> }[] = [];

const get = async (path: string): Promise<Json> => {
  const { status, body } = await ask.get(path);
  expect([path, status]).toEqual([path, 200]);
  return body;
};

/** The NFT that came to pages without leaving one. */
function mintedIn(meta: Json): string {
  const pages = (meta.AffectedNodes as Json[])
    .map((node) => Object.values(node)[0] as Json)
    .filter(({ LedgerEntryType }) => LedgerEntryType === 'NFTokenPage');
  const ids = (fields: Json | undefined): string[] =>
    ((fields?.NFTokens ?? []) as Json[]).map(({ NFToken }) => NFToken.NFTokenID);
  const before = new Set(pages.flatMap(({ PreviousFields }) => ids(PreviousFields)));
  return pages
    .flatMap(({ FinalFields, NewFields }) => ids(FinalFields ?? NewFields))
    .find((id) => !before.has(id))!;
}

/** What a successful transaction did. */
function dealOf(tx: Json, meta: Json, time: number): Deal | undefined {
  if (meta.TransactionResult !== 'tesSUCCESS') return undefined;
  const base = { time, tag: tx.SourceTag as number | undefined, nft: String(tx.NFTokenID), drops: 0, fee: 0 };
  if (tx.TransactionType === 'NFTokenMint') return { ...base, count: 'mints', nft: mintedIn(meta) };
  if (tx.TransactionType === 'NFTokenBurn') return { ...base, count: 'burns' };
  if (tx.TransactionType === 'NFTokenCreateOffer')
    return { ...base, count: tx.Flags === 1 ? 'sellOffers' : 'buyOffers' };
  if (tx.TransactionType !== 'NFTokenAcceptOffer') return undefined;
  const offers = (meta.AffectedNodes as Json[]).flatMap(({ DeletedNode }) =>
    DeletedNode?.LedgerEntryType === 'NFTokenOffer' ? [DeletedNode.FinalFields as Json] : [],
  );
  const [buy, sell] = [0, 1].map((flags) => offers.find(({ Flags }) => Flags === flags));
  const drops = Number((buy ?? sell)!.Amount);
  return {
    ...base,
    nft: String((buy ?? sell)!.NFTokenID),
    count: drops > 0 ? 'sales' : 'transfers',
    buyer: String(buy?.Owner ?? tx.Account),
    seller: String(sell?.Owner ?? tx.Account),
    broker: buy && sell ? String(tx.Account) : undefined,
    drops,
    fee: Number(tx.NFTokenBrokerFee ?? 0),
  };
}

beforeAll(async () => {
  await follow(engine, random.rig.network.closed);
  // Sales with a broker are rare.
  const isShort = () => !deals.some(({ broker, count }) => broker !== undefined && count === 'sales');
  for (let i = 0; i < LEDGERS || (isShort() && i < LEDGERS_MAX); i++) {
    random.rig.time += draw(PAUSE_MAX);
    const packed = await follow(engine, random.next());
    const { nfts } = asTheNode(random.ask);
    const owners = new Map(Object.entries(nfts).map(([id, { owner }]) => [id, String(owner)]));
    states.push({ time: packed.closeTime, owners });
    for (let tx = 0; tx < packed.count; tx++) {
      const read = (bytes: Uint8Array) => decode(hexOf(bytes)) as Json;
      const deal = dealOf(read(packed.tx(tx)), read(packed.meta(tx)), packed.closeTime);
      if (deal) deals.push(deal);
    }
    // A part is in the store, the rest in memory only.
    if (i === LEDGERS / 2) await engine.drain();
  }
});

const sold = (of: readonly Deal[]) => of.filter(({ count }) => count === 'sales');
const drops = (of: readonly Deal[]) => sold(of).reduce((sum, deal) => sum + deal.drops, 0);
const distinct = (of: readonly Deal[], member: 'buyer' | 'seller') =>
  new Set(sold(of).map((deal) => deal[member])).size;

/** Those members of an answer that transactions show by themselves. */
function figures(of: readonly Deal[]) {
  const count = (what: Deal['count']) => of.filter((deal) => deal.count === what).length;
  return {
    volume: drops(of) / DROPS,
    sales: count('sales'),
    mints: count('mints'),
    burns: count('burns'),
    transfers: count('transfers'),
    buyOffers: count('buyOffers'),
    sellOffers: count('sellOffers'),
    brokerFees: sold(of).reduce((sum, { fee }) => sum + fee, 0) / DROPS,
  };
}

const withDistinct = (of: readonly Deal[]) => ({
  ...figures(of),
  uniqueBuyers: distinct(of, 'buyer'),
  uniqueSellers: distinct(of, 'seller'),
});

/** Deals of the present period and those before it. */
function since(seconds: number, periods: number): readonly Deal[] {
  const start = (Math.floor(engine.head!.closeTime / seconds) - periods + 1) * seconds;
  return deals.filter(({ time }) => time >= start);
}

describe(`the market of NFTs (SEED=${SEED})`, () => {
  test('over windows and by day is what the transactions show', async () => {
    expect(sold(deals).length).toBeGreaterThan(30);
    const answer = await get('/nft/analytics/market?period=all&includeDailyHistory=true');
    expect(answer.aggregates).toMatchObject({
      '24h': withDistinct(since(HOUR, DAY_HOURS)),
      '7d': withDistinct(since(DAY, 7)),
      '30d': withDistinct(since(DAY, 30)),
      all: withDistinct(deals),
    });
    expect(answer.summary).toMatchObject({
      totalVolume: drops(deals) / DROPS,
      totalSales: sold(deals).length,
      mints24h: figures(since(HOUR, DAY_HOURS)).mints,
    });
    const traders = new Set(sold(deals).flatMap(({ buyer, seller }) => [buyer, seller]));
    expect(answer.uniqueTraderCount).toBe(traders.size);
    const first = Math.floor(deals[0]!.time / DAY);
    const days = answer.daily as Json[];
    expect(days.length).toBe(Math.floor(engine.head!.closeTime / DAY) - first + 1);
    expect(days.length).toBeGreaterThan(10);
    for (const [i, day] of days.entries()) {
      const own = deals.filter(({ time }) => Math.floor(time / DAY) === first + i);
      expect(day).toMatchObject({
        date: new Date(unixMs((first + i) * DAY)).toISOString().slice(0, 10),
        ...withDistinct(own),
      });
      for (const { name, sourceTag } of [one, other]) {
        const through = own.filter(({ tag }) => tag === sourceTag);
        const { volume, sales } = figures(through);
        expect(day.volumeByPlatform[name]).toEqual(sales > 0 ? { volume, sales } : undefined);
      }
    }
    const from = days.at(-5)!.date;
    const part = await get(
      `/nft/analytics/market?startDate=${from}&endDate=${days.at(-3)!.date}&includeDailyHistory=1`,
    );
    expect(part.daily).toEqual(days.slice(-5, -2));
    expect((await get('/nft/analytics/market')).daily).toBeUndefined();
  });

  test('has its marketplaces by source tag, and the rest', async () => {
    const { marketplaces, other: rest, total } = await get('/nft/analytics/marketplaces');
    expect(total).toBe(2);
    expect(new Set(marketplaces.map(({ sourceTag }: Json) => sourceTag))).toEqual(
      new Set([one.sourceTag, other.sourceTag]),
    );
    for (const row of marketplaces as Json[])
      expect(row).toMatchObject(figures(deals.filter(({ tag }) => tag === row.sourceTag)));
    const known = new Set<number | undefined>([one.sourceTag, other.sourceTag]);
    expect(rest).toMatchObject(figures(deals.filter(({ tag }) => !known.has(tag))));
    const { platformStatsAll } = await get('/nft/analytics/market');
    for (const { name, volume, sales } of marketplaces as Json[])
      expect(platformStatsAll[name]).toMatchObject({ volume, sales });
  });

  test('has its brokers, and what accounts bought and sold', async () => {
    const { brokers, total } = await get('/nft/brokers/stats');
    const expected = new Map<string, Deal[]>();
    for (const deal of sold(deals))
      if (deal.broker !== undefined) expected.set(deal.broker, [...(expected.get(deal.broker) ?? []), deal]);
    expect(expected.size).toBeGreaterThan(0);
    expect(total).toBe(expected.size);
    for (const { address, volume, sales, fees, firstSale, lastSale } of brokers as Json[]) {
      const own = expected.get(address)!;
      const { brokerFees, ...rest } = figures(own);
      expect({ volume, sales, fees }).toEqual({ volume: rest.volume, sales: rest.sales, fees: brokerFees });
      expect([firstSale, lastSale]).toEqual([unixMs(own[0]!.time), unixMs(own.at(-1)!.time)]);
    }
    for (const { account } of random.accounts) {
      const bought = sold(deals).filter(({ buyer }) => buyer === account);
      const paid = sold(deals).filter(({ seller }) => seller === account);
      expect(await get(`/nft/traders/${account}/volume`)).toMatchObject({
        buys: bought.length,
        sells: paid.length,
        buyVolume: drops(bought) / DROPS,
        sellVolume: drops(paid) / DROPS,
        lastBuy: bought.length > 0 ? unixMs(bought.at(-1)!.time) : null,
        lastSell: paid.length > 0 ? unixMs(paid.at(-1)!.time) : null,
      });
    }
    const nobody = await get('/nft/traders/rrrrrrrrrrrrrrrrrrrrBZbvji/volume');
    expect(nobody).toMatchObject({ trades: 0, totalVolume: 0, lastBuy: null });
  });

  test('in short has the same figures', async () => {
    const [metrics, global] = [await get('/nft/global-metrics'), await get('/nft/stats/global')];
    const day = figures(since(HOUR, DAY_HOURS));
    expect(metrics).toMatchObject({
      total24hVolume: day.volume,
      total24hSales: day.sales,
      total24hMints: day.mints,
      total24hBrokerFees: day.brokerFees,
    });
    const before = figures(since(HOUR, 2 * DAY_HOURS).slice(0, -since(HOUR, DAY_HOURS).length));
    if (before.sales === 0) expect(metrics.salesPct).toBeNull();
    else expect(metrics.salesPct).toBeCloseTo((day.sales / before.sales - 1) * 100, 3);
    expect(metrics.daily.at(-1).sales).toBe(metrics.volumeHistory.at(-1).sales);
    const { mints, burns } = figures(deals);
    expect(global).toMatchObject({ ...figures(deals), totalNFTs: mints - burns });
  });
});

describe('accounts that trade NFTs', () => {
  /** What the sales of an account were, with what it gained, from the transactions; royalties as histories show them. */
  async function recount(account: string) {
    const royalties = new Map<string, number>();
    for (let marker = ''; ; ) {
      const page = await get(`/nft/history?account=${account}&types=SALE&limit=200${marker}`);
      for (const { NFTokenID, time, royaltyAmountXRP = 0 } of page.histories as Json[])
        royalties.set(`${NFTokenID} ${time}`, royaltyAmountXRP);
      if (page.marker === undefined) break;
      marker = `&marker=${page.marker}`;
    }
    const costs = new Map<string, number>();
    const gains: { time: number; profit: number; cost: number }[] = [];
    for (const { count, nft, time, buyer, seller, drops, fee } of deals) {
      if (count !== 'sales' && count !== 'transfers' && count !== 'burns') continue;
      const cost = seller === account ? costs.get(nft) : undefined;
      if (cost !== undefined && count === 'sales') {
        const royalty = royalties.get(`${nft} ${unixMs(time)}`)!;
        gains.push({ time, profit: (drops - fee) / DROPS - royalty - cost, cost });
      }
      if (buyer !== account) {
        if (seller === account || count === 'burns') costs.delete(nft);
      } else if (count === 'sales') costs.set(nft, drops / DROPS);
      else costs.delete(nft);
    }
    const own = sold(deals).filter(({ buyer, seller }) => buyer === account || seller === account);
    return { own, gains, costs, profit: gains.reduce((sum, { profit }) => sum + profit, 0) };
  }

  test('have the volumes, gains, days and collections that their transactions show', async () => {
    let flips = 0;
    for (const { account } of random.accounts) {
      const { own, gains, costs, profit } = await recount(account);
      const trader = await get(`/nft/analytics/trader/${account}`);
      expect(trader).toMatchObject({
        totalTrades: own.length,
        flips: gains.length,
        profit24h: expect.closeTo(
          gains
            .filter(({ time }) => time > engine.head!.closeTime - DAY)
            .reduce((sum, one) => sum + one.profit, 0),
          5,
        ),
      });
      expect(trader.profit).toBeCloseTo(profit, 5);
      if (gains.length > 0) {
        expect(trader.winRate).toBeCloseTo(
          (gains.filter((one) => one.profit > 0).length / gains.length) * 100,
          3,
        );
        expect(trader.roi).toBeCloseTo((profit / gains.reduce((sum, { cost }) => sum + cost, 0)) * 100, 2);
      }
      let unrealised = 0;
      for (const [nft, cost] of costs) {
        const { cid } = await get(`/nft/${nft}`);
        const { floor } = (await get(`/nft/account/${account}/nfts?limit=100`)).collections.find(
          (one: Json) => one.cid === cid,
        );
        if (floor !== null) unrealised += floor - cost;
      }
      expect(trader.unrealizedProfit).toBeCloseTo(unrealised, 5);
      const { history } = await get(`/nft/analytics/trader/${account}/history`);
      const { collections } = await get(`/nft/analytics/trader/${account}/collections?limit=200`);
      for (const rows of [history, collections] as Json[][]) {
        expect(rows.reduce((sum, { trades }) => sum + trades, 0)).toBe(own.length);
        expect(rows.reduce((sum, row) => sum + row.profit, 0)).toBeCloseTo(profit, 4);
        expect(rows.reduce((sum, { volume }) => sum + volume, 0)).toBeCloseTo(trader.totalVolume, 4);
      }
      for (const { date, trades } of history as Json[])
        expect(own.filter(({ time }) => new Date(unixMs(time)).toISOString().startsWith(date)).length).toBe(
          trades,
        );
      const trades: Json[] = [];
      for (let marker = ''; ; ) {
        const page = await get(`/nft/analytics/trader/${account}/trades?limit=7${marker}`);
        trades.push(...(page.trades as Json[]));
        if (page.marker === undefined) break;
        marker = `&marker=${page.marker}`;
      }
      expect(trades.map(({ costXRP }) => costXRP)).toEqual(
        own.map((deal) => deal.drops / DROPS).toReversed(),
      );
      flips += gains.length;
    }
    expect(flips).toBeGreaterThan(0);
  });

  test('are listed in the order of each figure, and ranked by volume', async () => {
    for (const name of NFT_TRADER_SORTS) {
      const { traders, pagination } = await get(`/nft/analytics/traders?sort=${name}`);
      expect(pagination.total).toBe(
        new Set(sold(deals).flatMap(({ buyer, seller }) => [buyer, seller])).size,
      );
      const figures = traders.map((row: Json) => row[name] ?? Number.NEGATIVE_INFINITY);
      expect(figures).toEqual(figures.toSorted((a: number, b: number) => b - a));
    }
    const { traders } = await get('/nft/analytics/traders');
    for (const { address, totalVolume } of traders as Json[]) {
      const better = traders.filter((other: Json) => other.totalVolume > totalVolume).length;
      expect((await get(`/nft/analytics/trader/${address}`)).rank).toBe(better + 1);
    }
    const nobody = await get('/nft/analytics/trader/rrrrrrrrrrrrrrrrrrrrBZbvji');
    expect(nobody).toMatchObject({ rank: null, totalTrades: 0, profit: 0, roi: null });
  });

  test('have the same figures in the list, on their page and by collection', async () => {
    const { traders } = await get('/nft/analytics/traders?limit=100');
    const dayAgo = engine.head!.closeTime - DAY;
    expect(
      traders.some(({ marketplaceBreakdown }: Json) => Object.keys(marketplaceBreakdown).length > 0),
    ).toBe(true);
    for (const row of traders as Json[]) {
      const { address: account } = row;
      const page = await get(`/nft/analytics/trader/${account}`);
      for (const name of [
        'totalVolume',
        'totalTrades',
        'buyVolume',
        'sellVolume',
        'profit',
        'combinedProfit',
      ])
        expect([name, row[name]]).toEqual([name, page[name]]);
      for (const name of ['roi', 'winRate', 'flips', 'holdingsCount', 'lastTrade'])
        expect([name, row[name]]).toEqual([name, page[name]]);
      const own = sold(deals).filter(({ buyer, seller }) => buyer === account || seller === account);
      expect(row.vol24h).toBe(drops(own.filter(({ time }) => time > dayAgo)) / DROPS);
      const places = [one, other].flatMap(({ sourceTag, slug }) => {
        const there = own.filter(({ tag }) => tag === sourceTag);
        return there.length === 0 ? [] : [[slug, { trades: there.length, volume: drops(there) / DROPS }]];
      });
      expect(row.marketplaceBreakdown).toEqual(Object.fromEntries(places));
      const { collections } = await get(`/nft/analytics/trader/${account}/collections?limit=200`);
      for (const { slug, profit, roi, volume } of collections as Json[]) {
        const { traders } = await get(`/nft/analytics/collection/${slug}/traders?limit=200`);
        const there = traders.find(({ address }: Json) => address === account);
        expect([there.profitAll, there.roi, there.volAll]).toEqual([profit, roi, volume]);
      }
    }
  });

  test('pay the royalties and fees that collections add up to, and come to collections through their origin', async () => {
    const { collections } = await get('/nft/collections?limit=200');
    const { royalties, brokerFees } = await get('/nft/stats/global');
    const sum = (name: string) =>
      collections.reduce((all: number, row: Json) => all + row[name] * DROPS, 0) / DROPS;
    expect(royalties).toBeGreaterThan(0);
    expect(sum('totalRoyalties')).toBeCloseTo(royalties, 6);
    expect(sum('totalBrokerFees')).toBeCloseTo(brokerFees, 6);
    const cids = new Map<string, string>();
    for (const { nft, count } of deals) if (count === 'mints') cids.set(nft, (await get(`/nft/${nft}`)).cid);
    for (const { _id, origin } of collections as Json[]) {
      const through = deals.filter(({ count, nft }) => count === 'mints' && cids.get(nft) === _id);
      const first = through.map(({ tag }) => [one, other].find((platform) => platform.sourceTag === tag));
      expect([_id, origin]).toEqual([_id, first.find((platform) => platform)?.name]);
    }
    const { collections: found } = await get(`/nft/collections?limit=200&origin=${one.name}`);
    const expected = collections.filter(({ origin }: Json) => origin === one.name);
    expect(found.map(({ _id }: Json) => _id).sort()).toEqual(expected.map(({ _id }: Json) => _id).sort());
  });

  test('did with NFTs what their activity as creators shows', async () => {
    let shown = 0;
    for (const { account } of random.accounts) {
      const { nfts } = await get(`/creator-activity/${account}?limit=200`);
      const own = sold(deals).filter(({ buyer, seller }) => buyer === account || seller === account);
      const sales = nfts.filter(
        ({ type, buyer, seller }: Json) => type === 'SALE' && [buyer, seller].includes(account),
      );
      const expected = own.toReversed().map(({ drops, time }) => [drops / DROPS, unixMs(time)]);
      expect(sales.map(({ costXRP, time }: Json) => [costXRP, time])).toEqual(
        expected.slice(0, sales.length),
      );
      expect(sales.length === own.length || nfts.length === 200).toBe(true);
      const [newest] = nfts as Json[];
      if (newest) {
        const older = await get(`/creator-activity/${account}?limit=200&before=${newest.time}`);
        expect(older.nfts).toEqual(nfts.filter(({ time }: Json) => time < newest.time));
      }
      shown += nfts.length;
      expect((await get(`/creator-activity/${account}?side=buy`)).nfts).toBeUndefined();
    }
    expect(shown).toBeGreaterThan(0);
  });

  test('hold more or fewer than a day ago, as the node’s owners show', async () => {
    const { collections } = await get('/nft/collections?limit=200');
    const cids = new Map<string, string>();
    const seen = { gainers: 0, losers: 0, newOwners: 0, exitedOwners: 0 };
    for (const { _id, slug } of collections as Json[]) {
      const { changes, topHolders, stats } = await get(`/nft/holders/${slug}?limit=100`);
      const before = states.findLast(({ time }) => unixMs(time) <= changes.since)!;
      expect(changes.since).toBe(unixMs(engine.head!.closeTime - DAY));
      const count = async ({ owners }: (typeof states)[number]) => {
        const counts = new Map<string, number>();
        for (const [nft, owner] of owners) {
          if (!cids.has(nft)) cids.set(nft, (await get(`/nft/${nft}`)).cid);
          if (cids.get(nft) === _id) counts.set(owner, (counts.get(owner) ?? 0) + 1);
        }
        return counts;
      };
      const [had, has] = [await count(before), await count(states.at(-1)!)];
      expect(new Map(topHolders.map(({ address, count }: Json) => [address, count]))).toEqual(has);
      const expected = { gainers: {}, losers: {}, newOwners: {}, exitedOwners: {} } as Record<string, Json>;
      for (const address of new Set([...had.keys(), ...has.keys()])) {
        const [old, now] = [had.get(address) ?? 0, has.get(address) ?? 0];
        if (old === now) continue;
        if (old === 0) expected.newOwners![address] = { address, count: now };
        else if (now === 0) expected.exitedOwners![address] = { address, had: old };
        else expected[now > old ? 'gainers' : 'losers']![address] = { address, change: now - old, now };
      }
      for (const kind of ['gainers', 'losers', 'newOwners', 'exitedOwners'] as const) {
        const rows = Object.fromEntries(changes[kind].map((row: Json) => [row.address, row]));
        expect([kind, rows]).toEqual([kind, expected[kind]]);
        expect(changes.summary[kind]).toBe(Object.keys(rows).length);
        seen[kind] += changes.summary[kind];
      }
      expect(changes.ownersChange).toBe(has.size - had.size);
      expect(stats.totalOwners).toBe(has.size);
    }
    expect(Object.values(seen).reduce((sum, one) => sum + one, 0)).toBeGreaterThan(0);
  });

  test('are counted with the collections that were made on each day', async () => {
    const { collectionCreation: days, collections } = await get(
      '/nft/collections?includeGlobalMetrics=true&limit=200',
    );
    const of = (date: string) =>
      collections.filter(({ created }: Json) => new Date(created).toISOString().startsWith(date));
    for (const { date, totalCollections, topCollections } of days as Json[]) {
      expect([date, totalCollections]).toEqual([date, of(date).length]);
      const volumes = of(date).map(({ volume }: Json) => volume);
      expect(topCollections.map(({ volume }: Json) => volume)).toEqual(
        volumes.sort((a: number, b: number) => b - a).slice(0, 5),
      );
    }
    expect(days.some(({ totalCollections }: Json) => totalCollections > 0)).toBe(true);
  });

  test('rotate from collection to collection, as a walk over each account’s own deals shows', async () => {
    const cids = new Map<string, string>();
    for (const { nft } of sold(deals)) if (!cids.has(nft)) cids.set(nft, (await get(`/nft/${nft}`)).cid);
    const now = engine.head!.closeTime;
    /** XRP by account and pair, in the last days. */
    const walked = new Map<string, number>();
    for (const { account } of random.accounts) {
      const own = sold(deals).filter(({ buyer, seller }) => buyer === account || seller === account);
      let last: { cid: string; time: number; drops: number } | undefined;
      for (const { nft, time, seller, drops } of own) {
        const cid = cids.get(nft)!;
        const isOpen = last !== undefined && time - last.time <= DAY;
        if (seller === account) {
          const before = isOpen && last!.cid === cid ? last!.drops : 0;
          last = { cid, time, drops: drops + before };
        } else if (isOpen) {
          const spent = Math.min(last!.drops, drops);
          last!.drops -= spent;
          if (spent === 0 || last!.cid === cid || time <= now - 7 * DAY) continue;
          const key = `${account} ${last!.cid} ${cid}`;
          walked.set(key, (walked.get(key) ?? 0) + spent / DROPS);
        }
      }
    }
    expect(walked.size).toBeGreaterThan(0);
    const of = (rows: Json[]) =>
      new Map(rows.map(({ from, to, volume }) => [`${from.cid} ${to.cid}`, volume]));
    const expected = new Map<string, number>();
    for (const { account } of random.accounts) {
      const own = [...walked].filter(([key]) => key.startsWith(account));
      const pairs = own.map(([key, xrp]) => [key.split(' ').slice(1).join(' '), xrp] as const);
      for (const [pair, xrp] of pairs) expected.set(pair, (expected.get(pair) ?? 0) + xrp);
      const { rotations } = await get(`/nft/analytics/trader/${account}/rotations?limit=100`);
      expect([...of(rotations).keys()].toSorted()).toEqual(pairs.map(([pair]) => pair).toSorted());
      for (const [pair, xrp] of pairs) expect(of(rotations).get(pair)).toBeCloseTo(xrp, 6);
    }
    const { rotations, total } = await get('/nft/analytics/rotations?limit=100');
    expect(total).toBe(expected.size);
    for (const [pair, xrp] of expected) expect(of(rotations).get(pair)).toBeCloseTo(xrp, 6);
    const [{ from }] = rotations;
    const one = await get(`/nft/analytics/rotations/${from.slug}?limit=100`);
    const out = [...expected].filter(([pair]) => pair.startsWith(`${from.cid} `));
    expect(one.totalOut).toBe(out.length);
    expect(one.outflow).toBeCloseTo(
      out.reduce((sum, [, xrp]) => sum + xrp, 0),
      6,
    );
    // What comes in after the sales were read is counted, too.
    for (let i = 0; i < 20; i++) await follow(engine, random.next());
    const again = await get('/nft/analytics/rotations?limit=100');
    const opened = asker(new Network({ engine }));
    expect((await opened.get('/nft/analytics/rotations?limit=100')).body.rotations).toEqual(again.rotations);
  });
});
