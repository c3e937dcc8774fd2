/**
 * Which rows of a table changed since they were last handed over, and which blocks the store has in an older state.
 *
 *     markDirty(row) -> drain: a row image of each, or the block where most of its rows changed
 *                       |
 *                       `-> the block is "logged": its newest content is in the row log only
 *     freeze() -> the blocks logged until now -> takeFrozen(), ascending, a few at a time -> written whole
 *
 * A block that is written whole at any time is no longer logged. A frozen block that changes again before it is taken
 * stays frozen: what is written then is its content at that moment.
 *
 * Cost: 8 bytes and a byte a block up to the highest changed row; marking is O(1), freezing too, taking is one scan of a byte a block.
 */

export const BLOCK_ROWS = 64;
/** From so many changed rows on a block is written whole at once: row images would be as large. */
const WHOLE_BLOCK_ROWS = 48;

/** Room that every table has. */
const FIRST_BLOCKS = 64;

/** Two generations of logged blocks: that of now, and the frozen one. They change roles with each freeze. */
const NOT_LOGGED = 0;

/** Takes what changed in a table. */
export interface TableSink {
  row(row: number, image: Uint8Array): void;
  block(block: number, bytes: Uint8Array): void;
}

/** What a drain hands over. */
export interface DirtySink {
  row(row: number): void;
  block(block: number): void;
}

export class DirtyRows {
  /** A bit for each changed row; as long as the highest row so far needs. */
  #bits = new Uint32Array(FIRST_BLOCKS * 2);
  #blocks: number[] = [];
  /** NOT_LOGGED or the generation, by block. */
  #logged = new Uint8Array(FIRST_BLOCKS);
  /** Blocks logged, by generation. */
  readonly #counts = [0, 0, 0];
  #generation = 1;
  /** Where the search for frozen blocks goes on. */
  #scan = 0;

  mark(row: number): void {
    const word = row >>> 5;
    if (word >= this.#bits.length) this.#reach(row >>> 6);
    const bits = this.#bits;
    const first = word & ~1;
    if (bits[first] === 0 && bits[first + 1] === 0) this.#blocks.push(row >>> 6);
    bits[word]! |= 1 << (row & 31);
  }

  /** Hands over everything that changed since the last call, ascending. */
  drain(sink: DirtySink): void {
    if (this.#blocks.length === 0) return;
    const blocks = this.#blocks.sort((a, b) => a - b);
    this.#blocks = [];
    for (const block of blocks) {
      const low = this.#bits[block * 2]!;
      const high = this.#bits[block * 2 + 1]!;
      this.#bits[block * 2] = 0;
      this.#bits[block * 2 + 1] = 0;
      if (bitsOf(low) + bitsOf(high) >= WHOLE_BLOCK_ROWS) {
        this.written(block);
        sink.block(block);
        continue;
      }
      this.log(block);
      eachBit(low, block * BLOCK_ROWS, sink);
      eachBit(high, block * BLOCK_ROWS + 32, sink);
    }
  }

  /** The newest content of the block is in the row log only. */
  log(block: number): void {
    if (block >= this.#logged.length) this.#reach(block);
    if (this.#logged[block] !== NOT_LOGGED) return;
    this.#logged[block] = this.#generation;
    this.#counts[this.#generation]!++;
  }

  /** The block has been handed over whole. */
  written(block: number): void {
    if (block >= this.#logged.length || this.#logged[block] === NOT_LOGGED) return;
    this.#counts[this.#logged[block]!]!--;
    this.#logged[block] = NOT_LOGGED;
  }

  /** What is logged now is to be written. Call only when nothing is frozen. @returns how many blocks that are */
  freeze(): number {
    if (this.frozen > 0) throw new Error('the blocks frozen before have not all been written');
    this.#generation = 3 - this.#generation;
    this.#scan = 0;
    return this.frozen;
  }

  /** Blocks that are frozen and not taken yet. */
  get frozen(): number {
    return this.#counts[3 - this.#generation]!;
  }

  /** The next frozen block, as handed over whole now; undefined: there is none. */
  takeFrozen(): number | undefined {
    if (this.frozen === 0) return undefined;
    const block = this.#logged.indexOf(3 - this.#generation, this.#scan);
    this.#scan = block + 1;
    this.written(block);
    return block;
  }

  /** Makes room for a block. Reserved for the whole capacity, an engine's tables took twice as long to make. */
  #reach(block: number): void {
    const blocks = Math.max(block + 1, this.#logged.length * 2);
    const [bits, logged] = [new Uint32Array(blocks * 2), new Uint8Array(blocks)];
    bits.set(this.#bits);
    logged.set(this.#logged);
    [this.#bits, this.#logged] = [bits, logged];
  }
}

function bitsOf(word: number): number {
  let count = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) count++;
  return count;
}

function eachBit(word: number, first: number, sink: DirtySink): void {
  for (let rest = word; rest !== 0; rest &= rest - 1) sink.row(first + 31 - Math.clz32(rest & -rest));
}
