/** The headers of the newest ledgers: some at first, then one more for each that closes. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { newestLedger } from './ledger.ts';
import { type Answer, get, isPassing } from './rest.ts';

export type Header = Omit<Answer<'/ledger/{index}'>, 'transactions'>;

/** Newest first; ledgers that the service does not hold are left out. Others are asked for until they are there. */
export function useRecentLedgers(count: number): readonly Header[] {
  const [headers, setHeaders] = useState<readonly Header[]>([]);
  const asked = useRef(new Set<number>());
  const newest = newestLedger.value?.ledger_index;
  useEffect(() => {
    if (newest === undefined || document.hidden) return;
    const wanted = Array.from({ length: count }, (_, i) => newest - i).filter(
      (index) => index > 0 && !asked.current.has(index),
    );
    for (const index of wanted) asked.current.add(index);
    void Promise.all(wanted.map(headerOf)).then((answers) => {
      for (const [i, { failure }] of answers.entries())
        if (failure && isPassing(failure)) asked.current.delete(wanted[i]!);
      const found = answers.map(({ value }) => value);
      setHeaders((before) => {
        const all = [...found.filter((header) => header !== undefined), ...before];
        return all.sort((a, b) => b.ledger_index - a.ledger_index).slice(0, count);
      });
    });
  }, [newest, count]);
  return headers;
}

const headerOf = (index: number) => get('/ledger/{index}', { query: { index, transactions: false } });
