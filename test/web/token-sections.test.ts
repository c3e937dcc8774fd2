/** What the page of a token tells below its market, in a real browser: the answers of the routes, asked for when scrolled to. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Frame } from '../live-rig.ts';
import { describeInBrowser, type Tab } from './browser.ts';
import { Market } from './market.ts';

describeInBrowser('below the market of a token', (browser) => {
  let market: Market;
  let token: Frame;
  let tab: Tab;
  beforeAll(async () => {
    market = await Market.start();
    [token] = (await market.get('/v1/tokens?limit=1&sort=holders')).tokens;
    tab = await browser().open(`${market.url}/#/token/${token.md5}`);
    await tab.page.waitForSelector('.token-sections');
  });
  // The browser, which has the tab, is closed before.
  afterAll(() => market?.[Symbol.asyncDispose]());

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
    expect(tab.problems).toEqual([]);
    await tab.picture('token-flow');
  });
});
