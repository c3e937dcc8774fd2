/** What a call costs and which window it counts in, against section 8 of the contract, transcribed here by hand. */
import { describe, expect, test } from 'bun:test';
import { routes } from '../../api/routes/index.ts';

/** Section 8.2. The longest prefix wins: /dex/quote before /dex. */
const COSTS: Readonly<Record<string, number>> = {
  '/health': 0,
  '/diagnostics': 0,
  '/keys': 0,
  '/user': 0,
  '/oauth': 0,
  '/referral': 0,
  '/dapp-session': 0,
  '/verify': 0,
  '/docs': 0,
  '/tokens': 1,
  '/pairs': 1,
  '/tags': 1,
  '/news': 1,
  '/trustlines': 1,
  '/stats': 1,
  '/platform-stats': 1,
  '/platform-report': 1,
  '/watchlist': 1,
  '/embed': 1,
  '/scams': 1,
  '/mentions': 1,
  '/tx': 1,
  '/thumb': 1,
  '/nft/pin': 1,
  '/token': 2,
  '/account': 2,
  '/history': 2,
  '/holders': 2,
  '/traders': 2,
  '/amm': 2,
  '/orderbook': 2,
  '/rsi': 2,
  '/nft': 2,
  '/nft/holders': 2,
  '/creator-activity': 2,
  '/dex': 2,
  '/bridge': 2,
  '/submit': 2,
  '/ledger': 2,
  '/lp-positions': 2,
  '/ohlc': 5,
  '/search': 10,
  '/dex/quote': 10,
  '/mentions/x-search': 10,
  '/account-tx-explain': 20,
  '/mentions/identify': 20_000,
};
/** The contract prices every listed prefix and is silent on the rest: those that only describe the service are free. */
const FREE = ['/', '/metrics', '/openapi.json', '/reference'];
const USUAL = 1;

function costOf(path: string): number {
  const prefix = Object.keys(COSTS)
    .filter((one) => path === one || path.startsWith(`${one}/`))
    .toSorted((a, b) => b.length - a.length)[0];
  if (prefix) return COSTS[prefix]!;
  return FREE.some((one) => path === one || path.startsWith(`${one}/`)) ? 0 : USUAL;
}

describe('every row', () => {
  test.each(routes.map((row) => [row.path, row] as const))('%s costs what section 8.2 says', (path, row) => {
    expect(row.cost).toBe(costOf(path));
  });

  test.each(routes.map((row) => [row.path, row] as const))(
    '%s counts in the window of a prefix',
    (path, row) => {
      expect(path === row.bucket || path.startsWith(`${row.bucket}/`)).toBe(true);
    },
  );
});

test('/tokens and the paths below it share a window (section 8.1)', () => {
  const buckets = routes.filter(({ path }) => /^\/tokens(\/|$)/.test(path)).map(({ bucket }) => bucket);
  expect(new Set(buckets)).toEqual(new Set(['/tokens']));
});
