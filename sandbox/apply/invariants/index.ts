/**
 * Invariants: changes that no transaction may make, whatever its type; a violation leaves only the fee. Rules: rippled
 * `InvariantCheck.cpp` and its family.
 */
import type { EntryTable } from '../../ledger/tables.ts';
import type { TransactionFields } from '../../protocol/fields.ts';
import type { Result } from '../../protocol/results.ts';
import { ACCOUNT_CHECKERS } from './accounts.ts';
import { AMOUNT_CHECKERS } from './amounts.ts';
import { Changes, type Checker } from './checker.ts';
import { DIRECTORY_CHECKERS } from './directories.ts';
import { MPT_CHECKERS } from './mptokens.ts';
import { NFTOKEN_CHECKERS } from './nftokens.ts';
import { PERMISSIONED_CHECKERS } from './permissioned.ts';
import { POOL_CHECKERS } from './pools.ts';
import { TRUST_LINE_CHECKERS } from './trust-lines.ts';
import { VAULT_CHECKERS } from './vaults.ts';

export const CHECKERS: readonly Checker[] = [
  ...AMOUNT_CHECKERS,
  ...ACCOUNT_CHECKERS,
  ...TRUST_LINE_CHECKERS,
  ...NFTOKEN_CHECKERS,
  ...MPT_CHECKERS,
  ...PERMISSIONED_CHECKERS,
  ...DIRECTORY_CHECKERS,
  ...POOL_CHECKERS,
  ...VAULT_CHECKERS,
];

/**
 * The name of the first invariant that a transaction's changes violate; undefined when all hold. A checker that throws
 * counts as violated. @param fee the charged fee, in drops.
 */
export function brokenInvariant(
  table: EntryTable,
  tx: Readonly<TransactionFields>,
  result: Result,
  fee: bigint,
): string | undefined {
  const changes = new Changes([...table.changes()]);
  for (const checker of CHECKERS) {
    try {
      if (!checker.holds({ changes, table, tx, result, fee })) return checker.name;
    } catch {
      return checker.name;
    }
  }
  return undefined;
}
