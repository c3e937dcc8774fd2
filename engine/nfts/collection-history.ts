/**
 * The past of collections: floor, listings, offers to buy and owners at the end of each hour and of each day (UTC).
 *
 *     owners and offers as they change -> collections that changed ---hour ends---> their values -> hours (2 days)
 *     offers, by expiration ----------------------------------------'                           `-> days (18 months)
 *
 * An hour's values are those of the state after its last ledger, with the offers that have expired by its end left out. Floor and
 * listed count what anyone can take: listings in XRP, of the NFT's owner, without a destination. So an answer for any past moment
 * needs the newest row before it only.
 * Goal: the same rows from the same ledgers, whatever restarts were between them. Non-goals: floors in other assets; whether a
 * buyer has what they offer, which changes without the NFT.
 *
 * Cost: a flag for each change; at the end of an hour a pass over the expirations of all offers (2 million: 3 ms; after hours
 * without a ledger one more, and one for each in which offers expired), and some 100 ns for each open offer of a collection that changed.
 */
import type { RowSteps } from '../event-loop.ts';
import { DAY, HOUR } from '../ripple-time.ts';
import { TableId } from '../table-ids.ts';
import { CollectionPast, type CollectionValues, type PastValues } from './collection-past.ts';
import type { Collections } from './collections.ts';
import type { NftLimits } from './limits.ts';
import type { NftTable } from './nft-table.ts';
import type { NftOffers } from './offers.ts';

const HOURS_KEPT = 48;
const DAYS_KEPT = 550;
const HOURS_A_DAY = DAY / HOUR;
const NEVER = 0xffffffff;
/** Offers that are read before a start shows its progress. */
const OFFERS_A_STEP = 8192;

interface Parts {
  readonly nfts: NftTable;
  readonly offers: NftOffers;
  readonly collections: Collections;
}

export interface CurrentValues extends CollectionValues {
  /** Close time at which the first of the offers that count expires; the largest number: none does. */
  readonly until: number;
}

export class CollectionHistory {
  readonly hours: CollectionPast;
  readonly days: CollectionPast;
  readonly #parts: Parts;
  readonly #listed = new Set<number>();

  constructor(parts: Parts, { collectionHours, collectionDays }: NftLimits) {
    const { collections } = parts;
    this.#parts = parts;
    this.hours = new CollectionPast(
      {
        id: TableId.nftCollectionHours,
        name: 'hours of NFT collections',
        capacity: collectionHours,
        kept: HOURS_KEPT,
      },
      collections,
    );
    this.days = new CollectionPast(
      {
        id: TableId.nftCollectionDays,
        name: 'days of NFT collections',
        capacity: collectionDays,
        kept: DAYS_KEPT,
      },
      collections,
    );
  }

  get tables() {
    return [this.hours.table, this.days.table];
  }

  /** Before a ledger is applied: the hours before its own are over. @throws TableFullError */
  begin(closeTime: number): void {
    const { period, table } = this.hours;
    const hour = Math.floor(closeTime / HOUR);
    const current = period[0]!;
    if (hour <= current) return;
    period[0] = hour;
    table.markDirty(0);
    if (current === 0) return;
    this.#end(current);
    for (const ended of this.#expiring(current + 1, hour)) this.#end(ended);
  }

  /** What it is after the newest ledger, without offers that have expired at a close time. */
  values(collection: number, time: number): CurrentValues {
    const { nfts, offers } = this.#parts;
    const { owner, destination, asset, hi, lo, expiration, nft: nftOf } = offers;
    const listed = this.#listed;
    let [floorHi, floorLo, bids, until] = [0, 0, 0, NEVER];
    offers.ofCollection(collection, (row) => {
      const nft = nftOf[row]!;
      const expires = expiration[row]!;
      if (asset[row] !== 0 || nfts.owner[nft] === 0 || (expires !== 0 && expires <= time)) return;
      if (!offers.isSell(row)) bids++;
      else if (destination[row] !== 0 || owner[row] !== nfts.owner[nft]) return;
      else {
        listed.add(nft);
        const isCheaper = hi[row]! < floorHi || (hi[row] === floorHi && lo[row]! < floorLo);
        if (floorHi === 0 || isCheaper) [floorHi, floorLo] = [hi[row]!, lo[row]!];
      }
      if (expires !== 0 && expires < until) until = expires;
    });
    const count = listed.size;
    listed.clear();
    return { floorHi, floorLo, listed: count, bids, owners: nfts.owners[collection]!, until };
  }

  /** What it was at a close time, to the hour: at the end of the last hour before it. undefined: that is not known. */
  at(collection: number, time: number): PastValues | undefined {
    const hour = Math.floor(time / HOUR) - 1;
    const found = this.hours.at(collection, hour);
    return found ?? this.days.at(collection, Math.floor((hour + 1) / HOURS_A_DAY) - 1);
  }

  *rebuilding(): RowSteps {
    yield* this.hours.rebuilding();
    yield* this.days.rebuilding();
    const { collections } = this.#parts;
    const begin = this.hours.period[0]! * HOUR;
    // Changed in this hour: what is not as it was at its beginning.
    let read = 0;
    for (let row = 1; row < collections.count; row++) {
      const values = this.values(row, begin);
      collections.changed[row] = this.hours.isNew(row, values) ? 1 : 0;
      read += 1 + values.listed + values.bids;
      if (read < OFFERS_A_STEP) continue;
      yield read;
      read = 0;
    }
  }

  /** Hours without a ledger in which offers expired, which is all that happens in such, in their order. @param end the hour after */
  #expiring(first: number, end: number): readonly number[] {
    const found = new Set<number>();
    if (first === end) return [];
    const { expiration, table } = this.#parts.offers;
    for (let row = 1; row < table.count; row++) {
      // At its end an hour's offers have expired.
      const hour = Math.ceil(expiration[row]! / HOUR) - 1;
      if (hour >= first && hour < end) found.add(hour);
    }
    return [...found].sort((a, b) => a - b);
  }

  /** An hour is over. */
  #end(hour: number): void {
    const { changed, count } = this.#parts.collections;
    const end = (hour + 1) * HOUR;
    this.#markExpired(hour * HOUR, end);
    const day = Math.floor(hour / HOURS_A_DAY);
    for (let row = 1; row < count; row++) {
      if (changed[row] === 0) continue;
      changed[row] = 0;
      const values = this.values(row, end);
      this.hours.put(row, hour, values);
      this.days.put(row, day, values);
    }
  }

  /** Those with an offer that expired later than a close time and not later than another. */
  #markExpired(after: number, end: number): void {
    const { offers, nfts, collections } = this.#parts;
    const { expiration } = offers;
    for (let row = 1, { count } = offers.table; row < count; row++) {
      const expires = expiration[row]!;
      if (expires > after && expires <= end) collections.changed[nfts.collection[offers.nft[row]!]!] = 1;
    }
  }
}
