/** Public lists of scam accounts, from a server that does what it likes: what is read, what is refused, what readers see. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Engine } from '../../engine/engine.ts';
import { accountsIn, LISTED_MAX, PolledScamLists } from '../../outside/scam-lists.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Network } from '../../views/network.ts';
import { asker } from '../api/routes/ask.ts';
import { quiet } from '../live-rig.ts';

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
