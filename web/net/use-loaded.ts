/** A part of the program that is loaded when it is first needed: asked for until it is there, as answers are. */
import { type Shown, useRepeated } from './use-repeated.ts';

/** @param key names it; undefined: nothing is loaded @param load imports it */
export function useLoaded<T>(key: string | undefined, load: () => Promise<T>): Shown<T> {
  const [shown] = useRepeated(key, 'once', () =>
    load().then(
      (value) => ({ value }),
      // The network is gone, or the service has begun again with other names for its files. Which, nobody says.
      () => ({
        failure: {
          status: 0,
          message: 'This part could not be loaded. Load the page again if it does not come by itself.',
        },
      }),
    ),
  );
  return shown;
}
