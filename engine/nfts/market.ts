/**
 * The market of NFTs, from their events: by hour and day, by platform, by account and by broker.
 *
 * What an account gains: an NFT that it bought for XRP has that cost until it leaves; sold for XRP, the gain is what the seller
 * gets (price less royalty and broker's fee) less the cost. NFTs that came otherwise (minted, given, for another asset) have no
 * cost, and selling them is no gain. Such sales are flips: the return is the gain of all in percent of their cost, the win rate the
 * percent of them that gained.
 *
 *     events of a ledger -> hours, days     counts and sums, of all and of each platform
 *                        -> parties         what each bought and sold, and when last; through which platform; what it gained
 *                        -> brokers         what each brokered, and what it kept
 *
 * Distinct accounts and collections of a period follow from when each was seen last: one whose last purchase was in an
 * earlier period is new in this one. So are those of windows that end now.
 *
 * Cost: some 200 ns an event.
 */
import { AssetKind, dropsOf } from '../codec/amount.ts';
import type { RowSteps } from '../event-loop.ts';
import { DAY, HOUR } from '../ripple-time.ts';
import type { Table } from '../state/table.ts';
import { TableId } from '../table-ids.ts';
import type { Assets } from './assets.ts';
import { NftBrokers } from './brokers.ts';
import type { Collections } from './collections.ts';
import { type NftAmount, type NftEventReader, NftEventType } from './event-record.ts';
import type { NftLimits } from './limits.ts';
import { marketplaceOf } from './marketplaces.ts';
import type { NftTable } from './nft-table.ts';
import type { Parties } from './parties.ts';
import { NftPartyPlatforms } from './party-platforms.ts';
import { type NftCount, NftPeriods } from './periods.ts';
import type { SaleDrops } from './sale-parts.ts';

const COUNT_OF: Readonly<Record<NftEventType, NftCount | undefined>> = {
  [NftEventType.mint]: 'mints',
  [NftEventType.burn]: 'burns',
  [NftEventType.transfer]: 'transfers',
  [NftEventType.sale]: 'sales',
  [NftEventType.list]: 'sellOffers',
  [NftEventType.delist]: 'cancelled',
  [NftEventType.bid]: 'buyOffers',
  [NftEventType.cancel]: 'cancelled',
  [NftEventType.modify]: undefined,
};

type ColumnsByType = readonly (Uint32Array | Float64Array | undefined)[];

interface Parts {
  readonly nfts: NftTable;
  readonly collections: Collections;
  readonly parties: Parties;
  readonly assets: Assets;
}

export class NftMarket {
  readonly days: NftPeriods;
  readonly hours: NftPeriods;
  readonly brokers: NftBrokers;
  readonly platforms: NftPartyPlatforms;
  readonly tables: readonly Table[];
  readonly #parts: Parts;
  readonly #rows: readonly (NftPeriods | NftBrokers | NftPartyPlatforms)[];
  readonly #ofDays: ColumnsByType;
  readonly #ofHours: ColumnsByType;

  constructor(parts: Parts, limits: NftLimits) {
    this.#parts = parts;
    this.days = new NftPeriods(TableId.nftDays, 'days of NFTs', limits.days, DAY);
    this.hours = new NftPeriods(TableId.nftHours, 'hours of NFTs', limits.hours, HOUR);
    this.#ofDays = columnsByType(this.days);
    this.#ofHours = columnsByType(this.hours);
    this.brokers = new NftBrokers(limits.brokers);
    this.platforms = new NftPartyPlatforms(limits.partyPlatforms);
    this.#rows = [this.days, this.hours, this.brokers, this.platforms];
    this.tables = this.#rows.map(({ table }) => table);
  }

