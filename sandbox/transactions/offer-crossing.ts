/**
 * Crosses an offer with the book: the payment engine pays from the offer's owner to itself, through the book and,
 * between two issued currencies, also through XRP (rippled CreateOffer.cpp, `flowCross`).
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import {
  divideRateRound,
  divRound,
  divRoundStrict,
  mulRound,
  multiplyRateRound,
  PARITY,
} from '../../engine/codec/arithmetic/amount-arithmetic.ts';
import { CURRENCY_XRP } from '../../engine/codec/arithmetic/asset.ts';
import { amountFromQuality, type InOut, qualityOf } from '../../engine/codec/arithmetic/quality.ts';
import { accountFunds } from '../assets/funds.ts';
import { transferRate } from '../assets/rates.ts';
import { type FlowResult, flow, removeOffers } from '../flow/flow.ts';
import { PaymentView } from '../flow/payment-view.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { PathSet, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Tf } from '../protocol/flags.ts';
import type { Result } from '../protocol/results.ts';

type Tx = Readonly<TransactionFields>;

const XRP_BETWEEN: PathSet = [[{ currency: CURRENCY_XRP }]];
/** A sell offer may receive any amount: all XRP, or half the greatest issued amount, as a transfer fee may double it. */
const MOST_XRP = 9_000_000_000_000_000_000n;
const MOST_ISSUED_MANTISSA = 9_999_999_999_999_999n / 2n;
const MOST_ISSUED_EXPONENT = 80;

export interface Crossed {
  readonly result: Result;
  /** What the offer still wants to give (in) and to receive (out). */
  readonly left: InOut;
}

/**
 * Crosses in `view`; in `cleaned` only the dead offers are removed.
 * @param offer as a taker: what it gives, and what it receives for it
 */
export function cross(view: ApplyView, cleaned: ApplyView, tx: Tx, offer: InOut): Crossed {
  const trial = new PaymentView(view);
  const cleaning = new PaymentView(cleaned);
  try {
    const crossed = crossIn(trial, cleaning, tx, offer);
    trial.applyTo(view);
    cleaning.applyTo(cleaned);
    return crossed;
  } catch (error) {
    // A number out of range: the transaction is recorded, and pays its fee.
    if (!(error instanceof Error) || error instanceof TypeError || error instanceof ReferenceError)
      throw error;
    return { result: 'tecINTERNAL', left: offer };
  }
}

function crossIn(view: PaymentView, cleaning: PaymentView, tx: Tx, offer: InOut): Crossed {
  const { Account: account } = tx;
  const funds = accountFunds(view, account, offer.in, 'zero');
  // The fee may have used up the funds that the account had before the transaction.
  if (funds.mantissa <= 0n) return { result: 'tecUNFUNDED_OFFER', left: offer };
  const rate = offer.in.isNative || offer.in.issuer === account ? PARITY : transferRate(view, offer.in.asset);
  const cost = multiplyRateRound(offer.in, rate, true);
  const threshold = qualityOf(cost, offer.out);
  const bridged = !offer.in.isNative && !offer.out.isNative;
  const outcome = flow(view, {
    deliver: hasAny(tx.Flags, Tf.tfSell) ? most(offer.out) : offer.out,
    source: account,
    destination: account,
    paths: bridged ? XRP_BETWEEN : [],
    defaultPath: true,
    partial: !hasAny(tx.Flags, Tf.tfFillOrKill),
    ownerPaysTransferFee: true,
    crossing: hasAny(tx.Flags, Tf.tfSell) ? 'sell' : 'yes',
    // A passive offer consumes only better qualities than its own.
    limitQuality: hasAny(tx.Flags, Tf.tfPassive) ? threshold - 1n : threshold,
    sendMax: cost.compare(funds) > 0 ? funds : cost,
    domain: tx.DomainID,
  });
  removeOffers(view, outcome.removals);
  removeOffers(cleaning, outcome.removals);
  if (outcome.result !== 'tesSUCCESS') return { result: 'tesSUCCESS', left: offer };
  return { result: 'tesSUCCESS', left: leftOf(view, tx, offer, outcome, rate) };
}

function most({ asset, isNative }: Amount): Amount {
  return isNative ? Amount.drops(MOST_XRP) : Amount.issued(asset, MOST_ISSUED_MANTISSA, MOST_ISSUED_EXPONENT);
}

/** The remainder of the offer, at its own quality. */
function leftOf(view: ReadView, tx: Tx, offer: InOut, outcome: FlowResult, rate: number): InOut {
  const nothing = { in: Amount.zero(offer.in.asset), out: Amount.zero(offer.out.asset) };
  if (accountFunds(view, tx.Account, offer.in, 'zero').mantissa <= 0n) return nothing;
  const quality = amountFromQuality(qualityOf(offer.in, offer.out));
  if (!hasAny(tx.Flags, Tf.tfSell)) {
    const out = notNegative(offer.out.sub(outcome.out, view.rules.numbers));
    return { in: mulRound(out, quality, offer.in.asset, true), out };
  }
  // The transfer fee that the issuer kept is not part of what the offer gave.
  const given = divideRateRound(outcome.in, rate, true);
  const left = notNegative(offer.in.sub(given, view.rules.numbers));
  const { asset } = offer.out;
  const strict = view.rules.enabled('fixReducedOffersV1');
  const out = strict ? divRoundStrict(left, quality, asset, false) : divRound(left, quality, asset, true);
  return { in: left, out };
}

function notNegative(amount: Amount): Amount {
  return amount.mantissa < 0n ? Amount.zero(amount.asset) : amount;
}
