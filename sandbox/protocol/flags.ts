/**
 * The flag bits of transactions and ledger entries and the numbers of account settings, by the names the protocol gives
 * them (rippled `TxFlags.h`, `LedgerFormats.h`). Bits above 2^30 make bitwise results negative: test them with `hasAny`,
 * join them with `withFlags`.
 */

/** Transaction flags. */
export const Tf = {
  // any type
  tfInnerBatchTxn: 0x40000000,
  tfFullyCanonicalSig: 0x80000000,
  // AMMClawback
  tfClawTwoAssets: 0x00000001,
  // AMMDeposit
  tfLPToken: 0x00010000,
  tfSingleAsset: 0x00080000,
  tfTwoAsset: 0x00100000,
  tfOneAssetLPToken: 0x00200000,
  tfLimitLPToken: 0x00400000,
  tfTwoAssetIfEmpty: 0x00800000,
  // AMMWithdraw
  tfWithdrawAll: 0x00020000,
  tfOneAssetWithdrawAll: 0x00040000,
  // AccountSet
  tfRequireDestTag: 0x00010000,
  tfOptionalDestTag: 0x00020000,
  tfRequireAuth: 0x00040000,
  tfOptionalAuth: 0x00080000,
  tfDisallowXRP: 0x00100000,
  tfAllowXRP: 0x00200000,
  // Batch
  tfAllOrNothing: 0x00010000,
  tfOnlyOne: 0x00020000,
  tfUntilFailure: 0x00040000,
  tfIndependent: 0x00080000,
  // EnableAmendment
  tfGotMajority: 0x00010000,
  tfLostMajority: 0x00020000,
  // MPTokenAuthorize
  tfMPTUnauthorize: 0x00000001,
  // MPTokenIssuanceCreate
  tfMPTCanLock: 0x00000002,
  tfMPTRequireAuth: 0x00000004,
  tfMPTCanEscrow: 0x00000008,
  tfMPTCanTrade: 0x00000010,
  tfMPTCanTransfer: 0x00000020,
  tfMPTCanClawback: 0x00000040,
  tfMPTCanHoldConfidentialBalance: 0x00000080,
  // MPTokenIssuanceSet
  tfMPTLock: 0x00000001,
  tfMPTUnlock: 0x00000002,
  tfMPTSetCanLock: 0x00000004,
  tfMPTSetRequireAuth: 0x00000008,
  tfMPTSetCanEscrow: 0x00000010,
  tfMPTSetCanTrade: 0x00000020,
  tfMPTSetCanTransfer: 0x00000040,
  tfMPTSetCanClawback: 0x00000080,
  tfMPTSetCanHoldConfidentialBalance: 0x00000100,
  // NFTokenCreateOffer
  tfSellNFToken: 0x00000001,
  // NFTokenMint
  tfBurnable: 0x00000001,
  tfOnlyXRP: 0x00000002,
  tfTrustLine: 0x00000004,
  tfTransferable: 0x00000008,
  tfMutable: 0x00000010,
  // OfferCreate
  tfPassive: 0x00010000,
  tfImmediateOrCancel: 0x00020000,
  tfFillOrKill: 0x00040000,
  tfSell: 0x00080000,
  tfHybrid: 0x00100000,
  // Payment
  tfNoRippleDirect: 0x00010000,
  tfPartialPayment: 0x00020000,
  tfLimitQuality: 0x00040000,
  tfSponsorCreatedAccount: 0x00080000,
  // PaymentChannelClaim
  tfRenew: 0x00010000,
  tfClose: 0x00020000,
  // TrustSet
  tfSetfAuth: 0x00010000,
  tfSetNoRipple: 0x00020000,
  tfClearNoRipple: 0x00040000,
  tfSetFreeze: 0x00100000,
  tfClearFreeze: 0x00200000,
  tfSetDeepFreeze: 0x00400000,
  tfClearDeepFreeze: 0x00800000,
  // VaultCreate
  tfVaultPrivate: 0x00010000,
  tfVaultShareNonTransferable: 0x00020000,
  // XChainModifyBridge
  tfClearAccountCreateAmount: 0x00010000,
} as const;

