/**
 * The parts of a page of LMDB's file, and what can be read of a single page. The format is drawn in pages.ts.
 */

/** Bytes before the places of a page's nodes, or before a value on pages of its own. */
export const HEAD_BYTES = 24;
/** Bytes of a node before its key. */
export const NODE_BYTES = 8;
export const PageFlag = { branch: 1, leaf: 2, overflow: 4, meta: 8 } as const;
export const NodeFlag = { big: 1, tree: 2 } as const;
/** Where the pages of a long value are: what a leaf holds instead of it. */
export const PLACE_BYTES = 24;

/** A row of a page that is looked at by itself. */
export interface LooseRow {
  readonly key: Buffer;
  /** Where its value begins in the page, when it lies in it. */
  readonly at: number;
  readonly length: number;
  /** First of the value's own pages; 0: it has none. */
  readonly first: number;
}

/** The rows of a page that are no tables, if it is a leaf with that number and they lie in it; none else. */
export function rowsOfLeaf(page: Buffer, number: number): LooseRow[] {
  if (page.readBigUInt64LE(0) !== BigInt(number) || page.readUInt16LE(18) !== PageFlag.leaf) return [];
  const rows: LooseRow[] = [];
  const nodes = Math.min(page.readUInt16LE(20) >> 1, (page.length - HEAD_BYTES) >> 1);
  for (let node = 0; node < nodes; node++) {
    const start = HEAD_BYTES + page.readUInt16LE(HEAD_BYTES + node * 2);
    if (start + NODE_BYTES > page.length) continue;
    const length = page.readUInt32LE(start);
    const flags = page.readUInt16LE(start + 4);
    if (flags === NodeFlag.tree) continue;
    const big = flags === NodeFlag.big;
    const key = start + NODE_BYTES;
    const at = key + page.readUInt16LE(start + 6);
    if (at + (big ? PLACE_BYTES : length) > page.length) continue;
    const first = big ? Number(page.readBigUInt64LE(at)) : 0;
    rows.push({ key: page.subarray(key, at), at, length, first });
  }
  return rows;
}

/** A page below a branch. */
export interface Child {
  /** What is in it, or in those behind it, is not below this. Empty for the first. */
  readonly key: Buffer;
  readonly page: number;
}

/** The pages below a page, if it is a branch with that number and all its nodes lie in it; none else. */
export function childrenOf(page: Buffer, number: number): Child[] {
  if (page.readBigUInt64LE(0) !== BigInt(number) || page.readUInt16LE(18) !== PageFlag.branch) return [];
  const children: Child[] = [];
  const nodes = Math.min(page.readUInt16LE(20) >> 1, (page.length - HEAD_BYTES) >> 1);
  for (let node = 0; node < nodes; node++) {
    const start = HEAD_BYTES + page.readUInt16LE(HEAD_BYTES + node * 2);
    if (start + NODE_BYTES > page.length) return [];
    const key = start + NODE_BYTES;
    const end = key + page.readUInt16LE(start + 6);
    if (end > page.length) return [];
    const child = page.readUInt32LE(start) + page.readUInt16LE(start + 4) * 2 ** 32;
    children.push({ key: page.subarray(key, node === 0 ? key : end), page: child });
  }
  return children;
}
