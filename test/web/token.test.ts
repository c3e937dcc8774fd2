/**
 * The page of one token in a real browser: its figures, candles, book and pools, and a trade that comes within its ledger,
 * and what it tells below its market.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { HTTPRequest } from 'puppeteer-core';
import { type Frame, until } from '../live-rig.ts';
import { violationsOf } from './accessibility.ts';
import { describeInBrowser, type Tab, type TabOptions } from './browser.ts';
import { Market } from './market.ts';
import { PrefixProxy } from './proxy.ts';

describeInBrowser('the page of a token', (browser) => {
  let market: Market;
  let token: Frame;
  beforeAll(async () => {
    market = await Market.start();
    // Of the network's own issuer, with a book and a pool.
    [token] = (await market.get('/v1/tokens?limit=1&sort=tvl')).tokens;
  });
  afterAll(() => market?.[Symbol.asyncDispose]());

  const opened = async (options: TabOptions = {}): Promise<Tab> => {
    const tab = await browser().open(`${market.url}/#/token/${token.md5}`, options);
    await tab.text(new RegExp(token.name), 'h1');
    return tab;
  };
  const fact = (title: string) => `.token-facts div:has(dt):nth-of-type(${FACTS.indexOf(title) + 1}) dd`;

  describe('below its market, asked for when scrolled to', () => {
    let token: Frame;
    let tab: Tab;
    beforeAll(async () => {
      [token] = (await market.get('/v1/tokens?limit=1&sort=holders')).tokens;
      tab = await browser().open(`${market.url}/#/token/${token.md5}`);
      await tab.page.waitForSelector('.token-sections');
    });
    afterAll(() => tab?.[Symbol.asyncDispose]());

    const scrollTo = (section: number) =>
      tab.evaluate(
        `document.querySelectorAll('.token-sections .when-seen')[${section}].scrollIntoView({ block: 'center' })`,
      );

    test('nothing is asked for before it is near', () => {
      expect(tab.requests.filter((url) => url.includes('/token/flow/'))).toEqual([]);
    });

    test('the review with its reasons', async () => {
      await scrollTo(0);
      const review = await market.get(`/v1/token/review/${token.md5}`);
      await tab.text(new RegExp(review.riskLevel), '.review');
      expect(await tab.readAll('.factors li')).toHaveLength(review.factors.length);
      expect(await tab.read('.review-score')).toBe(String(Number(review.assessmentScore.toPrecision(4))));
      const paddings = await tab.evaluate<string[]>(
        "[...document.querySelectorAll('.token .card')].map((card) => getComputedStyle(card).padding)",
      );
      expect([...new Set(paddings)]).toHaveLength(1);
    });

    test('traders and holders, in the order of the routes', async () => {
      await scrollTo(1);
      const { traders } = await market.get(`/v1/traders/token-traders/${token.md5}?limit=50&sort=volume`);
      await tab.page.waitForSelector(
        `[aria-label="Traders of this token"] tbody tr:nth-child(${traders.length})`,
      );
      const titles = (table: string) =>
        tab.evaluate<string[]>(
          `[...document.querySelectorAll('table[aria-label="${table}"] a.mono')].map((one) => one.title)`,
        );
      expect(await titles('Traders of this token')).toEqual(traders.map(({ address }: Frame) => address));
      await scrollTo(2);
      const { richList } = await market.get(`/v1/holders/list/${token.md5}?limit=200`);
      await tab.page.waitForSelector(
        `table[aria-label="Largest holders"] tbody tr:nth-child(${richList.length})`,
      );
      expect(await titles('Largest holders')).toEqual(richList.map(({ account }: Frame) => account));
      // The mirror of Lorenz's curve: it never falls.
      const curve = await tab.evaluate<string>(
        'document.querySelector(".concentration .curve").getAttribute("d")',
      );
      const heights = [...curve.matchAll(/L[\d.]+ ([\d.]+)/g)].map(([, y]) => Number(y));
      expect(heights).toHaveLength(richList.length);
      expect(heights).toEqual(heights.toSorted((a, b) => b - a));
    });

    test('the creator’s activity, and where the tokens went', async () => {
      await scrollTo(3);
      const creator = await market.get(`/v1/creator-activity/${token.md5}?limit=50`);
      await tab.page.waitForSelector('.signals');
      for (const { msg } of creator.signals) await tab.text(new RegExp(msg));
      await scrollTo(4);
      const { graph } = await market.get(`/v1/token/flow/${token.md5}`);
      await tab.page.waitForSelector('.flow-graph');
      const drawn = await tab.evaluate<number>('document.querySelectorAll(".flow-graph a").length');
      const columns = [['creator', 'issuer'], ['level1'], ['level2']];
      const ofColumn = (types: string[]) =>
        graph.nodes.filter(({ type }: Frame) => types.includes(type)).length;
      expect(drawn).toBe(columns.reduce((sum, types) => sum + Math.min(14, ofColumn(types)), 0));
      const named = await tab.evaluate<string[][]>(
        '[...document.querySelectorAll(".flow-graph a")].map((a) => [a.textContent, a.ariaLabel])',
      );
      for (const [text, label] of named) expect(label).toContain(text!);
      expect(tab.problems).toEqual([]);
      await tab.picture('token-flow');
    });
  });

  test('shows the figures, the book and the pools that the routes answer', async () => {
    await using tab = await opened();
    const row = (await market.get(`/v1/token/${token.md5}`)).token;
    expect(await tab.read(fact('Holders'))).toBe(String(row.holders));
    expect(await tab.read(fact('Trades 24 h'))).toBe(row.vol24htx.toLocaleString('en-US'));
    const book = await market.get(`/v1/orderbook?base=${token.md5}&quote=XRP&limit=200`);
    const best = book.bids.find(({ funded }: Frame) => Number(funded) > 0);
    await tab.text(/\d/, '.book tbody.up td');
    expect(await tab.read('.book tbody.up td')).toBe(String(Number(Number(best.price).toPrecision(5))));
    const { pools } = await market.get(`/v1/amm?token=${token.md5}&sort=liquidity&limit=20`);
    await tab.text(/\d/, '.pools-card tbody');
    expect(await tab.readAll('.pools-card tbody tr')).toHaveLength(pools.length);
    expect(tab.problems).toEqual([]);
  });

  test('draws the candles of the route, of any interval', async () => {
    await using tab = await opened();
    for (const interval of ['15m', '1h']) {
      await tab.page.click(`.choices button:nth-of-type(${['1m', '5m', '15m', '1h'].indexOf(interval) + 1})`);
      const { ohlc } = await market.get(`/v1/ohlc/${token.md5}?interval=${interval}&cb=500`);
      await tab.text(new RegExp(`, ${interval}\\. ${ohlc.length} candles`), '.candles figcaption');
    }
    await tab.page.waitForSelector('.candles canvas');
    await tab.picture('token-wide');
    expect(tab.problems).toEqual([]);
  });

  test('draws candles of prices that are as small and as large as the ledger has them', async () => {
    await using tab = await browser().open('about:blank', { allowed: [market.url] });
    let scale = 0;
    await tab.page.setRequestInterception(true);
    tab.page.on('request', async (request: HTTPRequest) => {
      const { pathname, search } = new URL(request.url());
      if (!pathname.startsWith('/v1/ohlc/')) return void request.continue();
      const answer = await market.get(pathname + search);
      const ohlc = answer.ohlc.map(([time, ...of]: number[]) => [time, ...of.map((value) => value * scale)]);
      await request.respond({ contentType: 'application/json', body: JSON.stringify({ ...answer, ohlc }) });
    });
    for (scale of [1e-13, 1e30]) {
      await tab.page.goto(`${market.url}/?${scale}#/token/${token.md5}`);
      await tab.page.waitForSelector('.candles canvas');
      await tab.text(/[1-9]\d* candles/, '.candles figcaption');
      await tab.settled();
    }
    expect(tab.problems).toEqual([]);
  });

  test('says that the chart could not be loaded, and draws it once it can be', async () => {
    await using tab = await browser().open('about:blank', { allowed: [market.url] });
    tab.expect(/request failed: .*lightweight|Failed to load resource/);
    await tab.page.setRequestInterception(true);
    let isGone = true;
    tab.page.on('request', (request: HTTPRequest) =>
      isGone && request.url().includes('lightweight-charts') ? void request.abort() : void request.continue(),
    );
    await tab.page.goto(`${market.url}/#/token/${token.md5}`);
    await tab.text(/The chart could not be loaded/, '.candles');
    isGone = false;
    await market.close();
    await tab.page.waitForSelector('.candles canvas');
    expect(tab.problems).toEqual([]);
  });

  test('draws candles in the currency that is chosen', async () => {
    await using tab = await opened();
    await tab.page.waitForSelector('.chart-choices');
    await tab.page.select('select[aria-label="Currency"]', 'USD');
    const { ohlc } = await market.get(`/v1/ohlc/${token.md5}?interval=15m&cb=500&vs_currency=USD`);
    expect(ohlc.length).toBeGreaterThan(0);
    const close = String(Number(ohlc.at(-1)[4].toPrecision(5)));
    const caption = new RegExp(`in USD, 15m\\. ${ohlc.length} candles.* is at ${close}\\.`);
    await tab.text(caption, '.candles figcaption');
    expect(tab.problems).toEqual([]);
  });

  test('draws all candles of a range, in the interval that the route chooses', async () => {
    await using tab = await opened();
    await tab.page.waitForSelector('.chart-choices');
    const ranges = await tab.readAll('.chart-choices fieldset:last-child button');
    for (const range of ['1D', 'ALL']) {
      const at = ranges.findIndex((one) => one.toUpperCase() === range) + 1;
      await tab.page.click(`.chart-choices fieldset:last-child button:nth-of-type(${at})`);
      const { ohlc, interval } = await market.get(`/v1/ohlc/${token.md5}?range=${range}`);
      expect(ohlc.length).toBeGreaterThan(0);
      await tab.text(
        new RegExp(`in XRP, ${range} in ${interval}\\. ${ohlc.length} candles`),
        '.candles figcaption',
      );
      expect(await tab.readAll('.chart-choices [aria-pressed=true]')).toEqual([ranges[at - 1]!]);
    }
    expect(tab.problems).toEqual([]);
  });

  test('keeps what was chosen in the address', async () => {
    await using tab = await opened();
    await tab.page.waitForSelector('.chart-choices');
    const chosen = () => tab.readAll('.chart-choices [aria-pressed=true]');
    const address = () => tab.evaluate<string>('location.hash');
    expect(await chosen()).toEqual(['15m']);
    await tab.page.click('.chart-choices fieldset:first-child button:nth-of-type(4)');
    await tab.text(/, 1h\. /, '.candles figcaption');
    expect(await address()).toBe(`#/token/${token.md5}?interval=1h`);
    await tab.page.click('.chart-choices fieldset:last-child button:nth-of-type(2)');
    await tab.text(/in XRP, 7D in /, '.candles figcaption');
    expect(await address()).toBe(`#/token/${token.md5}?range=7D`);
    await tab.page.reload();
    await tab.text(/in XRP, 7D in /, '.candles figcaption');
    expect(await chosen()).toEqual(['7D']);
    await using other = await browser().open(`${market.url}/#/token/${token.md5}?interval=2h`);
    await other.text(/, 15m\. /, '.candles figcaption');
    expect([...tab.problems, ...other.problems]).toEqual([]);
  });

  test('a trade that was submitted is there with its ledger, and two sockets are enough', async () => {
    const { address, seed } = await market.fund(5_000);
    await market.close();
    const limit = { currency: token.currency, issuer: token.issuer, value: '1000000000' };
    await market.submit(seed, { TransactionType: 'TrustSet', Account: address, LimitAmount: limit });
    await market.close();
    await using tab = await opened();
    await tab.text(/\d/, '.trades-card tbody');
    const hash = await market.submit(seed, {
      TransactionType: 'Payment',
      Account: address,
      Destination: address,
      Flags: 131_072,
      Amount: { ...limit, value: '1000000' },
      SendMax: '200000000',
    });
    await market.close(1, { agents: false });
    await tab.page.waitForSelector(`.trades-card a[href="#/tx/${hash}"]`);
    const bought = await tab.read(`.trades-card tr:has(a[href="#/tx/${hash}"]) td.number`);
    expect(bought).toMatch(/^bought \+/);
    expect(tab.requests.filter((url) => url.startsWith('ws:'))).toHaveLength(2);
    expect(tab.problems).toEqual([]);
  });

  test('candles have no hole after a long time behind another tab', async () => {
    await using proxy = new PrefixProxy(market.url);
    await using tab = await browser().open(`${proxy.url}#/token/${token.md5}`, { minuteMs: 50 });
    const route = `/v1/ohlc/${token.md5}?interval=1m&cb=500`;
    const shown = async () => {
      const { ohlc } = await market.get(route);
      await tab.text(new RegExp(`, 1m\\. ${ohlc.length} candles`), '.candles figcaption');
      return ohlc.length;
    };
    await tab.page.waitForSelector('.choices button');
    await tab.page.click('.choices button');
    const before = await shown();
    await until(() => proxy.open === 2, 'both sockets of the page');
    await tab.setHidden(true);
    await until(() => proxy.open === 0, 'no socket of a hidden page');
    await market.close(40, { step: 60 });
    await tab.setHidden(false);
    expect((await shown()) - before).toBeGreaterThan(5);
    expect(tab.problems).toEqual([]);
  });

  test('ledgers that come fast are followed by few questions, the last of them of the newest', async () => {
    await using tab = await opened();
    await tab.text(/\d/, '.book tbody.up td');
    const count = () => tab.requests.filter((url) => url.includes('/v1/orderbook?')).length;
    const [before, began] = [count(), performance.now()];
    await market.close(40);
    const book = await market.get(`/v1/orderbook?base=${token.md5}&quote=XRP&limit=200`);
    const best = book.bids.find(({ funded }: Frame) => Number(funded) > 0);
    const price = String(Number(Number(best.price).toPrecision(5)));
    await tab.page.waitForFunction(
      `document.querySelector('.book tbody.up td')?.innerText === ${JSON.stringify(price)}`,
    );
    // One in half a second.
    expect(count() - before).toBeLessThanOrEqual(2 + (performance.now() - began) / 500);
    expect(tab.problems).toEqual([]);
  });

  test('a pool leads to its account, and the title is that of what is shown', async () => {
    await using tab = await opened();
    const [{ ammAccount }] = (await market.get(`/v1/amm?token=${token.md5}&sort=liquidity&limit=1`)).pools;
    await (await tab.page.waitForSelector('.pools-card td a'))!.click();
    await tab.text(new RegExp(ammAccount), 'main');
    await tab.text(/The account of a pool/, 'main');
    const titled = (title: string) => tab.page.waitForFunction(`document.title === ${JSON.stringify(title)}`);
    const short = `${ammAccount.slice(0, 6)}…${ammAccount.slice(-4)}`;
    await titled(`${short}, account · Millrace`);
    await tab.go(`#/trader/${ammAccount}`);
    await titled(`${short}, trader · Millrace`);
    await tab.go('#/pools');
    await titled('Pools · Millrace');
    tab.expect(/404/);
    await tab.go(`#/token/${token.md5}`);
    await tab.page.waitForFunction(`document.title.startsWith(${JSON.stringify(token.name)})`);
    await tab.go('#/token/nothing');
    await tab.text(/Token not found/);
    expect(await tab.evaluate<string>('document.title')).toBe('Token · Millrace');
  });

  test('XRP shows what there is of it, and asks for nothing that only issued tokens have', async () => {
    await using tab = await browser().open(`${market.url}/#/token/XRP`);
    await tab.text(/^XRP$/, 'h1');
    await tab.text(/No candle: no trade gives it a price in XRP/, '.chart-card');
    await tab.evaluate("document.querySelector('.token-sections').scrollIntoView()");
    await tab.page.waitForSelector('[aria-label="Largest holders"] tbody tr');
    await tab.settled();
    await tab.page.select('select[aria-label="Currency"]', 'USD');
    await tab.text(/[1-9]\d* candles/, '.candles figcaption');
    expect(await tab.read('.chart-card')).not.toContain('No candle');
    expect(tab.problems).toEqual([]);
  });

  test('an id that is none is said to be none', async () => {
    await using tab = await browser().open(`${market.url}/#/token/nothing`);
    tab.expect(/404/);
    expect(await tab.text(/Token not found/)).toContain('Token not found');
  });

  for (const [name, width, dark] of [
    ['phone', 390, true],
    ['desk', 1440, false],
  ] as const)
    test(`is accessible and in its place on a ${name} screen`, async () => {
      await using tab = await opened({ width, dark });
      await tab.text(/\d/, '.trades-card tbody');
      await tab.page.waitForSelector('.candles canvas');
      expect(await tab.overflow()).toBe(0);
      expect(await violationsOf(tab)).toEqual([]);
      await tab.picture(`token-${name}`);
    });
});

/** In their order on the page. */
const FACTS = ['Volume 24 h', 'Market cap', 'In pools', 'Supply', 'Holders', 'Trust lines', 'Trades 24 h'];
