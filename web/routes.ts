/**
 * The pages: one row each. A page is loaded when it is first shown; it exports one component as default, which gets the
 * place it is shown at.
 */
import type { ComponentType } from 'preact';
import type { PageProps, Place } from './router.ts';

interface PageRow {
  /** First segment of the place. */
  readonly path: string;
  /** The title of the window, where the page knows no better one. */
  readonly title: string;
  /** In the navigation; pages without it are reached from others. */
  readonly menu?: string;
  /** What the second segment of the place names, where the page shows nothing without it. */
  readonly of?: string;
  load(): Promise<{ default: ComponentType<PageProps> }>;
}

export const pages: readonly PageRow[] = [
  { path: 'tokens', title: 'Tokens', menu: 'Tokens', load: () => import('./pages/tokens.tsx') },
  { path: 'pools', title: 'Pools', menu: 'Pools', load: () => import('./pages/pools.tsx') },
  { path: 'movers', title: 'Movers', menu: 'Movers', load: () => import('./pages/movers.tsx') },
  { path: 'whales', title: 'Whales and traders', menu: 'Whales', load: () => import('./pages/whales.tsx') },
  {
    path: 'collections',
    title: 'Collections of NFTs',
    menu: 'NFTs',
    load: () => import('./pages/collections.tsx'),
  },
  {
    path: 'collection',
    title: 'Collection of NFTs',
    of: 'collection',
    load: () => import('./pages/collection.tsx'),
  },
  { path: 'nft', title: 'NFT', of: 'NFT', load: () => import('./pages/nft.tsx') },
  { path: 'platforms', title: 'Platforms', menu: 'Platforms', load: () => import('./pages/platforms.tsx') },
  { path: 'quote', title: 'Quote', menu: 'Quote', load: () => import('./pages/quote.tsx') },
  { path: 'network', title: 'Network', menu: 'Network', load: () => import('./pages/network.tsx') },
  { path: 'status', title: 'Status', menu: 'Status', load: () => import('./pages/status.tsx') },
  { path: 'api', title: 'Tools and API', menu: 'API', load: () => import('./pages/api.tsx') },
  { path: 'keys', title: 'Keys and credits', menu: 'Keys', load: () => import('./pages/keys.tsx') },
  { path: 'scams', title: 'Scam check', load: () => import('./pages/scams.tsx') },
  { path: 'faucet', title: 'Faucet', load: () => import('./pages/faucet.tsx') },
  { path: 'admin', title: 'Admin', load: () => import('./pages/admin.tsx') },
  { path: 'token', title: 'Token', of: 'token', load: () => import('./pages/token.tsx') },
  { path: 'trader', title: 'Trader', of: 'account', load: () => import('./pages/trader.tsx') },
  { path: 'account', title: 'Account', of: 'account', load: () => import('./pages/account.tsx') },
  { path: 'ledger', title: 'Ledger', load: () => import('./pages/ledger.tsx') },
  { path: 'tx', title: 'Transaction', of: 'transaction', load: () => import('./pages/transaction.tsx') },
];

/** The page of a place; the first one where none is named. */
export const pageAt = ({ segments }: Place): PageRow | undefined =>
  segments.length === 0 ? pages[0] : pages.find(({ path }) => path === segments[0]);
