/**
 * Figures of accounts that trade NFTs, and the list of them. XRP.
 *
 *     columns of the engine    bought, sold, gained, flips, by platform       all time, exact
 *     recent-sales.ts          24 hours
 *     NFTs that it has         what they are worth at their floors, less what was paid for them
 *     trader-past.ts           by day, by collection, since a time: its newest events only
 *
 * Cost: a row of a list some microseconds and 50 ns for each NFT that the account has; the order by combined profit passes all NFTs once a
 * ledger, in slices.
 */

import { DROPS_PER_XRP } from '../../engine/codec/amount.ts';
import { accountText } from '../../engine/codec/base58.ts';
import type { Engine } from '../../engine/engine.ts';
import type { CooperativeTask } from '../../engine/event-loop.ts';
import { platformByNumber } from '../../engine/market/platforms.ts';
import { sortingDescending } from '../../engine/metrics/sort-descending.ts';
import { DAY } from '../../engine/ripple-time.ts';
import { atOneVersion } from '../at-one-version.ts';
import { dateText } from '../date-text.ts';
import { rounded } from '../number-format.ts';
import { timeOf, xrpOf } from '../traders/trader-rows.ts';
import { VersionedCache } from '../versioned-cache.ts';
import { dropsOfParty } from './amounts.ts';
import type { CollectionFigures } from './collection-figures.ts';
import { collectionId, collectionSlug } from './collection-ids.ts';
import type { NftRecentSales } from './recent-sales.ts';
import { type NftTrade, NftTraderPast } from './trader-past.ts';

/** Accounts or NFTs looked at before other work may run: about a millisecond. */
const ROWS_A_SLICE = 65_536;
/** NFTs whose floors are looked up. */
const NFTS_A_SLICE = 8192;

export const NFT_TRADER_SORTS = [
  'totalVolume',
  'totalTrades',
  'buyVolume',
  'sellVolume',
  'lastTrade',
  'vol24h',
  'flips',
  'profit',
  'combinedProfit',
  'roi',
  'winRate',
  'holdingsCount',
] as const;
export type NftTraderSort = (typeof NFT_TRADER_SORTS)[number];

export class NftTraders {
  readonly #engine: Engine;
  readonly #collections: CollectionFigures;
  readonly #recent: NftRecentSales;
  readonly #past: NftTraderPast;
  readonly #orders: VersionedCache<Promise<Uint32Array>>;

  constructor(engine: Engine, collections: CollectionFigures, recent: NftRecentSales) {
    this.#engine = engine;
    this.#recent = recent;
    this.#collections = collections;
    this.#past = new NftTraderPast(engine);
    this.#orders = new VersionedCache([engine], NFT_TRADER_SORTS.length);
  }

