/** What every row promises, whatever it answers. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { route } from '../../api/route.ts';
import { routes } from '../../api/routes/index.ts';
import { rateLimited } from '../../requests/errors.ts';
import { casesOf } from '../cases.ts';
import { emptyLedger, fixture, ownRoutes, recordedLedgers } from './fixture.ts';

const seed = Number(process.env.SEED ?? 20_260_102);
const recorded = recordedLedgers(3);
const ledgers =
  recorded.length > 0 ? recorded : [emptyLedger(100, 500_000_000), emptyLedger(101, 500_000_004)];
const last = ledgers.at(-1)!.ledgerIndex;

const fill = (path: string) => path.replace('{index}', String(last)).replace(/\{\w+\}/g, '0'.repeat(64));
/** A method that no row of this path takes. */
function unused(path: string): string {
  const segments = path.split('/');
  const answers = (pattern: readonly string[]) =>
    pattern.length === segments.length &&
    pattern.every((part, at) => part.startsWith('{') || part === segments[at]);
  const taken = new Set(
    routes.filter((row) => answers(row.path.split('/'))).map((row) => String(row.method)),
  );
  return ['DELETE', 'PATCH', 'PUT', 'POST'].find((method) => !taken.has(method))!;
}

const withoutVolatile = (text: string) =>
  text.startsWith('# HELP')
    ? '' // totals move with every request
    : text.replace(/"(took|timestamp|uptime|latency|requestId|age_seconds)":("[^"]*"|[\d.]+)/g, '"$1":0');

describe('the table', () => {
  test('names every address once', () => {
    const seen = routes.map((row) => `${row.method} ${row.path.replace(/\{\w+\}/g, '{}')}`);
    expect(seen.filter((one, at) => seen.indexOf(one) !== at)).toEqual([]);
  });

  test.each(routes.map((row) => [`${row.method} ${row.path}`, row] as const))(
    '%s is well formed',
    (_, row) => {
      const inPath = [...row.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
      const declared = Object.entries(row.params).flatMap(([name, param]) =>
        param.in === 'path' ? [name] : [],
      );
      expect(declared.toSorted()).toEqual(inPath.toSorted());
      expect(row.summary.length).toBeGreaterThan(5);
      expect(row.path).toStartWith('/');
      for (const [name, param] of Object.entries(row.params)) {
        expect(param.about.length, name).toBeGreaterThan(1);
        if (param.kind === 'enum' && param.default !== undefined)
          expect(param.values).toContain(param.default);
      }
    },
  );

  test.each(routes.map((row) => [`${row.method} ${row.path}`, row] as const))(
    '%s answers OPTIONS and 405 at both prefixes',
    async (_, row) => {
      const { api } = fixture(ledgers, { routes });
      for (const prefix of ['/v1', '/api']) {
        const ask = (method: string) =>
          api.fetch(new Request(`http://localhost${prefix}${fill(row.path)}`, { method }));
        const options = await ask('OPTIONS');
        expect(options.status).toBe(204);
        expect(options.headers.get('access-control-allow-origin')).toBe('*');
        expect(options.headers.get('access-control-allow-methods')).toContain(row.method);
        const wrong = await ask(unused(row.path));
        expect(wrong.status).toBe(405);
        expect(wrong.headers.get('allow')).toContain(row.method);
        expect(((await wrong.json()) as { code: string }).code).toBe('method_not_allowed');
      }
    },
  );
});

describe('rows that read ledgers', () => {
  for (const row of ownRoutes.filter((one) => one.method === 'GET')) {
    const path = fill(row.path);

    test(`${path} is the same at /v1 and /api, and HEAD has no body`, async () => {
      const { get, api } = fixture(ledgers);
      const [one, two] = [await get(`/v1${path}`), await get(`/api${path}`)];
      expect(two.status).toBe(one.status);
      expect(withoutVolatile(await two.text())).toBe(withoutVolatile(await one.text()));
      expect(one.headers.get('access-control-allow-origin')).toBe('*');
      expect(one.headers.get('x-request-id')).toMatch(/^[\w.:-]+$/);
      const head = await api.fetch(new Request(`http://localhost/v1${path}`, { method: 'HEAD' }));
      expect(head.status).toBe(one.status);
      expect(await head.text()).toBe('');
    });
  }

  test('success, attribution and took come first, in this order', async () => {
    const { get } = fixture(ledgers);
    for (const path of ['/v1/ledger', '/v1/stats', '/v1/tags', '/v1/docs']) {
      expect(await (await get(path)).text()).toMatch(
        /^\{"success":true,"attribution":"Data by Millrace","took":\d+,"/,
      );
    }
  });

  test(`hostile addresses never make a fault (seed ${seed})`, async () => {
    const { get, log } = fixture(ledgers);
    const nasty = fc.constantFrom(
      '%',
      '%00',
      '%2e%2e',
      '__proto__',
      'constructor',
      '1e309',
      '-1',
      '{}',
      '[',
      '"',
      '💥',
      '%F0%9F',
    );
    const word = fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 12 }), fc.integer().map(String));
    const params = fc.array(
      fc.tuple(
        fc.constantFrom(
          'index',
          'time',
          'token1',
          'md52',
          'offer',
          'amm',
          'escrow',
          'directory',
          'expand',
          'format',
          'limit',
        ),
        word,
      ),
      { maxLength: 4 },
    );
    const rows = ownRoutes.filter((one) => one.method === 'GET');
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...rows), word, params, async (row, segment, query) => {
        const path = row.path.replace(/\{\w+\}/g, encodeURIComponent(segment.toWellFormed()) || '0');
        const search = query.map(([name, value]) => `${name}=${value.toWellFormed()}`).join('&');
        const response = await get(`/v1${path}?${search}`);
        const text = await response.text();
        if (response.status >= 500) throw new Error(`${path}?${search}: ${text}`);
        if (response.status >= 400) {
          const error = JSON.parse(text);
          expect(Object.keys(error).slice(0, 6)).toEqual([
            'success',
            'error',
            'code',
            'message',
            'docs',
            'requestId',
          ]);
          expect(error.requestId).toBe(response.headers.get('x-request-id'));
        }
      }),
      { seed, numRuns: casesOf(400, 1500) },
    );
    expect(log.lines).toEqual([]);
  });

  test(`hostile bodies never make a fault (seed ${seed})`, async () => {
    const { post } = fixture(ledgers);
    const sent = fc.oneof(
      fc.json(),
      fc.string({ unit: 'binary' }),
      fc.json().map((json) => `{"timestamps":${json}}`),
      fc.constantFrom(
        '{"timestamps":[1e999]}',
        '{"__proto__":{"timestamps":[1]}}',
        '[]',
        'null',
        '{',
        '{"timestamps":"1,2"}',
      ),
    );
    await fc.assert(
      fc.asyncProperty(sent, async (body) => {
        const response = await post('/v1/stats/metrics', body.toWellFormed());
        expect([200, 400]).toContain(response.status);
      }),
      { seed, numRuns: casesOf(150, 500) },
    );
  });
});

