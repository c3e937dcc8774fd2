/**
 * What stands beside the full row in answers of /tokens and /token/{id}: names that older clients read, and figures that
 * move with other tokens. Streams and kept rows are without them: rows stay small, and nothing here has to be forgotten.
 */
import { DROPS_PER_XRP } from '../../engine/codec/amount.ts';
import { Window } from '../../engine/market/figures.ts';
import { XRP } from '../../engine/state/tokens.ts';
import { finite } from '../number-format.ts';
import type { TokenFacts } from '../token-facts.ts';
import { BESIDE, field, integer, number, text } from './field.ts';

/** By how much the price moved, XRP; of the same two prices as the change in percent. */
const difference =
  (window: Window) =>
  ({ market: { prices, windows }, token }: TokenFacts): number | undefined => {
    if (token === XRP) return 0;
    const before = windows.basePrice(token, window);
    const now = prices.price(token);
    return before === undefined || windows.change(token, window) === undefined
      ? undefined
      : finite(now! - before);
  };

export const BESIDE_FIELDS = [
  field({
    name: '_id',
    about: 'The same as md5',
    schema: text,
    sizes: BESIDE,
    value: ({ state, token }) => state.tokens.md5(token),
  }),
  field({
    name: 'id',
    about:
      'Place among all listed tokens by vol24hxrp, 1: the largest; absent for tokens that are not listed',
    schema: integer,
    sizes: BESIDE,
    value: ({ place }) => place,
  }),
  field({
    name: 'p5m',
    about: 'Difference of the price in 5 minutes',
    unit: 'XRP',
    schema: number,
    sizes: BESIDE,
    value: difference(Window.m5),
  }),
  field({
    name: 'p1h',
    about: 'Difference of the price in 1 hour',
    unit: 'XRP',
    schema: number,
    sizes: BESIDE,
    value: difference(Window.h1),
  }),
  field({
    name: 'p24h',
    about: 'Difference of the price in 24 hours',
    unit: 'XRP',
    schema: number,
    sizes: BESIDE,
    value: difference(Window.h24),
  }),
  field({
    name: 'p7d',
    about: 'Difference of the price in 7 days, in whole hours',
    unit: 'XRP',
    schema: number,
    sizes: BESIDE,
    value: difference(Window.d7),
  }),
  field({
    name: 'marketcap24h',
    about: 'Change of the market cap by the price of 24 hours ago: what is issued now times p24h',
    unit: 'XRP',
    schema: number,
    sizes: BESIDE,
    value: (facts) => {
      const moved = difference(Window.h24)(facts);
      return moved === undefined ? undefined : finite(moved * facts.figures.amount(facts.token));
    },
  }),
  field({
    name: 'vol24hx',
    about: 'The same as vol24h',
    unit: 'tokens',
    schema: number,
    sizes: BESIDE,
    value: ({ market, token }) => market.windows.tokenVolume(token),
  }),
  field({
    name: 'vol24hxrpAMM',
    about: 'The same as vol24hAMM',
    unit: 'XRP',
    schema: number,
    sizes: BESIDE,
    value: ({ market, token }) => market.windows.ammDrops(token) / DROPS_PER_XRP,
  }),
  field({
    name: 'offers',
    about: 'Offers on all books that pay or get the token',
    schema: integer,
    sizes: BESIDE,
    value: ({ state, token }) => state.books.offersOf(token),
  }),
  field({
    name: 'creatorTokenCount',
    about: 'Tokens that the creator created, this one included',
    schema: integer,
    sizes: BESIDE,
    value: ({ creatorTokens }) => creatorTokens,
  }),
  field({
    name: 'creatorExchange',
    about:
      'The exchange that activated the account of the creator: its domain, else its r-address. An exchange is an account that requires destination tags; absent where none is known',
    schema: text,
    sizes: BESIDE,
    value: ({ creatorExchange }) => creatorExchange,
  }),
] as const;
