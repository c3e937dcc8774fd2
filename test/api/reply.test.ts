import { describe, expect, test } from 'bun:test';
import { AnswerTally } from '../../api/answer-tally.ts';
import { AnswerCache, StoredAnswer } from '../../api/cache.ts';
import { limit, offset } from '../../api/common.ts';
import { chosenEncoding } from '../../api/reply.ts';
import { Fragment, route } from '../../api/route.ts';
import { emptyLedger, fixture } from './fixture.ts';

const ledgers = [emptyLedger(100, 500_000_000)];
const encoder = new TextEncoder();

/** A list of `limit` rows that counts how often it was made. */
function counted(cache: 'ledger' | number | undefined) {
  const made = { times: 0 };
  const row = route({
    method: 'GET',
    path: '/list',
    section: '4.1',
    auth: 'none',
    tier: 'anonymous',
    example: {},
    summary: 'A list',
    params: { limit: limit(50, 100), offset },
    response: {},
    cost: 1,
    bucket: '/list',
    ...(cache !== undefined && { cache }),
    handler: (input) => {
      made.times++;
      const rows = Array.from({ length: input.limit }, (_, at) => `{"name":"token ${at}","text":"zażółć €"}`);
      return new Fragment(['"rows":[', encoder.encode(rows.join(',')), ']']);
    },
  });
  return { made, row };
}

describe('kept answers', () => {
  test('are made once for a ledger, whatever the spelling, and again for the next', async () => {
    const { made, row } = counted('ledger');
    const { get, engine, api } = fixture(ledgers, { routes: [row] });
    const first = await (await get('/v1/list?limit=7')).text();
    for (const path of ['/api/list?limit=7', '/v1/list?limit=7&start=0', '/v1/list?page=0&limit=7&foo=bar'])
      expect(await (await get(path)).text()).toBe(first);
    expect(made.times).toBe(1);
    expect(await api.cached(new Request('http://localhost/v1/list?limit=7'))!.text()).toBe(first);
    engine.version++;
    expect(api.cached(new Request('http://localhost/v1/list?limit=7'))).toBeUndefined();
    await get('/v1/list?limit=7');
    expect(made.times).toBe(2);
  });

  test('for seconds outlive ledgers, and end', async () => {
    const { made, row } = counted(30);
    let now = 1_000_000;
    const { get, engine } = fixture(ledgers, { routes: [row], now: () => now });
    expect((await get('/v1/list')).headers.get('cache-control')).toBe('public, max-age=30');
    engine.version++;
    now += 29_999;
    await get('/v1/list');
    expect(made.times).toBe(1);
    now += 1;
    await get('/v1/list');
    expect(made.times).toBe(2);
  });

  test('for seconds do not last longer on a clock that is set back', async () => {
    const { made, row } = counted(30);
    let now = 1_000_000_000;
    const { get, engine } = fixture(ledgers, { routes: [row], now: () => now });
    await get('/v1/list');
    now -= 3_600_000;
    await get('/v1/list');
    expect(made.times).toBe(2);
    // What was kept before the jump ends when a ledger comes, too.
    now += 60_000;
    engine.version++;
    await get('/v1/list');
    expect(made.times).toBe(3);
  });

  test('that are not cached are made every time, and caches may not store them', async () => {
    const { made, row } = counted(undefined);
    const { get } = fixture(ledgers, { routes: [row] });
    expect((await get('/v1/list')).headers.get('cache-control')).toBe('no-store');
    await get('/v1/list');
    expect(made.times).toBe(2);
  });

  test('of a ledger that was overtaken are not kept', async () => {
    const { row } = counted('ledger');
    const slow = { ...row, handler: async () => ({ a: engine.version++ }) };
    const { get, engine, api } = fixture(ledgers, { routes: [slow as never] });
    await get('/v1/list');
    expect(api.cached(new Request('http://localhost/v1/list'))).toBeUndefined();
  });

  test('never exceed their bound, whatever addresses are asked', async () => {
    const { row } = counted('ledger');
    const { get, api } = fixture(ledgers, { routes: [row], cacheBytes: 100_000 });
    for (let at = 0; at < 500; at++) await get(`/v1/list?limit=${at % 100}&x=${'y'.repeat(at)}`);
    expect(api.caches[0]!.bytes).toBeLessThanOrEqual(100_000);
    expect(api.caches[0]!.size).toBeGreaterThan(5);
  });

  test('the charge returns to zero', () => {
    const cache = new AnswerCache(10_000);
    cache.find('x', 1, 0);
    const answer = new StoredAnswer(
      new Uint8Array(100),
      'a/b',
      'no-cache',
      undefined,
      counted('ledger').row,
      new AnswerTally('GET', '/x'),
    );
    cache.keep('x', answer, 1, Infinity);
    cache.keep('x', answer, 1, Infinity);
    cache.share('y', 'x');
    expect(cache.size).toBe(2);
    cache.find('x', 2, 0);
    expect([cache.size, cache.bytes]).toEqual([0, 0]);
  });

  test('are confirmed by ETag', async () => {
    const { row } = counted('ledger');
    const { get } = fixture(ledgers, { routes: [row] });
    const etag = (await get('/v1/list')).headers.get('etag')!;
    const again = await get('/v1/list', { 'If-None-Match': etag });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect((await get('/v1/list?limit=3', { 'If-None-Match': etag })).status).toBe(200);
  });
});

