/**
 * Proof of a packed ledger: the header hashes to the ledger hash, and every transaction with its metadata hashes to
 * the transaction root in that header. Together with the parent link (checked by the follower, which knows the parent)
 * every byte of a ledger is verified: each byte of the packed form is a hash input, a checked constant, or a position
 * that follows from the lengths before it.
 *
 * Cost: two SHA-512 for each transaction (its hash, its leaf) and one for each inner node, one sort of the hashes.
 */
import { sameBytes, writeLengthPrefix } from '../codec/bytes.ts';
import { HalfHasher, HashPrefix, ledgerHash } from '../codec/hash.ts';
import {
  PACKED_DIRECTORY_OFFSET,
  PACKED_HEADER_BYTES,
  PACKED_HEADER_OFFSET,
  PACKED_ROW_BYTES,
  type PackedLedger,
  transactionIndexOf,
} from '../codec/packed.ts';
import { TreeHasher } from './tree.ts';

/** Offset of the transaction root in the header: after index (4), total coins (8) and parent hash (32). */
const ROOT_IN_HEADER = 44;

/** Root of the transaction tree, and the transaction hashes, 32 bytes each, in apply order. */
export interface TransactionTree {
  readonly root: Uint8Array;
  readonly hashes: Uint8Array;
}

/**
 * Root of the transaction tree (SHAMap of 'SND\0' leaves) of a packed ledger.
 * @throws RangeError when a transaction is there twice or a blob is larger than the protocol allows.
 */
export function transactionTreeRoot(packed: PackedLedger): TransactionTree {
  const { count } = packed;
  const hashes = new Uint8Array(count * 32);
  const leaves = new Uint8Array(count * 32);
  const hasher = new HalfHasher();
  const length = new Uint8Array(3);
  const [one, two] = [length.subarray(0, 1), length.subarray(0, 2)];
  const prefix = (bytes: number): Uint8Array => {
    const size = writeLengthPrefix(length, 0, bytes);
    return size === 1 ? one : size === 2 ? two : length;
  };
  for (let i = 0; i < count; i++) {
    const tx = packed.tx(i);
    const meta = packed.meta(i);
    hasher
      .add(HashPrefix.transactionId)
      .add(tx)
      .into(hashes, i * 32);
    hasher.add(HashPrefix.transactionNode).add(prefix(tx.length)).add(tx).add(prefix(meta.length)).add(meta);
    hasher.add(hashes.subarray(i * 32, i * 32 + 32)).into(leaves, i * 32);
  }
  const tree = new TreeHasher();
  for (const i of sortedByHash(hashes, count)) {
    if (!tree.add(hashes, i * 32, leaves, i * 32)) throw new RangeError('a transaction is there twice');
  }
  const root = new Uint8Array(32);
  tree.root(root);
  return { root, hashes };
}

/** Proves everything that one ledger alone can prove. @returns the transaction hashes, or the fault. */
export function proveLedger(packed: PackedLedger): { hashes: Uint8Array } | { fault: string } {
  const layout = layoutFault(packed);
  if (layout) return { fault: layout };
  if (!provesHeader(packed)) return { fault: 'the header does not hash to the ledger hash' };
  let tree: TransactionTree;
  try {
    tree = transactionTreeRoot(packed);
  } catch (error) {
    return { fault: (error as Error).message };
  }
  const { header } = packed;
  if (!sameBytes(tree.root, 0, header, ROOT_IN_HEADER, 32))
    return { fault: 'the transactions do not hash to the root in the header' };
  return { hashes: tree.hashes };
}

/** The fault of a ledger; undefined when it is proved. */
export function prove(packed: PackedLedger): string | undefined {
  const proof = proveLedger(packed);
  return 'fault' in proof ? proof.fault : undefined;
}

/** Whether the header hashes to the ledger hash that the source claims. */
function provesHeader(packed: PackedLedger): boolean {
  return sameBytes(ledgerHash(packed.header), 0, packed.hash, 0, 32);
}

/**
 * Only one packed form of a ledger is accepted: blobs in apply order, without gaps, up to the last byte. So a changed
 * offset is always detected, and no byte is outside the hashed data.
 */
function layoutFault(packed: PackedLedger): string | undefined {
  const { bytes, count } = packed;
  for (let at = PACKED_HEADER_OFFSET + PACKED_HEADER_BYTES; at < PACKED_DIRECTORY_OFFSET; at++)
    if (bytes[at] !== 0) return 'padding is not zero';
  let end = PACKED_DIRECTORY_OFFSET + count * PACKED_ROW_BYTES;
  for (let i = 0; i < count; i++) {
    if (packed.txOffset(i) !== end) return 'blobs do not follow one another';
    end += packed.txLength(i) + packed.metaLength(i);
  }
  if (end !== bytes.length) return 'bytes after the last blob';
  try {
    for (let i = 0; i < count; i++)
      if (transactionIndexOf(packed.meta(i)) !== i) return 'transactions are not in apply order';
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
}

/** Row numbers in ascending order of their 32-byte hash. The first word decides nearly always. */
function sortedByHash(hashes: Uint8Array, count: number): Uint32Array {
  const rows = new Uint32Array(count);
  const words = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    const at = i * 32;
    rows[i] = i;
    words[i] =
      ((hashes[at]! << 24) | (hashes[at + 1]! << 16) | (hashes[at + 2]! << 8) | hashes[at + 3]!) >>> 0;
  }
  return rows.sort((a, b) => {
    const difference = words[a]! - words[b]!;
    if (difference !== 0) return difference;
    for (let i = 4; i < 32; i++) {
      const byte = hashes[a * 32 + i]! - hashes[b * 32 + i]!;
      if (byte !== 0) return byte;
    }
    return 0;
  });
}
