/**
 * Metadata: what a transaction did to each entry, as the ledger records it with the transaction.
 *
 *     CreatedNode   NewFields: values that are not defaults
 *     ModifiedNode  PreviousFields: old values of changed fields;  FinalFields: all;  PreviousTxnID: the transaction before
 *     DeletedNode   PreviousFields: as above;  FinalFields: all, including PreviousTxnID
 *
 * Fields differ in where they are shown: a directory's keys never, its root always, PreviousTxnID only when an entry is
 * deleted. A field that is new in a modified entry has no old value, but causes an (empty) `PreviousFields`.
 * Nodes are written in order of their keys; whether an entry that was marked but did not change is shown in full depends
 * on that order. Rules: rippled `ApplyStateTable.cpp`, `TxMeta.cpp`, `sfields.macro` (`sMD_*`).
 *
 * Cost: one pass over the changed entries' fields.
 */
import shipped from 'ripple-binary-codec/dist/enums/definitions.json';
import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { type Hex, XRP } from '../../engine/codec/arithmetic/asset.ts';
import { Num } from '../../engine/codec/arithmetic/number.ts';
import type { Entry, EntryType, Fields } from '../protocol/fields.ts';
import { account } from '../protocol/keylets.ts';
import { sameValue } from './same.ts';
import type { Change, EntryTable } from './tables.ts';
import { isThreaded, ownersOf, type Previous, thread } from './threading.ts';

/** Not fields of the serialised entry, or never shown. */
const NEVER: ReadonlySet<string> = new Set(['index', 'LedgerEntryType', 'LedgerIndex', 'Indexes']);
/** Shown only in nodes of deleted entries. */
const ONLY_DELETED: ReadonlySet<string> = new Set(['PreviousTxnID', 'PreviousTxnLgrSeq']);
/** Always shown, never as an old value. */
const ALWAYS: ReadonlySet<string> = new Set(['RootIndex']);

/** Serialised types by field name. */
const TYPE_OF: ReadonlyMap<string, string> = new Map(
  (shipped.FIELDS as [string, { type: string }][]).map(([name, { type }]) => [name, type]),
);
const ZEROS = /^0*$/;

export interface MetadataContext {
  /** The transaction's hash and the ledger it goes into. */
  readonly hash: Hex;
  readonly ledgerIndex: number;
  /** Its index in the ledger. */
  readonly index: number;
  /** Numeric result code: 0 or 100 and up. */
  readonly resultCode: number;
  readonly delivered?: Amount | undefined;
  readonly parentBatchId?: Hex | undefined;
}

interface Node {
  readonly kind: 'CreatedNode' | 'ModifiedNode' | 'DeletedNode';
  readonly fields: Fields & Record<string, unknown>;
}

/** Whether a field has its default value (rippled `isDefault`): those are not shown as new. */
function isDefault(name: string, value: unknown): boolean {
  if (value === 0 || value === 0n || value === '') return true;
  if (typeof value === 'string') {
    const type = TYPE_OF.get(name);
    if (type === 'Issue') return value === XRP;
    return type !== 'Blob' && type !== 'AccountID' && ZEROS.test(value);
  }
  if (Array.isArray(value)) return value.length === 0;
  if (value instanceof Amount) return value.isNative && value.isZero;
  if (value instanceof Num) return value.mantissa === 0n;
  return false;
}

function newFields(entry: Readonly<Entry>): Fields | undefined {
  const shown: Record<string, unknown> = {};
  let any = false;
  for (const [name, value] of Object.entries(entry)) {
    if (value === undefined || NEVER.has(name) || ONLY_DELETED.has(name) || isDefault(name, value)) continue;
    shown[name] = value;
    any = true;
  }
  return any ? shown : undefined;
}

function finalFields(entry: Readonly<Entry>, deleted: boolean): Fields {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(entry)) {
    if (value === undefined || NEVER.has(name) || (!deleted && ONLY_DELETED.has(name))) continue;
    shown[name] = value;
  }
  return shown;
}

const hasOldValue = (name: string): boolean =>
  !NEVER.has(name) && !ONLY_DELETED.has(name) && !ALWAYS.has(name);

