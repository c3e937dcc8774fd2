/**
 * What it takes to show images that others send. Their bytes are written by attackers and read by decoders, so a driver
 * (workers/image-encoder.ts) decodes them where a fault does no harm, and what is stored and served is always its own
 * encoding: WebP, of known sizes, without anything else that the file carried.
 */

/** Longest side of the largest form that is kept, px. */
export const IMAGE_SIDE = 512;
/** Widths of the smaller forms: those of GET /thumb/{md5} in section 4.5 of the contract. */
export const THUMB_WIDTHS = [16, 32, 40, 48, 64, 96, 128] as const;
/** Largest file that is decoded: "about 650 KB" in section 8 of the contract. */
export const IMAGE_BYTES_MAX = 650 * 1024;
/** Largest form that is stored: 512 x 512 px of noise take 200 KB. */
export const FORM_BYTES_MAX = 400 * 1024;

/** An image encoded again. */
export interface EncodedImage {
  /** Of the largest form, px; at most IMAGE_SIDE. */
  readonly width: number;
  readonly height: number;
  /** WebP by the longest side that it fits into: IMAGE_SIDE, and each of THUMB_WIDTHS. */
  readonly forms: ReadonlyMap<number, Uint8Array>;
  /** Difference hash of what it shows (engine/metrics/difference-hash.ts); absent: it was not made. */
  readonly likeness?: string;
}

export interface ImageEncoder {
  /** @throws ImageError */
  encode(sent: Uint8Array): Promise<EncodedImage>;
}

/** refused: this file is not taken, and the message says why. busy: another moment. */
export type ImageErrorKind = 'refused' | 'busy';

export class ImageError extends Error {
  override readonly name = 'ImageError';

  constructor(
    readonly kind: ImageErrorKind,
    message: string,
  ) {
    super(message);
  }
}
