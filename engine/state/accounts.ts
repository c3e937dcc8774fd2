/**
 * Accounts as dense ids. An id is assigned when a ledger first names the account (as issuer, holder, offer owner, pool) and
 * never reused, since trade history refers to it; `exists` shows whether it has an AccountRoot now.
 */

import { accountBytes, accountText } from '../codec/base58.ts';
import { copyBytes, readU32, sameBytes } from '../codec/bytes.ts';
import { AccountNode, NodeAction } from '../codec/changes.ts';
import type { RowSteps } from '../event-loop.ts';
import { type StoreReads, TextKind } from '../store.ts';
import { RegularKey, regularKeyOf, storedKeys } from './black-holes.ts';
import type { Fees } from './fees.ts';
import { hashBytes } from './hash.ts';
import { inSteps } from './index-fill.ts';
import { hashesOf, type IndexKeys } from './index-keys.ts';
import { KeptTexts } from './kept-texts.ts';
import { RecentIds } from './recent-ids.ts';
import type { FilledIndex, RowIndex } from './row-index.ts';
import type { Table } from './table.ts';
import { blobBytes, blobText, type Texts } from './texts.ts';

/** Account flags (AccountRoot): https://xrpl.org/docs/references/protocol/ledger-data/ledger-entry-types/accountroot */
export const AccountFlag = {
  passwordSpent: 0x00010000,
  requireDestTag: 0x00020000,
  requireAuth: 0x00040000,
  disallowXrp: 0x00080000,
  disableMaster: 0x00100000,
  noFreeze: 0x00200000,
  globalFreeze: 0x00400000,
  defaultRipple: 0x00800000,
  depositAuth: 0x01000000,
  disallowIncomingTrustline: 0x20000000,
  allowTrustLineClawback: 0x80000000,
} as const;

/** Balances below this many times 2 ** 32 drops are exact as numbers. */
const EXACT_HI = 2 ** 21;

/** Whether an account exists on the ledger. */
export const Presence = { named: 0, exists: 1, deleted: 2 } as const;

export class Accounts {
  readonly table: Table;
  /** Raw XRP amount words. */
  readonly balanceHi: Uint32Array;
  readonly balanceLo: Uint32Array;
  readonly sequence: Uint32Array;
  readonly flags: Uint32Array;
  readonly ownerCount: Uint32Array;
  /** Billionths; 0 = not set (no fee). */
  readonly transferRate: Uint32Array;
  /** Significant digits of offers; 0 = not set. */
  readonly tickSize: Uint8Array;
  /** Close time of the ledger that created the account, last where it was deleted; else of the first that showed it; 0 = before. */
  readonly firstSeen: Uint32Array;
  /** Close time of the last transaction its address sent, also before it was deleted; 0 = none seen. See lastSent. */
  readonly lastActive: Uint32Array;
  /** See Presence. */
  readonly presence: Uint8Array;
  /** 1 = the account of an AMM (its AccountRoot carries an AMMID). */
  readonly amm: Uint8Array;
  /** How many exist now. */
  existing = 0;

  readonly #ids: Uint8Array;
  readonly #domainHash: Uint32Array;
  /** See RegularKey. */
  readonly #regularKeys: Uint8Array;
  /** 1 = a transaction gave it a list of signers, and none removed it. */
  readonly #signers: Uint8Array;
  readonly #index: RowIndex;
  readonly #recent = new RecentIds();
  readonly #fees: Fees;
  readonly #texts: Texts;
  readonly #addresses: KeptTexts;

