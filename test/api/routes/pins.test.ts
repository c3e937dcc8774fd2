/** POST /nft/pin and GET /nft/pin/status, with a stand-in of an IPFS node on loopback that speaks Kubo's protocol. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LmdbPlatformStore, openPlatformStore } from '../../../data/platform-store.ts';
import { Engine } from '../../../engine/engine.ts';
import { IpfsNode } from '../../../outside/ipfs-node.ts';
import { cidOf } from '../../../platform/ipfs-cid.ts';
import { PIN_COLLECTIONS, Pins } from '../../../platform/pins.ts';
import { PlatformError } from '../../../platform/store.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Network } from '../../../views/network.ts';
import { quiet, until } from '../../live-rig.ts';
import { asker, type Json } from './ask.ts';

const V0 = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG';
const cid = (n: number) =>
  `bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fb${String(n)
    .replace(/[0189]/g, (d) => 'abyz'['0189'.indexOf(d)]!)
    .padStart(3, 'z')}`;

describe('pinning', () => {
  const pinned = new Set<string>();
  const seen: string[] = [];
  /** How the node answers pin/add. */
  let add: (hash: string) => Response | Promise<Response> = () => new Response();
  const kubo = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url, method }) => {
      const { pathname, searchParams } = new URL(url);
      const hash = searchParams.get('arg') ?? '';
      // Kubo takes commands by POST alone.
      if (method !== 'POST') return new Response('405', { status: 405 });
      if (pathname === '/api/v0/pin/add') {
        seen.push(hash);
        return add(hash);
      }
      if (pathname !== '/api/v0/pin/ls') return new Response('404', { status: 404 });
      if (!pinned.has(hash))
        return Response.json(
          { Message: `path '${hash}' is not pinned`, Code: 0, Type: 'error' },
          { status: 500 },
        );
      return Response.json({ Keys: { [hash]: { Type: 'recursive' } } });
    },
  });
  const keeps = (hash: string) => {
    pinned.add(hash);
    return Response.json({ Pins: [hash] });
  };
  const fails = () =>
    Response.json({ Message: 'context deadline exceeded', Code: 0, Type: 'error' }, { status: 500 });

  const dir = mkdtempSync(join(tmpdir(), 'millrace-pins-'));
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  let store: LmdbPlatformStore;
  let pins: Pins;
  let ask: ReturnType<typeof asker>;
  const open = async (retriesMs: readonly number[] = [5, 5]) => {
    store = await openPlatformStore({ dir, network: 0, collections: PIN_COLLECTIONS });
    const node = new IpfsNode(`http://127.0.0.1:${kubo.port}`);
    pins = new Pins({ node, now: () => 1_800_000_000_000, retriesMs });
    pins.attach(store);
    ask = asker(new Network({ engine, pins }));
  };
  const close = async () => {
    pins.close();
    await store.close();
  };
  const pin = async (body: object): Promise<Json> => ask.post('/nft/pin', body);
  const status = async (hash: string): Promise<Json> => (await ask.get(`/nft/pin/status/${hash}`)).body;
  const settled = (hash: string, as: string) =>
    until(async () => (await status(hash)).status === as, `${hash} ${as}`);

  beforeAll(() => open());
  afterEach(() => {
    seen.length = 0;
  });
  afterAll(async () => {
    await close();
    await kubo.stop(true);
    rmSync(dir, { recursive: true, force: true });
  });

  test('keeps content, once, and says so', async () => {
    add = keeps;
    const first = await pin({ hash: V0 });
    expect([first.status, first.body.hash]).toEqual([200, V0]);
    await settled(V0, 'pinned');
    expect(await status(V0)).toMatchObject({
      hash: V0,
      pinned: true,
      attempts: 1,
      pinnedAt: 1_800_000_000_000,
    });
    expect((await pin({ hash: V0 })).body.status).toBe('pinned');
    expect(seen).toEqual([V0]);
    // What the node keeps for somebody else is kept, too.
    pinned.add(cid(1));
    expect(await status(cid(1))).toMatchObject({ status: 'pinned', pinned: true });
  });

  test('tries again, then says that and why it failed, until it is asked for again', async () => {
    add = fails;
    await pin({ hash: cid(2) });
    await settled(cid(2), 'failed');
    expect(await status(cid(2))).toMatchObject({ attempts: 3, error: 'HTTP 500', pinned: false });
    expect(seen.length).toBe(3);
    add = keeps;
    await pin({ hash: cid(2) });
    await settled(cid(2), 'pinned');
  });

  test('takes up after a restart what waited, and asks for four at a time', async () => {
    const stuck = Promise.withResolvers<Response>();
    add = () => stuck.promise;
    const hashes = [3, 4, 5, 6, 7, 9].map(cid);
    for (const hash of hashes) await pin({ hash });
    const states = await Promise.all(hashes.map(status));
    expect(states.map(({ status }) => status)).toEqual([...Array(4).fill('pinning'), 'queued', 'queued']);
    await until(() => seen.length === 4, 'four requests');
    await close();
    add = keeps;
    await open();
    for (const hash of hashes) await settled(hash, 'pinned');
    stuck.resolve(new Response());
  });

  test('goes on where what became of one could not be stored, and tries that one again', async () => {
    add = keeps;
    await pin({ hash: cid(10) });
    const { transaction } = store;
    let failures = 0;
    store.transaction = () => {
      failures++;
      store.transaction = transaction;
      return Promise.reject(new PlatformError('disk-full', 'no space'));
    };
    await until(() => failures === 1, 'a failure');
    await settled(cid(10), 'pinned');
    expect(seen).toEqual([cid(10), cid(10)]);
  });

  test('refuses what is no CID, what nobody knows, and more than may wait', async () => {
    for (const hash of ['x', '../etc', 'Qm1', `${V0}/x`, `${V0}&arg=x`])
      expect([hash, (await pin({ hash })).status]).toEqual([hash, 400]);
    expect((await pin({})).status).toBe(400);
    expect((await pin({ NFTokenID: 'F'.repeat(64) })).status).toBe(404);
    expect((await ask.get(`/nft/pin/status/${cid(33)}`)).status).toBe(404);
    expect((await ask.get('/nft/pin/status/x')).status).toBe(400);
  });

  test('is unavailable without a node, and names the variable', async () => {
    const none = asker(new Network({ engine }));
    const answer = await none.get(`/nft/pin/status/${V0}`);
    expect(answer.status).toBe(503);
    expect(JSON.stringify(answer.body)).toContain('MILLRACE_IPFS_NODE');
  });

  test('finds the content that a URI names', () => {
    for (const uri of [
      `ipfs://${V0}`,
      `ipfs://${V0}/1.json`,
      `ipfs://ipfs/${V0}/1.json`,
      `cid:${V0}`,
      V0,
      `${V0}/1.json`,
      `/ipfs/${V0}/1.json`,
      `https://gateway.example/ipfs/${V0}/1.json?x=1`,
    ])
      expect([uri, cidOf(uri)]).toEqual([uri, V0]);
    expect(cidOf(`https://${cid(1)}.ipfs.gateway.example/1.json`)).toBe(cid(1));
    for (const uri of ['https://host.example/1.json', 'data:,x', '', 'ipfs://x', 'ar://x'])
      expect([uri, cidOf(uri)]).toEqual([uri, undefined]);
  });
});
