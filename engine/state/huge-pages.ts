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
 * page small in proportion, as far as it has grown. Pages that were small when the range was named stay so until
 * they are merged.
 *
 * A restore touches all of it at once, and someone waits for it. In a virtual machine whose host has taken free memory back
 * the first touch of a huge page takes three to five times as long as that of the 512 small ones, which come from memory that
 * was used a moment ago. So a restore is given small pages, and a thread merges them once it has ended (workers/page-merger.ts).
 *
 * Cost: one system call, about a microsecond, for each range that a buffer grows by.
 */
import { dlopen, FFIType, ptr } from 'bun:ffi';

const PAGE_BYTES = 2 ** 21;
/** A buffer with so much in it may have a huge page that is mostly empty: an eighth of it at most. */
const WHOLE_FROM = 8 * PAGE_BYTES;
/** Of `sys/mman.h`; the second since Linux 6.1. */
const MADV_HUGEPAGE = 14;
const MADV_COLLAPSE = 25;
/** Of `sys/prctl.h`. */
const PR_SET_THP_DISABLE = 41;
const PR_GET_THP_DISABLE = 42;

/** By the C library that is there: glibc, musl. */
const LIBRARIES = ['libc.so.6', `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`];

/** Of the C library. What they return shows whether the kernel agreed; both is well. */
interface Kernel {
  madvise(address: number, bytes: number, advice: number): number;
  prctl(option: number, first: number, second: number, third: number, fourth: number): number;
}

const kernel = process.platform === 'linux' ? loadKernel() : undefined;

/** undefined: there is no such library, or it cannot be called. */
function loadKernel(): Kernel | undefined {
  const { u64, i32 } = FFIType;
  for (const library of LIBRARIES) {
    try {
      return dlopen(library, {
        madvise: { args: [u64, u64, i32], returns: i32 },
        prctl: { args: [i32, u64, u64, u64, u64], returns: i32 },
      }).symbols;
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
  if (!kernel || end < PAGE_BYTES) return;
  // Addresses have 47 bits: exact in a double. Shared buffers never move.
  const address = ptr(bytes);
  const from = Math.ceil(address / PAGE_BYTES) * PAGE_BYTES;
  const to = Math.floor((address + end) / PAGE_BYTES) * PAGE_BYTES;
  if (to > from) kernel.madvise(from, to - from, MADV_HUGEPAGE);
}

/**
 * The process's switch for huge pages. While anyone wants small pages, memory that is touched for the first time gets them,
 * whatever its range was named.
 */
class SmallPages {
  #wanted = 0;
  /** As it was set when the process was started. */
  #before = 0;

  /** @returns ends it */
  want(): () => void {
    if (this.#wanted++ === 0) {
      this.#before = kernel?.prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) ?? 0;
      kernel?.prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    }
    return () => {
      if (--this.#wanted === 0) kernel?.prctl(PR_SET_THP_DISABLE, this.#before, 0, 0, 0);
    };
  }
}

export const smallPages = new SmallPages();

/** A range's first line, with its addresses, and its last one, where it was named. */
const RANGE = /^([0-9a-f]+)-([0-9a-f]+) /;
const NAMED = /^VmFlags:.* hg( |$)/;

/**
 * Merges what is small in the ranges that were named, a huge page with each step: up to 10 ms, during which other threads wait
 * when they touch that page. @param ranges the kernel's list of this process's memory: the text of `/proc/self/smaps`
 */
export function* mergingPages(ranges: string): Generator<void> {
  if (!kernel) return;
  let [from, to] = [0, 0];
  for (const line of ranges.split('\n')) {
    const range = RANGE.exec(line);
    if (range) [from, to] = [Number.parseInt(range[1]!, 16), Number.parseInt(range[2]!, 16)];
    else if (NAMED.test(line))
      for (let at = Math.ceil(from / PAGE_BYTES) * PAGE_BYTES; at + PAGE_BYTES <= to; at += PAGE_BYTES, yield)
        kernel.madvise(at, PAGE_BYTES, MADV_COLLAPSE);
  }
}
