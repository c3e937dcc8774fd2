/** Section 4.8 as a customer uses it: an invoice is paid on the embedded network or by card, and what follows from it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sign } from 'ripple-keypairs';
import { createApi } from '../../../api/app.ts';
import { Gate } from '../../../api/gate/gate.ts';
import { routes } from '../../../api/routes/index.ts';
import { Stripe } from '../../../outside/stripe.ts';
import { makeKey } from '../../../platform/api-keys.ts';
import { DEFAULT_ADMISSION } from '../../../requests/admission-settings.ts';
import { Mount } from '../../../views/mount.ts';
import { Network } from '../../../views/network.ts';
import { quiet } from '../../live-rig.ts';
import { SECRET_KEY, StandInStripe, WEBHOOK_SECRET } from '../../outside/stand-in-stripe.ts';
import { Shop } from '../../platform/billing/shop.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
type Json = Record<string, any>;

const dir = mkdtempSync(join(tmpdir(), 'millrace-billing-routes-'));
const standIn = new StandInStripe();
const DAY = 86_400_000;
/** XRP for a dollar. */
const RATE = 0.4321;
let shop: Shop;
let fetchApi: (request: Request) => Response | Promise<Response>;

/** The API over the shop as it is open now. @param without what is not configured */
function open(without: { billing?: true } = {}): void {
  const network = new Network({ engine: shop.engine });
  shop.engine.market.rates.feed = {
    name: 'fixed',
    version: 1,
    latest: () => ({ xrpPerUnit: RATE, at: 0 }),
  } as never;
  const now = () => shop.now;
  const { customers } = shop;
  const admission = { ...DEFAULT_ADMISSION, adminWallets: new Set([shop.rig.account('boss').address]) };
  const gate = new Gate({ settings: admission, customers, rows: routes, now });
  const api = createApi({
    mounts: [Mount.of(network)],
    log: quiet,
    now,
    customers,
    admission,
    identify: gate.identify,
    admit: gate.admit,
    ...(without.billing ? {} : { billing: shop.billing }),
  });
  fetchApi = (request) => api.fetch(request);
}

beforeAll(async () => {
  shop = await Shop.open(join(dir, 'shop'), 'ann', 'bob', 'cid', 'dee');
  shop.card = new Stripe({
    secretKey: SECRET_KEY,
    webhookSecret: WEBHOOK_SECRET,
    baseUrl: standIn.url,
    now: Date.now,
  });
  await shop.restart();
  open();
});

afterAll(async () => {
  await shop.stop();
  await standIn.stop();
  rmSync(dir, { recursive: true, force: true });
});

let signed = 0;

/** Headers that the wallet signs; each is used once. */
function signature(name: string): Record<string, string> {
  const { address, publicKey, privateKey } = shop.rig.account(name);
  const timestamp = String(shop.now + signed++);
  const text = Buffer.from(`${address}:${timestamp}`).toString('hex');
  return {
    'X-Wallet': address,
    'X-Timestamp': timestamp,
    'X-Public-Key': publicKey,
    'X-Signature': sign(text, privateKey),
  };
}

async function ask(
  method: string,
  path: string,
  sent: { body?: object | string; headers?: Record<string, string> | Headers } = {},
): Promise<{ status: number; body: Json }> {
  const { body, headers } = sent;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const init = { method, ...(headers && { headers }), ...(body !== undefined && { body: text }) };
  const response = await fetchApi(new Request(`http://localhost/v1${path}`, init));
  return { status: response.status, body: (await response.json()) as Json };
}

const get = (path: string, signer?: string) => ask('GET', path, signer ? { headers: signature(signer) } : {});
const post = (path: string, body: object, signer?: string) =>
  ask('POST', path, { body, ...(signer && { headers: signature(signer) }) });
const addressOf = (name: string) => shop.rig.account(name).address;

