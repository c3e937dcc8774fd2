/**
 * The change set: the positions, in the bytes of a packed ledger, of everything that the engine needs. The partial
 * path of the reader writes it, the writer (apply) reads it. Nothing is copied or converted: a cell is either an
 * offset into the packed bytes or a small number, and 0 means "absent" (the magic is at offset 0, so no field can
 * be there; in a snapshot page the index of the first entry is at 0, see extractEntries).
 *
 *   word 0 .. 7    head: [0] transactions n, [1] nodes m, [2] unknown fields seen, [3] unreadable transactions,
 *                        [4..7] reserved
 *   word 8 ..      n transaction rows of TX_WORDS
 *   then           m node rows of NODE_WORDS, grouped by transaction, in metadata order
 *   then           n transaction hashes of 8 words (32 raw bytes, SHA-512Half of 'TXN\0' + blob)
 *   then           n + 1 words: where the accounts that each transaction affects begin, and how many there are in all;
 *                  then the offsets of these (affected.ts). Pages of a snapshot have neither
 *
 * Offsets of Amounts point to their first byte: 8 bytes for XRP, 48 for issued, 33 for MPT. Offsets of accounts
 * point to the 20 bytes (after the length prefix). Offsets of UInt32 / UInt64 / hashes point to the raw big-endian
 * bytes. Offsets of blobs (Domain, URI, metadata) point to their length prefix.
 */

export const CHANGES_HEAD_WORDS = 8;
export const TX_WORDS = 24;
export const NODE_WORDS = 20;

/** Columns of a transaction row. Those named `...At` are offsets; the others are values. */
export const Tx = {
  type: 0, // TransactionType code (u16)
  result: 1, // TransactionResult code (0 = tesSUCCESS, 100.. = tec), or RESULT_UNREAD
  accountAt: 2,
  flags: 3, // value, 0 when absent
  sequence: 4, // value
  feeAt: 5,
  sourceTagAt: 6, // offset, so that a tag of 0 is not "absent"
  destinationAt: 7,
  amountAt: 8, // Amount
  sendMaxAt: 9,
  deliveredAt: 10, // DeliveredAmount of the metadata
  firstNode: 11, // row number of the first node of this transaction
  nodes: 12, // how many
  takerPaysAt: 13,
  takerGetsAt: 14,
  signingKeyAt: 15, // SigningPubKey, at its length prefix
  memosAt: 16, // first byte inside the Memos array
  ticketAt: 17,
  limitAt: 18, // LimitAmount
  assetAt: 19, // Asset (Issue)
  asset2At: 20, // Asset2 (Issue)
  txAt: 21, // start of the transaction blob
  metaAt: 22, // start of the metadata blob
  destinationTagAt: 23, // offset, so that a tag of 0 is not "absent"
} as const;

/**
 * Result of an unreadable transaction: its bytes could not be walked (a type without definition, or malformed bytes),
 * so that the row has only `txAt`, `metaAt` and the nodes that could be read completely. These nodes are valid for the
 * state; the effect of the transaction is not known, so no trade is derived from them.
 */
export const RESULT_UNREAD = 0xffffffff;

/** TransactionType codes that validators inject: EnableAmendment, SetFee, UNLModify. No account sends them. */
const PSEUDO_FIRST = 100;
const PSEUDO_LAST = 102;

/** Whether an account sent the transaction of a row (also false when its bytes could not be read). */
export function isSent(changes: Changes, row: number): boolean {
  const type = changes.tx(row, Tx.type);
  return changes.tx(row, Tx.accountAt) !== 0 && (type < PSEUDO_FIRST || type > PSEUDO_LAST);
}

/** What happened to a ledger entry. */
export const NodeAction = { created: 0, modified: 1, deleted: 2 } as const;

/** Columns that every node row has. */
export const Node = {
  tx: 0, // transaction row it belongs to
  action: 1, // NodeAction
  entryType: 2, // LedgerEntryType code (u16), see EntryType
  indexAt: 3, // LedgerIndex, 32 bytes
} as const;

/** LedgerEntryType codes whose fields are extracted; nodes of other types have only the four common columns. */
export const EntryType = {
  NFTokenOffer: 0x37,
  NFTokenPage: 0x50,
  AccountRoot: 0x61,
  DepositPreauth: 0x70,
  DirectoryNode: 0x64,
  RippleState: 0x72,
  Escrow: 0x75,
  Offer: 0x6f,
  SignerList: 0x53,
  FeeSettings: 0x73,
  AMM: 0x79,
  MPTokenIssuance: 0x7e,
  MPToken: 0x7f,
  Oracle: 0x80,
} as const;

/**
 * Further columns by entry type. Values come from FinalFields (modified, deleted) or NewFields (created);
 * `prev...` from PreviousFields.
 */
