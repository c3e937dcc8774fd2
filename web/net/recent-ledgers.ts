/** The headers of the newest ledgers: some at first, then those that have closed since. */
import { useRef } from 'preact/hooks';
import { newestLedger } from './ledger.ts';
import { type Answer, type Failure, get } from './rest.ts';
import { type Shown, useRepeated } from './use-repeated.ts';

export type Header = Omit<Answer<'/ledger/{index}'>, 'transactions'>;

/**
 * Newest first; ledgers that the service does not hold are left out. Others are asked for until they are there: `failure` is
 * why one of those that were asked for last is not.
 */
export function useRecentLedgers(count: number): Shown<readonly Header[]> {
  /** By index; undefined: the service does not hold it. */
  const known = useRef(new Map<number, Header | undefined>()).current;
  const [shown] = useRepeated(String(count), 'ledger', async (signal) => {
    const newest = newestLedger.peek()?.ledger_index;
    if (newest === undefined) return { value: [] };
    const indices = Array.from({ length: count }, (_, i) => newest - i).filter((index) => index > 0);
    const wanted = indices.filter((index) => !known.has(index));
    const failure = await learn(wanted, known, signal);
    const value = [...known.values()]
      .filter((header) => header !== undefined)
      .sort((a, b) => b.ledger_index - a.ledger_index)
      .slice(0, count);
    const oldest = Math.min(newest - count + 1, value.at(-1)?.ledger_index ?? newest);
    for (const index of known.keys()) if (index < oldest) known.delete(index);
    return { value, failure };
  });
  return shown;
}

/** Asks for headers, and gives why one of them was not answered. */
async function learn(
  wanted: readonly number[],
  known: Map<number, Header | undefined>,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  const ask = (index: number) => get('/ledger/{index}', { query: { index, transactions: false }, signal });
  const answers = await Promise.all(wanted.map(ask));
  let refused: Failure | undefined;
  for (const [i, { value, failure }] of answers.entries()) {
    if (value || failure?.status === 404) known.set(wanted[i]!, value);
    else refused ??= failure;
  }
  return refused;
}
