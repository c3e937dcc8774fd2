/**
 * How many pictures one address may ask for where no key is needed (the host of images): pages that embed them ask for
 * hundreds at once, which the limits of section 8.1 of the contract, made for answers, would refuse. A flood of distinct
 * addresses costs its sender this limit, and others nothing.
 *
 * Cost: 0.1 us a request, 2 MB for all addresses together.
 */
import type { Full } from './rate-limits.ts';
import { AddressWindows, count, counted, leftOf, timeOf } from './windows.ts';

/** A list of 200 rows, opened five times; each picture takes at most 0.3 ms. */
export const PICTURES = { limit: 1000, windowMs: 10_000 } as const;
const ADDRESSES = 1 << 17;
const SECOND = 1000;

export class PictureRates {
  readonly #addresses = new AddressWindows(ADDRESSES, 1, PICTURES.windowMs);

  /** Counts a request, or says that the window is full. @param now ms */
  take(address: string, now: number): Full | undefined {
    const { limit, windowMs } = PICTURES;
    const table = this.#addresses;
    const time = timeOf(now);
    const hash = table.hash(address);
    const at = table.at(hash, table.tag(address, hash), 0, time);
    if (counted(table.words, at, windowMs, time) < limit) {
      count(table.words, at, windowMs, time);
      return undefined;
    }
    return {
      bucket: 'pictures',
      limit,
      remaining: 0,
      windowSeconds: windowMs / SECOND,
      resetSeconds: leftOf(table.words, at, windowMs, time) / SECOND,
      policy: `"pictures";q=${limit};w=${windowMs / SECOND}`,
    };
  }
}
