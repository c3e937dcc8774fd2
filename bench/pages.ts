/**
 * The pages in a real browser (Debian's Chromium), over a state of 20,000 tokens whose ledgers change about 500 of them:
 *
 *   first     from the navigation to rows with prices, with the processor slowed down four times and nothing kept
 *   task      the longest task of the page's thread while ledgers close, from a trace: without the time that the thread
 *             waited for a core, which the machine's other work adds (it draws without a graphics card)
 *   sockets   of each page, the most
 *   idle      requests of a page in which no ledger closes: nothing is asked for by a timer
 *
 * The service has core 0, the browser the others. `bun bench/pages.ts [--share=0.17]`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import type { Figure } from './budgets.ts';
import { FollowingService, madeStore, withCopy } from './size/rig.ts';

/** Of the main network's 120,000 tokens. */
const SHARE = 20_000 / 120_000;
/** As many as change 500 tokens a ledger: counted by a socket that follows them all. */
const TRANSACTIONS = 1_200;
const CHANGED_LEAST = 500;
const VISITS = 5;
const SLOWDOWN = 4;
const LEDGERS = 30;
const LEDGER_EVERY_MS = 1_000;
/** Of each page: longer than any of its timers waits (web/net/service-state.ts: 2 s). */
const IDLE_MS = 3_000;
const VISIBLE_MS = 60_000;
/** Places of pages with a stream of their own, and of some without. */
const PLACES = ['tokens', 'pools', 'movers', 'whales', 'platforms', 'quote', 'network', 'status'];

const PLACES_OF_BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser'];
const CHROMIUM = (process.env.CHROMIUM ? [process.env.CHROMIUM] : PLACES_OF_BROWSERS).find((path) =>
  existsSync(path),
);

/** In the page, before any of its scripts: when the first row of the list had its price. */
const WATCH_FIRST_ROW = `
  new MutationObserver((_, observer) => {
    const cell = document.querySelector('td.column-price');
    if (!cell || !/\\d/.test(cell.textContent)) return;
    observer.disconnect();
    // Drawn, not only in the tree.
    requestAnimationFrame(() => setTimeout(() => { window.firstRowAt = performance.now(); }));
  }).observe(document, { childList: true, subtree: true, characterData: true });`;

async function run(executablePath: string): Promise<Figure[]> {
  const { store, archive } = await madeStore(SHARE, { ledgers: LEDGERS + 20, transactions: TRANSACTIONS });
  return withCopy(store, async (dir) => {
    const following = await FollowingService.start(dir, archive);
    // Inherited by the browser; the service has the first core.
    const cores = availableParallelism();
    const pin = Bun.which('taskset');
    if (pin && cores > 1) spawnSync(pin, ['-apc', `1-${cores - 1}`, String(process.pid)]);
    // The service bundles its pages when it starts (service/main.ts), before anyone looks.
    await fetch(following.url, { headers: { Accept: 'text/html' } });
    const browser = await puppeteer.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    });
    try {
      const first = await firstRows(browser, following.url);
      const changed = changedTokens(following.url);
      const { longest, rows } = await longestTask(browser, following);
      const changedByLedger = changed() / LEDGERS;
      if (changedByLedger < CHANGED_LEAST) throw new Error(`only ${changedByLedger} tokens change a ledger`);
      const { sockets, idle } = await quietLoad(browser, following);
      console.log(
        `first rows after ${first.map((ms) => ms.toFixed(0)).join(', ')} ms; ${changedByLedger.toFixed(0)} tokens changed a ledger, of which the page was ` +
          `sent ${(rows / LEDGERS).toFixed(0)}; ` +
          `sockets by page: ${sockets.join(', ')}`,
      );
      return [
        { name: 'pages.first', value: Math.max(...first) },
        { name: 'pages.task', value: longest },
        { name: 'pages.sockets', value: Math.max(...sockets) },
        { name: 'pages.idle', value: idle },
      ];
    } finally {
      await Promise.all([browser.close(), following.end()]);
    }
  });
}

/** A window of its own, without anything kept, for as long as `use` runs. */
async function withPage<T>(browser: Browser, use: (page: Page) => Promise<T>): Promise<T> {
  const context = await browser.createBrowserContext();
  try {
    const page = await context.newPage();
    await page.setViewport({ width: 1440, height: 900 });
    return await use(page);
  } finally {
    await context.close();
  }
}

