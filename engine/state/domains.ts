/** Permissioned domains that offers name, as small numbers. 0 = no domain: the open market. */
import { hexOf, sameBytes } from '../codec/bytes.ts';
import { hashBytes } from './hash.ts';
import type { RowIndex } from './row-index.ts';
import type { Table } from './table.ts';

export class Domains {
  readonly table: Table;
  readonly #ids: Uint8Array;
  readonly #index: RowIndex;

  constructor(table: Table) {
    this.table = table;
    this.#ids = table.u8('ids', 32);
    this.#index = table.index('ids', (row) => hashBytes(this.#ids, row * 32, 32));
  }

  /** Number of the 32-byte DomainID at `at`; assigned now if new. @throws TableFullError */
  intern(bytes: Uint8Array, at: number): number {
    const found = this.find(bytes, at);
    if (found !== 0) return found;
    const id = this.table.add();
    for (let i = 0; i < 32; i++) this.#ids[id * 32 + i] = bytes[at + i]!;
    this.#index.add(id);
    return id;
  }

  /** 0 when it was never named by an offer. */
  find(bytes: Uint8Array, at: number): number {
    const index = this.#index;
    for (let slot = index.first(hashBytes(bytes, at, 32)); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0 || sameBytes(this.#ids, row * 32, bytes, at, 32)) return row;
    }
  }

  /** 64 upper-case hex digits. */
  text(id: number): string {
    return hexOf(this.#ids, id * 32, 32);
  }

  rebuild(): void {
    this.#index.reset(this.table.count);
    for (let id = 1; id < this.table.count; id++) this.#index.add(id);
  }
}
