/**
 * The ledger header: 118 bytes, big-endian, in the order rippled hashes them (`addRaw` in LedgerHeader.cpp).
 *
 *     0  4  ledger index            44 32  transaction tree hash    112  4  close time
 *     4  8  total drops             76 32  state tree hash          116  1  close time resolution
 *    12 32  parent hash            108  4  parent close time        117  1  close flags
 */
import { PACKED_HEADER_BYTES } from './packed.ts';

/** Times in Ripple epoch seconds, total in drops, resolution in seconds, hashes of 32 bytes. */
export interface LedgerHeader {
  readonly index: number;
  readonly totalDrops: bigint;
  readonly parentHash: Uint8Array;
  readonly transactionHash: Uint8Array;
  readonly accountHash: Uint8Array;
  readonly parentCloseTime: number;
  readonly closeTime: number;
  readonly closeResolution: number;
  readonly closeFlags: number;
}

/**
 * Reads a header. The hashes are views of `bytes`, not copies.
 * @throws RangeError when there are not exactly 118 bytes.
 */
export function readHeader(bytes: Uint8Array): LedgerHeader {
  if (bytes.length !== PACKED_HEADER_BYTES) throw new RangeError(`ledger header of ${bytes.length} bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    index: view.getUint32(0),
    totalDrops: view.getBigUint64(4),
    parentHash: bytes.subarray(12, 44),
    transactionHash: bytes.subarray(44, 76),
    accountHash: bytes.subarray(76, 108),
    parentCloseTime: view.getUint32(108),
    closeTime: view.getUint32(112),
    closeResolution: bytes[116]!,
    closeFlags: bytes[117]!,
  };
}

/**
 * The 118 bytes of a header.
 * @throws RangeError when a hash does not have 32 bytes.
 */
export function writeHeader(header: LedgerHeader): Uint8Array {
  const bytes = new Uint8Array(PACKED_HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, header.index);
  view.setBigUint64(4, header.totalDrops);
  const hashes = [header.parentHash, header.transactionHash, header.accountHash];
  for (const [i, hash] of hashes.entries()) {
    if (hash.length !== 32) throw new RangeError(`hash of ${hash.length} bytes in a ledger header`);
    bytes.set(hash, 12 + 32 * i);
  }
  view.setUint32(108, header.parentCloseTime);
  view.setUint32(112, header.closeTime);
  bytes[116] = header.closeResolution;
  bytes[117] = header.closeFlags;
  return bytes;
}
