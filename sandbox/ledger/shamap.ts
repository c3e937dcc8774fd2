/**
 * The SHAMap: a 16-way radix tree whose root hash commits to every item. The state of a ledger is one, the set of its
 * transactions another.
 *
 * Goals: a snapshot of the whole tree takes constant time; a changed item costs its path (about log16 of the size); a hash
 * is computed once for each node that changed, however often it is read; the difference of two trees costs what differs.
 * Non-goal: nodes on disk (the store keeps the items; a tree is rebuilt at start).
 *
 *     tree A (token 7)          tree B = A.snapshot(), then set(k)
 *         root ------------------- root'          each node has the write token of the tree that made it: a tree writes
 *        /  |  \                  /  |  \         to nodes with its own token in place and copies all others. A
 *      n1  n2   leaf            n1  n2'  leaf     snapshot gives both trees new tokens, which freezes all nodes.
 *              (shared)             (copy)
 *
 * Shape (rippled SHAMap.cpp): no path compression; a leaf is just below the longest prefix that it shares with another;
 * the root is an inner node even when it has one leaf; an inner node left with a single leaf is replaced by it.
 * Inner node = SHA512Half('MIN\0' + 16 child hashes, zero where there is none); the empty tree is zero.
 *
 * Memory: an inner node takes about 200 bytes, one for every three items of a large tree. Time: no node is hashed twice.
 */

import type { Hex } from '../../engine/codec/arithmetic/asset.ts';
import { HASH_BYTES, HalfHasher, HashPrefix } from '../../engine/codec/hash.ts';

/** An item of a tree. It is never changed once it is in a tree: it is replaced. */
export interface TreeItem {
  /** 64 upper-case hex digits. */
  readonly key: Hex;
  /** The leaf's hash, 32 bytes; cached by the item. */
  hash(hasher: HalfHasher): Uint8Array;
}

/** An item that is in one of two trees only, or differs. */
export interface Difference<Item extends TreeItem> {
  readonly key: Hex;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

const BRANCHES = 16;
const KEY_DIGITS = 64;
const INNER_BYTES = BRANCHES * HASH_BYTES;
const NONE = new Uint8Array(INNER_BYTES);

/** The right to write to a node in place: compared by identity. */
type WriteToken = object;

class Inner<Item extends TreeItem> {
  /** Undefined while a node below has changed since it was hashed. */
  hash: Uint8Array | undefined;
  readonly writeToken: WriteToken;
  readonly children: Node<Item>[];

  constructor(writeToken: WriteToken, children: Node<Item>[]) {
    this.writeToken = writeToken;
    this.children = children;
  }
}

type Node<Item extends TreeItem> = Inner<Item> | Item | undefined;

const branches = <Item extends TreeItem>(): Node<Item>[] => new Array<Node<Item>>(BRANCHES).fill(undefined);

/** The digit of a key at a depth: '0'..'9' are codes 48..57, 'A'..'F' 65..70. */
function branchOf(key: Hex, depth: number): number {
  const code = key.charCodeAt(depth);
  return code < 58 ? code - 48 : code - 55;
}

export class ShaMap<Item extends TreeItem> {
  #writeToken: WriteToken = {};
  #root: Inner<Item>;
  #size = 0;

  constructor() {
    this.#root = new Inner<Item>(this.#writeToken, branches());
  }

  /** Items in the tree. */
  get size(): number {
    return this.#size;
  }

  /** The tree as it is now; later changes of either are not visible in the other. */
  snapshot(): ShaMap<Item> {
    const copy = new ShaMap<Item>();
    copy.#root = this.#root;
    copy.#size = this.#size;
    this.#writeToken = {};
    return copy;
  }

  get(key: Hex): Item | undefined {
    let node: Node<Item> = this.#root;
    for (let depth = 0; node instanceof Inner; depth++) node = node.children[branchOf(key, depth)];
    return node?.key === key ? node : undefined;
  }

