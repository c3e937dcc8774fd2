/** Requests for the partner tier that come together with a decision. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LmdbPlatformStore, openPlatformStore } from '../../../data/platform-store.ts';
import { PARTNER_COLLECTIONS, PartnerRequests } from '../../../platform/billing/partners.ts';
import { PLAN_COLLECTIONS, Plans } from '../../../platform/plans.ts';

const WALLET = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh';
const dir = mkdtempSync(join(tmpdir(), 'millrace-partners-'));
let store: LmdbPlatformStore;

beforeAll(async () => {
  store = await openPlatformStore({
    dir,
    network: 0,
    collections: [...PARTNER_COLLECTIONS, ...PLAN_COLLECTIONS],
  });
});

afterAll(async () => {
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

test('a request that comes while one is being approved is refused: what was approved stays', async () => {
  const plans = new Plans();
  plans.attach(store);
  const partners = new PartnerRequests(plans);
  partners.attach(store);
  await partners.request(WALLET, 'https://one.example/', 'me', 1);
  const [approved, again] = await Promise.allSettled([
    partners.approve(WALLET, 2),
    partners.request(WALLET, 'https://two.example/', 'me', 3),
  ]);
  expect([approved.status, again.status]).toEqual(['fulfilled', 'rejected']);
  expect(partners.of(WALLET)).toMatchObject({ status: 'approved', creditUrl: 'https://one.example/' });
  expect(plans.tierOf(WALLET, 4)).toBe('partner');
});
