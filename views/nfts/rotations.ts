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
 *
 * Cost: 0.3 us a sale when it is first asked for, in slices; afterwards only sales that came since, until the oldest are
 * forgotten. An answer passes the rotations of its period, in slices.
 */
import type { Engine } from '../../engine/engine.ts';
import type { CooperativeTask } from '../../engine/event-loop.ts';
import { sortingDescending } from '../../engine/metrics/sort-descending.ts';
import { DAY, unixMs } from '../../engine/ripple-time.ts';
import { atOneVersion } from '../at-one-version.ts';
import { xrpOf } from '../traders/trader-rows.ts';
import { collectionId, collectionSlug } from './collection-ids.ts';
import type { NftRecentSales, RecentSale } from './recent-sales.ts';

/** Seconds between a sale and a purchase that is paid with its proceeds. */
const ROTATION_SPAN = DAY;
/** Sales, or rotations, that are passed before other work may run: some 3 ms. */
const SLICE = 4096;
/** Rows of collections are below it. */
const COLLECTIONS_MAX = 2 ** 26;

export const NFT_ROTATION_PERIODS = { '24h': DAY, '7d': 7 * DAY } as const;
export type NftRotationPeriod = keyof typeof NFT_ROTATION_PERIODS;

/** What an account spent of the proceeds of one collection on another. */
export interface Rotation {
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
  readonly #fold = new RotationFold();

  constructor(engine: Engine, recent: NftRecentSales) {
    this.#engine = engine;
    this.#recent = recent;
  }

  /** By pair of collections, the largest first. @param party, @param collection only those of it; undefined: all */
  async sums(period: NftRotationPeriod, { party, collection }: { party?: number; collection?: number } = {}) {
    const { sales, isPart } = await this.#recent.get();
    const wanted = ({ party: by, from, to }: Rotation) =>
      (party === undefined || by === party) &&
      (collection === undefined || from === collection || to === collection);
    const rows = await atOneVersion([this.#engine], () => this.#sum(sales, period, wanted));
    return { rows, isPart };
  }

  *#sum(
    sales: readonly RecentSale[],
    period: NftRotationPeriod,
    isWanted: (rotation: Rotation) => boolean,
  ): CooperativeTask<NftRotationSum[]> {
    const all = yield* this.#fold.over(sales);
    const start = (this.#engine.head?.closeTime ?? 0) - NFT_ROTATION_PERIODS[period];
    const sums = new Map<number, NftRotationSum>();
    for (let at = all.length - 1; at >= 0 && all[at]!.time > start; at--) {
      if (at % SLICE === 0) yield;
      const one = all[at]!;
      if (isWanted(one)) addTo(sums, one);
    }
    return yield* sorted(sums);
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

/** The largest first. */
function* sorted(sums: ReadonlyMap<number, NftRotationSum>): CooperativeTask<NftRotationSum[]> {
  const rows: NftRotationSum[] = [];
  const drops = new Float64Array(sums.size);
  for (const sum of sums.values()) {
    if (rows.length % SLICE === SLICE - 1) yield;
    drops[rows.length] = sum.drops;
    rows.push(sum);
  }
  const order = Uint32Array.from(rows.keys());
  yield* sortingDescending(order, drops);
  const found: NftRotationSum[] = [];
  for (let at = 0; at < order.length; ) {
    // Those of one sum, by their collections.
    let end = at + 1;
    while (end < order.length && rows[order[end]!]!.drops === rows[order[at]!]!.drops) end++;
    const equal = Array.from(order.subarray(at, end), (row) => rows[row]!);
    for (const one of equal.sort((a, b) => a.from - b.from || a.to - b.to)) found.push(one);
    if (Math.floor(end / SLICE) > Math.floor(at / SLICE)) yield;
    at = end;
  }
  return found;
}

function addTo(sums: Map<number, NftRotationSum>, { from, to, drops, party, time }: Rotation): void {
  const key = from * COLLECTIONS_MAX + to;
  const sum = sums.get(key) ?? { from, to, drops: 0, count: 0, traders: new Set<number>(), last: 0 };
  sum.drops += drops;
  sum.count++;
  sum.traders.add(party);
  sum.last = Math.max(sum.last, time);
  sums.set(key, sum);
}

/** The rotations of a list of sales that grows at its end: those that it has passed are not passed again. */
export class RotationFold {
  /** Of the list that was passed. */
  #first: RecentSale | undefined;
  #passed = 0;
  #proceeds = new Map<number, Proceeds>();
  #found: Rotation[] = [];

  /** Oldest first. @param sales oldest first; several may run over the same list by turns */
  *over(sales: readonly RecentSale[]): CooperativeTask<readonly Rotation[]> {
    for (;;) {
      if (sales[0] !== this.#first || sales.length < this.#passed) this.#begin(sales[0]);
      if (this.#passed === sales.length) return this.#found;
      const end = Math.min(sales.length, this.#passed + SLICE);
      while (this.#passed < end) this.#take(sales[this.#passed++]!);
      if (this.#passed < sales.length) yield;
    }
  }

  /** Another list, or what was oldest in it has been forgotten. */
  #begin(first: RecentSale | undefined): void {
    this.#first = first;
    this.#passed = 0;
    this.#proceeds = new Map();
    this.#found = [];
  }

  #take({ time, collection, seller, buyer, drops }: RecentSale): void {
    // Not for XRP.
    if (drops === 0) return;
    const own = this.#proceeds.get(buyer);
    if (own && own.left > 0 && time - own.time <= ROTATION_SPAN) {
      const spent = Math.min(own.left, drops);
      own.left -= spent;
      if (own.collection !== collection)
        this.#found.push({ party: buyer, from: own.collection, to: collection, drops: spent, time });
    }
    const sold = this.#proceeds.get(seller);
    const isSame = sold?.collection === collection && time - sold.time <= ROTATION_SPAN;
    this.#proceeds.set(seller, { collection, time, left: drops + (isSame ? sold.left : 0) });
  }
}
