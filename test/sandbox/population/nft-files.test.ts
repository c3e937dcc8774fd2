/** Metadata and pictures of the population's NFTs: what the node serves of what was minted, the same again for a seed. */
import { describe, expect, test } from 'bun:test';
import { NftFiles } from '../../../sandbox/population/nft-files.ts';
import { SIDE } from '../../../sandbox/population/picture.ts';

const files = new NftFiles('a seed');
// biome-ignore lint/suspicious/noExplicitAny: metadata is looked into member by member
const metadata = (path: string, from = files): any =>
  JSON.parse(from.of('ipfs.example', `/ipfs/${path}`)!.body as string);

describe('the files of an NFT', () => {
  test('are metadata that names a picture which a decoder reads, the same for the same seed', async () => {
    for (const item of ['blue-chip/1', 'blue-chip/special-3', 'drop/0', 'rare/1', 'single/1']) {
      const { name, image, collection, attributes } = metadata(`${item}.json`);
      expect([image, name.includes('#'), collection.name.length > 0]).toEqual([
        `ipfs://${item}.png`,
        true,
        true,
      ]);
      expect(attributes.length).toBeGreaterThan(1);
      const { type, body } = files.of('ipfs.example', image.replace('ipfs://', '/ipfs/'))!;
      expect(type).toBe('image/png');
      const { format, width, height } = await new Bun.Image(new Uint8Array(body as Uint8Array)).metadata();
      expect([format, width, height]).toEqual(['png', SIDE, SIDE]);
      const again = new NftFiles('a seed').of('ipfs.example', `/ipfs/${item}.png`)!;
      expect(Buffer.from(again.body as Uint8Array).equals(body as Uint8Array)).toBe(true);
    }
  });

  test('differ with the seed and the item, and their values are unequally frequent', () => {
    const items = Array.from({ length: 80 }, (_, n) => metadata(`blue-chip/${n + 1}.json`));
    const other = new NftFiles('another');
    expect(items).not.toEqual(items.map((_, n) => metadata(`blue-chip/${n + 1}.json`, other)));
    const counts = new Map<string, number>();
    for (const { attributes } of items)
      for (const { trait_type, value } of attributes)
        if (trait_type === 'Background') counts.set(value, (counts.get(value) ?? 0) + 1);
    expect(counts.get('Sand')!).toBeGreaterThan(25);
    expect(Math.min(...counts.values())).toBeLessThan(8);
    expect(counts.size).toBeGreaterThan(3);
  });

  test('of a fake airdrop show a picture and the name of a known collection', () => {
    const { body } = files.of('free-xrp.example', '/voucher/3')!;
    const { collection } = JSON.parse(body as string);
    expect(collection.name).toBe(metadata('drop/1.json').collection.name);
    const copied = files.of('free-xrp.example', '/voucher/3.png')!.body as Uint8Array;
    const known = files.of('ipfs.example', '/ipfs/drop/3.png')!.body as Uint8Array;
    expect(Buffer.from(copied).equals(known)).toBe(true);
  });

  test('are of the catalogue, too, without a picture', () => {
    expect(metadata('first').name).not.toBe(metadata('second').name);
  });

  test.each([
    ['ipfs.example', '/ipfs/other/1.json'],
    ['ipfs.example', '/ipfs/blue-chip/01.json'],
    ['ipfs.example', '/ipfs/constructor/1.json'],
    ['ipfs.example', '/ipfs/third'],
    ['ipfs.example', '/'],
    ['free-xrp.example', '/'],
    ['elsewhere.example', '/ipfs/blue-chip/1.json'],
  ])('are not at %s%s', (host, path) => {
    expect(files.of(host, path)).toBeUndefined();
  });
});