export const AccountNode = {
  accountAt: 4,
  balanceAt: 5, // Amount
  flagsAt: 6,
  ownerCountAt: 7,
  sequenceAt: 8,
  transferRateAt: 9,
  domainAt: 10,
  tickSizeAt: 11, // UInt8
  ammIdAt: 12,
  regularKeyAt: 13,
  prevBalanceAt: 14,
  emailHashAt: 15,
} as const;
export const LineNode = {
  balanceAt: 4, // Amount, seen from the low account
  lowLimitAt: 5, // Amount; its issuer is the low account
  highLimitAt: 6, // Amount; its issuer is the high account
  flagsAt: 7,
  prevBalanceAt: 8,
  lowQualityInAt: 9,
  lowQualityOutAt: 10,
  highQualityInAt: 11,
  highQualityOutAt: 12,
  prevFlagsAt: 13,
} as const;
export const OfferNode = {
  accountAt: 4,
  sequenceAt: 5,
  takerPaysAt: 6,
  takerGetsAt: 7,
  flagsAt: 8,
  bookDirectoryAt: 9, // 32 bytes; the last 8 are the quality
  expirationAt: 10,
  prevTakerPaysAt: 11,
  prevTakerGetsAt: 12,
  domainIdAt: 13,
  bookNodeAt: 14, // UInt64
} as const;
/** Of entries alone: metadata does not have these. */
export const DirectoryNode = {
  indexesAt: 4, // Vector256, with its length before it
  exchangeRateAt: 5, // UInt64; of books alone
} as const;
export const AmmNode = {
  accountAt: 4,
  assetAt: 5, // Issue: 20 bytes for XRP, 40 for issued, 44 for MPT (issuer, account one, little-endian sequence)
  asset2At: 6,
  lpBalanceAt: 7, // Amount
  tradingFeeAt: 8, // UInt16
  prevLpBalanceAt: 9,
  auctionSlotAt: 10, // first byte inside the AuctionSlot object
  voteSlotsAt: 11, // first byte inside the VoteSlots array
} as const;
export const IssuanceNode = {
  issuerAt: 4,
  sequenceAt: 5,
  outstandingAt: 6, // UInt64
  maximumAt: 7, // UInt64
  assetScaleAt: 8, // UInt8
  transferFeeAt: 9, // UInt16
  flagsAt: 10,
  metadataAt: 11, // blob
  lockedAt: 12, // UInt64
} as const;
export const MptokenNode = {
  accountAt: 4,
  issuanceIdAt: 5, // 24 bytes: u32 sequence, 20 bytes issuer
  amountAt: 6, // UInt64
  flagsAt: 7,
  lockedAt: 8, // UInt64
  prevAmountAt: 9,
} as const;
export const EscrowNode = {
  accountAt: 4, // its owner
} as const;
export const PreauthNode = {
  accountAt: 4, // its owner
  authorizeAt: 5, // 0: it names credentials
} as const;
export const OracleNode = {
  ownerAt: 4,
  documentIdAt: 5, // UInt32
  lastUpdateAt: 6, // UInt32, Unix seconds
  seriesAt: 7, // first byte inside the PriceDataSeries array
  providerAt: 8, // blob
} as const;
/** The owner of a page is in the first 20 bytes of its index. */
export const NftPageNode = {
  tokensAt: 4, // first byte inside the NFTokens array
  prevTokensAt: 5,
  // Without the elements that are the same at both ends of the page before and after; of nodes alone, 0 in entries.
  changedAt: 6, // first byte of an element
  changed: 7, // how many elements, a value
  prevChangedAt: 8,
  prevChanged: 9,
} as const;
export const NftOfferNode = {
  nftIdAt: 4, // 32 bytes
  ownerAt: 5,
  amountAt: 6, // Amount
  flagsAt: 7,
  destinationAt: 8,
  expirationAt: 9,
} as const;
export const FeeNode = {
  reserveBaseAt: 4, // UInt32 (before XRPFees)
  reserveIncrementAt: 5, // UInt32
  reserveBaseDropsAt: 6, // Amount
  reserveIncrementDropsAt: 7, // Amount
  baseFeeAt: 8, // UInt64
  baseFeeDropsAt: 9, // Amount
} as const;

/** Reading access to a change set: sizes and row starts, in words. */
export class Changes {
  readonly words: Uint32Array;
  readonly transactions: number;
  readonly nodes: number;
  readonly txBase = CHANGES_HEAD_WORDS;
  readonly nodeBase: number;
  readonly hashBase: number;
  readonly affectedBase: number;

  constructor(words: Uint32Array) {
    this.words = words;
    this.transactions = words[0]!;
    this.nodes = words[1]!;
    this.nodeBase = CHANGES_HEAD_WORDS + this.transactions * TX_WORDS;
    this.hashBase = this.nodeBase + this.nodes * NODE_WORDS;
    this.affectedBase = this.hashBase + this.transactions * 8;
  }

  tx(row: number, column: number): number {
    return this.words[this.txBase + row * TX_WORDS + column]!;
  }

  node(row: number, column: number): number {
    return this.words[this.nodeBase + row * NODE_WORDS + column]!;
  }

  /** The 32-byte hash of a transaction. */
  hash(row: number): Uint8Array {
    const { buffer, byteOffset } = this.words;
    return new Uint8Array(buffer, byteOffset + (this.hashBase + row * 8) * 4, 32);
  }

  /** The first of the accounts that a transaction affects; those of the next row begin where its own end. */
  affectedFrom(row: number): number {
    return this.words[this.affectedBase + row]!;
  }

  /** Offset of the 20 bytes of an account; one transaction may name it more than once. */
  affected(account: number): number {
    return this.words[this.affectedBase + this.transactions + 1 + account]!;
  }
}
