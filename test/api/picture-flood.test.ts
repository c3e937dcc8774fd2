/** A flood of requests for distinct pictures where no key is needed: memory stays bounded, others are answered as before. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApi } from '../../api/app.ts';
import { type LmdbPlatformStore, openPlatformStore } from '../../data/platform-store.ts';
import { Engine } from '../../engine/engine.ts';
import { IMAGE_SIDE, THUMB_WIDTHS } from '../../platform/images.ts';
import { FORMS_BYTES, MEDIA_COLLECTIONS, NftMediaStore } from '../../platform/nft-media.ts';
import { pictureFile } from '../../platform/nft-pictures.ts';
import { TokenData } from '../../platform/token-metadata.ts';
import { PICTURES } from '../../requests/address-rates.ts';
import { DEFAULT_ADMISSION } from '../../requests/admission-settings.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Mount } from '../../views/mount.ts';
import { Network } from '../../views/network.ts';
import { GENERATED_MAX, TokenPictures } from '../../views/pictures/token-pictures.ts';
import { quiet } from '../live-rig.ts';

const SIDES = [IMAGE_SIDE, ...THUMB_WIDTHS];
const PICTURES_KEPT = 60;
/** All forms together do not fit into the memory for them. */
const FORM_BYTES = 40_000;
const dir = mkdtempSync(join(tmpdir(), 'millrace-flood-'));
const engine = new Engine({ store: new MemoryStore(), log: quiet });
const hashes: string[] = [];
let platform: LmdbPlatformStore;
let media: NftMediaStore;
let network: Network;
let client = '192.0.2.1';
let now = 1_800_000_000_000;

beforeAll(async () => {
  platform = await openPlatformStore({ dir, network: 0, collections: MEDIA_COLLECTIONS });
  media = new NftMediaStore({
    store: platform,
    bytesOf: () => 0,
    limits: { uris: 1e9, pictures: 1e9 },
    now: () => now,
  });
  for (let n = 0; n < PICTURES_KEPT; n++) {
    const form = (side: number) => new Uint8Array(FORM_BYTES).fill(n).fill(side & 255, 1, 9);
    const forms = new Map(SIDES.map((side) => [side, form(side)] as const));
    const image = { width: 512, height: 512, forms };
    await media.write(`ipfs://${n}`, { due: 0, failures: 0, content: { attributes: [] } }, image);
    hashes.push(media.known(`ipfs://${n}`)!.picture!);
  }
  // All tokens that are asked for exist, and have no picture.
  const tokens = { byMd5: () => 7 };
  const tokenPictures = new TokenPictures({ tokens } as never, new TokenData(), undefined, () => undefined);
  network = new Network({ engine, pictures: media });
  Object.assign(network, { tokenPictures });
});
afterAll(async () => {
  await platform.close();
  rmSync(dir, { recursive: true, force: true });
});

const apiIn = (mode: 'open' | 'keys') =>
  createApi({
    mounts: [Mount.of(network)],
    log: quiet,
    now: () => now,
    admission: { ...DEFAULT_ADMISSION, mode },
    identify: () => ({ kind: 'anonymous', ip: client }),
  });

const md5Of = (n: number) => Bun.hash(String(n)).toString(16).padStart(16, '0').repeat(2);

test('of tokens: what is drawn is kept up to a number', async () => {
  const api = apiIn('open');
  for (let n = 0; n < 2 * GENERATED_MAX; n++) {
    const width = THUMB_WIDTHS[n % THUMB_WIDTHS.length]!;
    const response = await api.fetch(new Request(`http://localhost/s1/thumb/${md5Of(n)}_${width}`));
    expect(response.status).toBe(200);
  }
  expect(network.tokenPictures.drawn).toBe(GENERATED_MAX);
});

test('of NFTs: those that were read last are kept up to a size, and each is its own', async () => {
  const api = apiIn('open');
  for (let round = 0; round < 2; round++)
    for (const [n, hash] of hashes.entries())
      for (const side of SIDES) {
        const response = await api.fetch(new Request(`http://localhost/s1/nft/${pictureFile(hash, side)}`));
        const bytes = await response.bytes();
        expect([response.status, bytes.length, bytes[0], bytes[1]]).toEqual([200, FORM_BYTES, n, side & 255]);
        expect(media.formBytes).toBeLessThanOrEqual(FORMS_BYTES);
      }
  expect(media.formBytes).toBeGreaterThan(FORMS_BYTES / 2);
  // Names of nothing are not kept.
  const before = media.formBytes;
  for (let n = 0; n < 1000; n++)
    expect((await api.fetch(new Request(`http://localhost/s1/nft/${md5Of(n)}_64.webp`))).status).toBe(404);
  expect(media.formBytes).toBe(before);
});

test('an address may ask for so many in a while; others, and what else it asks for, are not affected', async () => {
  const api = apiIn('keys');
  const ask = async (path: string) => api.fetch(new Request(`http://localhost${path}`));
  const picture = async (n: number) => (await ask(`/s1/thumb/${md5Of(n)}_48`)).status;
  for (let n = 0; n < PICTURES.limit; n++) expect(await picture(n)).toBe(200);
  const refused = await ask(`/s1/nft/${pictureFile(hashes[0]!, 64)}`);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([
    429,
    String(PICTURES.windowMs / 1000),
  ]);
  for (const path of ['/token/x', '/thumb/x', '/s1/token/x', '/s1/nft-collection/x'])
    expect([path, (await ask(path)).status]).toEqual([path, 429]);
  client = '192.0.2.2';
  expect(await picture(0)).toBe(200);
  client = '192.0.2.1';
  expect((await ask('/v1/ledger')).status).not.toBe(429);
  now += PICTURES.windowMs;
  expect(await picture(0)).toBe(200);
});
