/**
 * The blocks of the tables as they lie in the file (tree-rows.ts): what a restart reads.
 *
 * They are those of a snapshot, since the file's newest state has the same row 'log' as the snapshot: every batch writes
 * another one. Where a batch came in between, or none was ever written, they are read through LMDB.
 */
import { key, MetaKey } from './keys.ts';
import { PageFile } from './pages.ts';
import { type StoredRowVisitor, TreeRows } from './tree-rows.ts';

const U32_MAX = 0xffffffff;

export class BlockRows {
  readonly #file: PageFile;
  readonly #rows: TreeRows;

  private constructor(file: PageFile, rows: TreeRows) {
    this.#file = file;
    this.#rows = rows;
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
      const [meta, blocks] = [trees.get('meta'), trees.get('blocks')];
      let isSame = false;
      if (meta)
        new TreeRows(file, meta).visit(MetaKey.log, MetaKey.log, (_, value) => {
          isSame = Buffer.compare(value, log) === 0;
          return false;
        });
      if (blocks && isSame) return new BlockRows(file, new TreeRows(file, blocks));
    } catch (error) {
      file.close();
      throw error;
    }
    file.close();
    return undefined;
  }

  /** Visits the blocks of a table from one on, ascending. @throws StoreError corrupt */
  visit(table: number, from: number, visit: StoredRowVisitor): void {
    this.#rows.visit(key([2, 4], [table, from]), key([2, 4], [table, U32_MAX]), visit);
  }

  close(): void {
    this.#file.close();
  }
}
