/** Accounts that have to do with NFTs: owners, issuers, makers of offers, brokers. Each by its 20 bytes. Cost: 76 bytes an account, 12 of derived columns and 6 of the index. */
import type { RowSteps } from '../event-loop.ts';
import { RecentIds } from '../state/recent-ids.ts';
import { TableId } from '../table-ids.ts';
import { KeyedRows } from './keyed-rows.ts';

const ACCOUNT_BYTES = 20;

export class Parties extends KeyedRows {
  /** NFTs that each owns: derived. */
  readonly nfts: Uint32Array;
  readonly buys = this.table.u32('buys');
  readonly sells = this.table.u32('sells');
  /** Drops of those in XRP: whole numbers. */
  readonly buyVolume = this.table.f64('buyVolume');
  readonly sellVolume = this.table.f64('sellVolume');
  /** Close time of the last purchase and of the last sale; 0: none was seen. */
  readonly bought = this.table.u32('bought');
  readonly sold = this.table.u32('sold');

  /** Sales of NFTs that it had bought, both for XRP, and those of them with a gain. */
  readonly flips = this.table.u32('flips');
  readonly wins = this.table.u32('wins');
  /** Drops of the flips: what it got, without royalties and fees, less what it had paid; and what it had paid. Whole numbers. */
  readonly gained = this.table.f64('gained');
  readonly flipCost = this.table.f64('flipCost');

  readonly #recent = new RecentIds();

  constructor(capacity: number) {
    super(TableId.nftParties, 'NFT accounts', capacity, ACCOUNT_BYTES);
    this.nfts = this.table.derivedU32('NFTs');
  }

  override intern(bytes: Uint8Array, at: number): number {
    const recent = this.#recent.find(bytes, at);
    if (recent !== 0) return recent;
    const row = super.intern(bytes, at);
    this.#recent.keep(bytes, at, row);
    return row;
  }

  override rebuilding(): RowSteps {
    this.#recent.clear();
    return super.rebuilding();
  }

  /** @param drops 0: not for XRP. @param time close time */
  addSale(from: number, to: number, drops: number, time: number): void {
    this.sells[from]!++;
    this.sellVolume[from]! += drops;
    this.sold[from] = time;
    this.buys[to]!++;
    this.buyVolume[to]! += drops;
    this.bought[to] = time;
    this.table.markDirty(from);
    this.table.markDirty(to);
  }

  /** It sold an NFT that it had bought, both for XRP. @param cost drops that it had paid. @param gain drops */
  addFlip(party: number, cost: number, gain: number): void {
    this.flips[party]!++;
    if (gain > 0) this.wins[party]!++;
    this.gained[party]! += gain;
    this.flipCost[party]! += cost;
    this.table.markDirty(party);
  }

  /** Before sales are counted again. */
  clearSales(): void {
    for (const column of [this.buys, this.sells, this.buyVolume, this.sellVolume, this.bought, this.sold])
      column.fill(0, 0, this.count);
    for (const column of [this.flips, this.wins, this.gained, this.flipCost]) column.fill(0, 0, this.count);
  }
}
