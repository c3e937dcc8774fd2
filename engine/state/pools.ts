/**
 * AMM pools. A pool's reserves are what its account holds (XRP balance, trust line or MPT holding), so they are
 * read there and never stored twice. Ids are never reused; a deleted pool keeps its row.
 */

import { readU16, readU32 } from '../codec/bytes.ts';
import { AmmNode, NodeAction } from '../codec/changes.ts';
import type { Accounts } from './accounts.ts';
import type { Changed } from './changed.ts';
import { hash2, hashWord } from './hash.ts';
import type { Lines } from './lines.ts';
import { PoolSlots } from './pool-slots.ts';
import type { RowIndex } from './row-index.ts';
import type { Table } from './table.ts';
import { TokenKind, type Tokens, XRP } from './tokens.ts';

export const PoolState = { exists: 1, deleted: 2 } as const;

const NONE: ReadonlySet<number> = new Set();

const ZERO_RAW: Record<TokenKind, readonly [number, number]> = {
  [TokenKind.xrp]: [0x40000000, 0],
  [TokenKind.issued]: [0x80000000, 0],
  [TokenKind.mpt]: [0, 0],
};

export class Pools {
  readonly table: Table;
  readonly accounts: Uint32Array;
  readonly assets1: Uint32Array;
  readonly assets2: Uint32Array;
  readonly lpTokens: Uint32Array;
  /** Raw LPTokenBalance: all LP tokens outstanding. */
  readonly lpHi: Uint32Array;
  readonly lpLo: Uint32Array;
  /** 1/100000 of a trade; at most 1000 (1 %). */
  readonly fees: Uint16Array;
  readonly createdTimes: Uint32Array;
  /** See PoolState. */
  readonly states: Uint8Array;
  /** Pools that exist now. */
  existing = 0;

  readonly #byAccount: RowIndex;
  readonly #byAssets: RowIndex;
  /** By token: its existing pool with XRP, which nearly every look-up by assets is for; 0: none. */
  readonly #withXrp: Uint32Array;
  /** Existing pools of each token, XRP among them. */
  readonly #byToken = new Map<number, Set<number>>();
  readonly #accounts: Accounts;
  readonly #tokens: Tokens;
  readonly #lines: Lines;
  readonly #changed: Changed;
  readonly #slots: PoolSlots;

  constructor(table: Table, accounts: Accounts, tokens: Tokens, lines: Lines, changed: Changed) {
    this.table = table;
    this.accounts = table.u32('accounts');
    this.assets1 = table.u32('assets1');
    this.assets2 = table.u32('assets2');
    this.lpTokens = table.u32('lpTokens');
    this.lpHi = table.u32('lpHi');
    this.lpLo = table.u32('lpLo');
    this.fees = table.u16('fees');
    this.createdTimes = table.u32('createdTimes');
    this.states = table.u8('states');
    this.#slots = new PoolSlots(table);
    this.#byAccount = table.index('accounts', (row) => hashWord(this.accounts[row]!));
    this.#byAssets = table.index('assets', (row) => pairHash(this.assets1[row]!, this.assets2[row]!));
    this.#withXrp = tokens.table.derivedU32('xrpPools');
    this.#accounts = accounts;
    this.#tokens = tokens;
    this.#lines = lines;
    this.#changed = changed;
  }

  /** Ids assigned so far are 1 .. count - 1; see `exists`. */
  get count(): number {
    return this.table.count;
  }

  exists(pool: number): boolean {
    return this.states[pool] === PoolState.exists;
  }

