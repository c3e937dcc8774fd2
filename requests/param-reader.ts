/**
 * Reads the parameters of a request by its row. The contract clamps and does not refuse: above max becomes max,
 * below min becomes min, non-numeric becomes the default, an unknown enum value becomes the default. Only what cannot be
 * read sensibly is refused (400): a required parameter that is missing or unreadable, and malformed JSON. Streams also
 * refuse values for which the parameter names a close code.
 *
 * Other spellings are read too: camelCase for snake_case and the reverse, the row's own aliases, and the old names of
 * `offset`, `sort` and `order`. The documented name comes first, then the order of `namesOf`. Of a repeated query key
 * the first is used (lists join all of them).
 */
import { dayStart } from './calendar-day.ts';
import { ApiError, badRequest } from './errors.ts';
import type { Need, Param, ParamRow } from './param.ts';

/** A request, split into its parts but not yet read. */
export interface RawInput {
  /** Path below the prefix, split at `/`, still percent-encoded: `/token/x` = ['token', 'x']. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  /** The JSON body; undefined when there is none. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

export type Values = Record<string, unknown>;

const oldNames: Readonly<Record<string, readonly string[]>> = {
  offset: ['start', 'skip'],
  sort: ['sortBy', 'sort_by'],
  order: ['sortType', 'sortOrder', 'sort_type', 'sort_order'],
};

const camelOf = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
const snakeOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Every spelling of a parameter that is read, the documented one first. */
export function namesOf(row: ParamRow, name: string): string[] {
  const param = row.params[name]!;
  if (param.in === 'path') return [name];
  const wanted = [name, ...(param.aliases ?? []), ...(oldNames[name] ?? [])];
  const all = wanted.flatMap((one) => [one, camelOf(one), snakeOf(one)]);
  return [...new Set(all)].filter((one) => one === name || !(one in row.params));
}

/** Compiles a row's reader. The returned values are exactly the row's parameters, in the row's order. */
export function paramReader(row: ParamRow): (raw: RawInput) => Values {
  const pattern = row.path.split('/').slice(1);
  const readers = Object.entries(row.params).map(([name, param]) => ({
    name,
    param,
    names: namesOf(row, name),
    segment: pattern.indexOf(`{${name}}`),
  }));
  const derived = readers.flatMap(({ name, param }) =>
    'defaultFrom' in param && param.defaultFrom ? [{ name, defaultFrom: param.defaultFrom }] : [],
  );
  const paged = row.params.offset?.kind === 'int' && !('page' in row.params) ? row.params.offset : undefined;
  return (raw) => {
    const values: Values = {};
    for (const { name, param, names, segment } of readers) {
      const sent = segment >= 0 ? decodeSegment(raw.segments[segment] ?? '') : sentValue(param, names, raw);
      const value = sent === undefined ? undefined : readValue(name, raised(row, param, raw), sent);
      if (value === undefined && param.required) throw missing(name, param, sent);
      values[name] = value ?? ('default' in param ? param.default : undefined);
    }
    for (const { name, defaultFrom } of derived) values[name] ??= defaultFrom(values);
    for (const need of row.needs ?? []) checkNeed(need, values);
    if (paged) applyPage(row, raw, values, readers.find((r) => r.name === 'offset')!.names);
    return values;
  };
}

/** The parameter with the larger `max` that another one gives it. */
function raised(row: ParamRow, param: Param, raw: RawInput): Param {
  if (!('maxWith' in param) || param.maxWith === undefined) return param;
  const { flag, max } = param.maxWith;
  const sent = sentValue(row.params[flag]!, namesOf(row, flag), raw);
  return readBoolean(sent) === true ? { ...param, max } : param;
}

/** `a, or b and c` */
export const needText = ({ anyOf }: Need): string => anyOf.map((names) => names.join(' and ')).join(', or ');

function checkNeed(need: Need, values: Values): void {
  const isSent = (names: readonly string[]) => names.every((name) => values[name] !== undefined);
  const sent = need.anyOf.filter(isSent).length;
  const hint = `Send ${need.onlyOne ? 'exactly one of ' : ''}${needText(need)}`;
  if (sent === 0)
    throw new ApiError('missing_parameter', `Missing parameter: ${need.anyOf[0]!.join(' and ')}`, { hint });
  if (need.onlyOne && sent > 1) throw badRequest('More parameters than one name it', hint);
}

function missing(name: string, param: Param, sent: unknown): ApiError {
  const where = param.in === 'body' ? 'in the JSON body' : `in the ${param.in}`;
  const about = param.kind === 'enum' ? `${param.about}: one of ${param.values.join(', ')}` : param.about;
  return sent === undefined
    ? new ApiError('missing_parameter', `Missing parameter: ${name}`, {
        hint: `Send ${name} ${where}: ${about}`,
      })
    : new ApiError('invalid_parameter', `Invalid parameter: ${name}`, { hint: about });
}

/** Malformed percent escapes are left unchanged. */
function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The first spelling that was sent and is not empty. */
function sentValue(param: Param, names: readonly string[], raw: RawInput): unknown {
  for (const name of names) {
    if (param.in === 'body') {
      const value = raw.body && Object.hasOwn(raw.body, name) ? raw.body[name] : undefined;
      if (value !== undefined && value !== null && value !== '') return value;
    } else if (param.kind === 'list') {
      const all = raw.query.getAll(name).join(',');
      if (/[^\s,]/.test(all)) return all;
    } else {
      const value = raw.query.get(name);
      if (value !== null && value.trim() !== '') return value;
    }
  }
  return undefined;
}

function applyPage(row: ParamRow, raw: RawInput, values: Values, offsetNames: readonly string[]): void {
  const inBody = row.params.offset!.in === 'body';
  const sent = inBody ? raw.body?.page : raw.query.get('page');
  if (sent === null || sent === undefined) return;
  if (sentValue(row.params.offset!, offsetNames, raw) !== undefined) return;
  const page = readNumber(sent);
  if (page === undefined) return;
  const size = row.params.limit;
  const rows = Number(values.limit ?? (size?.kind === 'int' ? size.max : undefined) ?? 20);
  const offset = row.params.offset as Param & { kind: 'int' };
  values.offset = clamp(offset, Math.trunc(page - (offset.firstPage ?? 0)) * rows);
}

/** A value that was sent, by its parameter; undefined: it cannot be read. */
export function readValue(name: string, param: Param, sent: unknown): unknown {
  switch (param.kind) {
    case 'int':
    case 'float': {
      const number = readNumber(sent);
      return number === undefined ? undefined : clamp(param, number);
    }
    case 'bool':
      return readBoolean(sent);
    case 'text':
      return readText(name, param, sent);
    case 'enum':
      return readEnum(name, param, sent);
    case 'list':
      return readList(param, sent);
    case 'time':
      return readTime(sent, param.endsSpan);
    case 'json':
      return param.in === 'body' ? sent : parseJson(name, String(sent));
  }
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** A decimal number; ±Infinity if a double cannot hold it. Words, hex and other types are not numbers. */
export function readNumber(sent: unknown): number | undefined {
  if (typeof sent === 'number') return Number.isNaN(sent) ? undefined : sent;
  if (typeof sent !== 'string' || sent.length > 400) return undefined;
  const text = sent.trim();
  return decimal.test(text) ? Number(text) : undefined;
}

function clamp(param: Param & { kind: 'int' | 'float' }, sent: number): number | undefined {
  const whole = param.kind === 'int';
  const number = whole ? Math.trunc(sent) : sent;
  const min = param.min ?? (whole ? Number.MIN_SAFE_INTEGER : -Number.MAX_VALUE);
  const max = param.max ?? (whole ? Number.MAX_SAFE_INTEGER : Number.MAX_VALUE);
  if (number >= min && number <= max) return number + 0; // -0 becomes 0
  if (param.outside === 'default') return param.default;
  return number < min ? min : max;
}

/** undefined: it is neither. */
export function readBoolean(sent: unknown): boolean | undefined {
  if (typeof sent === 'boolean') return sent;
  if (typeof sent === 'number') return sent !== 0;
  if (typeof sent !== 'string') return undefined;
  const word = sent.trim().toLowerCase();
  if (word === 'true' || word === '1' || word === 'yes') return true;
  if (word === 'false' || word === '0' || word === 'no') return false;
  return undefined;
}

/** Largest length of a text whose parameter names none. */
export const TEXT_MAX = 1024;

function readText(name: string, param: Param & { kind: 'text' }, sent: unknown): string | undefined {
  if (typeof sent !== 'string' && typeof sent !== 'number') return undefined;
  const { maxLength = TEXT_MAX, code } = param;
  // Spaces around a word of an address are none of it: people type and paste them.
  const text = param.in === 'query' ? String(sent).trim() : String(sent);
  if (text.length > maxLength && code !== undefined)
    throw badRequest(`${name} is longer than ${maxLength} characters`, param.about, code);
  // Without half of a character at the end.
  return text.length > maxLength ? text.slice(0, maxLength).replace(/\p{Cs}$/u, '') : text;
}

function readEnum(name: string, param: Param & { kind: 'enum' }, sent: unknown): string | undefined {
  if (typeof sent !== 'string' && typeof sent !== 'number') return undefined;
  const word = String(sent).trim();
  if (param.values.includes(word)) return word;
  const lower = word.toLowerCase();
  const isMeant = (offered: string) => offered.toLowerCase() === lower;
  const value =
    param.values.find(isMeant) ?? Object.entries(param.synonyms ?? {}).find(([name]) => isMeant(name))?.[1];
  if (value === undefined && param.code !== undefined)
    throw badRequest(`${name} must be one of ${param.values.join(', ')}`, param.about, param.code);
  return value;
}

type ListParam = Extract<Param, { kind: 'list' }>;

function readList({ maxItems, values }: ListParam, sent: unknown): readonly string[] | undefined {
  const items = Array.isArray(sent) ? sent : typeof sent === 'string' ? sent.split(',') : undefined;
  if (!items) return undefined;
  const kept: string[] = [];
  for (const item of items) {
    if (kept.length === maxItems) break;
    if (typeof item !== 'string' && typeof item !== 'number') continue;
    const text = String(item).trim().slice(0, 1024);
    const one = values ? values.find((value) => value.toLowerCase() === text.toLowerCase()) : text;
    if (one !== undefined && one !== '') kept.push(one);
  }
  return kept;
}

/** Latest time that a Date can hold, Unix ms. */
const timeMax = 8.64e15;
const isoDate = /^\d{4}-\d{2}(-\d{2}([T ][0-9:.]+(Z|[+-]\d{2}:?\d{2})?)?)?$/i;

const DAY_LENGTH = '2026-11-28'.length;

/** Reads Unix ms, or an ISO date (UTC if it names no zone). @param endsSpan see `Param`. @returns Unix ms. */
function readTime(sent: unknown, endsSpan = false): number | undefined {
  const ms = readNumber(sent);
  if (ms !== undefined) return Math.trunc(Math.max(-timeMax, Math.min(timeMax, ms))) + 0;
  if (typeof sent !== 'string' || sent.length > 40) return undefined;
  const text = sent.trim().replace(' ', 'T').toUpperCase();
  if (!isoDate.test(text)) return undefined;
  if (text.length >= DAY_LENGTH && dayStart(text.slice(0, DAY_LENGTH)) === undefined) return undefined;
  const zoned = !text.includes('T') || /(Z|[+-]\d{2}:?\d{2})$/.test(text.slice(10)) ? text : `${text}Z`;
  const parsed = Date.parse(zoned);
  if (Number.isNaN(parsed)) return undefined;
  return endsSpan && !text.includes('T') ? lastMs(text) : parsed;
}

/** @param date `2026-11`, `2026-11-28`. @returns Unix ms of the end of that month or day. */
function lastMs(date: string): number {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number?];
  return (day === undefined ? Date.UTC(year, month, 1) : Date.UTC(year, month - 1, day + 1)) - 1;
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError('invalid_json', `Parameter ${name} is not well-formed JSON`);
  }
}
