/** AMMClawback: an issuer takes its tokens back out of a holder's share in a pool (XLS-73; rippled AMMClawback.cpp). */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { issuerOf, isXrp } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import {
  adjustLastProvidersTokens,
  ammHolds,
  ammLpHolds,
  checkPrecisionLoss,
  type PoolCounting,
} from '../assets/amm.ts';
import { setLpTokensOrDelete } from '../assets/amm-removal.ts';
import { rippleCredit } from '../assets/send.ts';
import type { ReadView } from '../ledger/view.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf, Tf } from '../protocol/flags.ts';
import { account as accountKey, amm as ammKey } from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { checkNoMpt } from './amm-checks.ts';
import { planClawback } from './amm-withdraw-plan.ts';
import { type Withdrawal, type Withdrawn, withdraw, withdrawEqually } from './amm-withdrawal.ts';

const takesBoth = (tx: Readonly<TransactionFields>): boolean => hasAny(tx.Flags, Tf.tfClawTwoAssets);

function preflight(tx: Readonly<TransactionFields>): Result {
  const [issuer, asset, amount] = [tx.Account, tx.Asset!, tx.Amount];
  const built = checkNoMpt(tx);
  if (built !== 'tesSUCCESS') return built;
  if (issuer === tx.Holder || isXrp(asset)) return 'temMALFORMED';
  if (takesBoth(tx) && issuerOf(asset) !== issuerOf(tx.Asset2!)) return 'temINVALID_FLAG';
  if (issuerOf(asset) !== issuer) return 'temMALFORMED';
  return amount && (amount.asset !== asset || amount.signum <= 0) ? 'temBAD_AMOUNT' : 'tesSUCCESS';
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const issuer = view.read(accountKey(tx.Account));
  if (issuer === undefined || view.read(accountKey(tx.Holder!)) === undefined) return 'terNO_ACCOUNT';
  if (view.read(ammKey(tx.Asset!, tx.Asset2!)) === undefined) return 'terNO_AMM';
  const allowed =
    hasAny(issuer.Flags, Lsf.lsfAllowTrustLineClawback) && !hasAny(issuer.Flags, Lsf.lsfNoFreeze);
  return allowed ? 'tesSUCCESS' : 'tecNO_PERMISSION';
}

/** Withdraws the share for `amount` (without it: all) from the pool to the holder. */
function takeOut(withdrawal: Withdrawal, amount: Amount | undefined, held: Amount): Withdrawn | Result {
  const plan = amount && planClawback(withdrawal.view.rules, withdrawal.pool, amount, held);
  if (plan === undefined) return withdrawEqually({ ...withdrawal, all: true }, held);
  return typeof plan === 'string' ? plan : withdraw(withdrawal, plan);
}

function apply({ view, tx, account: issuer, priorBalance }: ApplyContext): Result {
  const holder = tx.Holder!;
  const amm = view.peek(ammKey(tx.Asset!, tx.Asset2!));
  if (amm === undefined) return 'tecINTERNAL';
  const held = ammLpHolds(view, amm, holder);
  if (view.rules.enabled('fixAMMClawbackRounding')) {
    if (held.isZero) return 'tecAMM_BALANCE';
    const adjusted = adjustLastProvidersTokens(view, amm, held, holder);
    if (adjusted !== 'tesSUCCESS') return adjusted;
  }
  // A frozen balance can be clawed back as well.
  const counting: PoolCounting = { freeze: 'ignore', auth: 'ignore' };
  const pool = ammHolds(view, amm, tx.Asset, tx.Asset2, counting);
  if (typeof pool === 'string') return pool;
  if (held.isZero) return 'tecAMM_BALANCE';
  const withdrawal = { view, amm, account: holder, pool, tradingFee: 0, counting, all: false, priorBalance };
  const done = takeOut(withdrawal, tx.Amount, held);
  if (typeof done === 'string') return done;
  if (view.rules.enabled('fixCleanup3_3_0') && view.rules.enabled('fixAMMv1_3')) {
    const sound = checkPrecisionLoss(view, amm, done.lpTokens);
    if (sound !== 'tesSUCCESS') return sound;
  }
  const written = setLpTokensOrDelete(view, amm, done.lpTokens);
  if (written !== 'tesSUCCESS') return written;
  const clawed = rippleCredit(view, holder, issuer, done.amount, true);
  if (clawed !== 'tesSUCCESS') return clawed;
  if (done.amount2 === undefined) return 'tecINTERNAL';
  return takesBoth(tx) ? rippleCredit(view, holder, issuer, done.amount2, true) : 'tesSUCCESS';
}

export const ammClawback: Rule = {
  type: 'AMMClawback',
  amendment: 'AMMClawback',
  flags: Tf.tfClawTwoAssets,
  preflight,
  preclaim,
  apply,
};
