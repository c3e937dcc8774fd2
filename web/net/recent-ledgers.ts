/** The headers of the newest ledgers: some at first, then those that have closed since. */
import { useEffect, useState } from 'preact/hooks';
import { newestLedger } from './ledger.ts';
import { Repeated } from './repeated.ts';
import { type Answer, type Failure, get } from './rest.ts';

export type Header = Omit<Answer<'/ledger/{index}'>, 'transactions'>;

interface RecentLedgers {
  /** Newest first; ledgers that the service does not hold are left out. Others are asked for until they are there. */
  readonly headers: readonly Header[];
  /** Why one of those that were asked for last is not there, though the service may hold it. */
  readonly failure?: Failure | undefined;
}

export function useRecentLedgers(count: number): RecentLedgers {
  const [shown, setShown] = useState<RecentLedgers>({ headers: [] });
  useEffect(() => {
    /** By index; undefined: the service does not hold it. */
    const known = new Map<number, Header | undefined>();
    const repeated = new Repeated('ledger', async (signal) => {
      const newest = newestLedger.peek()?.ledger_index;
      if (newest === undefined) return undefined;
      const wanted = Array.from({ length: count }, (_, i) => newest - i).filter(
        (index) => index > 0 && !known.has(index),
      );
      const failure = await learn(wanted, known, signal);
      if (signal.aborted) return undefined;
      const headers = [...known.values()]
        .filter((header) => header !== undefined)
        .sort((a, b) => b.ledger_index - a.ledger_index)
        .slice(0, count);
      const oldest = Math.min(newest - count + 1, headers.at(-1)?.ledger_index ?? newest);
      for (const index of known.keys()) if (index < oldest) known.delete(index);
      setShown({ headers, failure });
      return failure;
    });
    return () => repeated.end();
  }, [count]);
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