  constructor(table: Table, fees: Fees, texts: Texts) {
    this.table = table;
    this.#ids = table.u8('ids', 20);
    this.balanceHi = table.u32('balanceHi');
    this.balanceLo = table.u32('balanceLo');
    this.sequence = table.u32('sequence');
    this.flags = table.u32('flags');
    this.ownerCount = table.u32('ownerCount');
    this.transferRate = table.u32('transferRate');
    this.tickSize = table.u8('tickSize');
    this.firstSeen = table.u32('firstSeen');
    this.lastActive = table.u32('lastActive');
    this.presence = table.u8('presence');
    this.amm = table.u8('amm');
    this.#domainHash = table.u32('domainHash');
    this.#regularKeys = table.u8('regularKey');
    this.#signers = table.u8('signerList');
    const reason =
      'of accounts whose master key is enabled, stores of earlier versions do not contain it; isBlackholed is digested';
    for (const column of ['regularKey', 'signerList']) table.excludeFromDigest(column, reason);
    table.onAdded('regularKey', (store) => this.#readKeys(store));
    this.#index = table.index('ids', (row) => hashBytes(this.#ids, row * 20, 20));
    this.#addresses = new KeptTexts(table, (id) => accountText(this.#ids, id * 20));
    this.#fees = fees;
    this.#texts = texts;
  }

  /** Ids assigned so far are 1 .. count - 1. */
  get count(): number {
    return this.table.count;
  }

  /** Id of the 20 bytes at `at`; assigned now if new. @throws TableFullError */
  intern(bytes: Uint8Array, at: number): number {
    const found = this.find(bytes, at);
    if (found !== undefined) return found;
    const id = this.table.add();
    copyBytes(bytes, at, this.#ids, id * 20, 20);
    this.#index.add(id);
    return id;
  }

  find(bytes: Uint8Array, at: number): number | undefined {
    const recent = this.#recent.find(bytes, at);
    if (recent !== 0) return recent;
    const index = this.#index;
    const ids = this.#ids;
    for (let slot = index.first(hashBytes(bytes, at, 20)); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0) return undefined;
      if (!sameBytes(ids, row * 20, bytes, at, 20)) continue;
      this.#recent.keep(bytes, at, row);
      return row;
    }
  }

  /** By r-address; undefined when it is malformed or never named. */
  findText(address: string): number | undefined {
    const bytes = accountBytes(address);
    return bytes && this.find(bytes, 0);
  }

  /** The r-address. */
  text(id: number): string {
    return this.#addresses.of(id);
  }

  /** The 20 bytes: a view that stays valid. */
  bytes(id: number): Uint8Array {
    return this.#ids.subarray(id * 20, id * 20 + 20);
  }

  /** Order of two accounts by their bytes, as the ledger sorts the ends of a trust line. */
  isBelow(a: number, b: number): boolean {
    const ids = this.#ids;
    for (let i = 0; i < 20; i++) {
      const difference = ids[a * 20 + i]! - ids[b * 20 + i]!;
      if (difference !== 0) return difference < 0;
    }
    return false;
  }

  exists(id: number): boolean {
    return this.presence[id] === Presence.exists;
  }

  /** Balance in drops, negative in a few accounts of 2013. */
  balanceDrops(id: number): bigint {
    const hi = this.balanceHi[id]!;
    const drops = (BigInt(hi & 0x3fffffff) << 32n) | BigInt(this.balanceLo[id]!);
    return drops === 0n || hi & 0x40000000 ? drops : -drops;
  }

  /** Drops locked by the reserve. */
  reserveDrops(id: number): bigint {
    if (this.isOwnToLedger(id)) return 0n;
    const fees = this.#fees;
    return BigInt(fees.reserveBaseDrops) + BigInt(fees.reserveIncrementDrops) * BigInt(this.ownerCount[id]!);
  }

  /**
   * Whether the account is one of the ledger itself, of a pool, a vault or a loan broker: it has no key, and no reserve is asked of it
   * (rippled `xrpLiquid`). The sequence of such is 0, but for those of the first pools.
   */
  isOwnToLedger(id: number): boolean {
    return this.exists(id) && (this.amm[id] === 1 || this.sequence[id] === 0);
  }

  /** Balance above the reserve, in drops; never below 0. */
  spendableDrops(id: number): bigint {
    const { reserveBaseDrops, reserveIncrementDrops } = this.#fees;
    const hi = this.balanceHi[id]!;
    const reserve = this.isOwnToLedger(id)
      ? 0
      : reserveBaseDrops + reserveIncrementDrops * this.ownerCount[id]!;
    // Numbers are exact here and several times as fast: order books and reviews ask for thousands.
    if ((hi & 0x3fffffff) < EXACT_HI && reserve <= Number.MAX_SAFE_INTEGER) {
      const left = (hi & 0x3fffffff) * 2 ** 32 + this.balanceLo[id]! - reserve;
      return (hi & 0x40000000) !== 0 && left > 0 ? BigInt(left) : 0n;
    }
    const spendable = this.balanceDrops(id) - this.reserveDrops(id);
    return spendable > 0n ? spendable : 0n;
  }

  /** The Domain field, as its owner wrote it. */
  domain(id: number): string | undefined {
    return this.#domainHash[id] === 0 ? undefined : this.#texts.get(TextKind.domain, id);
  }

  /** An AccountRoot node. @returns the account, 0 when the node carries no fields. */
  apply(bytes: Uint8Array, words: Uint32Array, at: number, closeTime: number, settings: Set<number>): number {
    const accountAt = words[at + AccountNode.accountAt]!;
    if (accountAt === 0) return 0;
    const id = this.intern(bytes, accountAt);
    const word = (column: number): number => {
      const offset = words[at + column]!;
      return offset === 0 ? 0 : readU32(bytes, offset);
    };
    const deleted = words[at + 1] === NodeAction.deleted;
    this.existing += (deleted ? 0 : 1) - (this.exists(id) ? 1 : 0);
    const balanceAt = words[at + AccountNode.balanceAt]!;
    // A zero balance is left out of NewFields (new pool accounts have one).
    this.balanceHi[id] = deleted || balanceAt === 0 ? 0x40000000 : readU32(bytes, balanceAt);
    this.balanceLo[id] = deleted || balanceAt === 0 ? 0 : readU32(bytes, balanceAt + 4);
    this.sequence[id] = word(AccountNode.sequenceAt);
    this.ownerCount[id] = deleted ? 0 : word(AccountNode.ownerCountAt);
    this.amm[id] = words[at + AccountNode.ammIdAt] === 0 ? 0 : 1;
    if (words[at + 1] !== NodeAction.modified) this.#signers[id] = 0;
    if (this.firstSeen[id] === 0 || words[at + 1] === NodeAction.created) this.firstSeen[id] = closeTime;
    if (this.#applySettings(id, bytes, words, at, word)) settings.add(id);
    this.table.markDirty(id);
    return id;
  }

  /** @returns whether one of them changed */
  #applySettings(
    id: number,
    bytes: Uint8Array,
    words: Uint32Array,
    at: number,
    word: (column: number) => number,
  ): boolean {
    const deleted = words[at + 1] === NodeAction.deleted;
    const flags = word(AccountNode.flagsAt);
    const transferRate = word(AccountNode.transferRateAt);
    const tickAt = words[at + AccountNode.tickSizeAt]!;
    const tickSize = tickAt === 0 ? 0 : bytes[tickAt]!;
    const regularKey = regularKeyOf(bytes, words[at + AccountNode.regularKeyAt]!);
    const presence = deleted ? Presence.deleted : Presence.exists;
    const isSame =
      this.flags[id] === flags &&
      this.transferRate[id] === transferRate &&
      this.tickSize[id] === tickSize &&
      this.#regularKeys[id] === regularKey &&
      this.presence[id] === presence;
    this.flags[id] = flags;
    this.transferRate[id] = transferRate;
    this.tickSize[id] = tickSize;
    this.#regularKeys[id] = regularKey;
    this.presence[id] = presence;
    const isDomainSame = !this.#setDomain(id, bytes, deleted ? 0 : words[at + AccountNode.domainAt]!);
    return !(isSame && isDomainSame);
  }

  /** A transaction gave the account a list of signers, or removed it. */
  setSigners(id: number, has: boolean): void {
    this.#signers[id] = has ? 1 : 0;
    this.table.markDirty(id);
  }

  /**
   * Whether no transaction of the account can be signed any more; see black-holes.ts. Lists of signers are known from the ledgers
   * seen. undefined: no ledger showed its keys.
   */
  isBlackholed(id: number): boolean | undefined {
    if (!this.exists(id)) return undefined;
    if ((this.flags[id]! & AccountFlag.disableMaster) === 0) return false;
    if (this.isOwnToLedger(id)) return true;
    const key = this.#regularKeys[id];
    return key === RegularKey.unknown ? undefined : key === RegularKey.unusable && this.#signers[id] === 0;
  }

  /** For a store that was written without these columns: keys of accounts with a disabled master key are read from its ledgers. */
  #readKeys(store: StoreReads): void {
    for (let id = 1; id < this.count; id++) {
      if (!this.exists(id)) continue;
      const disabled = (this.flags[id]! & AccountFlag.disableMaster) !== 0;
      const { key, signers } = disabled
        ? storedKeys(store, this.bytes(id))
        : { key: RegularKey.usable, signers: false };
      this.#regularKeys[id] = key;
      this.#signers[id] = signers ? 1 : 0;
    }
  }

