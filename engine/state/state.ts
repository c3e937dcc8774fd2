/**
 * Hot state: the present content of the ledger entries that matter to a market, as columns.
 *
 *     change set --apply--> accounts, tokens, lines, books, pools, fees, oracles --changed--> readers' caches
 *                               |
 *                               `--dirty rows, texts--> batch (durable with the cursor)
 *
 * Goal: the newest state of every account, trust line, offer and pool, readable at any moment without decoding,
 * restored after a restart in well under a second per million rows. Non-goals: history (the store has it), what
 * trades mean (engine/market). One writer; readers run on the same thread between ledgers, or read the tables'
 * shared columns.
 *
 * A ledger's nodes are applied in their order. State may begin empty or from a snapshot, so the first node seen of
 * an entry may be a modification: every node carries all fields that its entry has after the transaction, so each
 * sets the whole row. A node without fields (an entry that was only threaded) has no content and is skipped.
 * Everything needed later is in the tables' rows and the texts; indexes, holder lists, book order and sums are
 * derived from the rows by `rebuild`.
 */
import { type Changes, EntryType, isSent, NODE_WORDS, Tx } from '../codec/changes.ts';
import type { PackedLedger } from '../codec/packed.ts';
import { Digest } from '../digest.ts';
import { columnBytes, type Domain } from '../domain.ts';
import type { RowSteps } from '../event-loop.ts';
import type { Batch, Store } from '../store.ts';
import { TableId } from '../table-ids.ts';
import { Accounts } from './accounts.ts';
import { signersAfter } from './black-holes.ts';
import { Books } from './books.ts';
import { Changed } from './changed.ts';
import { Currencies } from './currencies.ts';
import { DepositPreauths } from './deposit-preauths.ts';
import { Domains } from './domains.ts';
import { type EntryTable, readStoredEntries } from './entry-table.ts';
import { Fees } from './fees.ts';
import { STATE_LIMITS, type StateLimits } from './limits.ts';
import { LineQualities } from './line-qualities.ts';
import { Lines } from './lines.ts';
import { Listing } from './listing.ts';
import { Oracles } from './oracles.ts';
import { Pools } from './pools.ts';
import { type RestoreThread, takingIndexes } from './restore-thread.ts';
import { persistTables, type TableBatch } from './stored-tables.ts';
import { Table } from './table.ts';
import { Texts } from './texts.ts';
import { Tokens } from './tokens.ts';

/** Of the table with the network's own figures; one is used. */
const NETWORK_ROWS = 64;

export class State implements Domain<'state', Changed> {
  readonly name = 'state';
  readonly changed = new Changed();
  readonly texts = new Texts();
  readonly fees: Fees;
  readonly accounts: Accounts;
  readonly currencies: Currencies;
  readonly tokens: Tokens;
  readonly lines: Lines;
  readonly lineQualities: LineQualities;
  readonly depositPreauths: DepositPreauths;
  readonly domains: Domains;
  readonly books: Books;
  readonly pools: Pools;
  readonly oracles: Oracles;
  readonly listing: Listing;
  /** Every table, for persistence. */
  readonly tables: readonly Table[];
  /** What is derived from rows, in the order in which it is rebuilt. */
  readonly #rebuilt: readonly ({ rebuild(): void } | { rebuilding(indexApart?: boolean): RowSteps })[];
  /** Tables that follow one type of entry, each entry by itself. */
  readonly entryTables: readonly EntryTable[];
  /** The same by LedgerEntryType code. */
  readonly #byEntryType: readonly (EntryTable | undefined)[];
  readonly #listeners = new Set<() => void>();

  constructor(limits: StateLimits = STATE_LIMITS) {
    const { changed, texts } = this;
    this.fees = new Fees(new Table(TableId.network, 'network', NETWORK_ROWS));
    const table = (name: Exclude<keyof StateLimits, 'oracles'>) =>
      new Table(TableId[name], name, limits[name]);
    this.accounts = new Accounts(table('accounts'), this.fees, texts);
    this.currencies = new Currencies(table('currencies'));
    const { accounts, currencies } = this;
    this.tokens = new Tokens(table('tokens'), accounts, currencies, texts);
    const { tokens } = this;
    this.lines = new Lines(table('lines'), accounts, currencies, tokens, changed);
    this.lineQualities = new LineQualities(table('lineQualities'), this);
    this.depositPreauths = new DepositPreauths(table('depositPreauths'), accounts);
    this.domains = new Domains(table('domains'));
    this.books = new Books(table('offers'), accounts, tokens, this.domains, changed);
    this.pools = new Pools(table('pools'), accounts, tokens, this.lines, changed);
    this.oracles = new Oracles(TableId.oracles, limits.oracles, accounts);
    this.listing = new Listing(this);
    // A new type of ledger entry with a table of its own: a line here (CONTRIBUTING.md).
    this.entryTables = [this.oracles, this.lineQualities, this.depositPreauths];
    const { lines, domains, books, pools, fees, entryTables } = this;
    this.#rebuilt = [accounts, currencies, tokens, lines, domains, books, pools, ...entryTables];
    const parts = [accounts, currencies, tokens, lines, domains, books, pools, ...entryTables, fees];
    this.tables = parts.map(({ table }) => table);
    const byType: EntryTable[] = [];
    for (const one of entryTables) {
      byType[one.entryType] = one;
      one.table.onNew((store) => readStoredEntries(store, one));
    }
    this.#byEntryType = byType;
  }

