/** The pages of pools, movers and platforms in a real browser: they show what the routes answer of the same ledger. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Frame } from '../live-rig.ts';
import { violationsOf } from './accessibility.ts';
import { describeInBrowser, type Tab, type TabOptions } from './browser.ts';
import { Market } from './market.ts';

describeInBrowser('the pages of the market', (browser) => {
  let market: Market;
  beforeAll(async () => {
    market = await Market.start();
  });
  afterAll(() => market?.[Symbol.asyncDispose]());

  const opened = (fragment: string, options: TabOptions = {}): Promise<Tab> =>
    browser().open(`${market.url}/#/${fragment}`, options);

  test('pools, in the order that is chosen', async () => {
    await using tab = await opened('pools');
    for (const [place, sort] of ['liquidity', 'volume', 'fees', 'apy', 'created'].entries()) {
      const button = await tab.page.waitForSelector(`.choices button:nth-of-type(${place + 1})`);
      await button!.click();
      const { pools, total } = await market.get(`/v1/amm?sort=${sort}&status=active&limit=100`);
      await tab.text(new RegExp(`^${total} pools`), '[role=status].quiet');
      const pairs = pools.slice(0, 8).map(({ asset1, asset2 }: Frame) => `${asset1.name} / ${asset2.name}`);
      await tab.page.waitForFunction(
        `document.querySelector('td.column-name')?.innerText === ${JSON.stringify(pairs[0])}`,
      );
      expect((await tab.readAll('td.column-name')).slice(0, 8)).toEqual(pairs);
    }
    await tab.picture('pools-wide');
    expect(tab.problems).toEqual([]);
  });

  test('movers: the first of both lists, after each ledger', async () => {
    await using tab = await opened('movers');
    for (let closed = 0; closed < 2; closed++) {
      for (const [table, order] of [
        [1, 'desc'],
        [2, 'asc'],
      ] as const) {
        const query = `sort=pro24h&order=${order}&minVolume24h=100&limit=12`;
        const rows = (await market.get(`/v1/rsi?${query}`)).tokens.filter(({ pro24h }: Frame) =>
          order === 'desc' ? pro24h > 0 : pro24h < 0,
        );
        const names = '.moved .token-texts bdi:first-child';
        const list = `.movers-columns > :nth-child(${table})`;
        if (rows.length === 0) await tab.text(/None did/, list);
        else {
          const pattern = rows.map(({ name }: Frame) => name).join('|');
          await tab.text(new RegExp(`^${rows[0].name}$`), `${list} ${names}`);
          await tab.page.waitForFunction(
            `[...document.querySelectorAll(${JSON.stringify(`${list} ${names}`)})].map((one) => one.innerText).join('|') === ${JSON.stringify(pattern)}`,
          );
        }
      }
      await market.close();
    }
    expect(tab.problems).toEqual([]);
  });

  test('platforms, and one of them by the hour', async () => {
    await using tab = await opened('platforms?period=7d');
    const { platforms, totals } = await market.get('/v1/platform-stats?period=7d');
    await tab.text(new RegExp(`Transactions ${totals.txCount.toLocaleString('en-US')}`), '.figures');
    const names = platforms.map(({ name }: Frame) => name);
    expect(names).not.toEqual([]);
    expect(await tab.readAll('[aria-label="Platforms"] td.column-name')).toEqual(names);
    // No midnight has passed since the chain began.
    await tab.text(/The first report is made after the first midnight/);
    const [{ slug, name }] = platforms;
    await tab.go(`#/platforms/${slug}`);
    await tab.text(new RegExp(`${name}, volume by hour`));
    await tab.page.waitForSelector('.bars rect');
    expect(tab.problems).toEqual([]);
  });

  for (const fragment of ['pools', 'movers', 'platforms', 'collections'])
    for (const [name, width, dark] of [
      ['phone', 390, true],
      ['desk', 1440, false],
    ] as const)
      test(`${fragment}: accessible and in its place on a ${name} screen`, async () => {
        await using tab = await opened(fragment, { width, dark });
        await tab.text(/None did|\d (pools|collections)|Transactions \d/, 'main');
        await tab.settled();
        expect(await tab.overflow()).toBe(0);
        expect(await tab.cutTexts()).toEqual([]);
        expect(await violationsOf(tab)).toEqual([]);
        await tab.picture(`${fragment}-${name}`);
      });

  // The last three: a day passes.
  test('the map of relative strength has a tile for each token with that RSI', async () => {
    // 15 candles of 15 minutes must have closed.
    await market.close(20, { step: 900 });
    await using tab = await opened('movers?rsi=15m');
    const { tokens } = await market.get('/v1/rsi?timeframe=15m&sort=marketcap&order=desc&limit=100');
    const known = tokens.filter(({ rsi15m }: Frame) => rsi15m !== undefined);
    expect(known.length).toBeGreaterThan(3);
    await tab.page.waitForSelector('.tile');
    expect(await tab.readAll('.tile bdi')).toEqual(known.map(({ name }: Frame) => name));
    expect(await tab.readAll('.tile .value')).toEqual(known.map(({ rsi15m }: Frame) => rsi15m.toFixed(1)));
    expect(await violationsOf(tab)).toEqual([]);
    await tab.picture('movers-map');
    expect(tab.problems).toEqual([]);
  });

  test('the report of a day, once a midnight has passed', async () => {
    await market.close(2, { step: 43_200 });
    await using tab = await opened('platforms');
    const report = await market.get('/v1/platform-report');
    await tab.text(new RegExp(`Report of ${report.date}`), '.report');
    const figures = await tab.text(/Trades \d/, '.report .figures');
    expect(figures).toContain(`Trades ${report.market.trades24H.toLocaleString('en-US')}`);
    const traded = report.topTokens.byVolume.map(({ name }: Frame) => name);
    expect(traded).not.toEqual([]);
    expect(await tab.readAll('[aria-label="Traded most"] tbody tr td:first-child')).toEqual(traded);
    expect(await tab.overflow()).toBe(0);
    expect(await violationsOf(tab)).toEqual([]);
    await tab.picture('platforms-report');
    expect(tab.problems).toEqual([]);
  });

  test('a page opens at its top, and on the way back where it was left', async () => {
    await using tab = await opened('status', { height: 400 });
    await tab.text(/Budgets/);
    await tab.settled();
    const top = () => tab.evaluate<number>('Math.round(scrollY)');
    await tab.evaluate('scrollTo(0, 300)');
    expect(await top()).toBe(300);
    await tab.evaluate(`document.querySelector('.menu a[href="#/network"]').click()`);
    await tab.text(/Newest ledgers/);
    await tab.settled();
    expect(await top()).toBe(0);
    await tab.page.goBack();
    await tab.text(/Budgets/);
    await tab.settled();
    expect(await top()).toBe(300);
    expect(tab.problems).toEqual([]);
  });

  test('a long list is on the way back where it was left', async () => {
    await using tab = await opened('tokens', { height: 500 });
    const list = "document.querySelector('.virtual')";
    const rank = () => tab.read('td.column-rank');
    await tab.settled();
    expect(await tab.evaluate<number>(`${list}.scrollHeight - ${list}.clientHeight`)).toBeGreaterThan(500);
    await tab.evaluate(`${list}.scrollTo(0, 440)`);
    await tab.text(/^[2-9]$/, 'td.column-rank');
    const left = await rank();
    await tab.evaluate(`document.querySelector('.menu a[href="#/network"]').click()`);
    await tab.text(/Newest ledgers/);
    await tab.page.goBack();
    await tab.text(new RegExp(`^${left}$`), 'td.column-rank');
    expect(await tab.evaluate<number>(`${list}.scrollTop`)).toBe(440);
    // In another order it begins at its top, and so does one that is opened again.
    await tab.page.click('th.column-price button');
    await tab.text(/^1$/, 'td.column-rank');
    await tab.evaluate(`${list}.scrollTo(0, 440)`);
    await tab.text(new RegExp(`^${left}$`), 'td.column-rank');
    await tab.evaluate(`document.querySelector('.menu a[href="#/tokens"]').click()`);
    await tab.text(/^1$/, 'td.column-rank');
    expect(tab.problems).toEqual([]);
  });

  test('on the narrowest screen the search has room, and no name makes a page wider', async () => {
    await using tab = await opened('whales', { width: 320 });
    await tab.settled();
    expect(await tab.evaluate<number>("document.querySelector('.search input').clientWidth")).toBeGreaterThan(
      150,
    );
    expect(await tab.overflow()).toBe(0);
    await tab.evaluate("document.querySelector('h1').textContent = 'W'.repeat(60)");
    expect(await tab.overflow()).toBe(0);
    expect(tab.problems).toEqual([]);
  });

  test('on paper there are dark words on light ground, all rows of a table, and nothing to click', async () => {
    const [{ md5 }] = (await market.get('/v1/tokens?limit=1&sort=vol24hxrp')).tokens;
    await using tab = await opened(`token/${md5}`, { dark: true });
    await tab.page.waitForSelector('.trades-card tbody tr:nth-child(30)');
    await tab.page.select('select[aria-label="Theme"]', 'dark');
    const looks = () =>
      tab.evaluate<{ colour: string; hidden: number; shown: string[] }>(`({
        colour: getComputedStyle(document.body).color,
        hidden: (({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('.trades-card .scroller')),
        shown: ['.top', '.bottom', '.choices'].filter((one) => document.querySelector(one).checkVisibility()),
      })`);
    const screen = await looks();
    expect(screen.hidden).toBeGreaterThan(0);
    await tab.page.emulateMediaType('print');
    expect(await looks()).toEqual({ colour: 'rgb(27, 33, 41)', hidden: 0, shown: [] });
    expect(screen.colour).toBe('rgb(230, 233, 238)');
    expect(tab.problems).toEqual([]);
  });

  test('numbers of long lists are whole, from a phone to a desk', async () => {
    const found: Record<string, unknown> = {};
    for (const width of [360, 801, 1024, 1280]) {
      await using tab = await opened('tokens', { width });
      for (const page of ['tokens', 'pools', 'whales', 'collections']) {
        await tab.go(`#/${page}`);
        await tab.page.waitForSelector('.virtual td.number');
        await tab.settled();
        const wrong = [...(await tab.cutTexts()), ...(await tab.evaluate<string[]>(BEYOND))];
        wrong.push(...(await tab.evaluate<string[]>(SHORTENED)));
        const overflow = await tab.overflow();
        if (overflow > 0) wrong.push(`${overflow} pixels too wide`);
        if (wrong.length > 0) found[`${page} ${width}`] = wrong;
      }
    }
    expect(found).toEqual({});
  });

  test('prices and changes of movers are whole on a phone', async () => {
    await market.close(120, { step: 60 });
    const { tokens } = await market.get('/v1/rsi?sort=pro7d&order=desc&minVolume24h=100&limit=12');
    expect(tokens.filter(({ pro7d }: Frame) => pro7d !== undefined)).not.toEqual([]);
    await using tab = await opened('movers?change=pro7d', { width: 390 });
    await tab.page.waitForSelector('.moved td');
    await tab.settled();
    expect(await tab.cutTexts()).toEqual([]);
    expect(await tab.overflow()).toBe(0);
    expect(await violationsOf(tab)).toEqual([]);
    await tab.picture('movers-prices');
    expect(tab.problems).toEqual([]);
  });
});

/** Numbers that end with an ellipsis. */
const SHORTENED = `[...document.querySelectorAll('.virtual td.number > *')]
  .filter((value) => value.checkVisibility() && value.scrollWidth > value.clientWidth + 1)
  .map((value) => value.innerText + ': ' + value.scrollWidth + ' px in ' + value.clientWidth)`;

/** Texts of cells that reach beyond their cell at the left, where the first digits would be missing. */
const BEYOND = `[...document.querySelectorAll('.virtual td.number')].flatMap((cell) => {
  const text = document.createRange();
  text.selectNodeContents(cell);
  const beyond = cell.getBoundingClientRect().left - text.getBoundingClientRect().left;
  return cell.checkVisibility() && beyond > 1 ? [cell.innerText + ': ' + beyond] : [];
})`;
