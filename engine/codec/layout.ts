/**
 * Which field goes into which cell of a change set: for each context of a field (a transaction, the metadata itself, a
 * node, the final or the previous fields of each entry type) a table from field code to action.
 */
import {
  AccountNode,
  AmmNode,
  DirectoryNode,
  EntryType,
  EscrowNode,
  FeeNode,
  IssuanceNode,
  LineNode,
  MptokenNode,
  NftOfferNode,
  NftPageNode,
  Node,
  OfferNode,
  OracleNode,
  PreauthNode,
  Tx,
} from './changes.ts';
import { type Definitions, SHIPPED } from './definitions.ts';

/** A cell is the action for a field: ignore it, count it, or write it to a column in one of three ways. */
export const Cell = {
  ignore: 0,
  column: 0x1f, // the low bits: the column
  offset: 0x20, // write the offset of the value
  account: 0x40, // write the offset of the 20 bytes after the length
  value: 0x80, // write the value, up to 32 bits
  unknown: 0xff, // the field has no definition
} as const;

/** Codes are `(type << 8) | nth`; types from 32 up have no definition and never reach a table. */
const TYPES = 32;
export const CONTEXT_CELLS = TYPES << 8;

/** The contexts. Entry contexts come in pairs: final (or new) fields, then previous fields. */
export const Context = { nested: 0, tx: 1, meta: 2, node: 3, entries: 4 } as const;

type Columns = Readonly<Record<string, number>>;

const TX: Columns = {
  Account: Tx.accountAt,
  Fee: Tx.feeAt,
  SourceTag: Tx.sourceTagAt,
  DestinationTag: Tx.destinationTagAt,
  Destination: Tx.destinationAt,
  Amount: Tx.amountAt,
  SendMax: Tx.sendMaxAt,
  TakerPays: Tx.takerPaysAt,
  TakerGets: Tx.takerGetsAt,
  SigningPubKey: Tx.signingKeyAt,
  Memos: Tx.memosAt,
  TicketSequence: Tx.ticketAt,
  LimitAmount: Tx.limitAt,
  Asset: Tx.assetAt,
  Asset2: Tx.asset2At,
};
const TX_VALUES: Columns = { TransactionType: Tx.type, Flags: Tx.flags, Sequence: Tx.sequence };
const META: Columns = { DeliveredAmount: Tx.deliveredAt };
const META_VALUES: Columns = { TransactionResult: Tx.result };
const NODE: Columns = { LedgerIndex: Node.indexAt };
const NODE_VALUES: Columns = { LedgerEntryType: Node.entryType };

