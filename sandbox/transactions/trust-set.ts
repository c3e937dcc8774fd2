/**
 * TrustSet: an account's side of a trust line. Rule: rippled `TrustSet.cpp`; deep freeze: XLS-77.
 *
 * A side costs its owner reserve while one of its values differs from the default: a limit, a quality, a freeze, no
 * ripple against the account's own default, a positive balance. When neither side differs, the line is deleted.
 */

import {
  ACCOUNT_ONE,
  ACCOUNT_ZERO,
  type AccountId,
  CURRENCY_BAD,
  currencyOf,
  type Hex,
  issued,
} from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { isPseudoAccountEntry } from '../assets/pseudo-accounts.ts';
import { PARITY } from '../assets/rates.ts';
import { adjustOwnerCount, reserveForHolding } from '../assets/reserve.ts';
import {
  HIGH_FLAGS,
  LOW_FLAGS,
  type SideFlags,
  sideFlags,
  trustCreate,
  trustDelete,
} from '../assets/trust-lines.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf, Tf, withFlags, withoutFlags } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';

type Tx = Readonly<TransactionFields>;

const DEEP_FREEZE_FLAGS = Tf.tfSetDeepFreeze | Tf.tfClearDeepFreeze;

const currencyOfLine = (tx: Tx): Hex => currencyOf(tx.LimitAmount!.asset)!;
const peerOf = (tx: Tx): AccountId => tx.LimitAmount!.issuer;
const lineKey = (tx: Tx): Hex => keylets.line(tx.Account, peerOf(tx), currencyOfLine(tx));

function preflight(tx: Tx, rules: Rules): Result {
  if (!rules.enabled('DeepFreeze') && hasAny(tx.Flags, DEEP_FREEZE_FLAGS)) return 'temINVALID_FLAG';
  const limit = tx.LimitAmount;
  // A missing limit counts as XRP.
  if (limit === undefined || limit.isNative) return 'temBAD_LIMIT';
  if (limit.isMpt) return 'temMALFORMED';
  if (currencyOfLine(tx) === CURRENCY_BAD) return 'temBAD_CURRENCY';
  if (limit.signum < 0) return 'temBAD_LIMIT';
  const peer = peerOf(tx);
  return peer === ACCOUNT_ZERO || peer === ACCOUNT_ONE ? 'temDST_NEEDED' : 'tesSUCCESS';
}

/** Flags of a line with the freezes of one side set and cleared by the transaction. */
function withFreezes(flags: number, tx: Tx, side: SideFlags, noFreeze: boolean): number {
  const change = (value: number, set: number, clear: number, flag: number): number => {
    const sets = hasAny(tx.Flags, set);
    const clears = hasAny(tx.Flags, clear);
    if (sets && !clears && !noFreeze) return withFlags(value, flag);
    return clears && !sets ? withoutFlags(value, flag) : value;
  };
  const frozen = change(flags, Tf.tfSetFreeze, Tf.tfClearFreeze, side.freeze);
  return change(frozen, Tf.tfSetDeepFreeze, Tf.tfClearDeepFreeze, side.deepFreeze);
}

function preclaim(view: ReadView, tx: Tx): Result {
  const account = view.read(keylets.account(tx.Account));
  if (!account) return 'terNO_ACCOUNT';
  if (hasAny(tx.Flags, Tf.tfSetfAuth) && !hasAny(account.Flags, Lsf.lsfRequireAuth))
    return 'tefNO_AUTH_REQUIRED';
  if (tx.Account === peerOf(tx)) return 'temDST_IS_SRC';
  const peer = view.read(keylets.account(peerOf(tx)));
  if (!peer) return 'tecNO_DST';
  const line = view.read(lineKey(tx));
  if (hasAny(peer.Flags, Lsf.lsfDisallowIncomingTrustline)) {
    if (!line || !view.rules.enabled('fixDisallowIncomingV1')) return 'tecNO_PERMISSION';
  }
  if (!line && isPseudoAccountEntry(peer)) {
    const result = checkLineToPseudoAccount(view, tx, peer);
    if (result !== 'tesSUCCESS') return result;
  }
  return view.rules.enabled('DeepFreeze') ? checkFreezes(tx, account, line) : 'tesSUCCESS';
}

