/**
 * One transaction while it is made: entries are handed to it before they change, and it derives the metadata from what
 * they were and what they are. So metadata agrees with the state by construction: previous fields are those that the
 * ledger before left behind.
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { Hex } from '../../engine/codec/arithmetic/asset.ts';
import { transactionHash } from '../../engine/codec/hash.ts';
import type { TransactionBlobs } from '../../engine/codec/packed.ts';
import { encodeFields } from '../../sandbox/protocol/encode.ts';
import type { Fields } from '../../sandbox/protocol/fields.ts';
import { type CurrentEntry, hex } from './current.ts';

/** Result codes of transactions. https://xrpl.org/docs/references/protocol/transactions/transaction-results */
export const Result = { tesSUCCESS: 0, tecPATH_DRY: 128 } as const;

interface Affected {
  readonly entry: CurrentEntry;
  /** undefined: the transaction creates it. */
  readonly before: Fields | undefined;
}

export class Draft {
  readonly #affected = new Map<CurrentEntry, Affected>();

  /** An entry that is about to change; call before changing it. */
  change<T extends CurrentEntry>(entry: T): T {
    if (!this.#affected.has(entry)) this.#affected.set(entry, { entry, before: entry.fields() });
    return entry;
  }

  /** An entry that did not exist before. */
  create<T extends CurrentEntry>(entry: T): T {
    this.#affected.set(entry, { entry, before: undefined });
    return entry;
  }

  /** How many entries it affects. */
  get size(): number {
    return this.#affected.size;
  }

  /** The transaction and its metadata; the entries are on its thread then. */
  finish(tx: Fields, meta: Fields, ledger: number, index: number): TransactionBlobs {
    const blob = encodeFields(tx).slice();
    const thread = { PreviousTxnID: hex(transactionHash(blob)), PreviousTxnLgrSeq: ledger };
    const nodes = [...this.#affected.values()].map(nodeOf).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    for (const { entry } of this.#affected.values()) entry.thread = thread;
    return {
      tx: blob,
      meta: encodeFields({ TransactionIndex: index, AffectedNodes: nodes, ...meta }).slice(),
    };
  }
}

function nodeOf({ entry, before }: Affected): Fields {
  const head = { LedgerEntryType: entry.type, LedgerIndex: entry.key };
  const after = entry.fields();
  if (before === undefined) return { CreatedNode: { ...head, NewFields: withoutDefaults(after) } };
  const changed = changedFields(before, after);
  const previous = Object.keys(changed).length > 0 ? { PreviousFields: changed } : {};
  if (!entry.exists)
    return { DeletedNode: { ...head, ...previous, FinalFields: { ...after, ...entry.thread } } };
  return { ModifiedNode: { ...head, ...entry.thread, ...previous, FinalFields: after } };
}

const keyOf = ({ CreatedNode, DeletedNode, ModifiedNode }: Fields): Hex =>
  (CreatedNode ?? DeletedNode ?? ModifiedNode)!.LedgerIndex!;

/** The fields of `before` that are another in `after`. */
function changedFields(before: Fields, after: Fields): Fields {
  const changed = Object.entries(before).filter(([name, value]) => !same(value, after[name as keyof Fields]));
  return Object.fromEntries(changed);
}

function same(a: unknown, b: unknown): boolean {
  if (a instanceof Amount && b instanceof Amount)
    return a.mantissa === b.mantissa && a.exponent === b.exponent;
  return a === b;
}

/** New entries leave out numbers that are zero. */
function withoutDefaults(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== 0 && value !== 0n));
}
