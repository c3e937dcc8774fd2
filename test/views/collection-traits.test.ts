/** Ranks of rarity against an example worked out by hand and a recount in whole numbers; limits of what is kept. */
import { expect, test } from 'bun:test';
import { runToEnd } from '../../engine/event-loop.ts';
import type { NftAttribute } from '../../platform/nft-metadata.ts';
import { CollectionTraits, TYPES_MAX, VALUES_MAX } from '../../views/nfts/collection-traits.ts';
import { drawsOf, seedOf } from '../sandbox/seed.ts';

const SEED = seedOf('rarity', 20_261_208);

/** NFTs 1, 2, ... with these attributes; undefined: not known. */
function made(all: readonly (readonly NftAttribute[] | undefined)[]): CollectionTraits {
  const contentOf = (nft: number) => {
    const attributes = all[nft - 1];
    return attributes && { attributes };
  };
  return runToEnd(
    CollectionTraits.making(
      Uint32Array.from(all.keys(), (at) => at + 1),
      contentOf,
    ),
  );
}

const ranksOf = (traits: CollectionTraits, count: number) =>
  Array.from({ length: count }, (_, at) => traits.rank(at + 1));

test('an example worked out by hand', () => {
  // Of four: Blue 4; Cap 2, Crown 1, no hat 1; two traits 3, one trait 1. Bits: blue 0, cap 1, crown 2, no hat 2,
  // two traits 0.415, one trait 2. Crown and "one trait" are unique.
  const blue = { type: 'Background', value: 'Blue' };
  const hat = (value: string) => [blue, { type: 'Hat', value }];
  const traits = made([hat('Cap'), undefined, hat('Crown'), [blue], hat('cap ')]);
  expect(ranksOf(traits, 5)).toEqual([3, undefined, 2, 1, 3]);
  expect(traits.props(5)).toEqual([
    { type: 'Background', value: 'Blue', count: 4 },
    { type: 'Hat', value: 'Cap', count: 2 },
  ]);
  expect(traits.all()).toEqual([
    { type: 'Background', without: 0, values: [{ value: 'Blue', count: 4 }] },
    {
      type: 'Hat',
      without: 1,
      values: [
        { value: 'Cap', count: 2 },
        { value: 'Crown', count: 1 },
      ],
    },
  ]);
  const has = traits.matcher([
    { type: 'HAT', value: 'crown' },
    { type: 'hat', value: 'cap' },
    { type: 'background', value: 'blue' },
  ]);
  expect([1, 2, 3, 4, 5, 6].filter(has)).toEqual([1, 3, 5]);
});

test(`random collections (SEED=${SEED})`, () => {
  const draw = drawsOf(SEED);
  for (let round = 0; round < 4; round++) {
    const types = 1 + draw(5);
    const all = Array.from({ length: 150 }, () =>
      draw(10) === 0
        ? undefined
        : Array.from({ length: types }, (_, type) => ({
            type: `type ${type}`,
            // Squared: low values are frequent.
            value: `${Math.floor((draw(6) * draw(6)) / (1 + type))}`,
          })).filter(() => draw(4) > 0),
    );
    const known = all.flatMap((one, at) => (one ? [{ at, traits: one }] : []));
    const columns = [
      ...Array.from({ length: types }, (_, type) =>
        known.map(({ traits }) => traits.find((one) => one.type === `type ${type}`)?.value),
      ),
      known.map(({ traits }) => `${traits.length}`),
    ];
    const scored = known.map((_, i) => {
      const counts = columns.map((column) => column.filter((value) => value === column[i]).length);
      const unique = counts.filter((count, of) => count === 1 && columns[of]![i] !== undefined).length;
      // The score is the logarithm of a constant divided by this.
      return { unique, product: counts.reduce((product, count) => product * BigInt(count), 1n) };
    });
    const expected = new Array<number | undefined>(all.length).fill(undefined);
    for (const [i, own] of scored.entries()) {
      const rarer = scored.filter(
        ({ unique, product }) => unique > own.unique || (unique === own.unique && product < own.product),
      );
      expected[known[i]!.at] = rarer.length + 1;
    }
    const traits = made(all);
    expect(ranksOf(traits, all.length)).toEqual(expected);
    expect(traits.known).toBe(known.length);
  }
});

test('what a hostile collection may take is bounded', () => {
  const many = VALUES_MAX + 10;
  const numbers = Array.from({ length: many }, (_, at) => [
    { type: 'Number', value: `${at}` },
    { type: 'Color', value: at % 2 ? 'red' : 'blue' },
  ]);
  const texts = made(numbers);
  expect([texts.isPart, texts.known]).toEqual([true, many]);
  expect(texts.all().map(({ type }) => type)).toEqual(['Color']);
  expect(texts.rank(1)).toBe(1);
  const wide = made([Array.from({ length: 100 }, (_, at) => ({ type: `t${at}`, value: 'x' }))]);
  expect([wide.all().length, wide.isPart]).toEqual([TYPES_MAX, true]);
  const odd = made([
    [
      { type: '__proto__', value: 'constructor' },
      { type: ' ', value: 'x' },
      { type: 'blank', value: ' ' },
      { type: 'Twice', value: 'first' },
      { type: 'twice', value: 'second' },
    ],
  ]);
  expect(odd.props(1)).toEqual([
    { type: '__proto__', value: 'constructor', count: 1 },
    { type: 'Twice', value: 'second', count: 1 },
  ]);
  expect(odd.all().find(({ type }) => type === 'blank')?.values ?? []).toEqual([]);
  expect(made([]).all()).toEqual([]);
  expect(made([[]]).known).toBe(1);
});
