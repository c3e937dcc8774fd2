/** What offers for NFTs name a price in, beside XRP: a currency and its issuer, or an MPT issuance. Each has a row. */
import { AssetKind } from '../codec/amount.ts';
import { copyBytes } from '../codec/bytes.ts';
import { TableId } from '../table-ids.ts';
import { KeyedRows } from './keyed-rows.ts';

/** Currency 20, issuer 20; of an MPT its issuance id 24, then zeros. The last word is the kind. */
const KEY_BYTES = 44;
const KIND_AT = 40;
/** Offsets in an Amount. */
const CURRENCY_AT = 8;
const ISSUANCE_AT = 9;

export class Assets extends KeyedRows {
  readonly #key = new Uint8Array(KEY_BYTES);

  constructor(capacity: number) {
    super(TableId.nftAssets, 'assets of NFT prices', capacity, KEY_BYTES);
  }

  /** @param at of an Amount that is not XRP. @throws TableFullError */
  ofAmount(bytes: Uint8Array, at: number, kind: AssetKind): number {
    const key = this.#key.fill(0);
    if (kind === AssetKind.mpt) copyBytes(bytes, at + ISSUANCE_AT, key, 0, 24);
    else copyBytes(bytes, at + CURRENCY_AT, key, 0, 40);
    key[KIND_AT] = kind;
    return this.intern(key, 0);
  }

  /** @param row 0: XRP */
  kind(row: number): AssetKind {
    return row === 0 ? AssetKind.xrp : (this.key(row)[KIND_AT] as AssetKind);
  }

  /** 20 bytes. */
  currency(row: number): Uint8Array {
    return this.key(row).subarray(0, 20);
  }

  /** 20 bytes. */
  issuer(row: number): Uint8Array {
    return this.key(row).subarray(20, 40);
  }
}
