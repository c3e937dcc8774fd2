/**
 * Decimal places of MPTs: transactions count in the smallest unit of one, people in whole ones. They are asked of the node,
 * because whoever asks for the token itself counts as one more that looked at it. They never change: each is asked for once.
 */
import { type Signal, signal } from '@preact/signals';
import { reopenings } from './ledger.ts';
import { Repeated } from './repeated.ts';
import { isPassing, post } from './rest.ts';

/** Before its answer; an MPT that is no more has none. */
export type Places = number | 'asked' | 'unknown';

const known = new Map<string, Signal<Places>>();
/** Those that nobody says here: how often the connection had been opened again by then. Another service may say it after that. */
const refusedAfter = new Map<string, number>();

/** @param id of the issuance, 48 hex digits */
export function mptPlaces(id: string): Places {
  let places = known.get(id);
  if (!places) {
    places = signal<Places>('asked');
    known.set(id, places);
    follow(id, places);
  } else if ((refusedAfter.get(id) ?? reopenings.peek()) < reopenings.peek()) {
    refusedAfter.delete(id);
    follow(id, places);
  }
  return places.value;
}

function follow(id: string, places: Signal<Places>): void {
  const params = { mpt_issuance: id, ledger_index: 'validated' };
  const asked = new Repeated('once', async () => {
    const { value, failure } = await post('/rpc', { method: 'ledger_entry', params });
    if (failure && isPassing(failure)) return failure;
    if (failure?.isNotConfigured) refusedAfter.set(id, reopenings.peek());
    places.value = placesIn(value?.result);
    asked.end();
    return undefined;
  });
}

/** An entry without the field counts in whole ones. */
function placesIn(result: { readonly node?: unknown } | undefined): Places {
  const { node } = result ?? {};
  if (typeof node !== 'object' || node === null) return 'unknown';
  const { AssetScale: places = 0 } = node as { readonly AssetScale?: unknown };
  return typeof places === 'number' ? places : 'unknown';
}
