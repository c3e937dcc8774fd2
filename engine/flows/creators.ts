/**
 * Who created each token. An issuer often is an account made for one token and given up at once, so:
 *
 *     a token appears -> its first holder other than a pool gets it ("first")
 *                     -> within 7 days that account opens the token's pool with XRP, and after that ledger it and
 *                        the pool have at least half of the supply: it is the creator
 *     all others      -> the issuer is (the first customer of a gateway may open a pool, too)
 *
 * Only for tokens whose first ledger was read; of older ones the first holder is not known.
 *
 * Watched are the accounts whose events are kept (account-events.ts): every issuer, and every first holder from the
 * transaction on that made it one.
 *
 * Cost: 8 bytes a token; derived: a bit an account, and an entry of a map for each creator.
 */
import { addDecimal, divToNumber, subDecimal, ZERO } from '../codec/amount.ts';
import { DAY } from '../ripple-time.ts';
import type { State } from '../state/state.ts';
import { Table } from '../state/table.ts';
import { XRP } from '../state/tokens.ts';
import { TableId } from '../table-ids.ts';

/** Seconds from a token's first ledger to its pool. The limit of launches (market/launches.ts). */
const CREATED_WITHIN = 7 * DAY;

export class Creators {
  readonly table: Table;
  readonly #first: Uint32Array;
  readonly #creator: Uint32Array;
  readonly #state: State;
  /** A bit an account. */
  #watched = new Uint32Array(1024);
  /** Tokens below it have had their issuers watched. */
  #seen = 1;
  /** How many tokens an account created. */
  readonly #created = new Map<number, number>();

  constructor(capacity: number, state: State, reason: string) {
    const table = new Table(TableId.creators, 'creators', capacity);
    this.table = table;
    this.#first = table.u32('first');
    this.#creator = table.u32('creator');
    for (const { name } of table.columns) table.excludeFromDigest(name, reason);
    this.#state = state;
  }

  /** The creator's account; the issuer where no other is known. Of XRP there is none: 0. */
  of(token: number): number {
    return this.#creator[token] || (token === XRP ? 0 : this.#state.tokens.issuer(token));
  }

  /**
   * Percent of the supply that the creator holds; undefined where nothing is issued, or the token is older than the ledgers
   * read, so that its creator is not known.
   */
  holding(token: number): number | undefined {
    const { lines, tokens } = this.#state;
    if (token === XRP || tokens.createdAt(token) === 0) return undefined;
    const supply = lines.supply(token);
    if (supply.m <= 0n) return undefined;
    const line = lines.find(this.of(token), token);
    if (line === undefined) return 0;
    const held = tokens.decimal(token, ...lines.balanceRaw(line, token));
    return held.m > 0n ? divToNumber(held, supply) * 100 : 0;
  }

  /** Tokens that an account created, ascending. A scan of all tokens: about 1 ms for 100,000. */
  tokensOf(account: number): number[] {
    const { tokens } = this.#state;
    const found: number[] = [];
    for (let token = 1; token < tokens.count; token++)
      if (tokens.pools[token] === 0 && this.of(token) === account) found.push(token);
    return found;
  }

  /** How many tokens an account created. */
  countOf(account: number): number {
    return this.#created.get(account) ?? 0;
  }

  isWatched(account: number): boolean {
    return ((this.#watched[account >>> 5] ?? 0) & (1 << (account & 31))) !== 0;
  }

  /** Watches the issuers of new tokens; before the ledger's events are taken. */
  begin(): void {
    const { tokens } = this.#state;
    for (; this.#seen < tokens.count; this.#seen++)
      if (tokens.pools[this.#seen] === 0) {
        this.#watch(tokens.issuer(this.#seen));
        this.#count(this.of(this.#seen), 1);
      }
  }

  /** An account other than a pool holds the token now, and did not before. */
  held(token: number, account: number): void {
    const { tokens } = this.#state;
    if (this.#first[token] || tokens.createdAt(token) === 0 || tokens.pools[token] !== 0) return;
    this.table.reserve(token + 1);
    this.#first[token] = account;
    this.table.markDirty(token);
    this.#watch(account);
  }

  /** An account opened the token's pool with XRP. */
  openedPool(token: number, account: number, closeTime: number): void {
    const created = this.#state.tokens.createdAt(token);
    if (this.#first[token] !== account || account === 0 || this.#creator[token]) return;
    if (created === 0 || closeTime - created > CREATED_WITHIN || !this.#hasMost(token, account)) return;
    this.#count(this.of(token), -1);
    this.#creator[token] = account;
    this.#count(account, 1);
    this.table.markDirty(token);
    this.#state.changed.tokens.add(token);
  }

  /** Derives what is not in the rows. */
  rebuild(): void {
    this.#watched.fill(0);
    this.#created.clear();
    this.#seen = 1;
    this.begin();
    for (let token = 1; token < this.#state.tokens.count; token++)
      if (this.#first[token]) this.#watch(this.#first[token]!);
  }

  /** Whether an account and the token's pool with XRP have at least half of the supply. */
  #hasMost(token: number, account: number): boolean {
    const { lines, pools, tokens } = this.#state;
    const pool = pools.byAssets(XRP, token);
    if (pool === undefined) return false;
    let held = ZERO;
    for (const holder of [account, pools.accounts[pool]!]) {
      const line = lines.find(holder, token);
      if (line !== undefined)
        held = addDecimal(held, tokens.decimal(token, ...lines.balanceRaw(line, token)));
    }
    return subDecimal(addDecimal(held, held), lines.supply(token)).m >= 0n;
  }

  #count(account: number, by: 1 | -1): void {
    this.#created.set(account, (this.#created.get(account) ?? 0) + by);
  }

  #watch(account: number): void {
    const word = account >>> 5;
    if (word >= this.#watched.length) {
      const larger = new Uint32Array(Math.max(word + 1, this.#watched.length * 2));
      larger.set(this.#watched);
      this.#watched = larger;
    }
    this.#watched[word]! |= 1 << (account & 31);
  }
}
