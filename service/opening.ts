/** What opening networks needs. Loaded once the service listens: it takes as long to load as all of the rest. */
export { openPlatformStore } from '../data/platform-store.ts';
export { heavyReadPool } from '../workers/heavy-reads.ts';
export { preparePool } from '../workers/prepare-pool.ts';
export { quoteThreads } from '../workers/quote-threads.ts';
export { metricSamples } from './metric-samples.ts';
export { openNetworks } from './mounted-networks.ts';
export { warmUp } from './warm-up.ts';
