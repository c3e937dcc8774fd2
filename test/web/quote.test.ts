/** The page of quotes in a real browser: it shows what the route answers, and the transaction it offers does that. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { HTTPRequest } from 'puppeteer-core';
import type { Frame } from '../live-rig.ts';
import { describeInBrowser, type Tab } from './browser.ts';
import { Market } from './market.ts';

describeInBrowser('the page of quotes', (browser) => {
  let market: Market;
  let token: Frame;
  let payer: { address: string; seed: string };
  beforeAll(async () => {
    market = await Market.start();
    [token] = (await market.get('/v1/tokens?limit=1&sort=tvl')).tokens;
    payer = await market.fund(9_000);
    await market.close();
    const limit = { currency: token.currency, issuer: token.issuer, value: '1000000000' };
    await market.submit(payer.seed, {
      TransactionType: 'TrustSet',
      Account: payer.address,
      LimitAmount: limit,
    });
    await market.close();
  });
  afterAll(() => market?.[Symbol.asyncDispose]());

  const opened = (query: string): Promise<Tab> => browser().open(`${market.url}/#/quote?${query}`);
  const quoted = async (body: object): Promise<Frame> => {
    const response = await fetch(`${market.url}/v1/dex/quote`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ source_account: payer.address, destination_token: token.md5, ...body }),
    });
    return (await response.json()) as Frame;
  };
  const transaction = async (tab: Tab): Promise<Frame> => {
    const href = await tab.evaluate<string>('document.querySelector("a[download]").href');
    return JSON.parse(decodeURIComponent(href.slice(href.indexOf(',') + 1)));
  };
  const delivered = async (hash: string): Promise<string> => {
    const { meta } = await market.get(`/v1/tx/${hash}`);
    return meta.delivered_amount.value;
  };

  test('follows the ledgers, and names what the route answers', async () => {
    await using tab = await opened(`to=${token.md5}&amount=500`);
    for (let closed = 0; closed < 3; closed++) {
      const { quote } = await quoted({ source_value: '500' });
      const exact = Number(quote.destination_amount.value);
      await tab.page.waitForFunction(
        `Number(document.querySelector('.quote-amount')?.title.replaceAll(',', '')) === ${exact}`,
      );
      expect(await tab.read('.quote-terms')).toContain(quote.price_impact.percent);
      await market.close();
    }
    await tab.text(/100 ×/, '[aria-label="Depth"]');
    await tab.picture('quote-wide');
    expect(tab.requests.filter((url) => url.startsWith('ws:'))).toHaveLength(2);
    expect(tab.problems).toEqual([]);
  });

  test('sizes follow the ledgers, and are asked for again where the service was busy', async () => {
    // Seven decimals are no XRP: a tenth of it is rounded.
    await using tab = await browser().open('about:blank', { allowed: [market.url] });
    tab.expect(/503|Failed to load/);
    let isBusy = true;
    await tab.page.setRequestInterception(true);
    tab.page.on('request', (request: HTTPRequest) => {
      if (!isBusy || !request.url().endsWith('/v1/dex/quote')) return void request.continue();
      return void request.respond({ status: 503, contentType: 'application/json', body: '{"error":"busy"}' });
    });
    await tab.page.goto(`${market.url}/#/quote?to=${token.md5}&amount=300.123456`);
    await tab.text(/busy/, '[aria-label="Sizes"]');
    isBusy = false;
    await market.close();
    const { quote } = await quoted({ source_value: '300.123456' });
    const received = Math.round(quote.destination_amount.value).toLocaleString('en-US');
    await tab.text(new RegExp(`^1 × 300 ${received} `), '[aria-label="Depth"] tbody tr:nth-child(2)', 20_000);
    expect(await tab.read('[aria-label="Sizes"] .failure')).toBeUndefined();
    expect(await tab.read('[aria-label="Depth"] tbody tr')).toMatch(/^0\.1 × 30\.01 \d/);
    expect(tab.problems).toEqual([]);
  });

  test('the transaction to spend exactly delivers what was quoted', async () => {
    await using tab = await opened(`to=${token.md5}&amount=100&account=${payer.address}`);
    await tab.page.waitForSelector('a[download]');
    const { quote } = await quoted({ source_value: '100' });
    const payment = await transaction(tab);
    expect(payment).toMatchObject({ SendMax: '100000000', DeliverMin: { value: quote.minimum_received } });
    const hash = await market.submit(payer.seed, payment);
    await market.close(1, { agents: false });
    expect(await delivered(hash)).toBe(quote.destination_amount.value);
    expect(tab.problems).toEqual([]);
  });

  test('the transaction to receive exactly delivers that', async () => {
    await using tab = await opened(`to=${token.md5}&amount=50&side=receive&account=${payer.address}`);
    await tab.page.waitForSelector('a[download]');
    const { quote } = await quoted({ destination_value: '50' });
    const payment = await transaction(tab);
    const most = Math.ceil(Number(quote.source_amount.value) * 1.02 * 1e6);
    expect(Math.abs(Number(payment.SendMax) - most)).toBeLessThanOrEqual(1);
    const hash = await market.submit(payer.seed, payment);
    await market.close(1, { agents: false });
    expect(await delivered(hash)).toBe('50');
    expect(tab.problems).toEqual([]);
  });

  test('what is typed is in the address; an amount that is none asks for nothing', async () => {
    await using tab = await opened(`to=${token.md5}&amount=10`);
    await tab.page.waitForSelector('.quote-amount');
    await tab.page.type('.quote-form input', 'x');
    await tab.page.waitForSelector('.quote-form [aria-invalid="true"]');
    await tab.text(/Type an amount above zero/, '.quote-result .failure');
    expect(await tab.evaluate<string>('location.hash')).toContain('amount=10x');
    expect(tab.problems).toEqual([]);
  });

  test.each([
    ['a token that is none', 'to=00000000000000000000000000000000&amount=1', /token not found/],
    ['less than a drop', 'amount=0.0000001', /XRP has six decimals/],
    ['zero', 'amount=0', /Type an amount above zero/],
  ])('says why %s is not quoted', async (_, query, why) => {
    await using tab = await opened(query.startsWith('to=') ? query : `to=${token.md5}&${query}`);
    tab.expect(/404|socket|WebSocket|Failed to load/);
    await tab.text(why, '.quote-result .failure');
    expect(await tab.readAll('.quote-result[aria-busy=true]')).toEqual([]);
    expect(tab.problems).toEqual([]);
  });

  test('says when no way leads there', async () => {
    await using tab = await opened(`from=XRP&to=XRP&amount=1`);
    await tab.text(/Choose two different tokens/);
  });
});
