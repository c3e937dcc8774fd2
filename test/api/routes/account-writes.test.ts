/** What the service keeps of accounts: watch lists, identities, logos. Who may write what, and what is there after a restart. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
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
import {
  ACCOUNT_COLLECTIONS,
  AccountData,
  WATCHED_MAX,
  WatchlistFullError,
} from '../../../platform/account-data.ts';
import { ImageError } from '../../../platform/images.ts';
import { DEFAULT_ADMISSION } from '../../../requests/admission-settings.ts';
import type { Identity } from '../../../requests/identity.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Mount } from '../../../views/mount.ts';
import { Network } from '../../../views/network.ts';
import { quietLog as quiet } from '../../engine/ledger/quiet.ts';
import { World } from '../../sandbox/population/world.ts';
import type { Json } from './ask.ts';

const engine = new Engine({ store: new MemoryStore(), log: quiet });
const dir = mkdtempSync(join(tmpdir(), 'account-writes-'));
const [wallet, other, admin] = [Wallet.generate(), Wallet.generate(), Wallet.generate()];
/** A form of an image, by its longest side. */
const encoded = (side: number) => new Uint8Array([side & 0xff, 1, 2, 3]);
const images = {
  encode: async (sent: Uint8Array) => {
    if (sent[0] !== 0x47) throw new ImageError('refused', 'no image');
    return { width: 1, height: 1, forms: new Map([128, 512].map((side) => [side, encoded(side)] as const)) };
  },
};
let platform: LmdbPlatformStore;
let api: Api;
const identity: Identity = { kind: 'anonymous', ip: '' };
let now = 1_800_000_000_000;

async function open(): Promise<void> {
  platform = await openPlatformStore({ dir, network: 0, collections: ACCOUNT_COLLECTIONS });
  const network = new Network({ engine });
  network.accountData.attach(platform);
  api = createApi({
    mounts: [Mount.of(network)],
    log: quiet,
    now: () => now,
    admission: { ...DEFAULT_ADMISSION, adminWallets: new Set([admin.classicAddress]) },
    identify: () => identity,
    images,
  });
}

beforeAll(async () => {
  const world = new World({ seed: 'account writes' });
  for (let i = 0; i < 30; i++) {
    const packed = new PackedLedger(world.step(600).packed().bytes);
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
  }
  await engine.drain();
  await open();
});

afterAll(async () => {
  await platform.close();
  rmSync(dir, { recursive: true, force: true });
});

async function send(method: string, path: string, by?: Wallet, body?: object) {
  // No signature may be used twice.
  now++;
  const timestamp = String(now);
  const headers = by && {
    'X-Wallet': by.classicAddress,
    'X-Timestamp': timestamp,
    'X-Public-Key': by.publicKey,
    'X-Signature': sign(Buffer.from(`${by.classicAddress}:${timestamp}`).toString('hex'), by.privateKey),
  };
  const init = { method, ...(headers && { headers }), ...(body && { body: JSON.stringify(body) }) };
  const response = await api.fetch(new Request(`http://localhost/v1${path}`, init));
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return {
    status: response.status,
    body: (isJson ? await response.json() : new Uint8Array(await response.arrayBuffer())) as Json,
  };
}

const md5s = () => [1, 2, 3].map((token) => engine.state.tokens.md5(token));

