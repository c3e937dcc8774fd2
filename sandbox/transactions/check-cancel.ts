/** CheckCancel: either side cancels a check; any account may once it has expired. Rule: rippled `CheckCancel.cpp`. */

import { HASH_ZERO, type Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { Rule } from '../apply/rule.ts';
import { hasExpired } from '../assets/expiry.ts';
import { deleteOwned } from '../assets/owned.ts';
import { unlistOwned } from '../ledger/directory.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import type { Result } from '../protocol/results.ts';

type Tx = Readonly<TransactionFields>;

/** An id that no entry can have is malformed (fixCleanup3_3_0). */
export const checkIdForm = (tx: Tx, rules: Rules): Result =>
  tx.CheckID === HASH_ZERO && rules.enabled('fixCleanup3_3_0') ? 'temMALFORMED' : 'tesSUCCESS';

/** The check with an id; undefined when there is none or the id is another entry's. */
export function readCheck(view: ReadView, id: Hex): Readonly<Entry> | undefined {
  const entry = view.read(id);
  return entry?.LedgerEntryType === 'Check' ? entry : undefined;
}

/** Deletes a check: from both accounts' directories, its creator's count and the ledger. */
export function deleteCheck(view: ApplyView, check: Readonly<Entry>): Result {
  const writer = check.Account!;
  const receiver = check.Destination!;
  if (writer !== receiver && !unlistOwned(view, receiver, check.DestinationNode, check.index, true))
    return 'tefBAD_LEDGER';
  return deleteOwned(view, writer, check, { keepRoot: true });
}

function preclaim(view: ReadView, tx: Tx): Result {
  const check = readCheck(view, tx.CheckID!);
  if (!check) return 'tecNO_ENTRY';
  const isParty = tx.Account === check.Account || tx.Account === check.Destination;
  return isParty || hasExpired(view, check.Expiration) ? 'tesSUCCESS' : 'tecNO_PERMISSION';
}

export const checkCancel: Rule = {
  type: 'CheckCancel',
  amendment: 'Checks',
  flags: 0,
  preflight: checkIdForm,
  preclaim,
  apply({ view, tx }) {
    const check = readCheck(view, tx.CheckID!);
    return check ? deleteCheck(view, check) : 'tecNO_ENTRY';
  },
};
