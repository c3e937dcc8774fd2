/**
 * What happens to connections in real life: they break, the service is restarted, the tab is put away. Afterwards each page
 * is correct again by itself, which means: the same as one that has just been opened.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../live-rig.ts';
import { describeInBrowser, type Tab } from './browser.ts';
import { type Hostile, hostileToken } from './hostile.ts';
import { Market } from './market.ts';
import { type PlaceOfPage, placesOf } from './places.ts';
import { PrefixProxy } from './proxy.ts';

/** Ledgers after which every page has asked for everything again, and looks at a page between two of them, 20 ms apart. */
const EMPTY_LEDGERS = 30;
const LOOKS = 10;
/**
 * Figures of the process itself differ between two looks. A quote names the ledger of its last change, and shows a depth of
 * when it was asked.
 */
const INCOMPARABLE = new Set(['status', 'quote']);

describeInBrowser('every page is correct again by itself', (browser) => {
  let market: Market;
  let places: readonly PlaceOfPage[];
  let proxy: PrefixProxy;
  /** One tab for each page, through the proxy. */
  const tabs = new Map<PlaceOfPage, Tab>();

  beforeAll(async () => {
    market = await Market.start({ ledgers: 90 });
    const about: Hostile = await hostileToken(market);
    const { tokens } = await market.get('/v1/tokens?limit=1');
    // A token that is traded in every ledger or so.
    places = placesOf({ ...about, md5: tokens[0].md5 });
    proxy = new PrefixProxy(market.url);
    for (const place of places) {
      const tab = await browser().open(proxy.url + place.fragment, { minuteMs: 50 });
      await tab.settled();
      tabs.set(place, tab);
    }
  });
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await market?.[Symbol.asyncDispose]();
  });

  /** What two tabs show differently for as long as a moment; undefined: nothing. */
  async function difference(tab: Tab, opened: Tab): Promise<readonly unknown[] | undefined> {
    let texts: readonly unknown[] = [];
    for (let looks = 0; looks < LOOKS; looks++) {
      texts = await Promise.all([tab.read('main'), opened.read('main')]);
      if (texts[0] === texts[1]) return undefined;
      await Bun.sleep(20);
    }
    return texts;
  }

  /** Waits until each page shows what one shows that has been opened after all that happened. */
  async function expectCorrect(): Promise<void> {
    await using opened = await browser().open(market.url);
    for (const [place, tab] of tabs) {
      await tab.page.bringToFront();
      await tab.text(new RegExp(`Live, ledger ${market.world.network.closed.index}$`), '.ledger');
      if (INCOMPARABLE.has(place.page)) continue;
      await opened.go(place.fragment);
      await opened.settled();
      const differences = () => difference(tab, opened);
      // What is asked for again after some ledgers only follows within these; nothing happens in them.
      for (let more = 0; (await differences()) && more < EMPTY_LEDGERS; more++)
        await market.close(1, { agents: false });
      expect(await differences(), place.fragment).toBeUndefined();
      expect(tab.problems, place.fragment).toEqual([]);
    }
  }

  const each = (run: (tab: Tab) => Promise<unknown>) => Promise.all([...tabs.values()].map(run));

  test('as each ledger closes', async () => {
    await market.close(2);
    await expectCorrect();
  });

  test('after its socket was cut, and ledgers closed meanwhile', async () => {
    for (const tab of tabs.values()) tab.expect(/502|socket|WebSocket|Failed to load/);
    proxy.cut();
    await each((tab) => tab.text(/Connection lost/));
    await market.close(3);
    proxy.mend();
    await expectCorrect();
  });

  test('after the service was restarted', async () => {
    for (const tab of tabs.values()) tab.expect(/50\d|socket|WebSocket|Failed to load/);
    await market.stopService();
    await each((tab) => tab.text(/Connection lost/));
    await market.close(2);
    await market.startService();
    await expectCorrect();
  });

  test('after a minute behind another tab, in which it holds no socket', async () => {
    for (const tab of tabs.values()) tab.expect(undefined);
    await each((tab) => tab.setHidden(true));
    await until(() => proxy.open === 0, 'no socket of a hidden page');
    await market.close(3);
    await each((tab) => tab.setHidden(false));
    await expectCorrect();
  });

  test('with two sockets at most', async () => {
    for (const { fragment } of places) {
      await using tab = await browser().open(proxy.url + fragment);
      await tab.settled();
      expect(tab.requests.filter((url) => url.startsWith('ws:')).length, fragment).toBeLessThanOrEqual(2);
    }
  });
});
