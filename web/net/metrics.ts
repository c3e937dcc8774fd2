/** The figures of /metrics while they are shown. */
import { useEffect, useState } from 'preact/hooks';
import { newestLedger } from './ledger.ts';
import { type Metrics, parseMetrics } from './metrics-text.ts';
import { type Failure, getText } from './rest.ts';

/** As of the newest ledger. */
export function useMetrics(): { readonly metrics?: Metrics; readonly failure?: Failure } {
  const [shown, setShown] = useState<{ metrics?: Metrics; failure?: Failure }>({});
  const ledger = newestLedger.value?.ledger_index;
  // Asked for again after each ledger.
  useEffect(() => {
    const abort = new AbortController();
    if (ledger !== undefined && document.hidden) return;
    void getText('/metrics', abort.signal).then(({ value, failure }) => {
      if (abort.signal.aborted) return;
      setShown((before) => (failure ? { ...before, failure } : { metrics: parseMetrics(value) }));
    });
    return () => abort.abort();
  }, [ledger]);
  return shown;
}
