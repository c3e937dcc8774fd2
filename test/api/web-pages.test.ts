/** How the pages are sent: the document to browsers, files by names that hold their hash, nothing that reaches elsewhere. */
import { expect, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { PAGES_POLICY, WebPages } from '../../api/web-pages.ts';
import { emptyLedger, fixture } from './fixture.ts';

const { get } = fixture([emptyLedger(100, 500_000_000)], {});
const browser = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const document = async () => (await get('/', browser)).text();
const assetsOf = (html: string) =>
  [...html.matchAll(/(?:src|href)="(assets\/[^"]+)"/g)].map(([, name]) => `/${name}`);

test('browsers get the document at the root; programs get JSON', async () => {
  const page = await get('/', browser);
  expect(page.status).toBe(200);
  expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('Vary')).toContain('Accept');
  const program = await get('/');
  expect(program.headers.get('Content-Type')).toContain('application/json');
  const below = await get('/v1/', browser);
  expect([below.status, below.headers.get('Location')]).toEqual([302, '/reference']);
});

test('the document may load from this service alone, and holds no script of its own', async () => {
  const page = await get('/', browser);
  expect(page.headers.get('Content-Security-Policy')).toBe(PAGES_POLICY);
  expect(PAGES_POLICY).not.toContain('unsafe');
  expect(page.headers.get('Set-Cookie')).toBeNull();
  const html = await page.text();
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)/);
  expect(html).not.toMatch(/\s(?:style|on\w+)=/);
  // All addresses are relative: the pages work behind any path prefix.
  expect(html).not.toMatch(/(?:src|href)="(?:\/|https?:)/);
});

test('files are sent compressed, the same bytes in each encoding, and kept for ever', async () => {
  const assets = assetsOf(await document());
  expect(assets.map((name) => name.split('.').at(-1)).sort()).toEqual(['css', 'js']);
  for (const name of assets) {
    const asked = (encoding: string) => get(name, { 'Accept-Encoding': encoding });
    const [plain, br, gzip] = await Promise.all(['identity', 'br', 'gzip'].map(asked));
    const bytes = Buffer.from(await plain!.arrayBuffer());
    expect(br!.headers.get('Content-Encoding')).toBe('br');
    expect(brotliDecompressSync(await br!.arrayBuffer()).equals(bytes)).toBe(true);
    expect(gunzipSync(await gzip!.arrayBuffer()).equals(bytes)).toBe(true);
    expect(plain!.headers.get('Cache-Control')).toContain('immutable');
    const known = await get(name, { 'If-None-Match': plain!.headers.get('ETag')! });
    expect([known.status, await known.text()]).toEqual([304, '']);
  }
});

test('the reference has the icon of the pages, so that browsers ask for no other, and names its language', async () => {
  const reference = await (await get('/reference', browser)).text();
  const [icon] = /<link rel="icon" href="data:image[^>]*>/.exec(await document()) ?? [];
  expect(icon).toBeDefined();
  expect(reference).toContain(icon!);
  expect(reference).toContain('<html lang="en">');
});

test('a file that is not there is 404', async () => {
  for (const name of ['none.js', '..%2Fmain.tsx', 'main.tsx'])
    expect((await get(`/assets/${name}`)).status, name).toBe(404);
});

test('who asks first waits for no compression by brotli: a frame has its files before all are compressed', async () => {
  const pages = new WebPages();
  const order: string[] = [];
  const prepared = pages.prepare().then(() => order.push('prepared'));
  const { script } = await pages.embedFiles();
  order.push('embed');
  const asked = async () => {
    const headers = { 'Accept-Encoding': 'gzip, deflate, br' };
    return (await pages.asset(new Request(`http://x/assets/${script}`, { headers }), script))!;
  };
  const early = await asked();
  order.push('script');
  await prepared;
  const late = await asked();
  expect(order).toEqual(['embed', 'script', 'prepared']);
  expect([early, late].map(({ headers }) => headers.get('Content-Encoding'))).toEqual(['gzip', 'br']);
  expect(gunzipSync(await early.arrayBuffer()).equals(brotliDecompressSync(await late.arrayBuffer()))).toBe(
    true,
  );
});
