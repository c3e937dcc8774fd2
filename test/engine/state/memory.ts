/** Just enough of a store to save a state's tables and texts and to give them back. */
import type { RowSteps } from '../../../engine/event-loop.ts';
import { BLOCK_ROWS } from '../../../engine/state/dirty-rows.ts';
import type { State } from '../../../engine/state/state.ts';

export class Memory {
  readonly #blocks = new Map<number, Map<number, Uint8Array>>();
  readonly #rows = new Map<number, Map<number, Uint8Array>>();
  readonly #texts = new Map<string, string>();
  readonly #values = new Map<string, unknown>();

  save(state: State): void {
    state.persist({
      block: (table, block, bytes) => {
        const blocks = this.#blocks.get(table) ?? new Map<number, Uint8Array>();
        this.#blocks.set(table, blocks.set(block, bytes.slice()));
        for (const row of this.#rows.get(table)?.keys() ?? [])
          if (Math.floor(row / BLOCK_ROWS) === block) this.#rows.get(table)!.delete(row);
      },
      row: (table, row, image) => {
        const rows = this.#rows.get(table) ?? new Map<number, Uint8Array>();
        this.#rows.set(table, rows.set(row, image.slice()));
      },
      text: (kind, id, value) => void this.#texts.set(`${kind} ${id}`, value),
      value: (name, value) => void this.#values.set(name, structuredClone(value)),
    });
  }

  blocks(table: number, visit: (block: number, bytes: Uint8Array) => unknown, from = 0): void {
    const blocks = [...(this.#blocks.get(table) ?? [])].sort(([a], [b]) => a - b);
    for (const [block, bytes] of blocks) if (block >= from && visit(block, bytes) === false) return;
  }

  lastBlock(table: number): number | undefined {
    const blocks = [...(this.#blocks.get(table)?.keys() ?? [])];
    return blocks.length === 0 ? undefined : Math.max(...blocks);
  }

  *rows(visit: (table: number, row: number, image: Uint8Array) => void): RowSteps {
    for (const [table, rows] of this.#rows) {
      for (const [row, image] of rows) visit(table, row, image);
      yield 0;
    }
  }

  value(name: string): unknown {
    return this.#values.get(name);
  }

  text(kind: number, id: number): string | undefined {
    return this.#texts.get(`${kind} ${id}`);
  }
}
