/**
 * The account index: which transactions affected an account, over all stored ledgers.
 *
 *     family accountTransactions    | account 4 | ledger 4 | tx 2 |  ->  | type 2 | role 1 | 0 1 |
 *
 * Goal: the newest transactions of an account without a scan, however many there are; 14 bytes an entry (and its checksum).
 * Non-goals: accounts that no ledger has given an id yet (they have no rows on the ledger that is read here).
 *
 *     ledger applied ---> entries ---> batch                                   (and in memory until they are durable)
 *     stored ledgers before the first one indexed <--- filled backwards, some with each batch: `from` moves down
 *
 * `from` is stored with the entries that it stands for: what a crash loses of a fill is filled again. Pruned ledgers' entries are
 * removed in passes over the family (data/pruning.ts); readers end at the oldest ledger that is stored.
 *
 * Cost: a look-up of each account that the change set names, and 5 entries for a typical transaction, about 1 us.
 */

import { sameBytes } from '../codec/bytes.ts';
import { Changes, isSent, RESULT_UNREAD, Tx } from '../codec/changes.ts';
import { extractChanges } from '../codec/extract.ts';
import { HASH_BYTES } from '../codec/hash.ts';
import { PackedLedger } from '../codec/packed.ts';
import type { Domain } from '../domain.ts';
import type { RowSteps } from '../event-loop.ts';
import type { State } from '../state/state.ts';
import type { Batch, Store } from '../store.ts';

/** What an account is to a transaction. */
export const AccountRole = { affected: 0, sender: 1, destination: 2 } as const;

/** Name of the stored value with the first ledger from which on all stored ones are indexed. */
const FROM_VALUE = 'account index from';
/** Entries of a fill that wait for a batch: about as many as 50 ledgers have. */
const FILL_ENTRIES_MAX = 20_000;

/** Words of an entry in memory: account, transaction, type, role. */
const WORDS = 4;

/** The entries of one ledger, by transaction and in the order in which its metadata names the accounts. */
export class IndexedLedger {
  constructor(
    readonly ledger: number,
    readonly words: Uint32Array,
  ) {}

  get count(): number {
    return this.words.length / WORDS;
  }

  account(entry: number): number {
    return this.words[entry * WORDS]!;
  }

  at(entry: number): AccountTransaction {
    const [, tx, type, role] = this.words.subarray(entry * WORDS, (entry + 1) * WORDS);
    return { ledger: this.ledger, tx: tx!, type: type!, role: role! };
  }
}

/** A transaction that affected an account. */
export interface AccountTransaction {
  readonly ledger: number;
  /** Its place in the ledger, in apply order. */
  readonly tx: number;
  /** TransactionType code. */
  readonly type: number;
  /** See AccountRole. */
  readonly role: number;
}

export interface AccountWalk {
  /** Ledgers, both included. */
  readonly from: number;
  readonly to: number;
  readonly newestFirst: boolean;
}

/** Type of transactions that could not be read. */
const UNREAD_TYPE = 0xffff;

const NONE = new IndexedLedger(0, new Uint32Array(0));

export class AccountIndex implements Domain<'accountIndex', IndexedLedger> {
  readonly name = 'accountIndex';
  readonly tables = [];
  readonly memoryBytes = 0;
  /** Of the last ledger. */
  events = NONE;
  readonly #state: State;
  readonly #store: Store;
  /** Ledgers that are not durable yet, oldest first. */
  readonly #pending: IndexedLedger[] = [];
  #durableLedger = 0;
  #from: number | undefined;
  /** Filled and not handed over yet, and the first ledger once they are. */
  #filled: IndexedLedger[] = [];
  #filledEntries = 0;
  #filledFrom: number | undefined;
  // Of the ledger that is being read.
  #words = new Uint32Array(4096);
  #used = 0;
  #first = 0;
  #tx = 0;
  #changes: Changes | undefined;
  #bytes: Uint8Array = new Uint8Array(0);

  constructor(state: State, store: Store) {
    this.#state = state;
    this.#store = store;
  }

  /** The first ledger from which on all that are stored are indexed; undefined: no ledger has been read. */
  get from(): number | undefined {
    return this.#from;
  }

