/**
 * The fields of transactions and ledger entries in the embedded network: the protocol's own names, with values in forms
 * for computation.
 *
 * | serialised type | here |
 * |---|---|
 * | UInt8 .. UInt32, Int32 | number |
 * | UInt64 | bigint (never hex or text) |
 * | Hash128 .. Hash256, Blob, Currency | upper-case hex |
 * | AccountID | 40 upper-case hex digits (not base58) |
 * | Amount | `Amount`, immutable |
 * | Issue | `Asset` |
 * | Number | `Num`, immutable |
 * | Vector256 | array of hex |
 * | STObject | object of fields |
 * | STArray | array of one-key objects, as in JSON: `[{ SignerEntry: { ... } }]` |
 *
 * Objects of fields may be shared between ledgers: nested values (arrays, inner objects) are never written to, they are
 * replaced.
 */
import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId, Asset, Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { Num } from '../../engine/codec/arithmetic/number.ts';

/** One step of a path: at least one of the three (or an MPT issuance in place of a currency). */
export interface PathStep {
  readonly account?: AccountId;
  readonly currency?: Hex;
  readonly issuer?: AccountId;
  readonly mpt?: Hex;
}

export type PathSet = readonly (readonly PathStep[])[];

/** The value of an `XChainBridge` field. */
export interface Bridge {
  readonly LockingChainDoor: AccountId;
  readonly LockingChainIssue: Asset;
  readonly IssuingChainDoor: AccountId;
  readonly IssuingChainIssue: Asset;
}