describe('other origins', () => {
  test('may read every answer, and its headers', async () => {
    const { row } = counted('ledger');
    const { get } = fixture(ledgers, { routes: [row] });
    expect((await get('/v1/list')).headers.get('access-control-expose-headers')).toBeNull();
    const foreign = await get('/v1/list', { Origin: 'https://example.org' });
    expect(foreign.headers.get('access-control-allow-origin')).toBe('*');
    const exposed = foreign.headers.get('access-control-expose-headers')!.split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['X-Request-ID', 'RateLimit', 'RateLimit-Policy']));
    expect((await get('/v1/list')).headers.get('access-control-expose-headers')).toBeNull();
  });
});

test('answers that caches may keep name the key among what they depend on, for its body and its limits', async () => {
  const { row } = counted('ledger');
  const { get } = fixture(ledgers, { routes: [row] });
  for (const path of ['/v1/list', '/v1/list?limit=1']) {
    const answer = await get(path);
    const known = await get(path, { 'If-None-Match': answer.headers.get('etag')! });
    expect([answer.status, known.status]).toEqual([200, 304]);
    for (const { headers } of [answer, known])
      expect(headers.get('vary')!.split(', ')).toEqual(expect.arrayContaining(['Origin', 'X-Api-Key']));
  }
});

describe('encodings', () => {
  test.each([
    ['gzip, deflate, br', 'gzip'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip;q=0', undefined],
    ['zstd;q=0.0, GZIP;q=0.5', 'gzip'],
    ['identity', undefined],
    ['', undefined],
    [null, undefined],
  ])('%p gets %p', (accept, expected) => expect(chosenEncoding(accept)).toBe(expected as never));

  test('decode to the same bytes, and small answers stay plain', async () => {
    const { row } = counted('ledger');
    const { get } = fixture(ledgers, { routes: [row] });
    const plain = await get('/v1/list', { 'Accept-Encoding': 'identity' });
    const text = await plain.text();
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.headers.get('vary')).toContain('Accept-Encoding');
    const zipped = await get('/v1/list', { 'Accept-Encoding': 'gzip' });
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect(new TextDecoder().decode(Bun.gunzipSync(new Uint8Array(await zipped.arrayBuffer())))).toBe(text);
    const zstd = await get('/v1/list', { 'Accept-Encoding': 'zstd' });
    expect(Bun.zstdDecompressSync(new Uint8Array(await zstd.arrayBuffer())).toString()).toBe(text);
    const small = await get('/v1/list?limit=1', { 'Accept-Encoding': 'gzip' });
    expect(small.headers.get('content-encoding')).toBeNull();
  });

  test('sent once are compressed only where they are longer than what a connection sends at first', async () => {
    const body = (bytes: number) => ({ text: 'x'.repeat(bytes) });
    for (const [bytes, encoding] of [
      [13_000, null],
      [16_000, 'zstd'],
    ] as const) {
      const { row } = counted(undefined);
      const { get } = fixture(ledgers, { routes: [{ ...row, handler: () => body(bytes) } as never] });
      const answer = await get('/v1/list', { 'Accept-Encoding': 'zstd' });
      expect(answer.headers.get('content-encoding')).toBe(encoding);
      const sent = new Uint8Array(await answer.arrayBuffer());
      const text = encoding === null ? Buffer.from(sent) : Bun.zstdDecompressSync(sent);
      expect(JSON.parse(text.toString()).text).toBe(body(bytes).text);
    }
  });
});
