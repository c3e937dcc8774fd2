/** The pages of a service that asks for keys: they bring one of their own, and the limits of the free tier hold for them. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { leaveNewKey } from '../../service/new-keys.ts';
import { type Frame, until } from '../live-rig.ts';
import { describeInBrowser, type Tab } from './browser.ts';
import { Market } from './market.ts';
import { placesOf } from './places.ts';

/** Requests in a burst, in ten seconds, in a minute: the answer names the window that is fullest at that moment. */
const OF_TIER: Readonly<Record<'anonymous' | 'free', readonly (string | null)[]>> = {
  anonymous: ['2', '5', '30'],
  free: ['20', '100', '600'],
};

describeInBrowser('a service that asks for keys', (browser) => {
  let market: Market;
  let admin = '';
  beforeAll(async () => {
    market = await Market.start({ ledgers: 60, options: ['--admission', 'keys'] });
    admin = leaveNewKey(market.data, 'admin', 'tests', Date.now());
    await until(async () => (await asAdmin('/v1/stats')).status === 200, 'a service that is open');
  });
  afterAll(() => market?.[Symbol.asyncDispose]());

  const asAdmin = (path: string) => fetch(market.url + path, { headers: { 'X-Admin-Key': admin } });
  const answer = async (path: string) => (await (await asAdmin(path)).json()) as Frame;
  const keyIn = (tab: Tab) => tab.evaluate<string>('document.documentElement.dataset.key');

  /** No visitor is as fast as a test: pages wait when they are told to, and ask again. */
  const open = async (fragment = '') => {
    const tab = await browser().open(market.url + fragment);
    tab.expect(/429/);
    return tab;
  };

  test('every page is admitted, with its streams', async () => {
    const { md5, issuer } = (await answer('/v1/tokens?limit=1&sort=vol24hxrp')).tokens[0];
    const { hash, ledger } = (await answer(`/v1/history?md5=${md5}&limit=1`)).data[0];
    const { collections } = await answer('/v1/nft/collections?limit=1&sort=items');
    const collection = collections[0].slug as string;
    const nft = (await answer(`/v1/nft?cid=${collection}&limit=1`)).nfts[0].NFTokenID as string;
    await using tab = await open();
    const empty: string[] = [];
    for (const { page, fragment } of placesOf({
      md5,
      issuer,
      trade: hash,
      ledger: Number(ledger),
      collection,
      nft,
    })) {
      await tab.go(fragment);
      await tab.page.waitForSelector('main h1');
      await tab.settled();
      if (/API key|not admitted/i.test((await tab.read('main')) ?? '')) empty.push(page);
    }
    await tab.go('#/tokens');
    await market.close();
    await tab.text(new RegExp(`Live, ledger ${market.world.network.closed.index}`));
    expect(empty).toEqual([]);
    expect(tab.problems).toEqual([]);
    expect(tab.requests.some((url) => url.startsWith('ws:'))).toBe(true);
    // Keys in addresses end up in logs.
    expect(tab.requests.filter((url) => url.includes(admin) || url.includes('xrpl_'))).toEqual([]);
  });

  test('a chart in the frame of another site is admitted, and its document is read by an address alone', async () => {
    const { md5 } = (await answer('/v1/tokens?limit=1&sort=vol24hxrp')).tokens[0];
    const html = `<!doctype html><iframe sandbox="allow-scripts" src="${market.url}/v1/embed/${md5}"></iframe>`;
    await using stranger = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response(html, { headers: { 'Content-Type': 'text/html' } }),
    });
    await using tab = await browser().open(`http://127.0.0.1:${stranger.port}/`, { allowed: [market.url] });
    tab.expect(/429|favicon|404/);
    const frame = (await (await tab.page.waitForSelector('iframe'))!.contentFrame())!;
    const read = () =>
      frame.evaluate("document.querySelector('main')?.innerText") as Promise<string | undefined>;
    await until(async () => /\d XRP/.test((await read()) ?? ''), 'a price in the frame');
    expect(tab.problems).toEqual([]);
  });

  test('sizes of a quote that are refused are not shown as if no way led there', async () => {
    await using tab = await open('/#/quote');
    await tab.text(/Rate limit of \/dex\/quote reached: 3 per 60 s/, '[aria-label="Sizes"]');
    expect(tab.problems).toEqual([]);
  });

  test('a page that stays open over a restart reads the new key', async () => {
    await using tab = await open('/#/movers');
    await tab.settled();
    const before = await keyIn(tab);
    tab.expect(/401|429|ERR_|Failed to load|WebSocket|socket/);
    await market.stopService();
    await market.startService();
    await market.close();
    await tab.text(new RegExp(`Live, ledger ${market.world.network.closed.index}`));
    await tab.go('#/pools');
    await tab.text(/all \d+ pools/);
    expect(await keyIn(tab)).not.toBe(before);
    expect(await tab.read('main')).not.toMatch(/API key/i);
  });

  test('the key is that of the pages alone: no more than the free tier, and nothing of anybody', async () => {
    await using tab = await open('/#/api');
    const headers = { 'X-Api-Key': await keyIn(tab) };
    const ask = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(`${market.url}/v1${path}`, { headers, ...init });
      return { status: response.status, limit: response.headers.get('x-ratelimit-limit') };
    };
    const { status, limit } = await ask('/stats');
    expect(status).toBe(200);
    expect(OF_TIER.free).toContain(limit);
    expect((await ask('/keys/partner-requests')).status).toBe(401);
    const body = JSON.stringify({ requestId: 'x', kind: 'missing_field' });
    expect((await ask('/feedback', { method: 'POST', body })).status).toBe(403);
    // Whoever sends none is anonymous.
    expect(OF_TIER.anonymous).toContain((await ask('/stats', { headers: {} })).limit);
  });

  test('the admin sees the requests with a key of theirs', async () => {
    await using tab = await open('/#/admin');
    await tab.settled();
    await (await tab.page.waitForSelector('aria/Admin key'))!.type(admin);
    await (await tab.page.waitForSelector('aria/Show the requests[role="button"]'))!.click();
    await tab.text(/No request is pending/);
    expect(tab.problems).toEqual([]);
  });
});
