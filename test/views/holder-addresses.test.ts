/** Searches of a part of an address, against a plain search over the same texts. */
import { describe, expect, test } from 'bun:test';
import { accountText } from '../../engine/codec/base58.ts';
import { HolderAddresses } from '../../views/holder-addresses.ts';

let written = 0;
const plain = (id: number) =>
  accountText(
    Uint8Array.from({ length: 20 }, (_, i) => (id >> ((i % 3) * 8)) & 0xff),
    0,
  );
const accounts = {
  text(id: number) {
    written++;
    return plain(id);
  },
};
const from = (first: number, count: number) => ({ count, accountAt: (i: number) => first + i });

describe('addresses of holders', () => {
  test('are found by any part, in any case, and by nothing that is no part', () => {
    const addresses = new HolderAddresses(accounts);
    const texts = Array.from({ length: 3000 }, (_, i) => plain(i + 1));
    for (const part of ['abc', 'rK', 'Zz', 'r', texts[7]!, texts[2000]!.slice(3, 9).toUpperCase()]) {
      const expected = texts.flatMap((text, i) =>
        text.toLowerCase().includes(part.toLowerCase()) ? [i + 1] : [],
      );
      expect(addresses.containing(part, from(1, 3000))).toEqual(expected);
    }
    for (const part of ['\n\0\0', 'a\0', '0', 'a b', 'ä'])
      expect(addresses.containing(part, from(1, 3000))).toEqual([]);
  });

  test('many are written in slices, once, and again only after too many others', async () => {
    const addresses = new HolderAddresses(accounts);
    const wanted = plain(5);
    for (const [first, isWrittenAgain] of [
      [1, true],
      [1, false],
      [40_001, true],
      [80_001, true],
      [1, true],
    ] as const) {
      written = 0;
      const ready = addresses.ready(from(first, 40_000));
      expect(ready !== undefined).toBe(isWrittenAgain);
      await ready;
      expect(addresses.ready(from(first, 40_000))).toBeUndefined();
      expect(written).toBe(isWrittenAgain ? 40_000 : 0);
      const isThere = first === 1;
      expect(addresses.containing(wanted, from(first, 40_000)).includes(5)).toBe(isThere || first === 40_001);
    }
  });
});
