/**
 * A trade or liquidity event as 128 bytes, little-endian: the form in which history stores it and streams publish it.
 *
 *     0 u32 ledger index            64 u32 paid raw hi        104 u32 LP tokens raw hi
 *     4 u32 transaction index       68 u32 paid raw lo        108 u32 LP tokens raw lo
 *     8 u32 number in the ledger    72 u32 got raw hi         112 u32 LP token id (0: none)
 *    12 u32 close time (Ripple s)   76 u32 got raw lo         116 u32 account id
 *    16  32 transaction hash        80 u32 offer sequence     120 f64 value in drops (integer; 0: not known)
 *    48 u32 maker account id        84 u32 source tag
 *    52 u32 taker account id        88 u8  flags, u8 type, u16 platform number (see platforms.ts)
 *    56 u32 paid token id           92 u8  paid kind, u8 got kind, u16 zero
 *    60 u32 got token id            96 u32 pool id (0: none), 100 u32 zero
 *
 * Book trade: taker = who signed, maker = owner of the offer; `paid` is what the taker paid, `got` what the taker received.
 * Pool trade (isAMM): taker = the pool's account, maker = who signed; `paid` is what the pool gave, `got` what it
 * received. Liquidity (isLiquidity): maker = account = the provider, taker = the pool's account, `paid` and `got` = the
 * amounts of the two assets (XRP first, else in the order of the pool), LP tokens minted or redeemed.
 *
 * The number in the ledger counts the records of one ledger from 0 in apply order; with the ledger index it is the
 * record's identity, its place in every history, and the cursor.
 */

import { XRP } from '../state/tokens.ts';
import type { Position } from '../store.ts';

export const TRADE_BYTES = 128;

/** `domain`: the offer was in the book of a permissioned domain. */
export const TradeFlag = { amm: 1, liquidity: 2, sourceTag: 4, domain: 8 } as const;
export const TradeType = { trade: 0, deposit: 1, withdraw: 2, create: 3 } as const;
export type TradeType = (typeof TradeType)[keyof typeof TradeType];

/** Byte offsets of the columns drawn above. */
export const TradeAt = {
  ledger: 0,
  tx: 4,
  number: 8,
  closeTime: 12,
  hash: 16,
  maker: 48,
  taker: 52,
  paidToken: 56,
  gotToken: 60,
  paidHi: 64,
  paidLo: 68,
  gotHi: 72,
  gotLo: 76,
  offerSequence: 80,
  sourceTag: 84,
  flags: 88,
  type: 89,
  platform: 90,
  paidKind: 92,
  gotKind: 93,
  pool: 96,
  lpHi: 104,
  lpLo: 108,
  lpToken: 112,
  account: 116,
  value: 120,
} as const;

/** Reads records that follow one another in a buffer. One reader serves any number of records. */
export class TradeReader {
  #bytes: Uint8Array;
  #view: DataView;
  #base = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Reads other bytes from now on, starting at their first record. */
  load(bytes: Uint8Array): this {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#base = 0;
    return this;
  }

  /** Moves to record number `i`. */
  at(i: number): this {
    this.#base = i * TRADE_BYTES;
    return this;
  }