  applyLedger(packed: PackedLedger, changes: Changes, batch: Batch): void {
    const indexed = this.#read(packed, changes);
    if (this.#from === undefined) {
      this.#from = packed.ledgerIndex;
      batch.value(FROM_VALUE, this.#from);
    }
    put(batch, indexed);
    this.#pending.push(indexed);
    this.events = indexed;
  }

  gap(): void {}

  /** Hands over what was filled since the last call. */
  persist(batch: Batch): void {
    if (this.#filledFrom === undefined) return;
    for (const indexed of this.#filled) put(batch, indexed);
    this.#from = this.#filledFrom;
    batch.value(FROM_VALUE, this.#from);
    this.#filled = [];
    this.#filledEntries = 0;
    this.#filledFrom = undefined;
  }

  durable(ledgerIndex: number): void {
    this.#durableLedger = ledgerIndex;
    while (this.#pending[0] && this.#pending[0].ledger <= ledgerIndex) this.#pending.shift();
  }

  *restoring(): RowSteps {
    const stored = this.#store.value(FROM_VALUE);
    this.#from = typeof stored === 'number' ? stored : undefined;
    this.#durableLedger = this.#store.cursor?.index ?? 0;
    // Ledgers of a program without this index: those from the next one on are indexed, these are filled.
    if (this.#from === undefined && this.#store.cursor) this.#from = this.#durableLedger + 1;
    yield 0;
  }

  *rebuilding(): RowSteps {
    yield 0;
  }

  /** It is in the store alone. */
  digest(): string {
    return '';
  }

  /** Indexes some of the stored ledgers that are not yet, the newest first. @returns whether there is more to do now */
  fillStep(): boolean {
    if (this.#from === undefined || this.#filledEntries >= FILL_ENTRIES_MAX) return false;
    const below = this.#filledFrom ?? this.#from;
    const next = newestBelow(this.#store.ledgerRanges(), below);
    const bytes = next === undefined ? undefined : this.#store.ledger(next);
    if (!bytes) return false;
    const packed = new PackedLedger(bytes);
    const hashes = new Uint8Array(packed.count * HASH_BYTES);
    const indexed = this.#read(packed, new Changes(extractChanges(packed, hashes)));
    this.#filled.push(indexed);
    this.#filledEntries += indexed.count;
    this.#filledFrom = next;
    return true;
  }

  /**
   * Transactions of an account in the order of the walk. Each yields as it is read: of the ledgers in memory, then of the store,
   * which is read in steps of `step` entries, so that a ledger may be applied in between.
   */
  *of(account: number, walk: AccountWalk, step = 256): Generator<AccountTransaction, void, undefined> {
    let durable = this.#durableLedger;
    const stored = (from: number) => ({ ...walk, from, to: Math.min(walk.to, durable) });
    if (walk.newestFirst) {
      // Those in memory may become durable meanwhile: they have been passed then.
      yield* this.#unstored(account, walk);
      yield* this.#stored(account, stored(walk.from), step);
      return;
    }
    let { from } = walk;
    for (;;) {
      yield* this.#stored(account, stored(from), step);
      from = Math.max(from, durable + 1);
      // Those that have become durable meanwhile are no longer in memory.
      if (durable === this.#durableLedger) break;
      durable = this.#durableLedger;
    }
    yield* this.#unstored(account, { ...walk, from });
  }

  *#unstored(account: number, { from, to, newestFirst }: AccountWalk): Generator<AccountTransaction> {
    const ledgers = this.#pending.filter(({ ledger }) => ledger >= from && ledger <= to);
    for (const indexed of newestFirst ? ledgers.toReversed() : ledgers) {
      const found: AccountTransaction[] = [];
      for (let i = 0; i < indexed.count; i++) if (indexed.account(i) === account) found.push(indexed.at(i));
      yield* newestFirst ? found.reverse() : found;
    }
  }

  *#stored(account: number, walk: AccountWalk, step: number): Generator<AccountTransaction> {
    let { from, to } = walk;
    for (;;) {
      const rows: AccountTransaction[] = [];
      const range = { from, to, reverse: walk.newestFirst, limit: step };
      if (from > to) return;
      this.#store.records('accountTransactions', [account], range, (tx, value, key) => {
        const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
        rows.push({ ledger: view.getUint32(4), tx, type: (value[0]! << 8) | value[1]!, role: value[2]! });
        return true;
      });
      const last = rows.at(-1);
      if (!last) return;
      // The step may have ended within a ledger: that one is read again, as a whole.
      const isWhole = rows.length < step || rows[0]!.ledger === last.ledger;
      yield* isWhole ? rows : rows.filter(({ ledger }) => ledger !== last.ledger);
      if (rows.length < step) return;
      if (rows[0]!.ledger === last.ledger) {
        yield* this.#restOf(account, last, walk.newestFirst);
        if (walk.newestFirst) to = last.ledger - 1;
        else from = last.ledger + 1;
      } else if (walk.newestFirst) to = last.ledger;
      else from = last.ledger;
    }
  }

  /** What one ledger has after a transaction: only ledgers with more than a step of an account's transactions get here. */
  *#restOf(account: number, last: AccountTransaction, newestFirst: boolean): Generator<AccountTransaction> {
    const rows: AccountTransaction[] = [];
    const range = { from: last.ledger, to: last.ledger, reverse: newestFirst };
    this.#store.records('accountTransactions', [account], range, (tx, value) => {
      if (newestFirst ? tx < last.tx : tx > last.tx)
        rows.push({ ledger: last.ledger, tx, type: (value[0]! << 8) | value[1]!, role: value[2]! });
      return true;
    });
    yield* rows;
  }

  #read(packed: PackedLedger, changes: Changes): IndexedLedger {
    this.#used = 0;
    this.#changes = changes;
    this.#bytes = packed.bytes;
    for (let tx = 0; tx < changes.transactions; tx++) {
      this.#tx = tx;
      this.#first = this.#used;
      const end = changes.affectedFrom(tx + 1);
      for (let i = changes.affectedFrom(tx); i < end; i++) this.#add(changes.affected(i));
    }
    this.#changes = undefined;
    return new IndexedLedger(packed.ledgerIndex, this.#words.slice(0, this.#used));
  }

  #add(at: number): void {
    const account = this.#state.accounts.find(this.#bytes, at);
    if (account === undefined) return;
    for (let i = this.#first; i < this.#used; i += WORDS) if (this.#words[i] === account) return;
    if (this.#used + WORDS > this.#words.length) {
      const grown = new Uint32Array(this.#words.length * 2);
      grown.set(this.#words);
      this.#words = grown;
    }
    const words = this.#words;
    const changes = this.#changes!;
    const isRead = changes.tx(this.#tx, Tx.result) !== RESULT_UNREAD;
    const to = this.#used;
    words[to] = account;
    words[to + 1] = this.#tx;
    words[to + 2] = isRead ? changes.tx(this.#tx, Tx.type) : UNREAD_TYPE;
    words[to + 3] = this.#role(changes, at);
    this.#used = to + WORDS;
  }

  #role(changes: Changes, at: number): number {
    const isAt = (column: number) => {
      const named = changes.tx(this.#tx, column);
      return named !== 0 && sameBytes(this.#bytes, named, this.#bytes, at, 20);
    };
    if (isSent(changes, this.#tx) && isAt(Tx.accountAt)) return AccountRole.sender;
    return isAt(Tx.destinationAt) ? AccountRole.destination : AccountRole.affected;
  }
}

function put(batch: Batch, { ledger, words }: IndexedLedger): void {
  for (let at = 0; at < words.length; at += WORDS)
    batch.accountTransaction(words[at]!, ledger, words[at + 1]!, (words[at + 2]! << 8) | words[at + 3]!);
}

/** The newest stored ledger before one. */
function newestBelow(ranges: readonly (readonly [number, number])[], index: number): number | undefined {
  for (let i = ranges.length - 1; i >= 0; i--) {
    const [first, last] = ranges[i]!;
    if (first < index) return Math.min(last, index - 1);
  }
  return undefined;
}
