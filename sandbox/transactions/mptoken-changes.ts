/**
 * What an issuer may change of an existing MPT (DynamicMPT, XLS-94): add capabilities, which are permanent; change
 * metadata and transfer fee; and give up any of these changes permanently. Confidential balances are not implemented:
 * their fields answer `temDISABLED`. Results in the order of rippled `MPTokenIssuanceSet.cpp`.
 */
import type { Rules } from '../protocol/amendments.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf, Lsif, Tf, withFlags } from '../protocol/flags.ts';
import type { Result } from '../protocol/results.ts';

/** Tenths of a basis point: 50 percent. */
export const TRANSFER_FEE_MAX = 50_000;
/** Bytes of `MPTokenMetadata`. */
export const MPT_METADATA_MAX = 1_024;

interface Capability {
  /** Flag of the transaction that adds it. */
  readonly set: number;
  /** Flag of the issuance that has it. */
  readonly flag: number;
  /** Flag of the issuance that has given up adding it. */
  readonly immutable: number;
}

const CAPABILITIES: readonly Capability[] = [
  { set: Tf.tfMPTSetCanLock, flag: Lsf.lsfMPTCanLock, immutable: Lsif.lsifMPTCanLock },
  { set: Tf.tfMPTSetRequireAuth, flag: Lsf.lsfMPTRequireAuth, immutable: Lsif.lsifMPTRequireAuth },
  { set: Tf.tfMPTSetCanEscrow, flag: Lsf.lsfMPTCanEscrow, immutable: Lsif.lsifMPTCanEscrow },
  { set: Tf.tfMPTSetCanTrade, flag: Lsf.lsfMPTCanTrade, immutable: Lsif.lsifMPTCanTrade },
  { set: Tf.tfMPTSetCanTransfer, flag: Lsf.lsfMPTCanTransfer, immutable: Lsif.lsifMPTCanTransfer },
  { set: Tf.tfMPTSetCanClawback, flag: Lsf.lsfMPTCanClawback, immutable: Lsif.lsifMPTCanClawback },
];

const allOf = (bits: Iterable<number>): number => [...bits].reduce((all, bit) => all | bit, 0);

/** Flags of `MPTokenIssuanceSet` that add a capability. */
export const CAPABILITY_FLAGS =
  allOf(CAPABILITIES.map(({ set }) => set)) | Tf.tfMPTSetCanHoldConfidentialBalance;
const IMMUTABLE_FLAGS = allOf(Object.values(Lsif));

/** Whether a transaction changes more of an issuance than its lock and its domain. */
export const isChange = (tx: Readonly<TransactionFields>): boolean =>
  hasAny(tx.Flags, CAPABILITY_FLAGS) ||
  [tx.MPTokenMetadata, tx.TransferFee, tx.ImmutableFlags].some((value) => value !== undefined);

/** `ImmutableFlags`, of a new or of an existing issuance. */
export function preflightImmutable(
  { ImmutableFlags: flags }: Readonly<TransactionFields>,
  rules: Rules,
): Result {
  if (flags === undefined) return 'tesSUCCESS';
  if (!rules.enabled('DynamicMPT') || hasAny(flags, Lsif.lsifMPTCanHoldConfidentialBalance))
    return 'temDISABLED';
  return flags === 0 || (flags & ~IMMUTABLE_FLAGS) !== 0 ? 'temINVALID_FLAG' : 'tesSUCCESS';
}

/** The amendments that a transaction's fields need. */
export function preflightBuilt(tx: Readonly<TransactionFields>, rules: Rules): Result {
  if (isChange(tx) && !rules.enabled('DynamicMPT')) return 'temDISABLED';
  const confidential =
    tx.IssuerEncryptionKey !== undefined ||
    tx.AuditorEncryptionKey !== undefined ||
    hasAny(tx.Flags, Tf.tfMPTSetCanHoldConfidentialBalance) ||
    hasAny(tx.ImmutableFlags, Lsif.lsifMPTCanHoldConfidentialBalance);
  return confidential ? 'temDISABLED' : 'tesSUCCESS';
}

export function preflightChange(tx: Readonly<TransactionFields>, rules: Rules): Result {
  if (!isChange(tx)) return 'tesSUCCESS';
  if (tx.Holder !== undefined || hasAny(tx.Flags, Tf.tfMPTLock | Tf.tfMPTUnlock)) return 'temMALFORMED';
  if ((tx.TransferFee ?? 0) > TRANSFER_FEE_MAX) return 'temBAD_TRANSFER_FEE';
  if ((tx.MPTokenMetadata ?? '').length > 2 * MPT_METADATA_MAX) return 'temMALFORMED';
  return preflightImmutable(tx, rules);
}

export function preclaimChange(issuance: Readonly<Entry>, tx: Readonly<TransactionFields>): Result {
  const isFixed = (bit: number): boolean => hasAny(issuance.ImmutableFlags, bit);
  if (CAPABILITIES.some(({ set, immutable }) => hasAny(tx.Flags, set) && isFixed(immutable)))
    return 'tecNO_PERMISSION';
  if (tx.MPTokenMetadata !== undefined && isFixed(Lsif.lsifMPTMetadata)) return 'tecNO_PERMISSION';
  if (tx.TransferFee === undefined) return 'tesSUCCESS';
  const transferable =
    hasAny(issuance.Flags, Lsf.lsfMPTCanTransfer) || hasAny(tx.Flags, Tf.tfMPTSetCanTransfer);
  if (tx.TransferFee > 0 && !transferable) return 'tecNO_PERMISSION';
  return isFixed(Lsif.lsifMPTTransferFee) ? 'tecNO_PERMISSION' : 'tesSUCCESS';
}

/** Fields with their empty value are left out. */
export function applyChange(issuance: Entry, tx: Readonly<TransactionFields>): void {
  const given = CAPABILITIES.filter(({ set }) => hasAny(tx.Flags, set));
  if (given.length > 0) issuance.Flags = withFlags(issuance.Flags, allOf(given.map(({ flag }) => flag)));
  if (tx.ImmutableFlags !== undefined)
    issuance.ImmutableFlags = withFlags(issuance.ImmutableFlags, tx.ImmutableFlags);
  if (tx.TransferFee === 0) delete issuance.TransferFee;
  else if (tx.TransferFee !== undefined) issuance.TransferFee = tx.TransferFee;
  if (tx.MPTokenMetadata === '') delete issuance.MPTokenMetadata;
  else if (tx.MPTokenMetadata !== undefined) issuance.MPTokenMetadata = tx.MPTokenMetadata;
}
