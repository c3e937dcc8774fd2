/**
 * ripple-binary-codec, loaded when it is first needed: loading it takes as long as a tenth of a start, and nearly all blobs are read
 * without it.
 */
import { createRequire } from 'node:module';

type ReferenceCodec = typeof import('ripple-binary-codec');

const load = createRequire(import.meta.url);

export const referenceCodec = (): ReferenceCodec => load('ripple-binary-codec') as ReferenceCodec;
