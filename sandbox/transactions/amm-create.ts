/** AMMCreate: a pool of two assets with an account of its own (XLS-30; rippled AMMCreate.cpp). */

import { TRADING_FEE_MAX } from '../../engine/codec/arithmetic/amm-math.ts';
import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import {
  type AccountId,
  type Asset,
  currencyOf,
  issuerOf,
  isXrp,
} from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { initializeFeeAuctionVote, lpTokenAsset, sortedAssets } from '../assets/amm.ts';
import { initialLpTokens } from '../assets/amm-shares.ts';
import { requireAuth } from '../assets/authorisation.ts';
import { checkFrozen } from '../assets/freeze.ts';
import { accountFunds } from '../assets/funds.ts';
import { createPseudoAccount, pseudoAccountAddress } from '../assets/pseudo-accounts.ts';
import { xrpLiquid } from '../assets/reserve.ts';
import { accountSend } from '../assets/send.ts';
import { listOwned } from '../ledger/directory.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf, withFlags } from '../protocol/flags.ts';
import { account as accountKey, amm as ammKey, line as lineKey } from '../protocol/keylets.ts';
import { firstFailure, type Result } from '../protocol/results.ts';
import { checkNoMpt, checkPoolAmount } from './amm-checks.ts';

function preflight(tx: Readonly<TransactionFields>): Result {
  return firstFailure(
    () => checkNoMpt(tx),
    () => (tx.Amount!.asset === tx.Amount2!.asset ? 'temBAD_AMM_TOKENS' : 'tesSUCCESS'),
    () => checkPoolAmount(tx.Amount),
    () => checkPoolAmount(tx.Amount2),
    () => (tx.TradingFee! > TRADING_FEE_MAX ? 'temBAD_FEE' : 'tesSUCCESS'),
  );
}

function issuerHas(view: ReadView, asset: Asset, flag: number): boolean | undefined {
  const issuer = isXrp(asset) ? undefined : view.read(accountKey(issuerOf(asset)));
  return issuer && hasAny(issuer.Flags, flag);
}

/** Balances of holders must be able to ripple through the issuer. */
const canRipple = (view: ReadView, asset: Asset): Result =>
  issuerHas(view, asset, Lsf.lsfDefaultRipple) === false ? 'terNO_RIPPLE' : 'tesSUCCESS';

function hasFunds(view: ReadView, account: AccountId, amount: Amount): boolean {
  // One more entry: the line for the LP tokens.
  const funds = amount.isNative ? xrpLiquid(view, account, 1) : accountFunds(view, account, amount, 'zero');
  return funds.compare(amount) >= 0;
}

const isLpToken = (view: ReadView, asset: Asset): boolean =>
  !isXrp(asset) && view.read(accountKey(issuerOf(asset)))?.AMMID !== undefined;

/** Before AMMClawback a pool could not hold assets that their issuer may claw back. */
function checkClawback(view: ReadView, asset: Asset): Result {
  if (isXrp(asset) || view.rules.enabled('AMMClawback')) return 'tesSUCCESS';
  const clawback = issuerHas(view, asset, Lsf.lsfAllowTrustLineClawback);
  if (clawback === undefined) return 'tecINTERNAL';
  return clawback ? 'tecNO_PERMISSION' : 'tesSUCCESS';
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const account = tx.Account;
  const amounts = [tx.Amount!, tx.Amount2!];
  const [asset, asset2] = [tx.Amount!.asset, tx.Amount2!.asset];
  const key = ammKey(asset, asset2);
  return firstFailure(
    () => (view.read(key) === undefined ? 'tesSUCCESS' : 'tecDUPLICATE'),
    () => requireAuth(view, asset, account, 'legacy'),
    () => requireAuth(view, asset2, account, 'legacy'),
    () => checkFrozen(view, account, asset),
    () => checkFrozen(view, account, asset2),
    () => canRipple(view, asset),
    () => canRipple(view, asset2),
    () => (xrpLiquid(view, account, 1).signum <= 0 ? 'tecINSUF_RESERVE_LINE' : 'tesSUCCESS'),
    () => (amounts.every((amount) => hasFunds(view, account, amount)) ? 'tesSUCCESS' : 'tecUNFUNDED_AMM'),
    () => (isLpToken(view, asset) || isLpToken(view, asset2) ? 'tecAMM_INVALID_TOKENS' : 'tesSUCCESS'),
    () => {
      const free = !view.rules.enabled('SingleAssetVault') || pseudoAccountAddress(view, key) !== undefined;
      return free ? 'tesSUCCESS' : 'terADDRESS_COLLISION';
    },
    () => checkClawback(view, asset),
    () => checkClawback(view, asset2),
  );
}

/** Pays one asset into the pool and marks the pool's line for it. */
function fund(view: ApplyView, account: AccountId, pool: AccountId, amount: Amount): Result {
  const sent = accountSend(view, account, pool, amount, { waiveFee: true });
  if (sent !== 'tesSUCCESS' || amount.isNative) return sent;
  const line = view.peek(lineKey(pool, issuerOf(amount.asset), currencyOf(amount.asset)!));
  if (line === undefined) return 'tecINTERNAL';
  line.Flags = withFlags(line.Flags, Lsf.lsfAMMNode);
  return 'tesSUCCESS';
}

function apply({ view, tx, account }: ApplyContext): Result {
  const [amount, amount2] = [tx.Amount!, tx.Amount2!];
  const index = ammKey(amount.asset, amount2.asset);
  const poolEntry = createPseudoAccount(view, index, 'AMMID');
  if (typeof poolEntry === 'string') return poolEntry;
  const pool = poolEntry.Account!;
  const lpAsset = lpTokenAsset(amount.asset, amount2.asset, pool);
  const lpTokens = initialLpTokens(view.rules, amount, amount2, lpAsset);
  const [low, high] = sortedAssets(amount.asset, amount2.asset);
  const amm: Entry = {
    LedgerEntryType: 'AMM',
    index,
    Flags: 0,
    Account: pool,
    Asset: low,
    Asset2: high,
    LPTokenBalance: lpTokens,
  };
  initializeFeeAuctionVote(view, amm, account, lpAsset, tx.TradingFee!);
  const page = listOwned(view, pool, index);
  if (page === undefined) return 'tecDIR_FULL';
  amm.OwnerNode = page;
  view.insert(amm);
  return firstFailure(
    () => accountSend(view, pool, account, lpTokens),
    () => fund(view, account, pool, amount),
    () => fund(view, account, pool, amount2),
  );
}

export const ammCreate: Rule = {
  type: 'AMMCreate',
  amendment: 'AMM',
  flags: 0,
  // As for AccountDelete, an owner reserve: a pool's account is permanent.
  baseFee: (view) => view.fees.increment,
  preflight,
  preclaim,
  apply,
};