  /** Adds or replaces the item of a key. @throws RangeError when the key does not have 64 digits. */
  set(item: Item): void {
    const { key } = item;
    if (key.length !== KEY_DIGITS) throw new RangeError(`tree key of ${key.length} digits`);
    let inner = this.#ownRoot();
    for (let depth = 0; ; depth++) {
      const branch = branchOf(key, depth);
      const child: Node<Item> = inner.children[branch];
      if (child instanceof Inner) {
        inner = this.#own(inner, branch, child);
        continue;
      }
      if (child === undefined || child.key === key) {
        inner.children[branch] = item;
        if (child === undefined) this.#size++;
        return;
      }
      // Another item is here: add one more level and look again.
      const deeper = new Inner<Item>(this.#writeToken, branches());
      deeper.children[branchOf(child.key, depth + 1)] = child;
      inner.children[branch] = deeper;
      inner = deeper;
    }
  }

  /** Removes the item with this key. @returns whether there was one */
  delete(key: Hex): boolean {
    if (this.get(key) === undefined) return false;
    const path: Inner<Item>[] = [this.#ownRoot()];
    for (let depth = 0; ; depth++) {
      const inner = path[depth]!;
      const branch = branchOf(key, depth);
      const child: Node<Item> = inner.children[branch];
      if (child instanceof Inner) {
        path.push(this.#own(inner, branch, child));
        continue;
      }
      inner.children[branch] = undefined;
      break;
    }
    this.#size--;
    for (let depth = path.length - 1; depth > 0; depth--) {
      const only = onlyLeaf(path[depth]!);
      if (only === undefined) break;
      path[depth - 1]!.children[branchOf(key, depth - 1)] = only;
    }
    return true;
  }

  /** The item with the smallest key above `key`. */
  successor(key: Hex): Item | undefined {
    return above(this.#root, key, 0);
  }

  /** Items in ascending order of their keys, from the first whose key is above `after` (all without it). */
  *items(after?: Hex): Generator<Item, void, undefined> {
    // An explicit stack: nested generators would pass every item up through each level.
    const path: Inner<Item>[] = [this.#root];
    const next: number[] = [0];
    if (after !== undefined) this.#seek(after, path, next);
    while (path.length > 0) {
      const at = path.length - 1;
      const branch = next[at]!++;
      if (branch === BRANCHES) {
        path.pop();
        next.pop();
        continue;
      }
      const child: Node<Item> = path[at]!.children[branch];
      if (child instanceof Inner) {
        path.push(child);
        next.push(0);
      } else if (child !== undefined && (after === undefined || child.key > after)) yield child;
    }
  }

  /** Root hash, 32 bytes. Only nodes that changed since the last time are hashed. */
  hash(): Uint8Array {
    if (this.#size === 0) return new Uint8Array(HASH_BYTES);
    return hashOf(this.#root, new HalfHasher(), []);
  }

  /** The changes from `before` to this tree, in order of keys. Shared nodes are skipped. */
  changesSince(before: ShaMap<Item>): Difference<Item>[] {
    const found: Difference<Item>[] = [];
    difference(before.#root, this.#root, found);
    return found;
  }

  /** Fills `path` and `next` (the branch to continue with, for each level) with the position of `key`. */
  #seek(key: Hex, path: Inner<Item>[], next: number[]): void {
    for (;;) {
      const depth = path.length - 1;
      const branch = branchOf(key, depth);
      const child: Node<Item> = path[depth]!.children[branch];
      next[depth] = branch;
      if (!(child instanceof Inner)) return;
      next[depth] = branch + 1;
      path.push(child);
      next.push(0);
    }
  }

  #ownRoot(): Inner<Item> {
    if (this.#root.writeToken !== this.#writeToken)
      this.#root = new Inner(this.#writeToken, this.#root.children.slice());
    this.#root.hash = undefined;
    return this.#root;
  }

  /** The child as a writable node. */
  #own(parent: Inner<Item>, branch: number, child: Inner<Item>): Inner<Item> {
    if (child.writeToken === this.#writeToken) {
      child.hash = undefined;
      return child;
    }
    const copy = new Inner(this.#writeToken, child.children.slice());
    parent.children[branch] = copy;
    return copy;
  }
}

/** The leaf of an inner node that has no other child. */
function onlyLeaf<Item extends TreeItem>(inner: Inner<Item>): Item | undefined {
  let found: Item | undefined;
  for (const child of inner.children) {
    if (child === undefined) continue;
    if (child instanceof Inner || found !== undefined) return undefined;
    found = child;
  }
  return found;
}

function first<Item extends TreeItem>(node: Node<Item>): Item | undefined {
  let at = node;
  while (at instanceof Inner) at = at.children.find((child) => child !== undefined);
  return at;
}

/** The smallest item above `key` below `inner`, which is on the key's path. */
function above<Item extends TreeItem>(inner: Inner<Item>, key: Hex, depth: number): Item | undefined {
  const own = branchOf(key, depth);
  const child: Node<Item> = inner.children[own];
  if (child instanceof Inner) {
    const found = above(child, key, depth + 1);
    if (found !== undefined) return found;
  } else if (child !== undefined && child.key > key) return child;
  for (let branch = own + 1; branch < BRANCHES; branch++) {
    if (inner.children[branch] !== undefined) return first(inner.children[branch]);
  }
  return undefined;
}

/** Adds the items below a node in ascending order of their keys. */
function gather<Item extends TreeItem>(node: Node<Item>, into: Item[]): void {
  if (node instanceof Inner) for (const child of node.children) gather(child, into);
  else if (node !== undefined) into.push(node);
}

/**
 * Hashes nodes without a hash. `buffers` holds one buffer per level: a node's child hashes are collected while the nodes
 * below are being hashed.
 */
function hashOf<Item extends TreeItem>(
  inner: Inner<Item>,
  hasher: HalfHasher,
  buffers: Uint8Array[],
  depth = 0,
): Uint8Array {
  if (inner.hash !== undefined) return inner.hash;
  buffers[depth] ??= new Uint8Array(INNER_BYTES);
  const buffer = buffers[depth];
  buffer.set(NONE);
  for (let branch = 0; branch < BRANCHES; branch++) {
    const child: Node<Item> = inner.children[branch];
    if (child === undefined) continue;
    buffer.set(
      child instanceof Inner ? hashOf(child, hasher, buffers, depth + 1) : child.hash(hasher),
      branch * HASH_BYTES,
    );
  }
  inner.hash = hasher.add(HashPrefix.innerNode).add(buffer).take();
  return inner.hash;
}

function difference<Item extends TreeItem>(
  before: Node<Item>,
  after: Node<Item>,
  found: Difference<Item>[],
): void {
  if (before === after) return;
  if (before instanceof Inner && after instanceof Inner) {
    for (let branch = 0; branch < BRANCHES; branch++)
      difference(before.children[branch], after.children[branch], found);
    return;
  }
  // A subtree on one side, a leaf or nothing on the other: at most one key is in both.
  const [old, now]: [Item[], Item[]] = [[], []];
  gather(before, old);
  gather(after, now);
  for (let i = 0, j = 0; i < old.length || j < now.length; ) {
    const [a, b] = [old[i], now[j]];
    const order = a === undefined ? 1 : b === undefined ? -1 : a.key < b.key ? -1 : Number(a.key > b.key);
    if (order <= 0) i++;
    if (order >= 0) j++;
    if (order === 0 && a === b) continue;
    const key = (order <= 0 ? a : b)!.key;
    found.push({ key, before: order <= 0 ? a : undefined, after: order >= 0 ? b : undefined });
  }
}
