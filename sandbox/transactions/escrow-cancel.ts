/** EscrowCancel: returns an expired escrow to its creator. Rules: rippled `EscrowCancel.cpp`, XLS-85. */
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { PARITY } from '../assets/rates.ts';
import { adjustOwnerCount } from '../assets/reserve.ts';
import type { ReadView } from '../ledger/view.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { unlistEscrow, unlistFromIssuer } from './escrow-listing.ts';
import { checkTokenCancel, unlockTokens } from './escrow-tokens.ts';

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  if (!view.rules.enabled('TokenEscrow')) return 'tesSUCCESS';
  const escrow = view.read(keylets.escrow(tx.Owner!, tx.OfferSequence!));
  if (escrow === undefined) return 'tecNO_TARGET';
  return escrow.Amount!.isNative ? 'tesSUCCESS' : checkTokenCancel(view, escrow.Account!, escrow.Amount!);
}

function apply({ view, tx, account, priorBalance }: ApplyContext): Result {
  const escrow = view.read(keylets.escrow(tx.Owner!, tx.OfferSequence!));
  if (escrow === undefined) return view.rules.enabled('TokenEscrow') ? 'tecINTERNAL' : 'tecNO_TARGET';
  const now = view.header.parentCloseTime;
  if (escrow.CancelAfter === undefined || now <= escrow.CancelAfter) return 'tecNO_PERMISSION';
  const creator = escrow.Account!;
  const amount = escrow.Amount!;
  const root = view.peek(keylets.account(creator));
  if (root === undefined) return 'tecINTERNAL';
  if (!unlistEscrow(view, escrow)) return 'tefBAD_LEDGER';
  if (amount.isNative) root.Balance = root.Balance!.add(amount);
  else {
    const unlocked = unlockTokens(view, root, {
      amount,
      from: creator,
      to: creator,
      lockedRate: PARITY,
      byReceiver: creator === account,
      priorBalance,
    });
    if (unlocked !== 'tesSUCCESS') return unlocked;
    if (!unlistFromIssuer(view, escrow)) return 'tefBAD_LEDGER';
  }
  adjustOwnerCount(view, root, -1);
  view.erase(escrow.index);
  return 'tesSUCCESS';
}

export const escrowCancel: Rule = {
  type: 'EscrowCancel',
  amendment: 'Escrow',
  flags: 0,
  preclaim,
  apply,
};