/** The first visit is that of a service that has bundled nothing yet. */
async function firstRows(browser: Browser, url: string): Promise<number[]> {
  const times: number[] = [];
  for (let visit = 0; visit < VISITS; visit++) {
    times.push(
      await withPage(browser, async (page) => {
        await page.emulateCPUThrottling(SLOWDOWN);
        await page.evaluateOnNewDocument(WATCH_FIRST_ROW);
        await page.goto(url);
        const found = await page.waitForFunction('window.firstRowAt', { timeout: VISIBLE_MS });
        return (await found.jsonValue()) as number;
      }),
    );
  }
  return times;
}

/** ms; and how many rows the page was sent meanwhile, which must not be none. */
async function longestTask(
  browser: Browser,
  following: FollowingService,
): Promise<{ longest: number; rows: number }> {
  return withPage(browser, async (page) => {
    await page.goto(following.url);
    await page.waitForSelector('td.column-price .value');
    const rows = await receivedRows(page);
    await page.tracing.start({ categories: ['disabled-by-default-devtools.timeline'] });
    for (let ledger = 0; ledger < LEDGERS; ledger++) {
      const next = Bun.sleep(LEDGER_EVERY_MS);
      await following.ledger();
      await next;
    }
    const trace = JSON.parse(new TextDecoder().decode((await page.tracing.stop())!)) as Trace;
    const received = rows();
    if (received === 0) throw new Error('no row moved: there is nothing to measure');
    return { longest: longestOf(trace), rows: received };
  });
}

/** Counts the tokens that ledgers change from now on; a frame that stands for several ledgers counts each token once. */
function changedTokens(url: string): () => number {
  let count = 0;
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/sync`);
  socket.onopen = () => socket.send(JSON.stringify({ type: 'subscribe', snapshot: false }));
  socket.onmessage = ({ data }) => {
    const { prevSeq, tokens } = JSON.parse(String(data));
    if (prevSeq !== undefined) count += tokens.length;
  };
  return () => {
    socket.close();
    return count;
  };
}

/** Counts the rows that frames of `/ws/sync` bring from now on. */
async function receivedRows(page: Page): Promise<() => number> {
  const devtools = await page.createCDPSession();
  let rows = 0;
  await devtools.send('Network.enable');
  devtools.on('Network.webSocketFrameReceived', ({ response: { payloadData } }) => {
    if (payloadData.startsWith('{')) rows += (JSON.parse(payloadData).tokens ?? []).length;
  });
  return () => rows;
}

interface Trace {
  readonly traceEvents: readonly {
    readonly name: string;
    readonly pid: number;
    readonly tid: number;
    /** Microseconds that the thread ran. */
    readonly tdur?: number;
    readonly args: { readonly name?: string };
  }[];
}

/** The longest task of any page's main thread, ms. */
function longestOf({ traceEvents }: Trace): number {
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => name === 'RunTask' && threads.has(`${pid} ${tid}`),
  );
  if (tasks.length === 0) throw new Error('the trace has no task of a page');
  return tasks.reduce((most, { tdur = 0 }) => Math.max(most, tdur / 1000), 0);
}

/** The open sockets of each page, and what the pages ask for while no ledger closes. */
async function quietLoad(
  browser: Browser,
  following: FollowingService,
): Promise<{ sockets: number[]; idle: number }> {
  return withPage(browser, async (page) => {
    const devtools = await page.createCDPSession();
    const open = new Set<string>();
    await devtools.send('Network.enable');
    devtools.on('Network.webSocketCreated', ({ requestId }) => open.add(requestId));
    devtools.on('Network.webSocketClosed', ({ requestId }) => open.delete(requestId));
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    // So that the service shows the present when the page opens.
    await following.ledger();
    await page.goto(following.url);
    const sockets: number[] = [];
    let idle = 0;
    for (const place of PLACES) {
      await page.evaluate(`void (location.hash = '#/${place}')`);
      await page.waitForSelector('main h1');
      // Without any for 20 s the pages ask whether the service still has its source.
      await following.ledger();
      await page.waitForNetworkIdle({ idleTime: 1_000, timeout: VISIBLE_MS });
      const before = asked.length;
      await Bun.sleep(IDLE_MS);
      const unasked = asked.slice(before);
      if (unasked.length > 0) console.log(`${place} asks without a ledger: ${unasked.join(', ')}`);
      idle += unasked.length;
      sockets.push(open.size);
    }
    return { sockets, idle };
  });
}

if (import.meta.main)
  console.log(
    CHROMIUM === undefined
      ? 'skipped: this machine has no Chromium'
      : `figures ${JSON.stringify(await run(CHROMIUM))}`,
  );