describe('watch lists', () => {
  const add = (md5: string, by: Wallet, account = by.classicAddress, action = 'add') =>
    send('POST', '/watchlist', by, { md5, account, action });

  test('are the signer’s own, in the order of adding, and there after a restart', async () => {
    const [first, second, third] = md5s() as [string, string, string];
    expect((await send('GET', '/watchlist')).status).toBe(401);
    expect(
      (
        await send('POST', '/watchlist', undefined, {
          md5: first,
          account: wallet.classicAddress,
          action: 'add',
        })
      ).status,
    ).toBe(401);
    expect((await add(first, other, wallet.classicAddress)).status).toBe(403);
    for (const md5 of [second, first, third, first]) expect((await add(md5, wallet)).status).toBe(200);
    expect((await add(first, wallet, wallet.classicAddress, 'remove')).body).toMatchObject({
      count: 2,
      watchlist: [second, third],
    });
    expect((await add('no-token', wallet)).status).toBe(404);
    const expected = { account: wallet.classicAddress, count: 2, watchlist: [second, third] };
    expect((await send('GET', `/watchlist?account=${wallet.classicAddress}`, wallet)).body).toMatchObject(
      expected,
    );
    expect((await send('GET', `/watchlist?account=${wallet.classicAddress}`, other)).status).toBe(403);
    const { paths } = (await send('GET', '/openapi.json')).body;
    for (const path of ['/watchlist', '/watchlist/nft'])
      for (const method of ['get', 'post']) expect(paths[path][method].responses).toHaveProperty('403');
    expect((await send('GET', '/watchlist', wallet)).body).toMatchObject(expected);
    const listed = async (by: Wallet, more = '') =>
      (await send('GET', `/tokens?watchlist=${by.classicAddress}${more}`)).body;
    const rows = (body: Json) => body.tokens.map((row: Json) => row.md5).sort();
    expect(rows(await listed(wallet))).toEqual([second, third].sort());
    const page = await listed(wallet, '&limit=1');
    expect([page.total, page.tokens.length]).toEqual([2, 1]);
    expect(rows(await listed(other))).toEqual([]);
    expect((await add(first, wallet)).status).toBe(200);
    expect(rows(await listed(wallet))).toEqual(md5s().sort());
    expect((await add(first, wallet, wallet.classicAddress, 'remove')).status).toBe(200);
    expect(rows(await listed(wallet))).toEqual([second, third].sort());
    // Among them texts that no key of the store can hold.
    for (const text of ['no-address', 'a%00b', `${'a'.repeat(63)}%F0%9F%98%80`])
      expect((await send('GET', `/tokens?watchlist=${text}`)).status).toBe(400);
    expect((await send('GET', '/watchlist', other)).body.watchlist).toEqual([]);
    await platform.close();
    await open();
    expect((await send('GET', '/watchlist', wallet)).body).toMatchObject(expected);
  });

  test('of NFTs are grouped by collection', async () => {
    // From XLS-20: issuer rJoxBSzpXhPtAuqFmqxQtGKjA13jUJWthE, taxon 1337, sequence 12.
    const nftokenId = '000B0539C35B55AA096BA6D87A6E6C965A6534150DC56E5E12C5D09E0000000C';
    const body = { nftokenId, account: wallet.classicAddress, action: 'add' };
    const added = await send('POST', '/watchlist/nft', wallet, body);
    expect(added.status).toBe(200);
    // What only begins like an id is none.
    for (const nftokenId of ['x', `${body.nftokenId}0`])
      expect((await send('POST', '/watchlist/nft', wallet, { ...body, nftokenId })).status).toBe(400);
    const collection = 'rJoxBSzpXhPtAuqFmqxQtGKjA13jUJWthE:1337';
    const { watchlist } = (await send('GET', '/watchlist/nft', wallet)).body;
    expect(added.body.watchlist).toEqual(watchlist);
    expect(watchlist).toEqual({
      [collection.replace(':', '-')]: {
        collectionName: null,
        collectionId: collection,
        items: [{ nftokenId }],
      },
    });
  });

  test('end at their limit', async () => {
    const data = new AccountData();
    data.attach(platform);
    const all = Array.from({ length: WATCHED_MAX }, (_, i) => `token ${i}`);
    await Promise.all(all.map((id, i) => data.watch('rFull', 'token', id, 'add', i)));
    expect(data.watched('rFull', 'token')).toEqual(all);
    expect(data.watch('rFull', 'token', 'one more', 'add', 0)).rejects.toThrow(WatchlistFullError);
  });
});

