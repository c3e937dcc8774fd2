/** Sizes of the tables of NFTs. Memory is committed only where rows are written (see engine/state/table.ts). */
export interface NftLimits {
  /** NFTs ever seen: numbers are never reused. The main network has minted some 8 million. 70 bytes each with lists and index. */
  readonly nfts: number;
  /** Offers open at one moment; rows are reused. The main network has some 2 million. 95 bytes each with lists and index. */
  readonly offers: number;
  /** Accounts that ever owned, issued, offered or brokered an NFT. */
  readonly parties: number;
  /** Pairs of issuer and taxon. Some issuers give each NFT a taxon of its own. */
  readonly collections: number;
  /** Currencies of offers, with their issuers; XRP has no row. */
  readonly assets: number;
  /** Rows of days and of hours: one for each platform with events, and one for all. */
  readonly days: number;
  readonly hours: number;
  /** Accounts that ever brokered a sale. */
  readonly brokers: number;
  /** Pairs of an account that traded and a platform through which it did. */
  readonly partyPlatforms: number;
  /** Rows of the past of collections: one for each hour or day in which something of a collection changed. */
  readonly collectionHours: number;
  readonly collectionDays: number;
}

export const NFT_LIMITS: NftLimits = {
  nfts: 2 ** 25,
  offers: 2 ** 23,
  parties: 2 ** 23,
  collections: 2 ** 23,
  assets: 2 ** 22,
  days: 2 ** 18,
  hours: 2 ** 22,
  brokers: 2 ** 20,
  partyPlatforms: 2 ** 23,
  collectionHours: 2 ** 22,
  collectionDays: 2 ** 24,
};
