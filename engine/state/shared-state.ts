/**
 * Accounts, tokens, trust lines, order books and pools of a state that another thread writes, read in place.
 *
 *     main thread                               worker thread
 *     describeState(state) --- message --->     state = new SharedState(description)
 *     ledgers are applied                       state.read(() => gatherHolders(state.lines, token)) -> value, its ledger
 *
 * Nothing is copied: the columns, indexes and lists are those of the writer. What a state derives outside of shared memory
 * (exact supplies, the sets of a token's pools, texts) is missing, and the types contain only what can be read. Attaching costs about 0.1 ms.
 */
import { Accounts } from './accounts.ts';
import { Books } from './books.ts';
import { Changed } from './changed.ts';
import { Currencies } from './currencies.ts';
import { Domains } from './domains.ts';
import { Fees } from './fees.ts';
import { LineQualities } from './line-qualities.ts';
import { Lines } from './lines.ts';
import { Pools } from './pools.ts';
import { readConsistently } from './sequence-lock.ts';
import { Table } from './table.ts';
import type { TableDescription } from './table-memory.ts';
import { Texts } from './texts.ts';
import { Tokens } from './tokens.ts';

/** The name of each table in a State. */
type Parts =
  | 'fees'
  | 'accounts'
  | 'currencies'
  | 'tokens'
  | 'lines'
  | 'lineQualities'
  | 'domains'
  | 'books'
  | 'pools';

/** What a thread needs to attach; see TableDescription. */
export type StateDescription = Readonly<Record<Parts, TableDescription>>;

/** What can be read of accounts in any thread. */
export type AccountReads = Pick<
  Accounts,
  | 'find'
  | 'findText'
  | 'text'
  | 'bytes'
  | 'exists'
  | 'balanceDrops'
  | 'flags'
  | 'transferRate'
  | 'ownerCount'
  | 'amm'
  | 'isBelow'
>;

/** What can be read of tokens in any thread. */
export type TokenReads = Pick<
  Tokens,
  | 'count'
  | 'kind'
  | 'kinds'
  | 'issuers'
  | 'codes'
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
  | 'table'
  | 'heldToken'
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
  | 'limitRaw'
  | 'lowLimitsHi'
  | 'lowLimitsLo'
  | 'highLimitsHi'
  | 'highLimitsLo'
  | 'flags'
  | 'frozenByIssuer'
  | 'frozenByHolder'
>;

/** What can be read of the qualities of trust lines in any thread. */
export type LineQualityReads = Pick<LineQualities, 'qualityIn' | 'qualityOut'>;

/** What can be read of order books in any thread. */
export type BookReads = Pick<
  Books,
  | 'accounts'
  | 'sequences'
  | 'paysTokens'
  | 'getsTokens'
  | 'domainIds'
  | 'paysHi'
  | 'paysLo'
  | 'getsHi'
  | 'getsLo'
  | 'qualityHi'
  | 'qualityLo'
  | 'expirations'
  | 'book'
  | 'bookCount'
  | 'bookPays'
  | 'bookGets'
  | 'bookDomain'
  | 'offers'
  | 'size'
  | 'offersOf'
  | 'expired'
>;

/** What can be read of pools in any thread. */
export type PoolReads = Pick<
  Pools,
  | 'count'
  | 'accounts'
  | 'fees'
  | 'fee'
  | 'feeFor'
  | 'hasDiscount'
  | 'withDiscounts'
  | 'lpBalanceRaw'
  | 'exists'
  | 'byAccount'
  | 'byAssets'
  | 'asset1'
  | 'asset2'
  | 'lpToken'
  | 'reserveRaw'
>;

/** What can be read of network-wide facts in any thread. */
export type FeeReads = Pick<
  Fees,
  'closeTime' | 'ledgerIndex' | 'reserveBaseDrops' | 'reserveIncrementDrops' | 'baseFeeDrops'
>;

/** Describes a state's tables for `new SharedState` in another thread. */
export function describeState(state: Readonly<Record<Parts, { readonly table: Table }>>): StateDescription {
  const names: readonly Parts[] = [
    'fees',
    'accounts',
    'currencies',
    'tokens',
    'lines',
    'lineQualities',
    'domains',
    'books',
    'pools',
  ];
  const described = names.map((name) => [name, state[name].table.describe()]);
  return Object.fromEntries(described) as StateDescription;
}

export class SharedState {
  readonly accounts: AccountReads;
  readonly tokens: TokenReads;
  readonly lines: LineReads;
  readonly lineQualities: LineQualityReads;
  readonly books: BookReads;
  readonly pools: PoolReads;
  readonly fees: FeeReads;
  readonly #tables: readonly Table[];

  constructor(description: StateDescription) {
    const table = (name: Parts): Table => Table.attach(description[name]);
    const texts = new Texts();
    const fees = new Fees(table('fees'));
    const accounts = new Accounts(table('accounts'), fees, texts);
    const currencies = new Currencies(table('currencies'));
    const tokens = new Tokens(table('tokens'), accounts, currencies, texts);
    const changed = new Changed();
    const lines = new Lines(table('lines'), accounts, currencies, tokens, changed);
    const lineQualities = new LineQualities(table('lineQualities'), { accounts, currencies, lines });
    const domains = new Domains(table('domains'));
    const books = new Books(table('books'), accounts, tokens, domains, changed);
    const pools = new Pools(table('pools'), accounts, tokens, lines, changed);
    this.accounts = accounts;
    this.tokens = tokens;
    this.lines = lines;
    this.lineQualities = lineQualities;
    this.books = books;
    this.pools = pools;
    this.fees = fees;
    const parts = [fees, accounts, currencies, tokens, lines, lineQualities, domains, books, pools];
    this.#tables = parts.map((part) => part.table);
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
      return { value: read(), ledger: this.fees.ledgerIndex };
    });
  }
}
