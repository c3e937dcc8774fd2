/** Reads what an issuer says of a collection of NFTs. What is shown to others is checked: attackers write it too. */
import { cutText } from '../engine/codec/cut-text.ts';
import type { CollectionChanges } from '../platform/collection-metadata.ts';
import { linesWithoutHidden, withoutHidden } from '../platform/written-texts.ts';
import { HANDLE, matching, orNull, read, readTags, TAG, TAG_MAX, webAddress } from './token-texts.ts';

export const NAME_MAX = 64;

interface SentTexts {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly category: string | undefined;
  readonly website: string | undefined;
  readonly twitter: string | undefined;
  readonly tags: readonly string[] | undefined;
  readonly verified: boolean | undefined;
}

/**
 * A blank text and an empty list remove what was there.
 * @param given the tags that the collection has: those that only the admin gives stay. 'any': the admin writes
 * @throws ApiError 400, 403
 */
export function readCollectionTexts(sent: SentTexts, given: readonly string[] | 'any'): CollectionChanges {
  return {
    name: read(sent.name, (text) => cutText(withoutHidden(text), NAME_MAX)),
    description: read(sent.description, linesWithoutHidden),
    category: read(sent.category, (text) => matching('category', text.toLowerCase(), TAG, TAG_MAX)),
    website: read(sent.website, (text) => webAddress('website', text)),
    twitter: read(sent.twitter, (text) => matching('twitter', text, HANDLE).replace('@', '')),
    tags: sent.tags && orNull(readTags(sent.tags, given)),
    verified: sent.verified === undefined ? undefined : sent.verified || null,
  };
}
