/** What the documents say of credentials, limits and costs. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { routes } from '../../../api/routes/index.ts';
import { CREDENTIALS } from './credentials.ts';
import { GateRig, type Json } from './gate-rig.ts';

const rig = new GateRig();
let openapi: Json;
let docs: Json;
beforeAll(async () => {
  await rig.open();
  const headers = { 'X-Api-Key': await rig.keyOfTier('enterprise') };
  openapi = (await rig.ask('GET', '/openapi.json', headers)).body;
  docs = (await rig.ask('GET', '/docs', headers)).body;
});
afterAll(() => rig.stop());

const WALLET = ['Wallet', 'WalletTimestamp', 'WalletSignature', 'WalletPublicKey'];
const NEEDS: Record<string, string[][]> = {
  none: [[], ['ApiKey']],
  key: [['ApiKey']],
  wallet: [WALLET],
  admin: [['AdminKey'], WALLET],
  platform: [['PlatformKey']],
};

describe.each(routes.map((row) => [row.method, row.path, row] as const))('%s %s', (method, path, row) => {
  test('names its credentials, what they may be answered, and the headers', () => {
    const operation = openapi.paths[path][method.toLowerCase()];
    const auth = CREDENTIALS.find((fact) => fact[0] === method && fact[1] === path)?.[2] ?? 'none';
    const needs = (operation.security as object[])
      .map((one) => Object.keys(one))
      .filter((names) => names[0] !== 'ApiKeyInQuery');
    expect(needs).toEqual(NEEDS[auth]!);
    for (const name of needs.flat()) expect(openapi.components.securitySchemes).toHaveProperty(name);
    const statuses = Object.keys(operation.responses);
    expect(statuses).toContain('401');
    expect(statuses).toContain('429');
    // A payment that is not complete is answered so, too, though the call costs nothing.
    expect(statuses.includes('402')).toBe(row.cost > 0 || path === '/keys/verify-payment');
    if (auth === 'admin' || auth === 'platform' || row.owner) expect(statuses).toContain('403');
    for (const name of Object.keys(operation.responses[200].headers))
      expect(openapi.components.headers).toHaveProperty(name);
  });
});

test('a 429 says when to ask again', () => {
  const { headers } = openapi.components.responses.Error429;
  expect(Object.keys(headers)).toEqual(
    expect.arrayContaining([
      'Retry-After',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'RateLimit',
    ]),
  );
});

test('/docs has the limits that are in force', () => {
  expect(docs.limits).toMatchObject({ inForce: true, address: { requests: 100, seconds: 2 } });
  const developer = docs.limits.tiers.find(({ tier }: { tier: string }) => tier === 'developer');
  expect(developer).toEqual({
    tier: 'developer',
    scope: 'key',
    perSecond: 100,
    perTenSeconds: 500,
    perDay: 400_000,
    creditsPerMonth: 10_000_000,
    multiplier: 3,
    submitPerSecond: 5,
    keys: 5,
  });
});
