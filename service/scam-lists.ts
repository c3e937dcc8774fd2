/** The public lists of scam accounts that the options name. */
import type { Log } from '../engine/log.ts';
import { PolledScamLists } from '../outside/scam-lists.ts';
import type { Options } from './options.ts';

/** @returns undefined where none is chosen */
export function makeScamLists({ scamLists }: Options, log: Log): PolledScamLists | undefined {
  if (scamLists.length === 0) return undefined;
  const onFault = (list: string, message: string) => log.warn({ list }, message);
  return new PolledScamLists({ lists: scamLists, now: Date.now, onFault });
}
