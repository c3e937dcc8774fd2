/**
 * Every parameter of every route of sections 4.1 and 4.2, from the route table: what is sent, and what it must be the same
 * as. Default, bounds, below, above, no number, unknown value, other spellings, too many items; and where an answer names
 * the value it used, that this is the value.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Route } from '../../api/route.ts';
import { routes } from '../../api/routes/index.ts';
import type { JsonSchema, Param } from '../../requests/param.ts';
import { bodyOf, RowRequests } from './row-requests.ts';

type Value = string | number | boolean | readonly string[];

/** A pair of requests with the same answer. Absent: the parameter is not sent. */
interface Same {
  readonly why: string;
  readonly sent: Value;
  readonly as: Value | undefined;
  /** What the answer names, where it names the parameter. */
  readonly echo?: Value | undefined;
}

/** Members of the answer that name the value used, where they have another name. */
const ECHO_NAMES: Readonly<Record<string, readonly string[]>> = {
  offset: ['offset', 'start'],
  sort: ['sort', 'sortBy'],
  order: ['order', 'sortType'],
};
/** Objects of an answer that have such members, too. */
const INSIDE = ['pagination', 'meta', 'filters'];
/** Members that have the name of a parameter and another meaning. */
const OTHER_MEANING: readonly string[] = ['/tokens tags', '/ohlc/{id} format'];
/** What is shown in place of some values: other words of the contract, and what a second bound leaves. */
const SHOWN_AS: Readonly<Record<string, string | number>> = {
  // A page of 20 rows ends with the hundredth.
  '/search offset 99': 80,
  '/search offset 100': 80,
  '/holders/list/{id} sort value': 'balance',
  '/holders/list/{id} sort percent': 'holding',
};
const UNKNOWN = 'no-such-value';
const HUGE = '1e309';

const numbers = (param: Param & { kind: 'int' | 'float' }): Same[] => {
  const { min, max, outside } = param;
  const fallback = param.default;
  const step = param.kind === 'int' ? 1 : 0.5;
  const beyond = (bound: number) => (outside === 'default' ? fallback : bound);
  return [
    { why: 'no number', sent: 'many', as: undefined, echo: fallback },
    { why: 'hexadecimal', sent: '0x10', as: undefined, echo: fallback },
    ...(fallback === undefined
      ? []
      : [{ why: 'the default', sent: fallback, as: undefined, echo: fallback }]),
    ...(max === undefined
      ? []
      : [
          { why: 'the largest', sent: max, as: Number.isInteger(max) ? `${max}.0` : `${max}0`, echo: max },
          { why: 'above', sent: max + step, as: beyond(max), echo: beyond(max) },
          { why: 'far above', sent: HUGE, as: beyond(max), echo: beyond(max) },
        ]),
    ...(min === undefined
      ? []
      : [
          { why: 'the smallest', sent: min, as: ` ${min} `, echo: min },
          { why: 'below', sent: min - step, as: beyond(min), echo: beyond(min) },
          { why: 'far below', sent: `-${HUGE}`, as: beyond(min), echo: beyond(min) },
        ]),
    ...(param.kind === 'int' && max !== undefined
      ? [{ why: 'a fraction', sent: max - 0.5, as: max - 1, echo: max - 1 }]
      : []),
  ];
};

function variants(param: Param): Same[] {
  switch (param.kind) {
    case 'int':
    case 'float':
      return numbers(param);
    case 'bool':
      return [
        { why: 'neither', sent: 'maybe', as: undefined, echo: param.default },
        { why: '1', sent: '1', as: 'true', echo: true },
        { why: 'yes', sent: 'YES', as: 'true', echo: true },
        { why: '0', sent: '0', as: 'false', echo: false },
        { why: 'no', sent: 'no', as: 'false', echo: false },
      ];
    case 'enum':
      return [
        { why: 'unknown', sent: UNKNOWN, as: undefined, echo: param.default },
        { why: 'a name of all objects', sent: '__proto__', as: undefined, echo: param.default },
        ...param.values.map((value) => ({ why: value, sent: value.toUpperCase(), as: value, echo: value })),
        ...Object.entries(param.synonyms ?? {}).flatMap(([word, value]) =>
          [word, word.toLowerCase(), word.toUpperCase()].map((sent) => ({ why: sent, sent, as: value })),
        ),
      ];
    case 'time':
      return [
        { why: 'a date', sent: '2024-01-02', as: Date.UTC(2024, 0, 2) },
        { why: 'a time', sent: '2024-01-02T03:04:05Z', as: Date.UTC(2024, 0, 2, 3, 4, 5) },
        ...(param.required ? [] : [{ why: 'no time', sent: 'soon', as: undefined }]),
      ];
    case 'list': {
      const items = Array.from({ length: param.maxItems + 3 }, (_, i) => `x${i}`);
      return [{ why: 'too many', sent: items, as: items.slice(0, param.maxItems) }];
    }
    case 'text': {
      const long = 'x'.repeat((param.maxLength ?? 1024) + 1);
      return [{ why: 'too long', sent: long, as: long.slice(0, -1) }];
    }
    case 'json':
      return [];
  }
}

