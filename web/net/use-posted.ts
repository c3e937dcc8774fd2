/** What a POST that changes nothing answers, for as long as a component is shown: asked once, and again for other questions. */
import { useEffect, useState } from 'preact/hooks';
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
    void post(path, body, { signal: abort.signal }).then((result) => {
      if (!abort.signal.aborted) show({ key, result });
    });
    return () => abort.abort();
  }, [key]);
  return shown?.key === key ? shown.result : undefined;
}
