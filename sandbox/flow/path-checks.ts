/** Conditions that close a trust line to a path: freezes and the no-ripple flags. Rules: rippled `StepChecks.h`. */

import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { isLpTokenFrozen } from '../assets/freeze.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Entry } from '../protocol/fields.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';

/** Whether `account` has set no-ripple on its line with `peer`. */
export function setsNoRipple(line: Readonly<Entry>, account: AccountId, peer: AccountId): boolean {
  return hasAny(line.Flags, account > peer ? Lsf.lsfHighNoRipple : Lsf.lsfLowNoRipple);
}

/** `terNO_LINE` when `from` may not send to `to` in a currency because one of them froze it. */
export function checkPathFreeze(
  view: ReadView,
  from: AccountId,
  to: AccountId,
  line: Readonly<Entry> | undefined,
): Result {
  const receiver = view.read(keylets.account(to));
  if (hasAny(receiver?.Flags, Lsf.lsfGlobalFreeze)) return 'terNO_LINE';
  if (hasAny(line?.Flags, to > from ? Lsf.lsfHighFreeze : Lsf.lsfLowFreeze)) return 'terNO_LINE';
  // A deep freeze stops both directions, whichever side set it.
  if (hasAny(line?.Flags, Lsf.lsfHighDeepFreeze | Lsf.lsfLowDeepFreeze)) return 'terNO_LINE';
  const ammId = receiver?.AMMID;
  if (ammId === undefined || !view.rules.enabled('fixFrozenLPTokenTransfer')) return 'tesSUCCESS';
  const amm = view.read(ammId);
  if (!amm) return 'tecINTERNAL';
  return isLpTokenFrozen(view, from, amm.Asset!, amm.Asset2!) ? 'terNO_LINE' : 'tesSUCCESS';
}

/** `terNO_RIPPLE` when `account` forbids rippling between its lines with `previous` and `next`. */
export function checkNoRipple(
  view: ReadView,
  previous: AccountId,
  account: AccountId,
  next: AccountId,
  currency: Hex,
): Result {
  const into = view.read(keylets.line(previous, account, currency));
  const outOf = view.read(keylets.line(account, next, currency));
  if (!into || !outOf) return 'terNO_LINE';
  const barred = setsNoRipple(into, account, previous) && setsNoRipple(outOf, account, next);
  return barred ? 'terNO_RIPPLE' : 'tesSUCCESS';
}
