/** Who may call tools where keys are asked for, and what a call costs. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
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
  ] as const) {
    const after = await used(name, sent);
    expect(after - before, name).toBe(cost);
    before = after;
  }
});

test('who asks too often is refused with the time to wait', async () => {
  rig.now += 120_000;
  rig.client = '198.51.100.7';
  const answers = [];
  for (let asked = 0; asked < 60; asked++) answers.push(await send('tools/list', {}));
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.body.error.data.retryAfter).toBeGreaterThan(0);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
});
