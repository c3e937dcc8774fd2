import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { limit, offset, order } from '../../api/common.ts';
import { splitTarget } from '../../api/request.ts';
import { route } from '../../api/route.ts';
import { ApiError } from '../../requests/errors.ts';
import type { Params } from '../../requests/param.ts';
import { namesOf, paramReader } from '../../requests/param-reader.ts';

const seed = Number(process.env.SEED ?? 20_260_101);

function rowOf<const P extends Params>(params: P, path = '/list/{id}') {
  return route({
    method: 'GET',
    path,
    section: '4.1',
    auth: 'none',
    tier: 'anonymous',
    example: {},
    summary: 'A list',
    params,
    response: {},
    cost: 1,
    bucket: '/list',
    handler: () => ({}),
  });
}

const list = rowOf({
  id: { in: 'path', kind: 'text', maxLength: 40, about: 'Id' },
  offset,
  limit: limit(20, 100),
  order,
  sort: {
    in: 'query',
    kind: 'enum',
    values: ['vol24hxrp', 'holders'],
    default: 'vol24hxrp',
    synonyms: { volume: 'vol24hxrp', owners: 'holders' },
    about: 'Sort',
  },
  skip_metrics: { in: 'query', kind: 'bool', default: false, about: 'Skip' },
  minTVL: { in: 'query', kind: 'float', about: 'Least TVL' },
  accounts: { in: 'query', kind: 'list', maxItems: 3, about: 'Accounts' },
  since: { in: 'query', kind: 'time', about: 'Since' },
});

const read = (target: string, row = list) => paramReader(row)({ ...splitTarget(target), body: undefined });
const body = (sent: Record<string, unknown>, params: Params) =>
  paramReader(rowOf(params, '/list'))({ segments: ['list'], query: new URLSearchParams(), body: sent });

describe('numbers are clamped, never refused', () => {
  test.each([
    ['', 20],
    ['?limit=5', 5],
    ['?limit=0', 1],
    ['?limit=-7', 1],
    ['?limit=101', 100],
    ['?limit=1e309', 100],
    ['?limit=-1e309', 1],
    ['?limit=99999999999999999999999999', 100],
    ['?limit=12.9', 12],
    ['?limit=%2012%20', 12],
    ['?limit=NaN', 20],
    ['?limit=Infinity', 20],
    ['?limit=0x10', 20],
    ['?limit=ten', 20],
    ['?limit=12abc', 20],
    ['?limit=', 20],
    ['?limit=%zz', 20],
    ['?limit=7&limit=9', 7],
    ['?limit[]=7', 20],
  ])('%s gives limit %d', (query, expected) => expect(read(`/list/x${query}`).limit).toBe(expected));

  test('out of range becomes the default where the row says so', () => {
    const row = rowOf({
      limit: { in: 'query', kind: 'int', default: 10, min: 1, max: 50, outside: 'default', about: 'Limit' },
    });
    expect(read('/list/x?limit=51', row).limit).toBe(10);
    expect(read('/list/x?limit=50', row).limit).toBe(50);
  });

  test('a negative offset is 0, and never -0', () => {
    expect(Object.is(read('/list/x?offset=-1').offset, 0)).toBe(true);
    expect(Object.is(read('/list/x?offset=-0').offset, 0)).toBe(true);
  });
});

describe('old spellings', () => {
  test.each([
    ['?start=40', { offset: 40 }],
    ['?skip=40', { offset: 40 }],
    ['?page=2&limit=10', { offset: 20, limit: 10 }],
    ['?page=2', { offset: 40 }],
    ['?page=-3', { offset: 0 }],
    ['?page=1e300', { offset: Number.MAX_SAFE_INTEGER }],
    ['?offset=5&page=2', { offset: 5 }],
    ['?offset=7&start=9', { offset: 7 }],
    ['?sortBy=holders&sortType=asc', { sort: 'holders', order: 'asc' }],
    ['?sort_by=holders&sortOrder=ASC', { sort: 'holders', order: 'asc' }],
    ['?sort=volume', { sort: 'vol24hxrp' }],
    ['?sort=OWNERS', { sort: 'holders' }],
    ['?skipMetrics=yes', { skip_metrics: true }],
    ['?skip_metrics=1', { skip_metrics: true }],
    ['?skip_metrics=maybe', { skip_metrics: false }],
    ['?sort=constructor&order=__proto__', { sort: 'vol24hxrp', order: 'desc' }],
    ['?accounts=a,b&accounts=c,d', { accounts: ['a', 'b', 'c'] }],
    ['?accounts=,%20,', { accounts: undefined }],
  ])('%s', (query, expected) => expect(read(`/list/x${query}`)).toMatchObject(expected));

  test('pages that count from 1', () => {
    const row = rowOf({ offset: { ...offset, firstPage: 1 }, limit: limit(20, 100) });
    expect(read('/list/x?page=1', row).offset).toBe(0);
    expect(read('/list/x?page=3', row).offset).toBe(40);
  });

  test('pages are as long as the limit that follows from other parameters', () => {
    const row = rowOf({
      offset,
      limit: {
        in: 'query',
        kind: 'int',
        min: 1,
        max: 100,
        defaultFrom: ({ tag }) => (tag === undefined ? 100 : 50),
        about: 'Limit',
      },
      tag: { in: 'query', kind: 'text', about: 'Tag' },
    });
    expect(read('/list/x?page=1', row)).toMatchObject({ offset: 100, limit: 100 });
    expect(read('/list/x?page=1&tag=a', row)).toMatchObject({ offset: 50, limit: 50 });
    expect(read('/list/x?page=1&tag=a&limit=ten', row)).toMatchObject({ offset: 50, limit: 50 });
    expect(read('/list/x?page=2&tag=a&limit=7', row)).toMatchObject({ offset: 14, limit: 7 });
  });

  test('a spelling that is a parameter of its own is left to it', () => {
    const row = rowOf({ offset, skip: { in: 'query', kind: 'bool', about: 'Other' } });
    expect(namesOf(row, 'offset')).toEqual(['offset', 'start']);
  });
});

