/**
 * Network-wide facts: reserves and base fee, the XRP in existence, the newest close time. One row of a table, so
 * that it is persisted and restored like everything else.
 *
 * Reserves come from the FeeSettings entry once a ledger (or a snapshot) showed it. Until then the documented
 * history of the main network is used, by close time:
 *   - 20 / 5 XRP until 2021-09-19, 10 / 2 XRP after: https://xrpl.org/blog/2021/reserves-lowered
 *     (the exact second is the close time of ledger 66462465, which holds the SetFee)
 *   - 1 / 0.2 XRP since 2024-12-02: https://xrpl.org/blog/2024/lower-reserves-are-in-effect
 * Reserves before 20 / 5 were higher (50 XRP in May 2013: github.com/ripple/ripple-client/issues/656), but the
 * dates are not documented, so the oldest documented pair is used for them.
 */

import { readU32 } from '../codec/bytes.ts';
import { FeeNode } from '../codec/changes.ts';
import type { Table } from './table.ts';

interface ReserveEra {
  /** Ripple epoch seconds. */
  readonly from: number;
  readonly baseDrops: number;
  readonly incrementDrops: number;
}

const RESERVE_ERAS: readonly ReserveEra[] = [
  { from: 786_412_800, baseDrops: 1_000_000, incrementDrops: 200_000 },
  { from: 685_361_132, baseDrops: 10_000_000, incrementDrops: 2_000_000 },
  { from: 0, baseDrops: 20_000_000, incrementDrops: 5_000_000 },
];

/** https://xrpl.org/docs/concepts/transactions/transaction-cost */
const BASE_FEE_DROPS = 10;

const ROW = 1;

/** Columns by number; amounts in drops. */
const WORDS = [
  'known',
  'closeTime',
  'reserveBaseHi',
  'reserveBaseLo',
  'reserveIncrementHi',
  'reserveIncrementLo',
  'baseFeeHi',
  'baseFeeLo',
  'totalHi',
  'totalLo',
] as const;

export class Fees {
  readonly table: Table;
  readonly #words: Uint32Array[];
  readonly #ledgerIndex: Uint32Array;

  /** @param table of at least ROW + 1 rows. */
  constructor(table: Table) {
    this.table = table;
    this.#words = WORDS.map((name) => table.u32(name));
    this.#ledgerIndex = table.derivedU32('ledgerIndex');
    if (!table.isAttached) table.count = ROW + 1;
  }

  /** Index of the newest ledger that is in the state; 0 before the first. Not stored: the cursor has it. */
  get ledgerIndex(): number {
    return this.#ledgerIndex[ROW]!;
  }

  set ledgerIndex(index: number) {
    this.#ledgerIndex[ROW] = index;
  }

  /** Whether a FeeSettings entry was seen; if not, the figures are the documented ones. */
  get known(): boolean {
    return this.#get(0) !== 0;
  }

  /** Ripple epoch seconds of the newest applied ledger; 0 before the first. */
  get closeTime(): number {
    return this.#get(1);
  }

  /** Drops an account must hold. */
  get reserveBaseDrops(): number {
    return this.known ? this.#uint64(2) : eraAt(this.closeTime).baseDrops;
  }

  /** Further drops for each ledger entry an account owns. */
  get reserveIncrementDrops(): number {
    return this.known ? this.#uint64(4) : eraAt(this.closeTime).incrementDrops;
  }

  /** Drops of the reference transaction. */
  get baseFeeDrops(): number {
    return this.known ? this.#uint64(6) : BASE_FEE_DROPS;
  }

  /** All XRP that exists, in drops; 0 before the first ledger. */
  get totalDrops(): bigint {
    return (BigInt(this.#get(8)) << 32n) | BigInt(this.#get(9));
  }

  /** @param header the 118 header bytes of an applied ledger. */
  applyHeader(header: Uint8Array): void {
    this.#set(1, readU32(header, 112));
    this.#set(8, readU32(header, 4));
    this.#set(9, readU32(header, 8));
  }

  /** A FeeSettings node, in either of its two formats. Deleted ones do not occur. */
  apply(bytes: Uint8Array, words: Uint32Array, at: number): void {
    const baseAt = words[at + FeeNode.reserveBaseDropsAt]!;
    const smallBaseAt = words[at + FeeNode.reserveBaseAt]!;
    if (baseAt === 0 && smallBaseAt === 0) return;
    this.#set(0, 1);
    if (baseAt !== 0) this.#drops(2, bytes, baseAt, true);
    else this.#small(2, bytes, smallBaseAt);
    const incrementAt = words[at + FeeNode.reserveIncrementDropsAt]!;
    if (incrementAt !== 0) this.#drops(4, bytes, incrementAt, true);
    else this.#small(4, bytes, words[at + FeeNode.reserveIncrementAt]!);
    const feeAt = words[at + FeeNode.baseFeeDropsAt]!;
    if (feeAt !== 0) this.#drops(6, bytes, feeAt, true);
    else this.#drops(6, bytes, words[at + FeeNode.baseFeeAt]!, false);
  }

  #drops(word: number, bytes: Uint8Array, at: number, amount: boolean): void {
    if (at === 0) return;
    const hi = readU32(bytes, at);
    this.#set(word, amount ? hi & 0x3fffffff : hi);
    this.#set(word + 1, readU32(bytes, at + 4));
  }

  #small(word: number, bytes: Uint8Array, at: number): void {
    if (at === 0) return;
    this.#set(word, 0);
    this.#set(word + 1, readU32(bytes, at));
  }

  #get(word: number): number {
    return this.#words[word]![ROW]!;
  }

  #uint64(word: number): number {
    return this.#get(word) * 2 ** 32 + this.#get(word + 1);
  }

  #set(word: number, value: number): void {
    const column = this.#words[word]!;
    if (column[ROW] === value) return;
    column[ROW] = value;
    this.table.markDirty(ROW);
  }
}

/** Documented reserves of the main network at a close time (Ripple epoch seconds; 0 = unknown: the newest). */
function eraAt(closeTime: number): ReserveEra {
  if (closeTime === 0) return RESERVE_ERAS[0]!;
  return RESERVE_ERAS.find((era) => closeTime >= era.from)!;
}
