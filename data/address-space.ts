/**
 * How much of the address space a store maps. LMDB maps a file at its largest size; where the process may not have that much
 * (`ulimit -v`, some containers), the call fails and the process dies by a signal, so the limit is asked for before.
 *
 * Every thread that opens the same file must come to the same size: it follows from the limit alone.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DATA_FILE, StoreError } from './errors.ts';

/** Without a limit: more than a store will have, and address space costs nothing. */
const MAP_BYTES = 2 ** 40;
/** A process has up to four stores; tables and the runtime take the rest. */
const SHARE = 1 / 8;
const GIB = 2 ** 30;

/**
 * Bytes to map for the store in `dir`.
 * @param limit of the process in bytes; undefined: none
 * @throws StoreError io when the limit leaves less than the store has, or less than 1 GiB
 */
export function mapBytes(dir: string, limit = addressLimit()): number {
  if (limit === undefined) return MAP_BYTES;
  const bytes = Math.min(MAP_BYTES, 2 ** Math.floor(Math.log2(limit * SHARE)));
  const stored = statSync(join(dir, DATA_FILE), { throwIfNoEntry: false })?.size ?? 0;
  if (bytes >= Math.max(GIB, stored * 2)) return bytes;
  const needed = Math.ceil(Math.max(GIB, stored * 2) / SHARE / GIB) * 2;
  throw new StoreError(
    'io',
    `${dir}: this process may use ${(limit / GIB).toFixed(1)} GiB of address space, and the store needs it to be ` +
      `${needed} GiB. It is not memory: lift the limit (ulimit -v unlimited)`,
  );
}

/** Of a fault while tables reserve their addresses: where the process has a limit, one line that names it; else itself. */
export function addressFault(fault: unknown, limit = addressLimit()): unknown {
  if (limit === undefined || !(fault instanceof RangeError) || fault.message !== 'Out of memory')
    return fault;
  return new StoreError(
    'io',
    `this process may use ${(limit / GIB).toFixed(1)} GiB of address space, which is too small for the tables. ` +
      'It is not memory: lift the limit (ulimit -v unlimited)',
    fault,
  );
}

/** The soft limit in bytes; undefined: none, or not known on this system. */
export function addressLimit(): number | undefined {
  try {
    const line = /^Max address space\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return line ? Number(line[1]) : undefined;
  } catch {
    return undefined;
  }
}