test('a price is that of the network that is paid on, whichever network is asked', async () => {
  const other = await Shop.open(join(dir, 'other'));
  const feed = { name: 'other', version: 1, latest: () => ({ xrpPerUnit: RATE / 1000, time: 0 }) };
  other.engine.market.rates.feed = feed;
  const main = Mount.of(new Network({ engine: shop.engine }));
  const mount = Mount.of(new Network({ engine: other.engine }), '/second');
  const api = createApi({ mounts: [main, mount], log: quiet, now: () => shop.now, billing: shop.billing });
  const answers = await Promise.all(
    ['', '/second'].map(async (prefix) =>
      (await api.fetch(new Request(`http://localhost/v1${prefix}/keys/packages`))).json(),
    ),
  );
  const [price] = (answers as Json[]).map(({ xrpRate }) => xrpRate);
  expect(price).toBeCloseTo(1 / RATE, 9);
  expect((answers as Json[]).map(({ xrpRate }) => xrpRate)).toEqual([price, price]);
  await other.stop();
});

describe('prices', () => {
  test('are those of the settings, in XRP at the rate of the moment, rounded up', async () => {
    const { body: packages } = await get('/keys/packages');
    expect(packages.packages.map(({ name, credits, price }: Json) => [name, credits, price])).toEqual([
      ['starter', 1e6, 5],
      ['standard', 5e6, 20],
      ['bulk', 25e6, 75],
      ['mega', 100e6, 250],
    ]);
    const { body: tiers } = await get('/keys/tiers');
    expect(tiers.paymentAddress).toBe(shop.merchant.address);
    expect(tiers.xrpRate).toBeCloseTo(1 / RATE, 9);
    const developer = tiers.tiers.find(({ name }: Json) => name === 'developer');
    expect(developer).toMatchObject({ price: 49, credits: 10e6, perSecond: 50, scope: 'key', keys: 5 });
    for (const { price, priceXrp } of [...packages.packages, developer]) {
      expect(priceXrp).toMatch(/^\d+(\.\d{1,4})?$/);
      expect(Number(priceXrp) - price * RATE).toBeGreaterThanOrEqual(-1e-9);
      expect(Number(priceXrp) - price * RATE).toBeLessThan(0.0001);
    }
    expect(tiers.tiers.map(({ price }: Json) => price)).toEqual([null, 0, 49, null, 499, 999, null]);
  });
});

