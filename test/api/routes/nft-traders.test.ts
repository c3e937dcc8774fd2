/** Accounts that trade NFTs over HTTP, against a recount of transactions as the reference codec reads them, and the node's owners. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { DAY, unixMs } from '../../../engine/ripple-time.ts';
import { Network } from '../../../views/network.ts';
import { NFT_TRADER_SORTS } from '../../../views/nfts/trader-figures.ts';
import { follow } from '../../engine/nfts/random-nfts.ts';
import { seedOf } from '../../sandbox/seed.ts';
import { asker, type Json } from './ask.ts';
import { DROPS, drops, NftDeals, one, other, sold } from './nft-deals.ts';

const SEED = seedOf('accounts that trade NFTs', 20_261_127);
const made = new NftDeals(SEED);
const { engine, random, deals, states, get } = made;

beforeAll(() => made.make());

describe(`accounts that trade NFTs (SEED=${SEED})`, () => {
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

  test('of a collection are those of an interval, by their volume in it', async () => {
    const cids = new Map<string, string>();
    for (const { nft } of sold(deals)) if (!cids.has(nft)) cids.set(nft, (await get(`/nft/${nft}`)).cid);
    const now = engine.head!.closeTime;
    let narrowed = 0;
    for (const cid of new Set(cids.values())) {
      const path = `/nft/analytics/collection/${cid}/traders?limit=200`;
      const all = (await get(path)).traders as Json[];
      for (const [interval, figure, seconds] of [
        ['24h', '24h', DAY],
        ['7d', '7d', 7 * DAY],
        ['30d', '30d', 30 * DAY],
        ['all', 'All', now],
      ] as const) {
        const inside = sold(deals).filter(({ nft, time }) => cids.get(nft) === cid && time > now - seconds);
        const parties = new Set(inside.flatMap(({ buyer, seller }) => [buyer, seller]));
        const { traders, total, sort } = await get(`${path}&interval=${interval}`);
        expect([cid, interval, total, sort]).toEqual([cid, interval, parties.size, `vol${figure}`]);
        expect(new Set(traders.map(({ address }: Json) => address))).toEqual(parties);
        const volumes = traders.map((row: Json) => row[`vol${figure}`]);
        expect(volumes).toEqual(volumes.toSorted((a: number, b: number) => b - a));
        const byFlips = await get(`${path}&interval=${interval}&sortBy=flips`);
        expect([byFlips.sort, byFlips.total]).toEqual(['flips', parties.size]);
        if (parties.size > 0 && parties.size < all.length) narrowed++;
      }
    }
    expect(narrowed).toBeGreaterThan(0);
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
    for (const { date, totalCollections, totalItems, topCollections } of days as Json[]) {
      expect([date, totalCollections]).toEqual([date, of(date).length]);
      expect([date, totalItems]).toEqual([
        date,
        of(date).reduce((sum: number, { items }: Json) => sum + items, 0),
      ]);
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
