/**
 * How one transaction changed the balances of pool accounts.
 *
 * A pool's XRP is in its AccountRoot (which has an AMMID), its tokens in trust lines with lsfAMMNode, its MPTs in MPTokens
 * with lsfMPTAMM (rippled LedgerFormats.h; the flags are set for the assets of a pool,
 * never for its LP tokens, when the pool is created). On such a line the pool is the holder's side: the low account when
 * the balance is positive, the high one when it is negative.
 *
 * Everything is kept in reused arrays: two legs a pool, one for each asset.
 */
import { AssetKind, ISSUED_ZERO_HI, isZero, POSITIVE } from '../codec/amount.ts';
import { AccountNode, LineNode, MptokenNode, Node, NodeAction } from '../codec/changes.ts';
import type { PackedLedger } from '../codec/packed.ts';
import { amountDifference } from './amount-difference.ts';
import type { TradeNames } from './state-view.ts';

const LSF_AMM_NODE = 0x01000000;
const LSF_MPT_AMM = 0x4;
/** Offsets inside an issued Amount. */
const CURRENCY = 8;
const ISSUER = 28;

/** High word of zero in the raw form of each kind; the low word is 0. */
export function zeroHigh(kind: number): number {
  return kind === AssetKind.issued ? ISSUED_ZERO_HI : kind === AssetKind.xrp ? POSITIVE : 0;
}

/** Equality of 20 bytes at two places. */
export function equal20(bytes: Uint8Array, a: number, b: number): boolean {
  for (let i = 0; i < 20; i++) if (bytes[a + i] !== bytes[b + i]) return false;
  return true;
}

export class PoolDeltas {
  /** Pools seen in this transaction. */
  pools = 0;
  readonly accounts: number[] = [];
  /** By leg number 2 * pool + 0 or 1. */
  readonly tokens: number[] = [];
  readonly signs: number[] = [];
  readonly high: number[] = [];
  readonly low: number[] = [];
  readonly #legs: number[] = [];
  readonly #names: TradeNames;
  readonly #amount = new Uint32Array(2);

  constructor(names: TradeNames) {
    this.#names = names;
  }

  clear(): void {
    this.pools = 0;
  }

  /** An AccountRoot with an AMMID. */
  accountRoot(packed: PackedLedger, words: Uint32Array, at: number): void {
    const pool = this.#poolOf(this.#names.accounts.intern(packed.bytes, words[at + AccountNode.accountAt]!));
    const after = words[at + AccountNode.balanceAt]!;
    const before = words[at + AccountNode.prevBalanceAt]!;
    if (!after || (!before && words[at + Node.action] !== NodeAction.created)) return;
    const { view } = packed;
    const sign = amountDifference(
      AssetKind.xrp,
      view.getUint32(after),
      view.getUint32(after + 4),
      before ? view.getUint32(before) : POSITIVE,
      before ? view.getUint32(before + 4) : 0,
      this.#amount,
    );
    this.#addLeg(pool, 0, sign);
  }

  /** A trust line whose balance changed; ignored unless it has a pool's flag, or its holder is a known pool. */
  changedLine(packed: PackedLedger, words: Uint32Array, at: number): void {
    const { view } = packed;
    const after = words[at + LineNode.balanceAt]!;
    const before = words[at + LineNode.prevBalanceAt]!;
    if (!after || !before) return;
    const hi = view.getUint32(after);
    const deciding = isZero(AssetKind.issued, hi, view.getUint32(after + 4)) ? view.getUint32(before) : hi;
    const lowHolds = (deciding & POSITIVE) !== 0;
    const flagsAt = words[at + LineNode.flagsAt]!;
    const flagged = flagsAt !== 0 && (view.getUint32(flagsAt) & LSF_AMM_NODE) !== 0;
    if (flagged || this.#isPoolHolder(packed, words, at, lowHolds)) this.line(packed, words, at, lowHolds);
  }

  /** A pool that was emptied and refilled has lines without the flag: only AMMCreate sets it. */
  #isPoolHolder(packed: PackedLedger, words: Uint32Array, at: number, lowHolds: boolean): boolean {
    const limit = words[at + (lowHolds ? LineNode.lowLimitAt : LineNode.highLimitAt)]!;
    if (!limit) return false;
    const holder = this.#names.accounts.find(packed.bytes, limit + ISSUER);
    return holder !== undefined && this.#names.pools.inLedger(holder) !== undefined;
  }

