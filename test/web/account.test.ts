/** The page of an account in a real browser, against the routes of the same ledger. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Frame } from '../live-rig.ts';
import { violationsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';
import { Market } from './market.ts';

describeInBrowser('the page of an account', (browser) => {
  let market: Market;
  beforeAll(async () => {
    market = await Market.start();
  });
  afterAll(() => market?.[Symbol.asyncDispose]());

  test('shows what the routes say, also on a phone', async () => {
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

  test('shows each new transaction by itself, also one of while the service was away', async () => {
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
