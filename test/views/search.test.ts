/** The index of token names over tens of thousands of names, against the full-text index alone. */
import { beforeAll, describe, expect, test } from 'bun:test';
import MiniSearch from 'minisearch';
import { FigureColumn } from '../../views/figure-column.ts';
import { TokenSearch } from '../../views/search.ts';
import { MinisearchNames } from './minisearch-names.ts';

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
  // Token 0 is XRP and has no name here; token i + 1 has name i.
  const tokens = {
    end: NAMES + 1,
    name: (id: number) => all[id - 1]!,
    isIndexed: (id: number) => id > 0,
    isListed: () => true,
    weight: () => 1,
  };
  let search: TokenSearch;
  let plain: MiniSearch<{ id: number; name: string }>;

  beforeAll(async () => {
    search = new TokenSearch(tokens);
    await search.complete();
    plain = new MiniSearch({ fields: ['name'], searchOptions: { prefix: (term) => term.length >= 2 } });
    plain.addAll(all.map((name, id) => ({ id, name })));
  });

  /** Beginnings of names: single words. */
  const queries = (length: number, count: number): string[] => {
    const found: string[] = [];
    while (found.length < count) {
      const query = all[random(NAMES)]!.slice(0, length).trim();
      if (!query.includes(' ')) found.push(query);
    }
    return found;
  };

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

  /** Median over rounds of our time for the words, as a share of that of another way. */
  const shareOf = (words: readonly string[], other: (query: string) => unknown): number => {
    const timeOf = (find: (query: string) => unknown) => {
      const start = performance.now();
      for (const query of words) find(query);
      return performance.now() - start;
    };
    const rounds = Array.from({ length: 5 }, () => {
      const own = timeOf((query) => search.search(query, 100));
      return own / timeOf(other);
    });
    return rounds.toSorted((a, b) => a - b)[2]!;
  };

  test('a short word costs at most half of what the full-text index alone takes', () => {
    const ratio = shareOf([...queries(2, 20), ...queries(3, 20)], (query) => plain.search(query));
    console.log(`short words: ${ratio.toFixed(3)} of the full-text index`);
    expect(ratio).toBeLessThan(0.5);
  });

  test('ten times the names make a query at most 20 times as expensive', () => {
    const of = (count: number): TokenSearch => {
      const names = new TokenSearch({ ...tokens, end: count + 1 });
      while (!names.advance());
      return names;
    };
    const [large, small] = [search, of(NAMES / 10)];
    const words = [...queries(3, 20), ...queries(4, 20), ...queries(7, 20)];
    const typos = words.map((query) => `${query.slice(0, 2)}x${query.slice(3)}`);
    const timeOf = (names: TokenSearch) => {
      const start = performance.now();
      for (const query of [...words, ...typos]) names.search(query, 100);
      return performance.now() - start;
    };
    const rounds = Array.from({ length: 7 }, () => timeOf(large) / timeOf(small));
    const ratio = rounds.toSorted((a, b) => a - b)[3]!;
    console.log(`search: ${ratio.toFixed(2)} times as expensive at ten times the names`);
    expect(ratio).toBeLessThan(20);
  });
});

