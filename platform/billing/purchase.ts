/** What can be bought, and how a wallet gets it. */
import type { PlatformTransaction } from '../store.ts';
import type { Billing, Moment, SoldTier } from '../terms.ts';

/** What one payment buys. */
export type Purchase =
  | { readonly type: 'credits'; readonly package: string; readonly credits: number }
  | { readonly type: 'tier'; readonly tier: SoldTier; readonly billing: Billing };

/**
 * Gives a wallet what was bought, in the transaction that stores the payment for it. It counts when the transaction is
 * durable and `applied` is called.
 */
export type Deliver = (
  transaction: PlatformTransaction,
  wallet: string,
  purchase: Purchase,
  at: Moment,
) => { applied(): unknown };
