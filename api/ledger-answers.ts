/**
 * Of which ledger an answer is: `ledger_index` in every market answer, and `?min_ledger=` to wait for a ledger.
 *
 * A bot that has seen its transaction in ledger N asks with `min_ledger=N`, and gets the first answer that has it, without
 * asking again and again. `ledger_index` is that of the newest ledger when the answer was begun: what takes longer than a
 * ledger may show the next one already, never an earlier one.
 *
 * Costs a client that does not wait nothing but the member; waiting requests are bounded (views/network.ts).
 */
import { busy, unavailableFor } from '../requests/errors.ts';
import type { Network } from '../views/network.ts';
import type { Route } from './route.ts';

/** Sections of the contract whose answers follow from one ledger's state. */
const SECTIONS: ReadonlySet<string> = new Set(['4.1', '4.2']);

/** Longest wait: two ledgers of the public network and a half. */
export const MIN_LEDGER_WAIT_MS = 10_000;
/** Seconds after which a client should ask again. */
const RETRY_S = 4;

/** Whether `min_ledger` is read, and `ledger_index` shown. */
export const isOfLedger = (row: Route): boolean =>
  SECTIONS.has(row.section) && !row.bare && !row.whileNotOpen;

/** Whether the reply layer adds `ledger_index`: some answers have one of their own. */
export const addsLedgerIndex = (row: Route): boolean =>
  isOfLedger(row) && !Object.hasOwn((row.response.properties as object | undefined) ?? {}, 'ledger_index');

/** @returns the ledger to wait for; 0: none. What is not a whole number is as if it were not sent */
export function minLedgerOf(query: URLSearchParams): number {
  const text = query.get('min_ledger') ?? query.get('minLedger');
  return text !== null && /^\d{1,10}$/.test(text) ? Number(text) : 0;
}

/**
 * Waits for a ledger. @returns undefined: it has been applied
 * @throws ApiError unavailable when it does not come in time, or too many requests wait
 */
export function waitForLedger(network: Network, index: number): Promise<void> | undefined {
  if (index <= network.ledgerIndex) return undefined;
  const reached = network.reaches(index, MIN_LEDGER_WAIT_MS);
  if (!reached) throw busy();
  return reached.then((isReached) => {
    if (!isReached)
      throw unavailableFor(RETRY_S, `Ledger ${index} has not come yet; the newest is ${network.ledgerIndex}`);
  });
}
