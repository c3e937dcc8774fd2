/**
 * What a POST that changes nothing answers, for as long as a component is shown: asked until it is answered, and again for other
 * questions.
 */
import { type Answer, type PathOf, post } from './rest.ts';
import { type Shown, useRepeated } from './use-repeated.ts';

/** Nothing is asked while `body` is undefined. */
export function usePosted<P extends PathOf<'POST'>>(
  path: P,
  body: object | undefined,
): Shown<Answer<P, 'POST'>> {
  const key = body && `${path} ${JSON.stringify(body)}`;
  const [shown] = useRepeated(key, 'once', (signal) => post(path, body!, { signal }));
  return shown;
}
