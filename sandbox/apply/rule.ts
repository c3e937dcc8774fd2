/**
 * The rule of one transaction type, as rippled's transactors split it: what can be told from the transaction alone,
 * what can be told by reading the ledger, and what is done to it.
 */
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Amount } from '../protocol/amount.ts';
import type { AccountId, Hex } from '../protocol/asset.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import type { Result } from '../protocol/results.ts';

export interface ApplyContext {
  /** The transaction's own view. The fee is taken, sequence or ticket used, the account's entry written. */
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
  /** The amendment that brought the type; without it `temDISABLED`. */
  readonly amendment?: string;
  /** Flags the type knows besides the universal ones; others are `temINVALID_FLAG`. A function when it depends on rules. */
  readonly flags: number | ((tx: Readonly<TransactionFields>, rules: Rules) => number);
  /** May be signed by a delegate (rippled `Delegation::delegatable`). Default true. */
  readonly delegable?: boolean;
  /** Blocks later transactions of the account in the queue (rippled `TxConsequences::blocker`). */
  readonly blocker?: boolean | ((tx: Readonly<TransactionFields>) => boolean);
  /** Most XRP in drops the transaction can spend beside its fee (rippled `TxConsequences::potentialSpend`). */
  spends?(tx: Readonly<TransactionFields>): bigint;
  /** What the transaction must pay at least, in drops, when it is not the base fee with its signers. */
  baseFee?(view: ReadView, tx: Readonly<TransactionFields>, usual: bigint): bigint;
  /** From the transaction alone. `tesSUCCESS` to go on. */
  preflight?(tx: Readonly<TransactionFields>, rules: Rules): Result;
  /** By reading the ledger the transaction is applied to. */
  preclaim?(view: ReadView, tx: Readonly<TransactionFields>): Result;
  /** Does it. A `tec` result undoes everything but the fee, save what the type's `cleansUp` names. */
  apply(context: ApplyContext): Result;
  /** What a delegate holding only granular permissions may do (rippled `checkPermission`). */
  permission?(view: ReadView, tx: Readonly<TransactionFields>, delegate: Readonly<Entry>): Result;
}
