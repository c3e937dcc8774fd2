/** Loads rows of a table from a store's file into columns of another thread (engine/state/restore-thread.ts). */
import { readU32 } from '../engine/codec/bytes.ts';
import { runToEnd } from '../engine/event-loop.ts';
import { RowFill, type RowsToLoad } from '../engine/state/row-fill.ts';
import type { LoadedRows } from '../engine/state/table-memory.ts';
import { BlockRows } from './block-rows.ts';
import { unseal } from './checksum.ts';
import { corrupt } from './errors.ts';
import { Family } from './keys.ts';
import { readLogState } from './row-log.ts';

/** A moment of a store that nobody writes over: its reader keeps a read transaction open there. */
export interface StoreMoment {
  readonly dir: string;
  /** Its row 'log', as stored. */
  readonly log: Uint8Array;
}

/**
 * From the blocks, and then what the log has newer.
 * @throws StoreError corrupt, also where the file has moved on; LayoutError, RangeError
 */
export function loadRows({ dir, log }: StoreMoment, task: RowsToLoad): LoadedRows {
  const stored = BlockRows.open(dir, log);
  if (!stored) throw corrupt(dir, 'the file is of another moment');
  try {
    const fill = new RowFill(task);
    stored.visit(task.table, 1, (at, block) => {
      fill.block(readU32(at, 2), unseal(Family.blocks, at, block, dir));
      return true;
    });
    const images = stored.images(task.table, readLogState(log), (_, row, image) => fill.row(row, image));
    runToEnd(images);
    return fill.loaded;
  } finally {
    stored.close();
  }
}
