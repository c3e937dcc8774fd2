/** The index of token names over tens of thousands of names, against the full-text index alone. */
import { beforeAll, describe, expect, test } from 'bun:test';
import MiniSearch from 'minisearch';
import { FigureColumn } from '../../views/figure-column.ts';
import { TokenSearch } from '../../views/search.ts';

const NAMES = 40_000;
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
console.log(`seed ${seed}`);

let state = seed;
/** A whole number below `bound`. */
function random(bound: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * bound);
}

const SYLLABLES =
  'ba co do ge xr pe mo on sol lu na cat dog inu usd eth bit coin er ly za k t s x an ri fi'.split(' ');

function names(): string[] {
  const made = new Set<string>();
  while (made.size < NAMES)
    made.add(
      Array.from({ length: 1 + random(5) }, () => SYLLABLES[random(SYLLABLES.length)]).join('') +
        (random(8) === 0 ? ' token' : String.fromCharCode(97 + random(26))),
    );
  return [...made];
}

describe('search over tens of thousands of names', () => {
  const all = names();
  let search: TokenSearch;
  let plain: MiniSearch<{ id: number; name: string }>;

  beforeAll(async () => {
    // Token 0 is XRP and has no name here; token i + 1 has name i.
    search = new TokenSearch({
      end: NAMES + 1,
      name: (id) => all[id - 1]!,
      isIndexed: (id) => id > 0,
      isListed: () => true,
      weight: () => 1,
    });
    await search.complete();
    plain = new MiniSearch({ fields: ['name'], searchOptions: { prefix: (term) => term.length >= 2 } });
    plain.addAll(all.map((name, id) => ({ id, name })));
  });

  const queries = (length: number, count: number) =>
    Array.from({ length: count }, () => all[random(NAMES)]!.slice(0, length).trim());

  test('short words find the beginnings of names, the closest first', () => {
    for (const query of [...queries(2, 30), ...queries(3, 30)]) {
      const found = search.search(query, 50).map((token) => all[token - 1]!);
      const close = found.filter((name) => name !== query);
      for (const name of close) expect(name.split(' ').some((word) => word.startsWith(query))).toBe(true);
      const matching = plain.search(query).filter(({ id }) => all[id] !== query);
      expect(found.length).toBe(Math.min(50, matching.length + (found.length - close.length)));
      // No name of one word is left out for one that goes on for longer.
      const longest = Math.max(...close.filter((name) => !name.includes(' ')).map((name) => name.length));
      const shorter = all.filter(
        (name) => !name.includes(' ') && name !== query && name.startsWith(query) && name.length < longest,
      );
      for (const name of shorter) expect(close, query).toContain(name);
    }
  });

  test('few matches are just those of the full-text index', () => {
    const rare = [...new Set(queries(3, 400))].filter((query) => {
      const { length } = plain.search(query);
      return query.length === 3 && length > 0 && length < 100;
    });
    for (const query of rare) {
      const found = search.search(query, 200).map((token) => token - 1);
      expect(found.toSorted((a, b) => a - b)).toEqual(
        plain
          .search(query)
          .map(({ id }) => id as number)
          .toSorted((a, b) => a - b),
      );
    }
  });

  test('a short word costs at most half of what the full-text index alone takes', () => {
    const words = [...queries(2, 100), ...queries(3, 100)];
    const timeOf = (find: (query: string) => unknown) => {
      const start = performance.now();
      for (const query of words) find(query);
      return performance.now() - start;
    };
    const rounds = Array.from({ length: 5 }, () => {
      const own = timeOf((query) => search.search(query, 100));
      return own / timeOf((query) => plain.search(query));
    });
    const ratio = rounds.toSorted((a, b) => a - b)[2]!;
    console.log(`short words: ${ratio.toFixed(3)} of the full-text index`);
    expect(ratio).toBeLessThan(0.5);
  });
});

test('weights are computed once until they are forgotten', () => {
  let computed = 0;
  const weights = new FigureColumn((token) => {
    computed++;
    return token * 2;
  });
  for (const token of [3, 5000, 3, 5000]) expect(weights.of(token)).toBe(token * 2);
  expect(computed).toBe(2);
  weights.forget(3);
  weights.forget(1_000_000);
  expect([weights.of(3), computed]).toEqual([6, 3]);
  weights.drop();
  expect([weights.of(5000), computed]).toEqual([10_000, 4]);
});
