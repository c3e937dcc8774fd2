/**
 * XRP leaving its sender at the start of a strand, or reaching its receiver at the end. In between it has no owner.
 * Rules: rippled XRPEndpointStep.cpp.
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { PARITY } from '../../engine/codec/arithmetic/amount-arithmetic.ts';
import {
  ACCOUNT_ZERO,
  type AccountId,
  currencyOf,
  type Hex,
  isIssued,
  issuerOf,
  XRP,
} from '../../engine/codec/arithmetic/asset.ts';
import { QUALITY_ONE } from '../../engine/codec/arithmetic/quality.ts';
import { least } from '../../engine/codec/arithmetic/ratio.ts';
import { xrpLiquid } from '../assets/reserve.ts';
import { accountSend } from '../assets/send.ts';
import type { ReadView } from '../ledger/view.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { checkPathFreeze } from './path-checks.ts';
import type { PaymentView } from './payment-view.ts';
import { QualityFunction } from './quality-function.ts';
import type { Bound, Debt, InOut, Made, Step, StrandContext } from './step.ts';

const NOTHING: InOut = { in: Amount.drops(0n), out: Amount.drops(0n) };

export class XrpEndpointStep implements Step {
  readonly kind = 'xrp';
  readonly pooled = false;
  readonly inactive = false;
  readonly offersUsed = 0;
  readonly from: AccountId;
  readonly to: AccountId;
  readonly #account: AccountId;
  readonly #isLast: boolean;
  /** Reduction of the owner count: an offer may use the reserve of the line it is about to create. */
  readonly #reserveReduction: number;
  flown: InOut | undefined;

  private constructor(context: StrandContext, account: AccountId) {
    this.#account = account;
    this.#isLast = context.isLast;
    this.from = context.isLast ? ACCOUNT_ZERO : account;
    this.to = context.isLast ? account : ACCOUNT_ZERO;
    this.#reserveReduction =
      context.crossing !== 'no' && context.isFirst && makesLine(context, account) ? -1 : 0;
  }

  static make(context: StrandContext, account: AccountId): Made {
    if (account === ACCOUNT_ZERO) return { failure: 'temBAD_PATH' };
    const failure = check(context, account);
    return failure === 'tesSUCCESS' ? new XrpEndpointStep(context, account) : { failure };
  }

  rev(view: PaymentView, _before: PaymentView, _removals: Set<Hex>, out: Amount): InOut {
    return this.#move(view, out);
  }

  fwd(view: PaymentView, _before: PaymentView, _removals: Set<Hex>, input: Amount): InOut {
    return this.#move(view, input);
  }

  debt(): Debt {
    return 'issues';
  }

  bound(): Bound {
    return { quality: QUALITY_ONE, debt: 'issues' };
  }

  qualityFunction(view: ReadView): QualityFunction | undefined {
    return QualityFunction.constant(view.rules, QUALITY_ONE);
  }

  lineQualityIn(): number {
    return PARITY;
  }

  equals(other: Step): boolean {
    return (
      other instanceof XrpEndpointStep && other.#account === this.#account && other.#isLast === this.#isLast
    );
  }

  #move(view: PaymentView, wanted: Amount): InOut {
    const amount = this.#isLast
      ? wanted
      : least(xrpLiquid(view, this.#account, this.#reserveReduction), wanted);
    if (accountSend(view, this.from, this.to, amount) !== 'tesSUCCESS') return NOTHING;
    this.flown = { in: amount, out: amount };
    return this.flown;
  }
}

function makesLine({ view, deliver }: StrandContext, account: AccountId): boolean {
  return isIssued(deliver) && !view.read(keylets.line(account, issuerOf(deliver), currencyOf(deliver)!));
}

function check(context: StrandContext, account: AccountId): Result {
  if (!context.view.read(keylets.account(account))) return 'terNO_ACCOUNT';
  if (!context.isFirst && !context.isLast) return 'temBAD_PATH';
  const [from, to] = context.isLast ? [ACCOUNT_ZERO, account] : [account, ACCOUNT_ZERO];
  const frozen = checkPathFreeze(context.view, from, to, undefined);
  if (frozen !== 'tesSUCCESS') return frozen;
  if (!context.view.rules.enabled('fix1781')) return 'tesSUCCESS';
  const seen = context.seenDirect[context.isLast ? 0 : 1];
  if (seen.has(XRP)) return 'temBAD_PATH_LOOP';
  seen.add(XRP);
  return 'tesSUCCESS';
}
