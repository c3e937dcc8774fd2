/**
 * OfferCreate: consumes offers of the book at the offer's quality or better, and places the remainder.
 *
 *     cancel another offer -> round to the tick size -> cross (offer-crossing.ts) -> place (offer-placement.ts)
 *
 * There are two views: one with all changes; the other with only the removal of dead offers, for an offer that is
 * killed. Rules: rippled CreateOffer.cpp.
 */

import { isLegal } from '../../engine/codec/arithmetic/amount.ts';
import { divide, multiply } from '../../engine/codec/arithmetic/amount-arithmetic.ts';
import {
  ACCOUNT_ZERO,
  type AccountId,
  type Asset,
  currencyOf,
  HASH_ZERO,
  isBadCurrency,
  issuerOf,
  isXrp,
} from '../../engine/codec/arithmetic/asset.ts';
import { amountFromQuality, type InOut, roundToTickSize } from '../../engine/codec/arithmetic/quality.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { authorizedByDomain } from '../assets/credentials.ts';
import { hasExpired } from '../assets/expiry.ts';
import { isGlobalFrozen } from '../assets/freeze.ts';
import { accountFunds } from '../assets/funds.ts';
import { offerDelete } from '../assets/offers.ts';
import { EntryTable } from '../ledger/tables.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf, Tf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { cross } from './offer-crossing.ts';
import { place } from './offer-placement.ts';
import { placementRate } from './offer-rate.ts';

type Tx = Readonly<TransactionFields>;

const OFFER_FLAGS = Tf.tfPassive | Tf.tfImmediateOrCancel | Tf.tfFillOrKill | Tf.tfSell;
/** Digits of a quality that no tick size rounds. */
const TICK_SIZE_MAX = 16;

function preflight(tx: Tx, rules: Rules): Result {
  const pays = tx.TakerPays!;
  const gets = tx.TakerGets!;
  // Offers are of XRP and issued currencies; MPTs cannot be traded in books.
  if (pays.isMpt || gets.isMpt) return 'temDISABLED';
  if (tx.DomainID !== undefined && !rules.enabled('PermissionedDEX')) return 'temDISABLED';
  if (hasAny(tx.Flags, Tf.tfHybrid) && tx.DomainID === undefined) return 'temINVALID_FLAG';
  if (tx.DomainID === HASH_ZERO && rules.enabled('fixCleanup3_2_0')) return 'temMALFORMED';
  if (hasAny(tx.Flags, Tf.tfImmediateOrCancel) && hasAny(tx.Flags, Tf.tfFillOrKill)) return 'temINVALID_FLAG';
  if (tx.Expiration === 0) return 'temBAD_EXPIRATION';
  if (tx.OfferSequence === 0) return 'temBAD_SEQUENCE';
  if (!isLegal(pays) || !isLegal(gets)) return 'temBAD_AMOUNT';
  if (pays.isNative && gets.isNative) return 'temBAD_OFFER';
  if (pays.mantissa <= 0n || gets.mantissa <= 0n) return 'temBAD_OFFER';
  if (pays.asset === gets.asset) return 'temREDUNDANT';
  if (isBadCurrency(pays.asset) || isBadCurrency(gets.asset)) return 'temBAD_CURRENCY';
  for (const { isNative, issuer } of [pays, gets])
    if (isNative !== (issuer === ACCOUNT_ZERO)) return 'temBAD_ISSUER';
  return 'tesSUCCESS';
}

function preclaim(view: ReadView, tx: Tx): Result {
  const { Account: account, TakerPays: pays, TakerGets: gets, OfferSequence: cancelled } = tx;
  const creator = view.read(keylets.account(account));
  if (!creator) return 'terNO_ACCOUNT';
  if (isGlobalFrozen(view, pays!.asset) || isGlobalFrozen(view, gets!.asset)) return 'tecFROZEN';
  if (accountFunds(view, account, gets!, 'zero').mantissa <= 0n) return 'tecUNFUNDED_OFFER';
  if (cancelled !== undefined && creator.Sequence! <= cancelled) return 'temBAD_SEQUENCE';
  if (hasExpired(view, tx.Expiration))
    return view.rules.enabled('DepositPreauth') ? 'tecEXPIRED' : 'tesSUCCESS';
  if (!pays!.isNative) {
    const acceptable = checkAccept(view, account, pays!.asset);
    if (acceptable !== 'tesSUCCESS') return acceptable;
  }
  const { DomainID: domain } = tx;
  return domain === undefined || authorizedByDomain(view, domain, account)
    ? 'tesSUCCESS'
    : 'tecNO_PERMISSION';
}

