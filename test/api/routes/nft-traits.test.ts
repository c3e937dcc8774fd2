/** Traits and rarity over HTTP against a recount with whole numbers, of metadata drawn from a seed. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { Engine } from '../../../engine/engine.ts';
import type { NftAttribute, NftContent, NftMetadata } from '../../../platform/nft-metadata.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Network } from '../../../views/network.ts';
import { asTheNode } from '../../engine/nfts/node-nfts.ts';
import { follow, RandomNfts } from '../../engine/nfts/random-nfts.ts';
import { quiet } from '../../live-rig.ts';
import { drawsOf, seedOf } from '../../sandbox/seed.ts';
import { asker, type Json } from './ask.ts';

const SEED = seedOf('traits', 20_261_207);
const LEDGERS = 75;

/** Metadata that the test hands out. */
class Drawn implements NftMetadata {
  version = 1;
  readonly contents = new Map<string, NftContent>();
  reads = 0;

  content(id: string): NftContent | undefined {
    this.reads++;
    return this.contents.get(id);
  }
}

const random = new RandomNfts(drawsOf(SEED));
const draw = drawsOf(SEED + 1);
const engine = new Engine({ store: new MemoryStore(), log: quiet });
const metadata = new Drawn();
const ask = asker(new Network({ engine, nftMetadata: metadata }));
let cid = '';
let path = '';
/** Owner of each NFT of the collection. */
const owners = new Map<string, string>();

const get = async (of: string): Promise<Json> => {
  const { status, body } = await ask.get(of);
  expect([of, status]).toEqual([of, 200]);
  return body;
};

const VALUES: Readonly<Record<string, readonly string[]>> = {
  Background: ['Blue', 'Blue', 'Blue', 'Gold', ' gold '],
  hat: ['Cap', 'CROWN, small', 'None', 'crown, small'],
  'Eyes:left': ['50%', 'green', 'green'],
};

function drawnContent(): NftContent | undefined {
  if (draw(8) === 0) return undefined;
  const attributes = Object.entries(VALUES).flatMap(([type, values]): NftAttribute[] =>
    draw(3) === 0 ? [] : [{ type: draw(2) ? type : type.toUpperCase(), value: values[draw(values.length)]! }],
  );
  if (draw(12) === 0) attributes.push({ type: 'background', value: 'only one' });
  return { name: `<b>${draw(100)}</b>`, attributes };
}

const form = (text: string) => text.trim().toLowerCase();

/** Each NFT's traits, as a reader would say them: of a type the last value. */
function traitsOf(nft: string): Map<string, string> | undefined {
  const content = metadata.contents.get(nft);
  return content && new Map(content.attributes.map(({ type, value }) => [form(type), form(value)]));
}

/** NFTs with the same value, of each type and of the number of traits: exact, so that equal means equal. */
function recountedRanks(): Map<string, number> {
  const own = [...owners.keys()].flatMap((nft) => {
    const traits = traitsOf(nft);
    if (!traits) return [];
    const count = [...traits.values()].filter((value) => value !== 'none').length;
    return { nft, traits: new Map([...traits, ['number of traits', String(count)]]) };
  });
  const types = [...new Set(own.flatMap(({ traits }) => [...traits.keys()]))];
  const scored = own.map(({ nft, traits }) => {
    const counts = types.map((type) => own.filter((one) => one.traits.get(type) === traits.get(type)).length);
    const unique = types.filter((type, i) => traits.has(type) && counts[i] === 1).length;
    return { nft, unique, product: counts.reduce((product, count) => product * count, 1) };
  });
  // The score falls with the product of the counts.
  return new Map(
    scored.map(({ nft, unique, product }) => [
      nft,
      1 +
        scored.filter((one) => one.unique > unique || (one.unique === unique && one.product < product))
          .length,
    ]),
  );
}

