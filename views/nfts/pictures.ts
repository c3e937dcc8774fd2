/** The files that show an NFT, as rows have them; `/s1/nft/{file}` serves them (api/image-pages.ts). */
import { IMAGE_SIDE } from '../../platform/images.ts';
import type { NftContent } from '../../platform/nft-metadata.ts';
import { pictureFile } from '../../platform/nft-pictures.ts';

/** Widths of the contract's sizes, px. */
const SMALL = 64;
const MEDIUM = 128;

/** `files` of an NFT; nothing where no picture is known. */
export function filesOf(content: NftContent | undefined) {
  const hash = content?.imageHash;
  if (hash === undefined) return {};
  const large = pictureFile(hash, IMAGE_SIDE);
  return {
    files: [{ type: 'image' as const, thumbnail: { ...thumbnailOf(hash), large }, convertedFile: large }],
  };
}

/** @param hash of a picture */
export function thumbnailOf(hash: string) {
  return { small: pictureFile(hash, SMALL), medium: pictureFile(hash, MEDIUM) };
}
