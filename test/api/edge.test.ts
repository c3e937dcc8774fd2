/** What the edge refuses, and what every answer has. */
import { afterAll, describe, expect, test } from 'bun:test';
import { Edge, type EdgeRules } from '../../api/edge.ts';
import { type SocketHub, serveOptions } from '../../api/serve.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../outside/stand-in-certificate.ts';
import { emptyLedger, fixture } from './fixture.ts';

const hub: SocketHub<undefined> = {
  upgrade: (request, server) =>
    server.upgrade(request, { data: undefined }) ? undefined : new Response('no', { status: 426 }),
  websocket: { open: (socket) => void socket.send('hello'), message() {} },
  close() {},
};
const servers: { stop(now: boolean): unknown }[] = [];
afterAll(async () => {
  for (const server of servers) await server.stop(true);
});

function serve(rules: EdgeRules, tls?: { cert: string; key: string }): string {
  const { api } = fixture([emptyLedger(100, 500_000_000)], { isTls: tls !== undefined });
  const edge = new Edge(rules);
  const server = Bun.serve(serveOptions({ api, hub, edge, tls, host: '127.0.0.1', port: 0 }));
  servers.push(server);
  return `${tls ? 'https' : 'http'}://127.0.0.1:${server.port}`;
}

const as = (agent: string) => ({ headers: { 'User-Agent': agent } });

function greeting(address: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = new WebSocket(address.replace('http', 'ws'));
    socket.onmessage = ({ data }) => {
      resolve(String(data));
      socket.close();
    };
    socket.onerror = () => resolve('refused');
  });
}

describe('requests of programs without a name of their own', () => {
  const base = serve({ refusesGenericAgents: true });

  test.each([
    '',
    'curl/8.5.0',
    'Wget/1.24',
    'python-requests/2.32.0',
    'Python-urllib/3.12',
    'Python/3.12 aiohttp/3.9.5',
    'Go-http-client/1.1',
    'Java/17.0.2',
    'okhttp/4.12.0',
    'node',
    'axios/1.7.2',
    'Bun/1.4.5',
    'Mozilla/5.0',
    'libwww-perl/6.77',
  ])('%p: 403 as text, also for an answer that is kept', async (agent) => {
    for (const path of ['/v1/tags', '/v1/tags', '/v1/no-such', '/']) {
      const response = await fetch(base + path, as(agent));
      expect(response.status, path).toBe(403);
      expect(response.headers.get('content-type')).toStartWith('text/plain');
      expect(response.headers.get('x-request-id')).toMatch(/./);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(await response.text()).toMatch(/^Forbidden: .*User-Agent/);
    }
  });

  test.each([
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36',
    'my-wallet/1.0 (me@example.com)',
    'curlew/1.0',
    'java-indexer/2 (ops@example.com)',
    'ledger-bot (curl/8.5.0)',
  ])('%p is admitted', async (agent) => {
    expect((await fetch(`${base}/v1/tags`, as(agent))).status).toBe(200);
  });

  test('health is answered to all, and streams need no name', async () => {
    for (const path of ['/health', '/v1/health', '/api/health?x=1'])
      expect((await fetch(base + path, as('curl/8.5.0'))).status, path).not.toBe(403);
    expect((await fetch(`${base}/v1/healthy`, as('curl/8.5.0'))).status).toBe(403);
    expect(await greeting(`${base}/ws/ledger`)).toBe('hello');
  });

  test('are admitted where the rule is off', async () => {
    expect((await fetch(`${serve({})}/v1/tags`, as('curl/8.5.0'))).status).toBe(200);
  });
});

test('a closed service answers /health alone, until it is opened, and then stays open', async () => {
  let reason: string | undefined = 'There is no admin key';
  const base = serve({ closed: () => reason });
  for (const path of ['/v1/tags', '/', '/metrics', '/v1/keys', '/ws/info']) {
    const response = await fetch(base + path);
    expect(response.status, path).toBe(503);
    expect(await response.json()).toMatchObject({ success: false, code: 'unavailable', error: reason });
  }
  expect((await fetch(`${base}/v1/health`)).status).not.toBe(401);
  expect(await (await fetch(`${base}/v1/health`)).text()).not.toContain('admin key');
  expect(await greeting(`${base}/ws/ledger`)).toBe('refused');
  reason = undefined;
  expect((await fetch(`${base}/v1/tags`)).status).toBe(200);
  reason = 'closed again';
  expect((await fetch(`${base}/v1/tags`)).status).toBe(200);
  expect(await greeting(`${base}/ws/ledger`)).toBe('hello');
});

describe('headers of every answer', () => {
  const paths = [
    '/v1/tokens',
    '/v1/no-such',
    '/v1/tokens/x/y',
    '/v1/docs',
    '/health',
    '/metrics',
    '/',
    '/reference',
  ];

  test('no browser guesses a type', async () => {
    const base = serve({});
    for (const path of paths)
      expect((await fetch(base + path)).headers.get('x-content-type-options'), path).toBe('nosniff');
  });

  test('over TLS, browsers come back over TLS only', async () => {
    const base = serve({ isTls: true }, { cert: CERTIFICATE, key: CERTIFICATE_KEY });
    const plainBase = serve({});
    const tls = { rejectUnauthorized: false };
    for (const path of paths)
      expect((await fetch(base + path, { tls })).headers.get('strict-transport-security'), path).toMatch(
        /^max-age=\d{8}$/,
      );
    const plain = await fetch(`${plainBase}/v1/tags`);
    expect(plain.headers.get('strict-transport-security')).toBeNull();
  });
});
