/** The outside services that `--rate-feed` can name. A new one is a file beside this one, and a line here. */
import { krakenRates } from './kraken-rates.ts';
import type { RateDriver } from './rate-feed.ts';

export const RATE_DRIVERS: readonly RateDriver[] = [krakenRates];
