/** The market of NFTs over HTTP, against a recount of transactions as the reference codec reads them. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { DAY, DAY_HOURS, HOUR, unixMs } from '../../../engine/ripple-time.ts';
import { seedOf } from '../../sandbox/seed.ts';
import type { Json } from './ask.ts';
import { type Deal, DROPS, drops, NftDeals, one, other, sold } from './nft-deals.ts';

const SEED = seedOf('market of NFTs', 20_261_202);
const made = new NftDeals(SEED);
const { engine, random, deals, get } = made;

beforeAll(() => made.make());

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

  test('has how many traded in each window with the XRP that they have, and by how many more they are than a day before', async () => {
    const { traderBalances, percentChanges } = await get('/nft/analytics/market');
    const tradersOf = (of: readonly Deal[]) =>
      new Set(sold(of).flatMap((deal) => [deal.buyer!, deal.seller!]));
    const windows = { '24h': since(HOUR, DAY_HOURS), '7d': since(DAY, 7), '30d': since(DAY, 30), All: deals };
    for (const [name, of] of Object.entries(windows)) {
      const accounts = [...tradersOf(of)];
      const xrp = accounts.map((account) => {
        const { account_data } = random.ask('account_info', { account, ledger_index: 'validated' }) as Json;
        return Number(account_data.Balance) / DROPS;
      });
      expect([name, traderBalances[`traders${name}`]]).toEqual([name, accounts.length]);
      const balance = xrp.reduce((sum, one) => sum + one, 0);
      expect(traderBalances[`balance${name}`]).toBeCloseTo(balance, 5);
    }
    const day = since(HOUR, DAY_HOURS);
    const before = tradersOf(since(HOUR, 2 * DAY_HOURS).filter((deal) => !day.includes(deal)));
    expect(before.size).toBeGreaterThan(0);
    expect(percentChanges.traders24hPct).toBeCloseTo((tradersOf(day).size / before.size - 1) * 100, 3);
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
