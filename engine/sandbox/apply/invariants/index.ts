/** What no transaction may do to a ledger, whatever its rule says. Rules: rippled `InvariantCheck.cpp` and its family. */

import type { EntryTable } from '../../ledger/tables.ts';
import type { TransactionFields } from '../../protocol/fields.ts';
import type { Result } from '../../protocol/results.ts';
import type { Checker } from './checker.ts';

const CHECKERS: readonly Checker[] = [];

/**
 * The first invariant that a transaction's changes break, by name; undefined when all hold. A checker that throws
 * counts as broken. @param fee what was charged, in drops.
 */
export function brokenInvariant(
  table: EntryTable,
  tx: Readonly<TransactionFields>,
  result: Result,
  fee: bigint,
): string | undefined {
  const changes = [...table.changes()];
  for (const checker of CHECKERS) {
    try {
      if (!checker.holds({ changes, table, tx, result, fee })) return checker.name;
    } catch {
      return checker.name;
    }
  }
  return undefined;
}
