/** Room on the disk, what a thread has written, and the reason for an incomplete write: LMDB reports only an input/output error, the system has the details. */
import { readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** After a write has failed at a limit, less room than this is left. */
const ROOM_BYTES = 1 << 20;

/** Bytes that may be written in `dir`; unlimited where the system does not report it. */
export function freeBytes(dir: string): number {
  try {
    const { bavail, bsize } = statfsSync(dir);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Where the system counts what the calling thread reads and writes; undefined where it does not. */
export function threadCounters(): string | undefined {
  try {
    return `/proc/${readlinkSync('/proc/thread-self')}/io`;
  } catch {
    return undefined;
  }
}

/** Bytes that a thread has handed to calls that write. @param counters from {@link threadCounters} */
export function writtenBy(counters: string | undefined): number | undefined {
  if (counters === undefined) return undefined;
  try {
    const written = /^wchar: (\d+)/m.exec(readFileSync(counters, 'utf8'));
    return written ? Number(written[1]) : undefined;
  } catch {
    return undefined;
  }
}

/** @returns the limit that kept `dir/file` from growing, undefined when it had room */
export function limitMet(dir: string, file: string): string | undefined {
  try {
    const free = freeBytes(dir);
    if (free < ROOM_BYTES) return `the disk has ${free} bytes left`;
    const limit = fileSizeLimit();
    if (limit !== undefined && statSync(join(dir, file)).size + ROOM_BYTES > limit) {
      return `this process may write files of at most ${limit} bytes, the file size limit (ulimit -f)`;
    }
  } catch {
    // The system does not report it: the original error is kept.
  }
  return undefined;
}

function fileSizeLimit(): number | undefined {
  const line = /^Max file size\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
  return line ? Number(line[1]) : undefined;
}
