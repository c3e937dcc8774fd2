/** The list of tokens in a real browser: the numbers of the routes, sorted, filtered, searched and moving. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { HTTPRequest } from 'puppeteer-core';
import { type Frame, until } from '../live-rig.ts';
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
      // The rows of before stay until the answer comes.
      await tab.settled();
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

  test('sparklines that could not be answered for the moment are drawn after the next ledger', async () => {
    await using tab = await browser().open('about:blank');
    let isBusy = true;
    await tab.page.setRequestInterception(true);
    tab.page.on('request', (request) => {
      if (!isBusy || !request.url().includes('/sparkline/')) return void request.continue();
      void request.respond({ status: 503, contentType: 'application/json', body: '{"error":"busy"}' });
    });
    tab.expect(/another origin|503/);
    await tab.page.goto(market.url);
    await until(
      () => tab.requests.filter((url) => url.includes('/sparkline/')).length >= 3,
      'the questions that are asked again at once',
    );
    await tab.settled();
    expect(await tab.evaluate("document.querySelectorAll('.sparkline path').length")).toBe(0);
    isBusy = false;
    await market.close();
    await tab.page.waitForSelector('.sparkline path', { timeout: 20_000 });
    expect(tab.problems).toEqual([]);
  });

  test('filters are in the address, and say when nothing is like them', async () => {
    await using tab = await opened();
    const [first] = await tokens('');
    await tab.page.type('.filters input', first.name.toLowerCase());
    await tab.page.waitForFunction(`location.hash.includes("filter=${first.name.toLowerCase()}")`);
    const expected = await tokens(`filter=${first.name}`);
    await tab.text(new RegExp(`^${expected.length} tokens`), '.filters [role=status]');
    expect(await names(tab)).toEqual(expected.map(({ name }) => name));
    await tab.page.type('.filters input', 'zzzz');
    await tab.text(/No token is like that/);
    expect(tab.problems).toEqual([]);
  });

  test('an empty list says why it is empty, and fills when there is something', async () => {
    await using tab = await opened();
    let isBusy = true;
    await tab.page.setRequestInterception(true);
    tab.page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (!isBusy || !(pathname.endsWith('/tokens') && search.includes('filter=')))
        return void request.continue();
      void request.respond({ status: 503, contentType: 'application/json', body: '{"error":"busy"}' });
    });
    tab.expect(/another origin|503/);
    const [{ name }] = await tokens('');
    await tab.go(`#/tokens?filter=${name}`);
    await tab.text(/busy/, '.failure');
    expect(await tab.read('main')).not.toMatch(/0 tokens|No token is like that/);
    isBusy = false;
    await market.close(6);
    await tab.text(new RegExp(`^${name}$`), '.column-name .token-texts bdi:first-child', 20_000);
    expect(tab.problems).toEqual([]);
  });

  test('a tag and a kind filter as the route does', async () => {
    await using tab = await opened();
    const { tags } = await market.get('/v1/tags');
    for (const [label, member, value] of [
      ['Tag', 'tag', tags[0]],
      ['Kind', 'token_type', 'lp'],
    ] as const) {
      await tab.page.select(`select[aria-label="${label}"]`, value);
      const { tokens: expected, total } = await market.get(`/v1/tokens?limit=100&${member}=${value}`);
      await tab.text(new RegExp(`^${total} tokens`), '.filters [role=status]');
      expect((await names(tab)).slice(0, 10)).toEqual(expected.slice(0, 10).map(({ name }: Frame) => name));
      await tab.page.select(`select[aria-label="${label}"]`, '');
      await tab.settled();
    }
    expect(tab.problems).toEqual([]);
  });

  test('prices are in the currency that is chosen', async () => {
    await using tab = await opened();
    const { tokens: rows, exch: rates } = await market.get('/v1/tokens?limit=1');
    await tab.page.select('select[aria-label="Currency"]', 'USD');
    await tab.text(/amounts in USD/, '.filters [role=status]');
    expect((await tab.read('td.column-price'))!.replace(/,/g, '')).toBe(
      rounded(String(rows[0].exch / rates.USD)),
    );
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

  test('an order that is asked for while an older answer is on its way is asked for when that is there', async () => {
    await using tab = await browser().open('about:blank', { allowed: [market.url] });
    const held: HTTPRequest[] = [];
    let asked = 0;
    await tab.page.setRequestInterception(true);
    tab.page.on('request', (request: HTTPRequest) => {
      if (!/\/v1\/tokens\?.*offset=/.test(request.url())) return void request.continue();
      if (asked++ === 1) held.push(request);
      else void request.continue();
    });
    await tab.page.goto(market.url);
    await tab.settled();
    await market.close(5);
    await until(() => held.length === 1, 'the question for another order');
    await market.close(5);
    await tab.text(new RegExp(`Live, ledger ${market.world.network.closed.index}$`), '.ledger');
    await held[0]!.continue();
    await until(() => asked === 3, 'the question for the newest order', 3_000);
    expect(tab.problems).toEqual([]);
  });

  test('Enter before the answer opens what is found then, and nothing that was found for an older text', async () => {
    await using tab = await opened();
    const [first, second] = (await tokens('')).filter(
      ({ name }, at, all) => all.findIndex((other) => other.name[0] === name[0]) === at,
    );
    await tab.page.type('.search input', first!.name);
    await tab.text(new RegExp(first!.name), '#found');
    await tab.page.$eval('.search input', (input) => (input as unknown as { select(): void }).select());
    // Faster than anything is asked for.
    await tab.page.type('.search input', second!.name);
    await tab.page.keyboard.press('Enter');
    expect(await tab.evaluate<string>('location.hash')).not.toBe(`#/token/${first!.md5}`);
    await tab.page.waitForFunction("location.hash.startsWith('#/token/')", { timeout: 10_000 });
    expect(await tab.evaluate<string>('location.hash')).toBe(`#/token/${second!.md5}`);
    expect(tab.problems).toEqual([]);
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

  // The last one: the market has more tokens from here on.
  test('of a long list it draws and asks for what is near the screen', async () => {
    await issueTokens(market, 130);
    await using tab = await opened();
    const drawn = '.tokens tbody tr:not(.spacer)';
    const count = () => tab.evaluate<number>(`document.querySelectorAll('${drawn}').length`);
    const scrollTo = (top: number) =>
      tab.evaluate(`void (document.querySelector('.tokens .virtual').scrollTop = ${top})`);
    const asked = (piece: string) => tab.requests.filter((url) => url.includes(`&offset=${piece}&`)).length;
    const { total } = await market.get('/v1/tokens?limit=1');
    expect(total).toBeGreaterThan(140);
    await tab.settled();
    expect(await count()).toBeLessThan(40);
    expect([asked('0'), asked('100')]).toEqual([1, 0]);

    // A row that is scrolled keeps its element, and with it the marks and values of its cells.
    await tab.evaluate(`void (document.querySelector('${drawn}:nth-child(20)').seen = true)`);
    await scrollTo(44 * 10);
    await tab.page.waitForFunction(`document.querySelector('.tokens .spacer')`);
    expect(
      await tab.evaluate<number>(
        `[...document.querySelectorAll('${drawn}')].filter((row) => row.seen).length`,
      ),
    ).toBe(1);

    await scrollTo(1e6);
    await tab.page.waitForFunction(
      `[...document.querySelectorAll('td.column-rank')].at(-1)?.innerText === '${total}'`,
    );
    const end = (await market.get(`/v1/tokens?limit=100&offset=100`)).tokens.map(({ name }: Frame) => name);
    expect((await names(tab)).slice(-10)).toEqual(end.slice(-10));
    expect(await count()).toBeLessThan(40);
    expect([asked('0'), asked('100')]).toEqual([1, 1]);

    // What is not on the screen when the order is asked for again is asked for when it is seen again.
    await market.close(5);
    while (asked('100') < 2) await Bun.sleep(20);
    expect(asked('0')).toBe(1);
    await scrollTo(0);
    while (asked('0') < 2) await Bun.sleep(20);
    await tab.text(new RegExp((await tokens(''))[0].name), '.tokens tbody');
    expect(tab.problems).toEqual([]);
  });

  test('rows stay until those of another order are there', async () => {
    await using tab = await opened();
    await tab.settled();
    const least = await tab.evaluate<number>(`new Promise((resolve) => {
      const rows = () => document.querySelectorAll('td.column-name a').length;
      const first = () => document.querySelector('td.column-name a').href;
      const before = first();
      let least = rows();
      new MutationObserver((_, observer) => {
        least = Math.min(least, rows());
        if (rows() > 0 && first() === before) return;
        observer.disconnect();
        resolve(least);
      }).observe(document.querySelector('.tokens'), { childList: true, subtree: true, characterData: true });
      document.querySelector('th.column-name button').click();
    })`);
    expect(least).toBeGreaterThan(10);
    expect(tab.problems).toEqual([]);
  });
});

/** Tokens that somebody would hold and nobody has yet: T00, T01, …, T0A, … */
async function issueTokens(market: Market, count: number): Promise<void> {
  const [issuer, holder] = [await market.fund(1_000), await market.fund(5_000)];
  await market.close();
  for (let i = 0; i < count; i++) {
    const currency = `T${i.toString(36).toUpperCase().padStart(2, '0')}`;
    await market.submit(holder.seed, {
      TransactionType: 'TrustSet',
      Account: holder.address,
      LimitAmount: { currency, issuer: issuer.address, value: '1000' },
    });
    if (i % 10 === 9) await market.close(1, { agents: false });
  }
}

/** As the page writes a price of 0.001 to 1000: five digits. Written here by itself. */
const rounded = (price: string): string => String(Number(Number(price).toPrecision(5)));

/** As the page writes an amount under a million. */
const written = (amount: number): string =>
  amount >= 100 ? Math.round(amount).toLocaleString('en-US') : String(Number(amount.toPrecision(4)));
