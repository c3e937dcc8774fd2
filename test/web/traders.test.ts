/** The pages of whales, of one trader and of an account in a real browser, against the routes of the same ledger. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { HTTPRequest } from 'puppeteer-core';
import type { Frame } from '../live-rig.ts';
import { violationsOf } from './accessibility.ts';
import { describeInBrowser, type Tab, type TabOptions } from './browser.ts';
import { Market } from './market.ts';

describeInBrowser('the pages of traders and accounts', (browser) => {
  let market: Market;
  beforeAll(async () => {
    market = await Market.start();
  });
  afterAll(() => market?.[Symbol.asyncDispose]());

  const opened = (fragment: string, options: TabOptions = {}): Promise<Tab> =>
    browser().open(`${market.url}/#/${fragment}`, options);
  const short = (address: string) => `${address.slice(0, 6)}…${address.slice(-4)}`;

  test('traders in the order that is chosen, and large trades', async () => {
    await using tab = await opened('whales');
    for (const [place, sort] of ['volume24h', 'totalVolume', 'totalProfit'].entries()) {
      const button = await tab.page.waitForSelector(`.traders .choices button:nth-of-type(${place + 1})`);
      await button!.click();
      const answer = await market.get(
        `/v1/token/analytics/traders?sort=${sort}&order=desc&includeAMM=false&limit=100`,
      );
      await tab.text(new RegExp(`^${answer.pagination.total} traders`), '.traders [role=status]');
      const expected = answer.data.slice(0, 8).map(({ address }: Frame) => short(address));
      await tab.page.waitForFunction(
        `document.querySelector('.traders td.column-name')?.innerText === ${JSON.stringify(expected[0])}`,
      );
      expect((await tab.readAll('.traders td.column-name')).slice(0, 8)).toEqual(expected);
    }
    // Large trades are none of this list where their accounts move no market.
    const { events: before } = await market.get('/v1/whale-activity/feed?minXrp=100000&limit=60');
    expect(before).toEqual([]);
    await tab.go('#/whales?size=100000');
    await tab.text(/None of an account that moved a market with them, in 7 days/);
    await tab.go('#/whales');
    await buyForThousands(market);
    const { events } = await market.get('/v1/whale-activity/feed?minXrp=1000&limit=60');
    expect(events).not.toEqual([]);
    await tab.page.waitForSelector(`[aria-label="Large trades"] a[href="#/tx/${events[0].hash}"]`);
    expect(await tab.readAll('[aria-label="Large trades"] tbody tr')).toHaveLength(events.length);
    expect(await tab.readAll('[aria-label="Large trades"] td.column-account')).toEqual(
      events.map(({ account }: Frame) => short(account)),
    );
    await tab.picture('whales-wide');
    expect(tab.problems).toEqual([]);
  });

  test('a trader’s figures and positions are those of the routes', async () => {
    const { data } = await market.get(
      '/v1/token/analytics/traders?sort=totalTrades&includeAMM=false&limit=1',
    );
    const { address } = data[0];
    await using tab = await opened(`trader/${address}`);
    const totals = await market.get(`/v1/traders/${address}`);
    const { tokens } = await market.get(`/v1/token/analytics/trader/${address}/tokens?sort=volume&limit=100`);
    await tab.text(new RegExp(tokens[0].name), '[aria-label="Positions"] tbody');
    expect(await tab.readAll('[aria-label="Positions"] td.column-token')).toEqual(
      tokens.map(({ name }: Frame) => name),
    );
    expect(await tab.read('.trader .figures')).toContain(
      `Trades ${totals.totalTrades.toLocaleString('en-US')}`,
    );
    await tab.picture('trader-wide');
    expect(tab.problems).toEqual([]);
  });

  test('amounts are in the currency that was chosen before, on pages that are opened by themselves', async () => {
    const { data } = await market.get(
      '/v1/token/analytics/traders?sort=totalTrades&includeAMM=false&limit=1',
    );
    for (const [fragment, selector] of [
      [`trader/${data[0].address}`, '.trader .figures'],
      [`account/${data[0].address}`, '.account-page .card-title .quiet'],
      ['whales', '.traders td.column-volume24h'],
      ['pools', 'td.column-liquidity'],
      ['platforms', '.platforms .figures'],
    ] as const) {
      await using tab = await browser().open('about:blank');
      await tab.page.evaluateOnNewDocument(
        "try { localStorage.setItem('millrace.currency', 'EUR') } catch {}",
      );
      tab.expect(/another origin/);
      await tab.page.goto(`${market.url}/#/${fragment}`);
      await tab.page.waitForSelector(selector);
      await tab.settled();
      expect(await tab.text(/\d/, selector, 5_000), fragment).not.toMatch(/– €|^–/);
      expect(tab.problems).toEqual([]);
    }
  });

  test('the days of a trader stand where they were, with room for those without a trade', async () => {
    const { data } = await market.get('/v1/token/analytics/traders?includeAMM=false&limit=1');
    const path = `/v1/token/analytics/trader/${data[0].address}/history`;
    const answer = await market.get(`${path}?limit=30`);
    const [today] = answer.history;
    const before = new Date(answer.endDate - 10 * 86_400_000).toISOString().slice(0, 10);
    const body = JSON.stringify({ ...answer, history: [today, { ...today, date: before }] });
    await using tab = await browser().open('about:blank', { allowed: [market.url] });
    await tab.page.setRequestInterception(true);
    tab.page.on('request', (request: HTTPRequest) =>
      request.url().includes(path)
        ? void request.respond({ contentType: 'application/json', body })
        : void request.continue(),
    );
    await tab.page.goto(`${market.url}/#/trader/${data[0].address}`);
    await tab.page.waitForSelector('.bars rect');
    // The room of 30 days is 600 wide.
    expect(
      await tab.evaluate("[...document.querySelectorAll('.bars rect')].map((bar) => bar.x.baseVal.value)"),
    ).toEqual([380, 580]);
    expect(tab.problems).toEqual([]);
  });

  test('says why where an address is none', async () => {
    await using tab = await opened('trader/nobody');
    tab.expect(/status 40/);
    await tab.text(/./, '.failure');
  });

  for (const [name, width, dark] of [
    ['phone', 390, true],
    ['desk', 1440, false],
  ] as const)
    test(`accessible and in its place on a ${name} screen`, async () => {
      await using tab = await opened('whales', { width, dark });
      await tab.text(/\d/, '.traders td.number');
      expect(await tab.overflow()).toBe(0);
      expect(await violationsOf(tab)).toEqual([]);
      await tab.picture(`whales-${name}`);
      const { data } = await market.get('/v1/token/analytics/traders?includeAMM=false&limit=1');
      await tab.go(`#/trader/${data[0].address}`);
      await tab.text(/\d/, '[aria-label="Positions"] td.number');
      expect(await tab.overflow()).toBe(0);
      expect(await violationsOf(tab)).toEqual([]);
      await tab.picture(`trader-${name}`);
    });

  test('an account is what the routes say, also on a phone', async () => {
    const { data } = await market.get(
      '/v1/token/analytics/traders?sort=totalTrades&includeAMM=false&limit=1',
    );
    const { address } = data[0];
    await using tab = await browser().open(`${market.url}/#/account/${address}`);
    const { lines } = await market.get(`/v1/trustlines/${address}?sort_by_value=true&limit=100`);
    const { txs } = await market.get(`/v1/account/tx/${address}?limit=50`);
    const { offers } = await market.get(`/v1/account/offers/${address}?limit=50`);
    await tab.page.waitForSelector(`[aria-label="Transactions"] a[href="#/tx/${txs[0].hash}"]`);
    if (lines.length > 0) await tab.text(new RegExp(lines[0].name), '[aria-label="Tokens"] tbody');
    expect(await tab.readAll('[aria-label="Tokens"] td.column-token')).toEqual(
      lines.map(({ name }: Frame) => name),
    );
    expect(await tab.readAll('[aria-label="Offers"] td.column-gives')).toHaveLength(offers.length);
    expect(await tab.readAll('[aria-label="Transactions"] td.column-words')).toHaveLength(txs.length);
    const { sequence } = await market.get(`/v1/account/balance/${address}`);
    expect(await tab.read('.account-page .figures')).toContain(sequence.toLocaleString('en-US'));
    await tab.picture('account-wide');
    await tab.page.setViewport({ width: 390, height: 900 });
    expect(await tab.overflow()).toBe(0);
    expect(await violationsOf(tab)).toEqual([]);
    await tab.picture('account-phone');
    expect(tab.problems).toEqual([]);
  });

  test('an account shows each new transaction by itself, also one of while the service was away', async () => {
    const { address, seed } = await market.fund();
    await market.close(1, { agents: false });
    await using tab = await browser().open(`${market.url}/#/account/${address}`);
    await tab.page.waitForSelector('[data-stream="live"]');
    const transact = async () => {
      const hash = await market.submit(seed, { TransactionType: 'AccountSet', Account: address });
      await market.close(1, { agents: false });
      return hash;
    };
    const shown = (hash: string) =>
      tab.page.waitForSelector(`[aria-label="Transactions"] a[href="#/tx/${hash}"]`);
    await shown(await transact());
    await market.stopService();
    const missed = await transact();
    await market.startService();
    await shown(missed);
  });
});

/**
 * One trade worth 2,000 XRP, which the agents of a small population never do; and a bid of 40 XRP, so that it is more than
 * the market is deep.
 */
async function buyForThousands(market: Market): Promise<void> {
  const [issuer, buyer] = [await market.fund(1_000), await market.fund(9_000)];
  await market.close();
  const amount = { currency: 'BIG', issuer: issuer.address, value: '500' };
  await market.submit(issuer.seed, {
    TransactionType: 'OfferCreate',
    Account: issuer.address,
    TakerGets: amount,
    TakerPays: '2000000000',
  });
  await market.close();
  for (const [TakerGets, value] of [
    ['2000000000', '500'],
    ['40000000', '10'],
  ] as const) {
    await market.submit(buyer.seed, {
      TransactionType: 'OfferCreate',
      Account: buyer.address,
      TakerGets,
      TakerPays: { ...amount, value },
    });
    await market.close();
  }
}
