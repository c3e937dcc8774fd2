/** Single values of an answer as models read them: numbers with units, times as dates, tokens in short, texts of strangers in «». */
import { isJsonObject } from '../../engine/codec/values.ts';
import { cleanText, isOfStranger, mayQuoteStrangers } from './clean-text.ts';
import type { JsonObject } from './json-rpc.ts';

/** Longest cell of a table. */
const CELL_MAX = 80;

/**
 * Units of members that have the same one in all answers, by name; a tool names those of its own. Times are shown as dates.
 */
const UNITS: Readonly<Record<string, string>> = {
  exch: 'XRP',
  usd: 'USD',
  marketcap: 'XRP',
  tvl: 'XRP',
  vol24hxrp: 'XRP',
  vol7dxrp: 'XRP',
  volume: 'XRP',
  xrp: 'XRP',
  xrpBalance: 'XRP',
  holdingValue: 'XRP',
  profit: 'XRP',
  totalPnl: 'XRP',
  unrealizedPnl: 'XRP',
  netXrp: 'XRP',
  xrpBought: 'XRP',
  xrpSold: 'XRP',
  deposited: 'XRP',
  withdrawn: 'XRP',
  tvlBefore: 'XRP',
  tvlChange: 'XRP',
  washedVolume: 'XRP',
  pro5m: '%',
  pro1h: '%',
  pro24h: '%',
  pro7d: '%',
  pro30d: '%',
  roi: '%',
  holding: '%',
  balanceDrops: 'drops',
  spendableDrops: 'drops',
  reserveDrops: 'drops',
};

/** Lists whose rows strangers wrote whole: attributes of NFTs. */
const WRITTEN_WHOLE: ReadonlySet<string> = new Set(['attributes', 'props', 'traits']);

/** All that an asset has which is shown in short; what has more is shown member by member. */
const OF_ASSET: ReadonlySet<string> = new Set([
  'value',
  'amount',
  'name',
  'currency',
  'md5',
  'issuer',
  'slug',
]);

const namesAsset = (value: JsonObject): boolean => 'md5' in value || 'currency' in value;

/** A token or an amount of one, and nothing else. */
export const isAsset = (value: JsonObject): boolean =>
  namesAsset(value) && Object.keys(value).every((name) => OF_ASSET.has(name));

export class Cells {
  readonly #units: Readonly<Record<string, string>>;

  /** @param units of further members, by name */
  constructor(units: Readonly<Record<string, string>> = {}) {
    this.#units = { ...UNITS, ...units };
  }

  /** ` (XRP)`, or nothing. */
  unitOf(name: string): string {
    return Object.hasOwn(this.#units, name) ? ` (${this.#units[name]})` : '';
  }

  /** @param path names of the members that the value is in, its own the last */
  text(value: unknown, path: readonly string[], max = CELL_MAX): string {
    const name = path.at(-1) ?? '';
    if (value === null || value === undefined) return '';
    if (typeof value === 'number') return isTime(name, value) ? dateText(value) : numberText(value);
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    const isMarked =
      path.some((one) => isOfStranger(one) || WRITTEN_WHOLE.has(one)) || mayQuoteStrangers(name);
    if (typeof value === 'string') return isMarked && value !== '' ? `«${value}»` : value;
    if (isJsonObject(value) && namesAsset(value)) return assetText(value);
    const text = cleanText(JSON.stringify(value), max);
    return isMarked ? `«${text}»` : text;
  }
}

/** Last words of the names of times. */
const TIMES: ReadonlySet<string> = new Set(
  (
    'time times date dateon timestamp at since from to until seen active trade traded inception created updated ' +
    'expire expires expiration start end first last t'
  ).split(' '),
);

/** Unix ms of the years 2010 to 2100, of a member whose name says that it is a time. */
function isTime(name: string, value: number): boolean {
  if (!(value > 1.26e12 && value < 4.2e12)) return false;
  const word = name.match(/[A-Z]?[a-z]+$/)?.[0] ?? name;
  return TIMES.has(word.toLowerCase());
}

/** A token or an amount of one: `12.5 «USD» 0f03...`. */
function assetText({ value, amount, name, currency, md5, issuer }: JsonObject): string {
  const parts = [
    value ?? amount,
    `«${String(name ?? currency ?? '')}»`,
    currency === 'XRP' ? undefined : (md5 ?? issuer),
  ];
  return parts
    .filter((part) => part !== undefined && part !== null)
    .map((part) => String(part))
    .join(' ');
}

const dateText = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** From here on a number has more digits before its point than are shown of others. */
const LARGE = 1e8;

/** Eight digits, and all of those before the point: `structuredContent` has them all. */
function numberText(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return Math.abs(value) < LARGE ? String(Number(value.toPrecision(8))) : value.toFixed(0);
}
