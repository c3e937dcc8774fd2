/**
 * Through which marketplaces accounts traded NFTs: one row for each account and platform (market/platforms.ts) with a sale of
 * which the platform is known. Cost: 20 bytes a row and 6 of the index.
 */
import { PLATFORMS } from '../market/platforms.ts';
import { TableId } from '../table-ids.ts';
import { KeyedRows } from './keyed-rows.ts';

const KEY_BYTES = 8;

export class NftPartyPlatforms extends KeyedRows {
  /** Purchases and sales. */
  readonly trades = this.table.u32('trades');
  /** Drops of those in XRP: whole numbers. */
  readonly volume = this.table.f64('volume');
  readonly #key = new Uint8Array(KEY_BYTES);
  readonly #view = new DataView(this.#key.buffer);

  constructor(capacity: number) {
    super(TableId.nftPartyPlatforms, 'NFT accounts by platform', capacity, KEY_BYTES);
  }

  /** @param platform not 0. @param drops 0: not for XRP. @throws TableFullError */
  add(party: number, platform: number, drops: number): void {
    this.#put(party, platform);
    const row = this.intern(this.#key, 0);
    this.trades[row]!++;
    this.volume[row]! += drops;
    this.table.markDirty(row);
  }

  /** Rows of an account, by platform. */
  of(party: number): { readonly platform: number; readonly row: number }[] {
    return PLATFORMS.flatMap(({ number: platform }) => {
      this.#put(party, platform);
      const row = this.find(this.#key, 0);
      return row === 0 ? [] : { platform, row };
    });
  }

  /** Before all sales are counted again. */
  clear(): void {
    this.trades.fill(0, 0, this.count);
    this.volume.fill(0, 0, this.count);
  }

  #put(party: number, platform: number): void {
    this.#view.setUint32(0, party);
    this.#view.setUint32(4, platform);
  }
}
