/** The headers of the newest ledgers: some at first, then one more for each that closes. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { newestLedger } from './ledger.ts';
import { type Answer, get } from './rest.ts';

export type Header = Omit<Answer<'/ledger/{index}'>, 'transactions'>;

/** Newest first; ledgers that the service does not hold are left out. */
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
    void Promise.all(wanted.map(headerOf)).then((found) => {
      setHeaders((before) => {
        const all = [...found.filter((header) => header !== undefined), ...before];
        return all.sort((a, b) => b.ledger_index - a.ledger_index).slice(0, count);
      });
    });
  }, [newest, count]);
  return headers;
}

async function headerOf(index: number): Promise<Header | undefined> {
  const { value } = await get('/ledger/{index}', { query: { index, transactions: false } });
  return value;
}
