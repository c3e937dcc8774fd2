/**
 * Answers of tools as models read them: short, tables with one row a line, units, and a line for each list that is cut.
 *
 *     {"total":847,"tokens":[{...},...]}  ->  total: 847
 *                                             tokens (showing 20 of 847)
 *                                             name | exch (XRP) | ...
 *                                             «USD» | 0.48 | ...
 *                                             more: search_tokens {"query":"USD","offset":20}
 *
 * `fitted` cuts the lists of an answer until it fits; text and `structuredContent` then show the same rows.
 */
import { isJsonObject } from '../../engine/codec/values.ts';
import { cleanText, isOfStranger, STRANGERS_LINE } from './clean-text.ts';
import type { JsonObject } from './json-rpc.ts';

/** Largest answer as JSON, characters: about 5,000 tokens where much of it is hashes. */
const ANSWER_MAX = 9_000;
/** Largest text, characters. */
const TEXT_MAX = 10_000;
/** Longest cell of a table. */
const CELL_MAX = 80;

/** Units of members, by name; times are shown as dates. */
const UNITS: Readonly<Record<string, string>> = {
  exch: 'XRP',
  usd: 'USD',
  marketcap: 'XRP',
  tvl: 'XRP',
  vol24hxrp: 'XRP',
  vol7dxrp: 'XRP',
  volume: 'XRP',
  value: 'XRP',
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
  net: 'XRP',
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

export interface Cut {
  readonly name: string;
  readonly shown: number;
  readonly of: number;
}

/** An answer whose lists were cut until it fits, and what was cut. */
export interface Fitted {
  readonly value: JsonObject;
  readonly cuts: readonly Cut[];
}

/** @param answer of a tool; it is not changed */
export function fitted(answer: JsonObject): Fitted {
  let value = answer;
  const lengths = new Map<string, number>();
  for (let size = JSON.stringify(value).length; size > ANSWER_MAX; size = JSON.stringify(value).length) {
    const largest = largestList(value, []);
    if (!largest) break;
    const { path, list } = largest;
    const name = path.join('.');
    if (!lengths.has(name)) lengths.set(name, list.length);
    // By how much the whole is too large, of this list alone: a few rounds, whatever the rows are like.
    const share = Math.max(0.4, Math.min(0.95, 1 - (size - ANSWER_MAX) / JSON.stringify(list).length));
    value = replaced(value, path, list.slice(0, Math.floor(list.length * share)));
  }
  const cuts = [...lengths].map(([name, of]) => ({ name, shown: listAt(value, name.split('.')).length, of }));
  return { value, cuts };
}

interface Found {
  readonly path: readonly string[];
  readonly list: readonly unknown[];
  readonly size: number;
}

/** The longest list below an object, as JSON; those inside rows count with their rows, unless there is one row only. */
function largestList(value: JsonObject, path: readonly string[]): Found | undefined {
  let best: Found | undefined;
  for (const [name, inner] of Object.entries(value)) {
    const found =
      Array.isArray(inner) && inner.length > 1
        ? { path: [...path, name], list: inner, size: JSON.stringify(inner).length }
        : isJsonObject(inner)
          ? largestList(inner, [...path, name])
          : undefined;
    if (found && (!best || found.size > best.size)) best = found;
  }
  return best;
}

function replaced(
  value: JsonObject,
  [name, ...rest]: readonly string[],
  list: readonly unknown[],
): JsonObject {
  const inner = rest.length === 0 ? list : replaced(value[name!] as JsonObject, rest, list);
  return { ...value, [name!]: inner };
}

const listAt = (value: JsonObject, path: readonly string[]): readonly unknown[] =>
  path.reduce((inner: unknown, name) => (inner as JsonObject)[name], value) as readonly unknown[];

/** Members that count the rows of an answer's one list, unless its tool says which do. */
const TOTALS = ['total', 'count', 'length'];

/** A list of which only a part is shown. */
export interface Part {
  readonly name: string;
  readonly shown: number;
  /** Rows of the whole list. */
  readonly of: number;
  /** It was cut because the answer was too long. */
  readonly isTooLong: boolean;
}

export interface Shown extends Fitted {
  /** Which member counts the rows of which list, by name; members inside others with dots. */
  readonly counts?: Readonly<Record<string, string>> | undefined;
  /** Rows that were asked to be skipped. */
  readonly skipped: number;
  /** The call that gives what follows, or what to do instead. */
  more(part: Part): string;
}

/** The text of an answer. */
export function answerText({ value, cuts, counts, skipped, more }: Shown): string {
  const lines: string[] = [];
  writeObject(value, [], lines, (name, shown) => {
    const cut = cuts.find((one) => one.name === name)?.of;
    const total = totalOf(value, name, counts);
    const before = total === undefined ? 0 : skipped;
    const of = Math.max(total ?? 0, before + (cut ?? shown));
    if (of <= shown) return [`${name} (${shown})`, undefined];
    const title = `${name} (showing ${shown} of ${of}${before > 0 ? `, from ${before + 1}` : ''})`;
    const isEnd = before + shown >= of;
    return [title, isEnd ? undefined : more({ name, shown, of, isTooLong: cut !== undefined })];
  });
  const text = lines.join('\n');
  const marked = text.includes('«') ? `${STRANGERS_LINE}\n${text}` : text;
  return marked.length <= TEXT_MAX ? marked : `${marked.slice(0, TEXT_MAX)}… cut: ask for less`;
}

/** How many rows a list has that is shown in part; undefined: the answer does not say. */
function totalOf(value: JsonObject, list: string, counts: Shown['counts']): number | undefined {
  const number = (path: string): number | undefined => {
    const found = path
      .split('.')
      .reduce((inner: unknown, name) => (isJsonObject(inner) ? inner[name] : undefined), value);
    return Number.isSafeInteger(found) ? (found as number) : undefined;
  };
  if (counts) return Object.hasOwn(counts, list) ? number(counts[list]!) : undefined;
  const lists = Object.values(value).filter((one) => Array.isArray(one)).length;
  if (lists !== 1 || list.includes('.')) return undefined;
  return TOTALS.map(number).find((one) => one !== undefined) ?? number('pagination.total');
}

type Heading = (name: string, length: number) => readonly [string, string | undefined];

function writeObject(value: JsonObject, path: readonly string[], lines: string[], heading: Heading): void {
  for (const [name, inner] of Object.entries(value)) {
    if (inner === null || inner === undefined) continue;
    const place = [...path, name].join('.');
    if (Array.isArray(inner)) writeList(inner, place, lines, heading);
    else if (isJsonObject(inner) && !('currency' in inner) && path.length < 2)
      writeObject(inner, [...path, name], lines, heading);
    else lines.push(`${place}${unitOf(name)}: ${cell(inner, name, 400)}`);
  }
}

function writeList(list: readonly unknown[], place: string, lines: string[], heading: Heading): void {
  const [title, more] = heading(place, list.length);
  const rows = list.filter(isJsonObject);
  if (list.length === 0) lines.push(`${place}: none`);
  else if (rows.length < list.length) {
    const name = place.split('.').at(-1)!;
    const cells = list.map((one) =>
      Array.isArray(one) ? one.map((x) => cell(x, '')).join(' | ') : cell(one, name),
    );
    lines.push(Array.isArray(list[0]) ? `${title}\n${cells.join('\n')}` : `${title}: ${cells.join(', ')}`);
  } else {
    const columns = [
      ...new Set(rows.flatMap((row) => Object.keys(row).filter((name) => isShown(row[name])))),
    ];
    lines.push(title, columns.map((name) => name + unitOf(name)).join(' | '));
    for (const row of rows) lines.push(columns.map((name) => cell(row[name], name)).join(' | '));
  }
  if (more !== undefined) lines.push(more);
}

const isShown = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);

const unitOf = (name: string): string => (Object.hasOwn(UNITS, name) ? ` (${UNITS[name]})` : '');

/** Unix ms of the years 2010 to 2100. */
const isTime = (name: string, value: number): boolean =>
  value > 1.26e12 &&
  value < 4.2e12 &&
  /time|date|^t$|at$|since|from|to|active|seen|trade|inception/i.test(name);

function cell(value: unknown, name: string, max = CELL_MAX): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return isTime(name, value) ? dateText(value) : numberText(value);
  if (typeof value === 'string') return isOfStranger(name) && value !== '' ? `«${value}»` : value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (isJsonObject(value) && ('md5' in value || 'currency' in value)) return assetText(value);
  const text = cleanText(JSON.stringify(value), max);
  return isOfStranger(name) ? `«${text}»` : text;
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

/** Eight digits: `structuredContent` has them all. */
const numberText = (value: number): string =>
  Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(8)));
