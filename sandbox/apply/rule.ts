/**
 * The rule of one transaction type, in the stages of rippled's transactors: checks of the transaction alone, checks that
 * read the ledger, and the changes.
 */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import type { Result } from '../protocol/results.ts';

export interface ApplyContext {
  /** The transaction's own view. The fee is charged, sequence or ticket used, the account's entry written. */
  readonly view: ApplyView;
  readonly tx: Readonly<TransactionFields>;
  readonly hash: Hex;
  /** `tx.Account`. */
  readonly account: AccountId;
  /** XRP balance of the account before the fee, in drops (rippled `mPriorBalance`). */
  readonly priorBalance: bigint;
  /** Records `DeliveredAmount`. */
  deliver(amount: Amount): void;
}

export interface Rule {
  readonly type: string;
  /** The amendment that introduced the type; without it `temDISABLED`. */
  readonly amendment?: string;
  /** Flags of the type besides the universal ones; others are `temINVALID_FLAG`. A function when it depends on the rules. */
  readonly flags: number | ((tx: Readonly<TransactionFields>, rules: Rules) => number);
  /** May be signed by a delegate (rippled `Delegation::delegatable`). Default true. */
  readonly delegable?: boolean;
  /** Blocks later transactions of the account in the queue (rippled `TxConsequences::blocker`). */
  readonly blocker?: boolean | ((tx: Readonly<TransactionFields>) => boolean);
  /** Maximum XRP in drops that it can spend apart from its fee (rippled `TxConsequences::potentialSpend`). */
  spends?(tx: Readonly<TransactionFields>): bigint;
  /** The minimum fee, in drops, when it differs from the base fee with signers. */
  baseFee?(view: ReadView, tx: Readonly<TransactionFields>, usual: bigint): bigint;
  /** Checks of the transaction alone. `tesSUCCESS` to go on. */
  preflight?(tx: Readonly<TransactionFields>, rules: Rules): Result;
  /** Checks that read the ledger the transaction is applied to. */
  preclaim?(view: ReadView, tx: Readonly<TransactionFields>): Result;
  /** Makes the changes. A `tec` result undoes everything but the fee, except what the type's `cleansUp` names. */
  apply(context: ApplyContext): Result;
  /** Checks a delegate that has only granular permissions (rippled `checkPermission`). */
  permission?(view: ReadView, tx: Readonly<TransactionFields>, delegate: Readonly<Entry>): Result;
}