  /** Accounts that bought or sold, the largest first. */
  async list(sort: NftTraderSort, skip: number, limit: number) {
    await this.#recent.dayReady();
    const order = await this.#order(sort);
    const parties = order.subarray(skip, skip + limit);
    const rows = await atOneVersion([this.#engine], () => this.#rows(parties));
    return { rows, total: order.length };
  }

  /** Everything of one account. @param party 0: it has nothing to do with NFTs */
  async of(party: number) {
    const { trades, isPart } = await this.#past.of(party);
    const now = this.#engine.head?.closeTime ?? 0;
    const since = (seconds: number) => profitOf(trades.filter(({ time }) => time > now - seconds));
    const gains = trades.flatMap(({ gain }) => gain ?? []);
    const held = gains.reduce((sum, one) => sum + one.held, 0);
    const unrealised = await atOneVersion([this.#engine], () => this.#unrealised(party));
    const { buys, sells, ...figures } = this.#figures(party, unrealised);
    return {
      rank: await this.#rank(party),
      ...figures,
      buyCount: buys,
      sellCount: sells,
      unrealizedProfit: xrpOf(unrealised),
      avgHoldingDays: gains.length === 0 ? null : rounded(held / gains.length / DAY, 2),
      firstTrade: timeOf(trades[0]?.time ?? 0),
      profit24h: since(DAY),
      profit7d: since(7 * DAY),
      profit30d: since(30 * DAY),
      ...(isPart && { truncated: true }),
    };
  }

  /** The days on which an account traded, oldest first. */
  async days(party: number) {
    const { trades, isPart } = await this.#past.of(party);
    const days = groups(trades, ({ time }) => Math.floor(time / DAY));
    const history = [...days].map(([day, of]) => ({
      date: dateText(day * DAY),
      ...sums(of),
      profit: profitOf(of),
    }));
    return { history, isPart };
  }

  /** The collections of which an account traded, those with most volume first. */
  async collections(party: number) {
    const { trades, isPart } = await this.#past.of(party);
    const { collections } = this.#engine.nfts;
    const rows = [...groups(trades, ({ collection }) => collection)].map(([row, of]) => ({
      cid: collectionId(collections, row),
      slug: collectionSlug(collections, row),
      ...sums(of),
      profit: profitOf(of),
      roi: percentOf(
        of.reduce((sum, { gain }) => sum + (gain?.profit ?? 0), 0),
        of.reduce((sum, { gain }) => sum + (gain?.cost ?? 0), 0),
      ),
    }));
    rows.sort((a, b) => b.volume - a.volume || b.trades - a.trades || (a.cid < b.cid ? -1 : 1));
    return { rows, isPart };
  }

  *#rows(parties: Uint32Array) {
    const rows = [];
    for (const party of parties) rows.push(this.#row(party, yield* this.#unrealised(party)));
    return rows;
  }

  #row(party: number, unrealised: number) {
    const { nfts } = this.#engine;
    const drops = dropsOfParty(this.#engine, party);
    const places = nfts.market.platforms.of(party);
    return {
      address: accountText(nfts.parties.key(party)),
      xrpBalance: drops === undefined ? null : drops / DROPS_PER_XRP,
      vol24h: this.#recent.ofParty(party).volume,
      ...this.#figures(party, unrealised),
      marketplaceBreakdown: Object.fromEntries(
        places.map(({ platform, row }) => [
          platformByNumber(platform)!.slug,
          {
            trades: nfts.market.platforms.trades[row]!,
            volume: xrpOf(nfts.market.platforms.volume[row]!),
          },
        ]),
      ),
    };
  }

  /** Of all time. @param unrealised drops */
  #figures(party: number, unrealised: number) {
    const { parties } = this.#engine.nfts;
    const [bought, sold] = [parties.buyVolume[party]!, parties.sellVolume[party]!];
    const [gained, flips] = [parties.gained[party]!, parties.flips[party]!];
    return {
      totalVolume: xrpOf(bought + sold),
      totalTrades: parties.buys[party]! + parties.sells[party]!,
      buyVolume: xrpOf(bought),
      sellVolume: xrpOf(sold),
      buys: parties.buys[party]!,
      sells: parties.sells[party]!,
      profit: xrpOf(gained),
      combinedProfit: xrpOf(gained + unrealised),
      roi: percentOf(gained, parties.flipCost[party]!),
      winRate: percentOf(parties.wins[party]!, flips),
      flips,
      holdingsCount: parties.nfts[party]!,
      lastTrade: timeOf(Math.max(parties.bought[party]!, parties.sold[party]!)),
    };
  }

  /** Drops: what the NFTs that it bought are worth at their floors, less what was paid; those without a floor are left out. */
  *#unrealised(party: number): CooperativeTask<number> {
    const { nfts } = this.#engine.nfts;
    const bought: number[] = [];
    nfts.ofOwner(party, (nft) => {
      if (nfts.cost[nft]! > 0) bought.push(nft);
      return undefined;
    });
    let sum = 0;
    for (let i = 0; i < bought.length; i++) {
      if (i % NFTS_A_SLICE === NFTS_A_SLICE - 1) yield;
      sum += this.#gainAtFloor(bought[i]!);
    }
    return sum;
  }

  /** Drops; 0: its collection has no floor. */
  #gainAtFloor(nft: number): number {
    const { nfts } = this.#engine.nfts;
    const floor = this.#collections.floorDrops(nfts.collection[nft]!);
    return floor === undefined ? 0 : floor - nfts.cost[nft]!;
  }

  /** Place by volume, from 1; null: it did not trade. */
  async #rank(party: number): Promise<number | null> {
    const { parties } = this.#engine.nfts;
    if (parties.buys[party]! + parties.sells[party]! === 0) return null;
    const order = await this.#order('totalVolume');
    const volume = this.#key('totalVolume', party);
    let [low, high] = [0, order.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#key('totalVolume', order[middle]!) > volume) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }

  #order(sort: NftTraderSort): Promise<Uint32Array> {
    return this.#orders.get(sort, () => atOneVersion([this.#engine], () => this.#ordering(sort)));
  }

  *#ordering(sort: NftTraderSort): CooperativeTask<Uint32Array> {
    const { parties } = this.#engine.nfts;
    const found: number[] = [];
    const keys = new Float64Array(parties.count);
    if (sort === 'combinedProfit') yield* this.#addingFloors(keys);
    for (let row = 1; row < parties.count; row++) {
      if (row % ROWS_A_SLICE === 0) yield;
      if (parties.buys[row]! + parties.sells[row]! === 0) continue;
      found.push(row);
      keys[row]! += this.#key(sort, row);
    }
    const order = Uint32Array.from(found);
    yield* sortingDescending(order, keys);
    return order;
  }

