import type { Hex } from '../protocol/asset.ts';

/** Whether bytes (hex), where they are given, are none or more than `most`. */
export const badLength = (value: Hex | undefined, most: number): boolean =>
  value !== undefined && (value.length === 0 || value.length > 2 * most);
