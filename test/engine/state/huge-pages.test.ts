/** Which ranges the kernel is asked to give pages of 2 MB: by its own list of this process's memory. */

import { dlopen, FFIType, type Pointer, ptr, toArrayBuffer } from 'bun:ffi';
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { BLOCK_ROWS } from '../../../engine/state/dirty-rows.ts';
import { mergingPages, smallPages, useHugePages } from '../../../engine/state/huge-pages.ts';
import { restoreTables } from '../../../engine/state/stored-tables.ts';
import { Table } from '../../../engine/state/table.ts';

const MB = 2 ** 20;
const MADV_NOHUGEPAGE = 15;
const { u64, i32 } = FFIType;
const library = () =>
  dlopen('libc.so.6', {
    madvise: { args: [u64, u64, i32], returns: i32 },
    mmap: { args: [u64, u64, i32, i32, i32, u64], returns: FFIType.ptr },
  }).symbols;
const isGlibc =
  process.platform === 'linux' &&
  'glibcVersionRuntime' in (process.report.getReport() as { header: object }).header;
const hasHugePages = isGlibc && existsSync('/sys/kernel/mm/transparent_hugepage');

/** Ranges that were advised for a buffer keep their flag when the runtime uses them for another one. */
function unadvise(bytes: Uint8Array): Uint8Array {
  const whole = Math.ceil(bytes.byteLength / 4096) * 4096;
  expect(library().madvise(ptr(bytes), whole, MADV_NOHUGEPAGE)).toBe(0);
  return bytes;
}

/** Bytes that nothing has touched: those of a buffer may be memory that the runtime has used before, all of it on small pages. */
function untouched(length: number): Uint8Array {
  const PROT_READ_WRITE = 3;
  const MAP_PRIVATE_ANONYMOUS = 0x22;
  const address = library().mmap(0, length, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0) as Pointer;
  return new Uint8Array(toArrayBuffer(address, 0, length));
}

/** What the kernel says of each range that holds some of the addresses from `start` to below `end`. */
function* linesOf(start: number, end: number): Generator<string> {
  let inside = false;
  for (const line of readFileSync('/proc/self/smaps', 'utf8').split('\n')) {
    const range = /^([0-9a-f]+)-([0-9a-f]+) /.exec(line);
    if (range) inside = Number.parseInt(range[1]!, 16) < end && start < Number.parseInt(range[2]!, 16);
    else if (inside) yield line;
  }
}

/** Whether the range that holds an address is one of huge pages ("hg" among its flags). */
function isAdvised(address: number): boolean {
  for (const line of linesOf(address, address + 1))
    if (line.startsWith('VmFlags:')) return / hg( |$)/.test(line);
  throw new Error('no such address');
}

/** Bytes on huge pages, of the ranges that hold a buffer. */
function hugeBytes(bytes: Uint8Array): number {
  let kilobytes = 0;
  for (const line of linesOf(ptr(bytes), ptr(bytes) + bytes.byteLength))
    kilobytes += Number(/^AnonHugePages: +(\d+) kB/.exec(line)?.[1] ?? 0);
  return kilobytes * 1024;
}

const at = (bytes: Uint8Array, offset: number): boolean => isAdvised(ptr(bytes) + offset);

describe.skipIf(!hasHugePages)('pages of 2 MB', () => {
  test('of a buffer that is being filled: as far as it is filled', () => {
    const bytes = unadvise(new Uint8Array(new SharedArrayBuffer(12 * MB, { maxByteLength: 64 * MB })));
    useHugePages(bytes, 1 * MB);
    expect(at(bytes, 0.5 * MB)).toBe(false);
    useHugePages(bytes, 8 * MB);
    expect([at(bytes, 5 * MB), at(bytes, 9 * MB)]).toEqual([true, false]);
  });

  test('of a buffer with 16 MB in it: as far as it has grown', () => {
    const bytes = unadvise(new Uint8Array(new SharedArrayBuffer(24 * MB, { maxByteLength: 64 * MB })));
    useHugePages(bytes, 16 * MB);
    expect(at(bytes, 21 * MB)).toBe(true);
  });

  test('of a table that is restored: for the rows that its first block announces', () => {
    const rows = 3 * 2 ** 20;
    const stored = new Table(1, 'stored', rows);
    stored.u32('numbers');
    stored.reserve(64);
    stored.count = rows;
    const table = new Table(1, 'restored', rows);
    const numbers = table.u32('numbers');
    table.loadBlock(0, stored.blockBytes(0));
    expect(numbers.byteLength).toBe(rows * 4);
    expect(at(new Uint8Array(numbers.buffer), 5 * MB)).toBe(true);
  });

  test('of a table that is restored: for the rows of all its blocks, where its first one is older', () => {
    const rows = 3 * 2 ** 20;
    const stored = new Table(1, 'stored', rows);
    stored.u32('numbers');
    const last = rows / BLOCK_ROWS - 1;
    const table = new Table(1, 'restored', rows);
    const numbers = table.u32('numbers');
    const store = {
      value: () => undefined,
      blocks(_: number, visit: (block: number, bytes: Uint8Array) => unknown, from = 0) {
        const bytes = [stored.blockBytes(0), stored.blockBytes(1)] as const;
        for (let block = from; block <= last; block++)
          if (visit(block, bytes[block === 0 ? 0 : 1]) === false) return;
      },
      lastBlock: () => last,
      *rows() {},
    };
    restoreTables(store, [table]);
    expect(numbers.byteLength).toBe(rows * 4);
    expect(at(new Uint8Array(numbers.buffer), 9 * MB)).toBe(true);
  });

  test('of a table whose rows are named in no order, once it has room for all of them', () => {
    const rows = 3 * 2 ** 20;
    const table = new Table(1, 'named', rows);
    const numbers = table.u32('numbers');
    table.reserve(rows);
    expect(table.count).toBe(1);
    expect(at(new Uint8Array(numbers.buffer), 5 * MB)).toBe(true);
  });

  test('not while a state is restored; they are merged after it', () => {
    const bytes = untouched(24 * MB);
    const end = smallPages.want();
    const endOfOther = smallPages.want();
    useHugePages(bytes, bytes.length);
    bytes.fill(1, 0, 12 * MB);
    end();
    expect(hugeBytes(bytes)).toBe(0);
    bytes.fill(2, 12 * MB, 16 * MB);
    endOfOther();
    expect(hugeBytes(bytes)).toBe(0);
    bytes.fill(3, 16 * MB);
    const after = hugeBytes(bytes);
    expect(after).toBeGreaterThan(4 * MB);
    for (const _ of mergingPages(readFileSync('/proc/self/smaps', 'utf8')));
    expect(hugeBytes(bytes)).toBeGreaterThanOrEqual(20 * MB);
    for (const [from, to, value] of [
      [0, 12, 1],
      [12, 16, 2],
      [16, 24, 3],
    ] as const)
      expect(bytes.subarray(from * MB, to * MB).every((byte) => byte === value)).toBe(true);
  });

  test('not of a small table', () => {
    const table = new Table(1, 'small', 2 ** 22);
    const numbers = table.u32('numbers');
    unadvise(new Uint8Array(numbers.buffer));
    for (let row = 1; row < 5000; row++) table.add();
    expect(at(new Uint8Array(numbers.buffer), 0)).toBe(false);
  });
});

test('an empty buffer is left alone', () => {
  useHugePages(new Uint8Array(new SharedArrayBuffer(0, { maxByteLength: MB })), 64 * MB);
});