describe('a purchase in XRP', () => {
  test('is an invoice of 30 minutes; the payment adds the credits, and everything shows it', async () => {
    const wallet = addressOf('ann');
    const { body } = await post('/keys/purchase', { wallet, type: 'credits', package: 'standard' });
    const { payment, invoiceId } = body;
    expect(body).toMatchObject({ success: true, type: 'credits', credits: 5e6, price: 20, expiresIn: 1800 });
    expect(payment).toMatchObject({ destination: shop.merchant.address, amount: '8.642', drops: '8642000' });
    expect(payment.uri).toBe(`ripple:${shop.merchant.address}?amount=8.642&dt=${payment.destinationTag}`);
    const standing = async () => (await get(`/keys/purchase/${invoiceId}`)).body;
    expect(await standing()).toMatchObject({ status: 'created', payment: { ...payment, received: '0' } });
    const { body: unpaid } = await get(`/keys/invoices/${invoiceId}`, 'ann');
    expect(unpaid.invoice).toMatchObject({ status: 'created', number: 1, amount: '8.642', received: '0' });
    const hash = shop.submit('bob', payment.destinationTag, { Amount: payment.drops });
    expect((await get(`/keys/xrp/status/${hash}`)).status).toBe(404);
    await shop.close();
    const { body: status } = await get(`/keys/xrp/status/${hash}`);
    expect(status).toMatchObject({
      status: 'applied',
      applied: true,
      amount: '8.642',
      from: addressOf('bob'),
    });
    for (let i = 0; i < 2; i++)
      expect((await post('/keys/verify-payment', { txHash: hash.toLowerCase() })).body).toMatchObject({
        success: true,
        creditsAdded: 5e6,
        // With those of the free tier, which it has from its first key on.
        newBalance: 6e6,
        invoiceId,
      });
    expect(await standing()).toMatchObject({ status: 'applied', payment: { received: '8.642' } });
    expect((await get('/keys/purchase/none')).status).toBe(404);
    for (const id of [invoiceId, hash])
      expect((await get(`/keys/invoices/${id}`, 'ann')).body.invoice).toMatchObject({
        status: 'applied',
        number: 1,
        paidBy: hash,
        seller: { address: shop.merchant.address },
      });
    expect((await get(`/keys/payment/${hash}`, 'ann')).body).toMatchObject({
      payment: { txHash: hash, status: 'applied' },
      invoice: { id: invoiceId },
    });
    const { body: list } = await get(`/keys/payments/${wallet}`, 'ann');
    expect([list.total, list.payments.length, list.payments[0].txHash]).toEqual([1, 1, hash]);
  });

  test('belongs to its wallet: others are refused', async () => {
    const wallet = addressOf('ann');
    const { body } = await get(`/keys/payments/${wallet}`, 'ann');
    const [{ txHash, invoiceId }] = body.payments;
    expect((await get(`/keys/payments/${wallet}`, 'bob')).status).toBe(403);
    expect((await get(`/keys/payments/${wallet}`)).status).toBe(401);
    expect((await get(`/keys/payment/${txHash}`, 'bob')).status).toBe(404);
    expect((await get(`/keys/invoices/${invoiceId}`, 'bob')).status).toBe(404);
  });

  test('that is short is answered 402 with what is missing; what bought nothing 409 with the reason', async () => {
    const { body } = await post('/keys/purchase', {
      wallet: addressOf('cid'),
      type: 'credits',
      package: 'starter',
    });
    const { destinationTag } = body.payment;
    const short = await shop.pay('cid', destinationTag, { Amount: '2000000' });
    expect(await post('/keys/verify-payment', { txHash: short!.txHash })).toMatchObject({
      status: 402,
      body: { code: 'payment_required', missing: '0.1605', status: 'short' },
    });
    shop.ahead = 31 * 60; // the invoice has expired
    expect((await post('/keys/verify-payment', { txHash: short!.txHash })).status).toBe(409);
    shop.ahead = 0;
    expect((await shop.pay('cid', destinationTag, { Amount: '160500' }))?.outcome).toBe('applied');
    expect((await post('/keys/verify-payment', { txHash: short!.txHash })).body.creditsAdded).toBe(1e6);
    for (const [tag, status] of [
      [destinationTag, 'already_paid'],
      [1, 'unknown_tag'],
      [undefined, 'no_tag'],
    ] as const) {
      const payment = await shop.pay('cid', tag);
      expect(await post('/keys/verify-payment', { txHash: payment!.txHash })).toMatchObject({
        status: 409,
        body: { status, code: 'conflict' },
      });
    }
  });

  test('of a tier begins its term; the same again makes it longer; it ends', async () => {
    const wallet = addressOf('dee');
    const buy = async () => {
      const { body } = await post('/keys/purchase', {
        wallet,
        type: 'tier',
        tier: 'business',
        billing: 'yearly',
      });
      expect(body).toMatchObject({ tier: 'business', billing: 'yearly', price: 12 * 499 });
      await shop.pay('dee', body.payment.destinationTag, { Amount: body.payment.drops });
    };
    const subscription = async () => (await get(`/keys/${wallet}/subscription`, 'dee')).body;
    expect((await subscription()).subscription).toMatchObject({ tier: 'free', billing: null, terms: [] });
    await buy();
    await shop.customers.credits.open(wallet, shop.now);
    const first = await subscription();
    const { start, end } = first.billingCycle;
    expect(end - start).toBe(365 * DAY);
    expect(first.subscription).toMatchObject({ tier: 'business', billing: 'yearly' });
    expect(first).toMatchObject({ partnerRequest: null, billingCycle: { daysRemaining: 365 } });
    await buy();
    expect((await subscription()).billingCycle).toMatchObject({ start, end: end + 365 * DAY });
    const { time } = shop.rig;
    shop.isPresent = false;
    shop.rig.time += (2 * 365 * DAY) / 1000;
    expect((await subscription()).subscription).toMatchObject({ tier: 'free', terms: [] });
    shop.rig.time = time;
    shop.isPresent = true;
  });

  test.each<[string, Json]>([
    ['no wallet', { type: 'credits', package: 'starter' }],
    ['a wallet that is none', { wallet: 'rNobody', type: 'credits', package: 'starter' }],
    ['an unknown package', { type: 'credits', package: 'constructor' }],
    ['no package', { type: 'credits' }],
    ['a tier that is not sold', { type: 'tier', tier: 'partner' }],
    ['no type', { package: 'starter' }],
  ])('with %s is refused', async (name, body) => {
    const wallet = name === 'no wallet' ? {} : { wallet: addressOf('ann') };
    expect((await post('/keys/purchase', { ...wallet, ...body })).status).toBe(400);
  });

  test('a hash that is none is refused', async () => {
    for (const txHash of ['', 'x', 'F'.repeat(63), `${'F'.repeat(63)}G`])
      expect((await post('/keys/verify-payment', { txHash })).status).toBe(400);
    expect((await post('/keys/verify-payment', { txHash: 'F'.repeat(64) })).status).toBe(404);
  });
});