/** Every field that the protocol defines (ripple-binary-codec's definitions), by its serialised type. */
export interface Fields {
  // UInt16, by name
  TransactionType?: string | undefined;
  LedgerEntryType?: EntryType | undefined;
  // UInt16
  SignerWeight?: number | undefined;
  TransferFee?: number | undefined;
  TradingFee?: number | undefined;
  DiscountedFee?: number | undefined;
  Version?: number | undefined;
  LedgerFixType?: number | undefined;
  ManagementFeeRate?: number | undefined;
  // UInt32
  NetworkID?: number | undefined;
  Flags?: number | undefined;
  SourceTag?: number | undefined;
  Sequence?: number | undefined;
  PreviousTxnLgrSeq?: number | undefined;
  LedgerSequence?: number | undefined;
  CloseTime?: number | undefined;
  ParentCloseTime?: number | undefined;
  SigningTime?: number | undefined;
  Expiration?: number | undefined;
  TransferRate?: number | undefined;
  WalletSize?: number | undefined;
  OwnerCount?: number | undefined;
  DestinationTag?: number | undefined;
  LastUpdateTime?: number | undefined;
  HighQualityIn?: number | undefined;
  HighQualityOut?: number | undefined;
  LowQualityIn?: number | undefined;
  LowQualityOut?: number | undefined;
  QualityIn?: number | undefined;
  QualityOut?: number | undefined;
  StampEscrow?: number | undefined;
  BondAmount?: number | undefined;
  LoadFee?: number | undefined;
  OfferSequence?: number | undefined;
  FirstLedgerSequence?: number | undefined;
  LastLedgerSequence?: number | undefined;
  TransactionIndex?: number | undefined;
  OperationLimit?: number | undefined;
  ReferenceFeeUnits?: number | undefined;
  ReserveBase?: number | undefined;
  ReserveIncrement?: number | undefined;
  SetFlag?: number | undefined;
  ClearFlag?: number | undefined;
  SignerQuorum?: number | undefined;
  CancelAfter?: number | undefined;
  FinishAfter?: number | undefined;
  SignerListID?: number | undefined;
  SettleDelay?: number | undefined;
  TicketCount?: number | undefined;
  TicketSequence?: number | undefined;
  NFTokenTaxon?: number | undefined;
  MintedNFTokens?: number | undefined;
  BurnedNFTokens?: number | undefined;
  VoteWeight?: number | undefined;
  FirstNFTokenSequence?: number | undefined;
  OracleDocumentID?: number | undefined;
  PermissionValue?: number | undefined;
  ImmutableFlags?: number | undefined;
  StartDate?: number | undefined;
  PaymentInterval?: number | undefined;
  GracePeriod?: number | undefined;
  PreviousPaymentDueDate?: number | undefined;
  NextPaymentDueDate?: number | undefined;
  PaymentRemaining?: number | undefined;
  PaymentTotal?: number | undefined;
  LoanSequence?: number | undefined;
  CoverRateMinimum?: number | undefined;
  CoverRateLiquidation?: number | undefined;
  OverpaymentFee?: number | undefined;
  InterestRate?: number | undefined;
  LateInterestRate?: number | undefined;
  CloseInterestRate?: number | undefined;
  OverpaymentInterestRate?: number | undefined;
  ConfidentialBalanceVersion?: number | undefined;
  SponsoredOwnerCount?: number | undefined;
  SponsoringOwnerCount?: number | undefined;
  SponsoringAccountCount?: number | undefined;
  RemainingOwnerCount?: number | undefined;
  SponsorFlags?: number | undefined;
  SubscriptionDate?: number | undefined;
  RedemptionDate?: number | undefined;
  IssuerKeyEpoch?: number | undefined;
  AuditorKeyEpoch?: number | undefined;
  IssuerKeyMirrorEpoch?: number | undefined;
  AuditorKeyMirrorEpoch?: number | undefined;
  // UInt64
  IndexNext?: bigint | undefined;
  IndexPrevious?: bigint | undefined;
  BookNode?: bigint | undefined;
  OwnerNode?: bigint | undefined;
  BaseFee?: bigint | undefined;
  ExchangeRate?: bigint | undefined;
  LowNode?: bigint | undefined;
  HighNode?: bigint | undefined;
  DestinationNode?: bigint | undefined;
  Cookie?: bigint | undefined;
  ServerVersion?: bigint | undefined;
  NFTokenOfferNode?: bigint | undefined;
  EmitBurden?: bigint | undefined;
  ReferenceCount?: bigint | undefined;
  XChainClaimID?: bigint | undefined;
  XChainAccountCreateCount?: bigint | undefined;
  XChainAccountClaimCount?: bigint | undefined;
  AssetPrice?: bigint | undefined;
  MaximumAmount?: bigint | undefined;
  OutstandingAmount?: bigint | undefined;
  MPTAmount?: bigint | undefined;
  IssuerNode?: bigint | undefined;
  SubjectNode?: bigint | undefined;
  LockedAmount?: bigint | undefined;
  VaultNode?: bigint | undefined;
  LoanBrokerNode?: bigint | undefined;
  ConfidentialOutstandingAmount?: bigint | undefined;
  SponseeNode?: bigint | undefined;
  // Hash128
  EmailHash?: Hex | undefined;
  // Hash256
  LedgerHash?: Hex | undefined;
  ParentHash?: Hex | undefined;
  TransactionHash?: Hex | undefined;
  AccountHash?: Hex | undefined;
  PreviousTxnID?: Hex | undefined;
  LedgerIndex?: Hex | undefined;
  WalletLocator?: Hex | undefined;
  RootIndex?: Hex | undefined;
  AccountTxnID?: Hex | undefined;
  NFTokenID?: Hex | undefined;
  EmitParentTxnID?: Hex | undefined;
  EmitNonce?: Hex | undefined;
  EmitHookHash?: Hex | undefined;
  AMMID?: Hex | undefined;
  BookDirectory?: Hex | undefined;
  InvoiceID?: Hex | undefined;
  Nickname?: Hex | undefined;
  Amendment?: Hex | undefined;
  Digest?: Hex | undefined;
  Channel?: Hex | undefined;
  ConsensusHash?: Hex | undefined;
  CheckID?: Hex | undefined;
  ValidatedHash?: Hex | undefined;
  PreviousPageMin?: Hex | undefined;
  NextPageMin?: Hex | undefined;
  NFTokenBuyOffer?: Hex | undefined;
  NFTokenSellOffer?: Hex | undefined;
  DomainID?: Hex | undefined;
  VaultID?: Hex | undefined;
  ParentBatchID?: Hex | undefined;
  LoanBrokerID?: Hex | undefined;
  LoanID?: Hex | undefined;
  ReferenceHolding?: Hex | undefined;
  BlindingFactor?: Hex | undefined;
  ObjectID?: Hex | undefined;
  // Amount
  Amount?: Amount | undefined;
  Balance?: Amount | undefined;
  LimitAmount?: Amount | undefined;
  TakerPays?: Amount | undefined;
  TakerGets?: Amount | undefined;
  LowLimit?: Amount | undefined;
  HighLimit?: Amount | undefined;
  Fee?: Amount | undefined;
  SendMax?: Amount | undefined;
  DeliverMin?: Amount | undefined;
  Amount2?: Amount | undefined;
  BidMin?: Amount | undefined;
  BidMax?: Amount | undefined;
  MinimumOffer?: Amount | undefined;
  RippleEscrow?: Amount | undefined;
  DeliveredAmount?: Amount | undefined;
  NFTokenBrokerFee?: Amount | undefined;
  BaseFeeDrops?: Amount | undefined;
  ReserveBaseDrops?: Amount | undefined;
  ReserveIncrementDrops?: Amount | undefined;
  LPTokenOut?: Amount | undefined;
  LPTokenIn?: Amount | undefined;
  EPrice?: Amount | undefined;
  Price?: Amount | undefined;
  SignatureReward?: Amount | undefined;
  MinAccountCreateAmount?: Amount | undefined;
  LPTokenBalance?: Amount | undefined;
  FeeAmount?: Amount | undefined;
  MaxFee?: Amount | undefined;
  FeeAmountDelta?: Amount | undefined;
  // Blob
  PublicKey?: Hex | undefined;
  MessageKey?: Hex | undefined;
  SigningPubKey?: Hex | undefined;
  TxnSignature?: Hex | undefined;
  URI?: Hex | undefined;
  Signature?: Hex | undefined;
  Domain?: Hex | undefined;
  FundCode?: Hex | undefined;
  RemoveCode?: Hex | undefined;
  ExpireCode?: Hex | undefined;
  CreateCode?: Hex | undefined;
  MemoType?: Hex | undefined;
  MemoData?: Hex | undefined;
  MemoFormat?: Hex | undefined;
  Fulfillment?: Hex | undefined;
  Condition?: Hex | undefined;
  MasterSignature?: Hex | undefined;
  UNLModifyValidator?: Hex | undefined;
  ValidatorToDisable?: Hex | undefined;
  ValidatorToReEnable?: Hex | undefined;
  DIDDocument?: Hex | undefined;
  Data?: Hex | undefined;
  AssetClass?: Hex | undefined;
  Provider?: Hex | undefined;
  MPTokenMetadata?: Hex | undefined;
  CredentialType?: Hex | undefined;
  ConfidentialBalanceInbox?: Hex | undefined;
  ConfidentialBalanceSpending?: Hex | undefined;
  IssuerEncryptedBalance?: Hex | undefined;
  IssuerEncryptionKey?: Hex | undefined;
  HolderEncryptionKey?: Hex | undefined;
  ZKProof?: Hex | undefined;
  HolderEncryptedAmount?: Hex | undefined;
  IssuerEncryptedAmount?: Hex | undefined;
  SenderEncryptedAmount?: Hex | undefined;
  DestinationEncryptedAmount?: Hex | undefined;
  AuditorEncryptedBalance?: Hex | undefined;
  AuditorEncryptedAmount?: Hex | undefined;
  AuditorEncryptionKey?: Hex | undefined;
  AmountCommitment?: Hex | undefined;
  BalanceCommitment?: Hex | undefined;
  // AccountID
  Account?: AccountId | undefined;
  Owner?: AccountId | undefined;
  Destination?: AccountId | undefined;
  Issuer?: AccountId | undefined;
  Authorize?: AccountId | undefined;
  Unauthorize?: AccountId | undefined;
  RegularKey?: AccountId | undefined;
  NFTokenMinter?: AccountId | undefined;
  EmitCallback?: AccountId | undefined;
  Holder?: AccountId | undefined;
  Delegate?: AccountId | undefined;
  OtherChainSource?: AccountId | undefined;
  OtherChainDestination?: AccountId | undefined;
  AttestationSignerAccount?: AccountId | undefined;
  AttestationRewardAccount?: AccountId | undefined;
  LockingChainDoor?: AccountId | undefined;
  IssuingChainDoor?: AccountId | undefined;
  Subject?: AccountId | undefined;
  Borrower?: AccountId | undefined;
  Counterparty?: AccountId | undefined;
  Sponsor?: AccountId | undefined;
  HighSponsor?: AccountId | undefined;
  LowSponsor?: AccountId | undefined;
  CounterpartySponsor?: AccountId | undefined;
  Sponsee?: AccountId | undefined;
  // Number
  Number?: Num | undefined;
  AssetsAvailable?: Num | undefined;
  AssetsMaximum?: Num | undefined;
  AssetsTotal?: Num | undefined;
  LossUnrealized?: Num | undefined;
  DebtTotal?: Num | undefined;
  DebtMaximum?: Num | undefined;
  CoverAvailable?: Num | undefined;
  LoanOriginationFee?: Num | undefined;
  LoanServiceFee?: Num | undefined;
  LatePaymentFee?: Num | undefined;
  ClosePaymentFee?: Num | undefined;
  PrincipalOutstanding?: Num | undefined;
  PrincipalRequested?: Num | undefined;
  TotalValueOutstanding?: Num | undefined;
  PeriodicPayment?: Num | undefined;
  ManagementFeeOutstanding?: Num | undefined;
  // Int32
  LoanScale?: number | undefined;
  RemainingOwnerCountDelta?: number | undefined;
  // STObject
  TransactionMetaData?: Fields | undefined;
  CreatedNode?: Fields | undefined;
  DeletedNode?: Fields | undefined;
  ModifiedNode?: Fields | undefined;
  PreviousFields?: Fields | undefined;
  FinalFields?: Fields | undefined;
  NewFields?: Fields | undefined;
  Memo?: Fields | undefined;
  SignerEntry?: Fields | undefined;
  NFToken?: Fields | undefined;
  Permission?: Fields | undefined;
  Signer?: Fields | undefined;
  Majority?: Fields | undefined;
  DisabledValidator?: Fields | undefined;
  VoteEntry?: Fields | undefined;
  AuctionSlot?: Fields | undefined;
  AuthAccount?: Fields | undefined;
  XChainClaimProofSig?: Fields | undefined;
  XChainCreateAccountProofSig?: Fields | undefined;
  XChainClaimAttestationCollectionElement?: Fields | undefined;
  XChainCreateAccountAttestationCollectionElement?: Fields | undefined;
  PriceData?: Fields | undefined;
  Credential?: Fields | undefined;
  RawTransaction?: Fields | undefined;
  BatchSigner?: Fields | undefined;
  Book?: Fields | undefined;
  CounterpartySignature?: Fields | undefined;
  SponsorSignature?: Fields | undefined;
  // STArray
  Signers?: readonly Fields[] | undefined;
  SignerEntries?: readonly Fields[] | undefined;
  Necessary?: readonly Fields[] | undefined;
  Sufficient?: readonly Fields[] | undefined;
  AffectedNodes?: readonly Fields[] | undefined;
  Memos?: readonly Fields[] | undefined;
  NFTokens?: readonly Fields[] | undefined;
  VoteSlots?: readonly Fields[] | undefined;
  AdditionalBooks?: readonly Fields[] | undefined;
  Majorities?: readonly Fields[] | undefined;
  DisabledValidators?: readonly Fields[] | undefined;
  XChainClaimAttestations?: readonly Fields[] | undefined;
  XChainCreateAccountAttestations?: readonly Fields[] | undefined;
  PriceDataSeries?: readonly Fields[] | undefined;
  AuthAccounts?: readonly Fields[] | undefined;
  AuthorizeCredentials?: readonly Fields[] | undefined;
  UnauthorizeCredentials?: readonly Fields[] | undefined;
  AcceptedCredentials?: readonly Fields[] | undefined;
  Permissions?: readonly Fields[] | undefined;
  RawTransactions?: readonly Fields[] | undefined;
  BatchSigners?: readonly Fields[] | undefined;
  // UInt8
  CloseResolution?: number | undefined;
  Method?: number | undefined;
  TransactionResult?: number | undefined;
  Scale?: number | undefined;
  AssetScale?: number | undefined;
  LEVersion?: number | undefined;
  TickSize?: number | undefined;
  UNLModifyDisabling?: number | undefined;
  WasLockingChainSend?: number | undefined;
  WithdrawalPolicy?: number | undefined;
  ContractResult?: number | undefined;
  VaultKind?: number | undefined;
  // Hash160
  TakerPaysCurrency?: Hex | undefined;
  TakerPaysIssuer?: Hex | undefined;
  TakerGetsCurrency?: Hex | undefined;
  TakerGetsIssuer?: Hex | undefined;
  // PathSet
  Paths?: PathSet | undefined;
  // Vector256
  Indexes?: readonly Hex[] | undefined;
  Hashes?: readonly Hex[] | undefined;
  Amendments?: readonly Hex[] | undefined;
  NFTokenOffers?: readonly Hex[] | undefined;
  CredentialIDs?: readonly Hex[] | undefined;
  // Hash192
  MPTokenIssuanceID?: Hex | undefined;
  ShareMPTID?: Hex | undefined;
  TakerPaysMPT?: Hex | undefined;
  TakerGetsMPT?: Hex | undefined;
  // Issue
  LockingChainIssue?: Asset | undefined;
  IssuingChainIssue?: Asset | undefined;
  Asset?: Asset | undefined;
  Asset2?: Asset | undefined;
  // XChainBridge
  XChainBridge?: Bridge | undefined;
  // Currency
  BaseAsset?: Hex | undefined;
  QuoteAsset?: Hex | undefined;
}

