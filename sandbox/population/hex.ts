/** Texts as memos, URIs and domains carry them. */
import type { Hex } from '../protocol/asset.ts';

export const hex = (text: string): Hex => Buffer.from(text, 'utf8').toString('hex').toUpperCase();
