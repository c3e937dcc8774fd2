/**
 * What happens to a ledger between source and writer: it is proved, then its change set is extracted. Both are pure
 * functions of the packed bytes, so they run in worker threads or inline with the same result. There is no way
 * around the proof.
 */

import { extractChanges } from '../codec/extract.ts';
import { PackedLedger } from '../codec/packed.ts';
import { proveLedger } from './proof.ts';

/** A ledger on its way to the writer. With `fault` set it is false and must not be used. */
export interface Prepared {
  readonly packed: PackedLedger;
  /** Layout of codec/changes.ts; empty when there is a fault. */
  readonly changes: Uint32Array;
  /** Why the ledger was refused. */
  readonly fault?: string;
}

export interface Preparer {
  /**
   * A false ledger comes back with `fault`; it rejects only when a proved ledger could not be read, or on close.
   * @param isWaitedFor it is the newest there is: how soon it is ready counts, not how many are ready in a second
   */
  prepare(packed: PackedLedger, isWaitedFor?: boolean): Promise<Prepared>;
  close(): Promise<void>;
}

/**
 * Proves one packed ledger and extracts its change set (on a SharedArrayBuffer when `shared`).
 * @throws what the reader throws on a ledger that is proved: that is our own fault, never the endpoint's, and it
 * must stop the engine loudly rather than cost a ledger.
 */
export function prepare(bytes: Uint8Array, shared = true): { changes: Uint32Array } | { fault: string } {
  let packed: PackedLedger;
  try {
    packed = new PackedLedger(bytes);
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
  const proof = proveLedger(packed);
  if ('fault' in proof) return proof;
  return { changes: extractChanges(packed, proof.hashes, shared) };
}

const NO_CHANGES = new Uint32Array(0);

/** The answer of `prepare` as the follower wants it. */
export function prepared(packed: PackedLedger, answer: ReturnType<typeof prepare>): Prepared {
  return 'fault' in answer
    ? { packed, changes: NO_CHANGES, fault: answer.fault }
    : { packed, changes: answer.changes };
}
