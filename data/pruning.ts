/**
 * Removes the oldest ledgers of a store, as far as its owner does not want to keep them. What followed from them stays:
 * the state, trades and the history of tokens and accounts (trade-pruning.ts), candles, rates, and the close time of each
 * ledger, by which trades are found.
 *
 *     ledgers    oldest  x x x x x | o o o o o o o o o o  newest
 *                                  `- first of 'ranges': removed up to there, and whatever names an older ledger counts
 *                                     as absent from the same transaction on
 *     hashes     rows of transactions and entries are left out as their runs are written (hash-runs.ts)
 *     older      stores of before have such rows in tables, which are gone through when half of their rows are of no use; so is
 *                the account index
 *
 * Goal: the file stays as long as it is. LMDB takes removed pages for what is written next; `compact` makes the file
 * shorter. Non-goals: removing candles or aggregates; a limit to the last byte or ledger.
 *
 * Everything is done in small steps: with each batch, in its transaction, about twice as many ledgers as it brings; the
 * backlog of a store that kept all in transactions of their own, while the writer has nothing else to do. Where a step
 * continues follows from the store, so a crash loses nothing. Readers see a ledger until their next refresh, or not at all.
 *
 * Kept whatever the limit: the newest LEDGERS_MIN ledgers; where the limit is a time, those too whose close times are not
 * merged into their table yet (history-merge.ts).
 *
 * Cost: for a ledger of 100 transactions two pages written and 20 us; its rows in runs are written once more.
 */

import { Packr, Unpackr } from 'msgpackr';
import { readU32 } from '../engine/codec/bytes.ts';
import { type Cursor, PRUNED_VALUE, type Pruned } from '../engine/store.ts';
import { sealed, unseal } from './checksum.ts';
import { closeTimeOf, firstAfter } from './close-times.ts';
import { type Environment, put } from './environment.ts';
import { Family, key, MetaKey } from './keys.ts';
import { readMeta, writeMeta } from './meta.ts';
import { cutRanges, type Range, readRanges, writeRanges } from './ranges.ts';
import { dataBytes, sizeOf } from './space.ts';

/** How much of the ledgers is kept. */
export type Keep =
  /** The newest ledgers, by index. */
  | { readonly unit: 'ledgers'; readonly amount: number }
  /** Those that closed within this time before the newest one. */
  | { readonly unit: 'seconds'; readonly amount: number }
  /** As many as fit into this many bytes of the file, together with all else in it. */
  | { readonly unit: 'bytes'; readonly amount: number };

/** What is kept of a store that does not keep all. */
export interface KeptParts {
  /** undefined: all ledgers. */
  readonly ledgers?: Keep | undefined;
  /** Trades of ledgers that closed within this time before the newest one; undefined: all trades. */
  readonly tradesSeconds?: number | undefined;
}

/** The newest ledgers that are kept in any case: those that clients ask for after an interruption. */
export const LEDGERS_MIN = 256;
/** Ledgers between two looks at the clock. */
const LEDGERS_PER_LOOK = 16;
/** Rows of older stores' tables that a step goes through. */
const ROWS_PER_STEP = 2_000;
const NAME = Buffer.from(PRUNED_VALUE);

/** Oldest stored ledger where older ones were pruned; 0: none was. @param options of the read */
export function oldestKept(environment: Environment, options?: Parameters<typeof readMeta>[2]): number {
  if (!environment.families[Family.values]!.getBinary(NAME, options)) return 0;
  return readRanges(readMeta(environment, MetaKey.ranges, options))[0]?.[0] ?? 0;
}

type Newest = Pick<Cursor, 'index' | 'closeTime'>;

export interface StepLimits {
  /** Ledgers. */
  readonly ledgers: number;
  /** Ends earlier when this says so. */
  readonly isOver?: () => boolean;
  /** Close time of a ledger whose history is not merged yet. */
  readonly pendingCloseTime: (index: number) => number | undefined;
}

/** All methods but the constructor are for use within a transaction. */
export class Pruning {
  readonly #environment: Environment;
  readonly #keep: Keep | undefined;
  readonly #sweeps: readonly TableSweep[];