const rows = routes.filter(({ section, auth }) => ['4.1', '4.2'].includes(section) && auth !== 'wallet');
const requests = new RowRequests();

/** @param value undefined: not sent */
async function answer(row: Route, name: string, value: Value | undefined) {
  const { query, body } = requests.needed(row);
  const param = row.params[name]!;
  let path = requests.goodPath(row);
  if (param.in === 'path') {
    const segment = `{${name}}`;
    const at = row.path.split('/').indexOf(segment);
    path = path
      .split('/')
      .with(at, encodeURIComponent(String(value)))
      .join('/');
  } else if (param.in === 'body') {
    if (value === undefined) delete body[name];
    else body[name] = value;
  } else if (value === undefined) query.delete(name);
  else query.set(name, String(value));
  const response = await requests.ask(row, '/v1', path, query, bodyOf(row, body));
  const text = await response.text();
  const steady = text.replace(/"(took|timestamp|latency|requestId)":("[^"]*"|[\d.]+)/g, '"$1":0');
  return {
    status: response.status,
    steady,
    isJson: response.headers.get('content-type')!.startsWith('application/json'),
  };
}

/** The value that the answer names; undefined: it names none. */
function echoed(row: Route, text: string, name: string): unknown {
  if (OTHER_MEANING.includes(`${row.path} ${name}`)) return undefined;
  const body = JSON.parse(text) as Record<string, unknown>;
  for (const members of [body, ...INSIDE.map((one) => (body[one] ?? {}) as Record<string, unknown>)])
    for (const one of ECHO_NAMES[name] ?? [name]) if (one in members) return members[one];
  return undefined;
}

/** Numbers that are clamped and that no member names, and what says in their place how they were read. */
const UNNAMED: Readonly<Record<string, string>> = {
  '/embed/{md5} height': 'the document has it',
  '/history cursor': 'a place: nextCursor is the next one',
  '/platform-report/dates offset': 'the answer is an array',
  '/platform-report/dates limit': 'the answer is an array',
  '/sparkline/{id} pro24h': 'percentChange is its value',
  '/sparkline/{id} pro7d': 'percentChange is its value',
};
/** The form of answers to charting libraries is theirs. */
const FOREIGN = '/udf/';

test('answers have a member for each number that is clamped', () => {
  const without = routes
    .filter(({ path }) => !path.startsWith(FOREIGN))
    .flatMap(({ path, params, response }) => {
      const whole = (response as JsonSchema & { anyOf?: readonly JsonSchema[] }).anyOf?.[0] ?? response;
      const members = (schema: unknown) => (schema as JsonSchema | undefined)?.properties ?? {};
      const own = members(whole) as Readonly<Record<string, unknown>>;
      const all = Object.assign({}, own, ...INSIDE.map((name) => members(own[name])));
      return Object.entries(params)
        .filter(([, param]) => param.in === 'query' && isClamped(param))
        .filter(([name]) => !(ECHO_NAMES[name] ?? [name]).some((one) => one in all))
        .map(([name]) => `${path} ${name}`);
    });
  expect(without.toSorted()).toEqual(Object.keys(UNNAMED).toSorted());
});

function isClamped(param: Param): boolean {
  return (
    (param.kind === 'int' || param.kind === 'float') && (param.min !== undefined || param.max !== undefined)
  );
}

beforeAll(() => requests.open());

let echoes = 0;

describe('every parameter', () => {
  test.each(rows.map((row) => [`${row.method} ${row.path}`, row] as const))('of %s', async (_, row) => {
    for (const [name, param] of Object.entries(row.params)) {
      for (const { why, sent, as, echo } of variants(param)) {
        if (param.in === 'path' && as === undefined) continue;
        const [one, other] = [await answer(row, name, sent), await answer(row, name, as)];
        const label = `${name}, ${why}: ${String(sent).slice(0, 40)}`;
        expect([label, one.status, one.steady]).toEqual([label, other.status, other.steady]);
        if (one.status !== 200 || !one.isJson || echo === undefined) continue;
        const named = echoed(row, one.steady, name);
        if (named === undefined) continue;
        echoes++;
        expect([label, named]).toEqual([label, SHOWN_AS[`${row.path} ${name} ${echo}`] ?? echo]);
      }
      if (!param.required || param.in === 'path') continue;
      const without = await answer(row, name, undefined);
      expect([name, without.status]).toEqual([name, 400]);
      expect(JSON.parse(without.steady)).toMatchObject({ success: false, code: 'missing_parameter' });
    }
    expect(requests.log.lines).toEqual([]);
  });

  test('that answers name was named', () => {
    console.log(`${rows.length} routes; the value used was named ${echoes} times`);
    expect(echoes).toBeGreaterThan(rows.length);
  });
});