/** A new line to a pool must be for its LP tokens; a vault or a loan broker has no lines. */
function checkLineToPseudoAccount(view: ReadView, tx: Tx, peer: Readonly<Entry>): Result {
  if (peer.AMMID === undefined) return 'tecNO_PERMISSION';
  const shares = view.read(peer.AMMID)?.LPTokenBalance;
  if (!shares) return 'tecINTERNAL';
  if (shares.isZero) return 'tecAMM_EMPTY';
  return currencyOf(shares.asset) === currencyOfLine(tx) ? 'tesSUCCESS' : 'tecNO_PERMISSION';
}

/** No setting together with clearing, no freeze by an account that has given it up, no deep freeze without a freeze. */
function checkFreezes(tx: Tx, account: Readonly<Entry>, line: Readonly<Entry> | undefined): Result {
  const sets = hasAny(tx.Flags, Tf.tfSetFreeze | Tf.tfSetDeepFreeze);
  const clears = hasAny(tx.Flags, Tf.tfClearFreeze | Tf.tfClearDeepFreeze);
  const noFreeze = hasAny(account.Flags, Lsf.lsfNoFreeze);
  if (sets && (noFreeze || clears)) return 'tecNO_PERMISSION';
  const side = sideFlags(tx.Account, peerOf(tx));
  const flags = withFreezes(line?.Flags ?? 0, tx, side, noFreeze);
  return hasAny(flags, side.deepFreeze) && !hasAny(flags, side.freeze) ? 'tecNO_PERMISSION' : 'tesSUCCESS';
}

/** Writes a quality: parts of 10^9; absent means 0, which means face value. */
function setQuality(
  line: Entry,
  name: 'LowQualityIn' | 'LowQualityOut' | 'HighQualityIn' | 'HighQualityOut',
  value: number | undefined,
): void {
  if (value === undefined) return;
  if (value === 0) delete line[name];
  else line[name] = value;
}

/** As in the transaction; face value is stored as none. (The quality in is stored unchanged.) */
const qualityOut = (tx: Tx): number | undefined => (tx.QualityOut === PARITY ? 0 : tx.QualityOut);

const differs = (quality: number | undefined): boolean => quality !== undefined && quality !== PARITY;

/** Whether a side of the line, with `flags`, differs from its default. */
function sideCosts(line: Readonly<Entry>, flags: number, high: boolean, owner: Readonly<Entry>): boolean {
  const side = high ? HIGH_FLAGS : LOW_FLAGS;
  const limit = high ? line.HighLimit! : line.LowLimit!;
  const ripples = !hasAny(flags, side.noRipple);
  return (
    differs(high ? line.HighQualityIn : line.LowQualityIn) ||
    differs(high ? line.HighQualityOut : line.LowQualityOut) ||
    ripples !== hasAny(owner.Flags, Lsf.lsfDefaultRipple) ||
    hasAny(flags, side.freeze) ||
    !limit.isZero ||
    (high ? line.Balance!.signum < 0 : line.Balance!.signum > 0)
  );
}

/** Writes limit and qualities of the account's side. */
function writeSide(line: Entry, tx: Tx, high: boolean): void {
  const limit = tx.LimitAmount!.withAsset(issued(currencyOfLine(tx), tx.Account));
  if (high) line.HighLimit = limit;
  else line.LowLimit = limit;
  setQuality(line, high ? 'HighQualityIn' : 'LowQualityIn', tx.QualityIn);
  setQuality(line, high ? 'HighQualityOut' : 'LowQualityOut', qualityOut(tx));
}

