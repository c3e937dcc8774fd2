/** Inputs for applying transactions, apart from the ledger. */
import type { Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { Fields, TransactionFields } from '../protocol/fields.ts';
import type { Result } from '../protocol/results.ts';

/** A transaction in its three forms. */
export interface ParsedTransaction {
  readonly fields: Readonly<TransactionFields>;
  /** As signed and stored. */
  readonly blob: Uint8Array;
  /** Its id: hash of the blob. */
  readonly hash: Hex;
}

/** Whether a signature (hex) over `message` was made by the holder of a public key (hex). */
export type Verify = (publicKey: Hex, message: Uint8Array, signature: Hex) => boolean;

export interface ApplyOptions {
  /** The network's id: above 1024 transactions must contain it, below they must not. */
  readonly networkId: number;
  /** Checks signatures; without it they are assumed valid (keys and signer lists are checked all the same). */
  readonly verify?: Verify | undefined;
  /** The caller has run `preflight` successfully for this transaction under the same rules. */
  readonly preflighted?: boolean;
  /** Dry run: nothing becomes part of the ledger, but metadata is written. */
  readonly simulate?: boolean;
  /** A `tec` result is not final yet: no fee is claimed, the transaction will be tried again (rippled `tapRETRY`). */
  readonly retry?: boolean;
  /** A `tec` result must do nothing at all (rippled `tapFAIL_HARD`). */
  readonly failHard?: boolean;
  /** Index of the transaction in its ledger. Default 0. */
  readonly index?: number;
  /** What an open ledger asks for a base fee under load, in drops. Default: the base fee. */
  readonly requiredFee?: (baseFee: bigint) => bigint;
  /** Whether the ledger has a transaction of this hash. */
  readonly known?: (hash: Hex) => boolean;
  /** Hash of the Batch this is an inner transaction of. */
  readonly parentBatchId?: Hex;
}

export interface Outcome {
  readonly result: Result;
  /** Whether the ledger changed, so that the transaction belongs to it (not with `simulate`). */
  readonly applied: boolean;
  /** Fee charged, in drops. */
  readonly fee: bigint;
  /** Metadata; absent for open ledgers and for transactions that were not applied. */
  readonly metadata?: Fields;
  /** The applied inner transactions of a Batch, in order; they follow it in the ledger. */
  readonly inner?: readonly AppliedTransaction[];
}

export interface AppliedTransaction {
  readonly transaction: ParsedTransaction;
  readonly outcome: Outcome;
}
