/**
 * When blocks of the tables are written.
 *
 *     every batch       images of the rows that changed -> the store's row log
 *     now and then      begin: the blocks of all rows in the log are frozen
 *     following batches   ... and written, a few with each batch, ascending ...
 *                       end: the log up to the begin is no longer needed
 *
 * Goal: a ledger writes what it changed, not the 63 rows beside each changed row. Bounded: the images that a restart
 * replays, the blocks that one batch writes (where batches have many ledgers, the writing takes more of them, and what a
 * restart replays grows by those). A block that was written once more, or in vain, does no harm: images are
 * whole rows, so the newest of each row wins, whatever the block held. So a checkpoint that a crash ends is forgotten,
 * and the next one begins with everything that is in the log.
 *
 * Cost: a block is written once a checkpoint however often its rows changed. Small tables are written in vain more often
 * than others; they have few blocks.
 */
import type { Batch } from '../store.ts';
import type { Table } from './table.ts';

export interface CheckpointLimits {
  /** Row images between two begins: with those during the writing, what a restart replays, at 0.5 to 1 us each. */
  readonly images: number;
  /** Batches between two begins. */
  readonly batches: number;
  /** Share of that interval in which the frozen blocks are written. */
  readonly share: number;
  /** Bytes of blocks that one batch writes, however many rows it changed; one block may be more. */
  readonly bytes: number;
}

export const CHECKPOINT_LIMITS: CheckpointLimits = {
  // A ledger of 100 transactions of the main network has about 375: 2,100 ledgers.
  images: 800_000,
  batches: 4096,
  // 80,000 blocks at the main network's size: 70 with a ledger of 100 transactions, 290 (2 MB) with one of 400.
  share: 0.5,
  // As much as a batch of many ledgers has itself (engine/batch-limits.ts): its transaction takes twice as long, not ten times.
  bytes: 32 * 1024 * 1024,
};

export class Checkpoints {
  readonly #tables: readonly Table[];
  readonly #limits: CheckpointLimits;
  /** Since the last begin. */
  #images = 0;
  #batches = 0;
  /** Blocks frozen at the last begin; 0: nothing is being written. */
  #frozen = 0;

  constructor(tables: readonly Table[], limits: Partial<CheckpointLimits> = {}) {
    this.#tables = tables;
    this.#limits = { ...CHECKPOINT_LIMITS, ...limits };
  }

  /** Once a batch, after everything that changed has been handed over. */
  step(batch: Pick<Batch, 'block' | 'checkpoint'>): void {
    // Those that were loaded at the start count as well: the log has them.
    const images = this.#tables.reduce((sum, table) => sum + table.takeImageCount(), 0);
    this.#images += images;
    this.#batches++;
    if (this.#frozen > 0) this.#write(batch, images);
    else if (this.#images >= this.#limits.images || this.#batches >= this.#limits.batches) this.#begin(batch);
  }

  #begin(batch: Pick<Batch, 'checkpoint'>): void {
    this.#images = 0;
    this.#batches = 0;
    this.#frozen = this.#tables.reduce((sum, table) => sum + table.freezeBlocks(), 0);
    batch.checkpoint('begin');
    if (this.#frozen === 0) batch.checkpoint('end');
  }

  /** Writes the batch's share of the frozen blocks. @param images that the batch has */
  #write(batch: Pick<Batch, 'block' | 'checkpoint'>, images: number): void {
    const { images: imagesMax, batches: batchesMax, share, bytes: bytesMax } = this.#limits;
    const due = Math.max(images / imagesMax, 1 / batchesMax) / share;
    let left = Math.max(1, Math.ceil(this.#frozen * due));
    let bytes = 0;
    for (const table of this.#tables) {
      while (left > 0 && bytes < bytesMax) {
        const next = table.takeFrozen();
        if (!next) break;
        batch.block(table.id, next.block, next.bytes);
        bytes += next.bytes.length;
        left--;
      }
      if (table.frozenBlocks > 0) return;
    }
    this.#frozen = 0;
    batch.checkpoint('end');
  }
}
