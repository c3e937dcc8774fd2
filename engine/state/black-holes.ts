/**
 * Accounts for which no transaction can be signed any more: the master key is disabled, the regular key is an address without a key,
 * and there is no list of signers (https://xrpl.org/docs/concepts/accounts/addresses#special-addresses).
 *
 * An account with a disabled master key and no regular key has a list of signers, since rippled refuses to
 * take away the last way to sign (tecNO_ALTERNATIVE_KEY); except accounts of the ledger itself (of pools, of vaults), which
 * never had a key.
 */
import { accountBytes } from '../codec/base58.ts';
import { bytesOf, hexOf, sameBytes } from '../codec/bytes.ts';
import { AccountNode, Changes, EntryType, Node, NodeAction, Tx } from '../codec/changes.ts';
import { extractChanges } from '../codec/extract.ts';
import { HASH_BYTES, sha512Half } from '../codec/hash.ts';
import { decodeObject } from '../codec/json.ts';
import { PackedLedger } from '../codec/packed.ts';
import type { Position, StoreReads } from '../store.ts';

/** Addresses without a key. */
const BLACK_HOLES: readonly string[] = [
  'rrrrrrrrrrrrrrrrrrrrrhoLvTp',
  'rrrrrrrrrrrrrrrrrrrrBZbvji',
  'rrrrrrrrrrrrrrrrrNAMEtxvNvQ',
  'rrrrrrrrrrrrrrrrrrrn5RM1rHd',
];
/** The 20 bytes of each. */
export const BLACK_HOLE_BYTES: readonly Uint8Array[] = BLACK_HOLES.map((address) => accountBytes(address)!);

/** Whether the regular key of an account can sign. */
export const RegularKey = { unknown: 0, none: 1, usable: 2, unusable: 3 } as const;
export type RegularKey = (typeof RegularKey)[keyof typeof RegularKey];

/** @param keyAt where the 20 bytes of a RegularKey lie, 0 = there is none */
export function regularKeyOf(bytes: Uint8Array, keyAt: number): RegularKey {
  if (keyAt === 0) return RegularKey.none;
  for (const blackHole of BLACK_HOLE_BYTES)
    if (sameBytes(bytes, keyAt, blackHole, 0, 20)) return RegularKey.unusable;
  return RegularKey.usable;
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

/** Transactions read for one account: about 0.1 s. Beyond that its keys stay unknown, until a ledger shows them. */
export const KEY_STEPS_MAX = 256;

type Ledgers = Pick<StoreReads, 'entry' | 'ledger' | 'transaction'>;

/** An account's keys by the stored ledgers; `unknown` where none shows its AccountRoot. */
export function storedKeys(
  store: Ledgers,
  account: Uint8Array,
): { readonly key: RegularKey; readonly signers: boolean } {
  const root = lastChange(
    store,
    entryIndex('a', account),
    (changes, node) => changes.node(node, AccountNode.accountAt) !== 0,
  );
  const keyAt = root?.changes.node(root.node, AccountNode.regularKeyAt) ?? 0;
  const signers = lastChange(store, entryIndex('S', account, new Uint8Array(4)), () => true);
  const action = signers?.changes.node(signers.node, Node.action);
  return {
    key: root === undefined ? RegularKey.unknown : regularKeyOf(root.packed.bytes, keyAt),
    signers: action !== undefined && action !== NodeAction.deleted,
  };
}

/** Key of an entry: SHA512Half of its space and its identifying fields (rippled `Indexes.cpp`). */
function entryIndex(space: string, ...parts: readonly Uint8Array[]): Uint8Array {
  return sha512Half(Uint8Array.of(0, space.charCodeAt(0)), ...parts);
}

/**
 * The newest node of an entry that has its fields. A transaction can also list an entry without changing it, only to link
 * it to the entry's last transaction (PreviousTxnID): such a node has no fields, and that transaction is read instead.
 */
function lastChange(
  store: Ledgers,
  index: Uint8Array,
  hasFields: (changes: Changes, node: number) => boolean,
): { packed: PackedLedger; changes: Changes; node: number } | undefined {
  let at: Pick<Position, 'ledger' | 'tx'> | undefined = store.entry(index);
  for (let step = 0; step < KEY_STEPS_MAX && at; step++) {
    const bytes = store.ledger(at.ledger);
    if (!bytes) return undefined;
    const packed = new PackedLedger(bytes);
    const changes = new Changes(extractChanges(packed, new Uint8Array(packed.count * HASH_BYTES)));
    const node = nodeOf(packed, changes, index, at.tx);
    if (node === undefined) return undefined;
    if (hasFields(changes, node)) return { packed, changes, node };
    const previous = store.transaction(previousTransaction(packed.meta(at.tx), index));
    const isEarlier = previous && (previous.ledger - at.ledger || previous.tx - at.tx) < 0;
    at = isEarlier ? previous : undefined;
  }
  return undefined;
}

/** The node of an entry in the metadata of a transaction. */
function nodeOf(packed: PackedLedger, changes: Changes, index: Uint8Array, tx: number): number | undefined {
  const first = changes.tx(tx, Tx.firstNode);
  for (let node = first; node < first + changes.tx(tx, Tx.nodes); node++)
    if (sameBytes(packed.bytes, changes.node(node, Node.indexAt), index, 0, HASH_BYTES)) return node;
  return undefined;
}

/** Hash of the transaction that changed an entry before this one; zero when the metadata does not have it. */
function previousTransaction(meta: Uint8Array, index: Uint8Array): Uint8Array {
  const text = hexOf(index);
  const nodes = decodeObject(meta).AffectedNodes as readonly Record<string, AffectedEntry>[];
  const entry = nodes.flatMap((node) => Object.values(node)).find(({ LedgerIndex }) => LedgerIndex === text);
  return entry?.PreviousTxnID === undefined ? new Uint8Array(HASH_BYTES) : bytesOf(entry.PreviousTxnID);
}

interface AffectedEntry {
  readonly LedgerIndex?: string;
  readonly PreviousTxnID?: string;
}
