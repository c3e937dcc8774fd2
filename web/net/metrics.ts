/** The figures of /metrics while they are shown. */
import { useEffect, useState } from 'preact/hooks';
import { type Metrics, parseMetrics } from './metrics-text.ts';
import { Repeated } from './repeated.ts';
import { type Failure, getText } from './rest.ts';

/** As of the newest ledger. */
export function useMetrics(): { readonly metrics?: Metrics; readonly failure?: Failure } {
  const [shown, setShown] = useState<{ metrics?: Metrics; failure?: Failure }>({});
  useEffect(() => {
    const abort = new AbortController();
    const repeated = new Repeated('ledger', async () => {
      const { value, failure } = await getText('/metrics', abort.signal);
      if (abort.signal.aborted) return undefined;
      setShown((before) => (failure ? { ...before, failure } : { metrics: parseMetrics(value) }));
      return failure;
    });
    return () => {
      abort.abort();
      repeated.end();
    };
  }, []);
  return shown;
}
