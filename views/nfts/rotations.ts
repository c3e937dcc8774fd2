/**
 * Rotations: NFTs of what collection traders sold to buy those of another.
 *
 *     10:00 sells one of A for 300 XRP     proceeds of A: 300
 *     16:00 buys  one of B for 200 XRP     rotated A -> B: 200     left: 100
 *     20:00 buys  one of C for 500 XRP     rotated A -> C: 100     the rest was other XRP
 *
 * As for tokens (engine/traders/rotations.ts), but with a day between sale and purchase in place of an hour, since NFTs find
 * their buyers slowly. Only the proceeds of the collection sold last are known; a purchase in the same collection spends them, too.
 * Prices are those that buyers paid, with royalties and fees.
 */
import type { Engine } from '../../engine/engine.ts';
import { DAY, unixMs } from '../../engine/ripple-time.ts';
import { xrpOf } from '../traders/trader-rows.ts';
import { VersionedCache } from '../versioned-cache.ts';
import { collectionId, collectionSlug } from './nft-row.ts';
import type { NftRecentSales, RecentSale } from './recent-sales.ts';

/** Seconds between a sale and a purchase that is paid with its proceeds. */
const ROTATION_SPAN = DAY;

export const NFT_ROTATION_PERIODS = { '24h': DAY, '7d': 7 * DAY } as const;
export type NftRotationPeriod = keyof typeof NFT_ROTATION_PERIODS;

interface Rotation {
  readonly party: number;
  /** Collections. */
  readonly from: number;
  readonly to: number;
  readonly drops: number;
  readonly time: number;
}

export interface NftRotationSum {
  readonly from: number;
  readonly to: number;
  drops: number;
  count: number;
  readonly traders: Set<number>;
  /** Close time. */
  last: number;
}

interface Proceeds {
  readonly collection: number;
  readonly time: number;
  left: number;
}

export class NftRotations {
  readonly #engine: Engine;
  readonly #recent: NftRecentSales;
  readonly #kept: VersionedCache<readonly Rotation[]>;

  constructor(engine: Engine, recent: NftRecentSales) {
    this.#engine = engine;
    this.#recent = recent;
    this.#kept = new VersionedCache([engine], 1);
  }

  /** By pair of collections, the largest first. @param party, @param collection only those of it; undefined: all */
  async sums(period: NftRotationPeriod, { party, collection }: { party?: number; collection?: number } = {}) {
    const { sales, isPart } = await this.#recent.get();
    const all = this.#kept.get('', () => rotationsOf(sales));
    const start = (this.#engine.head?.closeTime ?? 0) - NFT_ROTATION_PERIODS[period];
    const sums = new Map<string, NftRotationSum>();
    for (const one of all) {
      if (one.time <= start || (party !== undefined && one.party !== party)) continue;
      if (collection !== undefined && one.from !== collection && one.to !== collection) continue;
      const { from, to } = one;
      const key = `${from} ${to}`;
      const sum = sums.get(key) ?? { from, to, drops: 0, count: 0, traders: new Set<number>(), last: 0 };
      sum.drops += one.drops;
      sum.count++;
      sum.traders.add(one.party);
      sum.last = Math.max(sum.last, one.time);
      sums.set(key, sum);
    }
    const rows = [...sums.values()].sort((a, b) => b.drops - a.drops || a.from - b.from || a.to - b.to);
    return { rows, isPart };
  }

  row({ from, to, drops, count, traders, last }: NftRotationSum) {
    const { collections } = this.#engine.nfts;
    const named = (row: number) => ({
      cid: collectionId(collections, row),
      slug: collectionSlug(collections, row),
    });
    return {
      from: named(from),
      to: named(to),
      volume: xrpOf(drops),
      count,
      traders: traders.size,
      lastSeen: unixMs(last),
    };
  }
}

/** @param sales oldest first */
function rotationsOf(sales: readonly RecentSale[]): Rotation[] {
  const proceeds = new Map<number, Proceeds>();
  const found: Rotation[] = [];
  for (const { time, collection, seller, buyer, drops } of sales) {
    const own = proceeds.get(buyer);
    if (own && own.left > 0 && time - own.time <= ROTATION_SPAN) {
      const spent = Math.min(own.left, drops);
      own.left -= spent;
      if (own.collection !== collection)
        found.push({ party: buyer, from: own.collection, to: collection, drops: spent, time });
    }
    const sold = proceeds.get(seller);
    const isSame = sold?.collection === collection && time - sold.time <= ROTATION_SPAN;
    proceeds.set(seller, { collection, time, left: drops + (isSame ? sold.left : 0) });
  }
  return found;
}
