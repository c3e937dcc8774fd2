/** Credits: exact under any number of spends at once, over cycles, terms and restarts; what a crash may forget. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { cycleOf } from '../../api/routes/keys.ts';
import type { Purchase } from '../../platform/billing/purchase.ts';
import { TENTHS } from '../../platform/credits.ts';
import { type Billing, type SoldTier, TERM_DAYS } from '../../platform/terms.ts';
import { CustomerRig } from './store-rig.ts';
import { momentOf } from './term-model.ts';

const DAY = 24 * 3600 * 1000;
const NOW = 1_900_000_000_000;
const FREE = 1_000_000 * TENTHS;
const DEVELOPER = 10_000_000 * TENTHS;

const rig = new CustomerRig();
beforeAll(() => rig.open());
afterAll(() => rig.stop());

const credits = (count: number): Purchase => ({ type: 'credits', package: 'starter', credits: count });
const term = (tier: SoldTier, billing: Billing = 'monthly'): Purchase => ({ type: 'tier', tier, billing });

/** The account of a wallet that has bought this, one after another. */
async function account(wallet: string, now: number, ...purchases: Purchase[]) {
  const { plans, store } = rig.customers;
  const opened = await rig.customers.credits.open(wallet, now);
  for (const purchase of purchases) {
    const delivered = await store!.transaction((transaction) =>
      plans.deliver(transaction, wallet, purchase, momentOf(now)),
    );
    delivered.applied();
  }
  return opened;
}

test('100,000 spends of the last credits at once: never below zero, and the sum is exact', async () => {
  const last = await account('rLast', NOW, credits(2000));
  expect(last.spend(FREE + 20_000 - 12_345, NOW)).toBe(true);
  const costs = [1, 5, 10, 20, 50, 100];
  let spent = 0;
  let lowest = Number.POSITIVE_INFINITY;
  await Promise.all(
    Array.from({ length: 100_000 }, async (_, at) => {
      if (at % 7 === 0) await Promise.resolve();
      const cost = costs[at % costs.length]!;
      if (last.spend(cost, NOW)) spent += cost;
      lowest = Math.min(lowest, last.left(NOW));
    }),
  );
  expect(spent + last.left(NOW)).toBe(12_345);
  expect([lowest, last.left(NOW)]).toEqual([0, 0]);
  expect(last.spend(1, NOW)).toBe(false);
  await rig.restart();
  expect(rig.customers.credits.of('rLast')!.left(NOW)).toBe(0);
});

test('an account that looks at its plan does not take the time of terms for the clock', async () => {
  const wallet = await account('rWrongClock', NOW, term('developer'));
  const { plans } = rig.customers;
  const clock = NOW + 40 * DAY;
  let present: number | undefined = NOW;
  plans.follow(() => present);
  expect(wallet.tier(clock)).toBe('developer');
  // The network is away, and the clock as wrong as it was.
  present = undefined;
  expect(plans.timeAt(clock + 5000)).toBe(NOW + 5000);
  expect(wallet.cycle(clock)).toEqual({ start: NOW, end: NOW + 30 * DAY });
  const after = clock + 35 * DAY;
  wallet.planChanged();
  expect([wallet.tier(after), plans.tierOf('rWrongClock', after)]).toEqual(['free', 'free']);
  const next = { start: NOW + 30 * DAY, end: NOW + 60 * DAY, daysRemaining: 25, billing: null };
  expect(cycleOf(rig.customers, wallet, after)).toMatchObject(next);
  present = clock;
  expect(plans.timeAt(clock)).toBe(clock);
  plans.follow(() => undefined);
});

test('a refund takes back what is left; what was spent of it counts against what is bought next', async () => {
  const owing = await account('rRefund', NOW, credits(3));
  const { plans, store } = rig.customers;
  owing.spend(FREE + 20, NOW);
  const taken = await store!.transaction((transaction) =>
    plans.takeBack(transaction, 'rRefund', credits(3), momentOf(NOW)),
  );
  taken.applied();
  expect([owing.left(NOW), owing.boughtLeft(NOW), owing.spend(1, NOW)]).toEqual([0, 0, false]);
  // The next cycle's allowance is whole.
  expect([owing.spend(1, NOW + 30 * DAY), owing.left(NOW + 30 * DAY)]).toEqual([true, FREE - 1]);
  await account('rRefund', NOW, credits(5));
  expect(owing.boughtLeft(NOW + 30 * DAY)).toBe(30);
});

