/** The trade records of the current ledger: one buffer, reused, with a view of its bytes and one of its words. */
import type { PoolDeltas } from './pool-deltas.ts';
import { TRADE_BYTES } from './trade-record.ts';

export const RECORD_WORDS = TRADE_BYTES / 4;
const FIRST_CAPACITY = 256;

export class RecordBuffer {
  /** TRADE_BYTES a record; the first `count` records are valid. */
  bytes: Uint8Array = new Uint8Array(FIRST_CAPACITY * TRADE_BYTES);
  words: Uint32Array = new Uint32Array(this.bytes.buffer);
  count = 0;

  /** Word offset of the next record, cleared. It becomes valid when the caller increments `count`. */
  next(): number {
    if ((this.count + 1) * TRADE_BYTES > this.bytes.length) {
      const larger = new Uint8Array(this.bytes.length * 2);
      larger.set(this.bytes);
      this.bytes = larger;
      this.words = new Uint32Array(larger.buffer);
    }
    const to = this.count * RECORD_WORDS;
    this.words.fill(0, to, to + RECORD_WORDS);
    return to;
  }

  /** Writes a leg of a pool to the columns at these byte offsets of the record at word `to`. */
  setLeg(to: number, tokenColumn: number, highColumn: number, deltas: PoolDeltas, leg: number): void {
    this.words[to + tokenColumn / 4] = deltas.tokens[leg]!;
    this.words[to + highColumn / 4] = deltas.high[leg]!;
    this.words[to + highColumn / 4 + 1] = deltas.low[leg]!;
  }
}
