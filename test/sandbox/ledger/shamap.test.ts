import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { encode } from 'ripple-binary-codec';
import { bytesOf, hexOf } from '../../../engine/codec/bytes.ts';
import { type HalfHasher, sha512Half } from '../../../engine/codec/hash.ts';
import { TreeHasher } from '../../../engine/ledger/tree.ts';
import { ShaMap, type TreeItem } from '../../../sandbox/ledger/shamap.ts';
import { corpusDir, readLedger } from '../../../support/corpus.ts';
import { seedOf } from '../seed.ts';

const SEED = seedOf('shamap', 20_261_121);
const digest = (text: string) => createHash('sha256').update(text).digest('hex').toUpperCase();

/** An item that counts how often its hash was requested. */
class Leaf implements TreeItem {
  asked = 0;
  readonly key: string;
  readonly value: string;

  constructor(key: string, value: string) {
    this.key = key;
    this.value = value;
  }

  hash(_hasher: HalfHasher): Uint8Array {
    this.asked++;
    return bytesOf(digest(this.key + this.value));
  }
}

/** The root that the engine's one-pass hasher computes for the same leaves. */
function oracle(leaves: ReadonlyMap<string, string>): string {
  const tree = new TreeHasher();
  for (const key of [...leaves.keys()].sort())
    expect(tree.add(bytesOf(key), 0, bytesOf(digest(key + leaves.get(key))), 0)).toBe(true);
  const root = new Uint8Array(32);
  tree.root(root);
  return hexOf(root);
}

/** Keys that often share long prefixes. */
const keys = fc
  .tuple(fc.nat(40), fc.nat(3), fc.nat(60))
  .map(([number, fill, shared]) => `${'0A5F'[fill]!.repeat(shared)}${digest(String(number))}`.slice(0, 64));

const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('set' as const), key: keys, value: fc.nat(5) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), key: keys }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('snapshot' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('hash' as const) }) },
  ),
  { maxLength: 120 },
);

describe(`a tree (seed ${SEED})`, () => {
  test('is a sorted map with the root hash of its items, and so is every snapshot', () => {
    fc.assert(
      fc.property(steps, keys, (list, probe) => {
        const tree = new ShaMap<Leaf>();
        const model = new Map<string, string>();
        const kept: { tree: ShaMap<Leaf>; model: Map<string, string> }[] = [{ tree, model }];
        for (const step of list) {
          if (step.do === 'set') {
            tree.set(new Leaf(step.key, String(step.value)));
            model.set(step.key, String(step.value));
          } else if (step.do === 'delete') expect(tree.delete(step.key)).toBe(model.delete(step.key));
          else if (step.do === 'hash') expect(hexOf(tree.hash())).toBe(oracle(model));
          else kept.push({ tree: tree.snapshot(), model: new Map(model) });
        }
        for (const { tree, model } of kept) {
          const sorted = [...model.keys()].sort();
          expect(hexOf(tree.hash())).toBe(oracle(model));
          expect(tree.size).toBe(model.size);
          expect([...tree.items()].map(({ key }) => key)).toEqual(sorted);
          expect([...tree.items(probe)].map(({ key }) => key)).toEqual(sorted.filter((key) => key > probe));
          expect(tree.successor(probe)?.key).toBe(sorted.find((key) => key > probe) as string);
          expect(tree.get(probe)?.value).toBe(model.get(probe) as string);
        }
      }),
      { numRuns: 300, seed: SEED },
    );
  });

  test('reports exactly the differences to another one', () => {
    fc.assert(
      fc.property(steps, steps, (first, second) => {
        const tree = new ShaMap<Leaf>();
        const apply = (list: typeof first): void => {
          for (const step of list) {
            if (step.do === 'set') tree.set(new Leaf(step.key, String(step.value)));
            else if (step.do === 'delete') tree.delete(step.key);
          }
        };
        apply(first);
        const before = tree.snapshot();
        apply(second);
        const expected = new Map<string, [Leaf | undefined, Leaf | undefined]>();
        for (const item of before.items())
          if (tree.get(item.key) !== item) expected.set(item.key, [item, tree.get(item.key)]);
        for (const item of tree.items())
          if (before.get(item.key) === undefined) expected.set(item.key, [undefined, item]);
        const found = tree.changesSince(before);
        expect(found.map(({ key }) => key)).toEqual([...expected.keys()].sort());
        for (const { key, before, after } of found) expect([before, after]).toEqual(expected.get(key)!);
        // Applied in the other direction they restore the tree.
        const back = tree.snapshot();
        for (const { key, before } of found) before ? back.set(before) : back.delete(key);
        expect(back.hash()).toEqual(before.hash());
      }),
      { numRuns: 300, seed: SEED },
    );
  });

  test('hashes no item twice and, after a change, only the nodes on its path', () => {
    const tree = new ShaMap<Leaf>();
    const leaves = Array.from({ length: 4000 }, (_, i) => new Leaf(digest(String(i)), 'a'));
    for (const leaf of leaves) tree.set(leaf);
    tree.hash();
    tree.hash();
    expect(leaves.every(({ asked }) => asked === 1)).toBe(true);
    tree.snapshot();
    tree.set(new Leaf(leaves[7]!.key, 'b'));
    tree.hash();
    // The siblings in the nodes of one path return their cached hashes.
    const again = leaves.filter(({ asked }) => asked > 1).length;
    expect(again).toBeLessThan(40);
  });

  test('refuses a key of another length', () => {
    expect(() => new ShaMap<Leaf>().set(new Leaf('AB', ''))).toThrow(RangeError);
  });
});

const whole = ['mainnet-38129.json.gz', 'mainnet-40000.json.gz', 'standalone-7.json.gz'];

describe.skipIf(corpusDir === undefined)('the recorded states', () => {
  class Recorded implements TreeItem {
    readonly key: string;
    readonly #hash: Uint8Array;

    constructor(entry: Record<string, unknown>) {
      const { index, ...fields } = entry;
      this.key = String(index);
      this.#hash = sha512Half(Buffer.from('MLN\0'), bytesOf(encode(fields)), bytesOf(this.key));
    }

    hash(): Uint8Array {
      return this.#hash;
    }
  }

  for (const name of whole)
    test(`${name} hashes to the account hash of its header, in any order of insertion`, () => {
      const { accountState, header } = readLedger(name);
      const items = accountState!.map((entry) => new Recorded(entry));
      for (const order of [items, items.toReversed()]) {
        const tree = new ShaMap<Recorded>();
        for (const item of order) tree.set(item);
        expect(hexOf(tree.hash())).toBe(String(header.account_hash));
      }
    });
});