function changeLine(context: ApplyContext, line: Entry, owner: Entry, peer: Entry): Result {
  const { view, tx, account, priorBalance } = context;
  const high = account > peerOf(tx);
  const side = high ? HIGH_FLAGS : LOW_FLAGS;
  const reserve = reserveForHolding(view, owner);
  const before = line.Flags ?? 0;
  let flags = before;
  writeSide(line, tx, high);

  const sets = hasAny(tx.Flags, Tf.tfSetNoRipple);
  const clears = hasAny(tx.Flags, Tf.tfClearNoRipple);
  if (sets && !clears) {
    // The side that owes on the line cannot set no-ripple.
    const owes = high ? line.Balance!.signum > 0 : line.Balance!.signum < 0;
    if (owes) return 'tecNO_PERMISSION';
    flags = withFlags(flags, side.noRipple);
  } else if (clears && !sets) {
    flags = withoutFlags(flags, side.noRipple);
  }
  flags = withFreezes(flags, tx, side, hasAny(owner.Flags, Lsf.lsfNoFreeze));
  if (hasAny(tx.Flags, Tf.tfSetfAuth)) flags = withFlags(flags, side.auth);

  let costs = false;
  let newCost = false;
  for (const isHigh of [false, true]) {
    const { reserve: flag } = isHigh ? HIGH_FLAGS : LOW_FLAGS;
    const entry = isHigh === high ? owner : peer;
    const sideIsCost = sideCosts(line, flags, isHigh, entry);
    costs ||= sideIsCost;
    if (sideIsCost === hasAny(before, flag)) continue;
    adjustOwnerCount(view, entry, sideIsCost ? 1 : -1);
    flags = sideIsCost ? withFlags(flags, flag) : withoutFlags(flags, flag);
    if (sideIsCost && isHigh === high) newCost = true;
  }
  line.Flags = flags;
  if (!costs) return trustDelete(view, line, high ? peerOf(tx) : account, high ? account : peerOf(tx));
  return newCost && priorBalance < reserve ? 'tecINSUF_RESERVE_LINE' : 'tesSUCCESS';
}

function makeLine(context: ApplyContext, owner: Entry): Result {
  const { view, tx, account, priorBalance } = context;
  const limit = tx.LimitAmount!;
  const isDefault = limit.isZero && !tx.QualityIn && !qualityOut(tx) && !hasAny(tx.Flags, Tf.tfSetfAuth);
  if (isDefault) return 'tecNO_LINE_REDUNDANT';
  if (priorBalance < reserveForHolding(view, owner)) return 'tecNO_LINE_INSUF_RESERVE';
  const sets = (set: number, clear: number): boolean => hasAny(tx.Flags, set) && !hasAny(tx.Flags, clear);
  return trustCreate(view, {
    setter: account,
    peer: peerOf(tx),
    currency: currencyOfLine(tx),
    limit,
    auth: hasAny(tx.Flags, Tf.tfSetfAuth),
    noRipple: sets(Tf.tfSetNoRipple, Tf.tfClearNoRipple),
    freeze: sets(Tf.tfSetFreeze, Tf.tfClearFreeze),
    deepFreeze: hasAny(tx.Flags, Tf.tfSetDeepFreeze),
    qualityIn: tx.QualityIn ?? 0,
    qualityOut: qualityOut(tx) ?? 0,
  });
}

function apply(context: ApplyContext): Result {
  const { view, tx, account } = context;
  const owner = view.peek(keylets.account(account));
  if (!owner) return 'tefINTERNAL';
  const peer = view.peek(keylets.account(peerOf(tx)));
  if (!peer) return 'tecNO_DST';
  const line = view.peek(lineKey(tx));
  return line ? changeLine(context, line, owner, peer) : makeLine(context, owner);
}

/** Granular permissions authorise, freeze and unfreeze; they neither create a line nor change its limit. */
function permission(view: ReadView, tx: Tx): Result {
  const line = view.read(lineKey(tx));
  if (!line || tx.QualityIn !== undefined || tx.QualityOut !== undefined) return 'terNO_DELEGATE_PERMISSION';
  const limit = tx.Account > peerOf(tx) ? line.HighLimit! : line.LowLimit!;
  return limit.equals(tx.LimitAmount!) ? 'tesSUCCESS' : 'terNO_DELEGATE_PERMISSION';
}

export const trustSet: Rule = {
  type: 'TrustSet',
  flags:
    Tf.tfSetfAuth |
    Tf.tfSetNoRipple |
    Tf.tfClearNoRipple |
    Tf.tfSetFreeze |
    Tf.tfClearFreeze |
    DEEP_FREEZE_FLAGS,
  preflight,
  preclaim,
  apply,
  permission,
};
