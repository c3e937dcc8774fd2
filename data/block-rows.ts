/**
 * The blocks of the tables, and what the log has of their rows, as they lie in the file (tree-rows.ts): what a restart reads.
 *
 * They are those of a snapshot, since the file's newest state has the same row 'log' as the snapshot: every batch writes
 * another one. Where a batch came in between, or none was ever written, they are read through LMDB.
 */
import type { RowSteps } from '../engine/event-loop.ts';
import { BLOCK_ROWS } from '../engine/state/dirty-rows.ts';
import { key, MetaKey } from './keys.ts';
import { PageFile } from './pages.ts';
import {
  type ImageVisitor,
  LogKind,
  type LogState,
  NewestImages,
  newestFirst,
  partBounds,
  unpackStored,
} from './row-log.ts';
import { type StoredRowVisitor, TreeRows } from './tree-rows.ts';

const U32_MAX = 0xffffffff;

export class BlockRows {
  readonly #file: PageFile;
  readonly #blocks: TreeRows;
  readonly #log: TreeRows;

  private constructor(file: PageFile, blocks: TreeRows, log: TreeRows) {
    this.#file = file;
    this.#blocks = blocks;
    this.#log = log;
  }

  /**
   * @param log the row 'log' of the snapshot, as stored
   * @returns undefined: the file is not at its moment
   * @throws StoreError corrupt
   */
  static open(dir: string, log: Uint8Array | undefined): BlockRows | undefined {
    const file = log && PageFile.open(dir);
    if (!file) return undefined;
    try {
      const trees = file.trees();
      const [meta, blocks, logged] = [trees.get('meta'), trees.get('blocks'), trees.get('log')];
      let isSame = false;
      if (meta)
        new TreeRows(file, meta).visit(MetaKey.log, MetaKey.log, (_, value) => {
          isSame = Buffer.compare(value, log) === 0;
          return false;
        });
      if (blocks && logged && isSame)
        return new BlockRows(file, new TreeRows(file, blocks), new TreeRows(file, logged));
    } catch (error) {
      file.close();
      throw error;
    }
    file.close();
    return undefined;
  }

  /** Visits the blocks of a table from one on, ascending. @throws StoreError corrupt */
  visit(table: number, from: number, visit: StoredRowVisitor): void {
    this.#blocks.visit(key([2, 4], [table, from]), key([2, 4], [table, U32_MAX]), visit);
  }

  /** Visits the images of a table's rows that are newer than their blocks, in steps. @throws StoreError corrupt */
  *images(table: number, { newest, rowsDone }: LogState, visit: ImageVisitor): RowSteps {
    const images = new NewestImages(BLOCK_ROWS, visit, table);
    const [from, to] = partBounds(LogKind.rows, rowsDone + 1, newest);
    for (const keys of newestFirst(this.#log.keys(from, to)))
      yield* images.batch(keys.length, (part) => this.#part(keys[part]!));
  }

  #part(at: Uint8Array): Buffer {
    let part: Buffer | undefined;
    this.#log.visit(at, at, (_, stored) => {
      part = unpackStored(at, stored, this.#file.dir);
      return false;
    });
    return part!;
  }

  close(): void {
    this.#file.close();
  }
}
