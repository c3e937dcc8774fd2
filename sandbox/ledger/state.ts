/**
 * The state of one ledger: a tree of entries, and the view that reads it.
 *
 * An entry is in the tree in one or both of two forms: bytes, which are small and which are hashed and stored, and
 * fields, which are fast to use and take ten times the memory. Bytes are made when the hash is needed, fields when the
 * entry is read; a bounded ring lists the entries that hold fields and releases those not read lately.
 */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { bytesOf } from '../../engine/codec/bytes.ts';
import { type HalfHasher, HashPrefix } from '../../engine/codec/hash.ts';
import { type Rules, rulesOf } from '../protocol/amendments.ts';
import { decodeEntry, encodeEntry } from '../protocol/encode.ts';
import type { Entry } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import { ShaMap, type TreeItem } from './shamap.ts';
import type { Fees, ReadView, ViewHeader } from './view.ts';

/** Slot of an item that is not in the ring. */
const NO_SLOT = -1;

/** An entry of the state, as bytes or fields. */
export class StateItem implements TreeItem {
  readonly key: Hex;
  /** Read since the clock hand last passed. */
  used = false;
  /** Its slot in the ring. */
  slot = NO_SLOT;
  #entry: Readonly<Entry> | undefined;
  #bytes: Uint8Array | undefined;
  #hash: Uint8Array | undefined;

  private constructor(key: Hex, entry: Readonly<Entry> | undefined, bytes: Uint8Array | undefined) {
    this.key = key;
    this.#entry = entry;
    this.#bytes = bytes;
  }

  /** The entry must not be changed from now on. */
  static ofEntry(entry: Readonly<Entry>): StateItem {
    return new StateItem(entry.index, entry, undefined);
  }

  static ofBytes(key: Hex, bytes: Uint8Array): StateItem {
    return new StateItem(key, undefined, bytes);
  }

  /** Whether the fields are in memory. */
  get decoded(): boolean {
    return this.#entry !== undefined;
  }

  get entry(): Readonly<Entry> {
    this.#entry ??= decodeEntry(this.key, this.#bytes!);
    return this.#entry;
  }

  /** The serialised entry. */
  get bytes(): Uint8Array {
    this.#bytes ??= encodeEntry(this.#entry!);
    return this.#bytes;
  }

  hash(hasher: HalfHasher): Uint8Array {
    this.#hash ??= hasher.add(HashPrefix.stateNode).add(this.bytes).add(bytesOf(this.key)).take();
    return this.#hash;
  }

  /** Releases the fields; they are decoded from the bytes when needed again. */
  releaseFields(): void {
    void this.bytes;
    this.#entry = undefined;
  }
}

/**
 * The entries that hold fields: together at most `capacity` bytes long (clock algorithm: the hand skips those used since
 * it last passed). An entry that no newer ledger has is removed at once, so that this list alone keeps none alive.
 */
export class EntryRing {
  readonly #items: StateItem[] = [];
  readonly #capacity: number;
  #bytes = 0;
  #clockHand = 0;

  /** @param capacity serialised bytes; fields take about ten times as much */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Entries that hold fields. */
  get size(): number {
    return this.#items.length;
  }

  /** Their serialised bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds an item that now holds fields. */
  add(item: StateItem): void {
    if (item.slot !== NO_SLOT) return;
    // The hand passes once before the item may be removed.
    item.used = true;
    item.slot = this.#items.push(item) - 1;
    this.#bytes += item.bytes.length;
    // Two rounds at most: after one every mark is cleared.
    while (this.#bytes > this.#capacity) {
      if (this.#clockHand >= this.#items.length) this.#clockHand = 0;
      const next = this.#items[this.#clockHand]!;
      if (!next.used) this.remove(next);
      else {
        next.used = false;
        this.#clockHand++;
      }
    }
  }

  /** Releases the fields of an item, if it holds any. */
  remove(item: StateItem): void {
    if (item.slot === NO_SLOT) return;
    const last = this.#items.pop()!;
    if (last !== item) {
      this.#items[item.slot] = last;
      last.slot = item.slot;
    }
    item.slot = NO_SLOT;
    this.#bytes -= item.bytes.length;
    item.releaseFields();
  }
}

/** Total serialised bytes of the entries that hold fields, in all ledgers of a network together. */
const DECODED_BYTES_MAX = 8 << 20;

/** The state of a ledger: its tree, and the ring it shares with the ledgers before and after it. */
export class LedgerState {
  readonly tree: ShaMap<StateItem>;
  /** Which entries hold fields. */
  readonly ring: EntryRing;

  constructor(tree = new ShaMap<StateItem>(), ring = new EntryRing(DECODED_BYTES_MAX)) {
    this.tree = tree;
    this.ring = ring;
  }

  snapshot(): LedgerState {
    return new LedgerState(this.tree.snapshot(), this.ring);
  }

  read(key: Hex): Readonly<Entry> | undefined {
    const item = this.tree.get(key);
    if (item === undefined) return undefined;
    if (item.decoded) {
      item.used = true;
      return item.entry;
    }
    const { entry } = item;
    this.ring.add(item);
    return entry;
  }

  /** Adds or replaces an entry by its index. It must not be changed from now on. */
  put(entry: Readonly<Entry>): void {
    const item = StateItem.ofEntry(entry);
    this.#supersede(item.key);
    this.tree.set(item);
    this.ring.add(item);
  }

  /** Removes an entry. */
  erase(key: Hex): void {
    this.#supersede(key);
    this.tree.delete(key);
  }

  /** Older ledgers decode the entry from its bytes from now on. */
  #supersede(key: Hex): void {
    const before = this.tree.get(key);
    if (before !== undefined) this.ring.remove(before);
  }
}

/** Fees of a state without a FeeSettings entry (rippled's defaults before any vote), in drops. */
const FEES_DEFAULT: Fees = { base: 10n, reserve: 200_000_000n, increment: 50_000_000n };

/** The fees and reserves of a state, in drops; both forms of the entry (before and after XRPFees) are read. */
export function feesOf(state: LedgerState): Fees {
  const entry = state.read(keylets.fees());
  if (entry === undefined) return FEES_DEFAULT;
  return {
    base: entry.BaseFeeDrops?.drops ?? entry.BaseFee ?? FEES_DEFAULT.base,
    reserve: entry.ReserveBaseDrops?.drops ?? BigInt(entry.ReserveBase ?? FEES_DEFAULT.reserve),
    increment: entry.ReserveIncrementDrops?.drops ?? BigInt(entry.ReserveIncrement ?? FEES_DEFAULT.increment),
  };
}

/** A closed ledger's state as an immutable view. */
export class StateView implements ReadView {
  readonly open = false;
  readonly header: ViewHeader;
  readonly rules: Rules;
  readonly fees: Fees;
  readonly state: LedgerState;

  constructor(state: LedgerState, header: ViewHeader, rules: Rules = rulesOf([])) {
    this.state = state;
    this.header = header;
    this.rules = rules;
    this.fees = feesOf(state);
  }

  read(key: Hex): Readonly<Entry> | undefined {
    return this.state.read(key);
  }

  successor(key: Hex, before?: Hex): Hex | undefined {
    const found = this.state.tree.successor(key)?.key;
    return found === undefined || (before !== undefined && found >= before) ? undefined : found;
  }

  balanceHook(_account: AccountId, _issuer: AccountId, amount: Amount): Amount {
    return amount;
  }

  ownerCountHook(_account: AccountId, count: number): number {
    return count;
  }
}
