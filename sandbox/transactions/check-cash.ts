/**
 * CheckCash: the receiver of a check takes its amount, or at least a minimum of it. Rule: rippled `CheckCash.cpp`;
 * trust lines created by it: amendment CheckCashMakesTrustLine.
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { currencyOf } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { requireAuth } from '../assets/authorisation.ts';
import { hasExpired } from '../assets/expiry.ts';
import { isFrozen } from '../assets/freeze.ts';
import { accountFunds } from '../assets/funds.ts';
import { reserveOf, xrpLiquid } from '../assets/reserve.ts';
import { transferXrp } from '../assets/send.ts';
import { trustCreate } from '../assets/trust-lines.ts';
import { flow } from '../flow/flow.ts';
import { PaymentView } from '../flow/payment-view.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { checkIdForm, deleteCheck, readCheck } from './check-cancel.ts';
import { checkAmount } from './check-create.ts';

type Tx = Readonly<TransactionFields>;

const MAX_MANTISSA = 9_999_999_999_999_999n;
const MAX_EXPONENT = 80;

/** The requested amount, or its minimum. */
const asked = (tx: Tx): Amount => (tx.Amount ?? tx.DeliverMin)!;

function preflight(tx: Tx, rules: Rules): Result {
  if (tx.Amount?.isMpt || tx.DeliverMin?.isMpt) return 'temDISABLED';
  const form = checkIdForm(tx, rules);
  if (form !== 'tesSUCCESS') return form;
  if ((tx.Amount === undefined) === (tx.DeliverMin === undefined)) return 'temMALFORMED';
  return checkAmount(asked(tx));
}

function preclaim(view: ReadView, tx: Tx): Result {
  const check = readCheck(view, tx.CheckID!);
  if (!check) return 'tecNO_ENTRY';
  if (tx.Account !== check.Destination) return 'tecNO_PERMISSION';
  if (check.Account === check.Destination) return 'tecINTERNAL';
  const receiver = view.read(keylets.account(tx.Account));
  if (!receiver || !view.read(keylets.account(check.Account!))) return 'tecNO_ENTRY';
  if (hasAny(receiver.Flags, Lsf.lsfRequireDestTag) && check.DestinationTag === undefined)
    return 'tecDST_TAG_NEEDED';
  if (hasExpired(view, check.Expiration)) return 'tecEXPIRED';
  const value = asked(tx);
  if (value.asset !== check.SendMax!.asset) return 'temMALFORMED';
  if (value.compare(check.SendMax!) > 0) return 'tecPATH_PARTIAL';
  let available = accountFunds(view, check.Account!, value, 'zero');
  // Cashing frees the reserve of the check itself.
  if (value.isNative) available = available.add(Amount.drops(view.fees.increment));
  if (value.compare(available) > 0) return 'tecPATH_PARTIAL';
  return value.isNative || value.issuer === tx.Account ? 'tesSUCCESS' : checkReceiver(view, tx, value);
}

/** Whether the receiver may hold the asset of a third account. */
function checkReceiver(view: ReadView, tx: Tx, value: Amount): Result {
  if (!view.read(keylets.account(value.issuer))) return 'tecNO_ISSUER';
  if (requireAuth(view, value.asset, tx.Account, 'weak') !== 'tesSUCCESS') return 'tecNO_AUTH';
  return isFrozen(view, tx.Account, value.asset) ? 'tecFROZEN' : 'tesSUCCESS';
}

function cashXrp(view: PaymentView, context: ApplyContext, check: Readonly<Entry>): Result {
  const { tx, account } = context;
  const writer = check.Account!;
  const liquid = xrpLiquid(view, writer, -1);
  const most = liquid.compare(check.SendMax!) < 0 ? liquid : check.SendMax!;
  const least = asked(tx);
  const amount = tx.DeliverMin && least.compare(most) < 0 ? most : least;
  if (liquid.compare(amount) < 0) return 'tecUNFUNDED_PAYMENT';
  if (tx.DeliverMin) context.deliver(amount);
  return transferXrp(view, writer, account, amount);
}

/** Creates the receiver's line to the issuer. */
function makeLine(view: PaymentView, context: ApplyContext, value: Amount): Result {
  const { account, priorBalance } = context;
  const receiver = view.read(keylets.account(account))!;
  if (priorBalance < reserveOf(view, receiver, 1)) return 'tecNO_LINE_INSUF_RESERVE';
  return trustCreate(view, {
    setter: account,
    peer: value.issuer,
    currency: currencyOf(value.asset)!,
    noRipple: !hasAny(receiver.Flags, Lsf.lsfDefaultRipple),
  });
}

function cashIssued(view: PaymentView, context: ApplyContext, check: Readonly<Entry>): Result {
  const { tx, account } = context;
  const writer = check.Account!;
  const { asset, issuer } = check.SendMax!;
  const holder = issuer === account ? writer : account;
  const key = keylets.line(holder, issuer, currencyOf(asset)!);
  if (!view.read(key)) {
    const made = makeLine(view, context, check.SendMax!);
    if (made !== 'tesSUCCESS') return made;
  }
  const line = view.peek(key);
  if (!line) return 'tecNO_LINE';
  // The receiver signs the transaction: its limit on the line is lifted for the payment.
  const limit = issuer > account ? 'LowLimit' : 'HighLimit';
  const kept = line[limit]!;
  line[limit] = Amount.issued(asset, MAX_MANTISSA, MAX_EXPONENT);
  const partial = tx.DeliverMin !== undefined;
  const outcome = flow(view, {
    // With a transfer fee (at most 100%) the delivered amount is not known in advance: half of the greatest amount.
    deliver: partial ? Amount.issued(asset, MAX_MANTISSA / 2n, MAX_EXPONENT) : tx.Amount!,
    source: writer,
    destination: account,
    paths: [],
    defaultPath: true,
    partial,
    ownerPaysTransferFee: true,
    crossing: 'no',
    limitQuality: undefined,
    sendMax: check.SendMax!,
    domain: undefined,
  });
  const after = view.peek(key);
  if (after) after[limit] = kept;
  if (outcome.result !== 'tesSUCCESS') return outcome.result;
  if (tx.DeliverMin && outcome.out.compare(tx.DeliverMin) < 0) return 'tecPATH_PARTIAL';
  context.deliver(outcome.out);
  return 'tesSUCCESS';
}

function apply(context: ApplyContext): Result {
  const view = new PaymentView(context.view);
  const check = readCheck(view, context.tx.CheckID!);
  if (!check) return 'tecFAILED_PROCESSING';
  const cash = check.SendMax!.isNative ? cashXrp : cashIssued;
  const result = cash(view, context, check);
  if (result !== 'tesSUCCESS') return result;
  const deleted = deleteCheck(view, check);
  if (deleted === 'tesSUCCESS') view.applyTo(context.view);
  return deleted;
}

export const checkCash: Rule = {
  type: 'CheckCash',
  amendment: 'Checks',
  flags: 0,
  preflight,
  preclaim,
  apply,
};
