/** Just enough of a store to save a state's blocks and texts and to give them back. */
import type { State } from '../../../engine/state/state.ts';

export class Memory {
  readonly #blocks = new Map<number, Map<number, Uint8Array>>();
  readonly #texts = new Map<string, string>();
  readonly #values = new Map<string, unknown>();

  save(state: State): void {
    state.persist({
      block: (table, block, bytes) => {
        const blocks = this.#blocks.get(table) ?? new Map<number, Uint8Array>();
        this.#blocks.set(table, blocks.set(block, bytes.slice()));
      },
      text: (kind, id, value) => void this.#texts.set(`${kind} ${id}`, value),
      value: (name, value) => void this.#values.set(name, structuredClone(value)),
    });
  }

  blocks(table: number, visit: (block: number, bytes: Uint8Array) => void): void {
    for (const [block, bytes] of this.#blocks.get(table) ?? []) visit(block, bytes);
  }

  value(name: string): unknown {
    return this.#values.get(name);
  }

  text(kind: number, id: number): string | undefined {
    return this.#texts.get(`${kind} ${id}`);
  }
}
