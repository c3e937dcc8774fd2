/**
 * A real browser for the tests of the pages: Debian's Chromium, one process a test file, one private window a tab.
 *
 *     describeInBrowser('tokens', (browser) => test('…', async () => {
 *       await using tab = await browser().open(market.url, { width: 390, dark: true });
 *       …
 *       expect(tab.problems).toEqual([]);
 *     }));
 *
 * Everything that a visitor would not want to happen is a problem: an error or a warning on the console, an exception that
 * nobody caught, a request that failed or was answered with an error, and any request that leaves the page's origin (no
 * name but this machine's is resolved). Without a browser the tests are skipped and say so. The variable CHROMIUM names one in another place,
 * PICTURES a folder for pictures of the pages.
 */
import { afterAll, beforeAll, describe } from 'bun:test';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import puppeteer, { type Browser, type BrowserContext, type CDPSession, type Page } from 'puppeteer-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Looks at a page, 20 ms apart, at which it must be at rest. */
const CALM_LOOKS = 6;

/** Path of the browser's program; undefined where there is none. */
function browserPath(): string | undefined {
  const { CHROMIUM } = process.env;
  return (CHROMIUM ? [CHROMIUM] : PLACES).find((path) => existsSync(path));
}

/** Tests with a browser of their own, which the function gets; skipped, with a line that says so, where there is none. */
export function describeInBrowser(subject: string, tests: (browser: () => TestBrowser) => void): void {
  const path = browserPath();
  if (path === undefined) console.log(`${subject}: skipped, because this machine has no Chromium`);
  describe.skipIf(path === undefined)(subject, () => {
    let browser: TestBrowser | undefined;
    beforeAll(async () => {
      browser = await TestBrowser.launch(path!);
    });
    afterAll(() => browser?.close());
    tests(() => browser!);
  });
}

/** What a tab is opened with. */
export interface TabOptions {
  /** Of the window, CSS pixels. */
  readonly width?: number;
  readonly height?: number;
  /** The visitor prefers dark colours. Default: light. */
  readonly dark?: boolean;
  /** The visitor prefers no movement. Default: yes, so that pictures do not depend on the moment. */
  readonly reducedMotion?: boolean;
  /** Timers of a minute or more fire after so many ms: for what pages do when they have been hidden for long. */
  readonly minuteMs?: number;
  /** How many times slower the processor is. */
  readonly slowdown?: number;
  /** Other origins that it may ask: of what it frames. */
  readonly allowed?: readonly string[];
}

export class TestBrowser {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async launch(executablePath: string): Promise<TestBrowser> {
    const args = [
      // Containers have no user namespaces, and little shared memory.
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--no-first-run',
      '--hide-scrollbars',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
      '--lang=en-US',
    ];
    // A machine under load takes its time to start a browser.
    const timeout = 120_000;
    const env = { ...process.env, TZ: 'UTC' };
    return new TestBrowser(
      await puppeteer.launch({
        executablePath,
        headless: true,
        args,
        timeout,
        protocolTimeout: timeout,
        env,
      }),
    );
  }

  /** Opens an address in a window of its own, without anything kept of other tabs. Resolves when the document is loaded. */
  async open(url: string, options: TabOptions = {}): Promise<Tab> {
    const context = await this.#browser.createBrowserContext();
    const tab = await Tab.create(context, new URL(url).origin, options);
    await tab.page.goto(url, { waitUntil: 'load' });
    return tab;
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}

/** One page in the browser. What needs more than this is asked of `page` (puppeteer) or `devtools` (Chrome's protocol). */
export class Tab implements AsyncDisposable {
  readonly page: Page;
  readonly devtools: CDPSession;
  /** What went wrong so far, as one line each. */
  readonly problems: string[] = [];
  /** Addresses requested so far, sockets included. */
  readonly requests: string[] = [];
  readonly #context: BrowserContext;
  /** Requests of the present document without an end so far, by their ids. */
  readonly #running = new Map<string, { readonly url: string; readonly of: string }>();
  #expected: RegExp | undefined;

