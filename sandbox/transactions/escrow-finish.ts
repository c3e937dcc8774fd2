/** EscrowFinish: pays an escrow to its destination. Rules: rippled `EscrowFinish.cpp`, XLS-70, XLS-85. */
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { verifyDepositPreauth } from '../assets/authorisation.ts';
import { credentialsValid, validCredentialIds } from '../assets/credentials.ts';
import { PARITY } from '../assets/rates.ts';
import { adjustOwnerCountOf } from '../assets/reserve.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { fulfils } from './escrow-condition.ts';
import { unlistEscrow, unlistFromIssuer } from './escrow-listing.ts';
import { checkTokenFinish, unlockTokens } from './escrow-tokens.ts';

type Tx = Readonly<TransactionFields>;

/** A fulfillment costs this many base fees, and one more for each 16 bytes of it. */
const FULFILLMENT_BASE_FEES = 32;
const FULFILLMENT_BYTES_PER_FEE = 16;

function baseFee(view: ReadView, tx: Tx, usual: bigint): bigint {
  if (tx.Fulfillment === undefined) return usual;
  const bytes = tx.Fulfillment.length / 2;
  return (
    usual + view.fees.base * BigInt(FULFILLMENT_BASE_FEES + Math.floor(bytes / FULFILLMENT_BYTES_PER_FEE))
  );
}

function preflight(tx: Tx, rules: Rules): Result {
  if (tx.CredentialIDs !== undefined && !rules.enabled('Credentials')) return 'temDISABLED';
  if ((tx.Condition === undefined) !== (tx.Fulfillment === undefined)) return 'temMALFORMED';
  return validCredentialIds(tx);
}

function preclaim(view: ReadView, tx: Tx): Result {
  if (view.rules.enabled('Credentials')) {
    const valid = credentialsValid(view, tx, tx.Account);
    if (valid !== 'tesSUCCESS') return valid;
  }
  if (!view.rules.enabled('TokenEscrow')) return 'tesSUCCESS';
  const escrow = view.read(keylets.escrow(tx.Owner!, tx.OfferSequence!));
  if (escrow === undefined) return 'tecNO_TARGET';
  return escrow.Amount!.isNative ? 'tesSUCCESS' : checkTokenFinish(view, escrow.Destination!, escrow.Amount!);
}

/** After `FinishAfter`, until `CancelAfter`, compared with the last close time in seconds. */
function isTime(view: ReadView, escrow: Readonly<Entry>): boolean {
  const now = view.header.parentCloseTime;
  if (escrow.FinishAfter !== undefined && now <= escrow.FinishAfter) return false;
  return escrow.CancelAfter === undefined || now <= escrow.CancelAfter;
}

/** Whether the transaction repeats and fulfils the escrow's condition, or neither has one. */
function meetsCondition(tx: Tx, escrow: Readonly<Entry>): boolean {
  if (tx.Condition !== escrow.Condition) return false;
  return tx.Condition === undefined || fulfils(tx.Fulfillment!, tx.Condition);
}

function apply({ view, tx, account, priorBalance }: ApplyContext): Result {
  const escrow = view.read(keylets.escrow(tx.Owner!, tx.OfferSequence!));
  if (escrow === undefined) return view.rules.enabled('TokenEscrow') ? 'tecINTERNAL' : 'tecNO_TARGET';
  if (!isTime(view, escrow)) return 'tecNO_PERMISSION';
  if (!meetsCondition(tx, escrow)) return 'tecCRYPTOCONDITION_ERROR';
  const creator = escrow.Account!;
  const to = escrow.Destination!;
  const amount = escrow.Amount!;
  // An escrow does not create accounts.
  const receiver = view.peek(keylets.account(to));
  if (receiver === undefined) return 'tecNO_DST';
  view.markDirty(receiver.index);
  const welcome = verifyDepositPreauth(view, tx, account, to, receiver);
  if (welcome !== 'tesSUCCESS') return welcome;
  if (!unlistEscrow(view, escrow)) return 'tefBAD_LEDGER';
  if (amount.isNative) receiver.Balance = receiver.Balance!.add(amount);
  else {
    const unlocked = unlockTokens(view, receiver, {
      amount,
      from: creator,
      to,
      lockedRate: escrow.TransferRate ?? PARITY,
      byReceiver: to === account,
      priorBalance,
    });
    if (unlocked !== 'tesSUCCESS') return unlocked;
    if (!unlistFromIssuer(view, escrow)) return 'tefBAD_LEDGER';
  }
  adjustOwnerCountOf(view, creator, -1);
  view.erase(escrow.index);
  return 'tesSUCCESS';
}

export const escrowFinish: Rule = {
  type: 'EscrowFinish',
  amendment: 'Escrow',
  flags: 0,
  baseFee,
  preflight,
  preclaim,
  apply,
};
