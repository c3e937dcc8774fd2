/** Payments on the embedded network: which of them buy what an invoice is for, once, and which do not. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INVOICE_COLLECTIONS, INVOICE_MS, newId, statusOf } from '../../../platform/billing/invoices.ts';
import { GRACE_MS } from '../../../platform/billing/xrp-payments.ts';
import { beginningAt } from '../../../platform/terms.ts';
import { momentOf } from '../term-model.ts';
import { PRICE, Shop, STARTER } from './shop.ts';

const dir = mkdtempSync(join(tmpdir(), 'millrace-payments-'));
const CUSTOMERS = [
  'ann',
  'bob',
  'cid',
  'dee',
  'eva',
  'fay',
  'gil',
  'hal',
  'ida',
  'jon',
  'kim',
  'lea',
  'max',
  'ned',
];
let shop: Shop;

beforeAll(async () => {
  shop = await Shop.open(join(dir, 'shop'), ...CUSTOMERS, 'issuer', 'maker');
});

afterAll(async () => {
  await shop.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Seconds of the network's clock. */
const wait = (seconds: number): void => {
  shop.rig.time += seconds;
};

const status = (id: string) => statusOf(shop.invoices.get(id)!, shop.now);

describe('a payment', () => {
  test('that is right: credits, once, and the invoice is applied', async () => {
    const invoice = await shop.invoice('ann');
    expect([status(invoice.id), invoice.expiresAt - invoice.createdAt]).toEqual(['created', INVOICE_MS]);
    const payment = await shop.pay('ann', shop.tagOf(invoice));
    expect(payment).toMatchObject({
      outcome: 'applied',
      drops: PRICE,
      invoice: invoice.id,
      wallet: shop.rig.account('ann').address,
      from: shop.rig.account('ann').address,
    });
    expect(shop.credits('ann')).toBe(1_000_000);
    expect(shop.invoices.get(invoice.id)).toMatchObject({ received: PRICE, paidBy: payment!.txHash });
    expect(status(invoice.id)).toBe('applied');
  });

  test('that is short: counted, and the rest completes it', async () => {
    const invoice = await shop.invoice('bob');
    const tag = shop.tagOf(invoice);
    expect((await shop.pay('bob', tag, { Amount: String(PRICE - 1) }))?.outcome).toBe('short');
    expect([shop.credits('bob'), status(invoice.id)]).toEqual([0, 'created']);
    expect((await shop.pay('bob', tag, { Amount: '1' }))?.outcome).toBe('applied');
    expect(shop.credits('bob')).toBe(1_000_000);
  });

  test('that is too much: buys what the invoice is for, no more', async () => {
    const invoice = await shop.invoice('cid');
    const payment = await shop.pay('cid', shop.tagOf(invoice), { Amount: String(3 * PRICE) });
    expect(payment).toMatchObject({ outcome: 'applied', drops: 3 * PRICE });
    expect(shop.credits('cid')).toBe(1_000_000);
    expect(shop.invoices.get(invoice.id)!.received).toBe(3 * PRICE);
  });

  test('with another tag, or none: buys nothing, and is kept to be found', async () => {
    const invoice = await shop.invoice('dee');
    expect((await shop.pay('dee', shop.tagOf(invoice) + 1))?.outcome).toBe('unknown_tag');
    expect((await shop.pay('dee', 0))?.outcome).toBe('unknown_tag');
    expect((await shop.pay('dee', undefined))?.outcome).toBe('no_tag');
    expect([shop.credits('dee'), status(invoice.id)]).toEqual([0, 'created']);
  });

  test('in another currency: buys nothing, whatever its number', async () => {
    const { address: issuer } = shop.rig.account('issuer');
    const usd = (value: string) => ({ currency: 'USD', issuer, value });
    // Dollars may pass through it.
    shop.rig.submit(shop.rig.account('issuer'), { TransactionType: 'AccountSet', SetFlag: 8 });
    await shop.close();
    shop.rig.submit(shop.merchant, { TransactionType: 'TrustSet', LimitAmount: usd('1000000000') });
    shop.rig.submit(shop.rig.account('eva'), { TransactionType: 'TrustSet', LimitAmount: usd('1000000000') });
    await shop.close();
    const { address: Destination } = shop.rig.account('eva');
    shop.rig.submit(shop.rig.account('issuer'), {
      TransactionType: 'Payment',
      Destination,
      Amount: usd('100000000'),
    });
    await shop.close();
    const invoice = await shop.invoice('eva');
    const payment = await shop.pay('eva', shop.tagOf(invoice), { Amount: usd('20000000') });
    expect(payment).toMatchObject({ outcome: 'wrong_currency', drops: 0 });
    expect([shop.credits('eva'), status(invoice.id)]).toEqual([0, 'created']);
  });

  test('that delivers a part: what was delivered counts, not its Amount', async () => {
    const { address: issuer } = shop.rig.account('issuer');
    // The maker gives 1 XRP for a dollar, and has as much as is wanted: eva's dollars end before the Amount.
    shop.rig.submit(shop.rig.account('maker'), {
      TransactionType: 'OfferCreate',
      TakerPays: { currency: 'USD', issuer, value: '1000' },
      TakerGets: '1000000000',
    });
    await shop.close();
    const invoice = await shop.invoice('eva');
    const tag = shop.tagOf(invoice);
    const partial = (dollars: string) => ({
      Amount: '5000000000',
      SendMax: { currency: 'USD', issuer, value: dollars },
      Flags: 0x0002_0000,
    });
    const first = await shop.pay('eva', tag, partial('19'));
    expect(first).toMatchObject({ outcome: 'short', drops: 19_000_000 });
    const second = await shop.pay('eva', tag, partial('1'));
    expect(second).toMatchObject({ outcome: 'applied', drops: 1_000_000 });
    expect(shop.credits('eva')).toBe(1_000_000);
  });

  test('that failed: nothing of it', async () => {
    const invoice = await shop.invoice('fay');
    const payment = await shop.pay('fay', shop.tagOf(invoice), { Amount: '20000000000' });
    expect(shop.ledgers.at(-1)!.packed().count).toBe(1);
    expect([payment, shop.credits('fay')]).toEqual([undefined, 0]);
  });

  test('that is late: buys nothing; up to the last moment of the invoice, and what clocks differ, it does', async () => {
    const [inTime, late] = [await shop.invoice('gil'), await shop.invoice('hal')];
    // Ledgers close 4 s after they are opened, at a time that is rounded to at most 10 s.
    const lastMoment = INVOICE_MS / 1000 + GRACE_MS / 1000 - 20;
    wait(lastMoment);
    expect((await shop.pay('gil', shop.tagOf(inTime)))?.outcome).toBe('applied');
    wait(40);
    expect((await shop.pay('hal', shop.tagOf(late)))?.outcome).toBe('late');
    expect([shop.credits('gil'), shop.credits('hal')]).toEqual([1_000_000, 0]);
    expect([status(inTime.id), status(late.id)]).toEqual(['applied', 'expired']);
  });

  test('that comes twice: the second buys nothing', async () => {
    const invoice = await shop.invoice('ida');
    const tag = shop.tagOf(invoice);
    expect((await shop.pay('ida', tag))?.outcome).toBe('applied');
    expect((await shop.pay('ida', tag))?.outcome).toBe('already_paid');
    const other = await shop.invoice('ida');
    expect(other.id).not.toBe(invoice.id);
    const [one, two] = [shop.submit('ida', shop.tagOf(other)), shop.submit('ann', shop.tagOf(other))];
    await shop.close();
    expect([one, two].map((hash) => shop.payments.of(hash)!.outcome).sort()).toEqual([
      'already_paid',
      'applied',
    ]);
    expect(shop.credits('ida')).toBe(2_000_000);
  });

  test('from another wallet: for the wallet of the invoice', async () => {
    const invoice = await shop.invoice('jon');
    const payment = await shop.pay('kim', shop.tagOf(invoice));
    expect(payment).toMatchObject({
      outcome: 'applied',
      from: shop.rig.account('kim').address,
      wallet: shop.rig.account('jon').address,
    });
    expect([shop.credits('jon'), shop.credits('kim')]).toEqual([1_000_000, 0]);
  });

  test('before the invoice: also where its ledger is read only afterwards', async () => {
    const next = shop.tagOf(await shop.invoice('kim')) + 1;
    expect((await shop.pay('lea', next))?.outcome).toBe('unknown_tag');
    await shop.payments.stop();
    const early = shop.submit('lea', next + 1);
    await shop.close();
    const [first, second] = [await shop.invoice('lea'), await shop.invoice('max')];
    expect([shop.tagOf(first), shop.tagOf(second)]).toEqual([next, next + 1]);
    shop.watch();
    await shop.payments.idle();
    expect(shop.payments.of(early)).toMatchObject({ outcome: 'before_invoice', invoice: second.id });
    expect([shop.credits('lea'), shop.credits('max')]).toEqual([0, 0]);
    expect((await shop.pay('max', next + 1))?.outcome).toBe('applied');
  });

  test('on a network that is hours behind the clock: what comes after the invoice counts, what came before does not', async () => {
    const behind = await Shop.open(join(dir, 'behind'), 'ann', 'bob');
    [behind.ahead, behind.isPresent] = [5 * 3600, false];
    const invoice = await behind.invoice('ann');
    expect(invoice.createdAt - behind.closedAt).toBeGreaterThan(4 * 3_600_000);
    expect((await behind.pay('bob', behind.tagOf(invoice)))?.outcome).toBe('applied');
    expect(behind.credits('ann')).toBe(1_000_000);
    await behind.stop();
  });

  test('in a ledger that comes while the one before it is settled: counted without waiting for another', async () => {
    const invoice = await shop.invoice('max');
    const before = shop.credits('max');
    const { settle } = shop.store;
    const [settling, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    shop.store.settle = async (...args) => {
      shop.store.settle = settle;
      settling.resolve();
      await held.promise;
      return settle.apply(shop.store, args);
    };
    shop.submit('max', undefined);
    const first = shop.close();
    await settling.promise;
    shop.submit('max', shop.tagOf(invoice));
    const second = shop.close();
    await Bun.sleep(20);
    held.resolve();
    await Promise.all([first, second]);
    expect(shop.credits('max')).toBe(before + 1_000_000);
  });

  test('while the service is stopped: found at the next start; and all counted once, however often ledgers are read', async () => {
    const invoice = await shop.invoice('ned', { type: 'tier', tier: 'business', billing: 'monthly' });
    const hash = shop.submit('ned', shop.tagOf(invoice));
    const before = CUSTOMERS.map((name) => shop.credits(name));
    const tier = () => shop.plans.tierOf(shop.rig.account('ned').address, shop.now);
    expect(tier()).toBe('free');
    // The engine applies the ledger, and the process ends before the payment is looked at.
    await shop.payments.stop();
    await shop.close();
    expect(shop.payments.of(hash)).toBeUndefined();
    for (const lose of [false, true, false]) {
      await shop.restart(lose);
      expect(shop.payments.of(hash)?.outcome).toBe('applied');
      expect(tier()).toBe('business');
      expect(shop.plans.of(shop.rig.account('ned').address).terms).toHaveLength(1);
      expect(CUSTOMERS.map((name) => shop.credits(name))).toEqual(before);
    }
    const { terms } = shop.plans.of(shop.rig.account('ned').address);
    wait(30 * 86_400 - 100);
    await shop.close();
    expect([tier(), shop.now < terms[0]!.end]).toEqual(['business', true]);
    wait(200);
    await shop.close();
    expect(tier()).toBe('free');
  });
});

describe('a clock', () => {
  const DAYS = 86_400;
  const tier = (tier: 'developer' | 'business') => ({ type: 'tier', tier, billing: 'monthly' }) as const;

  test('that is set far ahead ends no running term at a purchase, and loses no invoice that may be paid', async () => {
    const ahead = await Shop.open(join(dir, 'ahead'), 'ann', 'bob');
    const wallet = ahead.rig.account('ann').address;
    await ahead.pay('ann', ahead.tagOf(await ahead.invoice('ann', tier('developer'))));
    const before = ahead.plans.of(wallet).terms[0]!;
    const byCard = { wallet, purchase: tier('business'), usdCents: 49_900 };
    const open = await ahead.invoice('bob');
    const slow = await ahead.invoices.createCard(byCard, 'cs_slow', newId(), momentOf(ahead.now));
    // Nothing says that the clock is wrong.
    [ahead.ahead, ahead.isPresent] = [400 * DAYS, false];
    for (let i = 0; i < 3; i++) await ahead.invoice('bob', { ...STARTER, credits: i } as typeof STARTER);
    expect([ahead.invoices.get(open.id)?.id, ahead.invoices.get(slow.id)?.id]).toEqual([open.id, slow.id]);
    await ahead.pay('ann', ahead.tagOf(await ahead.invoice('ann', tier('business'))));
    const session = { session: 'cs_slow', payment: 'pi_slow', usdCents: 49_900 };
    await ahead.billing.cardSays({ ...session, status: 'paid' });
    expect(ahead.plans.tierOf(wallet, ahead.now)).toBe('business');
    await ahead.billing.cardSays({ ...session, session: '', status: 'refunded' });
    ahead.ahead = 0;
    const { terms } = ahead.plans.of(wallet);
    expect(terms[0]).toEqual(before);
    expect(ahead.plans.tierOf(wallet, ahead.now)).toBe('developer');
    expect(ahead.plans.tierOf(wallet, before.end)).toBe('business');
    const again = { ...STARTER, credits: 0 } as typeof STARTER;
    const [now, made] = [ahead.now, await ahead.invoice('bob', again)];
    expect(made.expiresAt - now).toBeLessThanOrEqual(INVOICE_MS + 10_000);
    expect((await ahead.pay('bob', ahead.tagOf(open)))?.outcome).toBe('applied');
    await ahead.stop();
  });

  test('that is far ahead of a network that shows the present ends no term, and no allowance: both run by its ledgers', async () => {
    const shown = await Shop.open(join(dir, 'shown'), 'ann', 'bob');
    const [wallet, other] = ['ann', 'bob'].map((name) => shown.rig.account(name).address) as [string, string];
    const account = await shown.customers.credits.open(wallet, shown.now);
    await shown.pay('ann', shown.tagOf(await shown.invoice('ann', tier('developer'))));
    expect(account.spend(70, shown.now)).toBe(true);
    const [before, left] = [account.cycle(shown.now), account.left(shown.now)];
    shown.ahead = 400 * DAYS;
    expect([shown.plans.tierOf(wallet, shown.now), account.tier(shown.now)]).toEqual([
      'developer',
      'developer',
    ]);
    expect([account.cycle(shown.now), account.left(shown.now)]).toEqual([before, left]);
    expect(shown.plans.termsOf(wallet, shown.now)).toHaveLength(1);
    // What is bought meanwhile begins with its ledger, and is there when the clock is right again.
    expect((await shown.pay('bob', shown.tagOf(await shown.invoice('bob', tier('business')))))?.outcome).toBe(
      'applied',
    );
    expect(shown.plans.tierOf(other, shown.now)).toBe('business');
    expect(shown.plans.of(other).terms[0]!.start).toBe(shown.closedAt);
    // While the network is away, the clock is as wrong as it was.
    shown.isPresent = false;
    expect(shown.plans.tierOf(wallet, shown.now)).toBe('developer');
    [shown.isPresent, shown.ahead] = [true, 0];
    expect([wallet, other].map((one) => shown.plans.tierOf(one, shown.now))).toEqual([
      'developer',
      'business',
    ]);
    // By ledgers, as they close.
    shown.ahead = 400 * DAYS;
    shown.rig.time += 30 * DAYS;
    await shown.close();
    expect(shown.plans.tierOf(wallet, shown.now)).toBe('free');
    await shown.stop();
  });

  test('that is far from a network that shows the present: invoices end by its ledgers', async () => {
    const wrong = await Shop.open(join(dir, 'wrong'), 'ann');
    for (const ahead of [400 * DAYS, -400 * DAYS]) {
      wrong.ahead = ahead;
      const invoice = await wrong.invoice('ann', { ...STARTER, credits: ahead } as typeof STARTER);
      expect([invoice.createdAt, invoice.expiresAt]).toEqual([wrong.closedAt, wrong.closedAt + INVOICE_MS]);
      const status = () => statusOf(invoice, wrong.billing.now);
      expect(status()).toBe('created');
      // Nor while the network is away for a moment.
      wrong.isPresent = false;
      expect(status()).toBe('created');
      wrong.isPresent = true;
      wrong.rig.time += 32 * 60;
      await wrong.close();
      expect([status(), (await wrong.pay('ann', wrong.tagOf(invoice)))?.outcome]).toEqual([
        'expired',
        'late',
      ]);
      wrong.ahead = 0;
      expect(status()).toBe('expired');
    }
    await wrong.stop();
  });

  test('begins a term that ledgers a moment ahead of it would begin in the future, and its credits then anew', () => {
    const now = Date.now();
    expect(beginningAt(now, now + 12_000)).toBe(now);
  });

  test('that is far behind makes no invoice that has ended, and no term', async () => {
    const behind = await Shop.open(join(dir, 'slow'), 'ann');
    const wallet = behind.rig.account('ann').address;
    behind.ahead = -90 * DAYS;
    const invoice = await behind.invoice('ann', tier('developer'));
    expect((await behind.pay('ann', behind.tagOf(invoice)))?.outcome).toBe('applied');
    const byCard = { wallet, purchase: tier('business'), usdCents: 49_900 };
    await behind.invoices.createCard(byCard, 'cs_behind', newId(), momentOf(behind.now));
    await behind.billing.cardSays({ session: 'cs_behind', status: 'paid', payment: 'pi', usdCents: 49_900 });
    behind.ahead = 0;
    const ends = behind.plans
      .of(wallet)
      .terms.map(({ tier, end }) => [tier, end > behind.now + 29 * DAYS * 1000]);
    expect(ends).toEqual([
      ['business', true],
      ['developer', true],
    ]);
    await behind.stop();
  });
});

describe('invoices', () => {
  test('an open one is given again for the same purchase, and a new one for another', async () => {
    const first = await shop.invoice('ann');
    expect((await shop.invoice('ann')).id).toBe(first.id);
    expect((await shop.invoice('bob')).id).not.toBe(first.id);
    const other = await shop.invoice('ann', { ...STARTER, package: 'mega', credits: 5 } as typeof STARTER);
    expect(other.id).not.toBe(first.id);
    wait(21 * 60);
    expect((await shop.invoice('ann')).id).not.toBe(first.id);
  });

  test('numbers follow one another, and stay', async () => {
    const [one, two] = [await shop.invoice('ann'), await shop.invoice('bob')];
    expect([one.number, two.number]).toEqual([undefined, undefined]);
    const numbers = await Promise.all([two, one, two].map(({ id }) => shop.invoices.numbered(id)));
    expect(numbers.map((invoice) => invoice!.number)).toEqual([1, 2, 1]);
    expect(await shop.invoices.numbered('none')).toBeUndefined();
    await shop.restart();
    expect((await shop.invoices.numbered(one.id))!.number).toBe(2);
  });

  test('one that nobody paid is removed after a week', async () => {
    const unpaid = await shop.invoice('dee');
    wait(7 * 86_400 + 31 * 60);
    await shop.close();
    for (let i = 0; i < 12 && shop.invoices.get(unpaid.id); i++) await shop.invoice(CUSTOMERS[i]!);
    expect(shop.invoices.get(unpaid.id)).toBeUndefined();
  });

  const sized = (credits: number) => ({ ...STARTER, credits }) as typeof STARTER;

  test('one that has its number stays, so that no number is missing; those without are still removed', async () => {
    const paid = await shop.invoice('jon', sized(7));
    const numbered = await shop.invoices.numbered((await shop.invoice('kim', sized(7))).id);
    const others = await Promise.all(CUSTOMERS.map((name) => shop.invoice(name, sized(8))));
    wait(7 * 86_400 + 31 * 60);
    await shop.close();
    for (const name of CUSTOMERS) await shop.invoice(name, sized(9));
    expect(shop.invoices.get(numbered!.id)?.number).toBe(numbered!.number!);
    expect([paid, ...others].filter(({ id }) => shop.invoices.get(id))).toEqual([]);
  });

  test('one for a card waits for a debit that takes weeks, and no longer than that', async () => {
    const wanted = { wallet: shop.rig.account('max').address, purchase: sized(11), usdCents: 500 };
    await shop.invoices.createCard(wanted, 'cs_slow', newId(), momentOf(shop.now));
    const never = await shop.invoices.createCard(wanted, 'cs_never', newId(), momentOf(shop.now));
    wait(20 * 86_400);
    for (const name of CUSTOMERS) await shop.invoice(name, sized(12));
    expect(await shop.invoices.paidByCard('cs_slow', 'pi_slow', momentOf(shop.now))).toMatchObject({
      paidBy: 'pi_slow',
    });
    wait(11 * 86_400);
    await shop.close();
    for (const name of CUSTOMERS) await shop.invoice(name, sized(12));
    expect(shop.invoices.get(never.id)).toBeUndefined();
  });

  test('refunds of payments that are none of ours are forgotten, whatever stays unpaid', async () => {
    const notes = () => {
      let rows = 0;
      shop.store.walk(INVOICE_COLLECTIONS[2]!, {}, () => ++rows > 0);
      return rows;
    };
    for (let other = 0; other < 10; other++) {
      await shop.invoices.refunded(`pi_other_${other}`, momentOf(shop.now));
      wait(8 * 86_400);
    }
    expect(notes()).toBeLessThan(6);
  });

  test('payments of a wallet, the newest first', () => {
    const { address } = shop.rig.account('ida');
    const { total, payments } = shop.payments.ofWallet(address, 0, 200);
    expect([total, payments.length]).toEqual([4, 4]);
    const places = payments.map(({ ledger, tx }) => ledger * 1000 + tx);
    expect(places).toEqual(places.toSorted((a, b) => b - a));
    expect(shop.payments.ofWallet(address, 1, 2).payments).toEqual(payments.slice(1, 3));
    expect(shop.payments.ofWallet(address, 9, 2)).toEqual({ total: 4, payments: [] });
  });
});
