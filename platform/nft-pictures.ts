/**
 * Pictures of NFTs and of collections, as the forms that are served: WebP, encoded again by workers/image-encoder.ts, never as
 * they came. Whoever fetches what URIs name implements `NftPictures`; without that there are none.
 */

import { IMAGE_SIDE, THUMB_WIDTHS } from './images.ts';

const WIDTHS: readonly number[] = [...THUMB_WIDTHS, IMAGE_SIDE];

export interface NftPictures {
  /**
   * @param hash `imageHash` of an NFT's content (views/nfts/metadata.ts); anything else is unknown
   * @param width longest side, px: IMAGE_SIDE or one of THUMB_WIDTHS (platform/images.ts)
   * @returns undefined: the picture is not held
   */
  form(hash: string, width: number): Uint8Array | undefined;
}

/** No picture is held. */
export const NO_PICTURES: NftPictures = { form: () => undefined };

/** The name of a form's file, as rows of NFTs and collections have it: `<hash>_<width>.webp`. */
export const pictureFile = (hash: string, width: number): string => `${hash}_${width}.webp`;

const FILE = /^([0-9A-Za-z]{8,128})_(\d{2,3})\.webp$/;

/** undefined: no file has that name. */
export function readPictureFile(name: string): { hash: string; width: number } | undefined {
  const [, hash, width] = FILE.exec(name) ?? [];
  return hash === undefined || !WIDTHS.includes(Number(width)) ? undefined : { hash, width: Number(width) };
}
