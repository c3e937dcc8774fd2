/** EscrowCreate: locks XRP, or with XLS-85 tokens, for a destination. Rules: rippled `EscrowCreate.cpp`. */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { type AccountId, isBadCurrency, issuerOf } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { isPseudoAccount } from '../assets/pseudo-accounts.ts';
import { PARITY, transferRate } from '../assets/rates.ts';
import { adjustOwnerCount, reserveOf } from '../assets/reserve.ts';
import { listOwned } from '../ledger/directory.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { sequenceOf } from '../protocol/sequence.ts';
import { isCondition } from './escrow-condition.ts';
import { checkTokenEscrow, lockTokens } from './escrow-tokens.ts';

type Tx = Readonly<TransactionFields>;

function checkAmount(amount: Amount, rules: Rules): Result {
  if (amount.isNative) return amount.signum > 0 ? 'tesSUCCESS' : 'temBAD_AMOUNT';
  if (!rules.enabled('TokenEscrow')) return 'temBAD_AMOUNT';
  if (amount.isMpt && !rules.enabled('MPTokensV1')) return 'temDISABLED';
  if (amount.signum <= 0) return 'temBAD_AMOUNT';
  return isBadCurrency(amount.asset) ? 'temBAD_CURRENCY' : 'tesSUCCESS';
}

function preflight(tx: Tx, rules: Rules): Result {
  const amount = checkAmount(tx.Amount!, rules);
  if (amount !== 'tesSUCCESS') return amount;
  const { CancelAfter, FinishAfter, Condition } = tx;
  if (CancelAfter === undefined && FinishAfter === undefined) return 'temBAD_EXPIRATION';
  if (CancelAfter !== undefined && FinishAfter !== undefined && CancelAfter <= FinishAfter) {
    return 'temBAD_EXPIRATION';
  }
  // Without either it could be finished at once.
  if (FinishAfter === undefined && Condition === undefined) return 'temMALFORMED';
  return Condition === undefined || isCondition(Condition) ? 'tesSUCCESS' : 'temMALFORMED';
}

function preclaim(view: ReadView, tx: Tx): Result {
  const to = tx.Destination!;
  if (view.read(keylets.account(to)) === undefined) return 'tecNO_DST';
  if (isPseudoAccount(view, to)) return 'tecNO_PERMISSION';
  return tx.Amount!.isNative ? 'tesSUCCESS' : checkTokenEscrow(view, tx.Account, to, tx.Amount!);
}

/** Checks times already past, reserve, funds, the tag that the destination requires. */
function checkCreate(view: ReadView, tx: Tx, root: Readonly<Entry>): Result {
  const now = view.header.parentCloseTime;
  if (tx.CancelAfter !== undefined && now > tx.CancelAfter) return 'tecNO_PERMISSION';
  if (tx.FinishAfter !== undefined && now > tx.FinishAfter) return 'tecNO_PERMISSION';
  const balance = root.Balance!.drops;
  const reserve = reserveOf(view, root, 1);
  if (balance < reserve) return 'tecINSUFFICIENT_RESERVE';
  if (tx.Amount!.isNative && balance < reserve + tx.Amount!.drops) return 'tecUNFUNDED';
  const destination = view.read(keylets.account(tx.Destination!));
  if (destination === undefined) return 'tecNO_DST';
  const needsTag = hasAny(destination.Flags, Lsf.lsfRequireDestTag);
  return needsTag && tx.DestinationTag === undefined ? 'tecDST_TAG_NEEDED' : 'tesSUCCESS';
}

function newEscrow(view: ReadView, tx: Tx): Entry {
  const sequence = sequenceOf(tx);
  const entry: Entry = {
    LedgerEntryType: 'Escrow',
    index: keylets.escrow(tx.Account, sequence),
    Flags: 0,
    Account: tx.Account,
    Destination: tx.Destination!,
    Amount: tx.Amount!,
  };
  if (tx.Condition !== undefined) entry.Condition = tx.Condition;
  if (tx.SourceTag !== undefined) entry.SourceTag = tx.SourceTag;
  if (tx.DestinationTag !== undefined) entry.DestinationTag = tx.DestinationTag;
  if (tx.CancelAfter !== undefined) entry.CancelAfter = tx.CancelAfter;
  if (tx.FinishAfter !== undefined) entry.FinishAfter = tx.FinishAfter;
  if (view.rules.enabled('fixIncludeKeyletFields')) entry.Sequence = sequence;
  const rate = transferRate(view, tx.Amount!.asset);
  if (rate !== PARITY) entry.TransferRate = rate;
  return entry;
}

/** Adds the escrow to the directories of its creator, its destination, and a currency's issuer (of an MPT units are counted). */
function list(view: ApplyView, escrow: Entry): boolean {
  const { index } = escrow;
  const creator = escrow.Account!;
  const to = escrow.Destination!;
  const insert = (owner: AccountId) => listOwned(view, owner, index);
  escrow.OwnerNode = insert(creator);
  if (escrow.OwnerNode === undefined) return false;
  // Before fix1523 (2017-11) the destination did not list it.
  if (to !== creator && view.rules.enabled('fix1523')) {
    escrow.DestinationNode = insert(to);
    if (escrow.DestinationNode === undefined) return false;
  }
  const issuer = issuerOf(escrow.Amount!.asset);
  if (escrow.Amount!.isIssued && issuer !== creator && issuer !== to) {
    escrow.IssuerNode = insert(issuer);
    if (escrow.IssuerNode === undefined) return false;
  }
  return true;
}

function apply({ view, tx, account }: ApplyContext): Result {
  const root = view.peek(keylets.account(account));
  if (root === undefined) return 'tefINTERNAL';
  const checked = checkCreate(view, tx, root);
  if (checked !== 'tesSUCCESS') return checked;
  const escrow = newEscrow(view, tx);
  if (!list(view, escrow)) return 'tecDIR_FULL';
  view.insert(escrow);
  if (tx.Amount!.isNative) root.Balance = root.Balance!.sub(tx.Amount!);
  else {
    const locked = lockTokens(view, account, tx.Amount!);
    if (locked !== 'tesSUCCESS') return locked;
  }
  adjustOwnerCount(view, root, 1);
  return 'tesSUCCESS';
}

export const escrowCreate: Rule = {
  type: 'EscrowCreate',
  amendment: 'Escrow',
  flags: 0,
  spends: (tx) => (tx.Amount!.isNative ? tx.Amount!.drops : 0n),
  preflight,
  preclaim,
  apply,
};
