/**
 * Calls of routes that share the thread: a tool that reads dozens of pages in one go would hold up every other request until
 * it has them all.
 *
 * Only pages that a marker or a cursor continues are read with pauses: a ledger that comes between two of them moves no row
 * from one to the other. What has to fit together, as pages by offset, is read with pauses of its own (pages.ts).
 */
import type { TimeSlice } from '../../engine/event-loop.ts';
import type { JsonObject } from './json-rpc.ts';
import type { RouteValues } from './route-calls.ts';

type Call = (key: string, values: RouteValues, fields?: readonly string[]) => Promise<JsonObject>;

/** @param slice of the tool's call */
export function pausedCalls(call: Call, slice: Pick<TimeSlice, 'pause'>): Call {
  return async (key, values, fields) => {
    if ('marker' in values || 'cursor' in values) await slice.pause();
    return call(key, values, fields);
  };
}
