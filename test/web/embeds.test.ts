/** The documents for frames of other sites: their headers, what they escape, and in a real browser a stranger's sandboxed frame. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { HTTPRequest } from 'puppeteer-core';
import { type Frame, until } from '../live-rig.ts';
import { violationsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';
import { Market } from './market.ts';
import { PrefixProxy } from './proxy.ts';

let market: Market;
let token: Frame;
beforeAll(async () => {
  market = await Market.start();
  [token] = (await market.get('/v1/tokens?limit=1&sort=tvl')).tokens;
});
afterAll(() => market?.[Symbol.asyncDispose]());

const chart = (query = '') => fetch(`${market.url}/v1/embed/${token.md5}${query}`);
const policyOf = (response: Response) => response.headers.get('Content-Security-Policy')!;

describe('documents for frames', () => {
  test('anyone may frame them; they load from this service alone, and keep nothing', async () => {
    for (const path of ['', '/score'].map((kind) => `/v1/embed${kind}/${token.md5}`)) {
      const response = await fetch(market.url + path);
      expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
      expect(policyOf(response)).toContain('frame-ancestors *');
      expect(policyOf(response)).toContain("default-src 'none'");
      expect(policyOf(response)).not.toContain('unsafe');
      expect(response.headers.get('X-Frame-Options')).toBeNull();
      expect(response.headers.get('Set-Cookie')).toBeNull();
      const html = await response.text();
      expect(html).not.toMatch(/<script(?![^>]*\bsrc="assets\/)/);
      expect(html).not.toMatch(/\s(?:style|on\w+)=/);
    }
  });

  test('parameters are clamped as everywhere, and stand in the document', async () => {
    const shown = async (query: string) => (await chart(query)).text();
    expect(await shown('')).toContain('data-theme="dark"');
    expect(await shown('?theme=light')).toContain('data-theme="light"');
    expect(await shown('?theme=pink')).toContain('data-theme="dark"');
    expect(await shown('')).toContain('data-height="400"');
    expect(await shown('?height=1')).toContain('data-height="160"');
    expect(await shown('?height=99999')).toContain('data-height="1200"');
    expect(await shown('?showVolume=false')).toContain('data-volume="false"');
    expect(await shown('?interval=4h&range=7D')).toContain('data-interval="4h" data-range="7D"');
    expect(await shown('?interval=<x>')).not.toContain('data-interval');
  });

  test('a logo is an https address, escaped in the document and in the policy', async () => {
    const withLogo = async (address: string) => {
      const response = await chart(`?logoUrl=${encodeURIComponent(address)}`);
      return { policy: policyOf(response), html: await response.text() };
    };
    const good = await withLogo('https://pics.example/a;b,c.png?x="><script>');
    expect(good.html).toContain('data-logo="https://pics.example/a;b,c.png?x=');
    expect(good.html).not.toContain('"><script>');
    expect(good.policy).toContain("img-src 'self' data: https://pics.example/a%3Bb%2Cc.png;");
    for (const address of [
      'http://pics.example/a.png',
      'javascript:alert(1)',
      'data:image/png,x',
      'https://user:secret@pics.example/',
      'https://*/a.png',
      'https://*.example/a.png',
      'https://pics;script-src.example/a.png',
      'https://pics,default-src.example/a.png',
      'nonsense',
    ]) {
      const { html, policy } = await withLogo(address);
      expect(html, address).not.toContain('data-logo');
      expect(policy, address).toContain("img-src 'self' data:;");
    }
    const none = await chart('?showLogo=false&logoUrl=https%3A%2F%2Fpics.example%2Fa.png');
    expect(await none.text()).not.toContain('data-logo');
  });

  test('say of themselves which token they are of', async () => {
    const { name } = token;
    for (const [path, title] of [
      [`/v1/embed/${token.md5}`, name],
      [`/v1/embed/score/${token.md5}`, `${name}: `],
    ]) {
      const html = await (await fetch(market.url + path)).text();
      expect(html).toContain(`<title>${title}`);
      expect(html).toContain(`<meta property="og:title" content="${title}`);
      expect(html).toMatch(new RegExp(`<meta name="description" content="[^"]*${RegExp.escape(name)}`));
    }
  });

  test('the score is that of the review', async () => {
    const review = await market.get(`/v1/token/review/${token.md5}`);
    const full = await (await fetch(`${market.url}/v1/embed/score/${token.md5}?size=full`)).text();
    expect(full).toContain(`Score ${review.assessmentScore.toFixed(0)} of 100`);
    expect(full).toContain(`Risk: ${review.riskLevel}`);
    expect(full.match(/<progress/g)).toHaveLength(review.factors.length);
    const short = await (await fetch(`${market.url}/v1/embed/score/${token.md5}`)).text();
    expect(short).not.toContain('<progress');
  });

  test('a token that is none is 404, and XRP has no score', async () => {
    expect((await fetch(`${market.url}/v1/embed/${'0'.repeat(32)}`)).status).toBe(404);
    expect((await fetch(`${market.url}/v1/embed/score/XRP`)).status).toBe(400);
  });
});

