/** What is asked for as long as a component is shown, and asked again as the ledgers close (repeated.ts). */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Repeated } from './repeated.ts';
import type { Failure } from './rest.ts';

export interface Shown<T> {
  /** The newest answer to this question. */
  readonly value?: T;
  /** Why it was not answered the last time; `value` may still be there, of before. */
  readonly failure?: Failure;
  readonly loading: boolean;
}

/** What a question gave: an answer, why there is none, or both where a part of it was not answered. */
interface Answered<T> {
  readonly value?: T | undefined;
  readonly failure?: Failure | undefined;
}

/**
 * @param key stands for the question: another one ends it, and begins the next; undefined: nothing is asked
 * @param follow as of `Repeated`
 * @returns what is shown, and a function that asks at once
 */
export function useRepeated<T>(
  key: string | undefined,
  follow: 'ledger' | 'once' | number,
  ask: (signal: AbortSignal) => Promise<Answered<T>>,
): readonly [Shown<T>, () => void] {
  const [shown, setShown] = useState<Shown<T> & { key?: string }>({ loading: true });
  const again = useRef(() => {});
  useEffect(() => {
    if (key === undefined) {
      // What is asked after it begins anew, also where it is the same.
      setShown((before) => (before.key === undefined ? before : { loading: true }));
      return;
    }
    const repeated = new Repeated(follow, async (signal) => {
      const { value, failure } = await ask(signal);
      if (signal.aborted) return undefined;
      setShown((before) => ({
        ...(failure && before.key === key && before),
        ...(value !== undefined && { value }),
        ...(failure && { failure }),
        loading: false,
        key,
      }));
      return failure;
    });
    again.current = () => repeated.again();
    return () => repeated.end();
  }, [key, follow]);
  return [shown.key === key ? shown : { loading: true }, () => again.current()];
}
