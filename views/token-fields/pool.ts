/** What the token's pools hold; from `tradingFee` on of its pool with XRP. At the end the issuer's settings. */
import { wholeDrops } from '../../engine/codec/amount.ts';
import { percent } from '../number-format.ts';
import { issuerInfo } from '../token-facts.ts';
import { boolean, EVERY, FULL, field, integer, LIGHT, number, text } from './field.ts';

/** What token-facts.ts says of the issuer. */
const ISSUER_INFO = {
  type: 'object',
  properties: {
    blackholed: { ...boolean, description: 'Nobody can sign for it; absent: not known' },
    domain: text,
    tickSize: { ...integer, description: 'Absent: none is set' },
    globalFreeze: boolean,
    requireAuth: boolean,
    disableMaster: boolean,
    depositAuth: boolean,
    requireDestTag: boolean,
    disallowXRP: boolean,
    noFreeze: boolean,
    defaultRipple: boolean,
    transferRate: { ...integer, description: 'Billionths sent for each 1 that arrives; absent: no fee' },
  },
} as const;

export const POOL_FIELDS = [
  field({
    name: 'tvl',
    about: "Value that the token's pools lock",
    unit: 'XRP',
    schema: number,
    sizes: EVERY,
    presets: ['trading'],
    sort: (figures, token) => figures.tvl(token),
    value: ({ figures, token }) => figures.tvl(token),
  }),
  field({
    name: 'tvlChange24h',
    about: "Change of the value that the token's pools lock in 24 hours; absent where that is not known",
    unit: 'XRP',
    schema: number,
    sizes: FULL,
    presets: ['trading'],
    sort: (figures, token) => figures.lockedChange(token),
    value: ({ lockedChange }) => (lockedChange === undefined ? undefined : wholeDrops(lockedChange)),
  }),
  field({
    name: 'isOMCF',
    about: '`yes` for a token that counts in the market cap of all',
    schema: text,
    sizes: EVERY,
    value: ({ market, token }) => (market.totals.ofMarket.has(token) ? 'yes' : undefined),
  }),
  field({
    name: 'tradingFee',
    about: 'Fee of the pool',
    unit: '1/100000',
    schema: integer,
    sizes: LIGHT,
    presets: ['trading'],
    value: ({ pool }) => pool?.fee,
  }),
  field({
    name: 'AMM',
    about: "r-address of the pool's account",
    schema: text,
    sizes: EVERY,
    value: ({ pool }) => pool?.account,
  }),
  field({
    name: 'depthPlus2',
    about: "What can be bought before the pool's price is 2 % higher",
    unit: 'XRP',
    schema: number,
    sizes: FULL,
    presets: ['trading'],
    value: ({ depth }) => depth && wholeDrops(depth.buy),
  }),
  field({
    name: 'depthMinus2',
    about: "What can be sold before the pool's price is 2 % lower",
    unit: 'XRP',
    schema: number,
    sizes: FULL,
    presets: ['trading'],
    value: ({ depth }) => depth && wholeDrops(depth.sell),
  }),
  field({
    name: 'lpHolderCount',
    about: "Holders of the pool's LP token",
    schema: integer,
    sizes: FULL,
    value: ({ pool, state }) => pool && state.lines.holdersCount(pool.lpToken),
  }),
  field({
    name: 'lpBurnedPercent',
    about:
      'Share of the LP tokens held by addresses without a key, and by the issuer where nobody can sign for it',
    unit: 'percent',
    schema: number,
    sizes: LIGHT,
    value: ({ burned }) => percent(burned?.percent),
  }),
  field({
    name: 'lpBurnedAmount',
    about:
      'Amount of the LP tokens held by addresses without a key, and by the issuer where nobody can sign for it',
    unit: 'LP tokens',
    schema: number,
    sizes: FULL,
    value: ({ burned }) => burned?.amount,
  }),
  field({
    name: 'lpBurnedHolders',
    about: 'How many of these accounts hold LP tokens',
    schema: integer,
    sizes: FULL,
    value: ({ burned }) => burned?.holders,
  }),
  field({
    name: 'issuer_info',
    about: "Settings of the issuer's account that concern holders",
    schema: ISSUER_INFO,
    sizes: FULL,
    value: ({ state, token }) => issuerInfo(state, token),
  }),
] as const;
