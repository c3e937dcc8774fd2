/**
 * Accounts that nobody can sign for any more: the master key is disabled, the regular key is an address without a key,
 * and there is no list of signers (https://xrpl.org/docs/concepts/accounts/addresses#special-addresses).
 *
 * An account with a disabled master key and no regular key has a list of signers, since rippled refuses to
 * take away the last way to sign (tecNO_ALTERNATIVE_KEY); except accounts of the ledger itself (of pools, of vaults), which
 * never had a key.
 */
import { accountBytes } from '../codec/base58.ts';
import { sameBytes } from '../codec/bytes.ts';
import { AccountNode, Changes, EntryType, Node, NodeAction, Tx } from '../codec/changes.ts';
import { extractChanges } from '../codec/extract.ts';
import { HASH_BYTES, sha512Half } from '../codec/hash.ts';
import { PackedLedger } from '../codec/packed.ts';
import type { StoreReads } from '../store.ts';

/** Addresses without a key. */
const BLACK_HOLES: readonly string[] = [
  'rrrrrrrrrrrrrrrrrrrrrhoLvTp',
  'rrrrrrrrrrrrrrrrrrrrBZbvji',
  'rrrrrrrrrrrrrrrrrNAMEtxvNvQ',
  'rrrrrrrrrrrrrrrrrrrn5RM1rHd',
];
/** The 20 bytes of each. */
export const BLACK_HOLE_BYTES: readonly Uint8Array[] = BLACK_HOLES.map((address) => accountBytes(address)!);

/** Who has the regular key of an account. */
export const RegularKey = { unknown: 0, none: 1, somebody: 2, nobody: 3 } as const;
export type RegularKey = (typeof RegularKey)[keyof typeof RegularKey];

/** @param keyAt where the 20 bytes of a RegularKey lie, 0 = there is none */
export function regularKeyOf(bytes: Uint8Array, keyAt: number): RegularKey {
  if (keyAt === 0) return RegularKey.none;
  for (const hole of BLACK_HOLE_BYTES) if (sameBytes(bytes, keyAt, hole, 0, 20)) return RegularKey.nobody;
  return RegularKey.somebody;
}

/** TransactionType. */
const SIGNER_LIST_SET = 12;

/**
 * Whether the transaction left its account with a list of signers; undefined when it did not change one.
 * @param row of the change set
 */
export function signersAfter(changes: Changes, row: number): boolean | undefined {
  if (changes.tx(row, Tx.type) !== SIGNER_LIST_SET) return undefined;
  const first = changes.tx(row, Tx.firstNode);
  for (let node = first; node < first + changes.tx(row, Tx.nodes); node++)
    if (changes.node(node, Node.entryType) === EntryType.SignerList)
      return changes.node(node, Node.action) !== NodeAction.deleted;
  return undefined;
}

/** An account's keys by the stored ledgers; `unknown` where none shows its AccountRoot. */
export function storedKeys(
  store: Pick<StoreReads, 'entry' | 'ledger'>,
  account: Uint8Array,
): { readonly key: RegularKey; readonly signers: boolean } {
  const root = lastChange(store, entryIndex('a', account));
  const keyAt = root?.changes.node(root.node, AccountNode.regularKeyAt) ?? 0;
  const signers = lastChange(store, entryIndex('S', account, new Uint8Array(4)));
  const action = signers?.changes.node(signers.node, Node.action);
  return {
    key: root === undefined ? RegularKey.unknown : regularKeyOf(root.packed.bytes, keyAt),
    signers: action !== undefined && action !== NodeAction.deleted,
  };
}

/** Key of an entry: SHA512Half of its space and what names it (rippled `Indexes.cpp`). */
function entryIndex(space: string, ...parts: readonly Uint8Array[]): Uint8Array {
  return sha512Half(Uint8Array.of(0, space.charCodeAt(0)), ...parts);
}

/** The node of the latest change of an entry. */
function lastChange(store: Pick<StoreReads, 'entry' | 'ledger'>, index: Uint8Array) {
  const found = store.entry(index);
  const bytes = found && store.ledger(found.ledger);
  if (!bytes) return undefined;
  const packed = new PackedLedger(bytes);
  const changes = new Changes(extractChanges(packed, new Uint8Array(packed.count * HASH_BYTES)));
  for (let node = changes.nodes - 1; node >= 0; node--)
    if (sameBytes(packed.bytes, changes.node(node, Node.indexAt), index, 0, HASH_BYTES))
      return { packed, changes, node };
  return undefined;
}
