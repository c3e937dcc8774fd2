/** What stands above every page while it does not show the present: how far the service is, or what to do. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../live-rig.ts';
import { violationsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';
import { Market } from './market.ts';

/** Ledgers of a history are a minute apart. */
const HISTORY_STEP = 60;

describeInBrowser('above every page', (browser) => {
  let market: Market;
  beforeAll(async () => {
    market = await Market.start({ ledgers: 20 });
  });
  afterAll(() => market?.[Symbol.asyncDispose]());

  const closedAt = async (index: number) =>
    Date.parse((await market.get(`/v1/ledger/${index}?transactions=false`)).close_time_iso);

  test('nothing stands while the service shows the present', async () => {
    await using tab = await browser().open(`${market.url}/#/network`);
    await tab.settled();
    expect(await tab.read('.service-state')).toBeUndefined();
    // /health is asked once: ledgers come by stream.
    await market.close(2);
    await tab.text(/Live, ledger 22/, '.ledger');
    expect(tab.requests.filter((url) => url.endsWith('/v1/health'))).toHaveLength(1);
    expect(tab.problems).toEqual([]);
  });

  test('a history that is being made has a bar with the time left', async () => {
    await using tab = await browser().open(`${market.url}/#/network`, { dark: true });
    await tab.settled();
    let shown: string | undefined;
    const closing = { agents: false, step: HISTORY_STEP };
    await until(async () => {
      await market.close(1, closing);
      await Bun.sleep(50);
      shown = await tab.read('.service-state');
      return shown !== undefined && /left/.test(shown);
    }, 'a bar with the time left');
    expect(shown).toMatch(/^Making or reading history: .* \d+%, \d+ (d|h|min|s)( \d+ (h|min|s))? left$/);
    const share = await tab.evaluate<number>('document.querySelector(".service-state progress").value');
    const [second, newest] = await Promise.all([2, market.world.network.closed.index].map(closedAt));
    const expected = (newest! - second!) / (Date.now() - second!);
    expect(share / expected).toBeGreaterThan(0.2);
    expect(share / expected).toBeLessThan(1.01);
    expect(await violationsOf(tab)).toEqual([]);
    await tab.picture('history');
    // It ends when ledgers come at the pace of the clock.
    await until(async () => {
      await market.close();
      await Bun.sleep(500);
      return (await tab.read('.service-state')) === undefined;
    }, 'no bar');
    expect(tab.problems).toEqual([]);
  });

  for (const [kind, change, says] of [
    [
      'starting',
      { ready: false, progress: { stage: 'restoring', share: 0.42 } },
      /^Restoring the state.*42%/,
    ],
    [
      'without a node from its start on',
      {
        ready: false,
        ledger: null,
        progress: { stage: 'catching up', share: null },
        services: { rippled: { status: 'down' } },
      },
      /^No node gives new ledgers\. There is nothing to show yet.*--source/,
    ],
    ['stale', { ready: false }, /What is shown is not the present.*ledger [\d,]+, closed .* ago.*--source/],
  ] as const)
    test(`a service that is ${kind} is said to be`, async () => {
      await using tab = await browser().open('about:blank');
      await tab.page.setRequestInterception(true);
      tab.page.on('request', async (request) => {
        if (!request.url().endsWith('/v1/health')) return void request.continue();
        const body = JSON.stringify({ ...(await market.get('/v1/health')), ...change });
        await request.respond({ contentType: 'application/json', body });
      });
      await tab.page.goto(`${market.url}/#/network`);
      expect((await tab.text(/\w/, '.service-state')).replace(/\s+/g, ' ')).toMatch(says);
      // The page below it comes later.
      await tab.page.waitForSelector('main h1');
      expect(await violationsOf(tab)).toEqual([]);
    });

  test('without a node it says so and what to do, and goes on when one is back', async () => {
    await market.stopNode();
    await until(() => !market.service.network.ready, 'a service that is not ready');
    await using tab = await browser().open(`${market.url}/#/tokens`);
    const { index } = market.world.network.closed;
    const shown = await tab.text(/No node gives new ledgers/, '.service-state');
    expect(shown).toContain(`of ledger ${index.toLocaleString('en')}, closed`);
    expect(shown).toContain('--source');
    expect(await violationsOf(tab)).toEqual([]);
    await tab.settled();
    await tab.picture('no-node');
    market.startNode();
    await until(() => market.service.network.ready, 'a service that is ready again');
    await until(async () => (await tab.read('.service-state')) === undefined, 'no notice');
    expect(tab.problems).toEqual([]);
  });
});
