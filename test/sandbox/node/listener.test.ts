/** Permissions of the node's clients: programs, pages of this machine, pages of other sites, the process itself. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Wallet } from 'xrpl';
import { addressOf } from '../../../engine/codec/arithmetic/amount.ts';
import { FAUCET_PER_ADDRESS, FAUCET_TOTAL } from '../../../sandbox/node/faucet-limit.ts';
import type { TestAccount } from '../rig.ts';
import { FOREIGN, ListenerRig, type Reply } from './listener-rig.ts';

const KEY = 'A1'.repeat(16);

let rig: ListenerRig;

beforeAll(() => {
  rig = new ListenerRig({}, { ownKey: KEY });
});

afterAll(() => rig.end());

const foreign = [
  'https://wallet.example',
  'http://localhost.example',
  'http://127.0.0.1.example:6006',
  'null',
  'x',
];
const own = ['http://localhost:3000', 'http://127.0.0.1', 'https://[::1]:8443'];

/** The first answer to a message on a new socket. */
async function asked(message: Reply, origin?: string, path = ''): Promise<Reply> {
  const headers = origin === undefined ? {} : { origin };
  const ws = new WebSocket(rig.url + path, { headers } as never);
  const answer = new Promise<Reply>((resolve, reject) => {
    ws.onmessage = ({ data }) => resolve(JSON.parse(String(data)) as Reply);
    ws.onerror = () => reject(new Error('the socket failed'));
  });
  ws.onopen = () => ws.send(JSON.stringify(message));
  return answer.finally(() => ws.close());
}

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`http://${rig.host}${path}`, { method: 'POST', body, headers });

