/** Kept orders against a full sort after every step, and the name index against a plain search. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { sortDescending } from '../../engine/metrics/sort-descending.ts';
import { downsample } from '../../views/downsample.ts';
import { NameIndex } from '../../views/name-index.ts';
import { numberText } from '../../views/number-format.ts';
import { pairHash } from '../../views/pair-hash.ts';
import { SortedOrder } from '../../views/sorted-order.ts';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
console.log(`seed ${seed}`);

const key = fc.oneof(
  fc.constant(Number.NaN),
  fc.constantFrom(0, -0, 1, -1, 5),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** Present keys first, in the direction; absent ones last, by id. Those whose key is -1 are not listed. */
function naive(keys: readonly number[], first: number, ascending: boolean): number[] {
  const ids = keys
    .map((_, id) => id)
    .slice(first)
    .filter((id) => keys[id] !== -1);
  const present = ids.filter((id) => !Number.isNaN(keys[id]!));
  present.sort((a, b) => keys[b]! - keys[a]! || a - b);
  if (ascending) present.reverse();
  return [...present, ...ids.filter((id) => Number.isNaN(keys[id]!))];
}

describe('a kept order', () => {
  test('built in slices while keys change, equals a full sort', () => {
    const changes = fc.array(fc.tuple(fc.nat(19_999), key), { maxLength: 30 });
    fc.assert(
      fc.property(fc.array(changes, { minLength: 3, maxLength: 6 }), fc.boolean(), (slices, isRead) => {
        const keys = Array.from({ length: 20_000 }, (_, id) => ((id * 7919) % 20_011) - 2);
        const order = new SortedOrder((id) => keys[id]!, { first: 1, isListed: (id) => keys[id] !== -1 });
        const build = order.build(keys.length);
        let yields = 0;
        for (const changed of slices) {
          if (build.next().done) break;
          yields++;
          for (const [id, value] of changed) {
            keys[id] = value;
            order.markDirty(id);
          }
        }
        expect(order.isBuilt).toBe(false);
        // A read does not wait, and what was built so far is of no effect then.
        if (isRead) expect(order.page(keys.length, false, 0, 1e6)).toEqual(naive(keys, 1, false));
        while (!build.next().done) yields++;
        expect(order.isBuilt).toBe(true);
        expect(order.page(keys.length, true, 0, 1e6)).toEqual(naive(keys, 1, true));
        if (!isRead) expect(yields).toBeGreaterThanOrEqual(Math.floor(20_000 / 2048) + 2);
      }),
      { seed, numRuns: 20 },
    );
  });

  test('dropped while it is built, is built by the next read', () => {
    const order = new SortedOrder((id) => -id);
    const build = order.build(10_000);
    build.next();
    order.drop();
    while (!build.next().done);
    expect(order.isBuilt).toBe(false);
    expect(order.page(10_000, false, 0, 3)).toEqual([0, 1, 2]);
  });

  test('equals a full sort after any changes and additions', () => {
    const step = fc.record({
      changed: fc.array(fc.tuple(fc.nat(60), key), { maxLength: 8 }),
      added: fc.array(key, { maxLength: 3 }),
      ascending: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(key, { maxLength: 40 }), fc.array(step, { maxLength: 8 }), (start, steps) => {
        const keys = [...start];
        const order = new SortedOrder((id) => keys[id]!, { first: 1, isListed: (id) => keys[id] !== -1 });
        for (const { changed, added, ascending } of steps) {
          for (const [id, value] of changed) {
            if (id >= keys.length) continue;
            keys[id] = value;
            order.markDirty(id);
          }
          keys.push(...added);
          const all = naive(keys, 1, ascending);
          expect(order.page(keys.length, ascending, 0, keys.length)).toEqual(all);
          expect(order.page(keys.length, ascending, 2, 3)).toEqual(all.slice(2, 5));
          const walked: number[] = [];
          order.walk(keys.length, ascending, (id) => walked.push(id) > 0);
          expect(walked).toEqual(all);
        }
      }),
      { seed, numRuns: 300 },
    );
  });

  test('sorts keys of every size', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true }), { maxLength: 200 }), fc.boolean(), (few, long) => {
        // Long lists go another way; repeating the values gives them ties too.
        const values =
          long && few.length > 0 ? Array.from({ length: 5000 }, (_, i) => few[i % few.length]!) : few;
        const ids = Uint32Array.from(values, (_, i) => i);
        sortDescending(ids, Float64Array.from(values));
        const sorted = values
          .map((_, i) => i)
          .sort((a, b) => (values[a] === values[b] ? a - b : values[b]! > values[a]! ? 1 : -1));
        expect(Array.from(ids)).toEqual(sorted);
      }),
      { seed },
    );
  });
});

test('names that contain a text', () => {
  const letter = fc.constantFrom('a', 'b', 'A', 'B', '\u00e4', '\0');
  const word = fc.array(letter, { maxLength: 5 }).map((letters) => letters.join(''));
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), word, (names, wanted) => {
      const index = new NameIndex((id) => names[id]!);
      index.extend(Math.floor(names.length / 2));
      index.extend(names.length);
      const plain = (text: string) => text.toLowerCase().replaceAll('\0', '');
      const expected = names.map((name) => (plain(name).includes(plain(wanted)) ? 1 : 0));
      expect(Array.from(index.containing(wanted))).toEqual(expected);
    }),
    { seed },
  );
});

test('pair hashes of recorded pairs', () => {
  const xrp = 'XRPL_XRP';
  const core = 'rcoreNywaoz2ZCQ8Lg2EbSLnGuRBmun6D_434F524500000000000000000000000000000000';
  expect(pairHash(xrp, core)).toBe('5a1b51eae66799a2359f810696bd3291');
  expect(pairHash(core, xrp)).toBe('5a1b51eae66799a2359f810696bd3291');
  expect(pairHash('rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B_USD', xrp)).toBe('21e8e9b61d766f6187cb9009fda56e9e');
});

test('plain numbers read back and have no exponent', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = numberText(value);
      expect(text).toMatch(/^-?\d+(\.\d+)?$/);
      expect(Number(text)).toBe(value + 0);
    }),
    { seed },
  );
});

test('downsample lines keep both ends and rise', () => {
  fc.assert(
    fc.property(fc.nat(2000), fc.integer({ min: 2, max: 500 }), (length, count) => {
      const kept = downsample(length, count);
      expect(kept.length).toBe(Math.min(length, count));
      if (length > 0) expect([kept[0], kept.at(-1)]).toEqual([0, length - 1]);
      expect(new Set(kept).size).toBe(kept.length);
    }),
    { seed },
  );
});