/** Entry type, columns of its final or new fields, columns of its previous fields. */
const ENTRIES: readonly (readonly [type: number, final: Columns, previous: Columns])[] = [
  [
    EntryType.AccountRoot,
    {
      Account: AccountNode.accountAt,
      Balance: AccountNode.balanceAt,
      Flags: AccountNode.flagsAt,
      OwnerCount: AccountNode.ownerCountAt,
      Sequence: AccountNode.sequenceAt,
      TransferRate: AccountNode.transferRateAt,
      Domain: AccountNode.domainAt,
      TickSize: AccountNode.tickSizeAt,
      AMMID: AccountNode.ammIdAt,
      RegularKey: AccountNode.regularKeyAt,
      EmailHash: AccountNode.emailHashAt,
    },
    { Balance: AccountNode.prevBalanceAt },
  ],
  [
    EntryType.RippleState,
    {
      Balance: LineNode.balanceAt,
      LowLimit: LineNode.lowLimitAt,
      HighLimit: LineNode.highLimitAt,
      Flags: LineNode.flagsAt,
      LowQualityIn: LineNode.lowQualityInAt,
      LowQualityOut: LineNode.lowQualityOutAt,
      HighQualityIn: LineNode.highQualityInAt,
      HighQualityOut: LineNode.highQualityOutAt,
    },
    { Balance: LineNode.prevBalanceAt, Flags: LineNode.prevFlagsAt },
  ],
  [
    EntryType.Offer,
    {
      Account: OfferNode.accountAt,
      Sequence: OfferNode.sequenceAt,
      TakerPays: OfferNode.takerPaysAt,
      TakerGets: OfferNode.takerGetsAt,
      Flags: OfferNode.flagsAt,
      BookDirectory: OfferNode.bookDirectoryAt,
      Expiration: OfferNode.expirationAt,
      DomainID: OfferNode.domainIdAt,
      BookNode: OfferNode.bookNodeAt,
    },
    { TakerPays: OfferNode.prevTakerPaysAt, TakerGets: OfferNode.prevTakerGetsAt },
  ],
  [
    EntryType.AMM,
    {
      Account: AmmNode.accountAt,
      Asset: AmmNode.assetAt,
      Asset2: AmmNode.asset2At,
      LPTokenBalance: AmmNode.lpBalanceAt,
      TradingFee: AmmNode.tradingFeeAt,
      AuctionSlot: AmmNode.auctionSlotAt,
      VoteSlots: AmmNode.voteSlotsAt,
    },
    { LPTokenBalance: AmmNode.prevLpBalanceAt },
  ],
  [
    EntryType.MPTokenIssuance,
    {
      Issuer: IssuanceNode.issuerAt,
      Sequence: IssuanceNode.sequenceAt,
      OutstandingAmount: IssuanceNode.outstandingAt,
      MaximumAmount: IssuanceNode.maximumAt,
      AssetScale: IssuanceNode.assetScaleAt,
      TransferFee: IssuanceNode.transferFeeAt,
      Flags: IssuanceNode.flagsAt,
      MPTokenMetadata: IssuanceNode.metadataAt,
      LockedAmount: IssuanceNode.lockedAt,
    },
    {},
  ],
  [
    EntryType.MPToken,
    {
      Account: MptokenNode.accountAt,
      MPTokenIssuanceID: MptokenNode.issuanceIdAt,
      MPTAmount: MptokenNode.amountAt,
      Flags: MptokenNode.flagsAt,
      LockedAmount: MptokenNode.lockedAt,
    },
    { MPTAmount: MptokenNode.prevAmountAt },
  ],
  [EntryType.Escrow, { Account: EscrowNode.accountAt }, {}],
  [EntryType.DepositPreauth, { Account: PreauthNode.accountAt, Authorize: PreauthNode.authorizeAt }, {}],
  [
    EntryType.Oracle,
    {
      Owner: OracleNode.ownerAt,
      OracleDocumentID: OracleNode.documentIdAt,
      LastUpdateTime: OracleNode.lastUpdateAt,
      PriceDataSeries: OracleNode.seriesAt,
      Provider: OracleNode.providerAt,
    },
    {},
  ],
  [
    EntryType.DirectoryNode,
    { Indexes: DirectoryNode.indexesAt, ExchangeRate: DirectoryNode.exchangeRateAt },
    {},
  ],
  [EntryType.NFTokenPage, { NFTokens: NftPageNode.tokensAt }, { NFTokens: NftPageNode.prevTokensAt }],
  [
    EntryType.NFTokenOffer,
    {
      NFTokenID: NftOfferNode.nftIdAt,
      Owner: NftOfferNode.ownerAt,
      Amount: NftOfferNode.amountAt,
      Flags: NftOfferNode.flagsAt,
      Destination: NftOfferNode.destinationAt,
      Expiration: NftOfferNode.expirationAt,
    },
    {},
  ],
  [
    EntryType.FeeSettings,
    {
      ReserveBase: FeeNode.reserveBaseAt,
      ReserveIncrement: FeeNode.reserveIncrementAt,
      ReserveBaseDrops: FeeNode.reserveBaseDropsAt,
      ReserveIncrementDrops: FeeNode.reserveIncrementDropsAt,
      BaseFee: FeeNode.baseFeeAt,
      BaseFeeDrops: FeeNode.baseFeeDropsAt,
    },
    {},
  ],
];

/** Entry types are u16; those with columns are all below this. */
const ENTRY_TYPES = 256;

export class Layout {
  /** Cells of all contexts, CONTEXT_CELLS each. */
  readonly cells: Uint8Array;
  /** First cell of an entry type's final fields; the previous ones follow. Types without columns share `nested`. */
  readonly entryBase = new Int32Array(ENTRY_TYPES);
  /** Layout of values by type code, see Definitions.width. */
  readonly width: Int8Array;

  constructor(definitions: Definitions) {
    this.width = definitions.width;
    const contexts = Context.entries + 2 * ENTRIES.length;
    this.cells = new Uint8Array(contexts * CONTEXT_CELLS);
    for (let code = 0; code < CONTEXT_CELLS; code++) {
      const cell = definitions.fieldOf[code] === 0 ? Cell.unknown : Cell.ignore;
      for (let context = 0; context < contexts; context++) this.cells[context * CONTEXT_CELLS + code] = cell;
    }
    this.#fill(definitions, Context.tx, TX, TX_VALUES);
    this.#fill(definitions, Context.meta, META, META_VALUES);
    this.#fill(definitions, Context.node, NODE, NODE_VALUES);
    for (const [i, [type, final, previous]] of ENTRIES.entries()) {
      const context = Context.entries + 2 * i;
      this.entryBase[type] = context * CONTEXT_CELLS;
      this.#fill(definitions, context, final, {});
      this.#fill(definitions, context + 1, previous, {});
    }
  }

  #fill(definitions: Definitions, context: number, offsets: Columns, values: Columns): void {
    for (const [name, column] of Object.entries(offsets)) {
      const code = definitions.code(name);
      if (code === undefined) continue;
      const how = code >>> 8 === definitions.raw.TYPES.AccountID ? Cell.account : Cell.offset;
      this.cells[context * CONTEXT_CELLS + code] = how | column;
    }
    for (const [name, column] of Object.entries(values)) {
      const code = definitions.code(name);
      if (code !== undefined) this.cells[context * CONTEXT_CELLS + code] = Cell.value | column;
    }
  }
}

export const SHIPPED_LAYOUT = new Layout(SHIPPED);
