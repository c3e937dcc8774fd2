/** The life of a key over HTTP: made, used, counted, renamed, revoked, deleted; and what customers report. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Wallet } from 'xrpl';
import { route } from '../../../api/route.ts';
import { object } from '../../../api/schema.ts';
import { PlatformError } from '../../../platform/store.ts';
import { quiet } from '../../live-rig.ts';
import { GateRig } from './gate-rig.ts';

const rig = new GateRig();
const wallet = Wallet.generate();
const at = `/keys/${wallet.classicAddress}`;
const project = {
  name: 'Charts',
  url: 'https://charts.example/',
  category: 'analytics',
  description: 'Charts of tokens',
  expectedDaily: '1k-10k',
};
beforeAll(() => rig.open());
afterAll(() => rig.stop());

let secret = '';
let id = '';

const make = (body: object, by = wallet) => rig.ask('POST', '/keys', rig.signed(by), body);
const withKey = (path: string, key = secret) => rig.ask('GET', path, { 'X-Api-Key': key });

describe('a key', () => {
  test('is made with what its project is, and shown once', async () => {
    expect((await rig.ask('GET', at, rig.signed(wallet))).status).toBe(404);
    const { status, body } = await make({ name: 'one', project, agreePolicy: true });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      success: true,
      keyPrefix: body.apiKey.slice(0, 11),
      wallet: wallet.classicAddress,
      credits: 1_000_000,
      project,
      tier: 'free',
    });
    expect(body.apiKey.length).toBeGreaterThanOrEqual(37);
    secret = body.apiKey;
    const { body: listed } = await rig.ask('GET', at, rig.signed(wallet));
    expect(listed).toMatchObject({ count: 1, tier: 'free', credits: 1_000_000 });
    expect(listed.keys[0]).toMatchObject({
      name: 'one',
      tier: 'free',
      status: 'active',
      createdAt: rig.now,
      project,
    });
    expect(JSON.stringify(listed)).not.toContain(secret.slice(11));
    id = listed.keys[0].id;
  });

  test('of the admin is refused where others are sent, and the answer names its own header', async () => {
    const { status, body } = await withKey('/stats', await rig.key('admin'));
    expect([status, body.code]).toEqual([401, 'unauthorized']);
    expect(body.message).toContain('X-Admin-Key');
  });

  test('is one on the free tier, five on those that pay; legacy bodies have a name only', async () => {
    expect((await make({ name: 'two' })).status).toBe(409);
    const paying = Wallet.generate();
    await rig.give(paying.classicAddress, 'developer');
    for (let made = 0; made < 5; made++) {
      const { status, body } = await make({ name: `n${made}` }, paying);
      expect([status, body.project]).toEqual([200, null]);
    }
    const { status, body } = await make({ name: 'six' }, paying);
    expect([status, body.error]).toEqual([409, 'The developer tier has at most 5 keys']);
  });

  test('is the first of 100 new wallets of an address in a day, and any number of those that there are', async () => {
    const day = 86_400;
    rig.client = '192.0.2.77';
    const known = Wallet.generate();
    expect((await make({}, known)).status).toBe(200);
    const { body: listed } = await rig.ask('GET', `/keys/${known.classicAddress}`, rig.signed(known));
    // What is refused for its body takes no place.
    expect((await make({ name: '  ' }, Wallet.generate())).status).toBe(400);
    for (let n = 1; n < 99; n++) rig.api.service.newWallets!.take(rig.client, rig.now);
    rig.now += 1000;
    const last = Wallet.generate();
    expect((await make({}, last)).status).toBe(200);
    const refused = await make({}, Wallet.generate());
    expect([refused.status, refused.body.code, refused.body.bucket]).toEqual([
      429,
      'rate_limited',
      'new wallets',
    ]);
    expect(Number(refused.headers.get('Retry-After'))).toBe(day - 1);
    const key = `/keys/${known.classicAddress}/${listed.keys[0].id}`;
    expect((await rig.ask('DELETE', key, rig.signed(known))).status).toBe(200);
    expect((await make({}, known)).status).toBe(200);
    rig.client = '192.0.2.78';
    expect((await make({}, Wallet.generate())).status).toBe(200);
    rig.client = '192.0.2.1';
  });

  test.each<[string, object]>([
    ['no https', { project: { ...project, url: 'http://charts.example' }, agreePolicy: true }],
    ['another category', { project: { ...project, category: 'casino' }, agreePolicy: true }],
    ['no description', { project: { ...project, description: undefined }, agreePolicy: true }],
    ['a name of spaces', { project: { ...project, name: '  ' }, agreePolicy: true }],
    ['no figure', { project: { ...project, expectedDaily: 'many' }, agreePolicy: true }],
    ['a project without the policy', { project }],
    ['a list', { project: [project], agreePolicy: true }],
  ])('is refused with %s', async (_, body) => {
    expect((await make(body, Wallet.generate())).status).toBe(400);
  });

  test('is for its wallet: limits, credits and what is shown of them', async () => {
    // Wallets and free keys of one address share its limits.
    rig.client = '192.0.2.8';
    const { status, headers } = await withKey('/keys/costs');
    expect(status).toBe(200);
    const shown = Object.fromEntries(
      ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-RateLimit-Daily-Remaining'].map(
        (name) => [name, headers.get(name)],
      ),
    );
    expect(shown).toEqual({
      'X-RateLimit-Limit': '20',
      'X-RateLimit-Remaining': '19',
      'X-RateLimit-Reset': '1',
      'X-RateLimit-Daily-Remaining': '32999',
    });
    expect(headers.get('RateLimit')).toBe('"second";r=19;t=1');
    expect([headers.get('X-Credits-Used'), headers.get('X-Credits-Remaining')]).toEqual(['0', '1000000']);
    rig.now += 1000;
    const paid = await withKey('/ohlc/XRP');
    expect([paid.headers.get('X-Credits-Used'), paid.headers.get('X-Credits-Remaining')]).toEqual([
      '5',
      '999995',
    ]);
    const { body } = await rig.ask('GET', `${at}/credits`, rig.signed(wallet));
    expect(body).toMatchObject({
      balance: 999_995,
      tier: 'free',
      isAdmin: false,
      allowance: 1e6,
      used: 5,
      purchased: 0,
    });
    expect(body.billingCycle).toMatchObject({ billing: null, daysRemaining: 30, cycleProgress: 0 });
    expect(body.billingCycle.end - body.billingCycle.start).toBe(30 * 86_400_000);
  });

  test('what it was used for, and its newest calls', async () => {
    const { body } = await rig.ask('GET', `${at}/usage`, rig.signed(wallet));
    expect(body.keys).toMatchObject([
      { id, tier: 'free', today: { used: 2, limit: 33_000, credits: 5 }, total: 2 },
    ]);
    expect(body.endpointUsage).toEqual({ '/keys': 0, '/ohlc': 5 });
    expect(body.usage).toEqual([
      { date: new Date(rig.now).toISOString().slice(0, 10), requests: 2, credits: 5 },
    ]);
    const { body: logs } = await rig.ask('GET', `${at}/logs`, rig.signed(wallet));
    expect(
      logs.logs.map((call: { endpoint: string; outcome: string }) => [call.endpoint, call.outcome]),
    ).toEqual([
      ['/ohlc/{id}', 'admitted'],
      ['/keys/costs', 'admitted'],
    ]);
  });

  test('keeps all of it over a restart', async () => {
    await rig.restart();
    expect((await withKey('/keys/costs')).headers.get('X-Credits-Remaining')).toBe('999995');
    const { body } = await rig.ask('GET', `${at}/usage`, rig.signed(wallet));
    expect(body.keys).toMatchObject([{ today: { used: 3, credits: 5 }, total: 3 }]);
  });

  test('is renamed, revoked, deleted', async () => {
    rig.now += 1000;
    const rename = (name: string) => rig.ask('PUT', `${at}/${id}`, rig.signed(wallet), { name });
    expect((await rename('mine')).body.key).toMatchObject({ id, name: 'mine' });
    expect((await rename(' ')).status).toBe(400);
    expect((await rename('x'.repeat(65))).status).toBe(400);
    const remove = () => rig.ask('DELETE', `${at}/${id}`, rig.signed(wallet));
    const stranger = Wallet.generate();
    expect((await rig.ask('DELETE', `${at}/${id}`, rig.signed(stranger))).status).toBe(403);
    expect(
      (await rig.ask('DELETE', `/keys/${stranger.classicAddress}/${id}`, rig.signed(stranger))).status,
    ).toBe(404);
    expect((await withKey('/keys/costs')).status).toBe(200);
    expect((await remove()).body).toMatchObject({ id, status: 'revoked' });
    const refused = await withKey('/keys/costs');
    expect([refused.status, refused.body.code]).toEqual([401, 'unauthorized']);
    expect((await rename('again')).status).toBe(404);
    rig.now += 1000;
    expect((await remove()).body).toMatchObject({ id, status: 'deleted' });
    expect((await remove()).status).toBe(404);
    expect((await rig.ask('GET', at, rig.signed(wallet))).body).toMatchObject({ keys: [], count: 0 });
  });
});

test('402 when nothing is left, with what to do; what costs nothing is answered', async () => {
  const poor = Wallet.generate();
  const { body } = await make({ name: 'poor' }, poor);
  rig.customers.credits.of(poor.classicAddress)!.spend(10_000_000 - 45, rig.now);
  rig.client = '192.0.2.9';
  const refused = await withKey('/ohlc/XRP', body.apiKey);
  expect([refused.status, refused.body.code]).toEqual([402, 'payment_required']);
  expect(refused.headers.get('X-Credits-Remaining')).toBe('4.5');
  expect((await withKey('/keys/costs', body.apiKey)).status).toBe(200);
  rig.now += 30 * 86_400_000;
  expect((await withKey('/ohlc/XRP', body.apiKey)).headers.get('X-Credits-Remaining')).toBe('999995');
});

test('what is never limited shows the credits that it uses, and without any left uses none', async () => {
  const poor = Wallet.generate();
  const { body } = await make({ name: 'poor' }, poor);
  rig.customers.credits.of(poor.classicAddress)!.spend(10_000_000 - 25, rig.now);
  const { id } = rig.customers.keys.list(poor.classicAddress)[0]!;
  const asked = async () => {
    const { status, headers } = await withKey('/scams/report-scam', body.apiKey);
    const usage = rig.customers.usage.of(id);
    const spent = usage.today(rig.now).tenths;
    expect(usage.endpoints(rig.now).get('/scams')).toBe(spent);
    return [status === 402, headers.get('X-Credits-Used'), headers.get('X-Credits-Remaining'), spent];
  };
  expect(await asked()).toEqual([false, '999998.5', '1.5', 10]);
  expect(await asked()).toEqual([false, '999999.5', '0.5', 20]);
  expect(await asked()).toEqual([false, '999999.5', '0.5', 20]);
  const names = [...(await withKey('/scams/report-scam', body.apiKey)).headers.keys()];
  expect(names.filter((name) => name.includes('ratelimit'))).toEqual([]);
  const unmetered = await withKey('/scams/report-scam', await rig.keyOfTier('enterprise'));
  expect(unmetered.headers.get('X-Credits-Remaining')).toBeNull();
});

test('429 names the window, and says when to ask again', async () => {
  rig.client = '192.0.2.10';
  await rig.ask('GET', '/keys/costs');
  await rig.ask('GET', '/keys/costs');
  const { status, headers, body } = await rig.ask('GET', '/keys/costs');
  expect(status).toBe(429);
  expect(body).toMatchObject({ code: 'rate_limited', bucket: 'second', window: 1, retryAfter: 1 });
  const names = [
    'Retry-After',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'RateLimit',
  ];
  expect(names.map((name) => headers.get(name))).toEqual(['1', '2', '0', '1', '"second";r=0;t=1']);
});

describe('what a customer reports', () => {
  test('names a request and a kind; the same again is the same', async () => {
    rig.client = '192.0.2.11';
    const key = await rig.keyOfTier('developer');
    const report = (body: object) => rig.ask('POST', '/feedback', { 'X-Api-Key': key }, body);
    const { status, body } = await report({ requestId: 'abc-1', kind: 'missing_field' });
    expect([status, body.recorded, body.kind]).toEqual([200, true, 'missing_field']);
    expect((await report({ requestId: 'abc-1', kind: 'missing_field' })).status).toBe(200);
    expect((await report({ requestId: 'abc-1', kind: 'rude' })).status).toBe(400);
    expect((await report({ requestId: 'a b', kind: 'missing_field' })).status).toBe(400);
    expect((await rig.ask('POST', '/feedback', {}, { requestId: 'abc-1', kind: 'wrong_value' })).status).toBe(
      401,
    );
  });
});

test('a store that is full, or has too much to write, is no fault of the program: 503', async () => {
  const { store } = rig.customers;
  const { transaction } = store!;
  const key = await rig.keyOfTier('developer');
  for (const [code, retryAfter] of [
    ['busy', 1],
    ['collection-full', undefined],
    ['disk-full', undefined],
    ['read-only', undefined],
  ] as const) {
    store!.transaction = () => Promise.reject(new PlatformError(code, 'no more'));
    const body = { requestId: 'abc-1', kind: 'missing_field' };
    const answer = await rig.ask('POST', '/feedback', { 'X-Api-Key': key }, body);
    store!.transaction = transaction;
    expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(answer.body.retryAfter).toBe(retryAfter);
  }
});

test('costs are those of the route table', async () => {
  const { body } = await rig.ask('GET', '/keys/costs', { 'X-Api-Key': await rig.keyOfTier('enterprise') });
  expect(body.websocketMessage).toBe(0.1);
  expect(body.costs).toContainEqual({ method: 'GET', path: '/ohlc/{id}', credits: 5, bucket: '/ohlc' });
});

test('of scams, reads alone are without limits', async () => {
  rig.client = '192.0.2.98';
  const times = async (method: string, path: string) => {
    const statuses = new Set<number>();
    for (let i = 0; i < 150; i++) statuses.add((await rig.ask(method, path, {}, undefined)).status);
    return statuses.has(429);
  };
  expect([await times('GET', '/scams/report-scam'), await times('GET', '/nft/scam')]).toEqual([false, false]);
  expect(await times('POST', '/scams/report')).toBe(true);
  rig.now += 120_000;
  const { burst } = rig.settings.tiers.anonymous;
  for (let i = 0; i < burst!; i++) expect((await rig.ask('POST', '/scams/report')).status).toBe(400);
  const refused = await rig.ask('POST', '/scams/report');
  expect(refused.body).toMatchObject({ bucket: 'second', window: 1 });
  expect(refused.headers.get('ratelimit-policy')).toContain('"POST /scams";q=30;w=60');
  expect((await rig.ask('GET', '/scams/report-scam')).status).not.toBe(429);
  rig.client = '192.0.2.1';
});

test('messages of the card processor are held up by the burst of its address alone', async () => {
  rig.client = '192.0.2.97';
  const send = () => rig.ask('POST', '/keys/card/webhook');
  const { limit, windowMs } = rig.settings.addressBurst;
  const { perDay } = rig.settings.tiers.anonymous;
  for (let sent = 0; sent <= perDay!; sent += limit) {
    for (let i = 0; i < limit; i++) expect((await send()).status).toBe(503);
    const refused = await send();
    expect([refused.status, refused.body.bucket]).toEqual([429, 'address']);
    rig.now += windowMs;
  }
  expect((await send()).headers.get('ratelimit-policy')).toBe(`"address";q=${limit};w=${windowMs / 1000}`);
  // They are not those of others behind that address.
  const other = await rig.ask('GET', '/keys/costs');
  expect(other.headers.get('x-ratelimit-daily-remaining')).toBe(String(perDay! - 1));
  rig.client = '192.0.2.1';
});

test('what no route answers counts in the windows of its address, too', async () => {
  rig.client = '192.0.2.99';
  const statuses = new Map<number, number>();
  for (let i = 0; i < 120; i++) {
    const { status } = await rig.ask(i % 2 === 0 ? 'GET' : 'PATCH', i % 2 === 0 ? `/none/${i}` : '/tokens');
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  const { burst, perMinute } = rig.settings.tiers.anonymous;
  const admitted = Math.min(rig.settings.addressBurst.limit, burst ?? 120, perMinute ?? 120);
  expect((statuses.get(404) ?? 0) + (statuses.get(405) ?? 0)).toBe(admitted);
  expect(statuses.get(429)).toBe(120 - admitted);
  rig.now += 120_000;
  const headers = { 'X-Api-Key': await rig.keyOfTier('developer') };
  for (const [method, path, status] of [
    ['GET', '/none', 404],
    ['PATCH', '/tokens', 405],
  ] as const) {
    const known = await rig.ask(method, path, headers);
    expect(known.status).toBe(status);
    expect(known.headers.get('x-ratelimit-limit')).toBe('100');
    for (const name of [
      'x-ratelimit-remaining',
      'x-ratelimit-daily-remaining',
      'x-credits-remaining',
      'ratelimit',
    ])
      expect(known.headers.get(name)).toMatch(/\d/);
  }
  rig.client = '192.0.2.1';
});

test('a key in an address is not logged, however its name is written', async () => {
  const lines: string[] = [];
  const log = { ...quiet, error: (...said: unknown[]) => void lines.push(JSON.stringify(said)) };
  const failing = route({
    method: 'GET',
    path: '/picture',
    section: '4.1',
    auth: 'none',
    tier: 'anonymous',
    keyInQuery: true,
    example: {},
    summary: 'Fails',
    params: {},
    cost: 0,
    bucket: '/picture',
    response: object({}),
    handler: () => {
      throw new Error('a fault');
    },
  });
  const own = new GateRig({ routes: [failing], api: { log } });
  await own.open();
  const hidden = await own.keyOfTier('developer');
  for (const name of ['apiKey', '%61pi%4Bey', 'w=64&apiKey', 'apiKey=x&apiKey'])
    expect((await own.ask('GET', `/picture?${name}=${hidden}&side=64`)).status).toBeOneOf([401, 500]);
  expect(lines).toHaveLength(3);
  for (const line of lines) {
    expect(line).not.toContain(hidden.slice(11));
    expect(line).toContain('side=64');
  }
  await own.stop();
});
