/**
 * Trade records that may not be durable yet, oldest first, in one growing buffer. Reads take the ledgers up to the
 * durable one from the store and everything younger from here, so no record is shown twice or missed.
 */
import { cursorOf, TRADE_BYTES, TradeAt } from './trade-record.ts';

const FIRST_RECORDS = 1024;

export class PendingTrades {
  #bytes = new Uint8Array(FIRST_RECORDS * TRADE_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #first = 0;
  #end = 0;

  get count(): number {
    return this.#end - this.#first;
  }

  /** Record number `i` from the oldest; a view, valid until the next ledger. */
  record(i: number): Uint8Array {
    const at = (this.#first + i) * TRADE_BYTES;
    return this.#bytes.subarray(at, at + TRADE_BYTES);
  }

  cursor(i: number): number {
    const at = (this.#first + i) * TRADE_BYTES;
    return cursorOf(
      this.#view.getUint32(at + TradeAt.ledger, true),
      this.#view.getUint32(at + TradeAt.number, true),
    );
  }

  /** Copies the records of a ledger. */
  append(records: Uint8Array, count: number): void {
    if (count === 0) return;
    this.#reserve(count);
    this.#bytes.set(records.subarray(0, count * TRADE_BYTES), this.#end * TRADE_BYTES);
    this.#end += count;
  }

  /** Drops the records of ledgers up to `ledger`. */
  durable(ledger: number): void {
    this.#first = this.#firstAfter(ledger);
    if (this.#first === this.#end) this.clear();
  }

  clear(): void {
    this.#first = 0;
    this.#end = 0;
  }

  /** The first record of a later ledger: a search, since a batch has tens of thousands, which would be a stall. */
  #firstAfter(ledger: number): number {
    let low = this.#first;
    let high = this.#end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#view.getUint32(middle * TRADE_BYTES + TradeAt.ledger, true) > ledger) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #reserve(count: number): void {
    const capacity = this.#bytes.length / TRADE_BYTES;
    if (this.#end + count <= capacity) return;
    const kept = this.#bytes.subarray(this.#first * TRADE_BYTES, this.#end * TRADE_BYTES);
    const needed = this.count + count;
    if (needed * 2 <= capacity) this.#bytes.copyWithin(0, this.#first * TRADE_BYTES, this.#end * TRADE_BYTES);
    else {
      const larger = new Uint8Array(Math.max(capacity * 2, needed * 2) * TRADE_BYTES);
      larger.set(kept);
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    this.#end -= this.#first;
    this.#first = 0;
  }
}