describeInBrowser('a chart in the frame of a stranger', (browser) => {
  test('is drawn in a sandboxed frame, and moves with the ledgers', async () => {
    await using stranger = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () =>
        new Response(
          `<!doctype html><html lang="en"><title>A stranger</title><link rel="icon" href="data:,">
           <iframe title="chart" sandbox="allow-scripts" width="700" height="400" src="${market.url}/v1/embed/${token.md5}?interval=1m"></iframe>`,
          { headers: { 'Content-Type': 'text/html' } },
        ),
    });
    await using tab = await browser().open(`http://127.0.0.1:${stranger.port}/`, { allowed: [market.url] });
    const element = await tab.page.waitForSelector('iframe');
    const frame = (await element!.contentFrame())!;
    await frame.waitForSelector('.candles canvas');
    for (let closed = 0; closed < 3; closed++) {
      await market.close();
      const { ohlc } = await market.get(`/v1/ohlc/${token.md5}?interval=1m&cb=300`);
      const close = String(Number(Number(ohlc.at(-1)[4]).toPrecision(5)));
      await until(
        async () =>
          ((await frame.evaluate('document.querySelector("strong").innerText')) as string).startsWith(close),
        `the price ${close} in the frame`,
      );
    }
    expect(tab.problems).toEqual([]);
    await tab.picture('embed-framed');
  });

  test('asks again by itself where the service was busy', async () => {
    await using tab = await browser().open('about:blank', { allowed: [market.url], minuteMs: 50 });
    tab.expect(/503|Failed to load/);
    let isBusy = true;
    await tab.page.setRequestInterception(true);
    tab.page.on('request', (request: HTTPRequest) => {
      if (!isBusy || !request.url().includes('/v1/ohlc/')) return void request.continue();
      const body = '{"error":"The store is being opened"}';
      return void request.respond({ status: 503, contentType: 'application/json', body });
    });
    await tab.page.goto(`${market.url}/v1/embed/${token.md5}`);
    await tab.text(/The store is being opened/);
    isBusy = false;
    await tab.text(/\d XRP/, 'strong');
    expect(tab.problems).toEqual([]);
  });

  test('has no hole after a long time behind another tab', async () => {
    await using proxy = new PrefixProxy(market.url);
    await using tab = await browser().open(`${proxy.url}v1/embed/${token.md5}?interval=1m`, { minuteMs: 50 });
    const candles = async (count: number) =>
      (await market.get(`/v1/ohlc/${token.md5}?interval=1m&cb=${count}`)).ohlc as readonly number[][];
    const shown = async () => {
      const { length } = await candles(300);
      await tab.text(new RegExp(`\\. ${length} candles`), '.candles figcaption');
    };
    await shown();
    await until(() => proxy.open === 1, 'the socket of the chart');
    await tab.setHidden(true);
    await until(() => proxy.open === 0, 'no socket of a hidden page');
    const last = (await candles(1))[0]![0]!;
    // More than the stream sends when it begins again.
    for (let closed = 0; (await candles(101))[0]![0]! <= last; closed += 50) {
      expect(closed).toBeLessThan(2000);
      await market.close(50, { step: 60 });
    }
    await tab.setHidden(false);
    await shown();
    expect(tab.problems).toEqual([]);
  });

  test('both documents are accessible in both themes', async () => {
    for (const theme of ['dark', 'light'])
      for (const path of [
        `embed/${token.md5}?theme=${theme}`,
        `embed/score/${token.md5}?size=full&theme=${theme}`,
      ]) {
        await using tab = await browser().open(`${market.url}/v1/${path}`, { width: 640, height: 420 });
        await tab.page.waitForSelector('h1');
        expect(await violationsOf(tab), path).toEqual([]);
        expect(tab.problems).toEqual([]);
      }
  });
});
