/** A step of a strand: through a book, or at an end of the payment. */
import type { Amount } from '../codec/arithmetic/amount.ts';
import type { InOut } from '../codec/arithmetic/quality.ts';
import type { PaymentState } from './payment-state.ts';

export interface Hop {
  /** Input and output of the last run. */
  readonly flown: InOut | undefined;
  /** Too many offers were looked at: nothing more is available here in this payment. */
  readonly inactive: boolean;
  /** Offers that the last run looked at. */
  readonly offersUsed: number;
  /**
   * The input that is needed for `out`.
   * @param before the payment before this trial: it shows which offers had no funds before
   * @param removals takes the offers that the payment removes even where this trial is dropped
   */
  rev(view: PaymentState, before: PaymentState, removals: Set<number>, out: Amount): InOut;
  /** The output for `input`. Only after `rev`. */
  fwd(view: PaymentState, before: PaymentState, removals: Set<number>, input: Amount): InOut;
  /** The best quality that it may have now, as books store it; undefined: it is dry. */
  bound(view: PaymentState): bigint | undefined;
}

/** A strand fails in the middle, and is then dry (rippled `FlowException`). */
export class HopError extends Error {
  override readonly name = 'HopError';
}

/** The ledger has a rule for this that quotes do not know: no quote may lead through here. */
export class UnsupportedError extends Error {
  override readonly name = 'UnsupportedError';
}
