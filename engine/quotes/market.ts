/** What quotes read of the state: in the thread that writes it, or in another one (state/shared-state.ts). */
import type { Accounts } from '../state/accounts.ts';
import type { Books } from '../state/books.ts';
import type { Fees } from '../state/fees.ts';
import type { LineQualities } from '../state/line-qualities.ts';
import type { Lines } from '../state/lines.ts';
import type { Pools } from '../state/pools.ts';
import type { Tokens } from '../state/tokens.ts';

export interface Market {
  readonly accounts: Pick<
    Accounts,
    'flags' | 'transferRate' | 'ownerCount' | 'amm' | 'balanceDrops' | 'exists' | 'isBelow'
  >;
  readonly tokens: Pick<Tokens, 'kinds' | 'issuers' | 'codes' | 'count'>;
  readonly lines: Pick<
    Lines,
    | 'find'
    | 'balanceRaw'
    | 'limitRaw'
    | 'highs'
    | 'flags'
    | 'lowLimitsHi'
    | 'lowLimitsLo'
    | 'highLimitsHi'
    | 'highLimitsLo'
  >;
  readonly lineQualities: Pick<LineQualities, 'qualityIn' | 'qualityOut'>;
  readonly books: Pick<
    Books,
    | 'book'
    | 'bookCount'
    | 'bookPays'
    | 'bookGets'
    | 'bookDomain'
    | 'offers'
    | 'size'
    | 'accounts'
    | 'paysTokens'
    | 'getsTokens'
    | 'paysHi'
    | 'paysLo'
    | 'getsHi'
    | 'getsLo'
    | 'qualityHi'
    | 'qualityLo'
    | 'domainIds'
    | 'expired'
  >;
  readonly pools: Pick<
    Pools,
    | 'count'
    | 'exists'
    | 'accounts'
    | 'asset1'
    | 'asset2'
    | 'byAccount'
    | 'byAssets'
    | 'feeFor'
    | 'hasDiscount'
    | 'withDiscounts'
    | 'reserveRaw'
    | 'lpBalanceRaw'
  >;
  readonly fees: Pick<
    Fees,
    'closeTime' | 'reserveBaseDrops' | 'reserveIncrementDrops' | 'baseFeeDrops' | 'ledgerIndex'
  >;
}
