/** Accounts that brokered sales of NFTs: each by its row of the parties. Cost: 32 bytes a broker and 6 of the index. */
import { readU32 } from '../codec/bytes.ts';
import { TableId } from '../table-ids.ts';
import { KeyedRows } from './keyed-rows.ts';

const KEY_BYTES = 4;

export class NftBrokers extends KeyedRows {
  readonly sales = this.table.u32('sales');
  /** Drops of the sales in XRP, and what of it the broker kept: whole numbers. */
  readonly volume = this.table.f64('volume');
  readonly fees = this.table.f64('fees');
  /** Close times. */
  readonly firstSale = this.table.u32('firstSale');
  readonly lastSale = this.table.u32('lastSale');
  readonly #key = new Uint8Array(KEY_BYTES);

  constructor(capacity: number) {
    super(TableId.nftBrokers, 'NFT brokers', capacity, KEY_BYTES);
  }

  /** @param party its row of the parties. @param drops 0: not for XRP. @throws TableFullError */
  addSale(party: number, drops: number, fee: number, time: number): void {
    for (let i = 0; i < KEY_BYTES; i++) this.#key[i] = party >>> (24 - 8 * i);
    const row = this.intern(this.#key, 0);
    this.sales[row]!++;
    this.volume[row]! += drops;
    this.fees[row]! += fee;
    this.firstSale[row] ||= time;
    this.lastSale[row] = time;
    this.table.markDirty(row);
  }

  /** Before all sales are counted again. */
  clear(): void {
    for (const column of [this.sales, this.volume, this.fees, this.firstSale, this.lastSale])
      column.fill(0, 0, this.count);
  }

  /** Row of the parties. */
  party(row: number): number {
    return readU32(this.key(row), 0);
  }
}