  /** The existing pool of an AMM account. */
  byAccount(account: number): number | undefined {
    const index = this.#byAccount;
    for (let slot = index.first(hashWord(account)); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0) return undefined;
      if (this.accounts[row] === account) return row;
    }
  }

  /** The pool of an AMM account for what the last ledger did with it: an existing one, or one which that ledger closed. */
  inLedger(account: number): number | undefined {
    return this.byAccount(account) ?? this.#changed.closedPools.get(account);
  }

  /** Whether an account is that of a pool, or was: no other gets the same address. */
  isAccount(account: number): boolean {
    return this.#accounts.amm[account] === 1 || this.byAccount(account) !== undefined;
  }

  /** The existing pool of two tokens, in any order: the ledger allows one. */
  byAssets(a: number, b: number): number | undefined {
    if (a === XRP) return this.#withXrp[b] || undefined;
    if (b === XRP) return this.#withXrp[a] || undefined;
    const index = this.#byAssets;
    for (let slot = index.first(pairHash(a, b)); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0) return undefined;
      const first = this.assets1[row];
      const second = this.assets2[row];
      if ((first === a && second === b) || (first === b && second === a)) return row;
    }
  }

  /** The existing pools of a token, oldest first. */
  of(token: number): ReadonlySet<number> {
    return this.#byToken.get(token) ?? NONE;
  }

  asset1(pool: number): number {
    return this.assets1[pool]!;
  }

  asset2(pool: number): number {
    return this.assets2[pool]!;
  }

  lpToken(pool: number): number {
    return this.lpTokens[pool]!;
  }

  fee(pool: number): number {
    return this.fees[pool]!;
  }

  /**
   * Of trades by an account: less where it has the auction slot.
   * @param account undefined: any that has not
   * @param time close time of the newest ledger
   */
  feeFor(pool: number, account: number | undefined, time: number): number {
    const discounted =
      account === undefined ? undefined : this.#slots.discounted(pool, this.#accounts.bytes(account), time);
    return discounted ?? this.fees[pool]!;
  }

  /** Pools whose auction slot somebody has. @param time close time of the newest ledger */
  withDiscounts(time: number): readonly number[] {
    return this.#slots.taken(time);
  }

  /** Whether an account has the auction slot of one of these pools. */
  hasDiscount(account: number, pools: readonly number[], time: number): boolean {
    const bytes = this.#accounts.bytes(account);
    return pools.some((pool) => this.#slots.discounted(pool, bytes, time) !== undefined);
  }

  /** Close time when first seen; 0 = before the first ledger seen. */
  createdAt(pool: number): number {
    return this.createdTimes[pool]!;
  }

  /** Raw amount of asset 1 or 2 that the pool holds. */
  reserveRaw(pool: number, side: 1 | 2): [number, number] {
    const token = side === 1 ? this.assets1[pool]! : this.assets2[pool]!;
    const account = this.accounts[pool]!;
    if (token === XRP) return [this.#accounts.balanceHi[account]!, this.#accounts.balanceLo[account]!];
    const line = this.#lines.find(account, token);
    if (line !== undefined) return this.#lines.balanceRaw(line, token);
    const [hi, lo] = ZERO_RAW[this.#tokens.kind(token)];
    return [hi, lo];
  }

  lpBalanceRaw(pool: number): [number, number] {
    return [this.lpHi[pool]!, this.lpLo[pool]!];
  }

  /** An AMM node. */
  apply(bytes: Uint8Array, words: Uint32Array, at: number, closeTime: number): void {
    const accountAt = words[at + AmmNode.accountAt]!;
    const assetAt = words[at + AmmNode.assetAt]!;
    const asset2At = words[at + AmmNode.asset2At]!;
    const lpAt = words[at + AmmNode.lpBalanceAt]!;
    if (accountAt === 0) return;
    const account = this.#accounts.intern(bytes, accountAt);
    let row = this.byAccount(account) ?? 0;
    if (words[at + 1] === NodeAction.deleted) {
      if (row !== 0) this.#delete(row);
      return;
    }
    if ((assetAt === 0 && asset2At === 0) || lpAt === 0) return;
    if (row === 0) {
      // XRP is the default of an Issue, so NewFields leave it out.
      const asset1 = assetAt === 0 ? XRP : this.#tokens.ofIssue(bytes, assetAt);
      const asset2 = asset2At === 0 ? XRP : this.#tokens.ofIssue(bytes, asset2At);
      const stale = this.byAssets(asset1, asset2);
      if (stale !== undefined) this.#delete(stale); // the ledger allows one: its deletion was not seen (a gap)
      row = this.table.add();
      this.accounts[row] = account;
      this.assets1[row] = asset1;
      this.assets2[row] = asset2;
      this.lpTokens[row] = this.#tokens.ofAmount(bytes, lpAt);
      this.createdTimes[row] = closeTime;
      this.states[row] = PoolState.exists;
      this.#tokens.setPool(this.lpTokens[row]!, row);
      this.#enter(row);
    }
    const feeAt = words[at + AmmNode.tradingFeeAt]!;
    this.fees[row] = feeAt === 0 ? 0 : readU16(bytes, feeAt);
    this.#slots.set(row, bytes, words[at + AmmNode.auctionSlotAt]!);
    this.lpHi[row] = readU32(bytes, lpAt);
    this.lpLo[row] = readU32(bytes, lpAt + 4);
    this.table.markDirty(row);
    this.markChanged(row);
  }

  /** Marks the pool as changed: itself or its reserves. */
  markChanged(pool: number): void {
    const { pools, tokens } = this.#changed;
    pools.add(pool);
    tokens.add(this.assets1[pool]!);
    tokens.add(this.assets2[pool]!);
    tokens.add(this.lpTokens[pool]!);
  }

  rebuild(): void {
    this.#byAccount.reset(this.table.count);
    this.#byAssets.reset(this.table.count);
    this.#byToken.clear();
    if (this.existing > 0) this.#withXrp.fill(0);
    this.existing = 0;
    for (let row = 1; row < this.table.count; row++) if (this.exists(row)) this.#enter(row);
  }

  #enter(row: number): void {
    this.#byAccount.add(row);
    this.#byAssets.add(row);
    this.#setXrpPool(row, row);
    for (const token of [this.assets1[row]!, this.assets2[row]!]) {
      const own = this.#byToken.get(token);
      if (own) own.add(row);
      else this.#byToken.set(token, new Set([row]));
    }
    this.existing++;
  }

  /** Where a pool has XRP on one side: sets the pool of the token on the other. */
  #setXrpPool(row: number, pool: number): void {
    const one = this.assets1[row]!;
    const two = this.assets2[row]!;
    if (one === XRP) this.#withXrp[two] = pool;
    else if (two === XRP) this.#withXrp[one] = pool;
  }

  #delete(row: number): void {
    this.#byAccount.remove(row);
    this.#byAssets.remove(row);
    this.#setXrpPool(row, 0);
    for (const token of [this.assets1[row]!, this.assets2[row]!]) this.#byToken.get(token)?.delete(row);
    this.existing--;
    this.states[row] = PoolState.deleted;
    this.#changed.closedPools.set(this.accounts[row]!, row);
    this.lpHi[row] = 0x80000000;
    this.lpLo[row] = 0;
    this.table.markDirty(row);
    this.markChanged(row);
  }
}

/** Same for both orders of the pair. */
function pairHash(a: number, b: number): number {
  return a < b ? hash2(a, b) : hash2(b, a);
}
