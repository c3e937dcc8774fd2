/**
 * Root of a SHAMap whose leaves come in ascending order of their key: the transaction tree of a ledger, and the
 * state tree of a snapshot.
 *
 * Goal: one pass, no node objects. A SHAMap is a 16-way radix tree without path compression: a leaf is just
 * below the longest prefix it shares with a neighbour. In sorted order both neighbours are known when the next key is
 * known, so a leaf is placed one step late, and an inner node is hashed as soon as a key leaves its prefix.
 *
 *     keys   A1.. A3.. B0..          open nodes while at A3:   root  [A: ?]
 *                                                              'A'   [1: hash, 3: ?]
 *     B0 arrives: shares 0 nibbles with A3 -> A3 goes into 'A', 'A' is hashed into root[A]
 *
 * Memory: the open path only, 64 levels of 516 bytes. Cost: one SHA-512 for each leaf (the caller's) and for each
 * inner node. Rules: rippled SHAMap, inner node = SHA512Half('MIN\0' + 16 child hashes), empty tree = zero.
 */
import { HalfHasher, HashPrefix } from '../codec/hash.ts';

const LEVELS = 64;
const NODE_BYTES = 4 + 16 * 32;
const SAVED_HEAD = 4 + 32 + 32;

export class TreeHasher {
  readonly #hasher = new HalfHasher();
  readonly #nodes = new Uint8Array(LEVELS * NODE_BYTES);
  /** Deepest open inner node; the root (0) is always open. */
  #depth = 0;
  #count = 0;
  readonly #key = new Uint8Array(32);
  readonly #leaf = new Uint8Array(32);

  constructor() {
    for (let level = 0; level < LEVELS; level++) this.#nodes.set(HashPrefix.innerNode, level * NODE_BYTES);
  }

  /** Number of leaves added. */
  get count(): number {
    return this.#count;
  }

  /** Forgets everything, to hash another tree. */
  reset(): void {
    for (let level = 0; level <= this.#depth; level++) this.#clear(level);
    this.#depth = 0;
    this.#count = 0;
  }

  /**
   * Adds a leaf: 32 bytes of key at `keyAt`, 32 bytes of leaf hash at `hashAt`. Both are copied.
   * @returns false when the key is not above the previous one; the hasher cannot be used any more then.
   */
  add(keys: Uint8Array, keyAt: number, hashes: Uint8Array, hashAt: number): boolean {
    if (this.#count > 0) {
      const shared = this.#sharedNibbles(keys, keyAt);
      if (shared < 0) return false;
      this.#place(Math.max(shared, this.#depth));
      this.#closeTo(shared);
      this.#depth = shared;
    }
    for (let i = 0; i < 32; i++) {
      this.#key[i] = keys[keyAt + i]!;
      this.#leaf[i] = hashes[hashAt + i]!;
    }
    this.#count++;
    return true;
  }

  /** Writes the root hash of all leaves to `out` at `at`. The hasher must be reset before it is used again. */
  root(out: Uint8Array, at = 0): void {
    if (this.#count === 0) {
      out.fill(0, at, at + 32);
      return;
    }
    this.#place(this.#depth);
    this.#closeTo(0);
    this.#depth = 0;
    this.#hasher.whole(this.#nodes.subarray(0, NODE_BYTES), out, at);
  }

  /** The running state, for `TreeHasher.load`. */
  save(): Uint8Array {
    const bytes = new Uint8Array(SAVED_HEAD + 4 + (this.#depth + 1) * NODE_BYTES);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, this.#depth);
    view.setUint32(4, this.#count);
    bytes.set(this.#key, 8);
    bytes.set(this.#leaf, 40);
    bytes.set(this.#nodes.subarray(0, (this.#depth + 1) * NODE_BYTES), SAVED_HEAD + 4);
    return bytes;
  }

  /** @throws RangeError when the bytes are not what `save` wrote. */
  static load(bytes: Uint8Array): TreeHasher {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const depth = bytes.length >= SAVED_HEAD + 4 ? view.getUint32(0) : LEVELS;
    if (depth >= LEVELS || bytes.length !== SAVED_HEAD + 4 + (depth + 1) * NODE_BYTES)
      throw new RangeError('saved tree hasher: wrong length');
    const tree = new TreeHasher();
    tree.#depth = depth;
    tree.#count = view.getUint32(4);
    tree.#key.set(bytes.subarray(8, 40));
    tree.#leaf.set(bytes.subarray(40, 72));
    tree.#nodes.set(bytes.subarray(SAVED_HEAD + 4));
    return tree;
  }

  /** Number of nibbles the new key shares with the last one; -1 when it is not above it. */
  #sharedNibbles(keys: Uint8Array, at: number): number {
    for (let i = 0; i < 32; i++) {
      const before = this.#key[i]!;
      const now = keys[at + i]!;
      if (before === now) continue;
      if (now < before) return -1;
      return before >>> 4 === now >>> 4 ? i * 2 + 1 : i * 2;
    }
    return -1;
  }

  /** Puts the pending leaf into the inner node of this level. */
  #place(level: number): void {
    this.#nodes.set(this.#leaf, this.#slot(level));
  }

  /** Hashes the open inner nodes below `level`, deepest first, each into its parent. */
  #closeTo(level: number): void {
    for (let open = this.#depth; open > level; open--) {
      const at = open * NODE_BYTES;
      this.#hasher.whole(this.#nodes.subarray(at, at + NODE_BYTES), this.#nodes, this.#slot(open - 1));
      this.#clear(open);
    }
  }

  /** Offset of the branch of the last key in the node of this level. */
  #slot(level: number): number {
    const byte = this.#key[level >>> 1]!;
    const nibble = level & 1 ? byte & 15 : byte >>> 4;
    return level * NODE_BYTES + 4 + nibble * 32;
  }

  #clear(level: number): void {
    this.#nodes.fill(0, level * NODE_BYTES + 4, (level + 1) * NODE_BYTES);
  }
}
