/** AccountSet: an account's settings. Rule: rippled `AccountSet.cpp`. */

import { HASH_ZERO, type Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { PARITY } from '../assets/rates.ts';
import { dirIsEmpty } from '../ledger/directory.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Entry, Fields, TransactionFields } from '../protocol/fields.ts';
import { Asf, hasAny, Lsf, Tf, UNIVERSAL_FLAGS, withFlags, withoutFlags } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { isPublicKey, signedWithMaster } from './keys-of.ts';

const DOMAIN_BYTES_MAX = 256;
const TICK_SIZE_MIN = 3;
/** The digits of an amount: rounding to them changes nothing, so it is stored as no tick size. */
const TICK_SIZE_MAX = 16;

/** The three settings that can be given by a transaction flag as well as by SetFlag and ClearFlag. */
const BY_EITHER = [
  { asf: Asf.asfRequireAuth, set: Tf.tfRequireAuth, clear: Tf.tfOptionalAuth, lsf: Lsf.lsfRequireAuth },
  {
    asf: Asf.asfRequireDest,
    set: Tf.tfRequireDestTag,
    clear: Tf.tfOptionalDestTag,
    lsf: Lsf.lsfRequireDestTag,
  },
  { asf: Asf.asfDisallowXRP, set: Tf.tfDisallowXRP, clear: Tf.tfAllowXRP, lsf: Lsf.lsfDisallowXRP },
] as const;

/** Settings that can be set and cleared without further conditions. */
const PLAIN: ReadonlyMap<number, number> = new Map([
  [Asf.asfDefaultRipple, Lsf.lsfDefaultRipple],
  [Asf.asfDepositAuth, Lsf.lsfDepositAuth],
  [Asf.asfDisallowIncomingNFTokenOffer, Lsf.lsfDisallowIncomingNFTokenOffer],
  [Asf.asfDisallowIncomingCheck, Lsf.lsfDisallowIncomingCheck],
  [Asf.asfDisallowIncomingPayChan, Lsf.lsfDisallowIncomingPayChan],
  [Asf.asfDisallowIncomingTrustline, Lsf.lsfDisallowIncomingTrustline],
]);

type Tx = Readonly<TransactionFields>;

const sets = (tx: Tx, setting: (typeof BY_EITHER)[number]): boolean =>
  hasAny(tx.Flags, setting.set) || tx.SetFlag === setting.asf;
const clears = (tx: Tx, setting: (typeof BY_EITHER)[number]): boolean =>
  hasAny(tx.Flags, setting.clear) || tx.ClearFlag === setting.asf;

function preflight(tx: Tx): Result {
  const setFlag = tx.SetFlag ?? 0;
  if (setFlag !== 0 && setFlag === tx.ClearFlag) return 'temINVALID_FLAG';
  if (BY_EITHER.some((setting) => sets(tx, setting) && clears(tx, setting))) return 'temINVALID_FLAG';
  const rate = tx.TransferRate ?? 0;
  if (rate !== 0 && (rate < PARITY || rate > 2 * PARITY)) return 'temBAD_TRANSFER_RATE';
  const tick = tx.TickSize ?? 0;
  if (tick !== 0 && (tick < TICK_SIZE_MIN || tick > TICK_SIZE_MAX)) return 'temBAD_TICK_SIZE';
  if (tx.MessageKey && !isPublicKey(tx.MessageKey)) return 'telBAD_PUBLIC_KEY';
  if ((tx.Domain ?? '').length > 2 * DOMAIN_BYTES_MAX) return 'telBAD_DOMAIN';
  if (setFlag === Asf.asfAuthorizedNFTokenMinter && tx.NFTokenMinter === undefined) return 'temMALFORMED';
  if (tx.ClearFlag === Asf.asfAuthorizedNFTokenMinter && tx.NFTokenMinter !== undefined)
    return 'temMALFORMED';
  return 'tesSUCCESS';
}

function preclaim(view: ReadView, tx: Tx): Result {
  const account = view.read(keylets.account(tx.Account));
  if (!account) return 'terNO_ACCOUNT';
  const ownsNothing = (): boolean => dirIsEmpty(view, keylets.ownerDirectory(tx.Account));
  if (sets(tx, BY_EITHER[0]) && !hasAny(account.Flags, Lsf.lsfRequireAuth) && !ownsNothing())
    return 'tecOWNERS';
  if (!view.rules.enabled('Clawback')) return 'tesSUCCESS';
  // An account that has given up freezing cannot claw back, and the other way round.
  if (tx.SetFlag === Asf.asfAllowTrustLineClawback) {
    if (hasAny(account.Flags, Lsf.lsfNoFreeze)) return 'tecNO_PERMISSION';
    if (!ownsNothing()) return 'tecOWNERS';
  } else if (tx.SetFlag === Asf.asfNoFreeze && hasAny(account.Flags, Lsf.lsfAllowTrustLineClawback)) {
    return 'tecNO_PERMISSION';
  }
  return 'tesSUCCESS';
}

/** The account's flags after the transaction, or why not. */
function flagsAfter({ view, tx }: ApplyContext, account: Readonly<Entry>): number | Result {
  const before = account.Flags ?? 0;
  const setFlag = tx.SetFlag ?? 0;
  const clearFlag = tx.ClearFlag ?? 0;
  let flags = before;
  for (const setting of BY_EITHER) {
    if (sets(tx, setting)) flags = withFlags(flags, setting.lsf);
    if (clears(tx, setting)) flags = withoutFlags(flags, setting.lsf);
  }
  if (setFlag === Asf.asfDisableMaster && !hasAny(before, Lsf.lsfDisableMaster)) {
    if (!signedWithMaster(tx)) return 'tecNEED_MASTER_KEY';
    if (account.RegularKey === undefined && !view.read(keylets.signerList(tx.Account)))
      return 'tecNO_ALTERNATIVE_KEY';
    flags = withFlags(flags, Lsf.lsfDisableMaster);
  }
  if (clearFlag === Asf.asfDisableMaster) flags = withoutFlags(flags, Lsf.lsfDisableMaster);
  if (setFlag === Asf.asfNoFreeze) {
    if (!signedWithMaster(tx) && !hasAny(before, Lsf.lsfDisableMaster)) return 'tecNEED_MASTER_KEY';
    flags = withFlags(flags, Lsf.lsfNoFreeze);
  }
  if (setFlag === Asf.asfGlobalFreeze) flags = withFlags(flags, Lsf.lsfGlobalFreeze);
  // An account that has given up freezing cannot change the global freeze either: it stays.
  if (clearFlag === Asf.asfGlobalFreeze && !hasAny(flags, Lsf.lsfNoFreeze))
    flags = withoutFlags(flags, Lsf.lsfGlobalFreeze);
  flags = withFlags(flags, PLAIN.get(setFlag) ?? 0);
  flags = withoutFlags(flags, PLAIN.get(clearFlag) ?? 0);
  if (view.rules.enabled('TokenEscrow')) {
    if (setFlag === Asf.asfAllowTrustLineLocking) flags = withFlags(flags, Lsf.lsfAllowTrustLineLocking);
    if (clearFlag === Asf.asfAllowTrustLineLocking) flags = withoutFlags(flags, Lsf.lsfAllowTrustLineLocking);
  }
  if (setFlag === Asf.asfAllowTrustLineClawback && view.rules.enabled('Clawback'))
    flags = withFlags(flags, Lsf.lsfAllowTrustLineClawback);
  return flags;
}

/** Writes a field of the transaction; its empty value removes the field. */
function setOrDrop<K extends keyof Fields>(account: Entry, name: K, value: Fields[K], empty: boolean): void {
  if (value === undefined) return;
  if (empty) delete account[name];
  else (account as Fields)[name] = value;
}

const isZeroHash = (hash: Hex | undefined): boolean => hash !== undefined && /^0*$/.test(hash);

function apply(context: ApplyContext): Result {
  const { view, tx } = context;
  const account = view.peek(keylets.account(tx.Account));
  if (!account) return 'tefINTERNAL';
  const flags = flagsAfter(context, account);
  if (typeof flags !== 'number') return flags;
  account.Flags = flags;

  // Zero until the account's next transaction, which writes its own hash.
  if (tx.SetFlag === Asf.asfAccountTxnID) account.AccountTxnID ??= HASH_ZERO;
  if (tx.ClearFlag === Asf.asfAccountTxnID) delete account.AccountTxnID;
  setOrDrop(account, 'EmailHash', tx.EmailHash, isZeroHash(tx.EmailHash));
  setOrDrop(account, 'WalletLocator', tx.WalletLocator, isZeroHash(tx.WalletLocator));
  setOrDrop(account, 'MessageKey', tx.MessageKey, tx.MessageKey === '');
  setOrDrop(account, 'Domain', tx.Domain, tx.Domain === '');
  setOrDrop(account, 'TransferRate', tx.TransferRate, tx.TransferRate === 0 || tx.TransferRate === PARITY);
  setOrDrop(account, 'TickSize', tx.TickSize, tx.TickSize === 0 || tx.TickSize === TICK_SIZE_MAX);
  if (tx.SetFlag === Asf.asfAuthorizedNFTokenMinter) account.NFTokenMinter = tx.NFTokenMinter;
  if (tx.ClearFlag === Asf.asfAuthorizedNFTokenMinter) delete account.NFTokenMinter;
  return 'tesSUCCESS';
}

const BLOCKING: ReadonlySet<number> = new Set([
  Asf.asfRequireAuth,
  Asf.asfDisableMaster,
  Asf.asfAccountTxnID,
]);

/** Changes that decide whether the account's later transactions have a valid signature or sequence. */
const blocks = (tx: Tx): boolean =>
  hasAny(tx.Flags, Tf.tfRequireAuth | Tf.tfOptionalAuth) ||
  BLOCKING.has(tx.SetFlag ?? 0) ||
  BLOCKING.has(tx.ClearFlag ?? 0);

export const accountSet: Rule = {
  type: 'AccountSet',
  flags: BY_EITHER.reduce((all, { set, clear }) => all | set | clear, 0),
  delegable: false,
  blocker: blocks,
  preflight,
  preclaim,
  apply,
  // Fields were already compared with the permissions; any flag is beyond them.
  permission: (_view, tx) =>
    (tx.SetFlag ?? 0) !== 0 || (tx.ClearFlag ?? 0) !== 0 || hasAny(tx.Flags, ~UNIVERSAL_FLAGS)
      ? 'terNO_DELEGATE_PERMISSION'
      : 'tesSUCCESS',
};
