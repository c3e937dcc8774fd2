/**
 * One step of a strand: from account to account over a trust line, through the offers between two assets, or XRP in or
 * out at an end.
 *
 *     Alice --USD--> gateway --book USD/EUR--> other gateway --EUR--> Bob
 *           direct             book                          direct
 *
 * A strand runs in reverse (required input for an output) and then, from the limiting step, forward. Amounts are passed
 * on in each step's own asset: the receiver relabels them, only the number counts.
 * Rules: rippled `Steps.h`.
 */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId, Asset, Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { InOut } from '../../engine/codec/arithmetic/quality.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Result } from '../protocol/results.ts';
import type { AmmContext } from './amm-context.ts';
import type { PaymentView } from './payment-view.ts';
import type { QualityFunction } from './quality-function.ts';

export type { InOut };

/** Whether the sender of a step redeems the receiver's debt or issues its own. */
export type Debt = 'redeems' | 'issues';
export type Direction = 'reverse' | 'forward';
/** `sell`: the taker gives all it offers even if it receives more than it asked. */
export type Crossing = 'no' | 'yes' | 'sell';

export interface OrderBook {
  readonly in: Asset;
  readonly out: Asset;
  /** The permissioned domain of the book; none: the open book. */
  readonly domain?: Hex | undefined;
}

/** Best quality of a step (undefined: it is dry) and the direction of its debt. */
export interface Bound {
  /** As stored in book directories: input for output, lower is better. */
  readonly quality: bigint | undefined;
  readonly debt: Debt;
}

export interface Step {
  readonly kind: 'direct' | 'xrp' | 'book';
  /** The two accounts that the step connects; for a book the issuers of its assets. */
  readonly from: AccountId;
  readonly to: AccountId;
  /** The book of a book step. */
  readonly book?: OrderBook;
  /** Input and output of the last run of the step. */
  readonly flown: InOut | undefined;
  /** Whether a pool is used: then the quality depends on the amount. */
  readonly pooled: boolean;
  /** Too many offers were consumed: nothing more is available here. */
  readonly inactive: boolean;
  /** Offers that the last run looked at. */
  readonly offersUsed: number;
  /**
   * The input required for `out`. `before` is the state before the strand, which separates offers that had no funds before
   * from offers that lost them in this payment; the former are added to `removals`.
   */
  rev(view: PaymentView, before: PaymentView, removals: Set<Hex>, out: Amount): InOut;
  /** The output for `input`. Only after `rev`. */
  fwd(view: PaymentView, before: PaymentView, removals: Set<Hex>, input: Amount): InOut;
  debt(view: ReadView, direction: Direction): Debt;
  bound(view: ReadView, previous: Debt): Bound;
  /** Average quality as a function of output; undefined when the step is dry. */
  qualityFunction(view: ReadView, previous: Debt): QualityFunction | undefined;
  /** Quality that the receiver set on its trust line, per billion. */
  lineQualityIn(view: ReadView): number;
  equals(other: Step): boolean;
}

/** Inputs for making a step. */
export interface StrandContext {
  readonly view: ReadView;
  readonly source: AccountId;
  readonly destination: AccountId;
  readonly deliver: Asset;
  readonly limitQuality: bigint | undefined;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly ownerPaysTransferFee: boolean;
  readonly crossing: Crossing;
  readonly isDefaultPath: boolean;
  readonly previous: Step | undefined;
  /** Assets that left (0) and reached (1) an account by direct steps of this strand. */
  readonly seenDirect: readonly [Set<Asset>, Set<Asset>];
  readonly seenBookOuts: Set<Asset>;
  readonly amm: AmmContext;
  readonly domain: Hex | undefined;
}

/** A step, or why it is not possible. */
export type Made = Step | { readonly failure: Result };

/** Thrown when a strand fails in the middle; the strand is then dry (rippled `FlowException`). */
export class FlowError extends Error {
  constructor(
    readonly result: Result,
    message: string,
  ) {
    super(message);
  }
}
