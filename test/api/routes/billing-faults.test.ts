/** What is sold while nothing can be stored: what is answered, and that nothing is lost. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApi } from '../../../api/app.ts';
import { PlatformError } from '../../../platform/store.ts';
import { Mount } from '../../../views/mount.ts';
import { Network } from '../../../views/network.ts';
import { quiet } from '../../live-rig.ts';
import { Shop } from '../../platform/billing/shop.ts';

const dir = mkdtempSync(join(tmpdir(), 'millrace-billing-faults-'));
let shop: Shop;
let bob = '';
let fetchApi: (request: Request) => Response | Promise<Response>;

beforeAll(async () => {
  shop = await Shop.open(join(dir, 'shop'), 'bob');
  bob = shop.rig.account('bob').address;
  const feed = { name: 'fixed', version: 1, latest: () => ({ xrpPerUnit: 0.4321, at: 0 }) };
  shop.engine.market.rates.feed = feed as never;
  const { customers, billing } = shop;
  const mounts = [Mount.of(new Network({ engine: shop.engine }))];
  const api = createApi({ mounts, log: quiet, now: () => shop.now, customers, billing });
  fetchApi = (request) => api.fetch(request);
});

afterAll(async () => {
  await shop.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function ask(path: string, body?: object) {
  const init = body && { method: 'POST', body: JSON.stringify(body) };
  const response = await fetchApi(new Request(`http://localhost/v1${path}`, init));
  return { status: response.status, body: await response.json(), retry: response.headers.get('Retry-After') };
}

const post = (path: string, body: object) => ask(path, body);

test('without room for another invoice: 503 with the reason', async () => {
  const { createXrp } = shop.invoices;
  shop.invoices.createXrp = () => Promise.reject(new PlatformError('collection-full', 'full'));
  const answer = await post('/keys/purchase', { wallet: bob, type: 'tier', tier: 'developer' });
  shop.invoices.createXrp = createXrp;
  expect(answer).toMatchObject({ status: 503, body: { error: 'There is no room for another invoice' } });
});

test('a payment that cannot be stored is not said to be unknown, and counts once it can', async () => {
  const invoice = await shop.invoice('bob');
  const { onceAt } = shop.store;
  shop.store.onceAt = () => Promise.reject(new PlatformError('disk-full', 'no space'));
  const hash = shop.submit('bob', shop.tagOf(invoice));
  await shop.close();
  const asked = () =>
    Promise.all([ask(`/keys/xrp/status/${hash}`), post('/keys/verify-payment', { txHash: hash })]);
  for (const answer of await asked())
    expect(answer).toMatchObject({
      status: 503,
      retry: expect.any(String),
      body: { error: 'Payments cannot be stored at this moment: what was paid is counted once they can' },
    });
  shop.store.onceAt = onceAt;
  await shop.close();
  for (const answer of await asked()) expect(answer).toMatchObject({ status: 200, body: { success: true } });
  expect(shop.credits('bob')).toBe(1e6);
  // Of no payment at all.
  expect((await ask(`/keys/xrp/status/${'F'.repeat(64)}`)).status).toBe(404);
});
