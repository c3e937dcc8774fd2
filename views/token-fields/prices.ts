/** What the token costs, how the price moved, and what all of it is worth. */
import { Window } from '../../engine/market/figures.ts';
import { XRP } from '../../engine/state/tokens.ts';
import { finite, numberText, percent } from '../number-format.ts';
import type { TokenFigures } from '../token-figures.ts';
import { EVERY, FULL, field, LIGHT, number, text } from './field.ts';

/** That of XRP in XRP is known to be none. */
const change =
  (window: Window) =>
  ({ market }: Pick<TokenFigures, 'market'>, token: number) =>
    token === XRP ? 0 : market.windows.change(token, window);
const change5m = change(Window.m5);
const change1h = change(Window.h1);
const change24h = change(Window.h24);
const change7d = change(Window.d7);
const change30d = change(Window.d30);

export const PRICE_FIELDS = [
  field({
    name: 'exch',
    about: 'Price; a number with the option --compat exch-number',
    unit: 'XRP',
    schema: { type: ['string', 'number'] },
    sizes: EVERY,
    presets: ['ticker', 'price', 'trading'],
    sort: (figures, token) => figures.price(token),
    sortNames: ['price'],
    value: ({ figures, forms, token }) => {
      const price = figures.price(token);
      return price === undefined || forms.exchNumber ? price : numberText(price);
    },
  }),
  field({
    name: 'usd',
    about: 'Price',
    unit: 'USD',
    schema: text,
    sizes: EVERY,
    presets: ['ticker', 'price', 'trading'],
    isOfMarket: true,
    value: ({ figures, token }) => {
      const usd = figures.usd(token);
      return usd === undefined ? undefined : numberText(usd);
    },
  }),
  field({
    name: 'marketcap',
    about: 'Price times issued amount',
    unit: 'XRP',
    schema: number,
    sizes: EVERY,
    presets: ['ticker', 'trading'],
    sort: (figures, token) => figures.marketcap(token),
    value: ({ marketcap }) => marketcap,
  }),
  field({
    name: 'dom',
    about: 'Share of the market cap of all tokens that count in it',
    unit: 'percent',
    schema: number,
    sizes: LIGHT,
    presets: ['trading'],
    isOfMarket: true,
    value: ({ market: { totals }, marketcap, token }) => {
      const whole = totals.marketcap;
      // A token that does not count in the whole has no share of it.
      const isCounted = marketcap !== undefined && whole > 0 && totals.ofMarket.has(token);
      return isCounted ? percent((marketcap / whole) * 100) : undefined;
    },
  }),
  field({
    name: 'pro5m',
    about: 'Change of the price in 5 minutes',
    unit: 'percent',
    schema: number,
    sizes: EVERY,
    presets: ['price', 'trading'],
    sort: change5m,
    sortNames: ['change5m'],
    value: (facts) => percent(change5m(facts, facts.token)),
  }),
  field({
    name: 'pro1h',
    about: 'Change of the price in 1 hour',
    unit: 'percent',
    schema: number,
    sizes: EVERY,
    presets: ['price', 'trading'],
    sort: change1h,
    sortNames: ['change1h'],
    value: (facts) => percent(change1h(facts, facts.token)),
  }),
  field({
    name: 'pro24h',
    about: 'Change of the price in 24 hours',
    unit: 'percent',
    schema: number,
    sizes: EVERY,
    presets: ['ticker', 'price', 'trading'],
    sort: change24h,
    sortNames: ['change24h'],
    value: (facts) => percent(change24h(facts, facts.token)),
  }),
  field({
    name: 'pro7d',
    about: 'Change of the price in 7 days, in whole hours',
    unit: 'percent',
    schema: number,
    sizes: EVERY,
    presets: ['price', 'trading'],
    sort: change7d,
    sortNames: ['change7d'],
    value: (facts) => percent(change7d(facts, facts.token)),
  }),
  field({
    name: 'pro30d',
    about: 'Change of the price in 30 days, in whole hours',
    unit: 'percent',
    schema: number,
    sizes: LIGHT,
    presets: ['price', 'trading'],
    sort: change30d,
    value: (facts) => percent(change30d(facts, facts.token)),
  }),
  field({
    name: 'maxMin24h',
    about: 'Highest and lowest price of 24 hours, in this order',
    unit: 'XRP',
    schema: { type: 'array', items: number, minItems: 2, maxItems: 2 },
    sizes: LIGHT,
    presets: ['price', 'trading'],
    value: ({ market: { windows }, token }) => {
      const max = windows.max(token);
      const min = windows.min(token);
      return max !== undefined && min !== undefined ? [max, min] : undefined;
    },
  }),
  field({
    name: 'athDistance',
    about: 'How far below the highest price since the first ledger read',
    unit: 'percent',
    schema: number,
    sizes: LIGHT,
    presets: ['price', 'trading'],
    value: ({ market: { prices }, figures, token }) => {
      const highest = prices.athPrice(token);
      const price = figures.price(token);
      if (highest === undefined || price === undefined || !(highest > 0)) return undefined;
      return percent(Math.max(0, (1 - price / highest) * 100));
    },
  }),
  field({
    name: 'athMarketcap',
    about: 'Market cap of the amount issued now at the highest price since the first ledger read',
    unit: 'XRP',
    schema: number,
    sizes: FULL,
    value: ({ market: { prices }, figures, token }) => {
      const highest = prices.athPrice(token);
      return highest === undefined ? undefined : finite(highest * figures.amount(token));
    },
  }),
] as const;
