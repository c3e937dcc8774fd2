/** The licences of the packages that the pages contain: all of them, as installed, at an address that every page links. */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WebPages } from '../../api/web-pages.ts';

const root = join(import.meta.dir, '../..');
const words = (text: string) => text.replace(/\s+/g, ' ').trim();
const licences = words(readFileSync(join(root, 'web/licenses.txt'), 'utf8'));

/** Names of the packages whose files are bundled. */
async function bundled(): Promise<string[]> {
  const { metafile } = await Bun.build({
    entrypoints: ['main', 'embed'].map((name) => join(root, `web/${name}.tsx`)),
    target: 'browser',
    splitting: true,
    metafile: true,
  });
  const names = Object.keys(metafile!.inputs).flatMap(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
  );
  return [...new Set(names)].sort();
}

test('of each package that is bundled the text has the name and the licence', async () => {
  const names = await bundled();
  expect(names).toContain('lightweight-charts');
  expect(names).toContain('preact');
  for (const name of names) {
    expect(licences).toContain(name);
    const path = join(root, 'node_modules', name, 'LICENSE');
    if (existsSync(path)) expect(licences, name).toContain(words(readFileSync(path, 'utf8')));
  }
});

test('the notice of the chart library has the words of the installed version', () => {
  const file = join(root, 'node_modules/lightweight-charts/dist/lightweight-charts.production.mjs');
  const notice = /Copyright \(c\) \d+ TradingView, Inc\./.exec(readFileSync(file, 'utf8'))![0];
  expect(licences).toContain(`TradingView Lightweight Charts™ ${notice} https://www.tradingview.com/`);
  expect(readFileSync(join(root, 'web/parts/attribution.tsx'), 'utf8')).toContain(notice);
});

test('the pages link it as an asset', async () => {
  const pages = new WebPages();
  const ask = (name: string) => pages.asset(new Request('http://localhost/'), name);
  const html = await (await pages.document(new Request('http://localhost/'))).text();
  const script = await (await ask(/assets\/(main-\w+\.js)/.exec(html)![1]!))!.text();
  const answer = await ask(/licenses-\w+\.txt/.exec(script)![0]);
  expect(answer?.headers.get('Content-Type')).toStartWith('text/plain');
  expect(words(await answer!.text())).toBe(licences);
});
