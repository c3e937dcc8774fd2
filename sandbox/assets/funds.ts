/** What an account can spend of an asset. Rules: rippled `TokenHelpers.cpp` (`accountHolds`, `accountFunds`). */

import { Amount, MPT_MAX } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId, Asset } from '../../engine/codec/arithmetic/asset.ts';
import { currencyOf, isMpt, issuerOf, isXrp } from '../../engine/codec/arithmetic/asset.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Entry } from '../protocol/fields.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import { requireAuth } from './authorisation.ts';
import { isFrozen, isLpTokenFrozen } from './freeze.ts';
import { xrpLiquid } from './reserve.ts';

export interface HoldsOptions {
  /** `zero`: frozen balances do not count. */
  readonly freeze: 'ignore' | 'zero';
  /** `zero`: an unauthorised MPT holding does not count. Default `ignore`. */
  readonly auth?: 'ignore' | 'zero';
  /** `full`: an issuer has all it could issue, and a line includes what the peer would still trust. Default `simple`. */
  readonly spendable?: 'simple' | 'full';
}

/** The greatest issued amount: an issuer's own funds, as rippled counts them with `shFULL_BALANCE`. */
const ISSUED_MAX_MANTISSA = 9_999_999_999_999_999n;
const ISSUED_MAX_EXPONENT = 80;

/** The balance an account can spend: XRP above the reserve, its side of the trust line, its MPT holding. */
export function accountHolds(
  view: ReadView,
  account: AccountId,
  asset: Asset,
  options: HoldsOptions,
): Amount {
  if (isXrp(asset)) return xrpLiquid(view, account, 0);
  return isMpt(asset) ? mptHolds(view, account, asset, options) : issuedHolds(view, account, asset, options);
}

function issuedHolds(view: ReadView, account: AccountId, asset: Asset, options: HoldsOptions): Amount {
  const issuer = issuerOf(asset);
  const full = options.spendable === 'full';
  if (full && account === issuer) return Amount.issued(asset, ISSUED_MAX_MANTISSA, ISSUED_MAX_EXPONENT);
  const line = view.read(keylets.line(account, issuer, currencyOf(asset)!));
  let amount = Amount.zero(asset);
  if (line && (options.freeze === 'ignore' || isUsable(view, account, asset, line))) {
    const high = account > issuer;
    amount = (high ? line.Balance!.negate() : line.Balance!).withAsset(asset);
    if (full)
      amount = amount.add((high ? line.LowLimit! : line.HighLimit!).withAsset(asset), view.rules.numbers);
  }
  return view.balanceHook(account, issuer, amount);
}

/** Whether neither the line nor, for LP tokens, the pool's assets are frozen for the account. Each entry is read once. */
function isUsable(view: ReadView, account: AccountId, asset: Asset, line: Readonly<Entry>): boolean {
  const id = issuerOf(asset);
  const deep = Lsf.lsfHighDeepFreeze | Lsf.lsfLowDeepFreeze;
  const byIssuer = id > account ? Lsf.lsfHighFreeze : Lsf.lsfLowFreeze;
  if (hasAny(line.Flags, deep | byIssuer)) return false;
  const issuer = view.read(keylets.account(id));
  if (hasAny(issuer?.Flags, Lsf.lsfGlobalFreeze)) return false;
  if (!view.rules.enabled('fixFrozenLPTokenTransfer')) return true;
  if (!issuer) return false;
  if (issuer.AMMID === undefined) return true;
  const pool = view.read(issuer.AMMID);
  return pool !== undefined && !isLpTokenFrozen(view, account, pool.Asset!, pool.Asset2!);
}

function mptHolds(view: ReadView, account: AccountId, asset: Asset, options: HoldsOptions): Amount {
  if (options.spendable === 'full' && account === issuerOf(asset)) {
    const issuance = view.read(keylets.mptIssuance(asset));
    if (!issuance) return Amount.zero(asset);
    return Amount.mpt(asset, (issuance.MaximumAmount ?? MPT_MAX) - (issuance.OutstandingAmount ?? 0n));
  }
  const holding = view.read(keylets.mptoken(asset, account));
  if (!holding) return Amount.zero(asset);
  if (options.freeze === 'zero' && isFrozen(view, account, asset)) return Amount.zero(asset);
  if (options.auth === 'zero' && !mptAuthorised(view, account, asset, holding)) return Amount.zero(asset);
  return Amount.mpt(asset, holding.MPTAmount ?? 0n);
}

function mptAuthorised(view: ReadView, account: AccountId, asset: Asset, holding: Readonly<Entry>): boolean {
  if (view.rules.enabled('SingleAssetVault'))
    return requireAuth(view, asset, account, 'strong') === 'tesSUCCESS';
  const needed = hasAny(view.read(keylets.mptIssuance(asset))?.Flags, Lsf.lsfMPTRequireAuth);
  return !needed || hasAny(holding.Flags, Lsf.lsfMPTAuthorized);
}

/** `accountHolds` of the amount's asset, except that an issuer of issued currency has any requested amount. */
export function accountFunds(
  view: ReadView,
  account: AccountId,
  wanted: Amount,
  freeze: 'ignore' | 'zero',
): Amount {
  const { asset } = wanted;
  if (!wanted.isNative && issuerOf(asset) === account) {
    if (!isMpt(asset)) return wanted;
    return accountHolds(view, account, asset, { freeze, spendable: 'full' });
  }
  return accountHolds(view, account, asset, { freeze });
}

/**
 * The balance of a pool's account in an asset: XRP without reserve; a frozen issued balance counts as zero
 * (rippled `ammAccountHolds`).
 */
export function ammAccountHolds(view: ReadView, poolAccount: AccountId, asset: Asset): Amount {
  if (isXrp(asset)) return view.read(keylets.account(poolAccount))?.Balance ?? Amount.drops(0n);
  if (isMpt(asset)) return accountHolds(view, poolAccount, asset, { freeze: 'zero' });
  const issuer = issuerOf(asset);
  const line = view.read(keylets.line(poolAccount, issuer, currencyOf(asset)!));
  if (!line || isFrozen(view, poolAccount, asset)) return Amount.zero(asset);
  return (poolAccount > issuer ? line.Balance!.negate() : line.Balance!).withAsset(asset);
}
