/** The outside feed of fiat rates that the options name. */
import type { Log } from '../engine/log.ts';
import { PolledRates } from '../outside/rate-feed.ts';
import type { Options } from './options.ts';

/** @returns undefined where none is chosen */
export function makeRateFeed({ rateFeed }: Options, log: Log): PolledRates | undefined {
  if (rateFeed === undefined) return undefined;
  const { driver, url } = rateFeed;
  const onFault = (message: string) => log.warn({ feed: driver.name }, message);
  return new PolledRates({ driver, url, now: Date.now, onFault });
}
