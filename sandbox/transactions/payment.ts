/**
 * Payment: XRP or an MPT from account to account, or any other asset over paths by the payment engine.
 * Rules: rippled Payment.cpp. The transfer itself is in payment-transfer.ts.
 */

import { type Amount, isLegal } from '../../engine/codec/arithmetic/amount.ts';
import {
  ACCOUNT_ZERO,
  type Asset,
  currencyOf,
  HASH_ZERO,
  isBadCurrency,
  isMpt,
  issuerOf,
} from '../../engine/codec/arithmetic/asset.ts';
import { permissionValues } from '../apply/delegation.ts';
import type { Rule } from '../apply/rule.ts';
import { authorizedByDomain, credentialsValid, validCredentialIds } from '../assets/credentials.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf, Tf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import { Permission } from '../protocol/permissions.ts';
import type { Result } from '../protocol/results.ts';
import { applyPayment, maxSourceAmount } from './payment-transfer.ts';

type Tx = Readonly<TransactionFields>;

const PATHS_MAX = 6;
const PATH_LENGTH_MAX = 8;
const PAYMENT_FLAGS = Tf.tfNoRippleDirect | Tf.tfPartialPayment | Tf.tfLimitQuality;

function preflight(tx: Tx, rules: Rules): Result {
  const amount = tx.Amount!;
  const maximum = maxSourceAmount(tx);
  if (amount.isMpt) {
    if (!rules.enabled('MPTokensV1')) return 'temDISABLED';
    if (tx.Paths) return 'temMALFORMED';
  }
  if (tx.CredentialIDs && !rules.enabled('Credentials')) return 'temDISABLED';
  if (tx.DomainID !== undefined && !rules.enabled('PermissionedDEX')) return 'temDISABLED';
  if (tx.DomainID === HASH_ZERO && rules.enabled('fixCleanup3_2_0')) return 'temMALFORMED';
  const mixed = amount.isMpt ? amount.asset !== maximum.asset : maximum.isMpt;
  if (mixed) return 'temMALFORMED';
  const checks = [
    checkAmounts(tx, amount, maximum),
    checkDirect(tx, amount, maximum),
    checkMinimum(tx, amount),
  ];
  return checks.find((result) => result !== 'tesSUCCESS') ?? validCredentialIds(tx);
}

function checkAmounts(tx: Tx, amount: Amount, maximum: Amount): Result {
  if (!isLegal(amount) || !isLegal(maximum)) return 'temBAD_AMOUNT';
  if (tx.Destination === undefined || tx.Destination === ACCOUNT_ZERO) return 'temDST_NEEDED';
  if (tx.SendMax && maximum.mantissa <= 0n) return 'temBAD_AMOUNT';
  if (amount.mantissa <= 0n) return 'temBAD_AMOUNT';
  if (isBadCurrency(maximum.asset) || isBadCurrency(amount.asset)) return 'temBAD_CURRENCY';
  const same = sameToken(maximum.asset, amount.asset);
  return tx.Account === tx.Destination && same && !tx.Paths ? 'temREDUNDANT' : 'tesSUCCESS';
}

/** Whether both are of one currency, of any issuer; or the same MPT. */
function sameToken(a: Asset, b: Asset): boolean {
  return isMpt(a) || isMpt(b) ? a === b : currencyOf(a) === currencyOf(b);
}

/** Options that are invalid without paths: XRP to XRP, and MPTs. */
function checkDirect(tx: Tx, amount: Amount, maximum: Amount): Result {
  const xrp = amount.isNative && maximum.isNative;
  const direct = xrp || amount.isMpt;
  if (xrp && tx.SendMax) return 'temBAD_SEND_XRP_MAX';
  if (direct && tx.Paths) return 'temBAD_SEND_XRP_PATHS';
  if (xrp && hasAny(tx.Flags, Tf.tfPartialPayment)) return 'temBAD_SEND_XRP_PARTIAL';
  if (direct && hasAny(tx.Flags, Tf.tfLimitQuality)) return 'temBAD_SEND_XRP_LIMIT';
  if (direct && hasAny(tx.Flags, Tf.tfNoRippleDirect)) return 'temBAD_SEND_XRP_NO_DIRECT';
  return 'tesSUCCESS';
}

function checkMinimum(tx: Tx, amount: Amount): Result {
  const minimum = tx.DeliverMin;
  if (!minimum) return 'tesSUCCESS';
  if (!hasAny(tx.Flags, Tf.tfPartialPayment) || !isLegal(minimum) || minimum.mantissa <= 0n)
    return 'temBAD_AMOUNT';
  return minimum.asset !== amount.asset || minimum.compare(amount) > 0 ? 'temBAD_AMOUNT' : 'tesSUCCESS';
}

function preclaim(view: ReadView, tx: Tx): Result {
  const amount = tx.Amount!;
  const receiver = view.read(keylets.account(tx.Destination!));
  const reachable = receiver ? checkReceiver(tx, receiver) : checkNewReceiver(view, tx, amount);
  if (reachable !== 'tesSUCCESS') return reachable;
  if (view.open && (tx.Paths || tx.SendMax || !amount.isNative)) {
    const paths = tx.Paths ?? [];
    if (paths.length > PATHS_MAX || paths.some((path) => path.length > PATH_LENGTH_MAX))
      return 'telBAD_PATH_COUNT';
  }
  const credentials = credentialsValid(view, tx, tx.Account);
  if (credentials !== 'tesSUCCESS' || tx.DomainID === undefined) return credentials;
  const inside = [tx.Account, tx.Destination!].every((account) =>
    authorizedByDomain(view, tx.DomainID!, account),
  );
  return inside ? 'tesSUCCESS' : 'tecNO_PERMISSION';
}

function checkReceiver(tx: Tx, receiver: Readonly<Entry>): Result {
  const wantsTag = hasAny(receiver.Flags, Lsf.lsfRequireDestTag);
  return wantsTag && tx.DestinationTag === undefined ? 'tecDST_TAG_NEEDED' : 'tesSUCCESS';
}

function checkNewReceiver(view: ReadView, tx: Tx, amount: Amount): Result {
  if (!amount.isNative) return 'tecNO_DST';
  if (view.open && hasAny(tx.Flags, Tf.tfPartialPayment)) return 'telNO_DST_PARTIAL';
  return amount.drops < view.fees.reserve ? 'tecNO_DST_INSUF_XRP' : 'tesSUCCESS';
}

/** Delegates may be limited to issuing or redeeming, directly between the account and the other side. */
function permission(_view: ReadView, tx: Tx, delegate: Readonly<Entry>): Result {
  const { asset } = tx.Amount!;
  const values = permissionValues(delegate);
  if (tx.SendMax && tx.SendMax.asset !== asset) return 'terNO_DELEGATE_PERMISSION';
  if (tx.Amount!.isNative) return 'terNO_DELEGATE_PERMISSION';
  const mints = values.includes(Permission.paymentMint) && issuerOf(asset) === tx.Account;
  const burns = values.includes(Permission.paymentBurn) && issuerOf(asset) === tx.Destination;
  return mints || burns ? 'tesSUCCESS' : 'terNO_DELEGATE_PERMISSION';
}

export const payment: Rule = {
  type: 'Payment',
  flags: (tx) => (tx.Amount?.isMpt ? Tf.tfPartialPayment : PAYMENT_FLAGS),
  spends: (tx) => {
    const most = tx.SendMax ?? tx.Amount!;
    return most.isNative ? most.drops : 0n;
  },
  preflight,
  preclaim,
  apply: applyPayment,
  permission,
};
