/** Which fields of a token row a socket wants: presets by use, or a list of names. */
import { CloseCode, Refusal } from '../limits.ts';

type Row = Readonly<Record<string, unknown>>;

export interface Fields {
  /** Equal for equal choices. */
  readonly key: string;
  /** Name of the preset, or `custom`. */
  readonly name: string;
  /** undefined: all. */
  readonly names: readonly string[] | undefined;
}

/** More names than a token row has fields make no sense. */
const NAMES_MAX = 200;

const PRICE = [
  'md5',
  'exch',
  'usd',
  'pro5m',
  'pro1h',
  'pro24h',
  'pro7d',
  'pro30d',
  'maxMin24h',
  'athDistance',
];
const FLOW = [
  'vol24hxrp',
  'vol24htx',
  'vol24h',
  'vol6hxrp',
  'vol7dxrp',
  'vol24hAMM',
  'vol24hOrderbook',
  'buy24hxrp',
  'sell24hxrp',
  'buy24htx',
  'sell24htx',
  'buyerPressure',
  'uniqueTraders24h',
  'uniqueBuyers24h',
  'uniqueSellers24h',
  'deposit24hxrp',
  'deposit24htx',
  'withdraw24hxrp',
  'withdraw24htx',
];
const SIZE = [
  'marketcap',
  'tvl',
  'tvlChange24h',
  'liquidityRatio',
  'depthPlus2',
  'depthMinus2',
  'tradingFee',
  'amount',
  'supply',
  'holders',
  'holders24h',
  'trustlines',
  'dom',
];
const SIGNALS = ['rsi15m', 'rsi1h', 'rsi4h', 'rsi24h', 'rsi7d', 'rsi30d', 'rsi90d', 'trendingScore'];

export const PRESETS: Readonly<Record<string, readonly string[]>> = {
  ticker: ['md5', 'name', 'exch', 'usd', 'pro24h', 'vol24hxrp', 'marketcap'],
  price: PRICE,
  trading: [...PRICE, ...FLOW, ...SIZE, ...SIGNALS],
};

/** @throws Refusal 4024 for names that cannot be names. Unknown names are kept: they are absent from rows. */
export function fieldsOf(text: unknown): Fields {
  const asked = String(text).trim();
  if (asked === '' || asked === 'full' || asked === 'all')
    return { key: asked || 'full', name: asked || 'full', names: undefined };
  if (Object.hasOwn(PRESETS, asked)) return { key: asked, name: asked, names: PRESETS[asked]! };
  const names = [...new Set(asked.split(',').map((name) => name.trim()))].filter((name) => name !== '');
  if (names.length === 0 || names.length > NAMES_MAX || names.some((name) => !/^\w{1,40}$/.test(name))) {
    throw new Refusal(CloseCode.fields, 'fields must be a preset or a comma list of token fields');
  }
  const sorted = ['md5', ...names.filter((name) => name !== 'md5').sort()];
  return { key: sorted.join(','), name: 'custom', names: sorted };
}

/** Own fields that have a value: a name such as `__proto__` or `constructor` finds nothing. */
export function pick(row: Row, fields: Fields): Row {
  const names = fields.names ?? Object.keys(row);
  const has = (name: string) => Object.hasOwn(row, name) && row[name] !== undefined;
  return Object.fromEntries(names.filter(has).map((name) => [name, row[name]]));
}

/** Fields whose value differs, with null for those that are gone; undefined when none does. */
export function changedFields(before: Row, after: Row): Row | undefined {
  const changed: [string, unknown][] = [];
  for (const [name, value] of Object.entries(after)) {
    if (!same(before[name], value)) changed.push([name, value]);
  }
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) changed.push([name, null]);
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
}

function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  return JSON.stringify(a) === JSON.stringify(b);
}
