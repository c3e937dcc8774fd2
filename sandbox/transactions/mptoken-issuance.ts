/**
 * MPTokenIssuanceCreate, MPTokenIssuanceSet and MPTokenIssuanceDestroy: multi-purpose tokens for their issuer
 * (XLS-33, domains of issuances from XLS-65; rippled `MPTokenIssuance*.cpp`). Later changes of an issuance other than its
 * lock and its domain are in mptoken-changes.ts.
 */

import { MPT_MAX } from '../../engine/codec/arithmetic/amount.ts';
import { type AccountId, HASH_ZERO, type Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { deleteOwned, insertOwned } from '../assets/owned.ts';
import { reserveOf } from '../assets/reserve.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Entry, Fields, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf, Tf, withFlags, withoutFlags } from '../protocol/flags.ts';
import {
  account as accountKey,
  mptIssuance as issuanceKey,
  mptId,
  mptoken as mptokenKey,
} from '../protocol/keylets.ts';
import { Permission } from '../protocol/permissions.ts';
import type { Result } from '../protocol/results.ts';
import { sequenceOf } from '../protocol/sequence.ts';
import { badLength } from './bad-length.ts';
import {
  applyChange,
  CAPABILITY_FLAGS,
  isChange,
  MPT_METADATA_MAX,
  preclaimChange,
  preflightBuilt,
  preflightChange,
  preflightImmutable,
  TRANSFER_FEE_MAX,
} from './mptoken-changes.ts';

const CREATE_FLAGS =
  Tf.tfMPTCanLock |
  Tf.tfMPTRequireAuth |
  Tf.tfMPTCanEscrow |
  Tf.tfMPTCanTrade |
  Tf.tfMPTCanTransfer |
  Tf.tfMPTCanClawback;
/** Known, but not implemented. */
const CONFIDENTIAL = Tf.tfMPTCanHoldConfidentialBalance;
const LOCK_FLAGS = Tf.tfMPTLock | Tf.tfMPTUnlock;

const domainsUnknown = (tx: Readonly<TransactionFields>, rules: Rules): boolean =>
  tx.DomainID !== undefined && !(rules.enabled('PermissionedDomains') && rules.enabled('SingleAssetVault'));

function preflightCreate(tx: Readonly<TransactionFields>, rules: Rules): Result {
  if (domainsUnknown(tx, rules) || hasAny(tx.Flags, CONFIDENTIAL)) return 'temDISABLED';
  const immutable = preflightImmutable(tx, rules);
  if (immutable !== 'tesSUCCESS') return immutable;
  if (tx.ReferenceHolding !== undefined) return 'temMALFORMED';
  if (tx.TransferFee !== undefined) {
    if (tx.TransferFee > TRANSFER_FEE_MAX) return 'temBAD_TRANSFER_FEE';
    if (tx.TransferFee > 0 && !hasAny(tx.Flags, Tf.tfMPTCanTransfer)) return 'temMALFORMED';
  }
  if (tx.DomainID !== undefined && (tx.DomainID === HASH_ZERO || !hasAny(tx.Flags, Tf.tfMPTRequireAuth)))
    return 'temMALFORMED';
  if (badLength(tx.MPTokenMetadata, MPT_METADATA_MAX)) return 'temMALFORMED';
  const most = tx.MaximumAmount;
  if (most !== undefined && (most === 0n || most > MPT_MAX)) return 'temMALFORMED';
  return 'tesSUCCESS';
}

/** Values of a new issuance. `priorBalance` (drops before the fee), if given, must cover the reserve. */
interface IssuanceTerms {
  readonly account: AccountId;
  readonly sequence: number;
  readonly flags: number;
  readonly priorBalance?: bigint | undefined;
  readonly maximumAmount?: bigint | undefined;
  readonly assetScale?: number | undefined;
  readonly transferFee?: number | undefined;
  readonly metadata?: Hex | undefined;
  readonly domainId?: Hex | undefined;
  readonly immutableFlags?: number | undefined;
  /** The trust line or MPToken that backs a vault's shares. */
  readonly referenceHolding?: Hex | undefined;
}

/** Fields that are left out when they have their empty value. */
function optionalTerms(terms: IssuanceTerms): Fields {
  const fields: Fields = {};
  if (terms.maximumAmount !== undefined) fields.MaximumAmount = terms.maximumAmount;
  if (terms.assetScale !== undefined && terms.assetScale !== 0) fields.AssetScale = terms.assetScale;
  if (terms.transferFee !== undefined && terms.transferFee !== 0) fields.TransferFee = terms.transferFee;
  if (terms.metadata !== undefined) fields.MPTokenMetadata = terms.metadata;
  if (terms.domainId !== undefined) fields.DomainID = terms.domainId;
  if (terms.immutableFlags !== undefined) fields.ImmutableFlags = terms.immutableFlags;
  if (terms.referenceHolding !== undefined) fields.ReferenceHolding = terms.referenceHolding;
  return fields;
}

/** Creates an issuance and lists it with its issuer (rippled `MPTokenIssuanceCreate::create`). */
export function createIssuance(
  view: ApplyView,
  terms: IssuanceTerms,
): { readonly result: Result; readonly id: Hex } {
  const { account, sequence } = terms;
  const id = mptId(sequence, account);
  const owner = view.peek(accountKey(account));
  if (owner === undefined) return { result: 'tecINTERNAL', id };
  const reserve = reserveOf(view, owner, 1);
  if (terms.priorBalance !== undefined && terms.priorBalance < reserve)
    return { result: 'tecINSUFFICIENT_RESERVE', id };
  if (terms.referenceHolding !== undefined && view.read(terms.referenceHolding) === undefined)
    return { result: 'tecINTERNAL', id };
  const result = insertOwned(view, owner, {
    ...optionalTerms(terms),
    LedgerEntryType: 'MPTokenIssuance',
    index: issuanceKey(id),
    Flags: terms.flags,
    Issuer: account,
    OutstandingAmount: 0n,
    Sequence: sequence,
  });
  return { result, id };
}

function applyCreate({ view, tx, account, priorBalance }: ApplyContext): Result {
  const made = createIssuance(view, {
    priorBalance,
    account,
    sequence: sequenceOf(tx),
    flags: (tx.Flags ?? 0) & CREATE_FLAGS,
    maximumAmount: tx.MaximumAmount,
    assetScale: tx.AssetScale,
    transferFee: tx.TransferFee,
    metadata: tx.MPTokenMetadata,
    domainId: tx.DomainID,
    immutableFlags: tx.ImmutableFlags,
  });
  return made.result;
}

function preflightSet(tx: Readonly<TransactionFields>, rules: Rules): Result {
  if (domainsUnknown(tx, rules)) return 'temDISABLED';
  const built = preflightBuilt(tx, rules);
  if (built !== 'tesSUCCESS') return built;
  if (tx.DomainID !== undefined && tx.Holder !== undefined) return 'temMALFORMED';
  if (hasAny(tx.Flags, Tf.tfMPTLock) && hasAny(tx.Flags, Tf.tfMPTUnlock)) return 'temINVALID_FLAG';
  if (tx.Holder === tx.Account) return 'temMALFORMED';
  // Universal flags count as a change here: the comparison is with the whole field.
  const mustChange = rules.enabled('SingleAssetVault') || rules.enabled('DynamicMPT');
  if (mustChange && (tx.Flags ?? 0) === 0 && tx.DomainID === undefined && !isChange(tx))
    return 'temMALFORMED';
  return preflightChange(tx, rules);
}

function preclaimSet(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const id = tx.MPTokenIssuanceID as Hex;
  const issuance = view.read(issuanceKey(id));
  if (issuance === undefined) return 'tecOBJECT_NOT_FOUND';
  if (!hasAny(issuance.Flags, Lsf.lsfMPTCanLock)) {
    const later = view.rules.enabled('SingleAssetVault') || view.rules.enabled('DynamicMPT');
    if (!later || hasAny(tx.Flags, LOCK_FLAGS)) return 'tecNO_PERMISSION';
  }
  if (issuance.Issuer !== tx.Account) return 'tecNO_PERMISSION';
  if (tx.Holder !== undefined) {
    if (view.read(accountKey(tx.Holder)) === undefined) return 'tecNO_DST';
    if (view.read(mptokenKey(id, tx.Holder)) === undefined) return 'tecOBJECT_NOT_FOUND';
  }
  if (tx.DomainID !== undefined) {
    if (!hasAny(issuance.Flags, Lsf.lsfMPTRequireAuth)) return 'tecNO_PERMISSION';
    if (tx.DomainID !== HASH_ZERO && !isDomain(view, tx.DomainID)) return 'tecOBJECT_NOT_FOUND';
  }
  return preclaimChange(issuance, tx);
}

function applySet({ view, tx }: ApplyContext): Result {
  const id = tx.MPTokenIssuanceID as Hex;
  const entry = view.peek(tx.Holder === undefined ? issuanceKey(id) : mptokenKey(id, tx.Holder));
  if (entry === undefined) return 'tecINTERNAL';
  if (hasAny(tx.Flags, Tf.tfMPTLock)) entry.Flags = withFlags(entry.Flags, Lsf.lsfMPTLocked);
  else if (hasAny(tx.Flags, Tf.tfMPTUnlock)) entry.Flags = withoutFlags(entry.Flags, Lsf.lsfMPTLocked);
  if (isChange(tx)) applyChange(entry, tx);
  if (tx.DomainID !== undefined) setDomain(entry, tx.DomainID);
  return 'tesSUCCESS';
}

/** Whether a permissioned domain with that id exists. */
export const isDomain = (view: ReadView, id: Hex): boolean =>
  view.read(id)?.LedgerEntryType === 'PermissionedDomain';

/** Sets the domain whose members may hold the token; a zero hash removes it. */
export function setDomain(issuance: Entry, domainId: Hex): void {
  if (domainId === HASH_ZERO) delete issuance.DomainID;
  else issuance.DomainID = domainId;
}

function permissionSet(_view: ReadView, tx: Readonly<TransactionFields>, delegate: Readonly<Entry>): Result {
  const granted = new Set((delegate.Permissions ?? []).map((element) => element.Permission?.PermissionValue));
  if (hasAny(tx.Flags, Tf.tfMPTLock) && !granted.has(Permission.mptokenIssuanceLock))
    return 'terNO_DELEGATE_PERMISSION';
  if (hasAny(tx.Flags, Tf.tfMPTUnlock) && !granted.has(Permission.mptokenIssuanceUnlock))
    return 'terNO_DELEGATE_PERMISSION';
  const locks = granted.has(Permission.mptokenIssuanceLock) || granted.has(Permission.mptokenIssuanceUnlock);
  // The granular permissions cover only lock and unlock.
  return locks && tx.DomainID === undefined && !isChange(tx) ? 'tesSUCCESS' : 'terNO_DELEGATE_PERMISSION';
}

function preclaimDestroy(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const issuance = view.read(issuanceKey(tx.MPTokenIssuanceID as Hex));
  if (issuance === undefined) return 'tecOBJECT_NOT_FOUND';
  if (issuance.Issuer !== tx.Account) return 'tecNO_PERMISSION';
  if ((issuance.OutstandingAmount ?? 0n) !== 0n) return 'tecHAS_OBLIGATIONS';
  if ((issuance.LockedAmount ?? 0n) !== 0n) return 'tecHAS_OBLIGATIONS';
  return 'tesSUCCESS';
}

function applyDestroy({ view, tx, account }: ApplyContext): Result {
  const issuance = view.read(issuanceKey(tx.MPTokenIssuanceID as Hex));
  return issuance?.Issuer === account ? deleteOwned(view, account, issuance) : 'tecINTERNAL';
}

export const mptokenIssuanceCreate: Rule = {
  type: 'MPTokenIssuanceCreate',
  amendment: 'MPTokensV1',
  flags: CREATE_FLAGS | CONFIDENTIAL,
  preflight: preflightCreate,
  apply: applyCreate,
};

export const mptokenIssuanceSet: Rule = {
  type: 'MPTokenIssuanceSet',
  amendment: 'MPTokensV1',
  flags: LOCK_FLAGS | CAPABILITY_FLAGS,
  preflight: preflightSet,
  preclaim: preclaimSet,
  apply: applySet,
  permission: permissionSet,
};

export const mptokenIssuanceDestroy: Rule = {
  type: 'MPTokenIssuanceDestroy',
  amendment: 'MPTokensV1',
  flags: 0,
  preclaim: preclaimDestroy,
  apply: applyDestroy,
};
