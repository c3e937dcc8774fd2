/**
 * Who holds how many NFTs of a collection: from the owners as they are now, counted when a collection is first asked for after
 * a ledger, in slices; and how that changed in a day, from its events (collection-sales.ts).
 */
import { accountText } from '../../engine/codec/base58.ts';
import type { Engine } from '../../engine/engine.ts';
import type { CooperativeTask } from '../../engine/event-loop.ts';
import { DAY, unixMs } from '../../engine/ripple-time.ts';
import { atOneVersion } from '../at-one-version.ts';
import { VersionedCache } from '../versioned-cache.ts';
import { collectionId, collectionSlug } from './collection-ids.ts';
import type { CollectionPast, CollectionSales } from './collection-sales.ts';

/** NFTs read before other work may run: about 2 ms. */
const NFTS_A_SLICE = 16_384;
const KEPT = 256;
/** Accounts of each kind of change that are named. */
const CHANGES_SHOWN = 20;
/** Until owners and events are of one moment. */
const TRIES = 10;

/** Tiers by how many NFTs of the collection an account holds, at least: the definition of this service. */
export const NFT_TIERS = { whales: 100, orcas: 50, dolphins: 20, fish: 5, shrimp: 1 } as const;
type TierName = keyof typeof NFT_TIERS;

/** Of a collection: parties, those that hold most first, and how many each holds. */
interface Holding {
  readonly parties: readonly number[];
  readonly counts: ReadonlyMap<number, number>;
  readonly total: number;
}

export class NftHolders {
  readonly #engine: Engine;
  readonly #sales: CollectionSales;
  readonly #holdings: VersionedCache<Promise<Holding>>;

  constructor(engine: Engine, sales: CollectionSales) {
    this.#engine = engine;
    this.#sales = sales;
    this.#holdings = new VersionedCache([engine], KEPT);
  }

  async page(collection: number, offset: number, limit: number) {
    const { parties, counts, total } = await this.#of(collection);
    const topHolders = parties.slice(offset, offset + limit).map((party) => ({
      address: this.#address(party),
      count: counts.get(party)!,
      rank: rankOf(parties, counts, party),
      percentage: share(counts.get(party)!, total),
    }));
    return { totalNFTs: total, totalOwners: parties.length, topHolders };
  }

