/** The list of tokens in a real browser: the numbers of the routes, sorted, filtered, searched and moving. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Frame } from '../live-rig.ts';
import { violationsOf } from './accessibility.ts';
import { describeInBrowser, type Tab } from './browser.ts';
import { Market } from './market.ts';

describeInBrowser('the page of tokens', (browser) => {
  let market: Market;
  beforeAll(async () => {
    market = await Market.start();
  });
  afterAll(() => market?.[Symbol.asyncDispose]());

  const opened = async (fragment = '', options = {}): Promise<Tab> => {
    const tab = await browser().open(market.url + fragment, options);
    await tab.text(/[1-9]\d* tokens/);
    return tab;
  };
  const names = (tab: Tab) => tab.readAll('.column-name .token-texts bdi:first-child');
  /** There is always one. */
  const tokens = async (query: string): Promise<[Frame, ...Frame[]]> =>
    (await market.get(`/v1/tokens?limit=100&${query}`)).tokens;

  test('shows what the route answers of the same ledger', async () => {
    await using tab = await opened();
    const expected = await tokens('');
    await tab.text(new RegExp(expected[0].name));
    expect((await names(tab)).slice(0, 10)).toEqual(expected.slice(0, 10).map(({ name }) => name));
    const holders = await tab.readAll('td.column-holders');
    expect(holders.slice(0, 10)).toEqual(expected.slice(0, 10).map((row) => String(row.holders ?? '–')));
    expect((await tab.read('td.column-price'))!.replace(/,/g, '')).toBe(rounded(expected[0].exch));
    expect(tab.problems).toEqual([]);
    await tab.picture('tokens-wide');
  });

  test('a click on a header sorts, a second one turns the order', async () => {
    await using tab = await opened();
    for (const order of ['desc', 'asc']) {
      await tab.page.click('th.column-holders button');
      const expected = await tokens(`sort=holders&order=${order}`);
      const first = expected[0].holders;
      await tab.text(new RegExp(`^${first}$`), 'td.column-holders');
      expect((await names(tab)).slice(0, 5)).toEqual(expected.slice(0, 5).map(({ name }) => name));
    }
    expect(await tab.read('th[aria-sort="ascending"]')).toContain('Holders');
    expect(tab.problems).toEqual([]);
  });

  test('rows move with the ledger, without being asked for', async () => {
    await using tab = await opened();
    const [token] = await tokens('');
    const before = tab.requests.filter((url) => url.includes('/v1/tokens?')).length;
    const cell = 'td.column-volume';
    for (let closed = 0; closed < 4; closed++) {
      await market.close();
      const row = (await tokens('')).find(({ md5 }) => md5 === token.md5)!;
      await tab.text(new RegExp(`^${written(row.vol24hxrp)}$`), cell);
    }
    const asked = tab.requests.filter((url) => url.includes('/v1/tokens?')).length - before;
    // The figures of the market and the order, each once in five ledgers.
    expect(asked).toBeLessThanOrEqual(4);
    expect(tab.requests.filter((url) => url.startsWith('ws:'))).toHaveLength(2);
    expect(tab.problems).toEqual([]);
  });

  test('filters are in the address, and say when nothing is like them', async () => {
    await using tab = await opened();
    const [first] = await tokens('');
    await tab.page.type('.filters input', first.name.toLowerCase());
    await tab.page.waitForFunction(`location.hash.includes("filter=${first.name.toLowerCase()}")`);
    await tab.text(/^1$/, 'td.column-rank');
    await tab.page.type('.filters input', 'zzzz');
    await tab.text(/No token is like that/);
    expect(tab.problems).toEqual([]);
  });

  test('search forgives a typo, and opens what is chosen by keyboard', async () => {
    await using tab = await opened();
    const longest = (await tokens('')).reduce((a, b) => (b.name.length > a.name.length ? b : a));
    const typo = longest.name.slice(0, 3) + longest.name.slice(4);
    await tab.page.type('.search input', typo);
    await tab.text(new RegExp(longest.name), '#found');
    const found = await tab.readAll('#found [role="option"] bdi:first-child');
    for (let at = 0; at < found.indexOf(longest.name); at++) await tab.page.keyboard.press('ArrowDown');
    await tab.page.keyboard.press('Enter');
    expect(await tab.evaluate<string>('location.hash')).toBe(`#/token/${longest.md5}`);
  });

  for (const [name, width, dark] of [
    ['phone', 390, true],
    ['wide', 1920, false],
  ] as const)
    test(`is accessible and in its place on a ${name} screen`, async () => {
      await using tab = await opened('', { width, dark });
      await tab.text(/\d/, 'td.column-price');
      expect(await tab.overflow()).toBe(0);
      expect(await violationsOf(tab)).toEqual([]);
      await tab.picture(`tokens-${name}`);
      expect(tab.problems).toEqual([]);
    });
});

/** As the page writes a price of 0.001 to 1000: five digits. Written here by itself. */
const rounded = (price: string): string => String(Number(Number(price).toPrecision(5)));

/** As the page writes an amount under a million. */
const written = (amount: number): string =>
  amount >= 100 ? Math.round(amount).toLocaleString('en-US') : String(Number(amount.toPrecision(4)));
