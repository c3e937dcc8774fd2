/** POST /nft/collections/{slug}/metadata: who may write, what is accepted, where it is shown beside what NFTs say, that it stays. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sign } from 'ripple-keypairs';
import { createApi } from '../../../api/app.ts';
import { type LmdbPlatformStore, openPlatformStore } from '../../../data/platform-store.ts';
import { Engine } from '../../../engine/engine.ts';
import { NFT_COLLECTIONS } from '../../../platform/collection-metadata.ts';
import type { NftContent } from '../../../platform/nft-metadata.ts';
import { DEFAULT_ADMISSION } from '../../../requests/admission-settings.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Mount } from '../../../views/mount.ts';
import { Network } from '../../../views/network.ts';
import { follow, RandomNfts } from '../../engine/nfts/random-nfts.ts';
import { quiet } from '../../live-rig.ts';
import { type TestAccount, testAccount } from '../../sandbox/rig.ts';
import { drawsOf, seedOf } from '../../sandbox/seed.ts';
import type { Json } from './ask.ts';

const LEDGERS = 12;
const SEED = 20_261_209;
const TEXTS_SEED = seedOf('collection texts', 20_261_210);
const TEXTS = 60;
const SORTS = ['vol24h', 'new', 'items', 'floor', 'topOffer.amount', 'floor1dPercent', 'totalFees'];
const ISSUERS = ['issuer', 'alice', 'bob', 'carol', 'broker'].map((name) => testAccount(name));
const admin = testAccount('admin');

const random = new RandomNfts(drawsOf(SEED));
const dir = mkdtempSync(join(tmpdir(), 'millrace-collection-metadata-'));
const engine = new Engine({ store: new MemoryStore(), log: quiet });
const contents = new Map<string, NftContent>();
const nftMetadata = { version: 1, content: (id: string) => contents.get(id) };
let platform: LmdbPlatformStore;
let api: ReturnType<typeof createApi>;
let now = 1_800_000_000_000;
let signed = 0;
let issuer: TestAccount;
let slug = '';

async function open(): Promise<void> {
  platform = await openPlatformStore({ dir, network: 0, collections: NFT_COLLECTIONS });
  const network = new Network({ engine, nftMetadata });
  network.collectionData.attach(platform);
  api = apiOf(network);
}

const apiOf = (network: Network) =>
  createApi({
    mounts: [Mount.of(network)],
    log: quiet,
    now: () => now,
    admission: { ...DEFAULT_ADMISSION, adminWallets: new Set([admin.address]) },
    identify: () => ({ kind: 'anonymous' as const, ip: '192.0.2.1' }),
  });

function headersOf({ address, publicKey, privateKey }: TestAccount): Record<string, string> {
  // No signature may be used twice.
  signed = Math.max(signed + 1, now);
  return {
    'X-Wallet': address,
    'X-Timestamp': String(signed),
    'X-Public-Key': publicKey,
    'X-Signature': sign(Buffer.from(`${address}:${signed}`).toString('hex'), privateKey),
  };
}

async function post(body: object, by = headersOf(issuer), of = slug, at = api) {
  const init = { method: 'POST', body: JSON.stringify(body), headers: by };
  const response = await at.fetch(new Request(`http://localhost/v1/nft/collections/${of}/metadata`, init));
  return { status: response.status, body: (await response.json()) as Json };
}

async function get(path: string): Promise<Json> {
  const response = await api.fetch(new Request(`http://localhost/v1${path}`));
  expect([path, response.status]).toEqual([path, 200]);
  return response.json();
}

const shown = () => get(`/nft/collections/${slug}`);

beforeAll(async () => {
  await follow(engine, random.rig.network.closed);
  for (let i = 0; i < LEDGERS; i++) await follow(engine, random.next());
  await open();
  const { collections } = await get('/nft/collections?sort=items&limit=1');
  slug = collections[0].slug;
  issuer = ISSUERS.find(({ address }) => address === collections[0].issuer)!;
});

afterAll(async () => {
  await platform.close();
  rmSync(dir, { recursive: true, force: true });
});

test('NFTs name their collection: most of them, and without what hides text', async () => {
  expect((await shown()).name).toBeUndefined();
  const { nfts } = await get(`/nft/collections/${slug}/nfts?limit=200`);
  expect(nfts.length).toBeGreaterThan(2);
  const hash = 'ab'.repeat(32);
  for (const [at, { NFTokenID }] of nfts.entries())
    contents.set(NFTokenID, {
      collection: at === 0 ? 'Other' : '<i>Light\u202ehouses</i>',
      ...(at > 0 && { imageHash: hash }),
      attributes: [],
    });
  nftMetadata.version++;
  expect(await shown()).toMatchObject({
    name: '<i>Lighthouses</i>',
    logoImage: `${hash}_512.webp`,
    sources: { name: 'metadata', logoImage: 'metadata' },
    verified: false,
    slug,
  });
});

test('the issuer says more, which is shown at once in all answers, with its source', async () => {
  const { status, body } = await post({
    name: ' Harbour\u200b lights\ud83e ',
    description: 'First line\nsecond\u202e line\u0000\udd8a',
    category: 'Art',
    website: 'https://example.com',
    twitter: '@harbour',
    tags: ['Harvest Moon', 'harvest  moon', 'Games'],
  });
  expect([status, body.updated]).toEqual([
    200,
    ['name', 'description', 'category', 'website', 'twitter', 'tags'],
  ]);
  const texts = {
    name: 'Harbour lights',
    description: 'First line\nsecond line',
    category: 'art',
    website: 'https://example.com/',
    twitter: 'harbour',
    tags: ['Harvest Moon', 'Games'],
  };
  const one = await shown();
  expect(one).toMatchObject({ ...texts, slug });
  expect(one.sources).toMatchObject({ name: 'service', tags: 'service', logoImage: 'metadata' });
  const { collections, tags, tagName } = await get('/nft/collections?tag=harvest-moon');
  expect(tagName).toBe(tags.find(({ tag }: Json) => /harvest/i.test(tag)).tag);
  expect(collections).toHaveLength(1);
  expect(collections[0]).toMatchObject(texts);
  expect(tags).toEqual([
    { tag: 'Games', count: 1 },
    { tag: 'Harvest Moon', count: 1 },
  ]);
  expect(await get('/nft/collections?tag=nothing')).toMatchObject({ total: 0, tagName: '' });
  const { nfts } = await get(`/nft/collections/${slug}/nfts?limit=1`);
  expect(nfts[0].collection).toBe('Harbour lights');
  const lists = [
    (await get(`/nft/account/${nfts[0].account}/nfts?limit=100`)).collections,
    (await get(`/nft/holders/address/${nfts[0].account}?limit=100`)).holdings,
    [{ ...(await get(`/nft/holders/${slug}`)) }],
  ];
  for (const rows of lists)
    expect(rows.find((row: Json) => row.slug === slug)).toMatchObject({
      name: 'Harbour lights',
      logoImage: `${'ab'.repeat(32)}_512.webp`,
    });
  const { traders } = await get(`/nft/collections/${slug}/traders?limit=1`);
  const traded = await get(`/nft/analytics/trader/${traders[0].address}/collections`);
  expect(traded.collections.find((row: Json) => row.slug === slug)).toMatchObject({
    name: 'Harbour lights',
    logo: `${'ab'.repeat(32)}_512.webp`,
  });
});

test('a list is narrowed to a text in names, slugs and names of issuers, as its rows show them', async () => {
  const Domain = Buffer.from('Harbour.example').toString('hex');
  random.rig.submit(ISSUERS[1]!, { TransactionType: 'AccountSet', Domain });
  await follow(engine, random.rig.close());
  const draw = drawsOf(TEXTS_SEED);
  const pick = <T>(list: readonly T[]): T => list[draw(list.length)]!;
  const shownIn = ({ name = '', slug, accountName = '' }: Json): string[] => [name, slug, accountName];
  const randomText = (rows: readonly Json[]): string => {
    const text = pick(shownIn(pick(rows)));
    const at = draw(Math.max(1, text.length));
    const part = text.slice(at, at + 1 + draw(12));
    return pick([part, part.toLowerCase(), part.toUpperCase(), `${part}q`, 'HARBOUR']);
  };
  let narrowed = 0;
  for (let i = 0; i < TEXTS; i++) {
    const base = `/nft/collections?sortBy=${pick(SORTS)}&order=${pick(['asc', 'desc'])}`;
    const all = (await get(`${base}&limit=200`)).collections as Json[];
    const text = randomText(all);
    const wanted = all
      .filter((row) => shownIn(row).some((one) => one.toLowerCase().includes(text.toLowerCase())))
      .map((row) => row.slug);
    const [page, limit] = [draw(2), 1 + draw(3)];
    const sent = `${base}&filter=${encodeURIComponent(text)}&page=${page}&limit=${limit}`;
    const { collections, total, pagination } = await get(sent);
    const slugs = collections.map((row: Json) => row.slug);
    expect([sent, total, slugs]).toEqual([
      sent,
      wanted.length,
      wanted.slice(page * limit, (page + 1) * limit),
    ]);
    expect(pagination).toMatchObject({ total, hasMore: (page + 1) * limit < total });
    if (total > 0 && total < all.length) narrowed++;
  }
  expect(narrowed).toBeGreaterThan(TEXTS / 4);
  expect((await get('/nft/collections?filter=harbour%20lights&tag=games')).total).toBe(1);
  expect((await get('/nft/collections?filter=harbour%20lights&tag=nothing')).total).toBe(0);
  expect((await get('/nft/collections?filter=')).total).toBe((await get('/nft/collections')).total);
});

test('it is written once in 3 seconds; what is blank is removed; a restart keeps the rest', async () => {
  expect((await post({ name: 'again' })).status).toBe(429);
  now += 3000;
  expect((await post({ name: ' ', tags: [], twitter: 'harbour' })).body.updated).toEqual(['name', 'tags']);
  await platform.close();
  await open();
  expect((await get('/nft/collections?filter=harbour%20lights')).total).toBe(0);
  expect((await get('/nft/collections?filter=lighthouses')).total).toBe(1);
  const one = await shown();
  expect([one.name, one.tags, one.twitter, one.category]).toEqual([
    '<i>Lighthouses</i>',
    undefined,
    'harbour',
    'art',
  ]);
  expect((await get('/nft/collections?tag=games')).total).toBe(0);
});

test('only the issuer and the admin write, and only the admin says verified', async () => {
  now += 3000;
  const stranger = ISSUERS.find(({ address }) => address !== issuer.address)!;
  expect((await post({ name: 'x' }, {})).status).toBe(401);
  expect((await post({ name: 'x' }, headersOf(stranger))).status).toBe(403);
  expect((await post({ verified: true })).status).toBe(403);
  expect((await post({ name: 'x' }, headersOf(issuer), `${stranger.address}-77`)).status).toBe(404);
  for (const wrong of [{ website: 'javascript:alert(1)' }, { twitter: 'a b' }, { tags: ['<b>'] }])
    expect((await post(wrong)).status).toBe(400);
  expect((await post({ verified: true }, headersOf(admin))).status).toBe(200);
  expect((await shown()).verified).toBe(true);
  expect((await get(`/nft/collections/${slug}/nfts?limit=1`)).nfts[0].collectionVerified).toBe(true);
  const bare = apiOf(new Network({ engine }));
  expect((await post({ name: 'x' }, headersOf(issuer), slug, bare)).status).toBe(503);
});
