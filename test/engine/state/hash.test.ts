/** Rows are found by hashes of bytes, of a view and of words: all three are the same number. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { BytesView } from '../../../engine/codec/bytes.ts';
import { hashBytes, hashView, hashWords } from '../../../engine/state/hash.ts';

const seed = Number(process.env.SEED ?? 20_261_129);

test(`a key has one hash, whatever it is read from and wherever it lies (SEED=${seed})`, () => {
  const views = new BytesView();
  const key = fc
    .uint8Array({ minLength: 1, maxLength: 8 })
    .map((bytes) => [...bytes, ...bytes, ...bytes, ...bytes]);
  fc.assert(
    fc.property(key, fc.nat(7), fc.nat(64), (bytes, before, base) => {
      const memory = new Uint8Array([...new Uint8Array(base), ...new Uint8Array(before), ...bytes]).subarray(
        base,
      );
      const words = new Uint32Array(Uint8Array.from(bytes).buffer);
      const hash = hashBytes(memory, before, bytes.length);
      expect(hashView(views.of(memory), before, bytes.length)).toBe(hash);
      expect(hashWords(words, 0, words.length)).toBe(hash);
      expect(hashWords(new Int32Array(words.buffer), 0, words.length)).toBe(hash);
    }),
    { seed },
  );
});
