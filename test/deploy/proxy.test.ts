/** The example of a reverse proxy, run by nginx itself before a server that says what arrives. */
import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CERTIFICATE, CERTIFICATE_KEY } from '../outside/stand-in-certificate.ts';

const example = readFileSync(resolve(import.meta.dir, '../../deploy/nginx.conf'), 'utf8');
const nginx = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` });
const dir = mkdtempSync(join(tmpdir(), 'millrace-proxy-'));
// nginx lets a user of its own keep large bodies there.
chmodSync(dir, 0o755);
const ended: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ended) await end();
  rmSync(dir, { recursive: true, force: true });
});

if (!nginx) console.warn('the reverse proxy is not run: nginx is not installed');

function freePort(): number {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() });
  const { port } = server;
  void server.stop(true);
  return port!;
}

/** Runs nginx with the example, on ports of its own, before the port. @returns the addresses of HTTPS and HTTP */
async function proxyTo(port: number): Promise<{ https: string; http: string }> {
  const [https, http] = [freePort(), freePort()];
  writeFileSync(join(dir, 'cert.pem'), CERTIFICATE);
  writeFileSync(join(dir, 'key.pem'), CERTIFICATE_KEY);
  const site = example
    .replace('127.0.0.1:3000', `127.0.0.1:${port}`)
    .replace('listen 443 ssl', `listen 127.0.0.1:${https} ssl`)
    .replace('listen 80;', `listen 127.0.0.1:${http};`)
    .replace(/^ *listen \[::\].*\n/gm, '')
    .replace(/\/etc\/ssl\S+\.pem/, join(dir, 'cert.pem'))
    .replace(/\/etc\/ssl\S+\.key/, join(dir, 'key.pem'));
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (one) => `${one}_temp_path ${dir}/${one};`,
  );
  const main = `daemon off; pid ${dir}/pid; error_log stderr; events {} http { access_log off; ${paths.join(' ')} ${site} }`;
  const path = join(dir, 'nginx.conf');
  writeFileSync(path, main);
  const checked = Bun.spawnSync([nginx!, '-t', '-q', '-p', dir, '-c', path]);
  expect(checked.stderr.toString()).toBe('');
  expect(checked.exitCode).toBe(0);
  const child = Bun.spawn([nginx!, '-p', dir, '-c', path], { stdout: 'ignore', stderr: 'ignore' });
  ended.push(async () => {
    child.kill();
    await child.exited;
  });
  for (;;) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`);
    const answer = await fetch(`http://127.0.0.1:${http}/`, { redirect: 'manual' }).catch(() => undefined);
    if (answer) return { https: `https://127.0.0.1:${https}`, http: `http://127.0.0.1:${http}` };
    await Bun.sleep(20);
  }
}

describe.skipIf(!nginx)('nginx with the example', () => {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request, own) {
      if (own.upgrade(request)) return undefined;
      const { length } = await request.text();
      return Response.json({ url: request.url, headers: Object.fromEntries(request.headers), length });
    },
    websocket: { message: (socket, text) => void socket.send(`echo ${text}`) },
  });
  ended.push(() => server.stop(true));
  const tls = { rejectUnauthorized: false };
  const proxied = nginx ? proxyTo(server.port!) : undefined;

  test('passes requests on, with the address of the client and not one that the client names', async () => {
    const { https } = await proxied!;
    const response = await fetch(`${https}/v1/tokens?limit=1`, {
      tls,
      headers: { 'X-Forwarded-For': '203.0.113.9', 'X-Api-Key': 'mine' },
    });
    expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000');
    const arrived = (await response.json()) as { url: string; headers: Record<string, string> };
    expect(arrived.url).toEndWith('/v1/tokens?limit=1');
    expect(arrived.headers).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-api-key': 'mine',
    });
  });

  test('passes WebSockets on, and bodies of the size that the service reads', async () => {
    const { https } = await proxied!;
    const echoed = await new Promise((resolve, reject) => {
      const socket = new WebSocket(`${https.replace('https', 'wss')}/ws/ledger`, { tls } as never);
      socket.onopen = () => socket.send('one');
      socket.onmessage = ({ data }) => {
        resolve(data);
        socket.close();
      };
      socket.onclose = ({ code }) => reject(new Error(`closed with ${code}`));
    });
    expect(echoed).toBe('echo one');
    const post = (bytes: number) => fetch(`${https}/v1/x`, { tls, method: 'POST', body: 'x'.repeat(bytes) });
    expect(await (await post(4_000_000)).json()).toMatchObject({ length: 4_000_000 });
    expect((await post(5_000_000)).status).toBe(413);
  });

  test('sends what comes in plain to HTTPS', async () => {
    const { http } = await proxied!;
    const response = await fetch(`${http}/v1/tokens?limit=1`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([
      301,
      'https://127.0.0.1/v1/tokens?limit=1',
    ]);
  });
});
