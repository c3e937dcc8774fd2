/**
 * Signatures: that they cover this transaction (checked without the ledger), and that the keys may sign for the account
 * (checked against the ledger).
 *
 *     SigningPubKey filled          one signature: the master key if it is not disabled, or the regular key
 *     SigningPubKey empty, Signers  each of a member of the account's signer list; their weights reach the quorum
 *
 * A member of a list signs with its own master or regular key; an account that does not exist with its master key.
 * Rules: rippled `STTx.cpp`, `Transactor::checkSign`, `checkMultiSign`.
 */

import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { accountOfKey } from '../../engine/codec/public-keys.ts';
import { isPseudoAccountEntry } from '../assets/pseudo-accounts.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Entry, Fields, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import { multiSigningBytes, signingBytes } from '../protocol/keys.ts';
import type { Result } from '../protocol/results.ts';
import type { Verify } from './environment.ts';

/** Signers of one transaction or batch signer (amendment ExpandedSignerList). */
export const SIGNERS_MAX = 32;

const PUBLIC_KEY = /^(ED|02|03)[0-9A-F]{64}$/;

/** Whether this is a public key of a supported type. */
export const isPublicKey = (key: Hex): boolean => PUBLIC_KEY.test(key);

/** An object with signatures: a transaction, or a batch signer. */
export type Signed = Pick<Fields, 'SigningPubKey' | 'TxnSignature' | 'Signers'>;

/**
 * Order and signatures of a `Signers` array.
 * @param messageFor the bytes that each member signs. @param forbidden the account that may not be among its own signers.
 */
export function signersProblem(
  signed: Readonly<Signed>,
  forbidden: AccountId | undefined,
  messageFor: (account: AccountId) => Uint8Array,
  verify: Verify | undefined,
): string | undefined {
  if (signed.Signers === undefined) return 'Empty SigningPubKey.';
  if (signed.TxnSignature !== undefined) return 'Cannot both single- and multi-sign.';
  if (signed.Signers.length < 1 || signed.Signers.length > SIGNERS_MAX) return 'Invalid Signers array size.';
  let last: AccountId = '';
  for (const { Signer } of signed.Signers) {
    const account = Signer?.Account;
    if (account === undefined || account === forbidden) return 'Invalid multisigner.';
    if (account === last) return 'Duplicate Signers not allowed.';
    if (account < last) return 'Unsorted Signers array.';
    last = account;
    const key = Signer?.SigningPubKey ?? '';
    if (!isPublicKey(key) || (verify && !verify(key, messageFor(account), Signer?.TxnSignature ?? ''))) {
      return `Invalid signature on account ${account}.`;
    }
  }
  return undefined;
}

/** What is wrong with a transaction's own signatures, in rippled's words; undefined if they are valid. */
export function signatureProblem(
  tx: Readonly<TransactionFields>,
  verify: Verify | undefined,
): string | undefined {
  const key = tx.SigningPubKey ?? '';
  if (key === '') return signersProblem(tx, tx.Account, (account) => multiSigningBytes(tx, account), verify);
  if (tx.Signers !== undefined) return 'Cannot both single- and multi-sign.';
  if (verify && !verify(key, signingBytes(tx), tx.TxnSignature ?? '')) return 'Invalid signature.';
  return undefined;
}

/** Whether one key may sign for an account that exists. */
function checkSingle(account: Readonly<Entry>, signer: AccountId): Result {
  if (account.RegularKey === signer) return 'tesSUCCESS';
  if (account.Account !== signer) return 'tefBAD_AUTH';
  return hasAny(account.Flags, Lsf.lsfDisableMaster) ? 'tefMASTER_DISABLED' : 'tesSUCCESS';
}

/** Whether a member of a signer list signed with a key of its own. */
function checkMember(view: ReadView, member: AccountId, key: Hex): Result {
  // An empty key is a dry run: the member is assumed to sign with its master key.
  const signer = key === '' ? member : accountOfKey(key);
  const account = view.read(keylets.account(member));
  if (signer === member) {
    return account && hasAny(account.Flags, Lsf.lsfDisableMaster) ? 'tefMASTER_DISABLED' : 'tesSUCCESS';
  }
  return account?.RegularKey === signer ? 'tesSUCCESS' : 'tefBAD_SIGNATURE';
}

function checkSigners(view: ReadView, account: AccountId, signers: readonly Fields[]): Result {
  const list = view.read(keylets.signerList(account));
  if (list === undefined) return 'tefNOT_MULTI_SIGNING';
  const weights = new Map(
    (list.SignerEntries ?? []).map(({ SignerEntry: entry }) => [entry?.Account, entry?.SignerWeight]),
  );
  let sum = 0;
  for (const { Signer } of signers) {
    const member = Signer?.Account as AccountId;
    const weight = weights.get(member);
    const key = Signer?.SigningPubKey ?? '';
    if (weight === undefined || (key !== '' && !isPublicKey(key))) return 'tefBAD_SIGNATURE';
    const result = checkMember(view, member, key);
    if (result !== 'tesSUCCESS') return result;
    sum += weight;
  }
  return sum < (list.SignerQuorum ?? 0) ? 'tefBAD_QUORUM' : 'tesSUCCESS';
}

/**
 * Whether the signers may sign for `account`.
 * @param simulated a dry run without signatures passes.
 * @param mayBeNew an account that does not exist yet may sign with its own master key (inner accounts of a batch).
 */
export function checkSigning(
  view: ReadView,
  account: AccountId,
  signed: Readonly<Signed>,
  { simulated = false, mayBeNew = false }: { readonly simulated?: boolean; readonly mayBeNew?: boolean } = {},
): Result {
  const root = view.read(keylets.account(account));
  if (root && isPseudoAccountEntry(root)) return 'tefBAD_AUTH';
  const key = signed.SigningPubKey ?? '';
  if (simulated && key === '' && signed.Signers === undefined) return 'tesSUCCESS';
  if (signed.Signers !== undefined) return checkSigners(view, account, signed.Signers);
  if (!isPublicKey(key)) return 'tefBAD_AUTH';
  const signer = accountOfKey(key);
  if (root !== undefined) return checkSingle(root, signer);
  if (!mayBeNew) return 'terNO_ACCOUNT';
  return signer === account ? 'tesSUCCESS' : 'tefBAD_AUTH';
}
