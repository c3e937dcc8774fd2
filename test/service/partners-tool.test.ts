/** A service that asks for keys, run as a user does: closed, opened by an admin key, and its partners reviewed. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { sign } from 'ripple-keypairs';
import WS from 'ws';
import { Wallet } from 'xrpl';
import { readOptions } from '../../service/options.ts';
import { partners } from '../../service/partners-tool.ts';
import { networksOf, startService } from '../../service/service.ts';
import { quiet, until } from '../live-rig.ts';

const dir = mkdtempSync(join(tmpdir(), 'millrace-partners-'));
const ended: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ended) await end();
  rmSync(dir, { recursive: true, force: true });
});

async function tool(...args: readonly string[]) {
  const program = resolve(import.meta.dir, '../../service/tool.ts');
  const child = Bun.spawn([process.execPath, program, ...args], { stdout: 'pipe', stderr: 'pipe' });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout: stdout.trim(), stderr: stderr.trim(), code };
}

function signature(wallet: Wallet, at: number): Record<string, string> {
  const text = Buffer.from(`${wallet.classicAddress}:${at}`).toString('hex');
  return {
    'X-Wallet': wallet.classicAddress,
    'X-Timestamp': String(at),
    'X-Public-Key': wallet.publicKey,
    'X-Signature': sign(text, wallet.privateKey),
  };
}

/** A socket that is open. `closed` resolves with its close code; it sends nothing. */
async function socket(url: string, headers: Record<string, string>) {
  const ws = new WS(`${url.replace('http', 'ws')}/ws/ledger`, { headers });
  const closed = new Promise<number>((end) => ws.on('close', end));
  await new Promise((open) => ws.on('open', open));
  return { ws, closed };
}

test('from closed to a partner, by the commands alone', async () => {
  const data = join(dir, 'data');
  const args = [`--data=${data}`, '--source=ws://127.0.0.1:1', '--port=0', '--workers=0', '--admission=keys'];
  const options = readOptions(args, {});
  const service = await startService({
    options,
    networks: networksOf(options),
    log: quiet,
    onFault: () => {},
  });
  ended.push(() => service.stop());
  const status = async (path: string, headers = {}) => (await fetch(service.url + path, { headers })).status;
  expect(await status('/v1/keys/tiers')).toBe(503);

  const made = await tool('admin', 'key', '--data', data);
  expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^xrpl_[0-9a-f]{48}$/)]);
  await until(async () => (await status('/v1/keys/tiers')) === 200, 'the admin key');

  const wallet = Wallet.generate();
  const address = wallet.classicAddress;
  const project = {
    name: 'Wallet',
    url: 'https://wallet.example',
    category: 'wallet',
    description: 'A wallet',
    expectedDaily: 'lt1k',
  };
  const post = async (path: string, body: object, at: number) => {
    const response = await fetch(`${service.url}/v1${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: signature(wallet, at),
    });
    return { status: response.status, body: (await response.json()) as { apiKey?: string; id?: string } };
  };
  const now = Date.now();
  const { body } = await post('/keys', { name: 'main', project, agreePolicy: true }, now);
  const key = { 'X-Api-Key': body.apiKey ?? '' };
  expect(await status('/v1/keys/costs', key)).toBe(200);
  const wanted = { creditUrl: 'https://wallet.example/about', contact: 'me\u001b[31m@wallet.example' };
  expect((await post(`/keys/${address}/partner-request`, wanted, now + 1)).status).toBe(200);

  const listed = await tool('partners', 'list', '--port', String(service.port), '--key', made.stdout);
  expect(listed.stdout).toMatch(
    /^\d{4}-\d\d-\d\d {2}r\w+ {2}free {2}https:\/\/wallet.example\/about {2}me\?\[31m@/,
  );
  expect(listed.stdout).toContain(address);
  const at = { ...options, port: service.port };
  const review = (words: readonly string[], reason?: string, secret = made.stdout) =>
    partners(at, words, reason, secret);
  await expect(review(['decline', address])).rejects.toThrow('--reason is missing');
  await expect(review(['list'], undefined, 'xrpl_x')).rejects.toThrow(/^This needs the admin|^The API key/);
  await expect(review(['list'], undefined, '')).rejects.toThrow('MILLRACE_ADMIN_KEY');
  await expect(review(['praise', address])).rejects.toThrow('partners list, partners approve WALLET');
  expect(await review(['approve', address])).toBe(`${address} is approved, its tier partner`);
  await expect(review(['approve', address])).rejects.toThrow('is approved');
  const second = await post('/keys', { name: 'second' }, now + 2);
  expect(await review(['list'])).toBe('no request is pending');
  const stats = await fetch(`${service.url}/v1/keys/costs`, { headers: key });
  // 100 a second, where the free tier has 10.
  expect(stats.headers.get('x-ratelimit-limit')).toBe('200');
  await expect(review(['tier', address, 'gold'])).rejects.toThrow(
    'the tier must be one of enterprise, partner, none, not "gold"',
  );
  await expect(partners({ ...at, port: 1 }, ['list'], undefined, made.stdout)).rejects.toThrow(
    'nothing answers at http://127.0.0.1:1/v1/keys/partner-requests: ',
  );
  await expect(review(['tier', `${address}x`, 'enterprise'])).rejects.toThrow('not an r-address');
  expect(await review(['tier', address, 'enterprise'])).toBe(`the tier of ${address} is enterprise`);
  const unlimited = await fetch(`${service.url}/v1/keys/costs`, { headers: key });
  // No window of its own, no credits that are counted, nothing that says whose data it is.
  expect(unlimited.headers.get('x-ratelimit-limit')).toBeNull();
  expect(unlimited.headers.get('x-credits-remaining')).toBeNull();
  expect(unlimited.headers.get('ratelimit-policy')).toBe('"address";q=100;w=2');
  expect(await unlimited.json()).not.toHaveProperty('attribution');
  expect(await review(['tier', address, 'none'])).toBe(`the tier of ${address} is free`);

  const [own, operators, other] = await Promise.all([
    socket(service.url, key),
    socket(service.url, { 'X-Admin-Key': made.stdout }),
    socket(service.url, { 'X-Api-Key': second.body.apiKey ?? '' }),
  ]);
  const revoking = { method: 'DELETE', headers: signature(wallet, now + 3) };
  await fetch(`${service.url}/v1/keys/${address}/${body.id}`, revoking);
  expect(await own.closed).toBe(1008);
  expect([operators.ws.readyState, other.ws.readyState]).toEqual([WS.OPEN, WS.OPEN]);

  const keys = await tool('admin', 'list', '--data', data);
  expect(keys.stdout).toMatch(/^xrpl_[0-9a-f]{6}… {2}admin {2}\d{4}-\d\d-\d\d {2}works {2}admin$/);
  const revoked = await tool('admin', 'revoke', made.stdout.slice(0, 11), '--data', data);
  expect([revoked.code, revoked.stdout]).toEqual([0, expect.stringContaining('stops working')]);
  const admin = { 'X-Admin-Key': made.stdout };
  await until(async () => (await status('/v1/keys/partner-requests', admin)) === 401, 'no admin key');
  expect((await tool('admin', 'list', '--data', data)).stdout).toContain('  revoked 2');
  expect(await operators.closed).toBe(1008);
  expect(other.ws.readyState).toBe(WS.OPEN);
  other.ws.terminate();
});
