/**
 * Pays out what an account may withdraw, to itself or to another account (rippled `View.cpp`: `canWithdraw`,
 * `doWithdraw`).
 */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { type AccountId, currencyOf, isIssued, issuerOf } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import { account as accountKey, line as lineKey, depositPreauth as preauthKey } from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { verifyDepositPreauth } from './authorisation.ts';
import { accountHolds } from './funds.ts';
import { addEmptyHolding } from './holdings.ts';
import { accountSend } from './send.ts';

/** Another account's trust limit must not be exceeded; the sender's own may be. */
function exceedsLimit(view: ReadView, to: AccountId, amount: Amount): boolean {
  const { asset } = amount;
  const issuer = issuerOf(asset);
  if (!isIssued(asset) || to === issuer) return false;
  const line = view.read(lineKey(to, issuer, currencyOf(asset) as string));
  // Without a line nothing can be held: the limit is zero.
  if (line?.Balance === undefined) return true;
  const isLow = to < issuer;
  const held = (isLow ? line.Balance : line.Balance.negate()).withAsset(asset);
  if (held.signum < 0) return false;
  const limit = ((isLow ? line.LowLimit : line.HighLimit) as Amount).withAsset(asset);
  return held.compare(limit) >= 0 || amount.compare(limit.sub(held, view.rules.numbers)) > 0;
}

/** @returns `tecNO_DST`, `tecDST_TAG_NEEDED`, `tecNO_PERMISSION` (deposit authorisation), `tecNO_LINE` (trust limit). */
export function canWithdraw(
  view: ReadView,
  from: AccountId,
  to: AccountId,
  amount: Amount,
  tagged: boolean,
): Result {
  const destination = view.read(accountKey(to));
  if (destination === undefined) return 'tecNO_DST';
  if (hasAny(destination.Flags, Lsf.lsfRequireDestTag) && !tagged) return 'tecDST_TAG_NEEDED';
  if (from === to) return 'tesSUCCESS';
  if (hasAny(destination.Flags, Lsf.lsfDepositAuth) && view.read(preauthKey(to, from)) === undefined)
    return 'tecNO_PERMISSION';
  return exceedsLimit(view, to, amount) ? 'tecNO_LINE' : 'tesSUCCESS';
}

/**
 * Sends `amount` from the account that holds it (`source`) to `to`, without the transfer fee. A sender that withdraws to
 * itself gets the trust line or MPToken that it needs.
 * @param sender of the transaction. @param priorBalance its drops before the fee.
 */
export function withdraw(
  view: ApplyView,
  tx: Readonly<TransactionFields>,
  parties: { readonly sender: AccountId; readonly to: AccountId; readonly source: AccountId },
  priorBalance: bigint,
  amount: Amount,
): Result {
  const { sender, to, source } = parties;
  if (to === sender) {
    const made = addEmptyHolding(view, sender, priorBalance, amount.asset);
    if (made !== 'tesSUCCESS' && made !== 'tecDUPLICATE') return made;
  } else {
    const allowed = verifyDepositPreauth(view, tx, sender, to, view.read(accountKey(to)));
    if (allowed !== 'tesSUCCESS') return allowed;
  }
  if (accountHolds(view, source, amount.asset, { freeze: 'ignore' }).lessThan(amount)) return 'tefINTERNAL';
  return accountSend(view, source, to, amount, { waiveFee: true });
}
