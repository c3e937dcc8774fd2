/** Reports of domains: who counts, what is shown of them, their limits, and what is there after a restart. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sign } from 'ripple-keypairs';
import { Wallet } from 'xrpl';
import { type Api, createApi } from '../../../api/app.ts';
import { type LmdbPlatformStore, openPlatformStore } from '../../../data/platform-store.ts';
import { PackedLedger } from '../../../engine/codec/packed.ts';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import { REPORTS_A_DAY, SCAM_COLLECTIONS } from '../../../platform/scam-reports.ts';
import { DEFAULT_ADMISSION } from '../../../requests/admission-settings.ts';
import { domainName } from '../../../requests/domain-name.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Mount } from '../../../views/mount.ts';
import { Network } from '../../../views/network.ts';
import { quietLog as quiet } from '../../engine/ledger/quiet.ts';
import { World } from '../../sandbox/population/world.ts';
import type { Json } from './ask.ts';

const HOUR_MS = 3_600_000;
const engine = new Engine({ store: new MemoryStore(), log: quiet });
const dir = mkdtempSync(join(tmpdir(), 'scam-reports-'));
const admin = Wallet.generate();
let platform: LmdbPlatformStore;
let api: Api;
let ip = '192.0.2.1';
let now = 1_800_000_000_000;

async function open(isAttached = true): Promise<void> {
  platform = await openPlatformStore({ dir, network: 0, collections: SCAM_COLLECTIONS });
  const network = new Network({ engine });
  if (isAttached) await network.scamReports.attach(platform);
  api = createApi({
    mounts: [Mount.of(network)],
    log: quiet,
    now: () => now,
    admission: { ...DEFAULT_ADMISSION, adminWallets: new Set([admin.classicAddress]) },
    identify: () => ({ kind: 'anonymous', ip }),
  });
}

beforeAll(async () => {
  const packed = new PackedLedger(new World({ seed: 'scam reports' }).step(600).packed().bytes);
  await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
  await engine.drain();
  await open();
});

afterAll(async () => {
  await platform.close();
  rmSync(dir, { recursive: true, force: true });
});

async function send(method: string, path: string, body?: object, by?: Wallet) {
  // No signature may be used twice.
  now++;
  const headers = by && {
    'X-Wallet': by.classicAddress,
    'X-Timestamp': String(now),
    'X-Public-Key': by.publicKey,
    'X-Signature': sign(Buffer.from(`${by.classicAddress}:${now}`).toString('hex'), by.privateKey),
  };
  const init = { method, ...(headers && { headers }), ...(body && { body: JSON.stringify(body) }) };
  const response = await api.fetch(new Request(`http://localhost/v1${path}`, init));
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
}

const report = (domain: string, more: object = {}) => send('POST', '/scams/report', { domain, ...more });

test('a report is pending, each reporter counts once, and what was written is shown when it was read', async () => {
  const account = Wallet.generate().classicAddress;
  const first = await report('https://www.Free-XRP.example/claim?id=1', {
    category: 'phishing',
    account,
    // What reorders text is left out.
    description: 'It asked \u202efor my seed.',
  });
  const row = { domain: 'free-xrp.example', category: 'phishing', status: 'pending', confirmations: 1 };
  expect(first).toMatchObject({ status: 200, body: { recorded: true, report: row } });
  expect(first.headers.get('cache-control')).toBe('no-store');
  expect(first.body.report.description).toBeUndefined();
  expect((await report('free-xrp.example')).body).toMatchObject({ recorded: false, report: row });
  ip = '192.0.2.2';
  const second = await report('free-xrp.example', { category: 'other' });
  expect(second.body).toMatchObject({ recorded: true, report: { ...row, confirmations: 2 } });

  const path = '/scams/report/free-xrp.example';
  const unread = await send('GET', path);
  expect(unread.headers.get('cache-control')).toBe('no-store');
  expect(unread.body).toMatchObject({ domain: row.domain, reported: true, confirmations: 2 });
  expect(unread.body.report.account).toBeUndefined();
  expect((await send('PATCH', path, { status: 'confirmed' })).status).toBe(401);
  expect((await send('PATCH', path, { status: 'confirmed' }, Wallet.generate())).status).toBe(403);
  expect((await send('PATCH', '/scams/report/nobody.example', { status: 'confirmed' }, admin)).status).toBe(
    404,
  );
  const decided = await send('PATCH', path, { status: 'confirmed' }, admin);
  const read = { status: 'confirmed', account, description: 'It asked for my seed.', confirmations: 2 };
  expect(decided.body.report).toMatchObject({ ...read, decided_at: now });
  expect((await send('GET', path)).body.report).toMatchObject(read);
});

test('lists are by status, newest report first, in pages from 1, and there after a restart', async () => {
  ip = '192.0.2.3';
  for (const domain of ['one.example', 'two.example', 'three.example']) await report(domain);
  const names = async (query: string) => {
    const { body } = await send('GET', `/scams/report-scam?${query}`);
    return { total: body.total, domains: body.reports.map(({ domain }: Json) => domain) };
  };
  const pending = { total: 3, domains: ['three.example', 'two.example', 'one.example'] };
  expect(await names('status=pending')).toEqual(pending);
  expect(await names('status=pending&limit=2&page=2')).toEqual({ total: 3, domains: ['one.example'] });
  expect(await names('status=no-such')).toMatchObject({ total: 4 });
  await platform.close();
  await open();
  expect(await names('status=pending')).toEqual(pending);
  expect(await names('status=confirmed')).toEqual({ total: 1, domains: ['free-xrp.example'] });
  expect((await report('one.example')).body.recorded).toBe(false);
});

test('a reporter may send so many a day, and what is not a domain is refused', async () => {
  ip = '192.0.2.4';
  for (let i = 0; i < REPORTS_A_DAY; i++) expect((await report(`d${i}.example`)).status).toBe(200);
  const refused = await report('one-more.example');
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(23 * 3600);
  ip = '192.0.2.5';
  expect((await report('one-more.example')).status).toBe(200);
  ip = '192.0.2.4';
  now += 25 * HOUR_MS;
  expect((await report('one-more.example')).body.report.confirmations).toBe(2);
  // While the clock is far ahead as many; they hold up nobody where it is right again.
  now += 400 * 24 * HOUR_MS;
  for (let i = 0; i < REPORTS_A_DAY; i++) expect((await report(`ahead${i}.example`)).status).toBe(200);
  now -= 400 * 24 * HOUR_MS;
  for (let i = 1; i < REPORTS_A_DAY; i++) expect((await report(`right${i}.example`)).status).toBe(200);
  expect((await report('too-many.example')).status).toBe(429);
  ip = '192.0.2.6';
  for (const domain of ['', 'localhost', '10.0.0.1', 'http://[::1]/', 'a b.example', 'javascript:alert(1)'])
    expect((await report(domain)).status, domain).toBe(400);
  expect((await report('good.example', { account: 'nobody' })).status).toBe(400);
  expect((await send('GET', '/scams/report/never.example')).body).toMatchObject({
    reported: false,
    confirmations: 0,
  });
});

test('of a list that is full, the oldest report that nobody confirmed gives way, also to many at once', async () => {
  const [reports] = SCAM_COLLECTIONS;
  const { rows } = reports!.limits;
  const full = new Set<string>();
  platform.walk(reports!, {}, (_, [domain]) => {
    full.add(String(domain));
    return true;
  });
  const old = { category: 'other', status: 'pending', confirmations: 1, reportedAt: 1, lastReportAt: 1 };
  for (let at = full.size; at < rows; at += 2000)
    await platform.transaction((transaction) => {
      for (let one = at; one < Math.min(rows, at + 2000); one++)
        transaction.put(reports!, [`old${one}.example`], {
          ...old,
          domain: `old${one}.example`,
          lastReportAt: one,
        });
    });
  await platform.close();
  await open();
  const [oldest, second, third] = [0, 1, 2].map((at) => `old${full.size + at}.example`);
  ip = '192.0.2.6';
  const answers = await Promise.all([
    report(oldest!),
    report('new-1.example'),
    report('new-2.example'),
    report(second!),
  ]);
  expect(answers.map(({ status, body }) => [status, body.recorded])).toEqual(Array(4).fill([200, true]));
  const confirmations = async (domain: string) =>
    (await send('GET', `/scams/report/${domain}`)).body.confirmations;
  const all = [oldest!, second!, third!, 'new-1.example', 'new-2.example'];
  for (const isOpenedAgain of [false, true]) {
    if (isOpenedAgain) {
      await platform.close();
      await open();
    }
    // What was confirmed stays; the second had gone before it was reported again, and the third and fourth made room.
    expect(await Promise.all(all.map(confirmations))).toEqual([2, 1, 0, 1, 1]);
    expect((await send('GET', '/scams/report-scam')).body.total).toBe(rows);
  }
});

test('a network that keeps nothing beside its ledgers takes no reports', async () => {
  await platform.close();
  await open(false);
  expect((await report('one.example')).status).toBe(503);
  expect((await send('GET', '/scams/report-scam')).body).toMatchObject({ total: 0, reports: [] });
});

test('a domain is found in what people send', () => {
  expect(domainName(' HTTPS://Www.Example.COM./x ')).toBe('example.com');
  expect(domainName('münchen.example')).toBe('xn--mnchen-3ya.example');
  expect(domainName('user@pass:x')).toBeUndefined();
});
