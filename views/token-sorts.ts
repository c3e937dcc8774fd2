/** What a token list can be sorted by: the documented names, those that clients really send, and short names. */

export const TOKEN_SORTS = [
  'vol24hxrp',
  'marketcap',
  'pro5m',
  'pro1h',
  'pro24h',
  'pro7d',
  'pro30d',
  'exch',
  'holders',
  'tvl',
  'trendingScore',
  'assessmentScore',
  'dateon',
  'vol24htx',
  'supply',
  'trustlines',
  'name',
  'nginxScore',
  'vol6hxrp',
  'vol7dxrp',
  'uniqueTraders24h',
] as const;

export type TokenSort = (typeof TOKEN_SORTS)[number];

/** Other words for the same sort. */
export const TOKEN_SORT_SYNONYMS: Readonly<Record<string, TokenSort>> = {
  volume: 'vol24hxrp',
  vol24h: 'vol24hxrp',
  change5m: 'pro5m',
  change1h: 'pro1h',
  change24h: 'pro24h',
  change7d: 'pro7d',
  trending: 'trendingScore',
  assessment: 'assessmentScore',
  views: 'nginxScore',
  price: 'exch',
  date: 'dateon',
  amount: 'supply',
};

export const TOKEN_TYPES = ['trustline', 'lp', 'mpt', 'xls14', 'demurrage', 'nonstandard'] as const;
export type TokenType = (typeof TOKEN_TYPES)[number];