describe('a page of another site', () => {
  test.each(foreign)('%s is not an admin, neither on a WebSocket nor over HTTP', async (origin) => {
    const before = rig.network.closed.index;
    expect(await asked({ command: 'ledger_accept' }, origin)).toMatchObject({ error: 'noPermission' });
    expect(await rig.rpc('ledger_accept', {}, { origin })).toMatchObject({ error: 'noPermission' });
    expect(await rig.rpc('wallet_propose', {}, { origin })).toMatchObject({ error: 'noPermission' });
    expect(rig.network.closed.index).toBe(before);
  });

  test.each(own)('%s is of this machine, and an admin', async (origin) => {
    expect((await asked({ command: 'ping' }, origin)).result).toEqual({ role: 'admin', unlimited: true });
    expect(await rig.rpc('ping', {}, { origin })).toEqual({ role: 'admin', status: 'success' });
  });

  test('can read public data, over HTTP with the headers that its browser needs', async () => {
    const asks = await fetch(`http://${rig.host}/`, {
      method: 'OPTIONS',
      headers: {
        ...FOREIGN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
        'access-control-request-private-network': 'true',
      },
    });
    expect(asks.status).toBe(204);
    expect(Object.fromEntries(asks.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST, OPTIONS',
      'access-control-allow-headers': '*',
      'access-control-allow-private-network': 'true',
    });
    const read = await post('/', '{"method":"fee"}', FOREIGN);
    expect([read.status, read.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(await read.json()).toMatchObject({ result: { status: 'success' } });
    for (const refused of [
      await post('/', '{', FOREIGN),
      await post('/', '{"method":"ledger_accept"}', FOREIGN),
    ])
      expect(refused.headers.get('access-control-allow-origin')).toBe('*');
  });

  test('can use the faucet', async () => {
    const { address } = Wallet.generate();
    const asks = await fetch(`http://${rig.host}/accounts`, { method: 'OPTIONS', headers: FOREIGN });
    expect(asks.status).toBe(204);
    const paid = await post('/accounts', JSON.stringify({ destination: address }), {
      ...FOREIGN,
      'content-type': 'application/json',
    });
    expect([paid.status, paid.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(await paid.json()).toMatchObject({ account: { address } });
  });

  test('does not see the port on which admins are served', async () => {
    expect((await rig.rpc('server_info', {}, FOREIGN)).info).toMatchObject({ ports: [] });
    const { ports } = (await rig.rpc('server_info')).info as Reply;
    expect(ports).toEqual([{ port: String(rig.listener.port), protocol: ['http', 'ws'] }]);
  });
});

describe("an issuer's domain", () => {
  const path = '/.well-known/xrp-ledger.toml';
  const get = (host: string, method = 'GET') =>
    fetch(`http://${rig.host}${path}`, { method, headers: { host } });

  test('serves its file to requests that name it as their host, to pages of any site', async () => {
    rig.network.tomlOf = (domain) => (domain === 'cor.example' ? '[[TOKENS]]' : undefined);
    for (const host of ['cor.example', 'COR.example:6006']) {
      const answer = await get(host);
      expect([answer.status, await answer.text()]).toEqual([200, '[[TOKENS]]']);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('content-type')).toStartWith('application/toml');
    }
  });

  test('serves nothing where it has no file, or the network no domains', async () => {
    for (const host of ['other.example', '127.0.0.1', '']) expect((await get(host)).status).toBe(404);
    expect((await get('cor.example', 'POST')).status).toBe(405);
    rig.network.tomlOf = undefined;
    expect((await get('cor.example')).status).toBe(404);
  });
});

describe('the faucet', () => {
  const ask = (destination: string) => post('/accounts', JSON.stringify({ destination }));

  test('limits payments to one address per minute, and answers when the next is possible', async () => {
    const { address } = Wallet.generate();
    for (let i = 0; i < FAUCET_PER_ADDRESS; i++) expect((await ask(address)).status).toBe(200);
    rig.time += 20;
    const refused = await ask(address);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toEqual({ error: 'cooldown active', retryAfterSeconds: 40 });
    expect(refused.headers.get('retry-after')).toBe('40');
    expect(refused.headers.get('access-control-expose-headers')).toBe('retry-after');
    expect((await ask(Wallet.generate().address)).status).toBe(200);
    rig.time += 40;
    expect((await ask(address)).status).toBe(200);
  });

  test('pays nothing, and says so, where the payment would fail', async () => {
    const [wanting, closed] = rig.fund(['wants a tag', 'takes no payments']) as [TestAccount, TestAccount];
    rig.submit(wanting, { TransactionType: 'AccountSet', SetFlag: 1 });
    rig.submit(closed, { TransactionType: 'AccountSet', SetFlag: 9 });
    rig.close();
    for (const [{ address }, result] of [
      [wanting, 'tecDST_TAG_NEEDED'],
      [closed, 'tecNO_PERMISSION'],
    ] as const) {
      const refused = await ask(address);
      const { error, transactionHash } = (await refused.json()) as Reply;
      expect([refused.status, error, transactionHash]).toEqual([
        503,
        expect.stringContaining(result),
        undefined,
      ]);
    }
    expect(rig.close().transactions).toEqual([]);
    rig.submit(wanting, { TransactionType: 'AccountSet', ClearFlag: 1 });
    expect((await ask(wanting.address)).status).toBe(200);
  });

  test('limits payments to all addresses per minute', async () => {
    rig.time += 60;
    rig.close();
    let paid = 0;
    let last = 200;
    for (; last === 200 && paid <= FAUCET_TOTAL; paid += last === 200 ? 1 : 0) {
      // The open ledger gets expensive as it fills, and refused payments are not counted.
      if (paid % 20 === 19) rig.network.close(rig.time);
      last = (await ask(addressOf(paid.toString(16).toUpperCase().padStart(40, '7')))).status;
    }
    expect({ paid, last }).toEqual({ paid: FAUCET_TOTAL, last: 429 });
    rig.time += 60;
    expect((await post('/accounts', '')).status).toBe(200);
  });
});

describe('an admin', () => {
  test('gets pages as short as requested, while other clients get pages of at least the minimum length', async () => {
    const page = async (limit: number, headers = {}) =>
      (await rig.rpc('ledger_data', { ledger_index: 'validated', limit }, headers)).state as unknown[];
    expect(await page(1)).toHaveLength(1);
    const size = [...rig.network.validated.state.tree.items()].length;
    expect(size).toBeGreaterThan(256);
    expect(await page(2_000)).toHaveLength(Math.min(size, 1_000));
    expect(await page(2_000, FOREIGN)).toHaveLength(256);
  });
});

describe('the process itself', () => {
  test('gets a connection when all places of other clients are taken', async () => {
    const open: WebSocket[] = [];
    const enter = (path: string): Promise<boolean> =>
      new Promise((resolve) => {
        const ws = new WebSocket(rig.url + path);
        ws.onopen = () => {
          open.push(ws);
          resolve(true);
        };
        ws.onerror = () => resolve(false);
      });
    while (await enter('/')) if (open.length > 600) break;
    expect(open).toHaveLength(512);
    expect(await enter(`/?own=${KEY.replace('A', 'B')}`)).toBe(false);
    expect(await enter('/?own=')).toBe(false);
    for (let i = 0; i < 4; i++) expect(await enter(`/?own=${KEY}`)).toBe(true);
    // The number of reserved connections is small too.
    expect(await enter(`/?own=${KEY}`)).toBe(false);
    const closed = Promise.all(open.map((ws) => new Promise((resolve) => (ws.onclose = resolve))));
    for (const ws of open) ws.close();
    await closed;
    expect((await asked({ command: 'ping' }, undefined, `/?own=${KEY}`)).status).toBe('success');
  });
});
