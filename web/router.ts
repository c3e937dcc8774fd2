/**
 * Where the reader is: the fragment of the address (`#/token/<id>?tab=book`). With fragments the document is always the
 * same, so that every address in the pages is relative to it and works behind any path prefix.
 */
import { signal } from '@preact/signals';
import { LeftPlaces } from './left-places.ts';

export interface Place {
  /** Between slashes, decoded: ['token', '<id>']. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

/** What each page gets. */
export interface PageProps {
  readonly place: Place;
}

/** @param hash as in `location.hash`; what cannot be decoded is left as it is. */
export function placeOf(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const segments = path.split('/').filter(Boolean).map(decoded);
  return { segments, query: new URLSearchParams(query) };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export const place = signal<Place>(placeOf(location.hash));
/** Where the reader was: on pages, and in the boxes of long lists by their labels. */
export const left = new LeftPlaces();
addEventListener('hashchange', () => {
  left.arrive();
  place.value = placeOf(location.hash);
});

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** An address for `href`: `linkTo(['token', id], { tab: 'book' })`. Members that are undefined or empty are left out. */
export function linkTo(segments: readonly string[], query: Query = {}): string {
  const search = searchOf(query);
  return `#/${segments.map(encodeURIComponent).join('/')}${search && `?${search}`}`;
}

/** Changes some members of the present place's query without a new entry in the browser's history. */
export function replaceQuery(changed: Query): void {
  const { segments, query } = place.value;
  left.forgetLists();
  history.replaceState(history.state, '', linkTo(segments, { ...Object.fromEntries(query), ...changed }));
  place.value = placeOf(location.hash);
}

export function searchOf(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') search.set(name, String(value));
  return search.toString();
}
