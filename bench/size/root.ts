/** The root of the generated state's tree, as a snapshot of it is proved against: 5 us an entry, so it is kept. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HalfHasher, HashPrefix } from '../../engine/codec/hash.ts';
import { TreeHasher } from '../../engine/ledger/tree.ts';
import { type Entries, LARGEST_ENTRY } from './entries.ts';

/** @param folder of the cache, see store.ts */
export function stateRoot(entries: Entries, folder: string): Uint8Array {
  const kept = join(folder, 'root');
  if (existsSync(kept)) return new Uint8Array(readFileSync(kept));
  const tree = new TreeHasher();
  const hasher = new HalfHasher();
  const entry = new Uint8Array(LARGEST_ENTRY);
  const key = new Uint8Array(32);
  const leaf = new Uint8Array(32);
  for (let position = 0; position < entries.count; position++) {
    const length = entries.write(entries.entryAt(position), entry, 0);
    entries.writeKey(position, key, 0);
    hasher.add(HashPrefix.stateNode).add(entry.subarray(0, length)).add(key).into(leaf, 0);
    if (!tree.add(key, 0, leaf, 0)) throw new Error('the keys do not ascend');
  }
  const root = new Uint8Array(32);
  tree.root(root);
  mkdirSync(folder, { recursive: true });
  writeFileSync(kept, root);
  return root;
}
