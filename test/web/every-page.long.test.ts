/**
 * What holds for every page: nothing is wrong in either theme at any width, keys reach everything, what strangers wrote is
 * text, it works behind a path prefix, asks nothing of anyone else, and is small.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { HTTPRequest } from 'puppeteer-core';
import { casesOf } from '../cases.ts';
import { until } from '../live-rig.ts';
import { violationsOf } from './accessibility.ts';
import { describeInBrowser, type Tab } from './browser.ts';
import { type Hostile, hostileToken, MARKS } from './hostile.ts';
import { Market } from './market.ts';
import { placesOf } from './places.ts';
import { PrefixProxy } from './proxy.ts';

const FIRST_LOAD_BYTES_MAX = 150_000;
/** Cumulative layout shift of a page, from its opening on: what web.dev/articles/cls calls good. */
const LAYOUT_SHIFT_MAX = 0.1;
const LEDGERS_WATCHED = casesOf(1, 3);
/**
 * Of so many pages one is looked at in each test, in the next test another one; which ones at first, is drawn. So each page
 * is looked at in one of the two widths. In the long run each is in every test.
 */
const PAGES_EVERY = casesOf(2, 1);
const FIRST = Number(process.env.SEED ?? Math.floor(Math.random() * PAGES_EVERY)) % PAGES_EVERY;
console.log(`of ${PAGES_EVERY} pages one in each test: SEED=${FIRST}`);
/** Pixels. */
const SHIFT_WIDTHS = [390, 1280].slice(0, casesOf(1, 2));