/** Values of `SetFlag` and `ClearFlag`. */
export const Asf = {
  asfRequireDest: 1,
  asfRequireAuth: 2,
  asfDisallowXRP: 3,
  asfDisableMaster: 4,
  asfAccountTxnID: 5,
  asfNoFreeze: 6,
  asfGlobalFreeze: 7,
  asfDefaultRipple: 8,
  asfDepositAuth: 9,
  asfAuthorizedNFTokenMinter: 10,
  asfDisallowIncomingNFTokenOffer: 12,
  asfDisallowIncomingCheck: 13,
  asfDisallowIncomingPayChan: 14,
  asfDisallowIncomingTrustline: 15,
  asfAllowTrustLineClawback: 16,
  asfAllowTrustLineLocking: 17,
} as const;

/** Flags of ledger entries. */
export const Lsf = {
  // AccountRoot
  lsfPasswordSpent: 0x00010000,
  lsfRequireDestTag: 0x00020000,
  lsfRequireAuth: 0x00040000,
  lsfDisallowXRP: 0x00080000,
  lsfDisableMaster: 0x00100000,
  lsfNoFreeze: 0x00200000,
  lsfGlobalFreeze: 0x00400000,
  lsfDefaultRipple: 0x00800000,
  lsfDepositAuth: 0x01000000,
  lsfDisallowIncomingNFTokenOffer: 0x04000000,
  lsfDisallowIncomingCheck: 0x08000000,
  lsfDisallowIncomingPayChan: 0x10000000,
  lsfDisallowIncomingTrustline: 0x20000000,
  lsfAllowTrustLineLocking: 0x40000000,
  lsfAllowTrustLineClawback: 0x80000000,
  // Credential
  lsfAccepted: 0x00010000,
  // DirNode
  lsfNFTokenBuyOffers: 0x00000001,
  lsfNFTokenSellOffers: 0x00000002,
  // MPToken
  lsfMPTLocked: 0x00000001,
  lsfMPTAuthorized: 0x00000002,
  lsfMPTAMM: 0x00000004,
  // MPTokenIssuance
  lsfMPTCanLock: 0x00000002,
  lsfMPTRequireAuth: 0x00000004,
  lsfMPTCanEscrow: 0x00000008,
  lsfMPTCanTrade: 0x00000010,
  lsfMPTCanTransfer: 0x00000020,
  lsfMPTCanClawback: 0x00000040,
  lsfMPTCanHoldConfidentialBalance: 0x00000080,
  // NFTokenOffer
  lsfSellNFToken: 0x00000001,
  // Offer
  lsfPassive: 0x00010000,
  lsfSell: 0x00020000,
  lsfHybrid: 0x00040000,
  // RippleState
  lsfLowReserve: 0x00010000,
  lsfHighReserve: 0x00020000,
  lsfLowAuth: 0x00040000,
  lsfHighAuth: 0x00080000,
  lsfLowNoRipple: 0x00100000,
  lsfHighNoRipple: 0x00200000,
  lsfLowFreeze: 0x00400000,
  lsfHighFreeze: 0x00800000,
  lsfAMMNode: 0x01000000,
  lsfLowDeepFreeze: 0x02000000,
  lsfHighDeepFreeze: 0x04000000,
  // SignerList
  lsfOneOwnerCount: 0x00010000,
  // Vault
  lsfVaultPrivate: 0x00010000,
} as const;

/** Changes that an MPT issuance has given up: bits of `ImmutableFlags`, in transactions and in the entry alike. */
export const Lsif = {
  lsifMPTCanLock: 0x00000002,
  lsifMPTRequireAuth: 0x00000004,
  lsifMPTCanEscrow: 0x00000008,
  lsifMPTCanTrade: 0x00000010,
  lsifMPTCanTransfer: 0x00000020,
  lsifMPTCanClawback: 0x00000040,
  lsifMPTCanHoldConfidentialBalance: 0x00000080,
  lsifMPTMetadata: 0x00010000,
  lsifMPTTransferFee: 0x00020000,
} as const;

/** Whether any bit of `mask` is set. */
export function hasAny(flags: number | undefined, mask: number): boolean {
  return ((flags ?? 0) & mask) !== 0;
}

/** Whether exactly one bit of `mask` is set. */
export function hasOne(flags: number | undefined, mask: number): boolean {
  const chosen = (flags ?? 0) & mask;
  return chosen !== 0 && (chosen & (chosen - 1)) === 0;
}

/** The flags with the bits of `flag` set. */
export function withFlags(flags: number | undefined, flag: number): number {
  return ((flags ?? 0) | flag) >>> 0;
}

/** The flags with the bits of `flag` cleared. */
export function withoutFlags(flags: number | undefined, flag: number): number {
  return ((flags ?? 0) & ~flag) >>> 0;
}

/** Flags that every transaction type accepts. */
export const UNIVERSAL_FLAGS = 0xc0000000;
