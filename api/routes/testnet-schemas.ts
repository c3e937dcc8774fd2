/** What the rows of section 4.10 share. They are about the test network, wherever the request came in. */

export const shared = {
  method: 'GET',
  section: '4.10',
  auth: 'none',
  tier: 'anonymous',
  cost: 1,
  bucket: '/testnet',
  ofTestNetwork: true,
  unavailable: true,
} as const;

export const page = { in: 'query', kind: 'int', min: 1, default: 1, about: 'Page, from 1' } as const;

/** Rows before a page. */
export const skipped = (page: number, limit: number): number => (page - 1) * limit;
