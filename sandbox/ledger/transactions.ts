/** The transactions of a closed ledger, and the tree that commits to them. */

import type { Hex } from '../../engine/codec/arithmetic/asset.ts';
import { bytesOf, writeLengthPrefix } from '../../engine/codec/bytes.ts';
import { type HalfHasher, HashPrefix } from '../../engine/codec/hash.ts';
import { transactionIndexOf } from '../../engine/codec/packed.ts';
import { decodeFields, decodeTransaction } from '../protocol/encode.ts';
import type { Fields, TransactionFields } from '../protocol/fields.ts';
import { ShaMap, type TreeItem } from './shamap.ts';

const lengthOf = (bytes: Uint8Array): Uint8Array => {
  const prefix = new Uint8Array(3);
  return prefix.subarray(0, writeLengthPrefix(prefix, 0, bytes.length));
};

/** A transaction of a closed ledger, with its metadata. Fields are decoded from the bytes when needed. */
export class ClosedTransaction implements TreeItem {
  /** The transaction's hash. */
  readonly hashText: Hex;
  readonly blob: Uint8Array;
  readonly meta: Uint8Array;
  /** Position in the ledger, in the order of application (`TransactionIndex`). */
  readonly index: number;
  #fields: Readonly<TransactionFields> | undefined;
  #metaFields: Readonly<Fields> | undefined;
  #hash: Uint8Array | undefined;

  /** @throws RangeError when `meta` does not start with a TransactionIndex. */
  constructor(
    hash: Hex,
    blob: Uint8Array,
    meta: Uint8Array,
    decoded: { readonly fields?: Readonly<TransactionFields>; readonly meta?: Readonly<Fields> } = {},
  ) {
    this.hashText = hash;
    this.blob = blob;
    this.meta = meta;
    this.index = transactionIndexOf(meta);
    this.#fields = decoded.fields;
    this.#metaFields = decoded.meta;
  }

  get key(): Hex {
    return this.hashText;
  }

  get fields(): Readonly<TransactionFields> {
    this.#fields ??= decodeTransaction(this.blob);
    return this.#fields;
  }

  get metaFields(): Readonly<Fields> {
    this.#metaFields ??= decodeFields(this.meta);
    return this.#metaFields;
  }

  /** Releases the fields, for ledgers that are rarely read again. */
  releaseFields(): void {
    this.#fields = undefined;
    this.#metaFields = undefined;
  }

  hash(hasher: HalfHasher): Uint8Array {
    this.#hash ??= hasher
      .add(HashPrefix.transactionNode)
      .add(lengthOf(this.blob))
      .add(this.blob)
      .add(lengthOf(this.meta))
      .add(this.meta)
      .add(bytesOf(this.hashText))
      .take();
    return this.#hash;
  }
}

/** Root of the tree of a ledger's transactions, 32 bytes. */
export function transactionRoot(transactions: Iterable<ClosedTransaction>): Uint8Array {
  const tree = new ShaMap<ClosedTransaction>();
  for (const transaction of transactions) tree.set(transaction);
  return tree.hash();
}

/** A transaction of a set to be applied: its leaf hash is its own hash. */
class SetItem implements TreeItem {
  readonly key: Hex;

  constructor(key: Hex) {
    this.key = key;
  }

  hash(): Uint8Array {
    return bytesOf(this.key);
  }
}

/** The hash of a set of transactions before they are applied (rippled's `tnTRANSACTION_NM` tree), 32 bytes. */
export function transactionSetHash(hashes: Iterable<Hex>): Uint8Array {
  const tree = new ShaMap<SetItem>();
  for (const hash of hashes) tree.set(new SetItem(hash));
  return tree.hash();
}
