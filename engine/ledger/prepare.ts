/**
 * The step between source and writer: a ledger is proved, then its change set is extracted; the same for a page of a
 * snapshot (state-page.ts). Both are pure functions
 * of the packed bytes, so they give the same result in worker threads and inline. The proof cannot be skipped.
 */

import { extractChanges } from '../codec/extract.ts';
import { PackedLedger } from '../codec/packed.ts';
import { proveLedger } from './proof.ts';
import type { PageProver } from './source.ts';
import { provePage } from './state-page.ts';

/** A ledger for the writer. When `fault` is set, it is false and must not be used. */
export interface Prepared {
  readonly packed: PackedLedger;
  /** Layout of codec/changes.ts; empty when there is a fault. */
  readonly changes: Uint32Array;
  /** Why the ledger was refused. */
  readonly fault?: string;
}

export interface Preparer extends PageProver {
  /**
   * A false ledger is returned with `fault`. Rejects only when a proved ledger could not be read, or on close.
   * @param isNewest it is the newest ledger: latency matters more than throughput
   */
  prepare(packed: PackedLedger, isNewest?: boolean): Promise<Prepared>;
  close(): Promise<void>;
}

/**
 * Proves one packed ledger and extracts its change set (on a SharedArrayBuffer when `shared`).
 * @throws the reader's error for a proved ledger: that is a defect of this program, not of the endpoint, and must stop
 * the engine rather than skip a ledger.
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

/** The result of `prepare` in the form that the follower uses. */
export function prepared(packed: PackedLedger, answer: ReturnType<typeof prepare>): Prepared {
  return 'fault' in answer
    ? { packed, changes: NO_CHANGES, fault: answer.fault }
    : { packed, changes: answer.changes };
}

/** Does everything on the calling thread. */
export const inlinePreparer: Preparer = {
  async prepare(packed) {
    return prepared(packed, prepare(packed.bytes, false));
  },
  async provePage(task) {
    return provePage(task, false);
  },
  async close() {},
};
