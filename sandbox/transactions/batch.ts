/**
 * Batch (XLS-56): up to eight transactions of one or more accounts, applied together in one of four ways. Its own rule
 * does nothing: the inner transactions are applied after it, each with its own index in the ledger; apply/batch.ts and
 * apply/batch-checks.ts do that. Rules: rippled `Batch.cpp`.
 */
import type { Rule } from '../apply/rule.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Fields, TransactionFields } from '../protocol/fields.ts';
import { hasAny, hasOne, Tf } from '../protocol/flags.ts';
import type { Result } from '../protocol/results.ts';

const MODES = Tf.tfAllOrNothing | Tf.tfOnlyOne | Tf.tfUntilFailure | Tf.tfIndependent;
const INNER_MAX = 8;

function preflight(tx: Readonly<TransactionFields>): Result {
  if (!hasOne(tx.Flags, MODES) || hasAny(tx.Flags, Tf.tfInnerBatchTxn)) return 'temINVALID_FLAG';
  const count = tx.RawTransactions?.length ?? 0;
  if (count <= 1) return 'temARRAY_EMPTY';
  return count > INNER_MAX ? 'temARRAY_TOO_LARGE' : 'tesSUCCESS';
}

/** Signatures of batch signers that have to be verified. */
const signatures = ({ BatchSigner: signer }: Fields): number =>
  signer?.TxnSignature === undefined ? (signer?.Signers?.length ?? 0) : 1;

/**
 * One base fee for the batch itself, the fees of the inner transactions and one base fee for every batch signature,
 * on top of what the outer transaction costs.
 * @param feeOf the base fee of an inner transaction, by its type.
 */
export function batchRule(feeOf: (view: ReadView, inner: Readonly<TransactionFields>) => bigint): Rule {
  return {
    type: 'Batch',
    amendment: 'BatchV1_1',
    flags: MODES,
    delegable: false,
    preflight,
    baseFee(view, tx, usual) {
      const inner = (tx.RawTransactions ?? []).reduce(
        (sum, { RawTransaction }) => sum + feeOf(view, RawTransaction as TransactionFields),
        0n,
      );
      const signed = (tx.BatchSigners ?? []).reduce((sum, signer) => sum + signatures(signer), 0);
      return usual + view.fees.base + inner + BigInt(signed) * view.fees.base;
    },
    apply: () => 'tesSUCCESS',
  };
}
