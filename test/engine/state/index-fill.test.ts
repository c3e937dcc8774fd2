/** An index that is filled at a restart finds what one finds that rows were added to, and goes on like it. */
import { describe, expect, test } from 'bun:test';
import { runToEnd } from '../../../engine/event-loop.ts';
import { hashWord } from '../../../engine/state/hash.ts';
import { rowHashes } from '../../../engine/state/index-fill.ts';
import { RowIndex } from '../../../engine/state/row-index.ts';

const SEED = Number(process.env.SEED ?? 20_261_122);
const ROWS = 120_000;

/** The row that has the key of a row, by the probe sequence that every lookup takes. */
function found(index: RowIndex, keys: Uint32Array, hash: (key: number) => number, row: number): number {
  for (let slot = index.first(hash(keys[row]!)); ; slot = index.next(slot)) {
    const at = index.at(slot);
    if (at === 0 || keys[at] === keys[row]) return at;
  }
}

describe('an index', () => {
  const keys = Uint32Array.from({ length: ROWS }, (_, row) => hashWord(row ^ SEED));
  const sized = new RowIndex(hashWord);
  sized.reset(ROWS);
  const slots = sized.byteLength / 4;
  // Spread over all slots, and in clusters that reach from one part (2^16 slots) into the next, and from the last to the first.
  const ends = [65_536, 131_072, slots];
  const cases = [
    ['spread hashes', hashWord, (row: number) => row % 7 !== 3],
    [
      'hashes before the ends of parts',
      (key: number) => ends[key % ends.length]! - 1 - ((key >>> 8) & 0x3ff),
      (row: number) => row % 20 === 1,
    ],
  ] as const;
  for (const [name, hash, isUsed] of cases)
    test(`finds every row in use and no other, with ${name} (SEED=${SEED})`, () => {
      const filled = new RowIndex((row) => hash(keys[row]!));
      runToEnd(
        filled.filling(
          ROWS,
          rowHashes((row) => hash(keys[row]!), isUsed),
        ),
      );
      const added = new RowIndex((row) => hash(keys[row]!));
      added.reset(ROWS);
      for (let row = 1; row < ROWS; row++) if (isUsed(row)) added.add(row);
      expect(filled.size).toBe(added.size);
      expect(filled.byteLength).toBe(added.byteLength);
      const same = (): void => {
        for (let row = 1; row < ROWS; row += 3) {
          const expected = found(added, keys, hash, row);
          if (found(filled, keys, hash, row) !== expected) throw new Error(`row ${row}: not ${expected}`);
        }
      };
      same();
      // Rows come and go as in any other.
      for (let row = 1; row < ROWS; row += 40)
        for (const index of [filled, added]) {
          if (isUsed(row)) index.remove(row);
          else index.add(row);
        }
      same();
    });

  test(`finds every row of more than fit one chunk (SEED=${SEED})`, () => {
    const rows = 2_200_000;
    const index = new RowIndex(hashWord);
    // Every row is its own key.
    runToEnd(
      index.filling(
        rows,
        rowHashes(hashWord, (row) => row % 5 !== 2),
      ),
    );
    expect(index.size).toBe(rows - 1 - Math.floor((rows + 2) / 5));
    for (let row = 1; row < rows; row++) {
      let slot = index.first(hashWord(row));
      while (index.at(slot) !== row && index.at(slot) !== 0) slot = index.next(slot);
      if ((index.at(slot) === row) !== (row % 5 !== 2)) throw new Error(`row ${row}: ${index.at(slot)}`);
    }
  });

  test('is empty after it was filled with nothing, and holds nothing of before', () => {
    const index = new RowIndex((row) => hashWord(keys[row]!));
    for (let row = 1; row < 500; row++) index.add(row);
    runToEnd(index.filling(1));
    expect(index.size).toBe(0);
    expect(found(index, keys, hashWord, 7)).toBe(0);
  });
});
