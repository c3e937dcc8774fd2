/** Rows that answers of section 4.2 have in common with others. */
import { LIQUIDITY_TYPES } from '../../views/trade-row.ts';
import { boolean, describe, integer, list, number, object, oneOf, orNull, string } from '../schema.ts';
import { tokenField } from '../token-schema.ts';
import { amountMembers, amountSchema } from './account-schemas.ts';

/** A trade or a liquidity event, as views/trade-row.ts writes it. */
export const tradeRow = object({
  _id: describe(string, '<ledger>_<number in the ledger>'),
  hash: describe(string, 'Of the transaction'),
  ledger: integer,
  seq: describe(integer, 'Sequence of the offer that was taken; 0: it was a pool'),
  maker: describe(string, 'Owner of the offer; with a pool: who signed, or provides'),
  taker: describe(string, 'Who signed; with a pool: the pool'),
  pair: describe(string, 'Pair hash'),
  paid: describe(
    amountSchema,
    'What the taker paid, so of a trade with a pool what the pool gave; of a liquidity event, of the first asset',
  ),
  got: describe(amountSchema, 'What the taker got; of a liquidity event, of the second asset'),
  time: describe(integer, 'Unix ms'),
  isAMM: boolean,
  isLiquidity: describe(boolean, 'Not a trade: liquidity of a pool was added or removed'),
  'type?': describe(oneOf(LIQUIDITY_TYPES), 'Of a liquidity event'),
  'account?': describe(string, 'Of a liquidity event: who provides'),
  'lp?': describe(amountSchema, 'Of a liquidity event: its LP tokens'),
  'sourceTag?': describe(integer, 'Of the transaction'),
  'platform?': describe(string, 'Whose source tag or address the transaction has'),
  'price?': describe(string, 'XRP for one token; absent: no side, or both, is XRP'),
  'xrp?': describe(number, 'Value, XRP; absent: not known'),
});

export const keptFrom = describe(
  integer,
  'Unix ms: older trades were removed (--keep-trades), and may have been among these',
);

/** Where a page of trades stands among all. */
export const historyMeta = object({
  'total?': describe(integer, 'Rows on all pages; absent where the filters leave more than were counted'),
  offset: integer,
  limit: integer,
  direction: string,
  'xrp_amount?': number,
  recordsReturned: integer,
  nextCursor: describe(orNull(integer), 'The cursor of the next page; null at the end'),
  hasMore: boolean,
  'truncated?': describe(boolean, 'Offsets reach no further: go on by cursor'),
  'keptFrom?': keptFrom,
  timeRange: describe(orNull(object({ start: integer, end: integer })), 'Of the rows here, Unix ms'),
});

export const assetMembers = { currency: string, issuer: string, md5: string, name: string };

/** A token, or XRP. */
export const asset = object(assetMembers);

const poolYield = object({
  apy: describe(number, 'Fees over liquidity, times the periods of a year, percent; not compounded'),
  volume: describe(number, 'XRP'),
  fees: describe(number, 'XRP, at the fee of now'),
  liquidity: describe(number, 'What it locks now, XRP'),
});

export const poolRow = object({
  _id: describe(string, 'As ammAccount'),
  ammAccount: describe(string, 'r-address of the pool'),
  asset1: asset,
  asset2: asset,
  tradingFee: describe(integer, 'In units of 1/100000'),
  lpTokenCurrency: string,
  lpHolderCount: integer,
  tags: list(string),
  'lastTraded?': describe(integer, 'Unix ms; absent: not in the last seven days'),
  'createdTimestamp?': describe(integer, 'Unix ms; absent: before the first ledger read'),
  apy24h: poolYield,
  apy7d: poolYield,
  currentLiquidity: object({ asset1Amount: number, asset2Amount: number, lpTokenBalance: number }),
});

export const poolSummary = object({
  totalLiquidity: number,
  xrpTokenLiquidity: describe(number, 'Of pools with XRP'),
  tokenTokenLiquidity: number,
  totalVolume24h: number,
  totalVolume7d: number,
  totalFees24h: number,
  totalFees7d: number,
  avgFee: describe(number, 'Mean of tradingFee'),
});

const poolSide = object({ ...amountMembers, md5: string });

/** A pool in the form of amm_info, and its auction slot and votes. */
export const poolNow = object({
  account: describe(string, 'r-address of the pool'),
  amount: poolSide,
  amount2: poolSide,
  asset_frozen: boolean,
  asset2_frozen: boolean,
  lp_token: amountSchema,
  trading_fee: describe(integer, 'In units of 1/100000, as the fees below'),
  'spot_price?': describe(string, 'Units of the first asset for one of the second; absent: a side is empty'),
  lp_holders: integer,
  'created?': describe(integer, 'Unix ms; absent: before the first ledger read'),
  'auction_slot?': describe(
    object({
      account: string,
      'auth_accounts?': list(object({ account: string })),
      discounted_fee: integer,
      'expiration?': describe(integer, 'Unix ms'),
      'price?': describe(amountSchema, 'LP tokens'),
      'time_interval?': describe(integer, 'Which twentieth of its day it is, from 0; 20: the day is over'),
    }),
    'Absent: stored ledgers do not show it',
  ),
  'vote_slots?': list(
    object({
      account: string,
      trading_fee: integer,
      vote_weight: describe(integer, 'In units of 1/100000'),
    }),
  ),
});

const pairToken = object({
  ...assetMembers,
  'user?': tokenField('user'),
  'domain?': tokenField('domain'),
  'verified?': tokenField('verified'),
  'twitter?': describe(string, 'As creator or issuer gave it here'),
  value: describe(number, 'Traded of it with the other in 24 hours'),
});

export const pairRow = object({
  pair: describe(string, 'Pair hash'),
  curr1: describe(pairToken, 'The token that was asked for'),
  curr2: pairToken,
  count: describe(integer, 'Trades of 24 hours'),
  volume: describe(number, 'XRP, of 24 hours'),
  id: describe(integer, 'Place in the list, from 1'),
});
