import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { encode } from 'ripple-binary-codec';
import { TreeHasher } from '../../../engine/ledger/tree.ts';
import { ledgerFiles, readLedger } from '../../../support/corpus.ts';

const half = (bytes: Uint8Array) => createHash('sha512').update(bytes).digest().subarray(0, 32);
const inner = new Uint8Array([0x4d, 0x49, 0x4e, 0]);

interface Leaf {
  readonly key: Uint8Array;
  readonly hash: Uint8Array;
}

/** Brute force: the definition of a SHAMap, top down. */
function nodeHash(leaves: readonly Leaf[], depth: number): Uint8Array {
  if (leaves.length === 0) return new Uint8Array(32);
  if (leaves.length === 1 && depth > 0) return leaves[0]!.hash;
  const children = Array.from({ length: 16 }, (_, branch) =>
    nodeHash(
      leaves.filter(({ key }) => ((depth & 1 ? key[depth >> 1]! : key[depth >> 1]! >> 4) & 15) === branch),
      depth + 1,
    ),
  );
  return half(Buffer.concat([inner, ...children]));
}

function treeRoot(
  leaves: readonly Leaf[],
  through: (tree: TreeHasher, at: number) => TreeHasher = (tree) => tree,
) {
  let tree = new TreeHasher();
  for (const [at, { key, hash }] of leaves.entries()) {
    expect(tree.add(key, 0, hash, 0)).toBe(true);
    tree = through(tree, at);
  }
  const root = new Uint8Array(32);
  tree.root(root);
  return Buffer.from(root).toString('hex');
}

/** Keys of few distinct bytes, so that long shared prefixes are common. */
const leavesOf = fc
  .uniqueArray(
    fc.uint8Array({ minLength: 32, maxLength: 32, max: 255 }).chain((tail) =>
      fc.tuple(fc.nat(32), fc.constantFrom(0x00, 0x0a, 0xa0, 0xff)).map(([shared, fill]) => {
        const key = Buffer.from(tail);
        key.fill(fill, 0, shared === 32 ? 31 : shared);
        return key;
      }),
    ),
    { maxLength: 60, selector: (key) => key.toString('hex') },
  )
  .map((keys) => keys.sort(Buffer.compare).map((key) => ({ key, hash: half(key) })));

describe('tree of sorted leaves', () => {
  test('has the root that the definition gives', () => {
    fc.assert(
      fc.property(leavesOf, (leaves) => {
        expect(treeRoot(leaves)).toBe(Buffer.from(nodeHash(leaves, 0)).toString('hex'));
      }),
      { numRuns: 300 },
    );
  });

  test('can be saved and loaded after any leaf', () => {
    fc.assert(
      fc.property(leavesOf, fc.nat(60), (leaves, pause) => {
        const loaded = treeRoot(leaves, (tree, at) => (at === pause ? TreeHasher.load(tree.save()) : tree));
        expect(loaded).toBe(treeRoot(leaves));
      }),
      { numRuns: 100 },
    );
    expect(() => TreeHasher.load(new Uint8Array(3))).toThrow(RangeError);
    expect(() => TreeHasher.load(new Uint8Array(1000).fill(255))).toThrow(RangeError);
  });

  test('is empty, then reusable', () => {
    const tree = new TreeHasher();
    const root = new Uint8Array(32).fill(9);
    tree.root(root);
    expect(root).toEqual(new Uint8Array(32));
    const key = new Uint8Array(32).fill(7);
    for (let i = 0; i < 2; i++) {
      tree.reset();
      tree.add(key, 0, half(key), 0);
      tree.root(root);
      expect(root).toEqual(new Uint8Array(nodeHash([{ key, hash: half(key) }], 0)));
    }
  });

  test('refuses keys that do not ascend', () => {
    const tree = new TreeHasher();
    const key = new Uint8Array(32).fill(7);
    expect(tree.add(key, 0, key, 0)).toBe(true);
    expect(tree.add(key, 0, key, 0)).toBe(false);
    expect(tree.add(new Uint8Array(32).fill(6), 0, key, 0)).toBe(false);
  });

  test.skipIf(ledgerFiles().length === 0)('finds the account hash of recorded states', () => {
    for (const name of ['mainnet-38129.json.gz', 'mainnet-40000.json.gz']) {
      const { header, accountState } = readLedger(name);
      const leaves = accountState!
        .map((entry) => {
          const key = Buffer.from(String(entry.index), 'hex');
          const { index: _index, ...fields } = entry;
          const blob = Buffer.from(encode(fields as never), 'hex');
          return { key, hash: half(Buffer.concat([Buffer.from('MLN\0'), blob, key])) };
        })
        .sort((a, b) => Buffer.compare(a.key, b.key));
      expect(treeRoot(leaves).toUpperCase()).toBe(String(header.account_hash));
    }
  });
});
