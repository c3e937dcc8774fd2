/** Images in the bodies of requests: base64, as browsers and programs send them. */
import { IMAGE_BYTES_MAX } from '../platform/images.ts';
import { ApiError, badRequest } from '../requests/errors.ts';

/** Bytes of a body with the largest image in base64. */
export const IMAGE_BODY_MAX = Math.ceil((IMAGE_BYTES_MAX * 4) / 3) + 4096;

/** `data:image/png;base64,` may come first: browsers give images so. */
const DATA_ADDRESS = /^data:image\/[a-z+.-]{1,20};base64,/i;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** @throws ApiError 400, 413 */
export function readBase64(sent: string): Uint8Array {
  const text = sent.replace(DATA_ADDRESS, '').trim();
  if (!BASE64.test(text)) throw badRequest('imageData is no base64');
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length > IMAGE_BYTES_MAX)
    throw new ApiError('body_too_large', `The image has more than ${IMAGE_BYTES_MAX} bytes`);
  return bytes;
}
