/** Admission comes before every answer, cached ones included: a refusal is the whole answer, with its headers. */
import { afterAll, describe, expect, test } from 'bun:test';
import { type SocketHub, serveOptions } from '../../api/serve.ts';
import type { Act, Guarded } from '../../requests/admission.ts';
import { ApiError, rateLimited } from '../../requests/errors.ts';
import type { Identity } from '../../requests/identity.ts';
import { emptyLedger, fixture } from './fixture.ts';

const asked: { act: Act; path: string; kind: string; ip: string }[] = [];
let refusal: ApiError | undefined;
let isBroken = false;
const admit = (act: Act, { path }: Guarded, { kind, ip }: Identity) => {
  asked.push({ act, path, kind, ip });
  if (isBroken) throw new Error('secret of the gate');
  return refusal;
};
const { api, log } = fixture([emptyLedger(100, 500_000_000)], { admit });
const hub: SocketHub<undefined> = {
  upgrade: () => new Response(null, { status: 204 }),
  websocket: { message() {} },
  close() {},
};
const server = Bun.serve(serveOptions({ api, hub, host: '127.0.0.1', port: 0 }));
const base = `http://127.0.0.1:${server.port}`;
afterAll(() => server.stop(true));

const window = { bucket: '/ledger', limit: 8, remaining: 0, windowSeconds: 60, resetSeconds: 12.3 };
const refusals: readonly (readonly [number, ApiError, Record<string, string>, object])[] = [
  [
    401,
    new ApiError('unauthorized', 'Missing API key', { headers: { 'WWW-Authenticate': 'ApiKey' } }),
    { 'WWW-Authenticate': 'ApiKey' },
    { code: 'unauthorized', error: 'Missing API key' },
  ],
  [402, new ApiError('payment_required', 'No credits are left'), {}, { code: 'payment_required' }],
  [403, new ApiError('forbidden', 'Tier too low', { hint: 'Developer or above' }), {}, { code: 'forbidden' }],
  [
    429,
    rateLimited(window),
    {
      'Retry-After': '13',
      'X-RateLimit-Limit': '8',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': '13',
    },
    { code: 'rate_limited', retryAfter: 13, bucket: '/ledger', window: 60 },
  ],
];

async function get(path: string, init: RequestInit = {}) {
  const response = await fetch(base + path, { headers: { 'X-Request-ID': 'mine' }, ...init });
  return { response, body: (init.method === 'HEAD' ? {} : await response.json()) as Record<string, unknown> };
}

describe.each(refusals)('%d', (status, error, headers, body) => {
  test.each([
    ['an answer that is kept', '/v1/ledger', true],
    ['an answer kept under another spelling', '/api/ledger?x=1', true],
    ['an answer to be made', '/v1/ledger?fields=ledger_index', false],
    ['an address that nothing is found at', '/v1/ledger/5', false],
    ['a page at the root', '/health', false],
  ])('instead of %s', async (_, path, kept) => {
    refusal = undefined;
    if (kept) expect((await get(path)).response.status).toBe(200);
    const hits = api.caches[0]!.hits;
    refusal = error;
    const { response, body: answer } = await get(path);
    expect(response.status).toBe(status);
    expect(answer).toMatchObject({ success: false, docs: '/v1/docs', requestId: 'mine', ...body });
    expect(response.headers.get('x-request-id')).toBe('mine');
    expect(response.headers.get('cache-control')).toBe('no-store');
    for (const [name, value] of Object.entries(headers)) expect(response.headers.get(name)).toBe(value);
    expect(api.caches[0]!.hits).toBe(hits);
    refusal = undefined;
    if (kept) expect((await get(path)).body.ledger_index).toBe(100);
  });

  test('before a body is read, and for HEAD', async () => {
    refusal = error;
    const { response } = await get('/v1/stats/metrics', { method: 'POST', body: '{ not json' });
    expect(response.status).toBe(status);
    expect((await get('/v1/ledger', { method: 'HEAD' })).response.status).toBe(status);
    refusal = undefined;
  });
});

test('refusals are counted for their row, kept answer or not', async () => {
  const count = async () => {
    const text = await api.service.metrics();
    return Number(/path="\/ledger",status="402"\} (\d+)/.exec(text)?.[1] ?? 0);
  };
  refusal = undefined;
  await get('/v1/ledger');
  const before = await count();
  refusal = refusals[1]![1];
  await get('/v1/ledger');
  await get('/v1/ledger?fields=x');
  refusal = undefined;
  expect(await count()).toBe(before + 2);
});

test('it gets the route and the identity, once per request; preflights have no identity', async () => {
  refusal = undefined;
  asked.length = 0;
  await get('/v1/ledger/100?transactions=no');
  await get('/api/ledger/100?transactions=no');
  const row = { act: 'request', path: '/ledger/{index}', kind: 'anonymous', ip: '127.0.0.1' } as const;
  expect(asked).toEqual([row, row]);
  expect((await fetch(`${base}/v1/ledger`, { method: 'OPTIONS' })).status).toBe(204);
  expect(asked).toHaveLength(2);
});

test('a fault in it is the bare 500, whether the answer is kept or not', async () => {
  refusal = undefined;
  for (const path of ['/v1/ledger', '/v1/ledger/100?expand=yes']) {
    await fetch(base + path);
    isBroken = true;
    for (const again of [path, `${path}${path.includes('?') ? '&' : '?'}x=${isBroken}`]) {
      const before = log.lines.length;
      const response = await fetch(base + again);
      const text = await response.text();
      expect([response.status, text.includes('secret')]).toEqual([500, false]);
      expect(log.lines).toHaveLength(before + 1);
    }
    isBroken = false;
  }
});