  /** @param keep undefined: everything */
  constructor(environment: Environment, keep: Keep | undefined) {
    this.#environment = environment;
    this.#keep = keep;
    this.#sweeps = [
      ...[Family.transactions, Family.entries].map((family) => new TableSweep(environment, family, ofValue)),
      new TableSweep(environment, Family.accountTransactions, ofAccountKey),
    ];
  }

  /** Not everything is kept. */
  get isOn(): boolean {
    return this.#keep !== undefined;
  }

  /** Removes some ledgers. @returns whether there are more to remove */
  step(newest: Newest, limits: StepLimits): boolean {
    if (!this.#keep) return false;
    const ranges = readRanges(readMeta(this.#environment, MetaKey.ranges));
    const { end, count } = this.#due(this.#keep, newest);
    let isMore = false;
    if (ranges[0] && ranges[0][0] < end && count > 0) {
      const ledgers = Math.min(limits.ledgers, count);
      isMore = this.#remove(ranges, end, { ...limits, ledgers }) && ledgers < count;
    }
    const oldest = oldestKept(this.#environment);
    for (const sweep of this.#sweeps) if (oldest > 0 && sweep.step(oldest)) isMore = true;
    return isMore;
  }

  /** What is to be removed now: so many ledgers at most, and all before one. */
  #due({ unit, amount }: Keep, newest: Newest): { end: number; count: number } {
    const last = newest.index - LEDGERS_MIN + 1;
    if (unit === 'bytes') return { end: last, count: this.#excess(amount) };
    const wanted =
      unit === 'ledgers'
        ? newest.index - amount + 1
        : firstAfter(this.#environment, newest.closeTime - amount);
    return { end: Math.min(last, wanted), count: Number.POSITIVE_INFINITY };
  }

  /** @returns whether there are more before the end */
  #remove(ranges: Range[], end: number, { ledgers: limit, isOver, pendingCloseTime }: StepLimits): boolean {
    const table = this.#environment.families[Family.ledgers]!;
    const first = ranges[0]![0];
    const range = { start: key([4], [first]), end: key([4], [end - 1]), inclusiveEnd: true };
    let next = first;
    let removed = 0;
    for (let more = true; more && removed < limit && (removed === 0 || !isOver?.()); ) {
      const count = Math.min(LEDGERS_PER_LOOK, limit - removed);
      const keys = [...table.getKeys({ ...range, start: key([4], [next]), limit: count })];
      for (const at of keys) {
        table.removeSync(at);
        next = readU32(at, 0) + 1;
      }
      removed += keys.length;
      more = keys.length === count;
      if (!more) next = end;
    }
    const began = cutRanges(ranges, next);
    if (began !== undefined) this.#record(first, began, pendingCloseTime);
    writeMeta(this.#environment, MetaKey.ranges, writeRanges(ranges));
    return next < end;
  }

  /** @param first oldest ledger before this step. @param began first ledger, before this step, of the range that is the oldest now */
  #record(first: number, began: number, pendingCloseTime: StepLimits['pendingCloseTime']): void {
    const known = this.#stored();
    if (known && began === first) return;
    const closeTime = closeTimeOf(this.#environment, began) ?? pendingCloseTime(began) ?? 0;
    const pruned: Pruned = { first: known?.first ?? first, since: { index: began, closeTime } };
    const value = new Packr({ useRecords: false }).pack(pruned);
    put(this.#environment, Family.values, NAME, sealed(Family.values, NAME, value));
  }

  #stored(): Pruned | undefined {
    const { families, dir } = this.#environment;
    const stored = families[Family.values]!.getBinary(NAME);
    if (!stored) return undefined;
    return new Unpackr({ useRecords: false }).unpack(unseal(Family.values, NAME, stored, dir));
  }

  /** How many ledgers, at their average size, are more than fits. */
  #excess(amount: number): number {
    const excess = dataBytes(this.#environment) - amount;
    const { rows, bytes } = sizeOf(this.#environment.families[Family.ledgers]!);
    return excess <= 0 || rows === 0 ? 0 : Math.ceil(excess / (bytes / rows));
  }
}

/** A row of a table, and where its ledger is in it. */
type LedgerOf = (row: { readonly key: Uint8Array; readonly value: Uint8Array }) => number;
const ofValue: LedgerOf = ({ value }) => readU32(value, 0);
/** Behind the account. */
const ofAccountKey: LedgerOf = ({ key: at }) => readU32(at, 4);

/** Goes through a table, again and again, each time when half of its first rows are of no use. */
class TableSweep {
  readonly #environment: Environment;
  readonly #family: number;
  readonly #ledgerOf: LedgerOf;
  /** The last row that was looked at; undefined: no pass is under way. */
  #after: Uint8Array | undefined;
  /** Oldest ledger when it was looked at last. */
  #looked = 0;

  constructor(environment: Environment, family: number, ledgerOf: LedgerOf) {
    this.#environment = environment;
    this.#family = family;
    this.#ledgerOf = ledgerOf;
  }

  /** @returns whether a pass is under way */
  step(oldest: number): boolean {
    if (!this.#after && oldest < this.#looked + LEDGERS_MIN) return false;
    const table = this.#environment.families[this.#family]!;
    const range = this.#after ? { start: this.#after, exclusiveStart: true } : { start: Buffer.alloc(1) };
    const rows = [...table.getRange({ ...range, limit: ROWS_PER_STEP })];
    const old = rows.filter((row) => this.#ledgerOf(row) < oldest);
    if (!this.#after) this.#looked = oldest;
    // Hashes are random, and the accounts with the lowest ids have the most rows: the first ones are a fair sample.
    if (!this.#after && (rows.length === 0 || old.length * 2 < rows.length)) return false;
    for (const { key: at } of old) table.removeSync(at);
    this.#after = rows.length === ROWS_PER_STEP ? rows.at(-1)!.key : undefined;
    return this.#after !== undefined;
  }
}
