/** Figures of accounts that trade NFTs, and the list of them. XRP. */
import { accountText } from '../../engine/codec/base58.ts';
import type { Engine } from '../../engine/engine.ts';
import type { CooperativeTask } from '../../engine/event-loop.ts';
import { sortingDescending } from '../../engine/metrics/sort-descending.ts';
import { DAY } from '../../engine/ripple-time.ts';
import { atOneVersion } from '../at-one-version.ts';
import { dateText } from '../date-text.ts';
import { rounded } from '../number-format.ts';
import { timeOf, xrpOf } from '../traders/trader-rows.ts';
import { VersionedCache } from '../versioned-cache.ts';
import type { CollectionFigures } from './collection-figures.ts';
import { collectionId, collectionSlug } from './collection-ids.ts';
import { type NftTrade, NftTraderPast } from './trader-past.ts';

/** Accounts looked at before other work may run: about a millisecond. */
const ROWS_A_SLICE = 65_536;
const DIGITS = 6;

export const NFT_TRADER_SORTS = [
  'totalVolume',
  'totalTrades',
  'buyVolume',
  'sellVolume',
  'lastTrade',
] as const;
export type NftTraderSort = (typeof NFT_TRADER_SORTS)[number];

export class NftTraders {
  readonly #engine: Engine;
  readonly #collections: CollectionFigures;
  readonly #past: NftTraderPast;
  readonly #orders: VersionedCache<Promise<Uint32Array>>;

  constructor(engine: Engine, collections: CollectionFigures) {
    this.#engine = engine;
    this.#collections = collections;
    this.#past = new NftTraderPast(engine);
    this.#orders = new VersionedCache([engine], NFT_TRADER_SORTS.length);
  }

  /** Accounts that bought or sold, the largest first. */
  async list(sort: NftTraderSort, skip: number, limit: number) {
    const order = await this.#order(sort);
    return {
      rows: [...order.subarray(skip, skip + limit)].map((party) => this.#row(party)),
      total: order.length,
    };
  }

  /** Everything of one account. @param party 0: it has nothing to do with NFTs */
  async of(party: number) {
    const { trades, costs, isPart } = await this.#past.of(party);
    const { parties } = this.#engine.nfts;
    const now = this.#engine.head?.closeTime ?? 0;
    const since = (seconds: number) => profitOf(trades.filter(({ time }) => time > now - seconds));
    const gains = trades.flatMap(({ gain }) => gain ?? []);
    const cost = gains.reduce((sum, one) => sum + one.cost, 0);
    const held = gains.reduce((sum, one) => sum + one.held, 0);
    const [profit, unrealised] = [profitOf(trades), this.#unrealised(costs)];
    return {
      rank: await this.#rank(party),
      totalVolume: xrpOf(parties.buyVolume[party]! + parties.sellVolume[party]!),
      totalTrades: parties.buys[party]! + parties.sells[party]!,
      buyCount: parties.buys[party]!,
      sellCount: parties.sells[party]!,
      buyVolume: xrpOf(parties.buyVolume[party]!),
      sellVolume: xrpOf(parties.sellVolume[party]!),
      profit,
      unrealizedProfit: unrealised,
      combinedProfit: rounded(profit + unrealised, DIGITS),
      roi: percentOf(profit, cost),
      winRate: percentOf(gains.filter((one) => one.profit > 0).length, gains.length),
      flips: gains.length,
      avgHoldingDays: gains.length === 0 ? null : rounded(held / gains.length / DAY, 2),
      firstTrade: timeOf(trades[0]?.time ?? 0),
      lastTrade: timeOf(Math.max(parties.bought[party]!, parties.sold[party]!)),
      holdingsCount: parties.nfts[party]!,
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
        profitOf(of),
        of.reduce((sum, { gain }) => sum + (gain?.cost ?? 0), 0),
      ),
    }));
    rows.sort((a, b) => b.volume - a.volume || b.trades - a.trades || (a.cid < b.cid ? -1 : 1));
    return { rows, isPart };
  }

  #row(party: number) {
    const { parties } = this.#engine.nfts;
    return {
      address: accountText(parties.key(party)),
      totalVolume: xrpOf(parties.buyVolume[party]! + parties.sellVolume[party]!),
      totalTrades: parties.buys[party]! + parties.sells[party]!,
      buyVolume: xrpOf(parties.buyVolume[party]!),
      sellVolume: xrpOf(parties.sellVolume[party]!),
      buys: parties.buys[party]!,
      sells: parties.sells[party]!,
      holdingsCount: parties.nfts[party]!,
      lastTrade: timeOf(Math.max(parties.bought[party]!, parties.sold[party]!)),
    };
  }

  /** What the NFTs that were bought are worth at their floors, less what was paid; those without a floor are left out. */
  #unrealised(costs: ReadonlyMap<number, number>): number {
    const { nfts } = this.#engine.nfts;
    let sum = 0;
    for (const [nft, cost] of costs) {
      const { floor } = this.#collections.of(nfts.collection[nft]!);
      if (floor !== null) sum += floor - cost;
    }
    return rounded(sum, DIGITS);
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
    for (let row = 1; row < parties.count; row++) {
      if (row % ROWS_A_SLICE === 0) yield;
      if (parties.buys[row]! + parties.sells[row]! === 0) continue;
      found.push(row);
      keys[row] = this.#key(sort, row);
    }
    const order = Uint32Array.from(found);
    yield* sortingDescending(order, keys);
    return order;
  }

  #key(sort: NftTraderSort, row: number): number {
    const { parties } = this.#engine.nfts;
    if (sort === 'totalVolume') return parties.buyVolume[row]! + parties.sellVolume[row]!;
    if (sort === 'totalTrades') return parties.buys[row]! + parties.sells[row]!;
    if (sort === 'lastTrade') return Math.max(parties.bought[row]!, parties.sold[row]!);
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
    trades.reduce((sum, trade) => sum + (trade.isPurchase === isPurchase ? trade.price : 0), 0);
  const [buyVolume, sellVolume] = [rounded(paid(true), DIGITS), rounded(paid(false), DIGITS)];
  return { volume: rounded(buyVolume + sellVolume, DIGITS), buyVolume, sellVolume, trades: trades.length };
}

/** Realised. */
const profitOf = (trades: readonly NftTrade[]): number =>
  rounded(
    trades.reduce((sum, { gain }) => sum + (gain?.profit ?? 0), 0),
    DIGITS,
  );

/** Null of nothing. */
const percentOf = (part: number, whole: number): number | null =>
  whole > 0 ? rounded((part / whole) * 100, 4) : null;