  private constructor(context: BrowserContext, page: Page, devtools: CDPSession) {
    this.#context = context;
    this.page = page;
    this.devtools = devtools;
  }

  static async create(context: BrowserContext, origin: string, options: TabOptions): Promise<Tab> {
    const page = await context.newPage();
    const devtools = await page.createCDPSession();
    const tab = new Tab(context, page, devtools);
    const {
      width = 1280,
      height = 900,
      dark = false,
      reducedMotion = true,
      slowdown,
      minuteMs,
      allowed = [],
    } = options;
    await page.setViewport({ width, height });
    await page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' },
      { name: 'prefers-reduced-motion', value: reducedMotion ? 'reduce' : 'no-preference' },
    ]);
    if (minuteMs !== undefined)
      await page.evaluateOnNewDocument(`{
        const real = window.setTimeout;
        window.setTimeout = (run, ms, ...given) => real(run, ms >= 60_000 ? ${minuteMs} : ms, ...given);
      }`);
    if (slowdown !== undefined) await page.emulateCPUThrottling(slowdown);
    await tab.#watch([origin, ...allowed]);
    return tab;
  }

  /**
   * From now on problems that match are not reported: a test that cuts a socket expects the browser to say so.
   * @param pattern undefined: none is expected any more
   */
  expect(pattern: RegExp | undefined): void {
    this.#expected = pattern;
  }

  /**
   * Waits until the page's text, or that of the first element of a selector, matches. Shown white space is one space.
   * @returns the text
   * @throws Error with the text when it does not come to match
   */
  async text(pattern: RegExp, selector = 'body', ms = 60_000): Promise<string> {
    const end = performance.now() + ms;
    for (;;) {
      const text = await this.read(selector);
      if (text !== undefined && pattern.test(text)) return text;
      if (performance.now() > end)
        throw new Error(
          `in ${ms} ms ${selector} did not come to show ${pattern}: ${text}\n${this.problems.join('\n')}`,
        );
      await Bun.sleep(20);
    }
  }

  /** Waits until the page has what it asked for: no request runs, nothing is marked as loading, and that stays so. */
  async settled(ms = 60_000): Promise<void> {
    const end = performance.now() + ms;
    for (let calm = 0; calm < CALM_LOOKS; ) {
      const isLoading = await this.evaluate<boolean>(
        "document.querySelector('main') === null || document.querySelector('main .loading, main [aria-busy=true]') !== null",
      );
      calm = this.#running.size > 0 || isLoading ? 0 : calm + 1;
      if (performance.now() > end)
        throw new Error(
          `in ${ms} ms it did not come to rest: ${[...this.#running.values()].map(({ url }) => url)} ${await this.read('main')}`,
        );
      await Bun.sleep(20);
    }
  }

  /** The text that an element shows; undefined where there is no such element. */
  async read(selector: string): Promise<string | undefined> {
    return (await this.readAll(selector))[0];
  }

  /** The texts that all elements of a selector show. */
  async readAll(selector: string): Promise<string[]> {
    const all = `[...document.querySelectorAll(${JSON.stringify(selector)})]`;
    const texts = await this.evaluate<string[]>(`${all}.map((element) => element.innerText)`);
    return texts.map((text) => text.replace(/\s+/g, ' ').trim());
  }

  /** The value of an expression in the page: a text, because types of the browser are not those of this program. */
  async evaluate<Value>(expression: string): Promise<Value> {
    return (await this.page.evaluate(expression)) as Value;
  }

  /** Goes to another page of the same document: `#/tokens`. */
  async go(fragment: string): Promise<void> {
    await this.evaluate(`void (location.hash = ${JSON.stringify(fragment)})`);
  }

  /** How far the content is wider than the window, CSS pixels: 0 where nothing has to be scrolled sideways. */
  async overflow(): Promise<number> {
    const root = 'document.documentElement';
    return this.evaluate(`Math.max(0, ${root}.scrollWidth - ${root}.clientWidth)`);
  }

  /** Texts that do not fit their box, which hides the rest and does not show that with an ellipsis. */
  async cutTexts(): Promise<string[]> {
    return this.evaluate(`
      [...document.querySelectorAll('body *')]
        .filter((element) => element.innerText && element.checkVisibility() && !element.closest('.visually-hidden'))
        .filter((element) => element.scrollWidth > element.clientWidth + 1)
        .filter((element) => {
          const { overflowX, textOverflow } = getComputedStyle(element);
          return /hidden|clip/.test(overflowX) && textOverflow !== 'ellipsis';
        })
        .map(({ innerText, clientWidth, scrollWidth }) => innerText + ': ' + scrollWidth + ' px in ' + clientWidth)`);
  }

  /** The tab is behind another one, or in front again: what a page sees of that. */
  async setHidden(isHidden: boolean): Promise<void> {
    const state = isHidden ? 'hidden' : 'visible';
    await this.evaluate(`
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
      document.dispatchEvent(new Event('visibilitychange'));`);
  }

  /** Saves a picture where PICTURES names a folder: for whoever looks at the pages. */
  async picture(name: string): Promise<void> {
    const { PICTURES } = process.env;
    if (PICTURES === undefined) return;
    const path = `${PICTURES}/${name}.png` as const;
    mkdirSync(dirname(path), { recursive: true });
    await this.page.screenshot({ path });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close();
  }

  async #watch(origins: readonly string[]): Promise<void> {
    const { page } = this;
    page.on('console', (message) => {
      const type = message.type();
      if (type === 'error' || type === 'warn') this.#problem(`console ${type}: ${message.text()}`);
    });
    page.on('pageerror', (fault) => this.#problem(`exception: ${fault}`));
    const isOwn = (url: string) =>
      /^(data|blob|about):/.test(url) || origins.includes(new URL(url).origin.replace(/^ws/, 'http'));
    // Of the protocol itself: what puppeteer makes of it sometimes lacks the end of a request.
    const { devtools } = this;
    const addresses = new Map<string, string>();
    const { frameTree } = await devtools.send('Page.getFrameTree');
    let document = '';
    devtools.on('Network.requestWillBeSent', ({ requestId, loaderId, frameId, request: { url }, type }) => {
      if (type === 'Document' && frameId === frameTree.frame.id) document = loaderId;
      // The last document may go on asking until the next one takes its place; of that no end is reported.
      for (const [id, { of }] of this.#running) if (of !== document) this.#running.delete(id);
      addresses.set(requestId, url);
      this.requests.push(url);
      if (loaderId === document) this.#running.set(requestId, { url, of: loaderId });
      if (!isOwn(url)) this.#problem(`request to another origin: ${url}`);
    });
    devtools.on('Network.responseReceived', ({ response: { status, url } }) => {
      if (status >= 400) this.#problem(`status ${status}: ${url}`);
    });
    devtools.on('Network.loadingFinished', ({ requestId }) => this.#running.delete(requestId));
    devtools.on('Network.loadingFailed', ({ requestId, errorText, canceled }) => {
      this.#running.delete(requestId);
      // Cancelled by the page itself: another question has taken its place, or the visitor has gone on.
      if (!canceled) this.#problem(`request failed: ${addresses.get(requestId)} ${errorText}`);
    });
    devtools.on('Network.webSocketCreated', ({ url }) => {
      this.requests.push(url);
      if (!isOwn(url)) this.#problem(`socket to another origin: ${url}`);
    });
    devtools.on('Network.webSocketFrameError', ({ errorMessage }) =>
      this.#problem(`socket: ${errorMessage}`),
    );
    await devtools.send('Network.enable');
  }

  #problem(line: string): void {
    if (!this.#expected?.test(line)) this.problems.push(line);
  }
}