  /** Adds to what is unrealised of each account. */
  *#addingFloors(drops: Float64Array): CooperativeTask<void> {
    const { nfts } = this.#engine.nfts;
    for (let nft = 1; nft < nfts.count; nft++) {
      if (nft % NFTS_A_SLICE === 0) yield;
      if (nfts.cost[nft]! > 0) drops[nfts.owner[nft]!]! += this.#gainAtFloor(nft);
    }
  }

  #key(sort: NftTraderSort, row: number): number {
    const { parties } = this.#engine.nfts;
    if (sort === 'totalVolume') return parties.buyVolume[row]! + parties.sellVolume[row]!;
    if (sort === 'totalTrades') return parties.buys[row]! + parties.sells[row]!;
    if (sort === 'lastTrade') return Math.max(parties.bought[row]!, parties.sold[row]!);
    if (sort === 'vol24h') return this.#recent.ofParty(row).volume;
    if (sort === 'profit' || sort === 'combinedProfit') return parties.gained[row]!;
    if (sort === 'roi') return shareOf(parties.gained[row]!, parties.flipCost[row]!);
    if (sort === 'winRate') return shareOf(parties.wins[row]!, parties.flips[row]!);
    if (sort === 'holdingsCount') return parties.nfts[row]!;
    return parties[sort][row]!;
  }
}

function groups(trades: readonly NftTrade[], keyOf: (trade: NftTrade) => number): Map<number, NftTrade[]> {
  const found = new Map<number, NftTrade[]>();
  for (const trade of trades) {
    const own = found.get(keyOf(trade)) ?? [];
    own.push(trade);
    found.set(keyOf(trade), own);
  }
  return found;
}

function sums(trades: readonly NftTrade[]) {
  const paid = (isPurchase: boolean) =>
    trades.reduce((sum, trade) => sum + (trade.isPurchase === isPurchase ? trade.drops : 0), 0);
  const [bought, sold] = [paid(true), paid(false)];
  return {
    volume: xrpOf(bought + sold),
    buyVolume: xrpOf(bought),
    sellVolume: xrpOf(sold),
    trades: trades.length,
  };
}

/** XRP. */
const profitOf = (trades: readonly NftTrade[]): number =>
  xrpOf(trades.reduce((sum, { gain }) => sum + (gain?.profit ?? 0), 0));

/** Null of nothing. */
export const percentOf = (part: number, whole: number): number | null =>
  whole > 0 ? rounded((part / whole) * 100, 4) : null;

/** To sort by: those with nothing come last. */
const shareOf = (part: number, whole: number): number =>
  whole > 0 ? part / whole : Number.NEGATIVE_INFINITY;
