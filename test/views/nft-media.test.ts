/** NFTs of the embedded network with what their URIs name, in the rows that clients read. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApi } from '../../api/app.ts';
import { Engine } from '../../engine/engine.ts';
import { OutsideError } from '../../outside/bounded-fetch.ts';
import { type NftMedia, openNftMedia } from '../../service/nft-media.ts';
import { readOptions } from '../../service/options.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Mount } from '../../views/mount.ts';
import { Network } from '../../views/network.ts';
import { quiet, until } from '../live-rig.ts';
import { World } from '../sandbox/population/world.ts';
import { applyAll } from './world.ts';

// biome-ignore lint/suspicious/noExplicitAny: rows are looked into member by member
type Row = any;

const dir = mkdtempSync(join(tmpdir(), 'millrace-nft-media-'));
const engine = new Engine({ store: new MemoryStore(), log: quiet });
const world = new World({ seed: 'files' });
const asked: string[] = [];
let opened: NftMedia;
let api: ReturnType<typeof createApi>;
let network: Network;

async function open(): Promise<void> {
  const media = await openNftMedia({
    options: readOptions(['--nft-media=yes'], {}),
    dir,
    networkId: 1,
    engine,
    sandbox: undefined,
    log: quiet,
    reading: {
      gateways: { ipfs: ['https://ipfs.example'], arweave: [] },
      read: async ({ hostname, pathname }) => {
        asked.push(pathname);
        const file = world.network.fileOf!(hostname, pathname);
        if (!file) throw new OutsideError('HTTP 404');
        return typeof file.body === 'string' ? Buffer.from(file.body) : file.body;
      },
    },
  });
  opened = media!;
  network = new Network({ engine, nftMetadata: opened.media, pictures: opened.media });
  api = createApi({ mounts: [Mount.of(network)], log: quiet });
}

const get = async (path: string): Promise<Row> =>
  (await api.fetch(new Request(`http://localhost/v1${path}`))).json();

beforeAll(async () => {
  for (let i = 0; i < 10; i++) await applyAll(engine, [world.step(600).packed()]);
  await open();
});
afterAll(async () => {
  await opened.close();
  rmSync(dir, { recursive: true, force: true });
});

test('NFTs that are shown get their names, attributes and pictures, once', async () => {
  const { nfts } = await get('/nft?limit=20');
  expect(nfts.length).toBeGreaterThan(1);
  expect(nfts.every((nft: Row) => nft.meta === undefined)).toBe(true);
  const shown = async () => (await get('/nft?limit=20')).nfts as Row[];
  await until(
    async () =>
      (await shown()).every(({ meta, files }) => meta !== undefined && (files || meta.name === 'first')),
    'all content and pictures',
  );
  for (const { NFTokenID, url, name, meta, files } of await shown()) {
    const path = Buffer.from(url, 'hex').toString().replace('ipfs://', '/ipfs/');
    const served = JSON.parse(world.network.fileOf!('ipfs.example', path)!.body as string);
    expect([name, meta.collection.name]).toEqual([served.name, served.collection.name]);
    expect(meta.attributes).toEqual(served.attributes);
    if (!served.image) continue;
    expect((await get(`/nft/${NFTokenID}`)).files).toEqual(files);
    const form = network.pictures.form(opened.media.content(NFTokenID)!.imageHash!, 64)!;
    expect(Buffer.from(form.subarray(8, 12)).toString()).toBe('WEBP');
  }
  const count = asked.length;
  expect(new Set(asked).size).toBe(count);
  const before = await shown();
  await opened.close();
  await open();
  expect(await shown()).toEqual(before);
  await Bun.sleep(20);
  expect([asked.length, opened.media.waiting]).toEqual([count, 0]);
});

test('NFTs are found by the names in their metadata, those of one name in a collection as one', async () => {
  const { nfts } = await get('/nft?limit=200');
  const named = nfts.filter(({ name }: Row) => name !== undefined) as Row[];
  expect(named.length).toBeGreaterThan(1);
  const find = async (search: string): Promise<Row[]> => {
    const body = JSON.stringify({ search, limit: 5 });
    const response = await api.fetch(new Request('http://localhost/v1/search', { method: 'POST', body }));
    return ((await response.json()) as Row).nfts;
  };
  for (const { name, cid } of named) {
    const same = named.filter((other) => other.name === name && other.cid === cid);
    const found = (await find(name)).filter((row) => row.name === name && row.cid === cid);
    expect([name, found.length]).toEqual([name, 1]);
    expect(same.map(({ NFTokenID }) => NFTokenID)).toContain(found[0].NFTokenID);
    expect([name, found[0].editions]).toEqual([name, same.length]);
  }
  const [{ name }] = named;
  // A letter is wrong.
  expect((await find(`${name.slice(0, 3)}x${name.slice(4)}`)).map((row) => row.name)).toContain(name);
  expect(await find('zzzzzzzzzz')).toEqual([]);
});

test('NFTs that somebody watches have what is known of them, and what they can be bought for', async () => {
  const { nfts } = await get('/nft?limit=200');
  const ids = nfts.map(({ NFTokenID }: Row) => NFTokenID as string);
  const unknown = '0'.repeat(64);
  const groups = await network.views.nfts.watched.of([...ids, unknown]);
  const items = new Map<string, Row>();
  for (const [slug, { collectionId, collectionName, items: own }] of Object.entries(groups))
    for (const item of own as Row[]) {
      expect(slug).toBe(collectionId.replace(':', '-'));
      expect(item.collectionName ?? null).toBe(item.nftokenId === unknown ? null : collectionName);
      items.set(item.nftokenId, item);
    }
  expect([...items.keys()].toSorted()).toEqual([...ids, unknown].toSorted());
  for (const { NFTokenID, name, meta, files, rarity_rank, cost } of nfts) {
    const { nftokenId, collectionName, offer, image, ...rest } = items.get(NFTokenID)!;
    expect(rest).toEqual(JSON.parse(JSON.stringify({ name, meta, files, rarityRank: rarity_rank })));
    expect(image).toBe(files?.[0].convertedFile);
    expect(offer && Number(offer.amount)).toBe(cost && Math.round(cost.amount * 1e6));
  }
  expect(items.get(unknown)).toEqual({ nftokenId: unknown });
});
