/**
 * The families of rows in a store: the only list of them. A new one is a line here, with the next schema version as
 * `since`: stores of before are brought to that version at start, and the family begins empty. `Batch.record` and
 * `Store.records` write and read its records, and it is in the digest unless `notInDigest` gives a reason.
 */
export interface FamilyDescriptor {
  /** Number of its table in the store; never change or reuse one. */
  readonly id: number;
  /** Widths in bytes of a key's numbers (1, 2 or 4) or hash (32); empty: a name of any length. */
  readonly key: readonly number[];
  /** Bytes of a value where stores of version 0.2.0 have it without checksum; undefined: all have one. */
  readonly bare?: number;
  /** The store's schema version that it came with: one above the newest when it was added. undefined: the first. */
  readonly since?: number;
  /** Why the digest leaves it out. */
  readonly notInDigest?: string;
  /** Of records: why stores with the same ledgers may have others, so that the digest leaves them out, too. */
  readonly sinceOpened?: string;
}

const INDEX = 'an index of the ledgers';
const SINCE_OPENED =
  'stores of earlier versions that are not rebuilt have them only since this version opened them';
const TRADE_INDEX = 'an index of the trades';

/** What keys and values mean: data/keys.ts. */
export const FAMILIES = {
  ledgers: { id: 0, key: [4], notInDigest: 'each is proved against the hash of the one after it' },
  closeTimes: { id: 1, key: [4, 4], bare: 0, notInDigest: INDEX },
  transactions: { id: 2, key: [32], bare: 6, notInDigest: INDEX },
  entries: { id: 3, key: [32], bare: 6, notInDigest: INDEX },
  trades: { id: 4, key: [4, 2, 2] },
  tokenTrades: { id: 5, key: [4, 4, 2, 2], bare: 0, notInDigest: TRADE_INDEX },
  accountTrades: { id: 6, key: [4, 4, 2, 2], bare: 0, notInDigest: TRADE_INDEX },
  candles: { id: 7, key: [1, 4, 4] },
  holders: { id: 8, key: [4, 4] },
  rates: { id: 9, key: [1, 4], bare: 8 },
  blocks: { id: 10, key: [2, 4], notInDigest: 'the tables, which are digested in memory' },
  texts: { id: 11, key: [1, 4] },
  values: { id: 12, key: [], notInDigest: 'how the store is written; it does not follow from ledgers' },
  log: {
    id: 13,
    key: [1, 4, 2],
    since: 3,
    notInDigest: 'changed rows, which are digested where they belong',
  },
  runs: { id: 14, key: [1, 4, 16], since: 3, notInDigest: INDEX },
  accountEvents: {
    id: 15,
    key: [4, 4, 2, 2],
    since: 4,
    sinceOpened: SINCE_OPENED,
  },
  accountTransactions: {
    id: 16,
    key: [4, 4, 2],
    since: 5,
    sinceOpened: 'stores of earlier versions have those of their ledgers only once they have been filled',
  },
  nftEvents: { id: 17, key: [4, 2, 2], since: 6, sinceOpened: SINCE_OPENED },
  nftTokenEvents: { id: 18, key: [4, 4, 2, 2], since: 6, sinceOpened: SINCE_OPENED },
  nftAccountEvents: { id: 19, key: [4, 4, 2, 2], since: 6, sinceOpened: SINCE_OPENED },
  nftCollectionEvents: { id: 20, key: [4, 4, 2, 2], since: 6, sinceOpened: SINCE_OPENED },
  nftLedgerEvents: { id: 21, key: [4, 2], since: 7, sinceOpened: SINCE_OPENED },
  nftUris: {
    id: 22,
    key: [4],
    since: 9,
    sinceOpened: 'stores of earlier versions have URIs as texts; they are in the digest wherever they are',
  },
} as const satisfies Record<string, FamilyDescriptor>;

export type FamilyName = keyof typeof FAMILIES;
export type FamilyId = (typeof FAMILIES)[FamilyName]['id'];

/** Families of records: they are only in the store, and in the digest unless `sinceOpened` gives a reason. */
export type RecordFamily = {
  [K in FamilyName]: (typeof FAMILIES)[K] extends { notInDigest: string } ? never : K;
}[FamilyName];

export const RECORD_FAMILIES = Object.entries<FamilyDescriptor>(FAMILIES)
  .filter(([, family]) => family.notInDigest === undefined)
  .map(([name]) => name) as readonly RecordFamily[];

/** Those in the digest. */
export type DigestedFamily = {
  [K in RecordFamily]: (typeof FAMILIES)[K] extends { sinceOpened: string } ? never : K;
}[RecordFamily];

export const DIGESTED_FAMILIES = RECORD_FAMILIES.filter(
  (name): name is DigestedFamily => (FAMILIES[name] as FamilyDescriptor).sinceOpened === undefined,
);