describe('results and their order are those of minisearch', () => {
  const LETTERS = [...'abcdefgo0 -.é€', '犬', '🐕', 'İ', '\t'];
  /** A text of a few letters, or a name with some letters changed, cut off or joined with another one. */
  const wordsLike = (names: readonly string[]): string => {
    const letters = [...names[random(names.length)]!];
    for (let changes = random(4); changes > 0; changes--)
      letters.splice(
        random(letters.length + 1),
        random(3),
        ...(random(2) ? [LETTERS[random(LETTERS.length)]!] : []),
      );
    const text = letters.join('').slice(0, random(4) === 0 ? 1 + random(6) : undefined);
    return random(5) === 0 ? `${text} ${names[random(names.length)]}` : text;
  };
  const madeName = (): string => {
    const kind = random(10);
    if (kind === 0)
      return Array.from({ length: 1 + random(9) }, () => LETTERS[random(LETTERS.length)]).join('');
    const words = Array.from({ length: kind < 7 ? 1 : 1 + random(4) }, () =>
      Array.from({ length: 1 + random(4) }, () => SYLLABLES[random(SYLLABLES.length)]).join(''),
    );
    return (random(3) === 0 ? [...words, words[0]!] : words).join([' ', '-', '. ', ''][random(4)]);
  };

  test(`for names that come in between (seed ${seed})`, () => {
    const all = [''];
    const tokens = {
      get end() {
        return all.length;
      },
      name: (id: number) => all[id]!,
      isIndexed: (id: number) => id > 0 && id % 17 !== 0,
      isListed: (id: number) => id % 11 !== 0,
      weight: (id: number) => (id % 3 === 0 ? 0 : (id * 7919) % 1000),
    };
    const ours = new TokenSearch(tokens);
    const theirs = new MinisearchNames(tokens);
    let results = 0;
    for (let round = 0; round < 40; round++) {
      for (let added = random(400); added >= 0; added--)
        all.push(
          random(4) === 0 ? all[random(all.length)]! : random(2) ? madeName() : madeName().toUpperCase(),
        );
      while (!ours.advance(1 + random(50)));
      theirs.extend();
      for (let query = 0; query < 25; query++) {
        const text = wordsLike(all);
        const limit = 1 + random(120);
        const found = ours.search(text, limit);
        expect(found, JSON.stringify(text)).toEqual(theirs.search(text, limit));
        expect(ours.like(text.toLowerCase()), JSON.stringify(text)).toEqual(theirs.like(text.toLowerCase()));
        results += found.length;
      }
    }
    expect(results).toBeGreaterThan(10_000);
  });

  test(`for tens of thousands of short names, where hundreds are equally relevant (seed ${seed})`, () => {
    const all = ['', ...new Set(Array.from({ length: 30_000 }, () => shortName()))];
    const tokens = {
      end: all.length,
      name: (id: number) => all[id]!,
      isIndexed: (id: number) => id > 0,
      isListed: () => true,
      weight: (id: number) => (id * 7919) % 5,
    };
    const ours = new TokenSearch(tokens);
    while (!ours.advance());
    const theirs = new MinisearchNames(tokens);
    theirs.extend();
    let cut = 0;
    for (let query = 0; query < 150; query++) {
      const text = `${random(3) ? '' : 't'}${shortName()}`;
      const found = ours.search(text, 100);
      expect(found, text).toEqual(theirs.search(text, 100));
      if (found.length === 100) cut++;
    }
    expect(cut).toBeGreaterThan(20);
  });

  function shortName(): string {
    return Array.from({ length: 3 + random(6) }, () => String.fromCharCode(97 + random(4))).join('');
  }
});

test('a short name is found behind hundreds of longer ones', async () => {
  const all = [...Array.from({ length: 500 }, (_, i) => `a${i} token`), 'tont'];
  const search = new TokenSearch({
    end: all.length + 1,
    name: (id) => all[id - 1]!,
    isIndexed: (id) => id > 0,
    isListed: () => true,
    weight: () => 1,
  });
  await search.complete();
  expect(search.search('to', 50)[0]).toBe(all.length);
});

test('a single letter finds the names that begin with it, the heaviest first, in bounded time', () => {
  const all = ['', 'S', 'SOLO', 'x s', 'SOLO', 'usd', 'Süß', '🦊fox', 'Sun'];
  while (all.length < 120_000) all.push(`${'sabcdefg'[random(8)]}${all.length.toString(36)}`);
  all[119_000] = 'suddenly';
  const weights = [0, 1, 500, 3, 900, 1e9, 700, 2, 800];
  const search = new TokenSearch({
    end: all.length,
    name: (id) => all[id]!,
    isIndexed: (id) => id > 0,
    isListed: (id) => id !== 8,
    weight: (id) => weights[id] ?? (id === 119_000 ? 600 : 0),
    byLetter: true,
  });
  while (!search.advance());
  // Its own name, then by weight; what is not listed is left out, and a word of that letter is more relevant than a beginning.
  const found = search.search(' S ', 100);
  expect(found.filter((token) => token !== 3).slice(0, 5)).toEqual([1, 4, 6, 119_000, 2]);
  expect(found.slice(0, 6)).toContain(3);
  expect(search.search('🦊', 5)).toEqual([7]);
  expect(search.search('q', 5)).toEqual([]);
  const times = Array.from({ length: 9 }, () => {
    const start = performance.now();
    search.search('s', 100);
    return performance.now() - start;
  });
  const median = times.toSorted((a, b) => a - b)[4]!;
  console.log(`a letter of 15,000 names: ${median.toFixed(1)} ms`);
  expect(median).toBeLessThan(50);
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

test('weights are computed ahead in steps, and again after a drop', () => {
  let computed = 0;
  const weights = new FigureColumn((token) => {
    computed++;
    return token;
  });
  expect([weights.extend(2500, 1000), computed]).toEqual([false, 1000]);
  expect([weights.extend(2500, 1000), weights.extend(2500, 1000), computed]).toEqual([false, true, 2500]);
  expect([weights.of(2499), weights.extend(2500, 1000), computed]).toEqual([2499, true, 2500]);
  weights.drop();
  expect([weights.extend(1000, 1000), computed]).toEqual([true, 3500]);
});
