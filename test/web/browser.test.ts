/** The rig of the browser tests: what it must find, and the market that it shows. */
import { afterAll, expect, test } from 'bun:test';
import { violationsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';
import { Market } from './market.ts';

/** A page of a small server: its script does what the path says. */
const SCRIPTS: Readonly<Record<string, string>> = {
  '/good': 'document.body.append("good")',
  '/warns': 'console.warn("take care")',
  '/throws': 'setTimeout(() => { throw new Error("nobody catches this") })',
  '/asks': 'fetch("absent")',
  '/leaves': 'new Image().src = "http://localhost:1/pixel.png"',
  '/unreadable': 'document.body.insertAdjacentHTML("beforeend", "<button></button>")',
  '/socket': 'new WebSocket("ws://localhost:1/spy")',
};

describeInBrowser('the browser rig', (browser) => {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === '/favicon.ico') return new Response(null, { status: 204 });
      const script = SCRIPTS[pathname];
      if (script === undefined) return new Response('not here', { status: 404 });
      const html = `<!doctype html><html lang="en"><title>rig</title><main><h1>A  page</h1><script>${script}</script></main>`;
      return new Response(html, { headers: { 'content-type': 'text/html' } });
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  afterAll(() => server.stop(true));

  test('finds nothing wrong with a page that works, and reads what it shows', async () => {
    await using tab = await browser().open(`${url}/good`);
    expect(await tab.text(/good/)).toBe('A page good');
    expect(await tab.read('.absent')).toBeUndefined();
    expect(await tab.readAll('h1')).toEqual(['A page']);
    expect(tab.problems).toEqual([]);
  });

  for (const [path, problem] of [
    ['/warns', /^console warn: take care$/],
    ['/throws', /^exception: .*nobody catches this/],
    ['/asks', /^status 404: .*\/absent$/],
    ['/leaves', /^request to another origin: http:\/\/localhost:1\/pixel.png$/],
    ['/socket', /^socket to another origin: ws:\/\/localhost:1\/spy$/],
  ] as const)
    test(`reports a page that ${path.slice(1)}`, async () => {
      await using tab = await browser().open(url + path);
      while (!tab.problems.some((line) => problem.test(line))) await Bun.sleep(10);
      expect(tab.problems).toContainEqual(expect.stringMatching(problem));
    });

  test('reports what axe-core finds', async () => {
    await using good = await browser().open(`${url}/warns`);
    expect(await violationsOf(good)).toEqual([]);
    await using tab = await browser().open(`${url}/unreadable`);
    expect(await violationsOf(tab)).toContainEqual(expect.stringMatching(/^button-name /));
  });

  test('shows a page in the size and the colours that were asked for', async () => {
    await using tab = await browser().open(`${url}/good`, { width: 390, dark: true });
    const seen = await tab.evaluate(
      '({ width: innerWidth, dark: matchMedia("(prefers-color-scheme: dark)").matches })',
    );
    expect(seen).toEqual({ width: 390, dark: true });
  });

  test('closes ledgers of a market when it is told to, with what was submitted, and after a restart', async () => {
    await using market = await Market.start({ ledgers: 20 });
    const { address, seed } = await market.fund(500);
    await market.close();
    const domain = Buffer.from('shop.example').toString('hex').toUpperCase();
    const hash = await market.submit(seed, {
      TransactionType: 'AccountSet',
      Account: address,
      Domain: domain,
    });
    const { index } = await market.close();
    expect(await market.get(`/v1/tx/${hash}`)).toMatchObject({
      ledger_index: index,
      tx_json: { Domain: domain },
    });
    const { url } = market;
    await market.stopService();
    await market.close(2);
    await market.startService();
    expect(market.url).toBe(url);
    expect(await market.get('/v1/ledger')).toMatchObject({ ledger_index: index + 2 });
    await using tab = await browser().open(`${url}/v1/ledger`);
    expect(await tab.text(/ledger_index/)).toContain(String(index + 2));
  });
});
