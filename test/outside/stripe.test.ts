/** The driver of Stripe against a stand-in that checks its requests, and messages that are not Stripe's. */
import { afterAll, describe, expect, test } from 'bun:test';
import { Stripe } from '../../outside/stripe.ts';
import { CardError, CardMessageError } from '../../platform/billing/card.ts';
import { SECRET_KEY, StandInStripe, WEBHOOK_SECRET } from './stand-in-stripe.ts';

const standIn = new StandInStripe();
afterAll(() => standIn.stop());

const settings = {
  secretKey: SECRET_KEY,
  webhookSecret: WEBHOOK_SECRET,
  baseUrl: standIn.url,
  now: Date.now,
};
const stripe = new Stripe(settings);
const NOW = Date.UTC(2026, 10, 23, 11);

const checkout = (invoice: string) =>
  stripe.checkout({
    invoice,
    title: '1,000,000 credits',
    usdCents: 500,
    expiresAt: Date.now() + 30 * 60_000,
    successUrl: 'https://shop.example/#/paid?a=1&b=2',
    cancelUrl: 'https://shop.example/',
  });

describe('a session', () => {
  test('is made once for an invoice, with its price, and may be paid', async () => {
    const { id, url } = await checkout('one');
    expect(url).toContain(id);
    expect((await checkout('one')).id).toBe(id);
    expect((await checkout('two')).id).not.toBe(id);
    const { form, amount_total, currency } = standIn.sessions.get(id)!;
    expect([amount_total, currency, form.get('client_reference_id')]).toEqual([500, 'usd', 'one']);
    expect(form.get('success_url')).toBe('https://shop.example/#/paid?a=1&b=2');
    expect(await stripe.state(id)).toEqual({ session: id, status: 'unpaid', payment: '', usdCents: 0 });
    standIn.pay(id);
    expect(await stripe.state(id)).toEqual({
      session: id,
      status: 'paid',
      payment: `pi_${id}`,
      usdCents: 500,
    });
  });

  test('in another currency is not paid in dollars', async () => {
    const { id } = await checkout('yen');
    standIn.pay(id);
    standIn.sessions.get(id)!.currency = 'jpy';
    expect(await stripe.state(id)).toMatchObject({ status: 'unpaid', usdCents: 0 });
  });

  test.each<[string, () => Response]>([
    ['an error', () => Response.json({ error: {} }, { status: 402 })],
    ['no JSON', () => new Response('<html>')],
    ['a list', () => Response.json([])],
    ['no id', () => Response.json({ url: 'https://x.example' })],
    ['a script as address', () => Response.json({ id: 'cs_1', url: 'javascript:alert(1)' })],
    ['a redirect', () => new Response(null, { status: 302, headers: { Location: 'https://x.example' } })],
    ['more than is read', () => new Response('x'.repeat(300_000))],
  ])('that is answered with %s: one error, which names no secret', async (_, answer) => {
    standIn.next = answer();
    const fault = await checkout(crypto.randomUUID()).catch((error: Error) => error);
    expect(fault).toBeInstanceOf(CardError);
    expect(String(fault)).not.toContain(SECRET_KEY);
  });

  test('with a wrong key, or where nothing answers: an error', async () => {
    const wrong = new Stripe({ ...settings, secretKey: 'sk_wrong' });
    await expect(wrong.state('cs_test_1')).rejects.toThrow('Stripe: HTTP 401');
    const nowhere = new Stripe({ ...settings, baseUrl: 'http://127.0.0.1:1' });
    await expect(nowhere.state('cs_test_1')).rejects.toBeInstanceOf(CardError);
    await expect(stripe.state('../balance')).rejects.toThrow('Stripe: HTTP 404');
  });
});

describe('a message', () => {
  const paid = async (type = 'checkout.session.completed', at = NOW, secret = WEBHOOK_SECRET) => {
    const { id } = await checkout(crypto.randomUUID());
    standIn.pay(id);
    return { id, ...standIn.event(id, type, at, secret) };
  };

  test('of Stripe says that a session was paid', async () => {
    const { id, body, headers } = await paid();
    const said = { session: id, status: 'paid', payment: `pi_${id}`, usdCents: 500 };
    expect(stripe.read(body, headers, NOW)).toEqual(said as never);
    for (const late of [-5 * 60_000, 5 * 60_000])
      expect(stripe.read(body, headers, NOW + late)).toEqual(said as never);
    // Two secrets, while one is being changed.
    const both = standIn.signed(body, NOW, 'whsec_old', WEBHOOK_SECRET);
    expect(stripe.read(body, both, NOW)).toEqual(said as never);
  });

  test.each([
    ['charge.refunded', { object: 'charge', refunded: true }, true],
    ['charge.refunded', { object: 'charge', refunded: false, amount_refunded: 100 }, false],
    ['charge.dispute.closed', { object: 'dispute', status: 'lost' }, true],
    ['charge.dispute.closed', { object: 'dispute', status: 'won' }, false],
    ['charge.dispute.closed', { object: 'dispute', status: 'lost', payment_intent: null }, false],
  ])('%s %p: the money has gone back, %p', (type, about, isBack) => {
    const object = { id: 'x', amount: 500, payment_intent: 'pi_1', ...about };
    const body = JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object } });
    const said = stripe.read(body, standIn.signed(body, NOW, WEBHOOK_SECRET), NOW);
    const refund = { session: '', status: 'refunded', payment: 'pi_1', usdCents: 500 } as const;
    expect(said).toEqual(isBack ? refund : undefined);
  });

  test('about something else says nothing', async () => {
    const { body, headers } = await paid('customer.created');
    expect(stripe.read(body, headers, NOW)).toBeUndefined();
  });

  test.each([-5 * 60_000 - 1000, 5 * 60_000 + 1000])('of another time is refused (%p ms)', async (by) => {
    const { body, headers } = await paid();
    expect(() => stripe.read(body, headers, NOW + by)).toThrow('not a message of now');
  });

  test('that was changed, or signed by another, or not at all, is refused', async () => {
    const { id, body, headers } = await paid();
    const refused = (text: string, sent: Headers) =>
      expect(() => stripe.read(text, sent, NOW)).toThrow(CardMessageError);
    refused(body.replace(id, 'cs_test_1'), headers);
    refused(`${body} `, headers);
    refused(body, standIn.signed(body, NOW, 'whsec_other'));
    refused(body, new Headers());
    const text = headers.get('stripe-signature')!;
    for (const changed of [
      text.replace(/t=\d+/, `t=${Math.floor(NOW / 1000) + 1}`),
      text.replace(/t=\d+,/, ''),
      text.replace(/v1=../, 'v1=zz'),
      text.replace('v1=', 'v0='),
      text.replace(/v1=[0-9a-f]{8}/, 'v1='),
      'v1=',
      ',,,=',
    ])
      refused(body, new Headers({ 'stripe-signature': changed }));
  });

  test('that is signed and makes no sense is refused', () => {
    for (const body of [
      '',
      'null',
      '[]',
      '{"type":"checkout.session.completed"}',
      '{"type":"checkout.session.completed","data":{"object":3}}',
      '{"type":"checkout.session.completed","data":{"object":{"payment_status":"paid"}}}',
    ])
      expect(() => stripe.read(body, standIn.signed(body, NOW, WEBHOOK_SECRET), NOW)).toThrow(
        CardMessageError,
      );
  });
});
