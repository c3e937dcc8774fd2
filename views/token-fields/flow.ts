/** Who traded in the last 24 hours, and in which direction. */
import { DROPS_PER_XRP } from '../../engine/codec/amount.ts';
import { Window } from '../../engine/market/figures.ts';
import { rounded } from '../number-format.ts';
import { FULL, field, integer, LIGHT, number } from './field.ts';

export const FLOW_FIELDS = [
  field({
    name: 'uniqueTraders24h',
    about: 'Different traders of 24 hours',
    schema: integer,
    sizes: LIGHT,
    presets: ['trading'],
    sort: ({ market }, token) => market.windows.uniqueTraders(token),
    value: ({ market, token }) => market.windows.uniqueTraders(token),
  }),
  field({
    name: 'uniqueBuyers24h',
    about: 'Different buyers of 24 hours',
    schema: integer,
    sizes: FULL,
    presets: ['trading'],
    value: ({ market, token }) => market.windows.uniqueBuyers(token),
  }),
  field({
    name: 'uniqueSellers24h',
    about: 'Different sellers of 24 hours',
    schema: integer,
    sizes: FULL,
    presets: ['trading'],
    value: ({ market, token }) => market.windows.uniqueSellers(token),
  }),
  field({
    name: 'buy24hxrp',
    about: 'Volume of purchases of 24 hours',
    unit: 'XRP',
    schema: number,
    sizes: LIGHT,
    presets: ['trading'],
    value: ({ market, token }) => market.windows.buyDrops(token) / DROPS_PER_XRP,
  }),
  field({
    name: 'sell24hxrp',
    about: 'Volume of sales of 24 hours',
    unit: 'XRP',
    schema: number,
    sizes: LIGHT,
    presets: ['trading'],
    value: ({ market, token }) => market.windows.sellDrops(token) / DROPS_PER_XRP,
  }),
  field({
    name: 'buy24htx',
    about: 'Purchases of 24 hours',
    schema: integer,
    sizes: FULL,
    presets: ['trading'],
    value: ({ market, token }) => market.windows.buys(token),
  }),
  field({
    name: 'sell24htx',
    about: 'Sales of 24 hours',
    schema: integer,
    sizes: FULL,
    presets: ['trading'],
    value: ({ market, token }) => market.windows.sells(token),
  }),
  field({
    name: 'buyTxns24h',
    about: 'The same as buy24htx',
    schema: integer,
    sizes: FULL,
    value: ({ market, token }) => market.windows.buys(token),
  }),
  field({
    name: 'sellTxns24h',
    about: 'The same as sell24htx',
    schema: integer,
    sizes: FULL,
    value: ({ market, token }) => market.windows.sells(token),
  }),
  field({
    name: 'txns24h',
    about: 'The same as vol24htx',
    schema: integer,
    sizes: FULL,
    value: ({ market, token }) => market.windows.trades(token, Window.h24),
  }),
  field({
    name: 'deposit24hxrp',
    about: 'XRP deposited into pools in 24 hours, without the tokens beside it',
    unit: 'XRP',
    schema: number,
    sizes: FULL,
    presets: ['trading'],
    value: ({ market, token }) => market.windows.depositDrops(token) / DROPS_PER_XRP,
  }),
  field({
    name: 'deposit24htx',
    about: 'Deposits into pools in 24 hours',
    schema: integer,
    sizes: FULL,
    presets: ['trading'],
    value: ({ market, token }) => market.windows.deposits(token),
  }),
  field({
    name: 'withdraw24hxrp',
    about: 'XRP withdrawn from pools in 24 hours, without the tokens beside it',
    unit: 'XRP',
    schema: number,
    sizes: FULL,
    presets: ['trading'],
    value: ({ market, token }) => market.windows.withdrawDrops(token) / DROPS_PER_XRP,
  }),
  field({
    name: 'withdraw24htx',
    about: 'Withdrawals from pools in 24 hours',
    schema: integer,
    sizes: FULL,
    presets: ['trading'],
    value: ({ market, token }) => market.windows.withdrawals(token),
  }),
  field({
    name: 'buyerPressure',
    about: 'Volume of purchases over volume of sales, a ratio; absent where nothing was sold',
    schema: number,
    sizes: LIGHT,
    presets: ['trading'],
    value: ({ market: { windows }, token }) => {
      const sold = windows.sellDrops(token);
      return sold > 0 ? rounded(windows.buyDrops(token) / sold, 6) : undefined;
    },
  }),
] as const;
