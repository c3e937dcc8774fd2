/**
 * Checks of a Batch (XLS-56) that involve its inner transactions: their form, and that every account that acts in them
 * has signed. The signature for an inner account covers the batch's own sequence (account and number), its flags, the
 * hashes of all inner transactions, and the account signed for, so that it cannot be reused in another batch. Rules:
 * rippled `Batch.cpp`, `STTx::checkBatchSign` (amendment BatchV1_1).
 */

import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { bytesOf } from '../../engine/codec/bytes.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Fields, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Tf } from '../protocol/flags.ts';
import type { Result } from '../protocol/results.ts';
import { sequenceOf } from '../protocol/sequence.ts';
import type { Verify } from './environment.ts';
import { checkSigning, isPublicKey, type Signed, signersProblem } from './signatures.ts';
import { transactionOfFields } from './transaction.ts';

/** Maximum number of batch signers. */
const BATCH_SIGNERS_MAX = 8;
/** Types that are not allowed in a batch yet. */
const EXCLUDED = /^(Vault|Loan)/;
const PREFIX = 'BCH\0';

/** The inner transactions of a batch. */
export const innerFields = (tx: Readonly<Fields>): TransactionFields[] =>
  (tx.RawTransactions ?? []).map(({ RawTransaction }) => RawTransaction as TransactionFields);

function unsignedInner(signed: Readonly<Signed>): Result {
  if (signed.TxnSignature !== undefined) return 'temBAD_SIGNATURE';
  if (signed.Signers !== undefined) return 'temBAD_SIGNER';
  return (signed.SigningPubKey ?? '') === '' ? 'tesSUCCESS' : 'temBAD_REGKEY';
}

/** Checks the form of one inner transaction. `preflight` is that of its own type. */
function checkInner(inner: Readonly<TransactionFields>, preflight: () => Result): Result {
  if (inner.TransactionType === 'Batch') return 'temINVALID';
  if (EXCLUDED.test(inner.TransactionType)) return 'temINVALID_INNER_BATCH';
  if (!hasAny(inner.Flags, Tf.tfInnerBatchTxn)) return 'temINVALID_FLAG';
  const signed = unsignedInner(inner);
  if (signed !== 'tesSUCCESS') return signed;
  if (inner.Fee === undefined || !inner.Fee.isNative || !inner.Fee.isZero) return 'temBAD_FEE';
  if (preflight() !== 'tesSUCCESS') return 'temINVALID_INNER_BATCH';
  const hasTicket = inner.TicketSequence !== undefined;
  return hasTicket === ((inner.Sequence ?? 0) === 0) ? 'tesSUCCESS' : 'temSEQ_AND_TICKET';
}

/** Checks the form of all inner transactions. */
export function batchPreflight(
  tx: Readonly<TransactionFields>,
  _rules: Rules,
  preflight: (inner: Readonly<TransactionFields>, parent: Hex) => Result,
): Result {
  const parent = transactionOfFields(tx).hash;
  const hashes = new Set<Hex>();
  const places = new Set<string>();
  // If the first failure ends the batch, two transactions with the same sequence can never both be meant.
  const placesDiffer = hasAny(tx.Flags, Tf.tfAllOrNothing | Tf.tfUntilFailure);
  for (const inner of innerFields(tx)) {
    const { hash } = transactionOfFields(inner);
    if (hashes.has(hash)) return 'temREDUNDANT';
    hashes.add(hash);
    const result = checkInner(inner, () => preflight(inner, parent));
    if (result !== 'tesSUCCESS') return result;
    const place = `${inner.Account} ${sequenceOf(inner)}`;
    if (placesDiffer && places.has(place)) return 'temREDUNDANT';
    places.add(place);
  }
  return 'tesSUCCESS';
}

const u32 = (value: number): Uint8Array => {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
};

/**
 * The bytes that are signed for an inner account.
 * @param signer the member of the account's signer list that signs; absent for the account's own key.
 */
export function batchSigningBytes(
  tx: Readonly<TransactionFields>,
  account: AccountId,
  signer?: AccountId,
): Uint8Array {
  const hashes = innerFields(tx).map((inner) => transactionOfFields(inner).hash);
  const parts = [
    Uint8Array.from(PREFIX, (letter) => letter.charCodeAt(0)),
    bytesOf(tx.Account),
    u32(sequenceOf(tx)),
    u32(tx.Flags ?? 0),
    u32(hashes.length),
    ...hashes.map((hash) => bytesOf(hash)),
    bytesOf(account),
    bytesOf(signer ?? ''),
  ];
  return new Uint8Array(Buffer.concat(parts));
}

function signerProblem(
  tx: Readonly<TransactionFields>,
  signer: Readonly<Fields>,
  verify: Verify | undefined,
): string | undefined {
  const account = signer.Account as AccountId;
  const key = signer.SigningPubKey ?? '';
  if (key === '')
    return signersProblem(signer, account, (member) => batchSigningBytes(tx, account, member), verify);
  if (signer.Signers !== undefined) return 'Cannot both single- and multi-sign.';
  const good =
    isPublicKey(key) && (!verify || verify(key, batchSigningBytes(tx, account), signer.TxnSignature ?? ''));
  return good ? undefined : 'Invalid signature.';
}

/** What is wrong with the signatures of a batch's signers; undefined if they are valid. */
export function batchSignaturesProblem(
  tx: Readonly<TransactionFields>,
  verify: Verify | undefined,
): string | undefined {
  for (const { BatchSigner } of tx.BatchSigners ?? []) {
    const problem = signerProblem(tx, BatchSigner ?? {}, verify);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Whether exactly the accounts that act in the batch, apart from its own, have signed it. */
export function batchSignersPreflight(tx: Readonly<TransactionFields>): Result {
  const required = new Set<AccountId>();
  for (const inner of innerFields(tx)) {
    for (const account of [inner.Delegate ?? inner.Account, inner.Counterparty]) {
      if (account !== undefined && account !== tx.Account) required.add(account);
    }
  }
  const signers = tx.BatchSigners ?? [];
  if (signers.length > BATCH_SIGNERS_MAX) return 'temARRAY_TOO_LARGE';
  for (const { BatchSigner } of signers) {
    // Also refuses the outer account and duplicates.
    if (!required.delete(BatchSigner?.Account as AccountId)) return 'temBAD_SIGNER';
  }
  return required.size === 0 ? 'tesSUCCESS' : 'temBAD_SIGNER';
}

/** Whether the keys of a batch's signers may sign for their accounts. */
export function checkBatchSigners(
  view: ReadView,
  tx: Readonly<TransactionFields>,
  simulated: boolean,
): Result {
  for (const { BatchSigner } of tx.BatchSigners ?? []) {
    // An earlier inner transaction may create the account.
    const result = checkSigning(view, BatchSigner?.Account as AccountId, BatchSigner ?? {}, {
      simulated,
      mayBeNew: true,
    });
    if (result !== 'tesSUCCESS') return result;
  }
  return 'tesSUCCESS';
}
