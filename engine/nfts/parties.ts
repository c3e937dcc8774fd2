/** Accounts that have to do with NFTs: owners, issuers, makers of offers, brokers. Each by its 20 bytes. */
import { TableId } from '../table-ids.ts';
import { KeyedRows } from './keyed-rows.ts';

const ACCOUNT_BYTES = 20;

export class Parties extends KeyedRows {
  /** NFTs that each owns: derived. */
  readonly nfts: Uint32Array;

  constructor(capacity: number) {
    super(TableId.nftParties, 'NFT accounts', capacity, ACCOUNT_BYTES);
    this.nfts = this.table.derivedU32('NFTs');
  }
}
