/**
 * An answer of the service for as long as a component is shown. What has no stream of its own follows the ledgers: it is
 * asked for again after a ledger closed, and not while the tab is hidden. The last answer stays shown meanwhile, so that
 * nothing jumps.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Query, searchOf } from '../router.ts';
import { Repeated } from './repeated.ts';
import { type Answer, type Failure, get, type PathOf } from './rest.ts';

export interface Shown<T> {
  /** The newest answer; of the same parameters. */
  readonly value?: T;
  /** Why the newest question was not answered; `value` may still be there, of before. */
  readonly failure?: Failure;
  readonly loading: boolean;
}

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
  const [shown, setShown] = useState<Shown<Answer<P>> & { key?: string | undefined }>({ loading: true });
  const again = useRef(() => {});
  // The key stands for path and query.
  useEffect(() => {
    if (path === undefined) return;
    const abort = new AbortController();
    const repeated = new Repeated(follow, async () => {
      const { value, failure } = await get(path, { query, signal: abort.signal });
      if (abort.signal.aborted) return undefined;
      setShown((before) =>
        failure
          ? { ...(before.key === key && before), failure, loading: false, key }
          : { value, loading: false, key },
      );
      return failure;
    });
    again.current = () => repeated.again();
    return () => {
      abort.abort();
      repeated.end();
    };
  }, [key, follow]);
  const asked = useRef(version);
  useEffect(() => {
    if (version !== asked.current) again.current();
    asked.current = version;
  }, [version]);

  return shown.key === key ? shown : { loading: true };
}
