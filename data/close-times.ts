/** Close times and ledgers by each other, in the table of those that are merged; within the writer's transactions. */
import { readU32 } from '../engine/codec/bytes.ts';
import type { Environment } from './environment.ts';
import { Family, key } from './keys.ts';

const U32_MAX = 0xffffffff;

/** First ledger that closed after a time (Ripple epoch seconds), else the newest of the table; 0: it is empty. */
export function firstAfter(environment: Environment, time: number): number {
  if (time < 0) return 0;
  const after = indexAt(environment, { start: key([4, 4], [Math.min(time + 1, U32_MAX), 0]) });
  return after ?? indexAt(environment, { start: key([4, 4], [U32_MAX, U32_MAX]), reverse: true }) ?? 0;
}

/** Close times ascend as ledgers do. @returns undefined: the ledger is not in the table */
export function closeTimeOf(environment: Environment, index: number): number | undefined {
  let [low, high] = [0, U32_MAX];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = indexAt(environment, { start: key([4, 4], [middle + 1, 0]) });
    if (found !== undefined && found <= index) low = middle + 1;
    else high = middle;
  }
  return environment.families[Family.closeTimes]!.getBinary(key([4, 4], [low, index])) ? low : undefined;
}

function indexAt(
  { families }: Environment,
  range: { readonly start: Buffer; readonly reverse?: boolean },
): number | undefined {
  const [found] = [...families[Family.closeTimes]!.getKeys({ ...range, limit: 1 })];
  return found && readU32(found, 4);
}
