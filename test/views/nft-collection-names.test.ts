/** Names that NFTs give their collection, as lists of collections show them. */
import { expect, test } from 'bun:test';
import { Engine } from '../../engine/engine.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Network } from '../../views/network.ts';
import { asker } from '../api/routes/ask.ts';
import { follow, RandomNfts } from '../engine/nfts/random-nfts.ts';
import { quiet } from '../live-rig.ts';
import { drawsOf } from '../sandbox/seed.ts';

const SEED = 20_261_130;

test('a name that is too long ends with a whole character', async () => {
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const random = new RandomNfts(drawsOf(SEED));
  await follow(engine, random.rig.network.closed);
  for (let i = 0; i < 40; i++) await follow(engine, random.next());
  const content = { collection: `${'a'.repeat(99)}😀`, attributes: [] };
  const nftMetadata = { version: 1, content: () => content };
  const { body } = await asker(new Network({ engine, nftMetadata })).get(
    '/nft/collections?sort=items&limit=1',
  );
  expect(body.collections[0].name).toBe('a'.repeat(99));
});
