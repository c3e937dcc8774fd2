/** How much is issued, and how much of it was traded. Windows are of close time up to the newest ledger. */
import { DROPS_PER_XRP } from '../../engine/codec/amount.ts';
import { Window } from '../../engine/market/figures.ts';
import { finite } from '../number-format.ts';
import { EVERY, FULL, field, integer, LIGHT, number, text } from './field.ts';

export const VOLUME_FIELDS = [
  field({
    name: 'amount',
    about: 'The same as supply',
    schema: text,
    sizes: EVERY,
    presets: ['trading'],
    value: ({ amountText }) => amountText,
  }),
  field({
    name: 'supply',
    about:
      'What holders have, exact; of an MPT with what is locked in escrows, of an issued currency without it; of native XRP all that exists',
    schema: text,
    sizes: EVERY,
    presets: ['trading'],
    sort: (figures, token) => figures.amount(token),
    sortNames: ['amount'],
    value: ({ amountText }) => amountText,
  }),
  field({
    name: 'vol24hxrp',
    about: 'Volume of 24 hours',
    unit: 'XRP',
    schema: number,
    sizes: EVERY,
    presets: ['ticker', 'trading'],
    sort: (figures, token) => figures.volume(token, Window.h24),
    sortNames: ['volume', 'vol24h'],
    value: ({ figures, token }) => figures.volume(token, Window.h24),
  }),
  field({
    name: 'vol24htx',
    about: 'Trades of 24 hours',
    schema: integer,
    sizes: EVERY,
    presets: ['trading'],
    sort: ({ market }, token) => market.windows.trades(token, Window.h24),
    value: ({ market, token }) => market.windows.trades(token, Window.h24),
  }),
  field({
    name: 'vol24h',
    about: 'Volume of 24 hours',
    unit: 'tokens',
    schema: number,
    sizes: LIGHT,
    presets: ['trading'],
    value: ({ market, token }) => market.windows.tokenVolume(token),
  }),
  field({
    name: 'vol6hxrp',
    about: 'Volume of 6 hours',
    unit: 'XRP',
    schema: number,
    sizes: FULL,
    presets: ['trading'],
    sort: (figures, token) => figures.volume(token, Window.h6),
    value: ({ figures, token }) => figures.volume(token, Window.h6),
  }),
  field({
    name: 'vol7dxrp',
    about: 'Volume of 7 days, in whole hours',
    unit: 'XRP',
    schema: number,
    sizes: FULL,
    presets: ['trading'],
    sort: (figures, token) => figures.volume(token, Window.d7),
    value: ({ figures, token }) => figures.volume(token, Window.d7),
  }),
  field({
    name: 'vol24hAMM',
    about: 'Volume of 24 hours in pools',
    unit: 'XRP',
    schema: number,
    sizes: LIGHT,
    presets: ['trading'],
    value: ({ market, token }) => market.windows.ammDrops(token) / DROPS_PER_XRP,
  }),
  field({
    name: 'vol24hOrderbook',
    about: 'Volume of 24 hours on order books',
    unit: 'XRP',
    schema: number,
    sizes: LIGHT,
    presets: ['trading'],
    value: ({ market, token }) => market.windows.bookDrops(token) / DROPS_PER_XRP,
  }),
  field({
    name: 'liquidityRatio',
    about: 'Volume of 24 hours over market cap, a ratio',
    schema: number,
    sizes: LIGHT,
    presets: ['trading'],
    value: ({ figures, marketcap, token }) =>
      marketcap !== undefined && marketcap > 0
        ? finite(figures.volume(token, Window.h24) / marketcap)
        : undefined,
  }),
] as const;
