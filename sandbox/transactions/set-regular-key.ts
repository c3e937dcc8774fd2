/** SetRegularKey: sets another key pair that may sign for the account. Rule: rippled `SetRegularKey.cpp`. */
import type { ApplyContext, Rule } from '../apply/rule.ts';
import type { ReadView } from '../ledger/view.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf, withFlags } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { signedWithMaster } from './keys-of.ts';

/** Once, until it receives XRP again, an account may change its key without a fee. */
function isFree(view: ReadView, tx: Readonly<TransactionFields>): boolean {
  if (!signedWithMaster(tx)) return false;
  const account = view.read(keylets.account(tx.Account));
  return account !== undefined && !hasAny(account.Flags, Lsf.lsfPasswordSpent);
}

function apply({ view, tx }: ApplyContext): Result {
  const account = view.peek(keylets.account(tx.Account));
  if (!account) return 'tefINTERNAL';
  if (isFree(view, tx)) account.Flags = withFlags(account.Flags, Lsf.lsfPasswordSpent);
  if (tx.RegularKey !== undefined) {
    account.RegularKey = tx.RegularKey;
    return 'tesSUCCESS';
  }
  // An account must keep at least one way to sign.
  if (hasAny(account.Flags, Lsf.lsfDisableMaster) && !view.read(keylets.signerList(tx.Account)))
    return 'tecNO_ALTERNATIVE_KEY';
  delete account.RegularKey;
  return 'tesSUCCESS';
}

export const setRegularKey: Rule = {
  type: 'SetRegularKey',
  flags: 0,
  delegable: false,
  blocker: true,
  baseFee: (view, tx, usual) => (isFree(view, tx) ? 0n : usual),
  preflight: (tx) => (tx.RegularKey === tx.Account ? 'temBAD_REGKEY' : 'tesSUCCESS'),
  apply,
};
