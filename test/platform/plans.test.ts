/** Terms against a model that only counts what is left of each tier; plans through a store, its restart included. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPlatformStore } from '../../data/platform-store.ts';
import { PARTNER_COLLECTIONS, PartnerRequests } from '../../platform/billing/partners.ts';
import { PLAN_COLLECTIONS, Plans } from '../../platform/plans.ts';
import { runningTerm, SOLD_TIERS, type Term, withTerm } from '../../platform/terms.ts';
import { momentOf, randomOf, TermModel } from './term-model.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 23);
const seed = Number(process.env.SEED ?? 20_261_123);
const RUNS = 10_000;

const dir = mkdtempSync(join(tmpdir(), 'millrace-plans-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('terms', () => {
  test(`of ${RUNS} random sequences of purchases are those of the model`, () => {
    console.log(`plans: SEED=${seed}`);
    const random = randomOf(seed);
    for (let run = 0; run < RUNS; run++) {
      const model = new TermModel();
      let terms: readonly Term[] = [];
      let now = NOW;
      for (let step = 0; step < 12; step++) {
        const passed = random(4) === 0 ? random(400 * DAY) : random(20 * DAY);
        now += passed;
        model.pass(passed);
        expect(runningTerm(terms, now)?.tier).toBe(model.running);
        const tier = SOLD_TIERS[random(3)]!;
        const billing = random(4) === 0 ? 'yearly' : 'monthly';
        terms = withTerm(terms, tier, billing, momentOf(now));
        model.buy(tier, (billing === 'yearly' ? 365 : 30) * DAY);
        expect(runningTerm(terms, now)?.tier).toBe(model.running);
        for (const [one, left] of model.left) {
          const found = terms.find((term) => term.tier === one);
          expect(found ? found.end - Math.max(found.start, now) : 0).toBe(left);
        }
        terms.forEach((term, i) => {
          if (i > 0) expect(term.start).toBe(terms[i - 1]!.end);
        });
        expect(terms.length).toBeLessThanOrEqual(SOLD_TIERS.length);
      }
    }
  });

  test('begin with the purchase and end with their last moment', () => {
    const terms = withTerm([], 'business', 'monthly', momentOf(NOW));
    const end = NOW + 30 * DAY;
    expect(terms).toEqual([{ tier: 'business', billing: 'monthly', start: NOW, end }]);
    expect(runningTerm(terms, end - 1)?.tier).toBe('business');
    expect(runningTerm(terms, end)).toBeUndefined();
    expect(withTerm(terms, 'business', 'yearly', momentOf(end - 1))[0]!.end).toBe(end + 365 * DAY);
    expect(withTerm(terms, 'business', 'yearly', momentOf(end))).toEqual([
      { tier: 'business', billing: 'yearly', start: end, end: end + 365 * DAY },
    ]);
  });
});

test('plans: what was bought, and the higher of bought and granted, also after a restart', async () => {
  const open = () => openPlatformStore({ dir, network: 0, collections: PLAN_COLLECTIONS });
  const [plans, changed] = [new Plans(), [] as string[]];
  const store = await open();
  plans.attach(store);
  plans.onChange((wallet) => changed.push(wallet));
  const buy = async (wallet: string, purchase: Parameters<Plans['deliver']>[2]) =>
    (await store.transaction((t) => plans.deliver(t, wallet, purchase, momentOf(NOW)))).applied();
  expect(plans.tierOf('rA', NOW)).toBe('free');
  await buy('rA', { type: 'tier', tier: 'developer', billing: 'monthly' });
  await buy('rA', { type: 'credits', package: 'starter', credits: 1_000_000 });
  await buy('rA', { type: 'credits', package: 'standard', credits: 5_000_000 });
  await plans.grant('rA', 'partner');
  await plans.grant('rB', 'enterprise');
  await plans.grant('rC', 'partner');
  await plans.grant('rC', undefined);
  await buy('rC', { type: 'tier', tier: 'professional', billing: 'monthly' });
  await plans.grant('rC', 'partner');
  expect(changed).toEqual(['rA', 'rA', 'rA', 'rA', 'rB', 'rC', 'rC', 'rC', 'rC']);
  await store.close();
  const again = new Plans();
  const reopened = await open();
  again.attach(reopened);
  for (const each of [plans, again]) {
    expect(each.of('rA').purchasedCredits).toBe(6_000_000);
    expect(['rA', 'rB', 'rC', 'rD'].map((wallet) => each.tierOf(wallet, NOW))).toEqual([
      'partner',
      'enterprise',
      'professional',
      'free',
    ]);
    expect(each.tierOf('rC', NOW + 30 * DAY)).toBe('partner');
    expect(each.of('rA').terms).toHaveLength(1);
  }
  await reopened.close();
});

test('what is bought and granted at once, in whatever order it is said to be durable, all counts', async () => {
  const store = await openPlatformStore({
    dir: join(dir, 'at-once'),
    network: 0,
    collections: [...PLAN_COLLECTIONS, ...PARTNER_COLLECTIONS],
  });
  const plans = new Plans();
  const partners = new PartnerRequests(plans);
  plans.attach(store);
  partners.attach(store);
  const credits = (count: number) => ({ type: 'credits', package: 'starter', credits: count }) as const;
  const [first, second] = await Promise.all(
    [5, 7].map((count) => store.transaction((t) => plans.deliver(t, 'rA', credits(count), momentOf(NOW)))),
  );
  second!.applied();
  first!.applied();
  expect(plans.of('rA').purchasedCredits).toBe(12);
  await partners.request('rB', 'https://wallet.example/', 'me', NOW);
  await Promise.all([plans.grant('rB', 'enterprise'), partners.approve('rB', NOW)]);
  expect(plans.tierOf('rB', NOW)).toBe('enterprise');
  const again = new Plans();
  again.attach(store);
  expect([again.of('rA'), again.of('rB')]).toEqual([plans.of('rA'), plans.of('rB')]);
  await store.close();
});

test('terms run by the network where the clock is wrong, and by as much beside it while the network is away', () => {
  const plans = new Plans();
  const [DAY, NOW] = [86_400_000, 1_790_000_000_000];
  let present: number | undefined;
  plans.follow(() => present);
  expect(plans.timeAt(NOW)).toBe(NOW);
  present = NOW - 40 * DAY;
  expect(plans.timeAt(NOW)).toBe(present);
  present = undefined;
  expect(plans.timeAt(NOW + 5000)).toBe(NOW + 5000 - 40 * DAY);
  present = NOW + 10_000;
  expect(plans.timeAt(NOW + 9000)).toBe(NOW + 9000);
  present = undefined;
  expect(plans.timeAt(NOW + 20_000)).toBe(NOW + 20_000);
});

test('a purchase whose transaction fails changes nothing', async () => {
  const store = await openPlatformStore({
    dir: join(dir, 'failed'),
    network: 0,
    collections: PLAN_COLLECTIONS,
  });
  const plans = new Plans();
  plans.attach(store);
  const failing = store.transaction((transaction) => {
    plans.deliver(transaction, 'rA', { type: 'credits', package: 'mega', credits: 5 }, momentOf(NOW));
    throw new Error('the payment could not be stored');
  });
  await expect(failing).rejects.toThrow('could not be stored');
  expect(plans.of('rA')).toEqual({ terms: [], purchasedCredits: 0 });
  const fresh = new Plans();
  fresh.attach(store);
  expect(fresh.of('rA').purchasedCredits).toBe(0);
  await store.close();
});
