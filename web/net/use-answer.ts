/**
 * An answer of the service for as long as a component is shown. What has no stream of its own follows the ledgers: it is
 * asked for again after a ledger closed, and not while the tab is hidden. The last answer stays shown meanwhile, so that
 * nothing jumps.
 */
import { useEffect, useRef } from 'preact/hooks';
import { type Query, searchOf } from '../router.ts';
import { type Answer, get, type PathOf } from './rest.ts';
import { type Shown, useRepeated } from './use-repeated.ts';

export interface Following {
  /** 'ledger': again after each ledger. A number: after so many ledgers. 'once': never again, once it is answered. Default: 'ledger', with a version 'once'. */
  readonly follow?: 'ledger' | 'once' | number;
  /** Asked again whenever this is another one: what a stream says has changed. */
  readonly version?: number;
}

/** Nothing is asked while `path` is undefined. */
export function useAnswer<P extends PathOf<'GET'>>(
  path: P | undefined,
  query: Query = {},
  { version, follow = version === undefined ? 'ledger' : 'once' }: Following = {},
): Shown<Answer<P>> {
  const key = path && `${path}?${searchOf(query)}`;
  const [shown, again] = useRepeated(key, follow, (signal) => get(path!, { query, signal }));
  const asked = useRef(version);
  useEffect(() => {
    if (version !== asked.current) again();
    asked.current = version;
  }, [version]);
  return shown;
}