describe('a purchase by card', () => {
  const buy = async (name: string, body: Json = { type: 'credits', package: 'bulk' }) =>
    (await post('/keys/card/checkout', { wallet: addressOf(name), ...body })).body;
  const status = (session: string, name: string) =>
    get(`/keys/card/status/${session}?wallet=${addressOf(name)}`);
  const bought = (name: string) => shop.plans.of(addressOf(name)).purchasedCredits;
  const deliver = (session: string, type = 'checkout.session.completed', at = shop.now) => {
    const { body, headers } = standIn.event(session, type, at);
    return ask('POST', '/keys/card/webhook', { body, headers });
  };

  test('is paid on a page of the processor, whose message adds the credits once', async () => {
    const before = bought('bob');
    const { checkoutUrl, sessionId } = await buy('bob');
    expect(checkoutUrl).toContain(sessionId);
    expect((await status(sessionId, 'bob')).body).toMatchObject({ status: 'unpaid', balance: 1e6 + before });
    expect((await status(sessionId, 'ann')).status).toBe(404);
    expect((await get(`/keys/card/status/${sessionId}`)).status).toBe(400);
    standIn.pay(sessionId);
    for (let i = 0; i < 3; i++) expect((await deliver(sessionId)).status).toBe(200);
    expect((await status(sessionId, 'bob')).body).toMatchObject({ status: 'complete', credits: 25e6 });
    expect(bought('bob')).toBe(before + 25e6);
  });

  test('counts where the message is lost: the status asks, and a message afterwards adds nothing', async () => {
    const before = bought('bob');
    const { sessionId } = await buy('bob');
    standIn.pay(sessionId);
    const asked = await Promise.all([status(sessionId, 'bob'), status(sessionId, 'bob'), deliver(sessionId)]);
    expect(asked.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await deliver(sessionId)).status).toBe(200);
    expect(bought('bob')).toBe(before + 25e6);
  });

  const refund = async (session: string, refunded = true) => {
    const object = { object: 'charge', payment_intent: `pi_${session}`, amount: 7500, refunded };
    const body = JSON.stringify({ type: 'charge.refunded', data: { object } });
    const headers = standIn.signed(body, shop.now, WEBHOOK_SECRET);
    return (await ask('POST', '/keys/card/webhook', { body, headers })).status;
  };

  test('is taken back once where the money goes back, and no message brings it again', async () => {
    const before = bought('bob');
    const { sessionId } = await buy('bob');
    standIn.pay(sessionId);
    await deliver(sessionId);
    expect(bought('bob')).toBe(before + 25e6);
    // Of a part: what it was for stays.
    expect([await refund(sessionId, false), bought('bob')]).toEqual([200, before + 25e6]);
    for (let times = 0; times < 2; times++)
      expect([await refund(sessionId), bought('bob')]).toEqual([200, before]);
    expect((await deliver(sessionId)).status).toBe(200);
    expect((await status(sessionId, 'bob')).body.status).toBe('refunded');
    expect(bought('bob')).toBe(before);
  });

  test('gives nothing where the message of the refund comes first, also over a restart', async () => {
    const before = bought('bob');
    const [told, asked, other] = [await buy('bob'), await buy('bob'), await buy('bob')];
    for (const { sessionId } of [told, asked, other]) standIn.pay(sessionId);
    expect([await refund(told.sessionId), await refund(told.sessionId)]).toEqual([200, 200]);
    expect(await refund(asked.sessionId)).toBe(200);
    await shop.restart();
    open();
    for (let times = 0; times < 2; times++) expect((await deliver(told.sessionId)).status).toBe(200);
    for (const { sessionId } of [told, asked])
      expect((await status(sessionId, 'bob')).body.status).toBe('refunded');
    expect(bought('bob')).toBe(before);
    expect((await deliver(other.sessionId)).status).toBe(200);
    expect(bought('bob')).toBe(before + 25e6);
  });

  test('for less than the price, or of nobody, adds nothing', async () => {
    const before = bought('bob');
    const { sessionId } = await buy('bob');
    standIn.pay(sessionId);
    standIn.sessions.get(sessionId)!.amount_total = 7499;
    expect((await deliver(sessionId)).status).toBe(200);
    expect((await status(sessionId, 'bob')).body.status).toBe('unpaid');
    expect(bought('bob')).toBe(before);
  });

  test('messages that are forged or old are refused, and change nothing', async () => {
    const before = bought('bob');
    const { sessionId } = await buy('bob');
    standIn.pay(sessionId);
    expect((await deliver(sessionId, undefined, shop.now - 400_000)).status).toBe(400);
    const { body, headers } = standIn.event(sessionId, 'checkout.session.completed', shop.now, 'whsec_other');
    expect((await ask('POST', '/keys/card/webhook', { body, headers })).status).toBe(400);
    expect((await ask('POST', '/keys/card/webhook', { body })).status).toBe(400);
    expect((await ask('POST', '/keys/card/webhook', { body: 'x'.repeat(300_000) })).status).toBe(413);
    expect(bought('bob')).toBe(before);
  });

  test('of a processor that does not answer: 503, and no invoice', async () => {
    standIn.next = new Response('<html>');
    const answer = await post('/keys/card/checkout', {
      wallet: addressOf('bob'),
      type: 'tier',
      tier: 'developer',
    });
    expect(answer).toMatchObject({ status: 503, body: { error: expect.stringContaining('stripe') } });
  });
});

