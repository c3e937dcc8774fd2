import { describe, expect, test } from 'bun:test';
import { PackedLedger, packLedger, transactionIndexOf } from '../../../engine/codec/packed.ts';
import { packAny } from './packing.ts';

const header = Uint8Array.from({ length: 118 }, (_, i) => i);
const hash = new Uint8Array(32).fill(7);
const blobs = (index: number) => ({
  tx: Uint8Array.of(0x22, 0, 0, 0, index),
  meta: Uint8Array.of(0x20, 0x1c, 0, 0, 0, index, 0xf8, 0xf1),
});

describe('packed ledgers', () => {
  test('contain the packed transactions, in apply order', () => {
    const packed = packLedger(header, hash, [blobs(2), blobs(0), blobs(1)]);
    const read = new PackedLedger(packed.bytes);
    expect(read.count).toBe(3);
    expect(read.header).toEqual(header);
    expect(read.hash).toEqual(hash);
    expect(read.ledgerIndex).toBe(0x00010203);
    expect(read.closeTime).toBe(0x70717273);
    expect(read.bytes.buffer).toBeInstanceOf(SharedArrayBuffer);
    for (let i = 0; i < 3; i++) {
      expect(read.tx(i)).toEqual(blobs(i).tx);
      expect(read.meta(i)).toEqual(blobs(i).meta);
      expect(transactionIndexOf(read.meta(i))).toBe(i);
    }
  });

  test('refuse missing and repeated transactions, and wrong lengths', () => {
    expect(() => packLedger(header, hash, [blobs(1)])).toThrow(RangeError);
    expect(() => packLedger(header, hash, [blobs(0), blobs(0)])).toThrow(RangeError);
    expect(() => packLedger(header.subarray(1), hash, [])).toThrow(RangeError);
    expect(() => packLedger(header, hash.subarray(1), [])).toThrow(RangeError);
  });

  test('refuse malformed bytes: cut off, another format, out of bounds, overlapping', () => {
    const good = packAny([blobs(0), blobs(1)]).bytes;
    for (let length = 0; length < good.length; length++)
      expect(() => new PackedLedger(good.slice(0, length))).toThrow(RangeError);
    const edited = (at: number, value: number): (() => PackedLedger) => {
      const bytes = good.slice();
      new DataView(bytes.buffer).setUint32(at, value, true);
      return () => new PackedLedger(bytes);
    };
    expect(edited(0, 1)).toThrow('magic');
    expect(edited(4, 0xffffffff)).toThrow('directory');
    expect(edited(160, 8)).toThrow('bounds');
    expect(edited(164, 0xffffffff)).toThrow('bounds');
    const shared = good.slice();
    const view = new DataView(shared.buffer);
    for (const row of [160, 172]) {
      view.setUint32(row, 184, true);
      view.setUint32(row + 4, good.length - 184, true);
      view.setUint32(row + 8, 0, true);
    }
    expect(() => new PackedLedger(shared)).toThrow('overlap');
  });
});
