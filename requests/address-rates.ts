/**
 * What one address may do beside the limits of section 8.1 of the contract, which are made for answers:
 *
 *     pictures     where no key is needed (the host of images): pages that embed them ask for hundreds at once. A flood of
 *                  distinct addresses costs its sender this limit, and others nothing
 *     new wallets  whose first key is made: anybody can make any number of wallets, and each takes rows that stay, of which
 *                  there are a million for all
 *
 * Cost: 0.1 us a request, 16 bytes an address.
 */
import type { Full } from './rate-limits.ts';
import { AddressWindows, count, counted, leftOf, timeOf } from './windows.ts';

interface AddressRate {
  /** Named in refusals. */
  readonly bucket: string;
  readonly limit: number;
  readonly windowMs: number;
  /** Addresses that are counted; a power of 2. */
  readonly addresses: number;
}

const SECOND = 1000;

/** A list of 200 rows, opened five times; each picture takes at most 0.3 ms. */
export const PICTURES: AddressRate = {
  bucket: 'pictures',
  limit: 1000,
  windowMs: 10 * SECOND,
  addresses: 1 << 17,
};

/** More than the people behind one address begin in a day. */
export const NEW_WALLETS: AddressRate = {
  bucket: 'new wallets',
  limit: 100,
  windowMs: 86_400 * SECOND,
  addresses: 1 << 16,
};

export class AddressRates {
  readonly #rate: AddressRate;
  readonly #addresses: AddressWindows;

  constructor(rate: AddressRate) {
    this.#rate = rate;
    this.#addresses = new AddressWindows(rate.addresses, 1, rate.windowMs);
  }

  /** Counts a request, or says that the window is full. @param now ms */
  take(address: string, now: number): Full | undefined {
    const { bucket, limit, windowMs } = this.#rate;
    const table = this.#addresses;
    const time = timeOf(now);
    const hash = table.hash(address);
    const at = table.at(hash, table.tag(address, hash), 0, time);
    if (counted(table.words, at, windowMs, time) < limit) {
      count(table.words, at, windowMs, time);
      return undefined;
    }
    return {
      bucket,
      limit,
      remaining: 0,
      windowSeconds: windowMs / SECOND,
      resetSeconds: leftOf(table.words, at, windowMs, time) / SECOND,
      policy: `"${bucket}";q=${limit};w=${windowMs / SECOND}`,
    };
  }
}