beforeAll(async () => {
  await follow(engine, random.rig.network.closed);
  for (let i = 0; i < LEDGERS; i++) await follow(engine, random.next());
  const { collections } = await get('/nft/collections?sort=items&limit=1');
  cid = collections[0]._id;
  path = `/nft/collections/${collections[0].slug}`;
  for (const [nft, { owner }] of Object.entries(asTheNode(random.ask).nfts)) {
    const shown = await get(`/nft/${nft}`);
    expect([shown.rarity_rank, shown.props]).toEqual([undefined, undefined]);
    if (shown.cid === cid) owners.set(nft, owner);
  }
  for (const nft of owners.keys()) {
    const content = drawnContent();
    if (content) metadata.contents.set(nft, content);
  }
  metadata.version++;
});

const ids = (rows: readonly Json[]): string[] => rows.map(({ NFTokenID }) => NFTokenID);
const sorted = (texts: Iterable<string>) => [...texts].sort();

describe(`a collection (SEED=${SEED})`, () => {
  test('has its traits with how many NFTs have each, whatever their case', async () => {
    const { traits, known, total, count, truncated } = await get(`${path}/traits`);
    expect(owners.size).toBeGreaterThan(2);
    expect([known, total]).toEqual([metadata.contents.size, owners.size]);
    expect([truncated, count]).toEqual([undefined, traits.length]);
    const counts = new Map<string, number>();
    for (const nft of metadata.contents.keys())
      for (const [type, value] of traitsOf(nft)!)
        counts.set(`${type}=${value}`, (counts.get(`${type}=${value}`) ?? 0) + 1);
    const shown = traits.flatMap(({ type, values, without, total }: Json) => {
      const having = values.reduce((sum: number, { count }: Json) => sum + count, 0);
      expect([having + without, total]).toEqual([known, values.length]);
      const numbers = values.map(({ count }: Json) => count);
      expect(numbers).toEqual(numbers.toSorted((a: number, b: number) => b - a));
      return values.map(({ value, count }: Json) => [`${form(type)}=${form(value)}`, count]);
    });
    expect(new Map(shown)).toEqual(counts);
    expect(shown.length).toBe(counts.size);
  });

  test('ranks its NFTs as a recount does, and shows the traits of each', async () => {
    const ranks = recountedRanks();
    expect(new Set(ranks.values()).size).toBeGreaterThan(1);
    const { nfts } = await get(`${path}/nfts?limit=200`);
    for (const { NFTokenID: nft, rarity_rank, props, meta } of nfts) {
      expect([nft, rarity_rank]).toEqual([nft, ranks.get(nft)]);
      const own = traitsOf(nft);
      expect(props?.map(({ type, value }: Json) => [form(type), form(value)]).sort()).toEqual(
        own && [...own].sort(),
      );
      for (const { type, value, count } of props ?? [])
        expect(count).toBe(
          [...owners.keys()].filter((one) => traitsOf(one)?.get(form(type)) === form(value)).length,
        );
      expect(meta?.name).toBe(metadata.contents.get(nft)?.name);
      const one = await get(`/nft/${nft}`);
      expect([one.rarity_rank, one.props]).toEqual([rarity_rank, props]);
    }
  });

  test('is sorted by rarity: what has none comes last, of equals the newest first', async () => {
    const newest = ids((await get(`${path}/nfts?limit=200`)).nfts);
    const ranks = recountedRanks();
    for (const [sort, sign] of [
      ['rarity-rare', 1],
      ['rarity-common', -1],
    ] as const) {
      const expected = newest
        .filter((nft) => ranks.has(nft))
        .sort((a, b) => sign * (ranks.get(a)! - ranks.get(b)!));
      const { nfts } = await get(`${path}/nfts?limit=200&sort=${sort}`);
      expect(ids(nfts)).toEqual([...expected, ...newest.filter((nft) => !ranks.has(nft))]);
    }
    for (const [order, sign] of [
      ['asc', 1],
      ['desc', -1],
    ] as const)
      for (const scope of [`cid=${cid}`, `issuer=${cid.split(':')[0]}`]) {
        const { nfts } = await get(`/nft?${scope}&sort=rarity_rank&order=${order}&limit=200`);
        const shown = nfts.map(({ rarity_rank }: Json) => rarity_rank);
        const known = shown.filter((rank: unknown) => rank !== undefined);
        expect(known).toEqual([...ranks.values()].toSorted((a, b) => sign * (a - b)));
        expect(shown.slice(0, known.length)).toEqual(known);
      }
  });

  test('has NFTs with traits: any value of a type, all types, with owner and escapes', async () => {
    const having = (wanted: Readonly<Record<string, readonly string[]>>, owner?: string) =>
      [...owners].flatMap(([nft, of]) => {
        const own = traitsOf(nft);
        const has = Object.entries(wanted).every(([type, values]) => values.includes(own?.get(type) ?? ''));
        return has && (owner === undefined || of === owner) ? [nft] : [];
      });
    const [, owner] = [...owners].find(([nft]) => traitsOf(nft)?.get('background') === 'blue')!;
    const cases: [string, Record<string, string[]>, string?][] = [
      ['Background:Blue', { background: ['blue'] }],
      ['Background:Blue,background:GOLD', { background: ['blue', 'gold'] }],
      ['Background:Blue,Hat:cap,hat:none', { background: ['blue'], hat: ['cap', 'none'] }],
      ['Hat:Crown%2C small', { hat: ['crown, small'] }],
      ['Eyes%3Aleft:50%25', { 'eyes:left': ['50%'] }],
      ['Eyes%3Aleft:50%', { 'eyes:left': ['50%'] }],
      ['Background:Blue', { background: ['blue'] }, owner],
      ['Background:nothing', { background: ['nothing'] }],
      ['nothing:nothing', { nothing: ['nothing'] }],
    ];
    let found = 0;
    for (const [traits, wanted, of] of cases) {
      const query = `traits=${encodeURIComponent(traits)}${of === undefined ? '' : `&owner=${of}`}&limit=200`;
      const { nfts, total } = await get(`${path}/nfts?sort=rarity-rare&${query}`);
      expect([traits, sorted(ids(nfts))]).toEqual([traits, sorted(having(wanted, of))]);
      expect(total).toBe(nfts.length);
      found += total;
      const listed = await get(`${path}/nfts?listed=xrp&${query}`);
      expect(sorted(ids(listed.nfts))).toEqual(
        sorted(nfts.flatMap(({ NFTokenID, cost }: Json) => (cost ? [NFTokenID] : []))),
      );
    }
    expect(found).toBeGreaterThan(0);
  });

  test('is found by name among what an account owns, markup and all, 50 at most', async () => {
    const [nft, owner] = [...owners].find(([id]) => metadata.contents.has(id))!;
    const name = metadata.contents.get(nft)!.name!;
    for (const text of [name, name.toUpperCase(), name.slice(1, -2)]) {
      const query = `search=${encodeURIComponent(text)}&limit=100`;
      const { nfts, limit } = await get(`/nft/account/${owner}/nfts?${query}`);
      const expected = [...owners].filter(
        ([id, of]) =>
          of === owner && metadata.contents.get(id)?.name?.toLowerCase().includes(text.toLowerCase()),
      );
      expect([limit, sorted(ids(nfts))]).toEqual([50, sorted(expected.map(([id]) => id))]);
    }
  });

  test('reads metadata again when it grew, or an NFT was minted or burned, and not otherwise', async () => {
    const readsOf = async (of: string) => {
      const before = metadata.reads;
      await get(of);
      return metadata.reads - before;
    };
    await get(`${path}/traits`);
    expect(await readsOf(`${path}/traits?x=1`)).toBe(0);
    metadata.version++;
    expect(await readsOf(`${path}/traits`)).toBe(owners.size);
    for (let i = 0; i < 10; i++) await follow(engine, random.next());
    const { known, total } = await get(`${path}/traits`);
    const live = Object.keys(asTheNode(random.ask).nfts);
    const own = [...metadata.contents.keys()].filter((nft) => live.includes(nft));
    expect([known, total]).toEqual([own.length, (await get(path)).items]);
  });
});