describe('the partner tier', () => {
  const ask403 = { creditUrl: 'https://wallet.example/about', contact: 'me@wallet.example' };
  const path = () => `/keys/${addressOf('ann')}/partner-request`;

  test('is asked for with a key that names a project and has been used; a person decides', async () => {
    expect((await post(path(), ask403, 'ann')).status).toBe(403);
    const project = {
      name: 'Wallet',
      url: 'https://wallet.example',
      category: 'wallet',
      description: 'A wallet',
    };
    const made = makeKey(
      {
        kind: 'user',
        wallet: addressOf('ann'),
        name: 'main',
        project: { ...project, expectedDaily: 'lt1k' },
      },
      shop.now,
    );
    await shop.customers.credits.open(addressOf('ann'), shop.now);
    await shop.customers.keys.add(made, 5);
    expect((await post(path(), ask403, 'ann')).status).toBe(403);
    shop.customers.usage.of(made.id).admitted('/tokens', '/tokens', 10, shop.now);
    for (const creditUrl of ['http://wallet.example', 'javascript:1', 'x', ''])
      expect((await post(path(), { ...ask403, creditUrl }, 'ann')).status).toBe(400);
    expect((await post(path(), ask403, 'ann')).body.partnerRequest).toMatchObject({ status: 'pending' });
    expect((await post(path(), ask403, 'ann')).status).toBe(409);
  });

  test('declined with a reason, it may be asked for again; approved, every key has it', async () => {
    const wallet = addressOf('ann');
    const review = (what: string, body: object, signer?: string) =>
      post(`/keys/partner-requests/${wallet}/${what}`, body, signer);
    const subscription = async () => (await get(`/keys/${wallet}/subscription`, 'ann')).body;
    expect((await get('/keys/partner-requests')).status).toBe(401);
    expect((await get('/keys/partner-requests', 'ann')).status).toBe(403);
    const { body } = await get('/keys/partner-requests', 'boss');
    expect(body.requests).toMatchObject([{ wallet, tier: 'free', contact: ask403.contact }]);
    expect((await review('decline', {}, 'boss')).status).toBe(400);
    expect((await review('decline', { reason: 'No credit there' }, 'ann')).status).toBe(403);
    expect((await review('decline', { reason: 'No credit there' }, 'boss')).status).toBe(200);
    expect((await subscription()).partnerRequest).toMatchObject({
      status: 'declined',
      reason: 'No credit there',
    });
    expect((await review('approve', {}, 'boss')).status).toBe(409);
    expect((await post(path(), ask403, 'ann')).status).toBe(200);
    expect((await review('approve', {}, 'boss')).body).toMatchObject({ tier: 'partner' });
    expect((await review('approve', {}, 'boss')).status).toBe(409);
    expect(shop.customers.credits.of(wallet)!.tier(shop.now)).toBe('partner');
    await shop.restart();
    open();
    expect(await subscription()).toMatchObject({
      subscription: { tier: 'partner' },
      partnerRequest: { status: 'approved', reason: null },
    });
    expect((await post(`/keys/partner-requests/${addressOf('cid')}/approve`, {}, 'boss')).status).toBe(404);
  });

  test('while it lasts it is not asked for; taken back, it may be asked for again', async () => {
    const [key] = shop.customers.keys.list(addressOf('ann'));
    shop.customers.usage.of(key!.id).admitted('/tokens', '/tokens', 10, shop.now);
    expect((await post(path(), ask403, 'ann')).status).toBe(409);
    expect((await post(`/keys/${addressOf('ann')}/tier`, { tier: 'none' }, 'boss')).status).toBe(200);
    expect((await post(path(), ask403, 'ann')).body.partnerRequest).toMatchObject({
      status: 'pending',
      decidedAt: null,
    });
  });
});