test('a text that is too long ends with a whole character', () => {
  const row = rowOf({ q: { in: 'query', kind: 'text', maxLength: 3, about: 'Text' } });
  for (const [sent, text] of [
    ['abcd', 'abc'],
    ['ab😀', 'ab'],
    ['a😀', 'a😀'],
  ])
    expect(read(`/list/x?q=${encodeURIComponent(sent!)}`, row).q).toBe(text);
});

test('words of an address are read without the spaces around them, texts of a body with them', () => {
  const words = rowOf({ q: { in: 'query', kind: 'text', maxLength: 3, about: 'Text' } });
  expect(read('/list/x?q=%20%20cor%20', words).q).toBe('cor');
  expect(read('/list/x?q=a%20b', words).q).toBe('a b');
  const body = rowOf({ q: { in: 'body', kind: 'text', about: 'Text' } });
  const sent = { segments: [], query: new URLSearchParams(), body: { q: ' cor ' } };
  expect(paramReader(body)(sent).q).toBe(' cor ');
});

describe('times', () => {
  test.each([
    ['1700000000000', 1_700_000_000_000],
    ['-5', -5],
    ['1e400', 8.64e15],
    ['2024-01-02', Date.UTC(2024, 0, 2)],
    ['2024-01-02T03:04:05Z', Date.UTC(2024, 0, 2, 3, 4, 5)],
    ['2024-01-02T03:04:05', Date.UTC(2024, 0, 2, 3, 4, 5)],
    ['2024-01-02 03:04:05', Date.UTC(2024, 0, 2, 3, 4, 5)],
    ['2024-01-02T03:04:05%2B02:00', Date.UTC(2024, 0, 2, 1, 4, 5)],
    ['2024-13-45', undefined],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
    ['2023-02-29', undefined],
    ['2024-02-31', undefined],
    ['2024-04-31T03:04:05Z', undefined],
    ['yesterday', undefined],
  ])('%s', (sent, expected) => expect(read(`/list/x?since=${sent}`).since).toBe(expected as never));
});

describe('required, JSON and bodies', () => {
  const json = { in: 'query', kind: 'json', about: 'JSON' } as const;

  test('malformed JSON is 400', () => {
    expect(read('/list/x?marker={"a":1}', rowOf({ marker: json })).marker).toEqual({ a: 1 });
    expect(() => read('/list/x?marker={a', rowOf({ marker: json }))).toThrow(ApiError);
  });

  test('a date that ends a span means all of it', () => {
    const row = rowOf({ until: { in: 'query', kind: 'time', endsSpan: true, about: 'Until' } });
    const until = (text: string) => read(`/list/x?until=${text}`, row).until;
    const next = {
      '2024-02-28': '2024-02-29',
      '2024-12-31': '2025-01-01',
      '2024-02': '2024-03',
      '2024-12': '2025-01',
    };
    for (const [date, after] of Object.entries(next)) expect(until(date)).toBe(Date.parse(after) - 1);
    for (const time of ['2024-02-28T00:00', '2024-02-28T23:00:00Z'])
      expect(until(time)).toBe(Date.parse(time.endsWith('Z') ? time : `${time}Z`));
    expect(until('1709078400000')).toBe(1709078400000);
    expect(until('2024-13')).toBeUndefined();
    expect(until('2023-02-29')).toBeUndefined();
  });

  test('missing and unreadable required parameters are 400, each with its code', () => {
    const row = rowOf({ time: { in: 'query', kind: 'time', required: true, about: 'Time' } });
    const codes = ['/list/x', '/list/x?time=', '/list/x?time=soon'].map((target) => {
      try {
        return read(target, row);
      } catch (error) {
        return (error as ApiError).code;
      }
    });
    expect(codes).toEqual(['missing_parameter', 'missing_parameter', 'invalid_parameter']);
  });

  test('who sends none of the values that are needed is shown them', () => {
    const values = ['add', 'remove'];
    const row = rowOf({
      action: { in: 'query', kind: 'enum', values, required: true, about: 'What to do' },
    });
    for (const target of ['/list/x', '/list/x?action=drop']) {
      const refused = (() => {
        try {
          read(target, row);
        } catch (error) {
          return error as ApiError;
        }
      })();
      expect(refused?.details.hint).toContain('What to do: one of add, remove');
    }
  });

  test('body values of the wrong type become the default', () => {
    const params = {
      limit: { in: 'body', kind: 'int', default: 5, min: 1, max: 9, about: 'Limit' },
      search: { in: 'body', kind: 'text', default: '', about: 'Search' },
      accounts: { in: 'body', kind: 'list', maxItems: 2, about: 'Accounts' },
      deep: { in: 'body', kind: 'json', about: 'Anything' },
    } as const satisfies Params;
    expect(body({ limit: {}, search: [], accounts: { length: 9 }, deep: { a: [1] } }, params)).toEqual({
      limit: 5,
      search: '',
      accounts: undefined,
      deep: { a: [1] },
    });
    expect(body({ limit: '100', search: 7, accounts: ['a', null, {}, 'b', 'c'] }, params)).toMatchObject({
      limit: 9,
      search: '7',
      accounts: ['a', 'b'],
    });
    expect(body(JSON.parse('{"__proto__":{"limit":1},"constructor":2}'), params).limit).toBe(5);
  });

  test('path parameters are decoded, broken escapes kept', () => {
    expect(read('/list/a%2Fb').id).toBe('a/b');
    expect(read('/list/%E0%A4%A').id).toBe('%E0%A4%A');
    expect((read(`/list/${'y'.repeat(500)}`).id as string).length).toBe(40);
  });
});

