/** Text in the hexadecimal form of memos, URIs and domains. */
import type { Hex } from '../../engine/codec/arithmetic/asset.ts';

export const hex = (text: string): Hex => Buffer.from(text, 'utf8').toString('hex').toUpperCase();