  /** Close time of the last transaction that it sent since it was created, last where it was deleted; 0 = none seen. */
  lastSent(id: number): number {
    const sent = this.lastActive[id]!;
    return sent < this.firstSeen[id]! ? 0 : sent;
  }

  /** The account sent a transaction. */
  active(id: number, closeTime: number): void {
    if (this.lastActive[id] === closeTime) return;
    this.lastActive[id] = closeTime;
    this.table.markDirty(id);
  }

  get indexKeys(): IndexKeys {
    return { kind: 'accounts', rows: this.table.count, ids: this.#ids.buffer as SharedArrayBuffer };
  }

  takeIndex(index: FilledIndex): void {
    this.#index.take(index);
  }

  *fillingIndex(): RowSteps {
    const { count } = this.table;
    yield* this.#index.filling(count, hashesOf(this.indexKeys));
  }

  /** @param indexApart its index is filled by another thread: nothing can be found before that is taken */
  *rebuilding(indexApart = false): RowSteps {
    const { count } = this.table;
    this.#recent.clear();
    if (!indexApart) yield* this.fillingIndex();
    this.existing = 0;
    yield* inSteps(count, (from, to) => {
      const { presence } = this;
      for (let id = from; id < to; id++) if (presence[id] === Presence.exists) this.existing++;
    });
    yield count;
  }

  /** @returns whether it is another one */
  #setDomain(id: number, bytes: Uint8Array, blobAt: number): boolean {
    let hash = 0;
    if (blobAt !== 0) {
      const blob = blobBytes(bytes, blobAt);
      hash = blob.length === 0 ? 0 : Bun.hash.crc32(blob) || 1;
    }
    if (hash === this.#domainHash[id]) return false;
    this.#domainHash[id] = hash;
    this.#texts.set(TextKind.domain, id, hash === 0 ? '' : (blobText(bytes, blobAt) ?? ''));
    return true;
  }
}