export type EntryType =
  | 'AMM'
  | 'AccountRoot'
  | 'Amendments'
  | 'Bridge'
  | 'Check'
  | 'Credential'
  | 'DID'
  | 'Delegate'
  | 'DepositPreauth'
  | 'DirectoryNode'
  | 'Escrow'
  | 'FeeSettings'
  | 'LedgerHashes'
  | 'Loan'
  | 'LoanBroker'
  | 'MPToken'
  | 'MPTokenIssuance'
  | 'NFTokenOffer'
  | 'NFTokenPage'
  | 'NegativeUNL'
  | 'Offer'
  | 'Oracle'
  | 'PayChannel'
  | 'PermissionedDomain'
  | 'RippleState'
  | 'SignerList'
  | 'Sponsorship'
  | 'Ticket'
  | 'Vault'
  | 'XChainOwnedClaimID'
  | 'XChainOwnedCreateAccountClaimID';

/** A ledger entry. `index` is its key in the state tree: 64 hex digits, not serialised. */
export interface Entry extends Fields {
  readonly LedgerEntryType: EntryType;
  readonly index: Hex;
}

/** A transaction as signed. */
export interface TransactionFields extends Fields {
  TransactionType: string;
  Account: AccountId;
  Fee: Amount;
  Sequence: number;
}
