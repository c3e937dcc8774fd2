/**
 * A view that collects changes over another view (rippled's `ApplyStateTable` with its views).
 *
 * Goal: a transaction, or the trial of a path within one, changes entries freely; the changes become part of the view
 * below as a whole (`applyTo`) or not at all (the table is dropped). Metadata is written from the list of changes.
 *
 *            read, peek, insert, erase
 *                     |
 *     table:  key -> { before | own copy, erased? }     only what was peeked, inserted or erased
 *                     |  miss
 *     base:   any ReadView (a closed ledger's state, or another table)
 *
 * Non-goals: history (a table has one state, no undo but dropping it), and concurrency.
 *
 * Cost: `peek` copies one entry (its fields, not nested values); `applyTo` and `changes` walk the changed entries,
 * comparing those that were peeked. `successor` reads the base and a sorted list of the keys added here.
 */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Entry } from '../protocol/fields.ts';
import { sameFields } from './same.ts';
import { SortedKeys } from './sorted-keys.ts';
import type { ApplyView, Fees, ReadView, ViewHeader } from './view.ts';

export type ChangeAction = 'insert' | 'modify' | 'erase';

/** The change of one entry in a view. */
export interface Change {
  readonly key: Hex;
  readonly action: ChangeAction;
  /** The entry below the view; absent for an insert. */
  readonly before?: Readonly<Entry>;
  /** The entry in the view; for an erased one its state when it was erased. */
  readonly after: Entry;
}

interface Item {
  /** The entry in the base; undefined when the base has none. */
  readonly before: Readonly<Entry> | undefined;
  /** The view's own copy. */
  entry: Entry;
  erased: boolean;
  /** Marked as written to, changed or not. */
  dirty?: boolean;
}

/** Writes the fields of `from` over `to`, so that holders of `to` see them. */
function overwrite(to: Entry, from: Readonly<Entry>): void {
  const target = to as unknown as Record<string, unknown>;
  const source = from as unknown as Record<string, unknown>;
  for (const name in target) if (!(name in source)) delete target[name];
  for (const name in source) target[name] = source[name];
}

function changeIn(key: Hex, { before, entry, erased }: Item): Change | undefined {
  if (before === undefined) return { key, action: 'insert', after: entry };
  if (erased) return { key, action: 'erase', before, after: entry };
  return sameFields(before, entry) ? undefined : { key, action: 'modify', before, after: entry };
}

export class EntryTable implements ApplyView {
  readonly header: ViewHeader;
  readonly rules: Rules;
  readonly fees: Fees;
  readonly open: boolean;
  readonly #items = new Map<Hex, Item>();
  readonly #added = new SortedKeys();
  #destroyed = 0n;

  constructor(
    protected readonly base: ReadView,
    changed: {
      readonly header?: ViewHeader;
      readonly rules?: Rules;
      readonly fees?: Fees;
      readonly open?: boolean;
    } = {},
  ) {
    this.header = changed.header ?? base.header;
    this.rules = changed.rules ?? base.rules;
    this.fees = changed.fees ?? base.fees;
    this.open = changed.open ?? base.open;
  }

  /** XRP destroyed in this view, in drops. */
  get destroyed(): bigint {
    return this.#destroyed;
  }

  read(key: Hex): Readonly<Entry> | undefined {
    const item = this.#items.get(key);
    if (item === undefined) return this.base.read(key);
    return item.erased ? undefined : item.entry;
  }

  peek(key: Hex): Entry | undefined {
    const item = this.#items.get(key);
    if (item !== undefined) return item.erased ? undefined : item.entry;
    const before = this.base.read(key);
    if (before === undefined) return undefined;
    const entry = { ...before };
    this.#items.set(key, { before, entry, erased: false });
    return entry;
  }

  markDirty(key: Hex): void {
    if (this.peek(key) !== undefined) (this.#items.get(key) as Item).dirty = true;
  }

  insert(entry: Entry): void {
    const key = entry.index;
    const item = this.#items.get(key);
    if (item === undefined) {
      if (this.base.read(key) !== undefined) throw new Error(`insert: ${key} is taken`);
      this.#items.set(key, { before: undefined, entry, erased: false });
      this.#added.add(key);
      return;
    }
    if (!item.erased) throw new Error(`insert: ${key} is taken`);
    item.entry = entry;
    item.erased = false;
  }

  erase(key: Hex): void {
    if (this.peek(key) === undefined) throw new Error(`erase: no entry ${key}`);
    const item = this.#items.get(key) as Item;
    if (item.before === undefined) {
      this.#items.delete(key);
      this.#added.remove(key);
    } else item.erased = true;
  }

  destroy(drops: bigint): void {
    this.#destroyed += drops;
  }

  successor(key: Hex, before?: Hex): Hex | undefined {
    let below = this.base.successor(key, before);
    while (below !== undefined && this.#items.get(below)?.erased) below = this.base.successor(below, before);
    const added = this.#added.after(key);
    if (added === undefined || (before !== undefined && added >= before)) return below;
    return below === undefined || added < below ? added : below;
  }

  balanceHook(account: AccountId, issuer: AccountId, amount: Amount): Amount {
    return this.base.balanceHook(account, issuer, amount);
  }

  ownerCountHook(account: AccountId, count: number): number {
    return this.base.ownerCountHook(account, count);
  }

  creditHook(_from: AccountId, _to: AccountId, _amount: Amount, _preCreditBalance: Amount): void {}

  adjustOwnerCountHook(_account: AccountId, _current: number, _next: number): void {}

  /** Number of entries that were peeked, inserted or erased, whether they changed or not. */
  get peekedCount(): number {
    return this.#items.size;
  }

  /** The changes in the view, in no particular order. Entries that were peeked and not changed are left out. */
  *changes(): IterableIterator<Change> {
    for (const [key, item] of this.#items) {
      const change = changeIn(key, item);
      if (change) yield change;
    }
  }

  /** Keys of entries that were marked as written to and are not changed. */
  *dirtyKeys(): IterableIterator<Hex> {
    for (const [key, { before, entry, erased, dirty }] of this.#items)
      if (dirty && before !== undefined && !erased && sameFields(before, entry)) yield key;
  }

  /** The change of one entry in the view; undefined when it is unchanged. */
  changeOf(key: Hex): Change | undefined {
    const item = this.#items.get(key);
    return item && changeIn(key, item);
  }

  /** Writes the changes into the view below. Do not use the table afterwards: its copies may belong to `parent`. */
  applyTo(parent: ApplyView): void {
    for (const { key, action, after } of this.changes()) {
      if (action === 'insert') parent.insert(after);
      else {
        overwrite(parent.peek(key) as Entry, after);
        // Fields written before the erasure stay readable as the erased entry's last state.
        if (action === 'erase') parent.erase(key);
      }
    }
    for (const [key, { dirty, erased }] of this.#items) if (dirty && !erased) parent.markDirty(key);
    if (this.#destroyed !== 0n) parent.destroy(this.#destroyed);
  }

  /** Drops all changes of this view. */
  discard(): void {
    for (const [key, item] of this.#items) if (item.before === undefined) this.#added.remove(key);
    this.#items.clear();
    this.#destroyed = 0n;
  }
}