  /** Counts an event; events come in their order. @throws TableFullError */
  add(event: NftEventReader): void {
    const { type } = event;
    if (COUNT_OF[type] === undefined) return;
    const platform = marketplaceOf(event, this.#parts.parties);
    const sale = type === NftEventType.sale ? this.#saleOf(event) : undefined;
    this.#count(this.days, this.#ofDays, event, platform, sale);
    this.#count(this.hours, this.#ofHours, event, platform, sale);
    if (sale) this.#addSale(event, platform, sale);
    else if (type === NftEventType.transfer || type === NftEventType.burn)
      this.#parts.nfts.clearCost(event.nft);
    else if (type === NftEventType.mint && platform !== 0)
      this.#parts.collections.mintedAt(event.collection, platform);
  }

  *rebuilding(): RowSteps {
    for (const rows of this.#rows) yield* rows.rebuilding();
  }

  /** Before all events are counted again. */
  clear(): void {
    const { nfts, collections, parties } = this.#parts;
    nfts.clearSales();
    collections.clearSales();
    parties.clearSales();
    for (const rows of this.#rows) rows.clear();
  }

  #count(
    periods: NftPeriods,
    columns: ColumnsByType,
    event: NftEventReader,
    platform: number,
    sale: SaleDrops | undefined,
  ): void {
    const period = periods.of(event.closeTime);
    const column = columns[event.type]!;
    const all = periods.rowFor(period, undefined);
    const own = periods.rowFor(period, platform);
    column[all]!++;
    column[own]!++;
    periods.table.markDirty(all);
    periods.table.markDirty(own);
    if (!sale) return;
    this.#addAmounts(periods, all, sale);
    this.#addAmounts(periods, own, sale);
    this.#countDistinct(periods, event, period, all);
  }

  #addAmounts(periods: NftPeriods, row: number, { volume, royalty, fee }: SaleDrops): void {
    if (volume > 0) periods.xrpSales[row]!++;
    periods.volume[row]! += volume;
    periods.royalties[row]! += royalty;
    periods.brokerFees[row]! += fee;
  }

  /** Before the sale is counted for those who took part in it. */
  #countDistinct(
    periods: NftPeriods,
    { from, to, collection }: NftEventReader,
    period: number,
    row: number,
  ): void {
    const { parties, collections } = this.#parts;
    if (isFirst(periods, period, parties.bought[to]!)) periods.buyers[row]!++;
    if (isFirst(periods, period, parties.sold[from]!)) periods.sellers[row]!++;
    if (isFirst(periods, period, collections.sold[collection]!)) periods.collections[row]!++;
  }

  #addSale(event: NftEventReader, platform: number, sale: SaleDrops): void {
    const { volume, royalty, fee } = sale;
    const { nft, collection, from, to, broker, closeTime } = event;
    const { nfts, collections, parties } = this.#parts;
    const cost = nfts.cost[nft]!;
    if (cost > 0 && volume > 0) parties.addFlip(from, cost, volume - royalty - fee - cost);
    nfts.addSale(nft, volume, closeTime);
    collections.addSale(collection, sale, closeTime);
    parties.addSale(from, to, volume, closeTime);
    if (platform !== 0) for (const party of [from, to]) this.platforms.add(party, platform, volume);
    if (broker !== 0) this.brokers.addSale(broker, volume, fee, closeTime);
  }

  #saleOf({ price, royalty, brokerFee }: NftEventReader): SaleDrops {
    return { volume: this.#drops(price), royalty: this.#drops(royalty), fee: this.#drops(brokerFee) };
  }

  /** 0: there is none, or it is of another asset. */
  #drops(amount: NftAmount | undefined): number {
    if (amount === undefined || this.#parts.assets.kind(amount.asset) !== AssetKind.xrp) return 0;
    return Number(dropsOf(amount.hi, amount.lo));
  }
}

/** Where events of each type are counted. */
function columnsByType(periods: NftPeriods): ColumnsByType {
  const columns: (Uint32Array | Float64Array | undefined)[] = [];
  for (const type of Object.values(NftEventType)) {
    const count = COUNT_OF[type];
    columns[type] = count && periods[count];
  }
  return columns;
}

/** Whether something that was seen last at a close time (0: never) is new in a period. */
const isFirst = (periods: NftPeriods, period: number, last: number): boolean =>
  last === 0 || periods.of(last) !== period;
