/**
 * How pictures are answered: by rows of the table, which need a key, and at the addresses of the host of images
 * (image-pages.ts), which pages embed.
 *
 * Cache rules: an address that names its content (a hash, or the time of its source) never shows another picture; others
 * are asked again after 5 minutes, with the ETag.
 */

/** Opened by itself it is a picture, and no document that could do anything. */
export const PICTURE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

export const PICTURE_TYPE = 'image/webp';

export interface CacheRule {
  /** The address names the content. */
  readonly isExact: boolean;
  /** Nobody needs a key for it: caches between client and service may keep it, too. */
  readonly isPublic: boolean;
}

export function cacheControl({ isExact, isPublic }: CacheRule): string {
  return `${isPublic ? 'public' : 'private'}, ${isExact ? 'max-age=31536000, immutable' : 'max-age=300'}`;
}
