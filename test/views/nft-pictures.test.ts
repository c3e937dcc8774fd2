/** Which files show NFTs, in rows and sales. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { Engine } from '../../engine/engine.ts';
import type { NftContent, NftMetadata } from '../../platform/nft-metadata.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Network } from '../../views/network.ts';
import { Views } from '../../views/views.ts';
import { asker, type Json } from '../api/routes/ask.ts';
import { follow, RandomNfts } from '../engine/nfts/random-nfts.ts';
import { quiet } from '../live-rig.ts';
import { drawsOf } from '../sandbox/seed.ts';

const LEDGERS = 60;
const engine = new Engine({ store: new MemoryStore(), log: quiet });
const random = new RandomNfts(drawsOf(20_261_124));

/** Of two NFTs of three, by their id. */
const hasPicture = (id: string) => Number.parseInt(id.slice(-4), 16) % 3 !== 0;
const hashOf = (id: string) => new Bun.CryptoHasher('sha256').update(id).digest('hex');
const metadata: NftMetadata = {
  version: 1,
  content: (id): NftContent => ({
    name: `NFT ${id.slice(-4)}`,
    attributes: [],
    ...(hasPicture(id) && { imageHash: hashOf(id) }),
  }),
};

const network = new Network({ engine });
Object.assign(network, { views: new Views(engine, { nftMetadata: metadata }) });
const ask = asker(network);
const get = async (path: string): Promise<Json> => (await ask.get(path)).body;

beforeAll(async () => {
  await follow(engine, random.rig.network.closed);
  for (let i = 0; i < LEDGERS; i++) await follow(engine, random.next());
});

describe('pictures', () => {
  test('of NFTs are named in rows and sales by size', async () => {
    const rows = (await get('/nft?limit=100')).nfts as Json[];
    for (const { NFTokenID: id, files } of rows) {
      const hash = hashOf(id);
      const file = (width: number) => `${hash}_${width}.webp`;
      expect(files).toEqual(
        hasPicture(id)
          ? [
              {
                type: 'image',
                thumbnail: { small: file(64), medium: file(128), large: file(512) },
                convertedFile: file(512),
              },
            ]
          : undefined,
      );
    }
    expect(rows.some(({ files }) => files)).toBe(true);
    const { collections } = await get('/nft/collections?sort=totalSales&limit=1');
    const [{ slug }] = collections;
    const { ohlc } = await get(`/nft/collections/${slug}/ohlc`);
    const { sales } = await get(`/nft/collections/${slug}/ohlc/${ohlc.at(-1).t}/sales`);
    expect(sales.length).toBeGreaterThan(0);
    for (const { NFTokenID: id, name, thumbnail } of sales) {
      expect(name).toBe(`NFT ${id.slice(-4)}`);
      const hash = hashOf(id);
      const files = { small: `${hash}_64.webp`, medium: `${hash}_128.webp` };
      expect(thumbnail).toEqual(hasPicture(id) ? files : undefined);
    }
  });
});
