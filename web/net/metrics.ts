/** The figures of /metrics while they are shown. */
import { type Metrics, parseMetrics } from './metrics-text.ts';
import { getText } from './rest.ts';
import { type Shown, useRepeated } from './use-repeated.ts';

/** As of the newest ledger. */
export function useMetrics(): Shown<Metrics> {
  const [shown] = useRepeated('/metrics', 'ledger', async (signal) => {
    const { value, failure } = await getText('/metrics', signal);
    return failure ? { failure } : { value: parseMetrics(value) };
  });
  return shown;
}
