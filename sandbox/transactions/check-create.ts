/** CheckCreate: a check that allows the receiver to take up to an amount. Rule: rippled `CheckCreate.cpp`. */

import { type Amount, DROPS_MAX } from '../../engine/codec/arithmetic/amount.ts';
import { currencyOf, isBadCurrency } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { hasExpired } from '../assets/expiry.ts';
import { isGlobalFrozen, isIndividualFrozen } from '../assets/freeze.ts';
import { insertOwned } from '../assets/owned.ts';
import { isPseudoAccountEntry } from '../assets/pseudo-accounts.ts';
import { reserveOf } from '../assets/reserve.ts';
import { sideFlags } from '../assets/trust-lines.ts';
import { listOwned } from '../ledger/directory.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Fields, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { sequenceOf } from '../protocol/sequence.ts';

type Tx = Readonly<TransactionFields>;

/** Checks the amount of a check. MPTs would need MPTokensV2, which is not implemented. */
export function checkAmount(amount: Amount): Result {
  if (amount.isMpt) return 'temDISABLED';
  if (amount.signum <= 0 || (amount.isNative && amount.drops > DROPS_MAX)) return 'temBAD_AMOUNT';
  return isBadCurrency(amount.asset) ? 'temBAD_CURRENCY' : 'tesSUCCESS';
}

function preflight(tx: Tx): Result {
  if (tx.SendMax!.isMpt) return 'temDISABLED';
  if (tx.Account === tx.Destination) return 'temREDUNDANT';
  const result = checkAmount(tx.SendMax!);
  if (result !== 'tesSUCCESS') return result;
  return tx.Expiration === 0 ? 'temBAD_EXPIRATION' : 'tesSUCCESS';
}

function preclaim(view: ReadView, tx: Tx): Result {
  const destination = view.read(keylets.account(tx.Destination!));
  if (!destination) return 'tecNO_DST';
  if (hasAny(destination.Flags, Lsf.lsfDisallowIncomingCheck)) return 'tecNO_PERMISSION';
  if (isPseudoAccountEntry(destination)) return 'tecNO_PERMISSION';
  if (hasAny(destination.Flags, Lsf.lsfRequireDestTag) && tx.DestinationTag === undefined)
    return 'tecDST_TAG_NEEDED';
  if (!tx.SendMax!.isNative && isFrozenForCheck(view, tx)) return 'tecFROZEN';
  return hasExpired(view, tx.Expiration) ? 'tecEXPIRED' : 'tesSUCCESS';
}

/** Whether the issuer has frozen everything or the creator's line, or the receiver has frozen its own. */
function isFrozenForCheck(view: ReadView, tx: Tx): boolean {
  const { asset, issuer } = tx.SendMax!;
  if (isGlobalFrozen(view, issuer) || isIndividualFrozen(view, tx.Account, asset)) return true;
  const destination = tx.Destination!;
  if (destination === issuer) return false;
  const line = view.read(keylets.line(issuer, destination, currencyOf(asset)!));
  return hasAny(line?.Flags, sideFlags(destination, issuer).freeze);
}

/** The fields that a check copies from its transaction. */
function terms({ SendMax, SourceTag, DestinationTag, InvoiceID, Expiration }: Tx): Fields {
  return {
    SendMax,
    ...(SourceTag !== undefined && { SourceTag }),
    ...(DestinationTag !== undefined && { DestinationTag }),
    ...(InvoiceID !== undefined && { InvoiceID }),
    ...(Expiration !== undefined && { Expiration }),
  };
}

function apply({ view, tx, account, priorBalance }: ApplyContext): Result {
  const owner = view.peek(keylets.account(account));
  if (!owner) return 'tefINTERNAL';
  if (priorBalance < reserveOf(view, owner, 1)) return 'tecINSUFFICIENT_RESERVE';
  const sequence = sequenceOf(tx);
  const index = keylets.check(account, sequence);
  const destination = tx.Destination!;
  const theirs = listOwned(view, destination, index);
  if (theirs === undefined) return 'tecDIR_FULL';
  return insertOwned(view, owner, {
    ...terms(tx),
    LedgerEntryType: 'Check',
    index,
    Flags: 0,
    Account: account,
    Destination: destination,
    Sequence: sequence,
    DestinationNode: theirs,
  });
}

export const checkCreate: Rule = {
  type: 'CheckCreate',
  amendment: 'Checks',
  flags: 0,
  preflight,
  preclaim,
  apply,
};
