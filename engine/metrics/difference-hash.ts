/**
 * The difference hash (dHash) of a picture: 64 bits, nearly the same for pictures that look the same, whatever their size, format
 * and compression. As Neal Krawetz describes it: https://www.hackerfactor.com/blog/index.php?/archives/529-Kind-of-Like-That.html
 *
 *     9 x 8 grey pixels -> of each row 8 bits: whether a pixel is darker than the one to its right -> 16 hex digits
 */

export const DIFFERENCE_COLUMNS = 9;
export const DIFFERENCE_ROWS = 8;
/** Bits set below which, or above 64 less which, a picture has too little in it to be told from others. */
const PLAIN_BITS = 8;
const DIGITS = 16;

/** @param grey brightness of 72 pixels, row by row */
export function differenceHash(grey: ArrayLike<number>): string {
  let hash = '';
  for (let row = 0; row < DIFFERENCE_ROWS; row++) {
    let bits = 0;
    for (let column = 0; column < DIFFERENCE_COLUMNS - 1; column++) {
      const at = row * DIFFERENCE_COLUMNS + column;
      bits = bits * 2 + (grey[at]! < grey[at + 1]! ? 1 : 0);
    }
    hash += bits.toString(16).padStart(2, '0');
  }
  return hash;
}

/** In how many bits two hashes differ. */
export function bitsApart(one: string, other: string): number {
  return halves(one).reduce((sum, half, i) => sum + bitsOf(half ^ halves(other)[i]!), 0);
}

/** A picture of one colour, or a plain gradient: pictures that have nothing to do with one another have such hashes. */
export function isPlain(hash: string): boolean {
  const bits = halves(hash).reduce((sum, half) => sum + bitsOf(half), 0);
  return bits < PLAIN_BITS || bits > DIGITS * 4 - PLAIN_BITS;
}

export const isDifferenceHash = (text: unknown): text is string =>
  typeof text === 'string' && /^[0-9a-f]{16}$/.test(text);

const halves = (hash: string): readonly number[] => [
  Number.parseInt(hash.slice(0, DIGITS / 2), 16),
  Number.parseInt(hash.slice(DIGITS / 2), 16),
];

function bitsOf(word: number): number {
  let bits = 0;
  for (let left = word; left !== 0; left &= left - 1) bits++;
  return bits;
}
