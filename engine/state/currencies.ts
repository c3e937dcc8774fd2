/** Currency codes as dense ids: trust lines and tokens name them in 4 bytes instead of 20. */
import { copyBytes, sameBytes } from '../codec/bytes.ts';
import { currencyText } from '../codec/currency.ts';
import type { RowSteps } from '../event-loop.ts';
import { hashBytes } from './hash.ts';
import { KeptTexts } from './kept-texts.ts';
import { RecentIds } from './recent-ids.ts';
import type { RowIndex } from './row-index.ts';
import type { Table } from './table.ts';

export class Currencies {
  readonly table: Table;
  readonly #codes: Uint8Array;
  readonly #index: RowIndex;
  readonly #recent = new RecentIds();
  readonly #kept: KeptTexts;

  constructor(table: Table) {
    this.table = table;
    this.#codes = table.u8('codes', 20);
    this.#index = table.index('codes', (row) => hashBytes(this.#codes, row * 20, 20));
    this.#kept = new KeptTexts(table, (id) => currencyText(this.#codes, id * 20));
  }

  /** Id of the 20 bytes at `at`; assigned now if new. @throws TableFullError */
  intern(bytes: Uint8Array, at: number): number {
    const found = this.find(bytes, at);
    if (found !== 0) return found;
    const id = this.table.add();
    copyBytes(bytes, at, this.#codes, id * 20, 20);
    this.#index.add(id);
    return id;
  }

  /** 0 when never named. */
  find(bytes: Uint8Array, at: number): number {
    const recent = this.#recent.find(bytes, at);
    if (recent !== 0) return recent;
    const row = this.#find(bytes, at);
    if (row !== 0) this.#recent.keep(bytes, at, row);
    return row;
  }

  #find(bytes: Uint8Array, at: number): number {
    const index = this.#index;
    for (let slot = index.first(hashBytes(bytes, at, 20)); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0 || sameBytes(this.#codes, row * 20, bytes, at, 20)) return row;
    }
  }

  /** Three characters or 40 hex digits. */
  text(id: number): string {
    return this.#kept.of(id);
  }

  bytes(id: number): Uint8Array {
    return this.#codes.subarray(id * 20, id * 20 + 20);
  }

  *rebuilding(): RowSteps {
    this.#recent.clear();
    yield* this.#index.filling(this.table.count);
  }
}
