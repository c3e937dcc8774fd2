/** Text in the hexadecimal form of memos, URIs and domains. */
import type { Hex } from '../protocol/asset.ts';

export const hex = (text: string): Hex => Buffer.from(text, 'utf8').toString('hex').toUpperCase();
