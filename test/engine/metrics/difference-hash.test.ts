/** Difference hashes against their definition with big integers, and how far pictures are apart. */
import { expect, test } from 'bun:test';
import { bitsApart, differenceHash, isPlain } from '../../../engine/metrics/difference-hash.ts';
import { drawsOf, seedOf } from '../../sandbox/seed.ts';

const SEED = seedOf('difference hashes', 20_261_124);

test(`one bit for each pixel that is darker than its right neighbour (SEED=${SEED})`, () => {
  const draw = drawsOf(SEED);
  const pictures = Array.from({ length: 50 }, () => Array.from({ length: 72 }, () => draw(4) * 60));
  const hashes = pictures.map((grey) => {
    let bits = 0n;
    for (let y = 0; y < 8; y++)
      for (let x = 0; x < 8; x++) bits = bits * 2n + (grey[y * 9 + x]! < grey[y * 9 + x + 1]! ? 1n : 0n);
    const hash = differenceHash(grey);
    expect(BigInt(`0x${hash}`)).toBe(bits);
    expect(hash).toHaveLength(16);
    return { hash, bits };
  });
  for (const one of hashes)
    for (const other of hashes) {
      const apart = (one.bits ^ other.bits).toString(2).replaceAll('0', '').length;
      expect(bitsApart(one.hash, other.hash)).toBe(apart);
    }
});

test('one colour and plain gradients are told from pictures', () => {
  const gradient = (step: number) => Array.from({ length: 72 }, (_, i) => 128 + step * (i % 9));
  for (const step of [0, 3, -3]) expect(isPlain(differenceHash(gradient(step)))).toBe(true);
  const checks = Array.from({ length: 72 }, (_, i) => ((i % 9) + Math.floor(i / 9)) % 2);
  expect(isPlain(differenceHash(checks))).toBe(false);
});
