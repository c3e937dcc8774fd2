/** The transfer of a Payment: over paths, of an MPT, or of XRP (rippled Payment.cpp, `doApply`). */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { divideRate, multiplyRate, PARITY } from '../../engine/codec/arithmetic/amount-arithmetic.ts';
import { issued, issuerOf } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext } from '../apply/rule.ts';
import { canTransfer, requireAuth, verifyDepositPreauth } from '../assets/authorisation.ts';
import { isAnyFrozen } from '../assets/freeze.ts';
import { isPseudoAccountEntry } from '../assets/pseudo-accounts.ts';
import { transferRate } from '../assets/rates.ts';
import { reserveOf } from '../assets/reserve.ts';
import { accountSend } from '../assets/send.ts';
import { PaymentView } from '../flow/payment-view.ts';
import { type PaymentRequest, rippleCalculate } from '../flow/ripple-calculate.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf, Tf, withoutFlags } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import { isTer, type Result } from '../protocol/results.ts';

type Tx = Readonly<TransactionFields>;

/** The maximum cost of a payment: SendMax, or the amount itself in the sender's own issue of its currency. */
export function maxSourceAmount(tx: Tx): Amount {
  const amount = tx.Amount!;
  if (tx.SendMax) return tx.SendMax;
  return amount.isIssued ? amount.withAsset(issued(amount.asset.slice(0, 40), tx.Account)) : amount;
}

export function applyPayment(context: ApplyContext): Result {
  const { tx } = context;
  const amount = tx.Amount!;
  const receiver = receiverOf(context);
  if (amount.isMpt) return payMpt(context, receiver);
  return tx.Paths || tx.SendMax || !amount.isNative
    ? payOverPaths(context, receiver)
    : payXrp(context, receiver);
}

/** The receiver's entry, created if missing. */
function receiverOf({ view, tx }: ApplyContext): Entry {
  const key = keylets.account(tx.Destination!);
  const known = view.peek(key);
  if (known) {
    view.markDirty(key);
    return known;
  }
  const entry: Entry = {
    LedgerEntryType: 'AccountRoot',
    index: key,
    Flags: 0,
    OwnerCount: 0,
    Account: tx.Destination!,
    Sequence: view.rules.enabled('DeletableAccounts') ? view.header.index : 1,
    Balance: Amount.drops(0n),
  };
  view.insert(entry);
  return entry;
}

/** The request of a payment of issued currency to the payment engine. */
export const pathsRequest = (tx: Tx): PaymentRequest => ({
  source: tx.Account,
  destination: tx.Destination!,
  deliver: tx.Amount!,
  maximum: maxSourceAmount(tx),
  paths: tx.Paths ?? [],
  defaultPath: !hasAny(tx.Flags, Tf.tfNoRippleDirect),
  partial: hasAny(tx.Flags, Tf.tfPartialPayment),
  limitQuality: hasAny(tx.Flags, Tf.tfLimitQuality),
  domain: tx.DomainID,
});

function payOverPaths(context: ApplyContext, receiver: Entry): Result {
  const { view, tx, account } = context;
  const amount = tx.Amount!;
  const refused = verifyDepositPreauth(view, tx, account, tx.Destination!, receiver);
  if (refused !== 'tesSUCCESS') return refused;
  const trial = new PaymentView(view);
  const { result, out } = rippleCalculate(trial, pathsRequest(tx));
  trial.applyTo(view);
  if (result !== 'tesSUCCESS') return isTer(result) ? 'tecPATH_DRY' : result;
  if (out.compare(amount) === 0) return 'tesSUCCESS';
  if (tx.DeliverMin && out.compare(tx.DeliverMin) < 0) return 'tecPATH_PARTIAL';
  context.deliver(out);
  return 'tesSUCCESS';
}

/** MPTs are paid directly from account to account; between two other accounts the issuer's fee is added. */
function payMpt(context: ApplyContext, receiver: Entry): Result {
  const { view, tx, account } = context;
  const amount = tx.Amount!;
  const destination = tx.Destination!;
  const { asset } = amount;
  const allowed =
    failureOf(requireAuth(view, asset, account)) ??
    failureOf(requireAuth(view, asset, destination)) ??
    failureOf(canTransfer(view, asset, account, destination)) ??
    failureOf(verifyDepositPreauth(view, tx, account, destination, receiver));
  if (allowed) return allowed;
  const issuer = issuerOf(asset);
  let rate = PARITY;
  if (account !== issuer && destination !== issuer) {
    if (isAnyFrozen(view, [account, destination], asset)) return 'tecLOCKED';
    rate = transferRate(view, asset);
  }
  const maximum = maxSourceAmount(tx);
  let delivered = amount;
  let cost = multiplyRate(amount, rate, view.rules.numbers);
  if (hasAny(tx.Flags, Tf.tfPartialPayment) && cost.compare(maximum) > 0) {
    cost = maximum;
    delivered = divideRate(maximum, rate);
  }
  if (cost.compare(maximum) > 0 || (tx.DeliverMin && delivered.compare(tx.DeliverMin) < 0))
    return 'tecPATH_PARTIAL';
  const trial = new PaymentView(view);
  const result = accountSend(trial, account, destination, delivered);
  if (result === 'tecINSUFFICIENT_FUNDS' || result === 'tecPATH_DRY') return 'tecPATH_PARTIAL';
  if (result !== 'tesSUCCESS') return result;
  trial.applyTo(view);
  if (view.rules.enabled('fixMPTDeliveredAmount') && delivered.compare(amount) !== 0)
    context.deliver(delivered);
  return 'tesSUCCESS';
}

const failureOf = (result: Result): Result | undefined => (result === 'tesSUCCESS' ? undefined : result);

function payXrp({ view, tx, account, priorBalance }: ApplyContext, receiver: Entry): Result {
  const amount = tx.Amount!.drops;
  const sender = view.peek(keylets.account(account));
  if (!sender) return 'tefINTERNAL';
  const reserve = reserveOf(view, sender);
  // The fee may be paid from the reserve. A delegate's fee is not the account's.
  const paysFee = tx.Delegate === undefined || tx.Delegate === account;
  const kept = paysFee && tx.Fee.drops > reserve ? tx.Fee.drops : reserve;
  if (priorBalance < amount + kept) return 'tecUNFUNDED_PAYMENT';
  if (isPseudoAccountEntry(receiver)) return 'tecNO_PERMISSION';
  // An account with deposit authorisation still accepts small amounts while it has little XRP, so that it stays usable.
  const floor = view.fees.reserve;
  if (amount > floor || receiver.Balance!.drops > floor) {
    const refused = verifyDepositPreauth(view, tx, account, tx.Destination!, receiver);
    if (refused !== 'tesSUCCESS') return refused;
  }
  sender.Balance = Amount.drops(sender.Balance!.drops - amount);
  receiver.Balance = Amount.drops(receiver.Balance!.drops + amount);
  if (hasAny(receiver.Flags, Lsf.lsfPasswordSpent))
    receiver.Flags = withoutFlags(receiver.Flags, Lsf.lsfPasswordSpent);
  return 'tesSUCCESS';
}