describe('identities', () => {
  const path = () => `/account/${other.classicAddress}`;

  test('are written by the admin alone', async () => {
    for (const [method, at, body] of [
      ['GET', '/admin', undefined],
      ['PATCH', '/admin', { name: 'x' }],
      ['POST', '/logo', { imageData: 'R0lG' }],
      ['PUT', '/verified', { name: 'x', logo: 'y' }],
      ['DELETE', '/verified', undefined],
    ] as const) {
      expect([at, (await send(method, path() + at, undefined, body)).status]).toEqual([at, 401]);
      expect([at, (await send(method, path() + at, wallet, body)).status]).toEqual([at, 403]);
    }
  });

  test('are shown once they are verified, and no longer when they are not', async () => {
    const resolve = async () =>
      (await send('POST', '/account/resolve', undefined, { addresses: [other.classicAddress] })).body
        .accounts;
    const names = async () =>
      (await send('POST', '/account/names', undefined, { accounts: [other.classicAddress] })).body.names;
    const written = await send('PATCH', `${path()}/admin`, admin, { name: 'An exchange', twitter: '@ex' });
    expect(written.body).toMatchObject({
      editable: { name: 'An exchange', twitter: '@ex', desc: null },
      manualFields: ['name', 'twitter'],
      lockedByChain: [],
      fieldOwners: { name: 'admin', domain: null },
    });
    expect([await resolve(), await names()]).toEqual([[], {}]);
    const body = { name: 'The Exchange', logo: 'exchange', tagRequired: true };
    expect((await send('PUT', `${path()}/verified`, admin, body)).status).toBe(200);
    const shown = {
      address: other.classicAddress,
      name: 'The Exchange',
      logo: 'exchange',
      tagRequired: true,
    };
    expect(await resolve()).toEqual([shown]);
    expect(await names()).toEqual({ [other.classicAddress]: 'The Exchange' });
    expect((await send('GET', '/account/search-by-name?q=exch')).body).toMatchObject({
      resolvedName: 'The Exchange',
      results: [{ account: other.classicAddress, source: 'verified' }],
    });
    await platform.close();
    await open();
    expect(await resolve()).toEqual([shown]);
    expect((await send('DELETE', `${path()}/verified`, admin)).status).toBe(200);
    expect((await send('DELETE', `${path()}/verified`, admin)).status).toBe(404);
    expect([await resolve(), await names()]).toEqual([[], {}]);
    const cleared = await send('PATCH', `${path()}/admin`, admin, { twitter: '-' });
    expect(cleared.body.manualFields).toEqual(['name']);
  });

  test('leave what the ledger says to the ledger', async () => {
    const { accounts } = engine.state;
    const id = Array.from({ length: accounts.count }, (_, i) => i).find(
      (one) => accounts.domain(one) !== undefined,
    )!;
    const at = `/account/${accounts.text(id)}/admin`;
    expect((await send('PATCH', at, admin, { domain: 'example.com' })).status).toBe(409);
    expect((await send('PATCH', at, admin, { desc: 'An issuer' })).body).toMatchObject({
      lockedByChain: ['domain'],
      fieldOwners: { domain: 'chain', desc: 'admin' },
      derived: { name: accounts.domain(id), nameSource: 'domain' },
    });
    for (const domain of ['no domain', 'http://x.com', '-a.com'])
      expect((await send('PATCH', `${path()}/admin`, admin, { domain })).status).toBe(400);
  });

  // Who has a key is the business of admission, which is not there here.
  test('logos are encoded again, and shown', async () => {
    const thumb = `/account-thumb/${other.classicAddress}`;
    expect((await send('GET', thumb)).status).toBe(404);
    expect((await send('POST', `${path()}/logo`, admin, { imageData: 'AAAA' })).status).toBe(400);
    expect((await send('POST', `${path()}/logo`, admin, { imageData: 'R0lGODdh' })).status).toBe(200);
    expect(await send('GET', thumb)).toEqual({ status: 200, body: encoded(128) });
  });
});
