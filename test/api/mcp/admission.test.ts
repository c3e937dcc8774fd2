/** Who may call tools where keys are asked for, and what a call costs. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Wallet } from 'xrpl';
import { NOTES_MAX, notesOf } from '../../../platform/notes.ts';
import { GateRig } from '../gate/gate-rig.ts';

const rig = new GateRig();
beforeAll(() => rig.open());
afterAll(() => rig.stop());

const send = (method: string, params: object, secret?: string) =>
  rig.ask('POST', '/mcp', secret === undefined ? {} : { 'X-Api-Key': secret }, {
    jsonrpc: '2.0',
    id: 7,
    method,
    params,
  });
const call = (secret: string | undefined, name: string, sent: object = {}) =>
  send('tools/call', { name, arguments: sent }, secret);

test('lists need no key; calls need one, on a plan that is paid', async () => {
  for (const method of ['initialize', 'tools/list', 'prompts/list', 'resources/list']) {
    rig.now += 120_000;
    expect((await send(method, {})).body.result).toBeDefined();
  }
  rig.now += 120_000;
  const nobody = await call(undefined, 'search_tools', { query: 'price' });
  expect([nobody.status, nobody.body.id, nobody.body.error.data.code]).toEqual([401, 7, 'unauthorized']);
  expect(nobody.headers.get('www-authenticate')).toBe('ApiKey');
  rig.now += 120_000;
  const free = await call(await rig.keyOfTier('free'), 'search_tools', { query: 'price' });
  expect([free.status, free.body.error.data.code]).toEqual([403, 'forbidden']);
  const paid = await call(await rig.keyOfTier('developer'), 'search_tools', { query: 'price' });
  expect([paid.status, paid.body.error]).toEqual([200, undefined]);
  expect((await call('wrong', 'search_tools', { query: 'price' })).status).toBe(401);
});

test('a call costs what its route costs, api_get that of the path, lists nothing', async () => {
  rig.now += 120_000;
  const secret = await rig.keyOfTier('developer');
  const used = async (name: string, sent: object) => {
    const { headers } = await call(secret, name, sent);
    return Number(headers.get('x-credits-used'));
  };
  let before = 0;
  for (const [name, sent, cost] of [
    ['get_token', { id: '0'.repeat(32) }, 2],
    ['search_tokens', { query: 'usd' }, 10],
    ['api_get', { path: '/stats' }, 1],
    ['api_get', { path: '/token/xyz' }, 2],
    ['search_tools', { query: 'price' }, 0],
    // A quote for each size, and one of a small sale where all are large.
    ['get_exit_liquidity', { id: 'XRP' }, 40],
    ['get_exit_liquidity', { id: 'XRP', xrp_sizes: [50] }, 10],
    ['get_exit_liquidity', { id: 'XRP', xrp_sizes: [1000, 2000] }, 30],
    ['get_exit_liquidity', {}, 10],
  ] as const) {
    const after = await used(name, sent);
    expect(after - before, name).toBe(cost);
    before = after;
  }
});

test('a call that asks for several quotes counts as so many in the window of quotes', async () => {
  rig.now += 120_000;
  const secret = await rig.keyOfTier('partner');
  const sizes = { id: 'XRP', xrp_sizes: [1, 2, 3, 4, 5, 6, 7, 8] };
  // 45 a minute: five times eight, and five more.
  const called = async (sent: object) => (await call(secret, 'get_exit_liquidity', sent)).status;
  for (let asked = 0; asked < 5; asked++) expect(await called(sizes)).toBe(200);
  const refused = await call(secret, 'get_exit_liquidity', sizes);
  expect([refused.status, refused.body.error.data.bucket]).toEqual([429, '/dex/quote']);
  for (let asked = 0; asked < 5; asked++) expect(await called({ id: 'XRP', xrp_sizes: [1] })).toBe(200);
  expect(await called({ id: 'XRP', xrp_sizes: [1] })).toBe(429);
  rig.now += 60_000;
  expect(await called(sizes)).toBe(200);
});

test('of a batch what its window admits is answered and costs, and the rest is refused by itself', async () => {
  rig.now += 120_000;
  const secret = await rig.keyOfTier('partner');
  const before = (await call(secret, 'search_tools', { query: 'price' })).headers.get('x-credits-used');
  const batch = Array.from({ length: 20 }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'get_exit_liquidity', arguments: { id: 'XRP', xrp_sizes: [1000 + id, 2000 + id] } },
  }));
  const { status, headers, body: text } = await rig.ask('POST', '/mcp', { 'X-Api-Key': secret }, batch);
  const body = JSON.parse(text);
  // Three quotes each, of which 45 a minute are admitted.
  expect([status, body.length]).toEqual([200, 20]);
  const codes = body.map(
    ({ error }: { error?: { data: { code: string } } }) => error?.data.code ?? 'answered',
  );
  expect(codes).toEqual([...Array(15).fill('answered'), ...Array(5).fill('rate_limited')]);
  expect(body[19].error.data.retryAfter).toBeGreaterThan(0);
  expect(Number(headers.get('x-credits-used')) - Number(before)).toBe(15 * 30);
});

test('of a batch, what comes after the last credit, or after the key was revoked, is refused and costs nothing', async () => {
  rig.now += 120_000;
  rig.client = '198.51.100.9';
  const wallet = Wallet.generate().classicAddress;
  await rig.give(wallet, 'developer');
  const secret = await rig.key('user', wallet);
  const account = rig.customers.credits.of(wallet)!;
  account.spend(account.left(rig.now) - 45, rig.now);
  const messages = ['/token/a', '/ohlc/XRP', '/token/b', '/stats', '/keys/costs'].map((path, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'api_get', arguments: { path } },
  }));
  const { status, headers, body } = await rig.ask('POST', '/mcp', { 'X-Api-Key': secret }, messages);
  const codes = JSON.parse(body).map(({ error }: { error?: { data: { code: string } } }) => error?.data.code);
  expect([status, codes]).toEqual([
    200,
    [undefined, 'payment_required', undefined, 'payment_required', undefined],
  ]);
  expect(headers.get('x-credits-remaining')).toBe('0.5');
  // Each message of a batch is admitted with the identity of the request.
  const request = new Request('http://localhost/mcp', { headers: { 'X-Api-Key': secret } });
  const identity = rig.gate.identify(request, rig.api.callers.server);
  const row = { path: '/keys/costs', auth: 'none', tier: 'anonymous', bucket: '/keys' } as const;
  expect(rig.gate.admit('request', row, identity)).toBeUndefined();
  await rig.customers.keys.remove(wallet, rig.customers.keys.list(wallet)[0]!.id, rig.now);
  expect(rig.gate.admit('request', row, identity)?.code).toBe('unauthorized');
  const admin = { 'X-Admin-Key': await rig.key('admin') };
  const asAdmin = rig.gate.identify(
    new Request('http://localhost/mcp', { headers: admin }),
    rig.api.callers.server,
  );
  for (const act of ['request', 'message'] as const)
    expect(rig.gate.admit(act, row, asAdmin)).toBeUndefined();
  await rig.customers.keys.remove('', rig.customers.keys.operators().at(-1)!.id, rig.now);
  for (const act of ['request', 'message'] as const)
    expect(rig.gate.admit(act, row, asAdmin)?.code).toBe('unauthorized');
});

test('who asks too often is refused with the time to wait', async () => {
  rig.now += 120_000;
  rig.client = '198.51.100.7';
  const answers = [];
  for (let asked = 0; asked < 60; asked++) answers.push(await send('tools/list', {}));
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.body.error.data.retryAfter).toBeGreaterThan(0);
  expect(refused?.body.id).toBe(7);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
});

describe('what is asked without a message that is answered', () => {
  /** Statuses of so many at once, with how often each came. */
  async function statuses(client: string, times: number, init: RequestInit) {
    rig.now += 120_000;
    rig.client = client;
    const found: Record<number, number> = {};
    for (let sent = 0; sent < times; sent++) {
      const { status } = await rig.api.fetch(new Request('http://localhost/mcp', init));
      found[status] = (found[status] ?? 0) + 1;
    }
    return found;
  }
  const post = (body: string): RequestInit => ({ method: 'POST', body });

  test.each([
    ['no JSON', post('{'), 400, '198.51.100.20'],
    ['no message', post('{"id":1}'), 400, '198.51.100.21'],
    ['an empty batch', post('[]'), 400, '198.51.100.22'],
    ['another method', { method: 'GET' }, 405, '198.51.100.23'],
  ] as const)('%s counts in the windows of its address', async (_, init, status, client) => {
    expect(await statuses(client, 10, init)).toEqual({ [status]: 2, 429: 8 });
  });

  test('each of a batch counts', async () => {
    rig.now += 120_000;
    rig.client = '198.51.100.60';
    const sent = await rig.api.fetch(new Request('http://localhost/mcp', post('[1,2,3,4]')));
    const codes = ((await sent.json()) as { error: { data?: { code: string } } }[]).map(
      ({ error }) => error.data?.code,
    );
    expect(codes).toEqual([undefined, undefined, 'rate_limited', 'rate_limited']);
  });

  test('a notification, which clients send between their first requests, counts in the burst of its address alone', async () => {
    const notification = post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    expect(await statuses('198.51.100.61', 110, notification)).toEqual({ 202: 100, 429: 10 });
    rig.now += 120_000;
    rig.client = '198.51.100.62';
    expect((await send('initialize', {})).status).toBe(200);
    expect((await rig.api.fetch(new Request('http://localhost/mcp', notification))).status).toBe(202);
    expect((await send('tools/list', {})).status).toBe(200);
  });
});