/** In the page, before any of its scripts: counts what moves without having been touched. */
const WATCH_SHIFTS = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries())
      shifts.push({ value, of: sources.map(({ node }) => (node?.outerHTML ?? node?.textContent ?? '').slice(0, 80)) });
  }).observe({ type: 'layout-shift', buffered: true });`;

describeInBrowser('every page', (browser) => {
  let market: Market;
  let hostile: Hostile;
  beforeAll(async () => {
    market = await Market.start({ ledgers: 90 });
    hostile = await hostileToken(market);
  });
  afterAll(() => market?.[Symbol.asyncDispose]());

  /**
   * Shows pages in turn, and waits until each has its data.
   * @param every of so many pages one @param first the first of them
   */
  async function visit(
    tab: Tab,
    look: (page: string) => Promise<void>,
    { every = PAGES_EVERY, first = FIRST } = {},
  ): Promise<void> {
    for (const [i, { page, fragment }] of placesOf(hostile).entries()) {
      if (i % every !== first % every) continue;
      await tab.go(fragment);
      await tab.page.waitForSelector('main h1');
      await tab.settled();
      await look(page);
    }
  }

  for (const [width, dark] of [
    [390, true],
    [1280, false],
  ] as const)
    test(`fits ${width} pixels in ${dark ? 'dark' : 'light'} colours, axe-core finds nothing, keys reach all`, async () => {
      await using tab = await browser().open(market.url, { width, dark });
      const found: Record<string, string[]> = {};
      await visit(
        tab,
        async (page) => {
          const wrong = [...(await violationsOf(tab)), ...(await unreachable(tab)), ...(await unnamed(tab))];
          // 320: a desk's window of 1280 at four times its size (WCAG 2.2, 1.4.10).
          for (const at of width === 390 ? [320, 390] : [1280, 1920]) {
            await tab.page.setViewport({ width: at, height: 900 });
            // Charts take their new size with the frame after the one that shows it.
            await tab.evaluate(
              'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
            );
            const overflow = await tab.overflow();
            if (overflow > 0) wrong.push(`${overflow} pixels wider than ${at}`);
            wrong.push(...(await tab.cutTexts()).map((text) => `cut at ${at}: ${text}`));
            await tab.picture(`${page}-${at}`);
          }
          if (wrong.length > 0) found[page] = wrong;
        },
        { first: FIRST + (dark ? 0 : 1) },
      );
      expect(found).toEqual({});
      expect(tab.problems).toEqual([]);
    });

  test('shows what strangers wrote as text: no element of it, no mark that turns the writing', async () => {
    await using tab = await browser().open(market.url, { width: 390 });
    const hurt: Record<string, unknown> = {};
    const look = async (page: string) => {
      const seen = await tab.evaluate<{ elements: number; hacked: boolean; text: string; inline: number }>(`({
        elements: document.querySelectorAll('main script, main b, img[src="x"], img[onerror]').length,
        inline: document.scripts.length,
        hacked: 'hacked' in window,
        text: document.body.innerText,
      })`);
      const marks = [...MARKS].filter((mark) => seen.text.includes(mark));
      const overflow = await tab.overflow();
      if (seen.elements > 0 || seen.hacked || seen.inline !== 1 || marks.length > 0 || overflow > 0)
        hurt[page] = { ...seen, text: undefined, marks, overflow };
    };
    await visit(tab, look, { every: 1 });
    await tab.go(`#/tx/${hostile.settings}`);
    expect(await tab.text(/domain “<img src=x onerror/)).toContain('…');
    await look('settings');
    await tab.go(`#/tx/${hostile.trade}`);
    expect(await tab.text(/Memos/)).toContain('<script>window.hacked=1</script>');
    tab.expect(/status 40[04]|Failed to load/);
    // 10,000 characters: the longest text that reaches a page, by its address.
    for (const fragment of [
      `#/${'<i>'.padEnd(10_000, 'm')}`,
      `#/token/${`${MARKS}<i>`.padEnd(10_000, 'm')}`,
    ]) {
      await tab.go(fragment);
      await tab.text(/not found/i);
      await tab.settled();
      await look(fragment.slice(0, 10));
    }
    expect(hurt).toEqual({});
    expect(tab.problems).toEqual([]);
  });

  test('shows of dots in place of what it is about that there is no such thing, and not what other addresses answer', async () => {
    await using tab = await browser().open(market.url);
    tab.expect(/status 40[04]|Failed to load/);
    const answered: string[] = [];
    for (const { page, fragment } of placesOf(hostile)) {
      if (fragment === `#/${page}`) continue;
      for (const dots of ['.', '..']) {
        tab.requests.length = 0;
        await tab.go(`#/${page}/${dots}`);
        await tab.page.waitForSelector('main h1');
        await tab.settled();
        const asked = tab.requests.filter((url) => url.includes('/v1/')).map((url) => new URL(url).pathname);
        if (!asked.some((path) => path.includes('%252E'))) answered.push(`${page}: ${asked}`);
        if (!/not found|neither|not 64|Invalid|no r-address/i.test((await tab.read('main')) ?? ''))
          answered.push(`${page}: ${await tab.read('main')}`);
      }
    }
    expect(answered).toEqual([]);
    expect(tab.problems).toEqual([]);
  });

  test('shows where the focus is, from the first key on', async () => {
    await using tab = await browser().open(market.url);
    await tab.go('#/network');
    await tab.text(/Newest ledgers/);
    const focused: string[] = [];
    for (let i = 0; i < 12; i++) {
      await tab.page.keyboard.press('Tab');
      const { name, outline } = await tab.evaluate<{ name: string; outline: string }>(`(() => {
        const at = document.activeElement;
        return { name: at.innerText || at.ariaLabel || at.placeholder, outline: getComputedStyle(at).outlineStyle };
      })()`);
      expect(outline, `focus of ${name}`).not.toBe('none');
      focused.push(name);
    }
    expect(focused).toContain('Skip to content');
    expect(focused).toContain('Network');
    // A link that is gone with its page hands it on to the next one.
    await tab.page.focus('.ledgers tbody a');
    await tab.page.keyboard.press('Enter');
    await tab.text(/Root of the state/);
    expect(await tab.evaluate<string>('document.activeElement.id')).toBe('main');
    expect(tab.problems).toEqual([]);
  });

  test('a page that comes late does not take the place of the one chosen after it', async () => {
    await using tab = await browser().open(`${market.url}/#/network`);
    await tab.text(/Newest ledgers/);
    const held: HTTPRequest[] = [];
    let holds = true;
    await tab.page.setRequestInterception(true);
    tab.page.on('request', (request) => {
      if (holds && request.resourceType() === 'script') held.push(request);
      else void request.continue();
    });
    await tab.go('#/whales');
    await until(() => held.length > 0, 'the script of the page');
    await tab.go('#/network');
    await tab.text(/Newest ledgers/);
    holds = false;
    for (const request of held) await request.continue();
    await tab.settled();
    expect(await tab.read('main')).toMatch(/Newest ledgers/);
    expect(tab.problems).toEqual([]);
  });

  test('works behind a path prefix, without a request to anywhere else', async () => {
    await using proxy = new PrefixProxy(market.url);
    await using tab = await browser().open(proxy.url);
    await visit(tab, async () => {}, { every: casesOf(4, 1) });
    expect(tab.requests.filter((url) => !new URL(url).pathname.startsWith(proxy.prefix))).toEqual([]);
    expect(tab.requests.some((url) => url.startsWith('ws:'))).toBe(true);
    expect(await tab.page.cookies()).toEqual([]);
    // The reference is a page of its own, with a script of others.
    await tab.page.goto(`${proxy.url}reference`, { waitUntil: 'load' });
    await tab.text(/orderbook/i);
    for (const dark of [false, true]) {
      await tab.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }]);
      await tab.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      // What its style decides; other elements are made by the script.
      const wrong = (await violationsOf(tab)).filter((line) =>
        /^(color-contrast|scrollable-region)/.test(line),
      );
      expect(wrong).toEqual([]);
    }
    expect(tab.problems).toEqual([]);
  });

  test('stands still while it loads and while ledgers close', async () => {
    const moved: Record<string, unknown> = {};
    for (const width of SHIFT_WIDTHS) {
      await using tab = await browser().open('about:blank', { width });
      await tab.page.evaluateOnNewDocument(WATCH_SHIFTS);
      await tab.page.goto(market.url);
      await visit(tab, async (page) => {
        for (let ledger = 0; ledger < LEDGERS_WATCHED; ledger++) {
          await market.close();
          await tab.settled();
        }
        const shifts = await tab.evaluate<{ value: number }[]>('shifts.splice(0)');
        const score = shifts.reduce((sum, { value }) => sum + value, 0);
        if (score >= LAYOUT_SHIFT_MAX) moved[`${page} ${width}`] = { score, shifts };
      });
    }
    expect(moved).toEqual({});
  });

  test('comes with a policy that lets it reach this service alone, and no cookie', async () => {
    const response = await fetch(market.url, { headers: { accept: 'text/html' } });
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(response.headers.get('set-cookie')).toBeNull();
  });

  test(`is loaded with at most ${FIRST_LOAD_BYTES_MAX / 1000} kB`, async () => {
    await using tab = await browser().open(market.url);
    await tab.settled();
    await tab.page.setCacheEnabled(false);
    let bytes = 0;
    tab.devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await tab.page.reload({ waitUntil: 'load' });
    await tab.page.waitForSelector('main h1');
    await tab.settled();
    console.log(`first load: ${(bytes / 1000).toFixed(1)} kB`);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(FIRST_LOAD_BYTES_MAX);
  });
});

/** What can be clicked and cannot be reached with the Tab key. */
function unreachable(tab: Tab): Promise<string[]> {
  return tab.evaluate(`
    [...document.querySelectorAll('a, button, input, select, summary, [onclick]')]
      .filter((element) => element.checkVisibility() && !element.disabled)
      .filter((element) => element.tabIndex < 0 || (element.localName === 'a' && !element.href))
      .map((element) => 'not reached by keys: ' + element.outerHTML.slice(0, 120))`);
}

/** Tables that say to nobody who does not see them what they are of. */
function unnamed(tab: Tab): Promise<string[]> {
  return tab.evaluate(`
    [...document.querySelectorAll('table')]
      .filter((table) => !table.closest('[aria-hidden=true]'))
      .filter((table) => !table.ariaLabel && !document.getElementById(table.getAttribute('aria-labelledby')))
      .map((table) => 'table without a name: ' + table.outerHTML.slice(0, 120))`);
}
