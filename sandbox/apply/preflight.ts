/**
 * Checks of a transaction without the ledger, under the enabled amendments: its type is known, its common fields are
 * valid, its type's `preflight`, its signatures. Order and results as in rippled `Transactor::invokePreflight`.
 */

import { DROPS_MAX } from '../../engine/codec/arithmetic/amount.ts';
import { ACCOUNT_ZERO } from '../../engine/codec/arithmetic/asset.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import { hasAny, Tf, UNIVERSAL_FLAGS } from '../protocol/flags.ts';
import { checkFormat } from '../protocol/formats.ts';
import { hasGranular } from '../protocol/permissions.ts';
import type { Result } from '../protocol/results.ts';
import { usesTicket } from '../protocol/sequence.ts';
import { RULES } from '../transactions/index.ts';
import { batchPreflight, batchSignaturesProblem, batchSignersPreflight } from './batch-checks.ts';
import { delegationEnabled } from './delegation.ts';
import type { ApplyOptions } from './environment.ts';
import { localProblem } from './local-checks.ts';
import type { Rule } from './rule.ts';
import { isPublicKey, signatureProblem } from './signatures.ts';

/** Networks up to this id have no `NetworkID` in their transactions. */
const LEGACY_NETWORKS = 1024;

/** Whether the transactions of a network contain its id. */
export const isNamed = (networkId: number): boolean => networkId > LEGACY_NETWORKS;

function checkNetwork(tx: Readonly<TransactionFields>, networkId: number): Result {
  if (!isNamed(networkId)) {
    return tx.NetworkID === undefined ? 'tesSUCCESS' : 'telNETWORK_ID_MAKES_TX_NON_CANONICAL';
  }
  if (tx.NetworkID === undefined) return 'telREQUIRES_NETWORK_ID';
  return tx.NetworkID === networkId ? 'tesSUCCESS' : 'telWRONG_NETWORK';
}

function checkDelegate(tx: Readonly<TransactionFields>, rules: Rules, rule: Rule): Result {
  if (tx.Delegate === undefined) return 'tesSUCCESS';
  if (!delegationEnabled(rules)) return 'temDISABLED';
  if (tx.Delegate === tx.Account) return 'temBAD_SIGNER';
  return rule.delegable === false && !hasGranular(rule.type) ? 'temINVALID' : 'tesSUCCESS';
}

function unknownFlags(tx: Readonly<TransactionFields>, rules: Rules, rule: Rule): boolean {
  const own = typeof rule.flags === 'function' ? rule.flags(tx, rules) : rule.flags;
  return ((tx.Flags ?? 0) & ~(own | UNIVERSAL_FLAGS)) !== 0;
}

/** Checks the fields that all transactions have. */
function preflightCommon(
  tx: Readonly<TransactionFields>,
  rules: Rules,
  rule: Rule,
  options: ApplyOptions,
): Result {
  const delegate = checkDelegate(tx, rules, rule);
  if (delegate !== 'tesSUCCESS') return delegate;
  const network = checkNetwork(tx, options.networkId);
  if (network !== 'tesSUCCESS') return network;
  if (unknownFlags(tx, rules, rule)) return 'temINVALID_FLAG';
  if (tx.Account === ACCOUNT_ZERO) return 'temBAD_SRC_ACCOUNT';
  const fee = tx.Fee;
  if (fee === undefined || !fee.isNative || fee.drops < 0n || fee.drops > DROPS_MAX) return 'temBAD_FEE';
  const key = tx.SigningPubKey ?? '';
  if (key !== '' && !isPublicKey(key)) return 'temBAD_SIGNATURE';
  if (usesTicket(tx) && tx.AccountTxnID !== undefined) return 'temINVALID';
  const inner = hasAny(tx.Flags, Tf.tfInnerBatchTxn);
  if (inner && !rules.enabled('BatchV1_1')) return 'temINVALID_FLAG';
  if (inner !== (options.parentBatchId !== undefined)) return 'temINVALID_INNER_BATCH';
  // Sponsored fees and reserves are not implemented.
  if (tx.Sponsor !== undefined || tx.SponsorFlags !== undefined || tx.SponsorSignature !== undefined) {
    return 'temDISABLED';
  }
  return 'tesSUCCESS';
}

/** A simulated transaction carries no signatures; it may name signers, but not be single- and multi-signed. */
function preflightSimulated(tx: Readonly<TransactionFields>): Result {
  if ((tx.TxnSignature ?? '') !== '') return 'temINVALID';
  if (tx.Signers === undefined) return 'tesSUCCESS';
  if (tx.Signers.some(({ Signer }) => (Signer?.TxnSignature ?? '') !== '')) return 'temINVALID';
  return (tx.SigningPubKey ?? '') === '' ? 'tesSUCCESS' : 'temINVALID';
}

function preflightSignatures(tx: Readonly<TransactionFields>, rules: Rules, options: ApplyOptions): Result {
  if (options.parentBatchId !== undefined) return 'tesSUCCESS';
  if (options.simulate) return preflightSimulated(tx);
  if (signatureProblem(tx, options.verify) !== undefined) return 'temINVALID';
  if (tx.TransactionType === 'Batch' && batchSignaturesProblem(tx, options.verify) !== undefined)
    return 'temINVALID';
  return localProblem(tx, rules) === undefined ? 'tesSUCCESS' : 'temINVALID';
}

function preflightRule(
  tx: Readonly<TransactionFields>,
  rules: Rules,
  rule: Rule,
  options: ApplyOptions,
): Result {
  const result = rule.preflight?.(tx, rules) ?? 'tesSUCCESS';
  if (result !== 'tesSUCCESS' || rule.type !== 'Batch') return result;
  return batchPreflight(tx, rules, (inner, hash) =>
    checked(inner, rules, { ...options, parentBatchId: hash }),
  );
}

function checked(tx: Readonly<TransactionFields>, rules: Rules, options: ApplyOptions): Result {
  const rule = RULES.get(tx.TransactionType);
  if (rule === undefined || (rule.amendment !== undefined && !rules.enabled(rule.amendment)))
    return 'temDISABLED';
  // A node rejects such a transaction while reading it; one within a batch gets as far as this.
  if (checkFormat(tx, 'transaction') !== undefined) return 'temMALFORMED';
  const common = preflightCommon(tx, rules, rule, options);
  if (common !== 'tesSUCCESS') return common;
  const own = preflightRule(tx, rules, rule, options);
  if (own !== 'tesSUCCESS') return own;
  const signed = preflightSignatures(tx, rules, options);
  if (signed !== 'tesSUCCESS') return signed;
  return rule.type === 'Batch' && !options.simulate ? batchSignersPreflight(tx) : 'tesSUCCESS';
}

/** `tesSUCCESS` when the transaction may go on to `preclaim`. Never throws: an exception in a rule gives `tefEXCEPTION`. */
export function preflight(tx: Readonly<TransactionFields>, rules: Rules, options: ApplyOptions): Result {
  try {
    return checked(tx, rules, options);
  } catch {
    return 'tefEXCEPTION';
  }
}