test('a call whose answer is kept is admitted, and costs, like any other', async () => {
  rig.now += 120_000;
  rig.client = '198.51.100.8';
  const secret = await rig.keyOfTier('developer');
  const used = [];
  for (let called = 0; called < 3; called++) {
    const answer = await call(secret, 'get_global_stats');
    expect(answer.body.result.structuredContent).toBeDefined();
    used.push(Number(answer.headers.get('x-credits-used')));
  }
  expect([used[1]! - used[0]!, used[2]! - used[1]!]).toEqual([1, 1]);
  const nobody = await call(undefined, 'get_global_stats');
  expect([nobody.status, nobody.body.id]).toEqual([401, 7]);
});

describe('notes', () => {
  const ask = async (secret: string, name: string, sent: object = {}) => {
    rig.now += 60_000;
    const { result } = (await call(secret, name, sent)).body;
    return result.isError ? (result.content[0].text as string) : result.structuredContent;
  };

  test('belong to the key that wrote them, bounded, until they are written over or deleted', async () => {
    const [own, other] = [await rig.keyOfTier('developer'), await rig.keyOfTier('developer')];
    expect(await ask(own, 'write_note', { name: 'plan', text: 'buy\u202e low' })).toEqual({
      note: 'plan',
      state: 'written',
      notes: 1,
    });
    expect(await ask(own, 'write_note', { name: 'plan', text: 'sell high' })).toMatchObject({ notes: 1 });
    const note = { name: 'plan', text: 'sell high', time: rig.now };
    expect(await ask(own, 'get_notes')).toEqual({ total: 1, notes: [note] });
    expect(await ask(own, 'get_notes', { query: 'HIGH' })).toEqual({ total: 1, notes: [note] });
    expect(await ask(other, 'get_notes')).toEqual({ total: 0, notes: [] });
    expect(await ask(own, 'write_note', { name: 'x', text: 'x'.repeat(501) })).toContain('At most 500');
    expect(await ask(own, 'write_note', { name: '\u200f', text: 'x' })).toContain('name is empty');
    expect(await ask(own, 'write_note', { name: 'x' })).toContain('delete: true');
    for (let n = 1; n < NOTES_MAX; n++)
      await ask(own, 'write_note', { name: `n${n}`, text: '\u{1f30a}'.repeat(250) });
    expect(await ask(own, 'write_note', { name: 'more', text: 'x' })).toContain('deletes one');
    expect(await ask(own, 'write_note', { name: 'plan', text: 'kept' })).toMatchObject({ notes: NOTES_MAX });
    expect(await ask(own, 'write_note', { name: 'plan', delete: true })).toMatchObject({ state: 'deleted' });
    expect(await ask(own, 'write_note', { name: 'plan', delete: true })).toMatchObject({ state: 'absent' });
    expect(await ask(own, 'write_note', { name: 'more', text: 'x' })).toMatchObject({ notes: NOTES_MAX });
  });

  test('are there after a restart, and gone with the key', async () => {
    const wallet = Wallet.generate().classicAddress;
    await rig.give(wallet, 'developer');
    const secret = await rig.key('user', wallet);
    await ask(secret, 'write_note', { name: 'plan', text: 'stays' });
    const { id } = rig.customers.keys.list(wallet)[0]!;
    await rig.restart(true);
    expect(notesOf(rig.store, id)).toHaveLength(1);
    expect(await ask(secret, 'get_notes')).toMatchObject({ total: 1 });
    // What was sent before the key was revoked, and is done after it, writes nothing.
    const [, late] = await Promise.all([
      rig.customers.keys.remove(wallet, id, rig.now),
      ask(secret, 'write_note', { name: 'late', text: 'too late' }),
    ]);
    expect(late).toContain('API key of your own');
    expect(notesOf(rig.store, id)).toEqual([]);
  });

  test('need no key on the machine of a service that asks for none, and there alone', async () => {
    const open = new GateRig({ settings: { mode: 'open' } });
    await open.open();
    const write = async (client: string) => {
      open.client = client;
      const params = { name: 'write_note', arguments: { name: 'plan', text: client } };
      const { body } = await open.ask(
        'POST',
        '/mcp',
        {},
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      );
      return body.result.isError ? body.result.content[0].text : body.result.structuredContent.notes;
    };
    for (const machine of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) expect(await write(machine)).toBe(1);
    for (const other of ['192.0.2.1', '2001:db8::1', '::ffff:10.0.0.1'])
      expect(await write(other)).toContain('API key of your own');
    await open.stop();
  });
});
