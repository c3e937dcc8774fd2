/** Fewer points of the same line, for small charts. */
/**
 * At most `count` of the indices 0 .. length - 1, evenly spread, first and last among them.
 * @param count at least 2.
 */
export function downsample(length: number, count: number): number[] {
  if (length <= count) return Array.from({ length }, (_, i) => i);
  return Array.from({ length: count }, (_, i) => Math.round((i * (length - 1)) / (count - 1)));
}
