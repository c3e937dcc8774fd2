/**
 * Metadata of the NFTs of some collections, in the store that has what URIs name, as if it had been fetched: a name and TYPES
 * traits each, whose values fall off as those of real collections do.
 */
import { openPlatformStore } from '../../data/platform-store.ts';
import type { Engine } from '../../engine/engine.ts';
import { MEDIA_COLLECTIONS, NftMediaStore } from '../../platform/nft-media.ts';
import { mediaDir } from '../../service/nft-media.ts';

const TYPES = ['Background', 'Body', 'Clothes', 'Eyes', 'Hat', 'Mouth', 'Earring'];
/** Of a type. */
const VALUES = 20;
/** Written at one time. */
const WRITTEN = 500;
/** More than there are. */
const ROOM = { uris: 1e12, pictures: 1e12 };

/** @param dir folder of the engine's store. @param collections rows */
export async function writeContents(
  { nfts: { nfts }, nfts: domain }: Engine,
  dir: string,
  collections: readonly number[],
): Promise<void> {
  const store = await openPlatformStore({ dir: mediaDir(dir), network: 0, collections: MEDIA_COLLECTIONS });
  const kept = new NftMediaStore({ store, bytesOf: () => 0, limits: ROOM, now: Date.now });
  let writing: Promise<void>[] = [];
  for (const collection of collections) {
    for (let nft = nfts.newestOf(collection); nft !== 0; nft = nfts.before(nft)) {
      const content = { name: `Number ${nft}`, attributes: attributesOf(nft) };
      writing.push(kept.write(domain.uri(nft)!, { due: 0, failures: 0, content }));
      if (writing.length < WRITTEN) continue;
      await Promise.all(writing);
      writing = [];
    }
  }
  await Promise.all(writing);
  await store.close();
}

function attributesOf(nft: number) {
  let hash = nft;
  return TYPES.map((type) => {
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
    // The first value is that of a fifth of them.
    const value = Math.floor(VALUES * (hash / 2 ** 32) ** 2);
    return { type, value: `Value ${value}` };
  });
}
