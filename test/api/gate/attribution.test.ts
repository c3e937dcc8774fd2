/** Clients that pay get answers without `attribution`, from the same kept bytes. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { route } from '../../../api/route.ts';
import { anyObject, list, object } from '../../../api/schema.ts';
import { DEFAULT_TIERS } from '../../../requests/admission-settings.ts';
import type { Tier } from '../../../requests/tiers.ts';
import { GateRig } from './gate-rig.ts';

let made = 0;
const rows = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ md5: Bun.hash(String(at)).toString(16), at }));
const listOf = (path: string, count: number) =>
  route({
    method: 'GET',
    path,
    section: '4.1',
    auth: 'none',
    tier: 'anonymous',
    example: {},
    summary: 'rows',
    params: {},
    response: object({ rows: list(anyObject) }),
    cost: 1,
    bucket: path,
    cache: 'ledger',
    whileNotOpen: true,
    handler: () => {
      made++;
      return { rows: rows(count) };
    },
  });

const rig = new GateRig({
  routes: [listOf('/small', 2), listOf('/large', 3000)],
  settings: { endpoints: {}, addressBurst: { limit: 1e9, windowMs: 2000 } },
});
const keys = new Map<Tier, string>();
beforeAll(async () => {
  await rig.open();
  for (const tier of ['free', 'developer', 'partner', 'business', 'professional', 'enterprise'] as const)
    keys.set(tier, await rig.keyOfTier(tier));
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => rig.api.cached(request) ?? rig.api.fetch(request),
  });
  base = `http://127.0.0.1:${server.port}/v1`;
  stop = () => server.stop(true);
});
afterAll(async () => {
  await stop();
  await rig.stop();
});
let base = '';
let stop = async () => {};

const tiers = Object.entries(DEFAULT_TIERS) as [Tier, (typeof DEFAULT_TIERS)[Tier]][];
const cases = tiers.flatMap(([tier, { showsAttribution }]) =>
  ['/small', '/large'].flatMap((path) =>
    ['identity', 'gzip', 'zstd'].map((encoding) => [tier, path, encoding, showsAttribution] as const),
  ),
);

test.each(cases)('%s, %s, %s: attribution %p', async (tier, path, encoding, shows) => {
  rig.now += 60_000;
  const key = keys.get(tier);
  const headers = { 'Accept-Encoding': encoding, ...(key && { 'X-Api-Key': key }) };
  const before = made;
  // Twice: what is made, and what was kept.
  for (let asked = 0; asked < 2; asked++) {
    const response = await fetch(base + path, { headers });
    expect(response.headers.get('content-encoding')).toBe(
      path === '/large' && encoding !== 'identity' ? encoding : null,
    );
    const body = (await response.json()) as Record<string, unknown>;
    expect(Object.keys(body)).toEqual(
      shows ? ['success', 'attribution', 'took', 'rows'] : ['success', 'took', 'rows'],
    );
    expect(body.rows).toEqual(rows(path === '/large' ? 3000 : 2));
  }
  expect(made - before).toBeLessThanOrEqual(1);
});

test('all of them were made of two kept answers', () => {
  expect(made).toBe(2);
});