/** Whether the account may hold what the taker would pay it. */
function checkAccept(view: ReadView, account: AccountId, asset: Asset): Result {
  const issuer = issuerOf(asset);
  const entry = view.read(keylets.account(issuer));
  if (!entry) return 'tecNO_ISSUER';
  if (issuer === account) return 'tesSUCCESS';
  const line = view.read(keylets.line(account, issuer, currencyOf(asset)!));
  if (hasAny(entry.Flags, Lsf.lsfRequireAuth)) {
    if (!line) return 'tecNO_LINE';
    if (!hasAny(line.Flags, account > issuer ? Lsf.lsfLowAuth : Lsf.lsfHighAuth)) return 'tecNO_AUTH';
  }
  return hasAny(line?.Flags, Lsf.lsfLowDeepFreeze | Lsf.lsfHighDeepFreeze) ? 'tecFROZEN' : 'tesSUCCESS';
}

function apply(context: ApplyContext): Result {
  const done = new EntryTable(context.view);
  const cleaned = new EntryTable(context.view);
  const { result, killed } = process(context, done, cleaned);
  (killed ? cleaned : done).applyTo(context.view);
  return result;
}

interface Processed {
  readonly result: Result;
  /** Only dead offers were removed. */
  readonly killed?: boolean;
}

function process(context: ApplyContext, view: EntryTable, cleaned: EntryTable): Processed {
  const { tx, account } = context;
  if (tx.OfferSequence !== undefined) {
    const result = offerDelete(view, view.peek(keylets.offer(account, tx.OfferSequence)));
    if (result !== 'tesSUCCESS') return { result };
  }
  if (hasExpired(view, tx.Expiration))
    return { result: view.rules.enabled('DepositPreauth') ? 'tecEXPIRED' : 'tesSUCCESS' };
  const offer = tickSized(view, tx);
  if (offer.amounts.in.isZero || offer.amounts.out.isZero) return { result: 'tesSUCCESS' };
  // The taker pays what its offer gives: crossing has the opposite direction.
  const crossing = cross(view, cleaned, tx, { in: offer.amounts.out, out: offer.amounts.in });
  if (crossing.result !== 'tesSUCCESS') {
    const open = crossing.result === 'tecFAILED_PROCESSING' && view.open;
    return { result: open ? 'telFAILED_PROCESSING' : crossing.result };
  }
  const { in: gets, out: pays } = crossing.left;
  const crossed = pays.compare(offer.amounts.in) !== 0 || gets.compare(offer.amounts.out) !== 0;
  if (gets.mantissa < 0n || pays.mantissa < 0n) return { result: 'tefINTERNAL' };
  if (gets.isZero || pays.isZero) return { result: 'tesSUCCESS' };
  if (hasAny(tx.Flags, Tf.tfFillOrKill))
    return { result: view.rules.enabled('fix1578') ? 'tecKILLED' : 'tesSUCCESS', killed: true };
  if (hasAny(tx.Flags, Tf.tfImmediateOrCancel)) {
    const nothing = !crossed && view.rules.enabled('ImmediateOfferKilled');
    return nothing ? { result: 'tecKILLED', killed: true } : { result: 'tesSUCCESS' };
  }
  return { result: place(context, view, { pays, gets, rate: offer.rate, crossed }) };
}

interface Sized {
  /** TakerPays in, TakerGets out. */
  readonly amounts: InOut;
  /** The quality that the offer is placed at, whatever remains after crossing. */
  readonly rate: bigint;
}

/** The offer rounded to the tick size of its issuers: the inexact side is rounded in the owner's favour. */
function tickSized(view: ReadView, tx: Tx): Sized {
  let pays = tx.TakerPays!;
  let gets = tx.TakerGets!;
  const rate = placementRate(view.rules, gets, pays);
  let digits = TICK_SIZE_MAX;
  for (const { asset } of [pays, gets]) {
    if (isXrp(asset)) continue;
    const issuer: Readonly<Entry> | undefined = view.read(keylets.account(issuerOf(asset)));
    digits = Math.min(digits, issuer?.TickSize ?? TICK_SIZE_MAX);
  }
  if (digits >= TICK_SIZE_MAX) return { amounts: { in: pays, out: gets }, rate };
  const rounded = amountFromQuality(roundToTickSize(rate, digits));
  if (hasAny(tx.Flags, Tf.tfSell)) pays = multiply(gets, rounded, pays.asset, view.rules.numbers);
  else gets = divide(pays, rounded, gets.asset);
  return { amounts: { in: pays, out: gets }, rate: placementRate(view.rules, gets, pays) };
}

export const offerCreate: Rule = {
  type: 'OfferCreate',
  flags: (_tx, rules) => (rules.enabled('PermissionedDEX') ? OFFER_FLAGS | Tf.tfHybrid : OFFER_FLAGS),
  spends: (tx) => (tx.TakerGets!.isNative ? tx.TakerGets!.drops : 0n),
  preflight,
  preclaim,
  apply,
};
