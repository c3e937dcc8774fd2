/** How collections are named in answers and addresses. */
import { accountText } from '../../engine/codec/base58.ts';
import type { Collections } from '../../engine/nfts/collections.ts';

/** `<issuer>:<taxon>` */
export function collectionId(collections: Collections, row: number): string {
  return `${accountText(collections.key(row).subarray(0, 20))}:${collections.taxon(row)}`;
}

/** The name of a collection in addresses: `<issuer>-<taxon>`. */
export function collectionSlug(collections: Collections, row: number): string {
  return `${accountText(collections.key(row).subarray(0, 20))}-${collections.taxon(row)}`;
}
