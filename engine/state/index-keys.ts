/**
 * Keys of the two largest indexes, as any thread hashes them: of accounts their 20 bytes, of lines their two ends and the
 * currency. Loops of their own for each kind: see RowHashes.
 */
import { hash3, hashWords } from './hash.ts';
import { HASH_MASK, type RowHashes, UNUSED } from './index-fill.ts';

/** 32-bit words of an account's 20 bytes. */
const ID_WORDS = 5;

/** Columns of a table's rows, row 0 included, on shared memory. */
export type IndexKeys = { readonly rows: number } & (
  | { readonly kind: 'accounts'; readonly ids: SharedArrayBuffer }
  | {
      readonly kind: 'lines';
      readonly lows: SharedArrayBuffer;
      readonly highs: SharedArrayBuffer;
      readonly codes: SharedArrayBuffer;
    }
);

export function hashesOf(keys: IndexKeys): RowHashes {
  const { rows } = keys;
  if (keys.kind === 'accounts') {
    const words = new Uint32Array(keys.ids, 0, rows * ID_WORDS);
    return (from, to, into) => {
      for (let row = from; row < to; row++)
        into[row - from] = hashWords(words, row * ID_WORDS, ID_WORDS) & HASH_MASK;
    };
  }
  const [lows, highs, codes] = [keys.lows, keys.highs, keys.codes].map(
    (buffer) => new Uint32Array(buffer, 0, rows),
  ) as [Uint32Array, Uint32Array, Uint32Array];
  return (from, to, into) => {
    for (let row = from; row < to; row++)
      into[row - from] = lows[row] === 0 ? UNUSED : hash3(lows[row]!, highs[row]!, codes[row]!) & HASH_MASK;
  };
}
