/** The time that a tool is asked about: `since` or a number of hours, until `until`. */
import { HOUR_MS } from '../../engine/ripple-time.ts';
import { badRequest } from '../../requests/errors.ts';
import type { Values } from '../../requests/param-reader.ts';

/** Unix ms, both inclusive. */
export interface TimeSpan {
  readonly from: number;
  readonly until: number;
}

/**
 * No ledger is older than Unix time, so that no time of a span is before its beginning.
 * @param closeTime of the newest ledger, Unix ms: where it ends unless `until` is sent @throws ApiError for one that ends before it begins
 */
export function timeSpan({ since, until: asked, hours }: Values, closeTime: number): TimeSpan {
  const until = Math.max(0, (asked as number | undefined) ?? closeTime);
  const from = Math.max(0, (since as number | undefined) ?? until - (hours as number) * HOUR_MS);
  if (from > until)
    throw badRequest(
      'since is after until',
      asked === undefined ? 'until is the newest ledger unless it is sent' : undefined,
    );
  return { from, until };
}
