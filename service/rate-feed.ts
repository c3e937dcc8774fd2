/** The outside feed of fiat rates that the options name. */
import type { Log } from '../engine/log.ts';
import { KrakenRates } from '../outside/kraken-rates.ts';
import type { Options } from './options.ts';

/** @returns undefined where none is chosen */
export function makeRateFeed({ rateFeed: choice }: Options, log: Log): KrakenRates | undefined {
  if (choice.kind === 'none') return undefined;
  const onFault = (message: string) => log.warn({ feed: choice.kind }, message);
  return new KrakenRates({ ...(choice.url ? { url: choice.url } : {}), now: Date.now, onFault });
}
