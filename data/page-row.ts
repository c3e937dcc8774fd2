/** One row of a page of LMDB's file (pages.ts). */
import { isSealed } from './checksum.ts';

/** A key in a page. */
export interface Key {
  readonly bytes: Buffer;
  readonly at: number;
  readonly length: number;
}

/** Where values lie that have pages of their own. */
interface LongValues {
  longValue(first: number, length: number): Buffer;
}

/**
 * A row as it lies in the file. Valid during the call only: one object is all rows of a walk in turn, and makes what it is
 * asked for, since a start passes over millions of rows of which it reads few.
 */
export class PageRow {
  flags = 0;
  /** Length of the value in bytes. */
  length = 0;
  readonly #file: LongValues;
  #key: Key = { bytes: Buffer.alloc(0), at: 0, length: 0 };
  #at = 0;
  /** Of the value's own pages; 0: it has none. */
  #first = 0;

  constructor(file: LongValues) {
    this.#file = file;
  }

  become(key: Key, flags: number, length: number, at: number, first: number): this {
    this.#key = key;
    this.flags = flags;
    this.length = length;
    this.#at = at;
    this.#first = first;
    return this;
  }

  get key(): Buffer {
    const { bytes, at, length } = this.#key;
    return bytes.subarray(at, at + length);
  }

  /** 0 where the key is empty. */
  get firstByteOfKey(): number {
    const { bytes, at, length } = this.#key;
    return length === 0 ? 0 : bytes[at]!;
  }

  /** Whether its value is in the page, and with its key what was stored: see checksum.ts. A view for each takes most of a check. */
  isSealedInPage(space: number): boolean {
    const { bytes, at } = this.#key;
    return this.#first === 0 && isSealed(space, bytes, at, this.#at + this.length);
  }

  /** The value's bytes; those of a value on pages of its own are read when asked for. */
  value(): Buffer {
    if (this.#first !== 0) return this.#file.longValue(this.#first, this.length);
    return this.#key.bytes.subarray(this.#at, this.#at + this.length);
  }
}
