/** Expiry of entries with an `Expiration`. Credentials and payment channels are still valid in that second: see there. */
import type { ReadView } from '../ledger/view.ts';

/**
 * Whether it had expired at the close of the parent ledger: from that very second on (rippled `hasExpired`).
 * @param expiration Ripple epoch seconds; undefined: never
 */
export const hasExpired = (view: ReadView, expiration: number | undefined): boolean =>
  expiration !== undefined && view.header.parentCloseTime >= expiration;
