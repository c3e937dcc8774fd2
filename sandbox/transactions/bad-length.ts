import type { Hex } from '../../engine/codec/arithmetic/asset.ts';

/** Whether bytes (hex), if given, are empty or longer than `most`. */
export const badLength = (value: Hex | undefined, most: number): boolean =>
  value !== undefined && (value.length === 0 || value.length > 2 * most);