test(`whatever is sent, every value is in its range (seed ${seed})`, () => {
  const names = [
    'limit',
    'offset',
    'start',
    'page',
    'order',
    'sort',
    'sortBy',
    'skipMetrics',
    'minTVL',
    'since',
  ];
  const nasty = fc.constantFrom(
    '1e309',
    '-1e309',
    'NaN',
    '__proto__',
    'constructor',
    '%',
    '%00',
    '[]',
    '{}',
    '-0',
    '١٢',
  );
  const pair = fc.tuple(
    fc.constantFrom(...names),
    fc.oneof(nasty, fc.string(), fc.double().map(String), fc.string({ unit: 'binary' })),
  );
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 8 }), fc.boolean(), (pairs, escaped) => {
      const query = pairs.map(
        ([name, value]) => `${name}=${escaped ? encodeURIComponent(value.toWellFormed()) : value}`,
      );
      const values = read(`/list/x?${query.join('&')}`);
      expect(Object.keys(values)).toEqual(Object.keys(list.params));
      expect(values.limit).toBeWithin(1, 101);
      expect(Number.isSafeInteger(values.offset) && (values.offset as number) >= 0).toBe(true);
      expect(['asc', 'desc']).toContain(values.order as string);
      expect(['vol24hxrp', 'holders']).toContain(values.sort as string);
      expect(typeof values.skip_metrics).toBe('boolean');
      if (values.minTVL !== undefined) expect(Number.isFinite(values.minTVL)).toBe(true);
      if (values.since !== undefined)
        expect(Number.isNaN(new Date(values.since as number).getTime())).toBe(false);
    }),
    { seed, numRuns: 2000 },
  );
});

describe('what names a close code is refused where others are cut or defaulted', () => {
  const text = { in: 'query', kind: 'text', maxLength: 3, about: 'Three letters' } as const;
  const choice = { in: 'query', kind: 'enum', values: ['up', 'down'], default: 'up', about: 'Way' } as const;
  const lenient = rowOf({ text, choice }, '/list');
  const strict = rowOf({ text: { ...text, code: 4020 }, choice: { ...choice, code: 4025 } }, '/list');

  test('values that fit read the same', () => {
    for (const query of ['', '?text=abc', '?choice=DOWN', '?choice=', '?text=ab&choice=up'])
      expect(read(`/list${query}`, strict)).toEqual(read(`/list${query}`, lenient));
  });

  test.each([
    ['?text=abcd', { text: 'abc', choice: 'up' }, 4020, 'text is longer than 3 characters'],
    ['?choice=left', { text: undefined, choice: 'up' }, 4025, 'choice must be one of up, down'],
  ])('%s', (query, values, closeCode, message) => {
    expect(read(`/list${query}`, lenient)).toEqual(values);
    const refused = () => read(`/list${query}`, strict);
    expect(refused).toThrow(message);
    try {
      refused();
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ code: 'invalid_parameter', status: 400, details: { closeCode } });
    }
  });
});

test('a list of named values keeps those, in either case, and leaves out the others', () => {
  const row = rowOf({
    side: { in: 'query', kind: 'list', maxItems: 3, values: ['buy', 'sell'], about: 'Sides' },
  });
  expect(read('/list/x?side=Buy,none,sell', row).side).toEqual(['buy', 'sell']);
  expect(read('/list/x?side=none', row).side).toEqual([]);
  expect(read('/list/x', row).side).toBeUndefined();
});