  /** What changed in the newest 24 hours, or since the first event that is known. The largest changes first. */
  async changes(collection: number) {
    for (let i = 1; ; i++) {
      const past = await this.#sales.of(collection);
      const held = await this.#of(collection);
      if (i === TRIES || past === (await this.#sales.of(collection))) return this.#changesOf(held, past);
    }
  }

  #changesOf({ counts }: Holding, { moves, isPart }: CollectionPast) {
    const { head, store } = this.#engine;
    const first = store.firstLedger()?.closeTime ?? head?.closeTime ?? 0;
    const oldest = isPart ? moves.times[0]! : 0;
    const since = Math.max((head?.closeTime ?? 0) - DAY, first, oldest);
    const net = new Map<number, number>();
    const add = (party: number, change: number) =>
      party !== 0 && net.set(party, (net.get(party) ?? 0) + change);
    for (let i = moves.times.length - 1; i >= 0 && moves.times[i]! > since; i--) {
      add(moves.from[i]!, -1);
      add(moves.to[i]!, 1);
    }
    const changed = [...net].filter(([, change]) => change !== 0);
    changed.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]) || a[0] - b[0]);
    const rows = changed.map(([party, change]) => {
      const now = counts.get(party) ?? 0;
      return { party, change, now, had: now - change };
    });
    const gainers = rows.filter(({ change, had }) => change > 0 && had > 0);
    const losers = rows.filter(({ change, now }) => change < 0 && now > 0);
    const newOwners = rows.filter(({ change, had }) => change > 0 && had <= 0);
    const exitedOwners = rows.filter(({ change, now }) => change < 0 && now === 0);
    const shown = <T>(of: typeof rows, row: (one: (typeof rows)[number]) => T) =>
      of.slice(0, CHANGES_SHOWN).map((one) => ({ address: this.#address(one.party), ...row(one) }));
    return {
      ownersChange: newOwners.length - exitedOwners.length,
      since: unixMs(since),
      gainers: shown(gainers, ({ change, now }) => ({ change, now })),
      losers: shown(losers, ({ change, now }) => ({ change, now })),
      newOwners: shown(newOwners, ({ now: count }) => ({ count })),
      exitedOwners: shown(exitedOwners, ({ had }) => ({ had })),
      summary: {
        gainers: gainers.length,
        losers: losers.length,
        newOwners: newOwners.length,
        exitedOwners: exitedOwners.length,
      },
    };
  }

  /** Parties that hold most, the largest holder first. */
  async largest(collection: number, most: number): Promise<readonly number[]> {
    return (await this.#of(collection)).parties.slice(0, most);
  }

  /** Of each tier: from how many NFTs on, how many accounts, and what part of the NFTs they hold, percent. */
  async distribution(collection: number) {
    const { counts, total } = await this.#of(collection);
    const tiers = Object.entries(NFT_TIERS) as [TierName, number][];
    const sums = new Map(tiers.map(([name]) => [name, { holders: 0, nfts: 0 }]));
    for (const count of counts.values()) {
      const sum = sums.get(tiers.find(([, least]) => count >= least)![0])!;
      sum.holders++;
      sum.nfts += count;
    }
    const of = ([name, threshold]: [TierName, number]) => {
      const { holders, nfts } = sums.get(name)!;
      return [name, { threshold, holders, nfts, nftsPct: share(nfts, total) }] as const;
    };
    return {
      totalNFTs: total,
      totalOwners: counts.size,
      distribution: Object.fromEntries(tiers.map(of)) as Record<TierName, ReturnType<typeof of>[1]>,
    };
  }

  /** The collections that an account holds NFTs of, those with most first. */
  async ofParty(party: number, offset: number, limit: number) {
    const { nfts, collections } = this.#engine.nfts;
    const counts = new Map<number, number>();
    nfts.ofOwner(party, (nft) => {
      const collection = nfts.collection[nft]!;
      counts.set(collection, (counts.get(collection) ?? 0) + 1);
      return true;
    });
    const rows = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    const holdings = [];
    for (const [collection, count] of rows.slice(offset, offset + limit)) {
      const held = await this.#of(collection);
      holdings.push({
        cid: collectionId(collections, collection),
        slug: collectionSlug(collections, collection),
        count,
        rank: rankOf(held.parties, held.counts, party),
        percentage: share(count, held.total),
      });
    }
    return { holdings, totalCollections: rows.length };
  }

  #of(collection: number): Promise<Holding> {
    return this.#holdings.get(String(collection), () =>
      atOneVersion([this.#engine], () => this.#count(collection)),
    );
  }

  *#count(collection: number): CooperativeTask<Holding> {
    const { nfts } = this.#engine.nfts;
    const counts = new Map<number, number>();
    let total = 0;
    let next = nfts.newestOf(collection);
    for (let read = 1; next !== 0; read++, next = nfts.before(next)) {
      if (read % NFTS_A_SLICE === 0) yield;
      const owner = nfts.owner[next]!;
      if (owner === 0) continue;
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
      total++;
    }
    const parties = [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)! || a - b);
    return { parties, counts, total };
  }

  #address(party: number): string {
    return accountText(this.#engine.nfts.parties.key(party));
  }
}

/** Those that hold the same number share the best rank of them, from 1. 0: it holds none */
function rankOf(parties: readonly number[], counts: ReadonlyMap<number, number>, party: number): number {
  const own = counts.get(party) ?? 0;
  if (own === 0) return 0;
  let [low, high] = [0, parties.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (counts.get(parties[middle]!)! > own) low = middle + 1;
    else high = middle;
  }
  return low + 1;
}

/** Percent, to four digits after the point. */
function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 1_000_000) / 10_000;
}
