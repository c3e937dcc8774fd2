/** Budgets of what NFTs cost: see budgets.ts. */
export const NFT_BUDGETS = {
  'replay.nfts': {
    what: 'apply + durable store with NFTs, ledgers of 100 mints, offers and sales of them, main thread',
    against: 'the same without them',
    rule: 'least',
    budget: 0.8,
    unit: 'x',
  },
  'size.nft-start': {
    what: 'start of the service with 4 million NFTs and 500,000 offers for them, until it is ready, more than without',
    against: 'absolute',
    rule: 'most',
    budget: 3,
    unit: 's',
  },
  'size.nft-memory': {
    what: 'memory of a restored engine with 8 million NFTs, 2 million offers and 60,000 collections, for each NFT',
    against: 'absolute',
    rule: 'most',
    budget: 160,
    unit: 'bytes',
  },
  'size.nft-collections': {
    what: 'there: requests/s of a core of /nft/collections?limit=100, every sort',
    against: 'Bun.serve with the same bytes',
    rule: 'least',
    budget: 0.7,
    unit: 'x',
  },
  'size.nft-members': {
    what: 'there: requests/s of a core of /nft/collections/{slug}/nfts?limit=100, every sort, of the largest',
    against: 'Bun.serve with the same bytes',
    rule: 'least',
    budget: 0.4,
    unit: 'x',
  },
  'size.nft-traits': {
    what: 'the same of those that have two traits',
    against: 'Bun.serve with the same bytes',
    rule: 'least',
    budget: 0.4,
    unit: 'x',
  },
  'size.nft': {
    what: 'there: requests/s of a core of /nft/{id}',
    against: 'Bun.serve with the same bytes',
    rule: 'least',
    budget: 0.7,
    unit: 'x',
  },
} as const;
