/**
 * What a page cannot be answered is said in its place, in the words of the answer: a dash, an empty list or room that waits for
 * ever reads as if there were nothing. Each answer that a page asks for is refused with words of its own, which must be shown.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { HTTPRequest } from 'puppeteer-core';
import { describeInBrowser, type Tab } from './browser.ts';
import { type Hostile, hostileToken } from './hostile.ts';
import { Market } from './market.ts';
import { placesOf } from './places.ts';

/** What no part of the page stands for: the line of the service's state, rates, small pictures beside names. */
const SILENT = /^\/v1\/(health|stats\/rates|ledger\/at|sparkline\/.*)$/;
/** Parts are only shown once these are answered. */
const FIRST =
  /^\/v1\/(tokens|token\/[0-9a-f]{32}|nft\/[0-9A-F]{64}|nft\/collections\/[^/]+|traders\/[^/]+|account\/info\/[^/]+|platform-report\/dates)$/;

/** The network's page asks for many: one of them is enough. */
const HEADERS = '/v1/ledger/';

describeInBrowser('what is not answered', (browser) => {
  let market: Market;
  let hostile: Hostile;
  beforeAll(async () => {
    market = await Market.start({ ledgers: 90 });
    hostile = await hostileToken(market);
  });
  afterAll(() => market?.[Symbol.asyncDispose]());

  /** Refuses everything but what matches. Gives the paths of what it refused. */
  async function refuse(tab: Tab, status: number, but: RegExp): Promise<Set<string>> {
    const refused = new Set<string>();
    await tab.page.setRequestInterception(true);
    tab.page.on('request', (request: HTTPRequest) => {
      const { pathname } = new URL(request.url());
      if (!pathname.startsWith('/v1/') || but.test(pathname)) return void request.continue();
      refused.add(pathname);
      const body = JSON.stringify({ success: false, error: wordsOf(pathname), message: wordsOf(pathname) });
      return void request.respond({ status, contentType: 'application/json', body });
    });
    return refused;
  }

  const wordsOf = (pathname: string) => `Refused: ${pathname}!`;

  /** By page, what it was refused and does not say. */
  async function silentParts(status: number, but: RegExp): Promise<Record<string, string[]>> {
    const silent: Record<string, string[]> = {};
    for (const { page, fragment } of [...placesOf(hostile), { page: 'faucet', fragment: '#/faucet' }]) {
      await using tab = await browser().open('about:blank', { height: 6_000, allowed: [market.url] });
      tab.expect(/status|Failed to load/);
      const refused = await refuse(tab, status, but);
      await tab.page.goto(`${market.url}/${fragment}`);
      await tab.page.waitForSelector('main h1');
      await tab.settled(10_000).catch(() => undefined);
      const text = (await tab.read('main')) ?? '';
      const said = (path: string) =>
        path.startsWith(HEADERS) ? text.includes(`Refused: ${HEADERS}`) : text.includes(wordsOf(path));
      const unsaid = [...refused].filter((path) => !SILENT.test(path) && !said(path));
      if (await tab.evaluate("document.querySelector('main .loading, main [aria-busy=true]') !== null"))
        unsaid.push('still loading');
      if (unsaid.length > 0) silent[page] = unsaid;
      expect(tab.problems).toEqual([]);
    }
    return silent;
  }

  test('is said where a page is answered nothing', async () => {
    expect(await silentParts(500, /^$/)).toEqual({});
  });

  test('is said where a page is answered what it is about, and no part of it', async () => {
    expect(await silentParts(500, FIRST)).toEqual({});
  });
});