describe('errors', () => {
  test('an unknown address is a JSON 404', async () => {
    const response = await fixture(ledgers).get('/v1/nothing/here?x=1');
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.json()).toMatchObject({
      success: false,
      code: 'not_found',
      error: 'No such address: /v1/nothing/here',
    });
  });

  test('406 by Accept and by format', async () => {
    const { get } = fixture(ledgers);
    expect((await get('/v1/ledger', { Accept: 'application/xml' })).status).toBe(406);
    expect((await get('/v1/ledger', { Accept: 'application/json;q=0, */*' })).status).toBe(406);
    expect((await get('/v1/ledger?format=xml')).status).toBe(406);
    expect((await get('/v1/ledger?format=JSON')).status).toBe(200);
    for (const Accept of ['*/*', 'application/*', 'text/html, */*;q=0.1', 'application/json', ''])
      expect((await get('/v1/ledger', { Accept })).status).toBe(200);
  });

  test('a fault shows only the request id, and is logged with it', async () => {
    const broken = route({
      method: 'GET',
      path: '/broken',
      section: '1',
      auth: 'none',
      tier: 'anonymous',
      example: {},
      summary: 'Fails',
      params: {},
      response: {},
      cost: 0,
      bucket: '/broken',
      handler: () => {
        throw new Error('secret of the house');
      },
    });
    const { get, log } = fixture(ledgers, { routes: [broken] });
    const response = await get('/v1/broken', { 'X-Request-ID': 'abc-1' });
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).not.toContain('secret');
    expect(JSON.parse(text)).toMatchObject({ success: false, code: 'internal', requestId: 'abc-1' });
    expect(log.lines[0]!.fields).toMatchObject({ requestId: 'abc-1' });
  });

  test('a request id of strange letters is replaced', async () => {
    const response = await fixture(ledgers).get('/v1/ledger', { 'X-Request-ID': 'a b"<script>' });
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-\w+$/);
  });

  test('429 carries its headers and names bucket and window', () => {
    const error = rateLimited({
      bucket: '/tokens',
      limit: 5,
      remaining: 0,
      windowSeconds: 60,
      resetSeconds: 11.2,
    });
    expect(error.status).toBe(429);
    expect(error.details.headers).toMatchObject({
      'Retry-After': '12',
      'X-RateLimit-Limit': '5',
      'X-RateLimit-Reset': '12',
    });
    expect(JSON.parse(error.body('id', '/docs'))).toMatchObject({
      retryAfter: 12,
      bucket: '/tokens',
      window: 60,
    });
  });
});

describe('bodies', () => {
  test('malformed, foreign and oversize ones', async () => {
    const { post } = fixture(ledgers);
    const of = async (body: string | Uint8Array<ArrayBuffer>) => {
      const response = await post('/v1/stats/metrics', body);
      return [response.status, ((await response.json()) as { code?: string }).code];
    };
    expect(await of('{"timestamps":')).toEqual([400, 'invalid_json']);
    expect(await of('[1]')).toEqual([400, 'invalid_json']);
    expect(await of('')).toEqual([400, 'missing_parameter']);
    expect(await of(Uint8Array.of(0xff, 0xfe, 0x7b))).toEqual([400, 'invalid_json']);
    expect(await of(`{"timestamps":[${'1,'.repeat(40_000)}1]}`)).toEqual([413, 'body_too_large']);
    expect(await of('{"timestamps":[1700000000000]}')).toEqual([200, undefined]);
  });
});