/** Old values of the fields that changed; empty when fields were only added, undefined when nothing changed. */
function previousFields(before: Readonly<Entry>, after: Readonly<Entry>): Fields | undefined {
  const old = before as unknown as Record<string, unknown>;
  const now = after as unknown as Record<string, unknown>;
  const shown: Record<string, unknown> = {};
  let any = false;
  for (const name in old) {
    if (old[name] === undefined || !hasOldValue(name) || sameValue(old[name], now[name])) continue;
    shown[name] = old[name];
    any = true;
  }
  for (const name in now) {
    if (now[name] !== undefined && old[name] === undefined && hasOldValue(name)) any = true;
  }
  return any ? shown : undefined;
}

/** Collects the nodes of one transaction. */
class Nodes {
  readonly #nodes = new Map<Hex, Node>();
  readonly #changed: ReadonlyMap<Hex, Change>;

  constructor(
    readonly table: EntryTable,
    readonly context: MetadataContext,
  ) {
    this.#changed = new Map([...table.changes()].map((change) => [change.key, change]));
  }

  /** All nodes in order of their keys, every entry threaded. */
  write(): Fields[] {
    for (const key of [...this.#changed.keys(), ...this.table.dirtyKeys()].sort()) {
      // A marked but unchanged entry is shown in full when an entry before it was threaded to it: that is a change.
      const change = this.#changed.get(key) ?? this.table.changeOf(key);
      if (change) this.#write(change);
    }
    const keys = [...this.#nodes.keys()].sort();
    return keys.map((key) => {
      const { kind, fields } = this.#nodes.get(key) as Node;
      return { [kind]: fields };
    });
  }

  #node(key: Hex, type: EntryType, kind: Node['kind']): Node {
    let node = this.#nodes.get(key);
    if (node === undefined) {
      node = { kind, fields: { LedgerEntryType: type, LedgerIndex: key } };
      this.#nodes.set(key, node);
    }
    return node;
  }

  #write({ key, action, before, after }: Change): void {
    const type = after.LedgerEntryType;
    const threaded = isThreaded(type, this.table.rules);
    if (action === 'insert') {
      const { fields } = this.#node(key, type, 'CreatedNode');
      this.#threadOwners(after);
      if (threaded) thread(after, this.context.hash, this.context.ledgerIndex);
      const shown = newFields(after);
      if (shown) fields.NewFields = shown;
      return;
    }
    const deleted = action === 'erase';
    const { fields } = this.#node(key, type, deleted ? 'DeletedNode' : 'ModifiedNode');
    if (deleted) this.#threadOwners(before as Readonly<Entry>);
    else if (threaded) this.#thread(after, fields);
    const previous = previousFields(before as Readonly<Entry>, after);
    if (previous) fields.PreviousFields = previous;
    fields.FinalFields = finalFields(after, deleted);
  }

  #thread(entry: Entry, fields: Fields): void {
    const previous: Previous | undefined = thread(entry, this.context.hash, this.context.ledgerIndex);
    if (previous === undefined || fields.PreviousTxnID !== undefined) return;
    fields.PreviousTxnID = previous.hash;
    fields.PreviousTxnLgrSeq = previous.ledgerIndex;
  }

  #threadOwners(entry: Readonly<Entry>): void {
    for (const id of ownersOf(entry, this.table.rules)) {
      const key = account(id);
      const change = this.#changed.get(key);
      // A deleted account is not threaded any more; a new one has this transaction as its first.
      if (change?.action === 'erase') continue;
      const root = this.table.peek(key);
      if (root === undefined) continue;
      if (change?.action === 'insert') thread(root, this.context.hash, this.context.ledgerIndex);
      else if (root.PreviousTxnID !== this.context.hash) {
        this.#thread(root, this.#node(key, 'AccountRoot', 'ModifiedNode').fields);
      }
    }
  }
}

/**
 * The metadata of the changes in `table`, and the threading: hashes are written into the table's entries.
 * Call it once, before the table is applied.
 */
export function writeMetadata(table: EntryTable, context: MetadataContext): Fields {
  const metadata: Fields = {
    TransactionIndex: context.index,
    TransactionResult: context.resultCode,
    AffectedNodes: new Nodes(table, context).write(),
  };
  if (context.delivered) metadata.DeliveredAmount = context.delivered;
  if (context.parentBatchId) metadata.ParentBatchID = context.parentBatchId;
  return metadata;
}
