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

/** Section 8.1: paths with a window of their own, beside the prefixes of 8.2. */
const WINDOWS = ['/account/tx', '/account/path-find', '/web-search', '/tx-explain', '/nft/scam'];

const isBelow = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);

/** The longest of the prefixes that a path begins with. */
function prefixOf(path: string, prefixes: readonly string[]): string | undefined {
  const found = prefixes.filter((prefix) => isBelow(path, prefix));
  return found.toSorted((a, b) => b.length - a.length)[0];
}

function costOf(path: string): number {
  const prefix = prefixOf(path, Object.keys(COSTS));
  if (prefix) return COSTS[prefix]!;
  return FREE.some((one) => isBelow(path, one)) ? 0 : USUAL;
}

/** Windows are matched by path prefix (8.1): the listed one, else that of the path's first segment. */
function windowOf(path: string): string {
  return prefixOf(path, [...Object.keys(COSTS), ...WINDOWS]) ?? `/${path.split('/')[1]}`;
}

describe('every row', () => {
  test.each(routes.map((row) => [row.path, row] as const))('%s costs what section 8.2 says', (path, row) => {
    expect(row.cost).toBe(costOf(path));
  });

  test.each(routes.map((row) => [row.path, row] as const))(
    '%s counts in the window of section 8.1',
    (path, row) => {
      expect(row.bucket).toBe(windowOf(path));
    },
  );
});

test('the longest prefix decides: for what it costs, and for the window it counts in', () => {
  const paths = [
    '/tokens/slugs',
    '/dex/quote',
    '/dex/depth',
    '/account/tx/rX',
    '/account/rX',
    '/tokensale',
    '/',
  ];
  expect(paths.map((path) => [costOf(path), windowOf(path)])).toEqual([
    [1, '/tokens'],
    [10, '/dex/quote'],
    [2, '/dex'],
    [2, '/account/tx'],
    [2, '/account'],
    [1, '/tokensale'],
    [0, '/'],
  ]);
});
