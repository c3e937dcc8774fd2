/**
 * An answer of the service for as long as a component is shown. What has no stream of its own follows the ledgers: it is
 * asked for again after a ledger closed (never by a timer), and not while the tab is hidden. The last answer stays shown
 * meanwhile, so that nothing jumps.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Query, searchOf } from '../router.ts';
import { newestLedger } from './ledger.ts';
import { type Answer, type Failure, get, type PathOf } from './rest.ts';

export interface Shown<T> {
  /** The newest answer; of the same parameters. */
  readonly value?: T;
  /** Why the newest question was not answered; `value` may still be there, of before. */
  readonly failure?: Failure;
  readonly loading: boolean;
}

export interface Following {
  /** 'ledger': again after each ledger. A number: after so many ledgers. 'once': never again. Default: 'ledger', with a version 'once'. */
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
  const askedAt = useRef(0);

  // The key stands for path and query.
  useEffect(() => {
    if (path === undefined) return;
    const abort = new AbortController();
    let asking = false;
    const ask = async () => {
      asking = true;
      askedAt.current = newestLedger.peek()?.ledger_index ?? 0;
      const { value, failure } = await get(path, { query, signal: abort.signal });
      asking = false;
      if (abort.signal.aborted) return;
      setShown((before) =>
        failure
          ? { ...(before.key === key && before), failure, loading: false, key }
          : { value, loading: false, key },
      );
    };
    void ask();
    const every = follow === 'ledger' ? 1 : follow;
    const askWhenDue = () => {
      const index = newestLedger.peek()?.ledger_index ?? 0;
      if (every !== 'once' && !asking && !document.hidden && index >= askedAt.current + every) void ask();
    };
    const unsubscribe = newestLedger.subscribe(askWhenDue);
    document.addEventListener('visibilitychange', askWhenDue);
    return () => {
      abort.abort();
      unsubscribe();
      document.removeEventListener('visibilitychange', askWhenDue);
    };
  }, [key, follow, version]);

  return shown.key === key ? shown : { loading: true };
}
