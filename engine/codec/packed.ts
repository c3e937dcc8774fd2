/**
 * The packed ledger: one closed ledger in one buffer. Threads exchange this form, and archives and the store keep
 * it. Fixed header, a directory, then the blobs, so that any transaction can be read directly.
 *
 *     0    4  magic 'MLR1'
 *     4    4  transaction count n (u32 little-endian, as all numbers of this format)
 *     8   32  ledger hash, as claimed by the source (the proof recomputes it)
 *    40  118  ledger header, canonical rippled layout (big-endian), without hash prefix
 *   158    2  zero
 *   160  12n  directory: u32 offset of the transaction blob, u32 its length, u32 length of the metadata
 *             blob, which follows immediately. Rows are in apply order (sfTransactionIndex 0 .. n-1).
 *   ...       blobs
 */

export const PACKED_MAGIC = 0x31524c4d;
export const PACKED_HASH_OFFSET = 8;
export const PACKED_HEADER_OFFSET = 40;
export const PACKED_HEADER_BYTES = 118;
export const PACKED_DIRECTORY_OFFSET = 160;
export const PACKED_ROW_BYTES = 12;

/** A transaction with its metadata, both binary. */
export interface TransactionBlobs {
  readonly tx: Uint8Array;
  readonly meta: Uint8Array;
}

/** A view of one ledger in packed form. Cheap: it copies nothing. */
export class PackedLedger {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly count: number;

  /** @throws RangeError when the bytes are not a well-formed packed ledger (every offset is checked). */
  constructor(bytes: Uint8Array) {
    if (bytes.length < PACKED_DIRECTORY_OFFSET)
      throw new RangeError('packed ledger: shorter than its header');
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (this.view.getUint32(0, true) !== PACKED_MAGIC) throw new RangeError('packed ledger: wrong magic');
    this.count = this.view.getUint32(4, true);
    const blobs = PACKED_DIRECTORY_OFFSET + this.count * PACKED_ROW_BYTES;
    if (blobs > bytes.length) throw new RangeError('packed ledger: directory runs past the end');
    let total = blobs;
    for (let i = 0; i < this.count; i++) {
      const end = this.txOffset(i) + this.txLength(i) + this.metaLength(i);
      if (this.txOffset(i) < blobs || end > bytes.length)
        throw new RangeError('packed ledger: blob out of bounds');
      total += this.txLength(i) + this.metaLength(i);
    }
    // If rows could share bytes, a short file could take quadratic time to walk and hash.
    if (total > bytes.length) throw new RangeError('packed ledger: blobs overlap');
  }

  get header(): Uint8Array {
    return this.bytes.subarray(PACKED_HEADER_OFFSET, PACKED_HEADER_OFFSET + PACKED_HEADER_BYTES);
  }

  /** The 32-byte ledger hash as claimed by the source. */
  get hash(): Uint8Array {
    return this.bytes.subarray(PACKED_HASH_OFFSET, PACKED_HASH_OFFSET + 32);
  }

  get ledgerIndex(): number {
    return this.view.getUint32(PACKED_HEADER_OFFSET);
  }

  get parentHash(): Uint8Array {
    return this.bytes.subarray(PACKED_HEADER_OFFSET + 12, PACKED_HEADER_OFFSET + 44);
  }

  /** Ripple epoch seconds. */
  get closeTime(): number {
    return this.view.getUint32(PACKED_HEADER_OFFSET + 112);
  }

  txOffset(i: number): number {
    return this.view.getUint32(PACKED_DIRECTORY_OFFSET + i * PACKED_ROW_BYTES, true);
  }

  txLength(i: number): number {
    return this.view.getUint32(PACKED_DIRECTORY_OFFSET + i * PACKED_ROW_BYTES + 4, true);
  }

  metaLength(i: number): number {
    return this.view.getUint32(PACKED_DIRECTORY_OFFSET + i * PACKED_ROW_BYTES + 8, true);
  }

  tx(i: number): Uint8Array {
    const at = this.txOffset(i);
    return this.bytes.subarray(at, at + this.txLength(i));
  }

  meta(i: number): Uint8Array {
    const at = this.txOffset(i) + this.txLength(i);
    return this.bytes.subarray(at, at + this.metaLength(i));
  }
}

/**
 * sfTransactionIndex of a metadata blob: in canonical field order it is the first field of every metadata
 * object (UInt32, field 28: bytes 20 1C).
 * @throws RangeError when the blob does not start with it.
 */
export function transactionIndexOf(meta: Uint8Array): number {
  if (meta.length < 6 || meta[0] !== 0x20 || meta[1] !== 0x1c)
    throw new RangeError('metadata does not start with its TransactionIndex');
  return ((meta[2]! << 24) | (meta[3]! << 16) | (meta[4]! << 8) | meta[5]!) >>> 0;
}

/**
 * Packs a ledger. Transactions may come in any order; they are put in apply order.
 * @param shared use a SharedArrayBuffer, so that worker threads read the bytes in place.
 * @throws RangeError when header or hash have the wrong length, or the indices are not 0 .. n-1.
 */
export function packLedger(
  header: Uint8Array,
  hash: Uint8Array,
  transactions: readonly TransactionBlobs[],
  shared = true,
): PackedLedger {
  if (header.length !== PACKED_HEADER_BYTES) throw new RangeError(`ledger header of ${header.length} bytes`);
  if (hash.length !== 32) throw new RangeError(`ledger hash of ${hash.length} bytes`);
  const count = transactions.length;
  const ordered = new Array<TransactionBlobs | undefined>(count);
  let size = PACKED_DIRECTORY_OFFSET + count * PACKED_ROW_BYTES;
  for (const t of transactions) {
    const at = transactionIndexOf(t.meta);
    if (at >= count || ordered[at])
      throw new RangeError(`transaction index ${at} is out of range or repeated`);
    ordered[at] = t;
    size += t.tx.length + t.meta.length;
  }
  const bytes = new Uint8Array(shared ? new SharedArrayBuffer(size) : new ArrayBuffer(size));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, PACKED_MAGIC, true);
  view.setUint32(4, count, true);
  bytes.set(hash, PACKED_HASH_OFFSET);
  bytes.set(header, PACKED_HEADER_OFFSET);
  let at = PACKED_DIRECTORY_OFFSET + count * PACKED_ROW_BYTES;
  for (let i = 0; i < count; i++) {
    const { tx, meta } = ordered[i]!;
    const row = PACKED_DIRECTORY_OFFSET + i * PACKED_ROW_BYTES;
    view.setUint32(row, at, true);
    view.setUint32(row + 4, tx.length, true);
    view.setUint32(row + 8, meta.length, true);
    bytes.set(tx, at);
    bytes.set(meta, at + tx.length);
    at += tx.length + meta.length;
  }
  return new PackedLedger(bytes);
}