  #word(at: number): number {
    return this.#view.getUint32(this.#base + at, true);
  }

  get ledger(): number {
    return this.#word(TradeAt.ledger);
  }
  get tx(): number {
    return this.#word(TradeAt.tx);
  }
  /** Number of the record in its ledger. */
  get number(): number {
    return this.#word(TradeAt.number);
  }
  /** Ripple epoch seconds. */
  get closeTime(): number {
    return this.#word(TradeAt.closeTime);
  }
  /** Transaction hash, 32 bytes, a view. */
  get hash(): Uint8Array {
    const at = this.#base + TradeAt.hash;
    return this.#bytes.subarray(at, at + 32);
  }
  get maker(): number {
    return this.#word(TradeAt.maker);
  }
  get taker(): number {
    return this.#word(TradeAt.taker);
  }
  get paidToken(): number {
    return this.#word(TradeAt.paidToken);
  }
  get gotToken(): number {
    return this.#word(TradeAt.gotToken);
  }
  get paidHi(): number {
    return this.#word(TradeAt.paidHi);
  }
  get paidLo(): number {
    return this.#word(TradeAt.paidLo);
  }
  get gotHi(): number {
    return this.#word(TradeAt.gotHi);
  }
  get gotLo(): number {
    return this.#word(TradeAt.gotLo);
  }
  /** Asset kind of the paid amount: 0 xrp, 1 issued, 2 mpt. */
  get paidKind(): 0 | 1 | 2 {
    return this.#bytes[this.#base + TradeAt.paidKind] as 0 | 1 | 2;
  }
  get gotKind(): 0 | 1 | 2 {
    return this.#bytes[this.#base + TradeAt.gotKind] as 0 | 1 | 2;
  }
  /** Sequence of the consumed offer; 0 for pools. */
  get offerSequence(): number {
    return this.#word(TradeAt.offerSequence);
  }
  get sourceTag(): number | undefined {
    return this.flags & TradeFlag.sourceTag ? this.#word(TradeAt.sourceTag) : undefined;
  }
  get flags(): number {
    return this.#bytes[this.#base + TradeAt.flags]!;
  }
  get type(): TradeType {
    return this.#bytes[this.#base + TradeAt.type] as TradeType;
  }
  /** Number of the platform (platforms.ts), 0 when the source tag is unknown. */
  get platform(): number {
    return this.#view.getUint16(this.#base + TradeAt.platform, true);
  }
  get isAMM(): boolean {
    return (this.flags & TradeFlag.amm) !== 0;
  }
  /** Whether a leg is XRP. */
  get hasXrp(): boolean {
    return this.paidToken === XRP || this.gotToken === XRP;
  }
  get isDomain(): boolean {
    return (this.flags & TradeFlag.domain) !== 0;
  }
  get isLiquidity(): boolean {
    return (this.flags & TradeFlag.liquidity) !== 0;
  }
  /** Who traded or provided: the signing account (for AMMClawback the holder). */
  get account(): number {
    return this.#word(TradeAt.account);
  }
  get lpHi(): number {
    return this.#word(TradeAt.lpHi);
  }
  get lpLo(): number {
    return this.#word(TradeAt.lpLo);
  }
  /** Token id of the LP token, 0 when the record is no liquidity event. */
  get lpToken(): number {
    return this.#word(TradeAt.lpToken);
  }
  /**
   * A payment took an offer of its own sender: what the offer gave, the payment delivered. Nothing was bought or sold; what
   * left the account is what it paid to others.
   */
  get isWithItself(): boolean {
    return this.maker === this.taker;
  }
  /** Pool id, undefined for book trades and pools the state does not know. */
  get pool(): number | undefined {
    return this.#word(TradeAt.pool) || undefined;
  }
  /** What the trade was worth when it happened, in drops: its XRP leg, else derived; 0 when it is not known. */
  get valueDrops(): number {
    return this.#view.getFloat64(this.#base + TradeAt.value, true);
  }
  /** For the writer of the record. */
  setValueDrops(drops: number): void {
    this.#view.setFloat64(this.#base + TradeAt.value, drops, true);
  }
  get position(): Position {
    return { ledger: this.ledger, tx: this.tx, entry: this.number };
  }
}

/** Records of one ledger and one number each: below 2^20 in a ledger, so a cursor stays an exact JSON number. */
const NUMBERS_A_LEDGER = 2 ** 20;

/** The cursor of a record: an integer below 2^53. */
export function cursorOf(ledger: number, number: number): number {
  return ledger * NUMBERS_A_LEDGER + number;
}

export function cursorLedger(cursor: number): number {
  return Math.floor(cursor / NUMBERS_A_LEDGER);
}
