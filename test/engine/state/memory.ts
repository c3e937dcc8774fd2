/** Just enough of a store to save a state's blocks and texts and to give them back. */
import type { State } from '../../../engine/state/state.ts';

export class Memory {
  readonly #blocks = new Map<number, Map<number, Uint8Array>>();
  readonly #texts = new Map<string, string>();

  save(state: State): void {
    state.persist({
      block: (table, block, bytes) => {
        const blocks = this.#blocks.get(table) ?? new Map<number, Uint8Array>();
        this.#blocks.set(table, blocks.set(block, bytes.slice()));
      },
      text: (kind, id, value) => void this.#texts.set(`${kind} ${id}`, value),
    });
  }

  blocks(table: number, visit: (block: number, bytes: Uint8Array) => void): void {
    for (const [block, bytes] of this.#blocks.get(table) ?? []) visit(block, bytes);
  }

  text(kind: number, id: number): string | undefined {
    return this.#texts.get(`${kind} ${id}`);
  }
}
