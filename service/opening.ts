/** What opening networks needs. Loaded once the service listens: it takes as long to load as all of the rest. */
import { referenceCodec } from '../engine/codec/reference.ts';
import { yieldToLoop } from '../engine/event-loop.ts';

export { openPlatformStore } from '../data/platform-store.ts';
export { heavyReadPool } from '../workers/heavy-reads.ts';
export { preparePool } from '../workers/prepare-pool.ts';
export { quoteThreads } from '../workers/quote-threads.ts';
export { metricSamples } from './metric-samples.ts';
export { openNetworks } from './mounted-networks.ts';
export { warmUp } from './warm-up.ts';

/** Loads what is first needed at no known time, so that neither a ledger nor a request waits for it: some 60 ms each. */
export async function loadRest(): Promise<void> {
  await import('prom-client');
  await yieldToLoop();
  await import('@elysiajs/swagger');
  await yieldToLoop();
  referenceCodec();
}
