/** What a POST that changes nothing answers, for as long as a component is shown: asked until it is answered, and again for other questions. */
import { useEffect, useState } from 'preact/hooks';
import { Repeated } from './repeated.ts';
import { type Answer, type PathOf, post, type Result } from './rest.ts';

/** undefined: not answered yet. */
export function usePosted<P extends PathOf<'POST'>>(
  path: P,
  body: object,
): Result<Answer<P, 'POST'>> | undefined {
  const key = `${path} ${JSON.stringify(body)}`;
  const [shown, show] = useState<{ readonly key: string; readonly result: Result<Answer<P, 'POST'>> }>();
  // The key stands for path and body.
  useEffect(() => {
    const abort = new AbortController();
    const repeated = new Repeated('once', async () => {
      const result = await post(path, body, { signal: abort.signal });
      if (abort.signal.aborted) return undefined;
      show({ key, result });
      return result.failure;
    });
    return () => {
      abort.abort();
      repeated.end();
    };
  }, [key]);
  return shown?.key === key ? shown.result : undefined;
}
