/** Memory of batches: chunks of rows, one after another (batch.ts), and those in waiting. */

export const ROW_HEADER_BYTES = 8;
/** Table and row, of a row image. */
export const IMAGE_KEY_BYTES = 6;
const CHUNK_BYTES = 1 << 20;
/** Spare chunks kept for later batches: 32 MiB. */
const SPARE_CHUNKS_MAX = 32;

export interface Chunk {
  readonly buffer: SharedArrayBuffer;
  readonly bytes: Uint8Array;
  readonly view: DataView;
  used: number;
}

function newChunk(size: number): Chunk {
  const buffer = new SharedArrayBuffer(size);
  return { buffer, bytes: new Uint8Array(buffer), view: new DataView(buffer), used: 0 };
}

/** Chunks in waiting. */
export class ChunkPool {
  readonly #spare: Chunk[] = [];

  take(size: number): Chunk {
    if (size > CHUNK_BYTES) return newChunk(size);
    return this.#spare.pop() ?? newChunk(CHUNK_BYTES);
  }

  give(chunk: Chunk): void {
    if (chunk.bytes.length !== CHUNK_BYTES || this.#spare.length >= SPARE_CHUNKS_MAX) return;
    chunk.used = 0;
    this.#spare.push(chunk);
  }
}