test('the allowance is used first, then what was bought, and a spend takes from both or from none', async () => {
  const both = await account('rBoth', NOW, credits(3));
  both.spend(FREE - 10, NOW);
  expect(both.spend(41, NOW)).toBe(false);
  expect(both.left(NOW)).toBe(40);
  expect(both.spend(25, NOW)).toBe(true);
  expect([both.used(NOW), both.boughtLeft(NOW)]).toEqual([FREE, 15]);
});

describe('cycles', () => {
  test('of 30 days: the allowance is renewed, what was bought stays', async () => {
    const one = await account('rCycle', NOW, credits(3));
    one.spend(FREE + 10, NOW);
    expect(one.left(NOW + 30 * DAY - 1)).toBe(20);
    expect(one.left(NOW + 30 * DAY)).toBe(FREE + 20);
    expect(one.cycle(NOW + 30 * DAY)).toEqual({ start: NOW + 30 * DAY, end: NOW + 60 * DAY });
    // A clock that goes back gives nothing twice.
    one.spend(FREE, NOW + 30 * DAY);
    expect(one.left(NOW)).toBe(20);
    expect(one.left(NOW + 59 * DAY)).toBe(20);
    expect(one.left(NOW + 400 * DAY)).toBe(FREE + 20);
  });

  test.each(['monthly', 'yearly'] as const)(
    'a %s term gives its tier until it ends, then free',
    async (billing) => {
      const end = NOW + TERM_DAYS[billing] * DAY;
      const one = await account(`rTerm-${billing}`, NOW - 10 * DAY);
      one.spend(FREE, NOW - 10 * DAY);
      await account(one.wallet, NOW, term('developer', billing));
      expect([one.tier(NOW), one.left(NOW)]).toEqual(['developer', DEVELOPER]);
      one.spend(DEVELOPER, NOW);
      expect([one.tier(end - 1), one.tier(end)]).toEqual(['developer', 'free']);
      expect(one.left(end)).toBe(FREE);
      expect(one.cycle(end).start).toBe(end);
    },
  );

  test('the months of a yearly term have an allowance each', async () => {
    const one = await account('rYear', NOW, term('developer', 'yearly'));
    for (let month = 0; month < 12; month++) {
      expect(one.left(NOW + month * 30 * DAY)).toBe(DEVELOPER);
      one.spend(DEVELOPER, NOW + month * 30 * DAY);
    }
  });

  test('a term that is extended goes on, with the cycle that runs', async () => {
    const one = await account('rExtended', NOW, term('business'));
    one.spend(70, NOW);
    await account('rExtended', NOW + 5 * DAY, term('business'));
    expect(one.used(NOW + 5 * DAY)).toBe(70);
    expect([one.tier(NOW + 60 * DAY - 1), one.tier(NOW + 60 * DAY)]).toEqual(['business', 'free']);
  });

  test('a lower tier owes nothing for what it used before', async () => {
    const one = await account('rLower', NOW, credits(5));
    await rig.customers.plans.grant('rLower', 'partner');
    one.spend(FREE * 3, NOW);
    await rig.customers.plans.grant('rLower', undefined);
    expect(one.left(NOW)).toBe(50);
  });

  test('a clock that was ahead for a while takes away neither a paid tier nor later allowances', async () => {
    const one = await account('rAhead', NOW, term('developer', 'yearly'));
    one.spend(70, NOW);
    expect(one.tier(NOW + 1000 * DAY)).toBe('free');
    expect([one.tier(NOW + DAY), one.tier(NOW)]).toEqual(['developer', 'developer']);
    one.spend(DEVELOPER, NOW + DAY);
    expect(one.left(NOW + 31 * DAY)).toBe(DEVELOPER);
    await rig.restart();
    const again = rig.customers.credits.of('rAhead')!;
    expect([again.tier(NOW + 31 * DAY), again.left(NOW + 31 * DAY)]).toEqual(['developer', DEVELOPER]);
  });

  test('what was bought counts at once, also where the clock is set back after it', async () => {
    const one = await account('rBack', NOW - DAY);
    await account('rBack', NOW, term('business'));
    expect([one.tier(NOW), one.tier(NOW - 3_600_000)]).toEqual(['business', 'business']);
    await account('rBack', NOW - 3_600_000, credits(3));
    expect(one.tier(NOW - 3_600_000)).toBe('business');
    expect(one.tier(NOW + 30 * DAY)).toBe('free');
  });

  test('enterprise is not counted', async () => {
    const one = await account('rEnterprise', NOW);
    await rig.customers.plans.grant('rEnterprise', 'enterprise');
    expect(one.spend(1e12, NOW)).toBe(true);
    expect(one.left(NOW)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('a restart', () => {
  const of = (wallet: string) => rig.customers.credits.of(wallet)!;

  test('keeps what was spent; so does a crash, but for what was not written yet', async () => {
    await account('rKept', NOW, credits(100));
    of('rKept').spend(FREE + 300, NOW);
    await rig.customers.credits.save();
    of('rKept').spend(200, NOW);
    await rig.restart(true);
    // What the crash has forgotten is the customer's.
    expect(of('rKept').left(NOW)).toBe(700);
    of('rKept').spend(100, NOW);
    await rig.restart();
    expect(of('rKept').left(NOW)).toBe(600);
  });

  test('what is spent is written without anybody asking', async () => {
    await account('rBehind', NOW);
    of('rBehind').spend(123, NOW);
    const before = rig.store.stats().transactions;
    while (rig.store.stats().transactions === before) await Bun.sleep(20);
    await rig.restart(true);
    expect(of('rBehind').left(NOW)).toBe(FREE - 123);
  });

  test('the journal is read after a crash, and gives way to rows of the wallets', async () => {
    const wallets = Array.from({ length: 1200 }, (_, at) => `rJournal${at}`);
    for (const wallet of wallets) await rig.customers.credits.open(wallet, NOW);
    const journals = () => rig.store.stats().collections['credit-journal']!.rows;
    const spend = async (tenths: number) => {
      for (const wallet of wallets) of(wallet).spend(tenths, NOW);
      await rig.customers.credits.save();
    };
    const left = () => new Set(wallets.map((wallet) => of(wallet).left(NOW)));
    await rig.customers.credits.settle();
    expect(journals()).toBe(0);
    await spend(3);
    await spend(4);
    expect(journals()).toBeGreaterThanOrEqual(6);
    await rig.restart(true);
    expect(left()).toEqual(new Set([FREE - 7]));
    await rig.customers.credits.settle();
    expect(journals()).toBe(0);
    await rig.restart(true);
    expect(left()).toEqual(new Set([FREE - 7]));
    await spend(5);
    await rig.customers.credits.settle();
    await spend(1);
    await rig.restart(true);
    expect(left()).toEqual(new Set([FREE - 13]));
    await spend(2);
    await rig.customers.credits.settle();
    expect(journals()).toBe(0);
    await rig.restart(true);
    expect(left()).toEqual(new Set([FREE - 15]));
  });

  test('a store that refuses, or is closed, is no fault of the program: what is left is settled later', async () => {
    const own = new CustomerRig();
    const timers = spyOn(globalThis, 'setInterval');
    const customers = await own.open();
    const settleNow = timers.mock.calls.find(([, ms]) => ms === 30_000)![0] as () => void;
    timers.mockRestore();
    const spender = await customers.credits.open('rRefused', NOW);
    spender.spend(7, NOW);
    await customers.credits.save();
    const { transaction } = own.store;
    let asked = 0;
    own.store.transaction = ((write) =>
      ++asked === 2
        ? Promise.reject(new Error('the disk is full'))
        : transaction.call(own.store, write)) as typeof transaction;
    settleNow();
    while (asked < 2) await Bun.sleep(1);
    await Bun.sleep(1);
    own.store.transaction = transaction;
    spender.spend(7, NOW);
    settleNow();
    // While that is going on.
    await own.stop();
  });

  test('what is bought while others are spent counts once', async () => {
    const one = await account('rBought', NOW);
    one.spend(FREE, NOW);
    const buy = () => account('rBought', NOW, credits(50));
    await Promise.all([buy(), buy(), rig.customers.credits.save(), buy()]);
    expect(one.left(NOW)).toBe(1500);
    one.spend(700, NOW);
    await rig.restart();
    expect(of('rBought').left(NOW)).toBe(800);
  });
});
