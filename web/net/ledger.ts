/** The newest ledger, from the one stream that every page has. */
import { signal } from '@preact/signals';
import { type Frame, Stream, type StreamState } from './stream.ts';

export interface LedgerFrame {
  readonly ledger_index: number;
  readonly ledger_hash: string;
  /** Unix ms. */
  readonly close_time: number;
  readonly txn_count: number;
  /** Drops. */
  readonly reserve_base: number;
  readonly reserve_inc: number;
  readonly fee_base: number;
}

export const newestLedger = signal<LedgerFrame | undefined>(undefined);
/** What ages are counted from, Unix ms: the clock of the ledgers, as soon as one is known. */
export const ledgerTime = (): number => newestLedger.value?.close_time ?? Date.now();
export const connection = signal<StreamState>('connecting');
/**
 * How often it was opened again: another service may answer since, or the same one with other settings. Not how often it was lost: a
 * tab that was hidden for long has dropped it itself.
 */
export const reopenings = signal(0);

/** Opens the stream; once, by the shell. */
export function followLedgers(): Stream {
  const stream = new Stream({ path: '/ws/ledger', resumable: true, onFrame });
  stream.state.subscribe((state) => {
    connection.value = state;
  });
  stream.openings.subscribe((openings) => {
    reopenings.value = Math.max(0, openings - 1);
  });
  return stream;
}

function onFrame(frame: Frame): void {
  if (frame.ledger_index !== undefined) newestLedger.value = frame as LedgerFrame;
}