describe('what is not configured', () => {
  test('is 503 with the names of the variables', async () => {
    shop.card = undefined;
    await shop.restart();
    open();
    const card = await post('/keys/card/checkout', {
      wallet: addressOf('bob'),
      type: 'tier',
      tier: 'developer',
    });
    expect(card).toMatchObject({ status: 503, body: { code: 'not_configured' } });
    expect(card.body.message).toContain('MILLRACE_STRIPE_KEY');
    shop.isPresent = false;
    expect((await get('/keys/tiers')).body.xrpRate).toBeNull();
    const old = await post('/keys/purchase', { wallet: addressOf('bob'), type: 'tier', tier: 'developer' });
    expect(old).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    shop.isPresent = true;
    expect((await get('/keys/tiers')).body.xrpRate).not.toBeNull();
    shop.engine.market.rates.feed = undefined;
    const unpriced = await post('/keys/purchase', {
      wallet: addressOf('bob'),
      type: 'tier',
      tier: 'developer',
    });
    expect(unpriced).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('MILLRACE_RATE_FEED') },
    });
    expect((await get('/keys/tiers')).body).toMatchObject({ xrpRate: null });
    open({ billing: true });
    expect((await post('/keys/verify-payment', { txHash: 'F'.repeat(64) })).status).toBe(503);
  });
});
