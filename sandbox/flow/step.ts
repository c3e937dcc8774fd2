/**
 * One step of a strand: from account to account over a trust line, through the offers between two assets, or XRP in or
 * out at an end.
 *
 *     Alice --USD--> gateway --book USD/EUR--> other gateway --EUR--> Bob
 *           direct             book                          direct
 *
 * A strand is asked backwards (what must go in for this to come out) and then, from the step that limits it, forwards.
 * Amounts are handed on in each step's own asset: the receiver relabels them, only the number counts.
 * Rules: rippled `Steps.h`.
 */
import type { ReadView } from '../ledger/view.ts';
import type { Amount } from '../protocol/amount.ts';
import type { AccountId, Asset, Hex } from '../protocol/asset.ts';
import type { InOut } from '../protocol/quality.ts';
import type { Result } from '../protocol/results.ts';
import type { AmmContext } from './amm-context.ts';
import type { PaymentView } from './payment-view.ts';
import type { QualityFunction } from './quality-function.ts';

export type { InOut };

/** Whether the sender of a step pays back what the receiver owes it or what it issued itself. */
export type Debt = 'redeems' | 'issues';
export type Direction = 'reverse' | 'forward';
/** `sell`: the taker gives all it offers even for more than it asked. */
export type Crossing = 'no' | 'yes' | 'sell';

export interface OrderBook {
  readonly in: Asset;
  readonly out: Asset;
  /** The permissioned domain whose offers are meant; none: the open book. */
  readonly domain?: Hex | undefined;
}

/** Best quality a step can have (undefined: it is dry) and which way its debt runs. */
export interface Bound {
  /** As stored in book directories: input for output, lower is better. */
  readonly quality: bigint | undefined;
  readonly debt: Debt;
}

export interface Step {
  readonly kind: 'direct' | 'xrp' | 'book';
  /** The two accounts the step leads between; for a book the issuers of its assets. */
  readonly from: AccountId;
  readonly to: AccountId;
  /** The book of a book step. */
  readonly book?: OrderBook;
  /** What the last run of the step took and gave. */
  readonly flown: InOut | undefined;
  /** A pool takes part: the quality depends on how much is taken. */
  readonly pooled: boolean;
  /** Too many offers were consumed: no more is to be had here. */
  readonly inactive: boolean;
  /** Offers that the last run looked at. */
  readonly offersUsed: number;
  /**
   * How much must go in for `out`. `before` is the state before the strand, which tells offers found without funds
   * from offers that lost them to this payment; what is found so is added to `removals`.
   */
  rev(view: PaymentView, before: PaymentView, removals: Set<Hex>, out: Amount): InOut;
  /** How much comes out for `input`. Only after `rev`. */
  fwd(view: PaymentView, before: PaymentView, removals: Set<Hex>, input: Amount): InOut;
  debt(view: ReadView, direction: Direction): Debt;
  bound(view: ReadView, previous: Debt): Bound;
  /** Average quality as a function of output; undefined when the step is dry. */
  qualityFunction(view: ReadView, previous: Debt): QualityFunction | undefined;
  /** Quality the receiver grants on its trust line, per billion. */
  lineQualityIn(view: ReadView): number;
  equals(other: Step): boolean;
}

/** What a step is made from. */
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

/** A step, or why it cannot be taken. */
export type Made = Step | { readonly failure: Result };

/** Thrown when a strand breaks in the middle; the strand is then dry (rippled `FlowException`). */
export class FlowError extends Error {
  constructor(
    readonly result: Result,
    message: string,
  ) {
    super(message);
  }
}
