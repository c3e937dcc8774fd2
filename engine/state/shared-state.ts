/**
 * Accounts, tokens and trust lines of a state that another thread writes, read in place.
 *
 *     main thread                               worker thread
 *     describeState(state) --- message --->     state = new SharedState(description)
 *     ledgers are applied                       state.read(() => gatherHolders(state.lines, token)) -> value, its ledger
 *
 * Nothing is copied: the columns, indexes and lists are those of the writer. What a state derives outside of shared memory
 * (exact supplies, books, pools, texts) is missing, and the types contain only what can be read. Attaching costs about 0.1 ms.
 */
import { Accounts } from './accounts.ts';
import { Changed } from './changed.ts';
import { Currencies } from './currencies.ts';
import { Fees } from './fees.ts';
import { Lines } from './lines.ts';
import { readConsistently } from './sequence-lock.ts';
import { Table } from './table.ts';
import type { TableDescription } from './table-memory.ts';
import { Texts } from './texts.ts';
import { Tokens } from './tokens.ts';

type Parts = 'fees' | 'accounts' | 'currencies' | 'tokens' | 'lines';

/** What a thread needs to attach; see TableDescription. */
export type StateDescription = Readonly<Record<Parts, TableDescription>>;

/** What can be read of accounts in any thread. */
export type AccountReads = Pick<Accounts, 'find' | 'findText' | 'text' | 'bytes' | 'exists' | 'balanceDrops'>;

/** What can be read of tokens in any thread. */
export type TokenReads = Pick<
  Tokens,
  | 'count'
  | 'kind'
  | 'kinds'
  | 'issuers'
  | 'assetScale'
  | 'find'
  | 'byMd5'
  | 'byMptId'
  | 'issuer'
  | 'number'
  | 'decimal'
>;

/** What can be read of trust lines and holdings in any thread. */
export type LineReads = Pick<
  Lines,
  | 'lows'
  | 'highs'
  | 'balancesHi'
  | 'balancesLo'
  | 'find'
  | 'holders'
  | 'holdersCount'
  | 'lineCount'
  | 'frozenCount'
  | 'holderAccount'
  | 'balanceNumber'
  | 'balanceRaw'
  | 'frozenByIssuer'
  | 'frozenByHolder'
>;

/** Describes a state's tables for `new SharedState` in another thread. */
export function describeState(state: Readonly<Record<Parts, { readonly table: Table }>>): StateDescription {
  const { fees, accounts, currencies, tokens, lines } = state;
  return {
    fees: fees.table.describe(),
    accounts: accounts.table.describe(),
    currencies: currencies.table.describe(),
    tokens: tokens.table.describe(),
    lines: lines.table.describe(),
  };
}

export class SharedState {
  readonly accounts: AccountReads;
  readonly tokens: TokenReads;
  readonly lines: LineReads;
  readonly #fees: Fees;
  readonly #tables: readonly Table[];

  constructor(description: StateDescription) {
    const table = (name: Parts): Table => Table.attach(description[name]);
    const texts = new Texts();
    this.#fees = new Fees(table('fees'));
    const accounts = new Accounts(table('accounts'), this.#fees, texts);
    const currencies = new Currencies(table('currencies'));
    const tokens = new Tokens(table('tokens'), accounts, currencies, texts);
    const lines = new Lines(table('lines'), accounts, currencies, tokens, new Changed());
    this.accounts = accounts;
    this.tokens = tokens;
    this.lines = lines;
    this.#tables = [this.#fees, accounts, currencies, tokens, lines].map((part) => part.table);
  }

  /**
   * Reads what is of one ledger; blocks while the writer applies one.
   * @param read runs again when a ledger was applied meanwhile, and may then have seen halves of it: it must bound its
   * loops and keep nothing between two runs
   * @returns what was read, and the index of its ledger
   * @throws OvertakenError when ledgers follow one another faster than it can be read
   * @throws OutdatedDescriptionError when an index has been replaced since the state was described
   */
  read<T>(read: () => T): { readonly value: T; readonly ledger: number } {
    const locks = this.#tables.map(({ lock }) => lock);
    return readConsistently(locks, () => {
      for (const table of this.#tables) table.ensureCurrent();
      return { value: read(), ledger: this.#fees.ledgerIndex };
    });
  }
}
