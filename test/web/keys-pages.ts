/** The pages of keys in a real browser: an invoice is paid, a wallet that signs sees its keys, the admin reviews a request. */
import { beforeAll, expect, test } from 'bun:test';
import type { HTTPRequest } from 'puppeteer-core';
import { sign } from 'ripple-keypairs';
import { Wallet } from 'xrpl';
import { until } from '../live-rig.ts';
import { violationsOf } from './accessibility.ts';
import type { Tab, TestBrowser } from './browser.ts';
import type { Market } from './market.ts';
import { textOf } from './qr-reader.ts';

/** To which invoices are paid. */
export const MERCHANT = Wallet.generate().classicAddress;

/** @param market whose service takes payments to MERCHANT */
export function keysPages(browser: () => TestBrowser, running: () => Market): void {
  let market: Market;
  let payer: { address: string; seed: string };
  const wallet = Wallet.generate();
  const address = wallet.classicAddress;

  beforeAll(async () => {
    market = running();
    payer = await market.fund(9_000);
    await market.close();
    await market.submit(payer.seed, {
      TransactionType: 'Payment',
      Account: payer.address,
      Destination: MERCHANT,
      Amount: '50000000',
    });
    await market.close();
  });

  const type = async (tab: Tab, label: string, text: string) => {
    const input = await tab.page.waitForSelector(`aria/${label}`);
    await input!.click({ count: 3 });
    await input!.type(text);
  };
  const press = async (tab: Tab, name: string) =>
    (await tab.page.waitForSelector(`aria/${name}[role="button"]`))!.click();

  /** Signs what the page shows, as a wallet does, and hands it in. */
  async function signFor(tab: Tab, action: string): Promise<void> {
    const text = await tab.text(/^r\w+:\d{13}$/, '.to-sign');
    await type(tab, 'Signature, in hex digits', sign(Buffer.from(text).toString('hex'), wallet.privateKey));
    await press(tab, action);
  }

  async function signIn(tab: Tab): Promise<void> {
    await type(tab, 'Wallet', address);
    await type(tab, 'Public key, in hex digits', wallet.publicKey);
    await signFor(tab, 'Show my keys');
  }

  test('an invoice shows what to pay, as text, link and QR code, and that it was paid', async () => {
    await using tab = await browser().open(`${market.url}/#/keys`);
    await tab.settled();
    const { packages } = await market.get('/v1/keys/packages');
    const { tiers } = await market.get('/v1/keys/tiers');
    const rows = await tab.readAll('[aria-label="Tiers"] tbody tr');
    expect(rows).toHaveLength(tiers.length);
    expect(rows.find((row) => row.startsWith('business'))).toContain('499');
    expect(await tab.readAll('.keys-form select option')).toHaveLength(packages.length + 3);
    await press(tab, 'Make an invoice');
    await tab.text(/not an r-address/);
    await type(tab, 'For the wallet', address);
    await press(tab, 'Make an invoice');
    await tab.text(/Waiting for the payment/);
    const id = await tab.evaluate<string>("location.hash.split('/').at(-1)");
    const { payment } = await market.get(`/v1/keys/purchase/${id}`);
    const shown = await tab.read('.invoice .facts');
    for (const part of [
      `${payment.amount} XRP`,
      payment.destination,
      String(payment.destinationTag),
      '1,000,000 credits',
    ])
      expect(shown).toContain(part);
    expect(await tab.evaluate<string>("document.querySelector('.invoice a').href")).toBe(payment.uri);
    const path = await tab.evaluate<string>("document.querySelector('.qr path').getAttribute('d')");
    const size = (await tab.evaluate<number>("document.querySelector('.qr').viewBox.baseVal.width")) - 8;
    const dark = new Set(
      [...path.matchAll(/M(\d+) (\d+)/g)].map(([, x, y]) => `${Number(x) - 4} ${Number(y) - 4}`),
    );
    const code = Array.from({ length: size }, (_, y) =>
      Array.from({ length: size }, (_, x) => dark.has(`${x} ${y}`)),
    );
    expect(textOf(code)).toBe(payment.uri);
    expect(await violationsOf(tab)).toEqual([]);
    await tab.picture('invoice');
    await market.submit(payer.seed, {
      TransactionType: 'Payment',
      Account: payer.address,
      Destination: payment.destination,
      DestinationTag: payment.destinationTag,
      Amount: payment.drops,
    });
    // A payment is written down after its ledger is announced, so the page may see it with the ledger after that.
    await until(async () => {
      await market.close(1, { agents: false });
      await Bun.sleep(600);
      return /Paid: what was bought is there/.test((await tab.read('body')) ?? '');
    }, 'that it was paid');
    expect(await tab.read('.qr')).toBeUndefined();
    expect(tab.problems).toEqual([]);
  });

  test('a payment by card is followed until it is paid', async () => {
    await using tab = await browser().open('about:blank', { allowed: [market.url] });
    let status = 'unpaid';
    await tab.page.setRequestInterception(true);
    tab.page.on('request', (request: HTTPRequest) =>
      request.url().includes('/keys/card/status/cs_test_1')
        ? void request.respond({ contentType: 'application/json', body: JSON.stringify({ status }) })
        : void request.continue(),
    );
    await tab.page.goto(`${market.url}/#/keys/card/cs_test_1?wallet=${address}`);
    await tab.text(/Not paid yet/, 'main');
    status = 'complete';
    await until(async () => {
      await market.close(1, { agents: false });
      return /Paid: what was bought is there/.test((await tab.read('main')) ?? '');
    }, 'that it was paid');
    expect(tab.problems).toEqual([]);
  });

  test('a wallet that signs makes a key and revokes it, and sees what it has bought', async () => {
    await using tab = await browser().open('about:blank', { dark: true, allowed: [market.url] });
    // What it signs is judged by the clock of the service.
    await tab.page.evaluateOnNewDocument('{ const { now } = Date; Date.now = () => now() - 3_600_000; }');
    await tab.page.goto(`${market.url}/#/keys`);
    // It has no key yet: 404.
    tab.expect(/404/);
    await signIn(tab);
    await tab.text(/This wallet has no key yet/);
    expect(await tab.read('.keys-account .facts')).toContain('Credits left 2,000,000');
    await press(tab, 'Make a key');
    await signFor(tab, 'Sign for it');
    const secret = await tab.text(/^xrpl_[0-9a-f]{48}$/, '.secret');
    await tab.text(/xrpl_[0-9a-f]{6}… .*active/, '[aria-label="Keys"] tbody tr');
    expect((await fetch(`${market.url}/v1/stats`, { headers: { 'X-Api-Key': secret } })).status).toBe(200);
    await press(tab, `Revoke ${secret.slice(0, 11)}`);
    await signFor(tab, 'Sign for it');
    await tab.text(/revoked/, '[aria-label="Keys"] tbody tr');
    expect(await tab.readAll('[aria-label="Payments"] tbody tr')).toEqual([
      expect.stringContaining('applied'),
    ]);
    expect(await violationsOf(tab)).toEqual([]);
    await tab.picture('keys');
  });

  test('the admin page asks for a key, and shows what is wrong with another', async () => {
    await using tab = await browser().open(`${market.url}/#/admin`);
    await tab.settled();
    const rows = await tab.readAll('[aria-label="Requests a minute"] tbody tr');
    expect(rows.find((row) => row.startsWith('/tokens '))).toBe('/tokens 5 20 60 100 200 300 any');
    expect(rows.find((row) => row.startsWith('/account/path-find'))).toContain('(an address) 5 5 5 5 5 5 5');
    expect(await violationsOf(tab)).toEqual([]);
    await tab.picture('admin');
    tab.expect(/401/);
    await type(tab, 'Admin key', 'xrpl_wrong');
    await press(tab, 'Show the requests');
    await tab.text(/This needs the admin/);
  });
}
