/** Rows that answers of section 4.2 have in common with others. */
import { LIQUIDITY_TYPES } from '../../views/trade-row.ts';
import { boolean, describe, integer, number, object, oneOf, string } from '../schema.ts';
import { amountSchema } from './account-schemas.ts';

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
