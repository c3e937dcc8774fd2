/**
 * Asks the kernel for pages of 2 MB for large tables, indexes and lists.
 *
 *     4 KB pages     a row touches one page a column; the processor knows the places of some 2,000 pages, 8 MB. Another
 *                    one is looked up in memory, in a virtual machine twice over
 *     2 MB pages     the same 2,000 cover 4 GB: the whole state of the main network
 *
 * Goal: random accesses to a gigabyte of columns cost little more than to a tenth of it. Non-goals: memory that is touched here
 * and there (columns by token), systems other than Linux, making the kernel do it: where it has none to give, or is set to
 * `never`, pages stay small and nothing else changes.
 *
 * A huge page takes its 2 MB when its first byte is touched. So small buffers are left alone, and a buffer that is being filled
 * from the start gets huge pages as far as it is filled; only where that is WHOLE_FROM, which makes the last
 * page small in proportion, as far as it has grown. Pages that were small when the range was named stay so until the
 * kernel's own thread (khugepaged) merges them.
 *
 * Cost: one system call, about a microsecond, for each range that a buffer grows by.
 */
import { dlopen, FFIType, ptr } from 'bun:ffi';

const PAGE_BYTES = 2 ** 21;
/** A buffer with so much in it may have a huge page that is mostly empty: an eighth of it at most. */
const WHOLE_FROM = 8 * PAGE_BYTES;
/** `MADV_HUGEPAGE` of `sys/mman.h`. */
const MADV_HUGEPAGE = 14;

/** By the C library that is there: glibc, musl. */
const LIBRARIES = ['libc.so.6', `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`];

type Advise = (address: number, bytes: number) => void;

const advise = process.platform === 'linux' ? loadAdvise() : undefined;

/** undefined: there is no such library, or it cannot be called. */
function loadAdvise(): Advise | undefined {
  const { u64, i32 } = FFIType;
  for (const library of LIBRARIES) {
    try {
      const { madvise } = dlopen(library, { madvise: { args: [u64, u64, i32], returns: i32 } }).symbols;
      // What it returns shows whether the kernel agreed; both is well.
      return (address, bytes) => void madvise(address, bytes, MADV_HUGEPAGE);
    } catch {}
  }
  return undefined;
}

/**
 * Names a buffer that is filled from the start; again whenever it has grown.
 * @param bytes of the buffer, from its start
 * @param used bytes from the start that are, or are about to be, filled
 */
export function useHugePages(bytes: Uint8Array, used: number): void {
  const { byteLength } = bytes;
  const end = used >= WHOLE_FROM ? byteLength : Math.min(used, byteLength);
  if (!advise || end < PAGE_BYTES) return;
  // Addresses have 47 bits: exact in a double. Shared buffers never move.
  const address = ptr(bytes);
  const from = Math.ceil(address / PAGE_BYTES) * PAGE_BYTES;
  const to = Math.floor((address + end) / PAGE_BYTES) * PAGE_BYTES;
  if (to > from) advise(from, to - from);
}
