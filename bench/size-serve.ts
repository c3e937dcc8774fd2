/**
 * Answers at the main network's size, right after each ledger: what concerns a large token, search, lists and books.
 * `bun bench/size-serve.ts [--share=0.1]`.
 *
 * The service follows a node. After each ledger of 100 transactions each path is requested once, one after the other: the
 * first request after a ledger is the one that finds nothing kept. Lists and books are measured on half a million
 * lines, too, in turns; the figure is the ratio of the medians. Stalls are those of the service's event loop, without the
 * time it waited for a core.
 */
import type { Figure } from './budgets.ts';
import { quantile } from './latency.ts';
import { FollowingService, largestTokens, madeStore, SHARE, SMALL_SHARE, withCopy } from './size/rig.ts';

const WARM = 10;
const LEDGERS = 120;
const TRANSACTIONS = 100;
const SORTS = [
  'vol24hxrp',
  'vol24htx',
  'marketcap',
  'holders',
  'trustlines',
  'exch',
  'pro24h',
  'dateon',
  'uniqueTraders24h',
  'supply',
];
/** Beginnings of names: common, rare, of an address, and of no token. */
export const WORDS = ['USD', 'TAB', 'KUC', 'rB', 'ACA', 'solo', 'TQ'];

interface Times {
  readonly holders: number[];
  readonly search: number[];
  readonly lists: number[];
}

/** Requests for one of the largest tokens; the others come in turn. */
const holderPaths = (md5: string, round: number): string[] => [
  `/v1/holders/info/${md5}`,
  `/v1/holders/list/${md5}?freeze=true`,
  `/v1/holders/list/${md5}?search=${'abcdefgh'[round % 8]}${'ABCDEFGH'[(round * 3) % 8]}${'jkmn'[round % 4]}`,
];

async function afterLedger(
  following: FollowingService,
  tokens: readonly string[],
  round: number,
  times: Times,
) {
  await following.ledger();
  for (const path of listPaths(tokens[0]!)) times.lists.push(await following.time(path));
  for (const path of holderPaths(tokens[round % 2]!, round)) times.holders.push(await following.time(path));
  const word = WORDS[round % WORDS.length]!;
  for (const search of [word, `${word}${round}`])
    times.search.push(await following.time('/v1/search', { search, limit: 20 }));
}

const listPaths = (md5: string): string[] => [
  '/v1/tokens?limit=100&sort=vol24hxrp',
  `/v1/orderbook?base=${md5}&quote=XRP&limit=20`,
];

/** Longest stalls that the first request of each kind causes, ms. */
async function firstStall(following: FollowingService): Promise<number> {
  let longest = 0;
  for (const path of ['/v1/pairs/XRP', ...SORTS.map((sort) => `/v1/tokens?limit=20&sort=${sort}`)]) {
    await following.stalls();
    const took = await following.time(path);
    const [stall, own] = await following.stalls();
    console.log(
      `first ${path}: ${took.toFixed(1)} ms, longest stall ${stall.toFixed(1)} ms (own ${own.toFixed(1)})`,
    );
    longest = Math.max(longest, own);
  }
  return longest;
}

async function run(): Promise<Figure[]> {
  const plan = { ledgers: WARM + LEDGERS, transactions: TRANSACTIONS };
  const [full, small] = [await madeStore(SHARE, plan), await madeStore(SMALL_SHARE, plan)];
  return withCopy(full.store, (fullDir) =>
    withCopy(small.store, async (smallDir) => {
      const sides = [
        await FollowingService.start(fullDir, full.archive),
        await FollowingService.start(smallDir, small.archive),
      ] as const;
      try {
        const stall = await firstStall(sides[0]);
        const times = sides.map((): Times => ({ holders: [], search: [], lists: [] })) as [Times, Times];
        const tokens = await Promise.all(sides.map((side) => largestTokens(side, 2)));
        for (let round = 0; round < WARM; round++)
          for (const [i, side] of sides.entries())
            await afterLedger(side, tokens[i]!, round, { holders: [], search: [], lists: [] });
        for (let round = 0; round < LEDGERS; round++)
          for (const [i, side] of sides.entries()) await afterLedger(side, tokens[i]!, round, times[i]!);
        return figures(times, stall);
      } finally {
        for (const side of sides) await side.end();
      }
    }),
  );
}

function figures([full, small]: readonly [Times, Times], stall: number): Figure[] {
  for (const [name, values] of Object.entries(full)) {
    const [p50, p90, p99] = [0.5, 0.9, 0.99].map((share) => quantile(values, share).toFixed(2));
    console.log(`${name}: p50 ${p50} ms, p90 ${p90} ms, p99 ${p99} ms`);
  }
  const [ours, other] = [quantile(full.lists, 0.5), quantile(small.lists, 0.5)];
  return [
    { name: 'size.holders', value: quantile(full.holders, 0.99) },
    { name: 'size.search', value: quantile(full.search, 0.99) },
    { name: 'size.first', value: stall },
    {
      name: 'size.lists',
      value: ours / other,
      ours: `${ours.toFixed(2)} ms`,
      other: `${other.toFixed(2)} ms`,
    },
  ];
}

if (import.meta.main) console.log(`figures ${JSON.stringify(await run())}`);
