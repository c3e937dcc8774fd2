/**
 * The open ledger: transactions are applied to the newest closed ledger in the order they come, to answer at once with
 * their likely result. The applied ones are the set that the next closed ledger is built from, in canonical order;
 * the state of the open ledger is discarded.
 */

import type { Hex } from '../../engine/codec/arithmetic/asset.ts';
import { nextResolution } from '../ledger/close-time.ts';
import type { ClosedLedger } from '../ledger/ledger.ts';
import { EntryTable } from '../ledger/tables.ts';
import type { ApplyOptions, Outcome, ParsedTransaction } from './environment.ts';
import { applyTransaction } from './transactor.ts';

/** Options for trying a transaction. */
export type TryOptions = Pick<ApplyOptions, 'failHard' | 'preflighted' | 'retry'>;

export class OpenLedger {
  readonly view: EntryTable;
  readonly #parent: ClosedLedger;
  readonly #options: ApplyOptions;
  readonly #transactions = new Map<Hex, ParsedTransaction>();

  constructor(parent: ClosedLedger, options: ApplyOptions) {
    const { header } = parent;
    const index = header.index + 1;
    this.#parent = parent;
    this.#options = options;
    this.view = new EntryTable(parent.view(), {
      open: true,
      header: {
        index,
        parentHash: parent.hash,
        parentCloseTime: header.closeTime,
        closeTime: header.closeTime + nextResolution(header.closeResolution, parent.closeTimeAgreed, index),
        totalDrops: header.totalDrops,
      },
    });
  }

  get index(): number {
    return this.view.header.index;
  }

  /** The closed ledger it is based on. */
  get parent(): ClosedLedger {
    return this.#parent;
  }

  /** Number of its transactions. */
  get count(): number {
    return this.#transactions.size;
  }

  has(hash: Hex): boolean {
    return this.#transactions.has(hash);
  }

  transaction(hash: Hex): ParsedTransaction | undefined {
    return this.#transactions.get(hash);
  }

  /** In the order in which they came. */
  transactions(): ParsedTransaction[] {
    return [...this.#transactions.values()];
  }

  /** Tries a transaction; when it is applied it becomes part of the ledger. */
  apply(transaction: ParsedTransaction, options: TryOptions = {}): Outcome {
    const outcome = this.#try(this.view, transaction, options);
    if (outcome.applied) this.#transactions.set(transaction.hash, transaction);
    return outcome;
  }

  /** How many of a series would be applied, one after the other, before the first failure. Nothing is kept. */
  applicable(series: readonly ParsedTransaction[]): number {
    const trial = new EntryTable(this.view);
    const failed = series.findIndex((each) => !this.#try(trial, each, { preflighted: true }).applied);
    return failed < 0 ? series.length : failed;
  }

  #try(view: EntryTable, transaction: ParsedTransaction, options: TryOptions): Outcome {
    return applyTransaction(view, transaction, {
      ...this.#options,
      ...options,
      index: this.count,
      known: (hash) => this.#transactions.has(hash),
    });
  }
}
