/** When something with an `Expiration` is over. Credentials and payment channels last through that second: see there. */
import type { ReadView } from '../ledger/view.ts';

/**
 * Past its expiry at the close of the ledger before: from that very second on (rippled `hasExpired`).
 * @param expiration Ripple epoch seconds; undefined: never
 */
export const hasExpired = (view: ReadView, expiration: number | undefined): boolean =>
  expiration !== undefined && view.header.parentCloseTime >= expiration;
