/** `format=csv` and `format=ndjson` of history, candles and holders say what the JSON answers say. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { createApi } from '../../api/app.ts';
import { asTable } from '../../api/table-formats.ts';
import { Mount } from '../../views/mount.ts';
import { Network } from '../../views/network.ts';
import { runWorld } from '../views/world.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** Cells by line, as RFC 4180 has them. */
function parsed(text: string): string[][] {
  const lines: string[][] = [[]];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (quoted) {
      if (char !== '"') cell += char;
      else if (text[i + 1] === '"') cell += text[i++]!;
      else quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === ',' || char === '\r') {
      lines.at(-1)!.push(cell);
      cell = '';
      if (char === '\r') {
        expect(text[++i]).toBe('\n');
        lines.push([]);
      }
    } else cell += char;
  }
  expect(lines.pop()).toEqual([]);
  return lines;
}

const shown = (value: unknown) =>
  value === undefined || value === null
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

describe('tables', () => {
  let get: (path: string, headers?: Record<string, string>) => Promise<Response>;
  let md5: string;
  beforeAll(async () => {
    const network = new Network({ engine: await runWorld() });
    const api = createApi({ mounts: [Mount.of(network)], log: quiet });
    get = async (path, headers = {}) => api.fetch(new Request(`http://localhost/v1${path}`, { headers }));
    const { tokens } = (await (await get('/tokens?limit=1')).json()) as { tokens: { md5: string }[] };
    md5 = tokens[0]!.md5;
  });

  test.each([
    ['/history?md5=ID&limit=50&type=all', 'data'],
    ['/holders/list/ID?limit=100', 'richList'],
    ['/ohlc/ID?interval=1m', 'ohlc'],
  ])('of %s', async (template, member) => {
    const path = template.replace('ID', md5);
    const json = (await (await get(path)).json()) as Record<string, unknown>;
    const rows = json[member] as (Record<string, unknown> | unknown[])[];
    expect(rows.length).toBeGreaterThan(1);
    const csv = await get(`${path}&format=csv`);
    expect([csv.status, csv.headers.get('Content-Type')]).toEqual([200, 'text/csv; charset=utf-8']);
    const [head = [], ...lines] = parsed(await csv.text());
    const names = Array.isArray(rows[0])
      ? (json.format as string[])
      : [...new Set(rows.flatMap(Object.keys))];
    expect(head).toEqual(names);
    expect(lines).toEqual(
      rows.map((row) =>
        Array.isArray(row)
          ? row.map(shown)
          : names.map((name) => shown((row as Record<string, unknown>)[name])),
      ),
    );
    // Kept answers of one format are not those of another.
    for (let again = 0; again < 2; again++) {
      const ndjson = await get(`${path}&format=NDJSON`, { Accept: 'application/x-ndjson' });
      expect(ndjson.headers.get('Content-Type')).toBe('application/x-ndjson; charset=utf-8');
      const texts = (await ndjson.text()).split('\n');
      expect(texts.pop()).toBe('');
      expect(texts.map((text) => JSON.parse(text))).toEqual(rows);
      expect(await (await get(path)).json()).toMatchObject({ [member]: rows });
    }
  });

  test('fields choose columns; other formats, and tables of other addresses, are refused or JSON', async () => {
    const list = await get(`/holders/list/${md5}?format=csv&fields=account,balance&limit=3`);
    expect(parsed(await list.text())[0]).toEqual(['account', 'balance']);
    const candles = parsed(await (await get(`/ohlc/${md5}?format=csv`)).text());
    const closes = candles.map((cells) => [cells[0]!, cells[4]!]);
    expect(closes[0]).toEqual(['time', 'close']);
    expect(parsed(await (await get(`/ohlc/${md5}?format=csv&fields=close,time`)).text())).toEqual(closes);
    const lines = await (await get(`/ohlc/${md5}?format=ndjson&fields=time,close`)).text();
    expect(lines).toBe(
      closes
        .slice(1)
        .map((cells) => `[${cells}]\n`)
        .join(''),
    );
    for (const [fields, rows] of [
      ['ohlc', candles.length],
      ['none', 0],
    ] as const)
      expect(parsed(await (await get(`/ohlc/${md5}?format=csv&fields=${fields}`)).text())).toHaveLength(rows);
    const unknown = await get(`/holders/list/${md5}?format=xml`);
    expect([unknown.status, unknown.headers.get('Content-Type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    expect((await get('/tokens?format=csv')).status).toBe(406);
    expect((await get(`/ohlc/${md5}`, { Accept: 'text/csv' })).status).toBe(406);
    // Many clients always send this: what the address says goes first.
    const asked = await get(`/ohlc/${md5}?format=csv`, { Accept: 'application/json' });
    expect([asked.status, asked.headers.get('Content-Type')]).toEqual([200, 'text/csv; charset=utf-8']);
    const missing = await get(`/ohlc/${'0'.repeat(32)}?format=csv`);
    expect([missing.status, ((await missing.json()) as { success: boolean }).success]).toEqual([404, false]);
  });

  test('cells are quoted, and text is no formula', () => {
    const rows = [
      { name: '=HYPERLINK("http://x")', note: 'a,b', balance: '-12.5' },
      { name: '@SUM(1)', note: 'two\r\nlines', nested: { a: [1] }, none: null },
      { name: '-1+2', balance: '1e-7' },
      { name: '＝1+2', note: '\n=1+2' },
    ];
    const body = new TextEncoder().encode(JSON.stringify({ rows }));
    const text = new TextDecoder().decode(asTable(body, { rows: 'rows' }, 'csv'));
    expect(parsed(text)).toEqual([
      ['name', 'note', 'balance', 'nested', 'none'],
      [`'=HYPERLINK("http://x")`, 'a,b', '-12.5', '', ''],
      [`'@SUM(1)`, 'two\r\nlines', '', '{"a":[1]}', ''],
      [`'-1+2`, '', '1e-7', '', ''],
      [`'＝1+2`, `'\n=1+2`, '', '', ''],
    ]);
    const empty = new TextEncoder().encode('{"rows":[]}');
    expect(new TextDecoder().decode(asTable(empty, { rows: 'rows' }, 'ndjson'))).toBe('');
  });
});
