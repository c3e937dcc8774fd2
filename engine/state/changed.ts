/**
 * What the last ledger changed, as sets of dense ids. The engine clears it before each ledger; readers (caches,
 * streams) walk it after. Sets are reused, so that no ledger leaves garbage.
 */
import { BalanceLog } from './balance-log.ts';

export class Changed {
  /** Tokens of which anything a reader shows changed: supply, holders, offers, pool, issuance. */
  readonly tokens = new Set<number>();
  /**
   * Tokens whose pools lock another value, or locked another a day ago, because the price of the pool's other token is
   * another. Their rows differ, as the dollars in all rows do when that rate moves; nothing happened to these tokens.
   */
  readonly repriced = new Set<number>();
  readonly books = new Set<number>();
  /** Tokens whose trust lines or holdings changed. */
  readonly holders = new Set<number>();
  /** The lines of these, in pairs of token and line; a pair may occur again, and the line's row may have been reused since. */
  readonly holderLines: number[] = [];
  /** What the lines held before and after each transaction. */
  readonly balances = new BalanceLog();
  /** Pools whose reserves, LP balance, fee or existence changed. */
  readonly pools = new Set<number>();
  /** Pools that the ledger closed, by their account. */
  readonly closedPools = new Map<number, number>();
  /** Accounts whose AccountRoot or one of whose lines changed. */
  readonly accounts = new Set<number>();
  /** Accounts of which something else than balance, sequence and count of owned entries changed: what rows of their tokens show. */
  readonly settings = new Set<number>();

  clear(): void {
    this.tokens.clear();
    this.repriced.clear();
    this.books.clear();
    this.holders.clear();
    this.holderLines.length = 0;
    this.balances.clear();
    this.pools.clear();
    this.closedPools.clear();
    this.accounts.clear();
    this.settings.clear();
  }
}
