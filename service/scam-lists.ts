/** The public lists of scam accounts that the options name. */
import type { Log } from '../engine/log.ts';
import { PolledScamLists } from '../outside/scam-lists.ts';
import { ScamListReader } from '../workers/scam-list-reader.ts';
import type { Options } from './options.ts';

/** @param opened gets the way to close them. @returns undefined where none is chosen */
export function makeScamLists(
  { scamLists }: Options,
  log: Log,
  opened: AsyncDisposableStack,
): PolledScamLists | undefined {
  if (scamLists.length === 0) return undefined;
  const onFault = (list: string, message: string) => log.warn({ list }, message);
  const reader = new ScamListReader();
  opened.defer(() => reader.close());
  const lists = new PolledScamLists({
    lists: scamLists,
    now: Date.now,
    onFault,
    accountsIn: (text) => reader.accountsIn(text),
  });
  opened.defer(() => lists.stop());
  return lists;
}
