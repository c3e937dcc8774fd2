/**
 * What a page cannot be answered is said in its place, in the words of the answer: a dash, an empty list or room that waits for
 * ever reads as if there were nothing. Each answer that a page asks for is refused with words of its own, which must be shown.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { HTTPRequest } from 'puppeteer-core';
import { sampled } from '../cases.ts';
import { until } from '../live-rig.ts';
import { violationsOf } from './accessibility.ts';
import { describeInBrowser, type Tab } from './browser.ts';
import { type Hostile, hostileToken } from './hostile.ts';
import { Market } from './market.ts';
import { placesOf } from './places.ts';
import { PrefixProxy } from './proxy.ts';

/** What no part of the page stands for: the line of the service's state, rates, small pictures beside names. */
const SILENT = /^\/v1\/(health|stats\/rates|ledger\/at|sparkline\/.*)$/;
/** Parts are only shown once these are answered. */
const FIRST =
  /^\/v1\/(tokens|token\/[0-9a-f]{32}|nft\/[0-9A-F]{64}|nft\/collections\/[^/]+|traders\/[^/]+|account\/info\/[^/]+|platform-report\/dates)$/;

/** Of the pages, one in so many; all of them in the long tests. */
const PAGES_EVERY = 3;

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
    const places = [...placesOf(hostile), { page: 'faucet', fragment: '#/faucet' }];
    for (const { page, fragment } of sampled(places, PAGES_EVERY)) {
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

  test('is asked again when the service wants that, and not before', async () => {
    await using tab = await browser().open('about:blank', { allowed: [market.url] });
    tab.expect(/429|Failed to load/);
    const asked: number[] = [];
    await tab.page.setRequestInterception(true);
    tab.page.on('request', (request: HTTPRequest) => {
      if (!request.url().endsWith('/v1/tags')) return void request.continue();
      asked.push(performance.now());
      const headers = { 'Retry-After': '6' };
      const body = '{"error":"Too many requests"}';
      return void request.respond({ status: 429, contentType: 'application/json', headers, body });
    });
    await tab.page.goto(market.url);
    await until(() => asked.length === 1, 'the first question');
    while (asked.length === 1 && performance.now() < asked[0]! + 30_000) {
      await market.close();
      await Bun.sleep(300);
    }
    expect(asked[1]! - asked[0]!).toBeWithin(5_900, 12_000);
    expect(tab.problems).toEqual([]);
  });

  test('is not asked again where the service is not set up for it, until another one answers', async () => {
    await using proxy = new PrefixProxy(market.url);
    await using tab = await browser().open(`${proxy.url}#/keys/invoice/${'0'.repeat(32)}`, { minuteMs: 50 });
    tab.expect(/50[23]|socket|WebSocket|Failed to load/);
    const asked = () => tab.requests.filter((url) => url.includes('/v1/keys/purchase/')).length;
    await tab.text(/Payments in XRP are not configured/);
    await market.close(3);
    await Bun.sleep(550); // ledgers that close sooner make one question
    await market.close();
    await tab.text(new RegExp(`Live, ledger ${market.world.network.closed.index}$`), '.ledger');
    expect(asked()).toBe(1);
    proxy.cut();
    await tab.text(/Connection lost/);
    proxy.mend();
    await tab.text(/^Live/, '.ledger');
    await market.close();
    await until(() => asked() === 2, 'the question to whoever answers now');
    // Behind another tab it does not see that a service goes.
    await tab.setHidden(true);
    await until(() => proxy.open === 0, 'no socket of a hidden page');
    await market.close();
    await tab.setHidden(false);
    await until(() => asked() === 3, 'the question to whoever answers after that');
    expect(tab.problems).toEqual([]);
  });

  test('a page that could not be loaded is shown once it can be', async () => {
    await using tab = await browser().open(market.url);
    await tab.settled();
    tab.expect(/request failed|Failed to load/);
    let isGone = true;
    await tab.page.setRequestInterception(true);
    tab.page.on('request', (request: HTTPRequest) =>
      isGone && request.resourceType() === 'script' ? void request.abort() : void request.continue(),
    );
    await tab.go('#/pools');
    await tab.text(/This page could not be loaded/, 'main');
    isGone = false;
    await market.close();
    await tab.text(/all \d+ pools/, 'main');
    expect(tab.problems).toEqual([]);
  });

  test('is said by the search, and that nothing is called so', async () => {
    await using tab = await browser().open(market.url);
    await tab.page.type('.search input', 'zqxjkvzqxjkv');
    await tab.text(/^No token is called that\.$/, '.search [role=status]');
    expect(await violationsOf(tab)).toEqual([]);
    tab.expect(/503|Failed to load/);
    let isBusy = true;
    await tab.page.setRequestInterception(true);
    tab.page.on('request', (request: HTTPRequest) => {
      if (!isBusy || !request.url().endsWith('/v1/search')) return void request.continue();
      return void request.respond({ status: 503, contentType: 'application/json', body: '{"error":"busy"}' });
    });
    await tab.page.type('.search input', 'z');
    await tab.text(/^busy$/, '.search [role=status]');
    isBusy = false;
    await market.close();
    await tab.text(/^No token is called that\.$/, '.search [role=status]');
    expect(tab.problems).toEqual([]);
  });

  test('a picture that is not answered leaves the letter of its token', async () => {
    await using tab = await browser().open('about:blank', { allowed: [market.url] });
    tab.expect(/503|Failed to load/);
    await tab.page.setRequestInterception(true);
    tab.page.on('request', async (request: HTTPRequest) => {
      const url = new URL(request.url());
      if (url.pathname.startsWith('/s1/thumb/')) return void request.respond({ status: 503 });
      if (!url.pathname.endsWith('/v1/tokens')) return void request.continue();
      const answer = await market.get(url.pathname + url.search);
      const tokens = answer.tokens.map((token: object) => ({
        ...token,
        icon: 'https://pictures.example/a.png',
      }));
      await request.respond({ contentType: 'application/json', body: JSON.stringify({ ...answer, tokens }) });
    });
    await tab.page.goto(market.url);
    await until(() => tab.requests.some((url) => url.includes('/s1/thumb/')), 'a question for a picture');
    await tab.settled();
    const name = (await tab.read('.token-texts bdi'))!;
    await tab.text(new RegExp(`^${RegExp.escape(name[0]!.toUpperCase())}$`), '.token-disc');
    expect(await tab.evaluate("document.querySelectorAll('.token-disc img').length")).toBe(0);
    expect(tab.problems).toEqual([]);
  });

  test('is said where a page is answered nothing', async () => {
    expect(await silentParts(500, /^$/)).toEqual({});
  });

  test('is said where a page is answered what it is about, and no part of it', async () => {
    expect(await silentParts(500, FIRST)).toEqual({});
  });
});
