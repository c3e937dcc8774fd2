/** Who holds the token, and how unequally. */
import { XRP } from '../../engine/state/tokens.ts';
import { percent, rounded } from '../number-format.ts';
import { EVERY, FULL, field, integer, LIGHT, number } from './field.ts';

export const HOLDING_FIELDS = [
  field({
    name: 'holders',
    about: 'Accounts with a balance; of native XRP all accounts',
    schema: integer,
    sizes: EVERY,
    presets: ['trading'],
    sort: ({ state }, token) => state.lines.holdersCount(token),
    value: ({ state: { accounts, lines }, token }) =>
      token === XRP ? accounts.existing : lines.holdersCount(token),
  }),
  field({
    name: 'trustlines',
    about: 'Trust lines, or holdings of an MPT',
    schema: integer,
    sizes: EVERY,
    presets: ['trading'],
    sort: ({ state }, token) => state.lines.lineCount(token),
    value: ({ state, token }) => (token === XRP ? undefined : state.lines.lineCount(token)),
  }),
  field({
    name: 'gini',
    about: 'Gini coefficient of the balances, 0 (equal) to 1',
    schema: number,
    sizes: FULL,
    isOfMarket: true,
    value: ({ concentration }) =>
      concentration?.gini === undefined ? undefined : rounded(concentration.gini, 6),
  }),
  field({
    name: 'hhi',
    about: 'Herfindahl-Hirschman index of the balances, 0 to 10000',
    schema: number,
    sizes: FULL,
    isOfMarket: true,
    value: ({ concentration }) =>
      concentration?.hhi === undefined ? undefined : rounded(concentration.hhi, 4),
  }),
  field({
    name: 'top10',
    about: 'Share of the supply that the ten largest holders have',
    unit: 'percent',
    schema: number,
    sizes: LIGHT,
    value: ({ top10 }) => percent(top10),
  }),
  field({
    name: 'creatorHoldingPercent',
    about:
      'Share of the supply that the creator holds; absent where the token is older than the ledgers read',
    unit: 'percent',
    schema: number,
    sizes: LIGHT,
    sort: (figures, token) => figures.creatorHolding(token),
    value: ({ figures, token }) => figures.creatorHolding(token),
  }),
  field({
    name: 'holders24h',
    about: 'Change of holders in 24 hours',
    schema: integer,
    sizes: FULL,
    presets: ['trading'],
    value: ({ market, token }) => market.holderChanges.of(token)?.holders,
  }),
  field({
    name: 'trustlines24h',
    about: 'Change of trust lines in 24 hours',
    schema: integer,
    sizes: FULL,
    value: ({ market, token }) => (token === XRP ? undefined : market.holderChanges.of(token)?.lines),
  }),
] as const;