  /** A trust line of a pool, seen from the pool's side. */
  line(packed: PackedLedger, words: Uint32Array, at: number, poolIsLow: boolean): void {
    const { bytes, view } = packed;
    const lowLimit = words[at + LineNode.lowLimitAt]!;
    const highLimit = words[at + LineNode.highLimitAt]!;
    const after = words[at + LineNode.balanceAt]!;
    const before = words[at + LineNode.prevBalanceAt]!;
    if (!lowLimit || !highLimit || !after) return;
    const account = this.#names.accounts.intern(bytes, (poolIsLow ? lowLimit : highLimit) + ISSUER);
    const sign = amountDifference(
      AssetKind.issued,
      view.getUint32(after),
      view.getUint32(after + 4),
      before ? view.getUint32(before) : ISSUED_ZERO_HI,
      before ? view.getUint32(before + 4) : 0,
      this.#amount,
    );
    // The limit of the other side has the currency and issuer of the pool's asset.
    const token = this.#names.tokens.ofAmount(bytes, poolIsLow ? highLimit : lowLimit);
    this.#addLeg(this.#poolOf(account), token, poolIsLow ? sign : -sign);
  }

  /** An MPToken whose amount changed; ignored unless it is a pool's. */
  holding(packed: PackedLedger, words: Uint32Array, at: number, knownPool: boolean): void {
    const { bytes, view } = packed;
    const flagsAt = words[at + MptokenNode.flagsAt]!;
    if (!knownPool && (!flagsAt || (view.getUint32(flagsAt) & LSF_MPT_AMM) === 0)) return;
    const after = words[at + MptokenNode.amountAt]!;
    const before = words[at + MptokenNode.prevAmountAt]!;
    const sign = amountDifference(
      AssetKind.mpt,
      after ? view.getUint32(after) : 0,
      after ? view.getUint32(after + 4) : 0,
      before ? view.getUint32(before) : 0,
      before ? view.getUint32(before + 4) : 0,
      this.#amount,
    );
    const account = this.#names.accounts.intern(bytes, words[at + MptokenNode.accountAt]!);
    const token = this.#names.tokens.ofMptId(bytes, words[at + MptokenNode.issuanceIdAt]!);
    this.#addLeg(this.#poolOf(account), token, sign);
  }

  /** Leg number of the asset that the pool has less of. */
  gave(pool: number): number {
    return this.signs[2 * pool]! < 0 ? 2 * pool : 2 * pool + 1;
  }

  /** Leg number of the asset that the pool has more of. */
  took(pool: number): number {
    return this.signs[2 * pool]! < 0 ? 2 * pool + 1 : 2 * pool;
  }

  /**
   * True when the pool exchanged one asset for the other. A side too small to show in a balance of 16 digits is
   * taken as zero when the state knows the pool's other asset.
   */
  isSwap(pool: number): boolean {
    const legs = this.#legs[pool]!;
    if (legs === 2) return this.signs[2 * pool]! * this.signs[2 * pool + 1]! < 0;
    if (legs !== 1 || this.signs[2 * pool] === 0) return false;
    const known = this.#names.pools.inLedger(this.accounts[pool]!);
    if (!known) return false;
    const one = this.#names.pools.asset1(known);
    const other = one === this.tokens[2 * pool] ? this.#names.pools.asset2(known) : one;
    this.#amount[0] = zeroHigh(this.#names.tokens.kind(other));
    this.#amount[1] = 0;
    this.#addLeg(pool, other, -this.signs[2 * pool]!);
    return true;
  }

  /** Leg number of a token of the pool, -1 when it did not change. */
  legOf(pool: number, token: number): number {
    for (let i = 0; i < this.#legs[pool]!; i++) if (this.tokens[2 * pool + i] === token) return 2 * pool + i;
    return -1;
  }

  #poolOf(account: number): number {
    for (let i = 0; i < this.pools; i++) if (this.accounts[i] === account) return i;
    this.accounts[this.pools] = account;
    this.#legs[this.pools] = 0;
    return this.pools++;
  }

  #addLeg(pool: number, token: number, sign: number): void {
    const number = this.#legs[pool]!;
    if (number > 2) return;
    this.#legs[pool] = number + 1; // with a third leg it is no swap: isSwap returns false
    if (number === 2) return;
    const leg = 2 * pool + number;
    this.tokens[leg] = token;
    this.signs[leg] = sign;
    this.high[leg] = this.#amount[0]!;
    this.low[leg] = this.#amount[1]!;
  }
}

/** True when the 20 currency bytes of two issued Amounts are equal. */
export function sameCurrency(bytes: Uint8Array, amountA: number, amountB: number): boolean {
  return equal20(bytes, amountA + CURRENCY, amountB + CURRENCY);
}

/** Offset of the issuer inside an issued Amount that starts at `amount`. */
export function issuerAt(amount: number): number {
  return amount + ISSUER;
}
