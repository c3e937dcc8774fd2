/** What the rows of collections of NFTs share. */
import { notFound } from '../../requests/errors.ts';
import { samples } from '../examples.ts';
import type { RouteContext } from '../route.ts';

export const ofCollections = {
  method: 'GET',
  section: '4.5',
  auth: 'none',
  tier: 'anonymous',
  cost: 2,
  bucket: '/nft',
  cache: 'ledger',
} as const;

export const collectionSlugParam = {
  in: 'path',
  kind: 'text',
  maxLength: 64,
  about: 'Collection: its slug, <issuer>-<taxon>, or <issuer>:<taxon>',
} as const;
export const EXAMPLE_COLLECTION = `${samples.account}-0`;

/** @throws ApiError 404 */
export function existingCollection(text: string, { views }: RouteContext): number {
  const row = views.nfts.collection(text);
  if (row === 0) throw notFound('Collection not found', 'None of the ledgers read shows an NFT of it');
  return row;
}