  /**
   * Applies one ledger; `changed` is then what it changed.
   * @throws TableFullError; the state is then unusable, since part of the ledger is in.
   */
  applyLedger(packed: PackedLedger, changes: Changes): void {
    const { closeTime } = packed;
    this.changed.clear();
    this.fees.applyHeader(packed.header);
    this.fees.ledgerIndex = packed.ledgerIndex;
    this.tokens.closeTime = closeTime;
    this.#applyNodes(packed.bytes, changes, closeTime, packed.ledgerIndex);
    const { accounts } = this;
    for (let tx = 0; tx < changes.transactions; tx++) {
      const signers = signersAfter(changes, tx);
      if (signers !== undefined) {
        const account = accounts.intern(packed.bytes, changes.tx(tx, Tx.accountAt));
        accounts.setSigners(account, signers);
        this.changed.settings.add(account);
      }
      if (isSent(changes, tx))
        accounts.active(accounts.intern(packed.bytes, changes.tx(tx, Tx.accountAt)), closeTime);
    }
    for (const listener of this.#listeners) listener();
  }

  /**
   * Calls the listener when a ledger has been applied here, before the market and all else that follows from it: for what needs
   * this state alone and should not wait. It must not throw.
   * @returns what ends it
   */
  onApplied(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Applies a page of a snapshot: entries as they are, so their creation times are not known (0). */
  applyEntries(page: Uint8Array, changes: Changes): void {
    this.changed.clear();
    this.tokens.closeTime = 0;
    this.#applyNodes(page, changes, 0, 0);
  }

  /** Removes offers and books: those of a past moment must not be shown as open now. The rest stays. */
  gap(): void {
    this.books.clear();
  }

  get events(): Changed {
    return this.changed;
  }

  get memoryBytes(): number {
    return columnBytes(this.tables);
  }

  /** Lets texts be read back from the store. */
  attach(store: Pick<Store, 'text'>): void {
    this.texts.attach(store);
  }

  /** Derives the rest of a new state whose tables have been loaded, in steps. */
  *restoring(store: Pick<Store, 'text'>, thread?: RestoreThread): RowSteps {
    this.attach(store);
    yield* this.rebuilding(thread);
  }

  /**
   * Hands over what changed since the last call.
   * @param openedAt index of the newest ledger the store had when it was opened; 0: it was empty
   */
  persist(batch: TableBatch & Pick<Batch, 'text'>, openedAt = 0): void {
    persistTables(batch, this.tables, openedAt);
    this.texts.drain(batch);
  }

  /** Derives everything that is not in rows, in steps. Call after loading blocks. */
  *rebuilding(thread?: RestoreThread): RowSteps {
    const least = thread?.fromRows ?? Number.POSITIVE_INFINITY;
    const apart = [this.accounts, this.lines].filter(({ table }) => table.count >= least);
    const keys = apart.map(({ indexKeys }) => indexKeys);
    const indexes = keys.length > 0 ? thread?.fillIndexes(keys) : undefined;
    const isApart = (part: object): boolean => indexes !== undefined && apart.includes(part as Lines);
    for (const part of this.#rebuilt) {
      if ('rebuilding' in part) yield* part.rebuilding(isApart(part));
      else part.rebuild();
      yield 0;
    }
    if (indexes) yield* takingIndexes(indexes, apart);
    this.changed.clear();
  }

  /** Equal for the same ledgers. */
  digest(): string {
    const digest = new Digest();
    const { accounts } = this;
    for (const table of this.tables) digest.table(table);
    for (let id = 1; id < accounts.count; id++) if (accounts.isBlackholed(id)) digest.number(id);
    return digest.text;
  }

  #applyNodes(bytes: Uint8Array, changes: Changes, closeTime: number, ledger: number): void {
    const { words } = changes;
    for (let node = 0; node < changes.nodes; node++) {
      this.#applyNode(bytes, words, changes.nodeBase + node * NODE_WORDS, closeTime, ledger, node);
    }
    for (const account of this.changed.accounts) {
      const pool = this.pools.byAccount(account);
      if (pool !== undefined) this.pools.markChanged(pool);
    }
  }

  #applyNode(
    bytes: Uint8Array,
    words: Uint32Array,
    at: number,
    closeTime: number,
    ledger: number,
    node: number,
  ): void {
    switch (words[at + 2]) {
      case EntryType.AccountRoot: {
        const account = this.accounts.apply(bytes, words, at, closeTime, this.changed.settings);
        if (account !== 0) this.changed.accounts.add(account);
        return;
      }
      case EntryType.RippleState:
        this.lines.apply(bytes, words, at);
        this.lineQualities.apply(bytes, words, at);
        return;
      case EntryType.Offer:
        this.books.apply(bytes, words, at, ledger, node);
        return;
      case EntryType.AMM:
        this.pools.apply(bytes, words, at, closeTime);
        return;
      case EntryType.MPTokenIssuance: {
        const token = this.tokens.applyIssuance(bytes, words, at);
        if (token !== 0) this.changed.tokens.add(token);
        return;
      }
      case EntryType.MPToken:
        this.lines.applyHolding(bytes, words, at);
        return;
      case EntryType.FeeSettings:
        this.fees.apply(bytes, words, at);
        return;
      default:
        this.#byEntryType[words[at + 2]!]?.apply(bytes, words, at);
    }
  }
}
