/** Public lists of scam accounts, from a server that does what it likes: what is read, what is refused, what readers see. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPlatformStore } from '../../data/platform-store.ts';
import { accountText } from '../../engine/codec/base58.ts';
import { Engine } from '../../engine/engine.ts';
import { PolledScamLists } from '../../outside/scam-lists.ts';
import { accountsIn } from '../../platform/scam-list-text.ts';
import { keepList, keptList, LISTED_MAX, SCAM_LIST_COLLECTIONS } from '../../platform/scam-lists.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Network } from '../../views/network.ts';
import { asker } from '../api/routes/ask.ts';
import { quiet, until } from '../live-rig.ts';

const A = 'rhub8VRN55s94qWKDv6jmDy1pUykJzF3wq';
const B = 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B';
const WRONG = 'rhub8VRN55s94qWKDv6jmDy1pUykJzF3wQ';

let answer: () => Response = () => new Response('[]');
const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => answer() });
const dir = mkdtempSync(join(tmpdir(), 'millrace-lists-'));
const url = `http://127.0.0.1:${server.port}/list?key=secret`;
afterAll(async () => {
  await server.stop(true);
  rmSync(dir, { recursive: true });
});

test.each([
  ['a list of texts', JSON.stringify([A, WRONG, 7, null, B]), { [A]: 'other', [B]: 'other' }],
  [
    'objects under a name',
    JSON.stringify({
      data: [{ account: A, type: 'Fake Airdrop' }, { address: B, category: 'nonsense' }, {}],
    }),
    { [A]: 'fake_airdrop', [B]: 'other' },
  ],
  [
    'lines',
    `address,category\r\n"${A}","phishing"\n1;${B};dust-spam;https://x.example\n${WRONG}\n\n`,
    { [A]: 'phishing', [B]: 'dust_spam' },
  ],
  ['a number', '17', {}],
  ['an object that pretends', '{"__proto__":["x"],"addresses":{"length":9}}', {}],
  ['a page', '<html><body>not found</body></html>', {}],
])('%s', (_, text, expected) => {
  expect<object>(Object.fromEntries(accountsIn(text))).toEqual(expected);
});

test('a list fails, is too long or redirects to a private address: what it had stays; it is reported once', async () => {
  const faults: string[] = [];
  const file = join(dir, 'own.csv');
  writeFileSync(file, `${B},wallet_drainer\n`);
  let now = 1000;
  const lists = new PolledScamLists({
    lists: [url, `file:${file}`],
    now: () => now,
    onFault: (list, message) => faults.push(`${list}: ${message}`),
  });
  answer = () => new Response(JSON.stringify([{ address: A, category: 'phishing' }]));
  await lists.poll();
  const host = `127.0.0.1:${server.port}`;
  expect(lists.of(A)).toEqual([{ list: host, category: 'phishing', since: 1000 }]);
  expect(lists.of(B)).toEqual([{ list: 'own.csv', category: 'wallet_drainer', since: 1000 }]);
  now = 2000;
  const before = lists.version;
  for (const bad of [
    () => new Response('', { status: 500 }),
    () => new Response('[]'),
    () => new Response('x'.repeat(17 * 1024 * 1024)),
    () => Response.redirect(`http://127.0.0.1:${server.port}/private`),
  ]) {
    answer = bad;
    await lists.poll();
  }
  expect(lists.of(A)).toEqual([{ list: host, category: 'phishing', since: 1000 }]);
  expect(faults).toHaveLength(1);
  expect(faults[0]).not.toContain('secret');
  answer = () => new Response(JSON.stringify([B]));
  await lists.poll();
  expect([lists.of(A), lists.of(B).length]).toEqual([[], 2]);
  expect(lists.version).toBeGreaterThan(before);
  expect(LISTED_MAX).toBeLessThan(100_000);
});

test('the blocklist has them once, and the check names the list', async () => {
  const file = join(dir, 'both.json');
  writeFileSync(file, JSON.stringify([A, { address: B, category: 'phishing' }]));
  const scamLists = new PolledScamLists({
    lists: [`file:${file}`, `file:${file}`],
    now: () => 5,
    onFault: () => {},
  });
  await scamLists.poll();
  const network = new Network({ engine: new Engine({ store: new MemoryStore(), log: quiet }), scamLists });
  const ask = asker(network);
  expect((await ask.get('/scams/addresses')).body).toMatchObject({ addresses: [A, B], total: 2 });
  expect((await ask.get('/scams/addresses?category=phishing')).body.addresses).toEqual([B]);
  const { body } = await ask.get(`/scams/check/${B}`);
  expect(body).toMatchObject({ is_scam: true, category: 'phishing' });
  expect(body.reasons[0]).toEqual({
    account: B,
    category: 'phishing',
    rule: 'list',
    list: 'both.json',
    verified: true,
    since: 5,
    evidence: [],
  });
});

test('over a restart a list keeps what it had and since when, whatever its server answers', async () => {
  const folder = mkdtempSync(join(dir, 'store-'));
  const opened = () => openPlatformStore({ dir: folder, network: 0, collections: SCAM_LIST_COLLECTIONS });
  const of = (lists: readonly string[], now: number, faults: string[] = []) =>
    new PolledScamLists({ lists, now: () => now, onFault: (list, message) => faults.push(list + message) });
  answer = () => new Response(JSON.stringify([{ address: A, category: 'phishing' }, B]));
  const store = await opened();
  const first = of([url], 1000);
  first.attach(store);
  await until(() => first.of(A).length === 1, 'the list');
  const { version } = first;
  await first.poll();
  expect(first.version).toBe(version);
  first.stop();
  await store.close();

  const again = await opened();
  answer = () => new Response('', { status: 500 });
  const faults: string[] = [];
  const second = of([url], 2000, faults);
  second.attach(again);
  const host = `127.0.0.1:${server.port}`;
  expect(second.of(A)).toEqual([{ list: host, category: 'phishing', since: 1000 }]);
  expect([...second.accounts()]).toEqual([A, B]);
  await until(() => faults.length === 1, 'the fault');
  answer = () => new Response(JSON.stringify([B, { address: A, category: 'dust_spam' }]));
  await second.poll();
  expect(second.of(A)).toEqual([{ list: host, category: 'dust_spam', since: 1000 }]);
  second.stop();
  await again.close();

  // A list that is no longer configured is forgotten.
  const third = await opened();
  of([], 3000).attach(third);
  await third.transaction(() => {});
  const none = of([url], 4000);
  answer = () => new Response('', { status: 500 });
  none.attach(third);
  expect([...none.accounts()]).toEqual([]);
  none.stop();
  await third.close();
});

test('what the store does not take is given to it again', async () => {
  const folder = mkdtempSync(join(dir, 'full-'));
  const store = await openPlatformStore({ dir: folder, network: 0, collections: SCAM_LIST_COLLECTIONS });
  let isFull = true;
  const full = new Proxy(store, {
    get(target, name) {
      if (name === 'transaction' && isFull) return () => Promise.reject(new Error('full'));
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const faults: string[] = [];
  const onFault = (_: string, message: string) => faults.push(message);
  const lists = new PolledScamLists({ lists: [url], now: () => 7, onFault });
  answer = () => new Response(JSON.stringify([A]));
  lists.attach(full);
  await until(() => faults.includes('full') && lists.of(A).length === 1, 'the fault');
  isFull = false;
  await lists.poll();
  expect(keptList(store, url)).toEqual([[A, 'other', 7]]);
  lists.stop();
  await store.close();
});

test('a file may begin with a byte order mark', async () => {
  const file = join(dir, 'mark.json');
  writeFileSync(file, `\ufeff${JSON.stringify([{ address: A, category: 'phishing' }], undefined, 1)}`);
  const lists = new PolledScamLists({ lists: [`file:${file}`], now: () => 5, onFault: () => {} });
  await lists.poll();
  expect([...lists.accounts()]).toEqual([A]);
});

test('a list as long as one may be is kept whole', async () => {
  const accounts = Array.from({ length: LISTED_MAX }, (_, n) => {
    const bytes = new Uint8Array(20);
    new DataView(bytes.buffer).setUint32(0, n);
    return accountText(bytes);
  });
  const folder = mkdtempSync(join(dir, 'long-'));
  const store = await openPlatformStore({ dir: folder, network: 0, collections: SCAM_LIST_COLLECTIONS });
  const kept = accounts.map((account) => [account, 'wallet_drainer', 1_800_000_000_000] as const);
  await keepList(store, url, kept);
  expect(keptList(store, url)).toEqual(kept);
  await keepList(store, url, kept.slice(0, 1));
  expect(keptList(store, url)).toEqual(kept.slice(0, 1));
  await store.close();
});
