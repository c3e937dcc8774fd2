/**
 * Who has a pool's auction slot: until it expires, these accounts trade at a discounted fee (XLS-30; rippled `getTradingFee`).
 *
 *     16 DiscountedFee, 2A Expiration, 601C Price, 81 Account, F019 AuthAccounts { E01B { 81 Account E1 } ... F1 } E1
 *
 * Accounts are held as their bytes: ids of accounts that nothing else names would change those of every replay. A slot lasts a day,
 * so that what a store of an earlier version lacks is there a day after it was opened. Cost: 106 bytes a pool.
 */
import { copyBytes, readU16, readU32 } from '../codec/bytes.ts';
import { ARRAY_END, amountBytes, headerBytes, OBJECT_END } from '../codec/skip.ts';
import { fixedU32 } from './fixed-views.ts';
import type { Table } from './table.ts';

/** The one who won the slot, and those it authorised (rippled: four). */
const ACCOUNTS_MAX = 5;
const ACCOUNT_BYTES = 20;

const Header = { discountedFee: 0x16, expiration: 0x2a, price: 0x60, account: 0x81 } as const;

export class PoolSlots {
  /** Ripple epoch seconds; 0: nobody has the slot. */
  readonly #until: Uint32Array;
  /** 1/100000 of a trade. */
  readonly #fees: Uint16Array;
  /** Five of 20 bytes each; zero: fewer. */
  readonly #accounts: Uint8Array;
  readonly #table: Table;

  /** @param table of the pools */
  constructor(table: Table) {
    this.#table = table;
    this.#until = table.u32('slotUntil');
    this.#fees = table.u16('slotFee');
    this.#accounts = table.u8('slotAccounts', ACCOUNTS_MAX * ACCOUNT_BYTES);
    const reason = 'stores of earlier versions do not contain those of the last day before they were opened';
    for (const column of ['slotUntil', 'slotFee', 'slotAccounts']) table.excludeFromDigest(column, reason);
  }

  /**
   * The fee of an account that has a discount (1/100000).
   * @param account its 20 bytes
   * @param time close time of the newest ledger
   */
  discounted(pool: number, account: Uint8Array, time: number): number | undefined {
    return this.#until[pool]! > time && this.#has(pool, account) ? this.#fees[pool] : undefined;
  }

  /** Pools with a slot that somebody has. Cost: a comparison for each pool. @param time close time of the newest ledger */
  taken(time: number): number[] {
    const pools: number[] = [];
    const { count } = this.#table;
    const until = fixedU32(this.#until, count);
    for (let pool = 1; pool < count; pool++) if (until[pool]! > time) pools.push(pool);
    return pools;
  }

  #has(pool: number, account: Uint8Array): boolean {
    const from = pool * ACCOUNTS_MAX * ACCOUNT_BYTES;
    for (let place = 0; place < ACCOUNTS_MAX; place++) {
      let i = 0;
      while (i < ACCOUNT_BYTES && this.#accounts[from + place * ACCOUNT_BYTES + i] === account[i]) i++;
      if (i === ACCOUNT_BYTES) return true;
    }
    return false;
  }

  /** @param at first byte inside the AuctionSlot object; 0: there is none */
  set(pool: number, bytes: Uint8Array, at: number): void {
    const from = pool * ACCOUNTS_MAX * ACCOUNT_BYTES;
    this.#until[pool] = 0;
    this.#fees[pool] = 0;
    this.#accounts.fill(0, from, from + ACCOUNTS_MAX * ACCOUNT_BYTES);
    if (at === 0) return;
    let named = 0;
    for (let depth = 1; depth > 0 && at < bytes.length; ) {
      const first = bytes[at]!;
      if (first === OBJECT_END || first === ARRAY_END) {
        depth -= 1;
        at += 1;
        continue;
      }
      at += headerBytes(first);
      if (first === Header.discountedFee) this.#fees[pool] = readU16(bytes, at);
      else if (first === Header.expiration) this.#until[pool] = readU32(bytes, at);
      else if (first === Header.account && named < ACCOUNTS_MAX) {
        copyBytes(bytes, at + 1, this.#accounts, from + named * ACCOUNT_BYTES, ACCOUNT_BYTES);
        named += 1;
      }
      const size = sizeOf(first, bytes, at);
      if (size === undefined) depth += 1;
      else at += size;
    }
  }
}

/** Bytes of a value by the first byte of its header; undefined: an object or array, whose content follows. */
function sizeOf(first: number, bytes: Uint8Array, at: number): number | undefined {
  switch (first) {
    case Header.discountedFee:
      return 2;
    case Header.expiration:
      return 4;
    case Header.price:
      return amountBytes(bytes[at]!);
    case Header.account:
      return 1 + ACCOUNT_BYTES;
    default:
      return undefined;
  }
}
