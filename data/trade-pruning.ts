/**
 * Removes old trades and liquidity events, with their rows in the histories of tokens and accounts, where their owner does
 * not want to keep all. Nothing else goes with them: candles, counts and all that is derived from them stays.
 *
 *     trades                x x x x | o o o o o o o
 *                          slab `---`- the value PRUNED_TRADES_VALUE: a ledger index. Older trades count as absent
 *     tokenTrades           .x..x...x..x.        rows of the slab, in key order
 *     accountTrades         ..x...xx....x.       likewise
 *     (then the slab's trades, oldest first)
 *
 * Goal: what a ledger's trades add to the histories lies at many places of large tables, and removing one row costs a page,
 * as does removing many beside it. So rows are removed for a slab of SLAB_TRADES at once. That needs no order with
 * readers: they skip what is older than the value, which is written first.
 *
 * Only while the writer has nothing else to do (write.ts), in steps of ROWS_PER_STEP. A slab that a crash interrupts is
 * begun again: removing a row that is gone does nothing, and its trades are the last to go.
 *
 * Cost: 35 kB of writes for a ledger with 30 trades, of 20,000 accounts and 3,000 tokens; 50 such ledgers a second.
 */
import { Packr, Unpackr } from 'msgpackr';
import { TradeReader } from '../engine/market/trade-record.ts';
import { type Cursor, PRUNED_TRADES_VALUE } from '../engine/store.ts';
import { sealed, unseal } from './checksum.ts';
import { ROW_HEADER_BYTES } from './chunks.ts';
import { firstAfter } from './close-times.ts';
import { type Environment, put } from './environment.ts';
import { Family, key, POSITION_BYTES } from './keys.ts';
import type { Rows } from './sort.ts';
import { SortedPieces } from './sorted-pieces.ts';

/** Of a thousand ledgers of the main network; 2.6 MB in memory. */
const SLAB_TRADES = 32_000;
/** Rows of a trade in the histories of tokens and accounts. */
const ROWS_PER_TRADE = 4;
const INDEX_KEY_BYTES = 4 + POSITION_BYTES;
/** Rows that a step reads or removes. Each may cost a page: 1.6 MB written at once, at most. */
const ROWS_PER_STEP = 400;
/** The value moves by so many ledgers at least. */
const LEDGERS_PER_MOVE = 256;
const NAME = Buffer.from(PRUNED_TRADES_VALUE);

/** First ledger whose trades are not pruned; 0: none are. @param options of the read */
export function firstTrades(
  { families, dir }: Environment,
  options?: Parameters<Environment['meta']['getBinary']>[1],
): number {
  const stored = families[Family.values]!.getBinary(NAME, options);
  return stored ? new Unpackr({ useRecords: false }).unpack(unseal(Family.values, NAME, stored, dir)) : 0;
}

/** Trades that are removed together. */
interface Slab {
  /** Index rows, as in a batch (batch.ts), without values. */
  readonly rows: Rows[number] & { used: number };
  trades: number;
  /** The newest of the trades; undefined: none has been read. */
  last: Buffer | undefined;
  /** Removes some rows with each step, once all trades are read. */
  removal: Generator<void> | undefined;
}

/** All methods but the constructor are for use within a transaction. */
export class TradePruning {
  readonly #environment: Environment;
  readonly #keepSeconds: number | undefined;
  #slab: Slab | undefined;

  /** @param keepSeconds trades of ledgers that closed within this time before the newest are kept; undefined: all */
  constructor(environment: Environment, keepSeconds: number | undefined) {
    this.#environment = environment;
    this.#keepSeconds = keepSeconds;
  }

  /** A transaction has failed: what was removed in it is still there. */
  reset(): void {
    this.#slab = undefined;
  }

  /** Moves the value, if the time has come. @returns whether there is something to remove */
  move({ closeTime }: Pick<Cursor, 'closeTime'>): boolean {
    const stored = firstTrades(this.#environment);
    let first = stored;
    if (this.#keepSeconds !== undefined) {
      const wanted = firstAfter(this.#environment, closeTime - this.#keepSeconds);
      if (wanted >= stored + LEDGERS_PER_MOVE) first = wanted;
    }
    if (first > stored)
      put(this.#environment, Family.values, NAME, sealed(Family.values, NAME, new Packr().pack(first)));
    return this.#slab !== undefined || (first > 0 && this.#next(first, undefined, 1).length > 0);
  }

  /** Removes some rows of trades before the value. */
  step(): void {
    const first = firstTrades(this.#environment);
    if (first === 0 || (!this.#slab && this.#next(first, undefined, 1).length === 0)) return;
    this.#slab ??= newSlab();
    this.#slab.removal ??= this.#read(this.#slab, first);
    if (this.#slab.removal?.next().done) this.#slab = undefined;
  }

  /** @returns the removal, once enough trades are read */
  #read(slab: Slab, first: number): Generator<void> | undefined {
    const { dir } = this.#environment;
    const found = this.#next(first, slab.last, ROWS_PER_STEP);
    for (const { key: at, value } of found) {
      const trade = new TradeReader(unseal(Family.trades, at, value, dir));
      for (const token of new Set([trade.paidToken, trade.gotToken]))
        addRow(slab, Family.tokenTrades, token, at);
      for (const account of new Set([trade.maker, trade.taker]))
        addRow(slab, Family.accountTrades, account, at);
      slab.last = Buffer.from(at);
      slab.trades++;
    }
    const isWhole = found.length < ROWS_PER_STEP || slab.trades + ROWS_PER_STEP > SLAB_TRADES;
    return isWhole ? this.#removal(slab) : undefined;
  }

  *#removal({ rows, last }: Slab): Generator<void> {
    const pieces = new SortedPieces();
    pieces.add(rows, 0, rows.used);
    pieces.end();
    for (; !pieces.isSorted; pieces.sortSome(1)) yield;
    const { families } = this.#environment;
    let removed = 0;
    for (const family of [Family.tokenTrades, Family.accountTrades]) {
      const keys = pieces.rows(family);
      for (let next = keys?.next(); next && !next.done; next = keys!.next()) {
        families[family]!.removeSync(Buffer.from(next.value[0]));
        if (++removed % ROWS_PER_STEP === 0) yield;
      }
    }
    if (!last) return;
    const trades = families[Family.trades]!;
    const range = {
      start: Buffer.alloc(POSITION_BYTES),
      end: last,
      inclusiveEnd: true,
      limit: ROWS_PER_STEP,
    };
    for (let count = ROWS_PER_STEP; count === ROWS_PER_STEP; ) {
      yield;
      const keys = [...trades.getKeys(range)];
      for (const at of keys) trades.removeSync(at);
      count = keys.length;
    }
  }

  /** Trades after a key and before a ledger. */
  #next(first: number, after: Buffer | undefined, limit: number) {
    const table = this.#environment.families[Family.trades]!;
    const start = after ?? Buffer.alloc(POSITION_BYTES);
    const end = key([4, 2, 2], [first, 0, 0]);
    return [...table.getRange({ start, end, exclusiveStart: after !== undefined, limit })];
  }
}

function newSlab(): Slab {
  const bytes = new Uint8Array(SLAB_TRADES * ROWS_PER_TRADE * (ROW_HEADER_BYTES + INDEX_KEY_BYTES));
  const view = new DataView(bytes.buffer);
  return { rows: { bytes, view, used: 0 }, trades: 0, last: undefined, removal: undefined };
}

function addRow({ rows }: Slab, family: number, id: number, position: Uint8Array): void {
  const { bytes, view, used } = rows;
  bytes[used] = family;
  bytes[used + 1] = INDEX_KEY_BYTES;
  view.setUint32(used + ROW_HEADER_BYTES, id);
  bytes.set(position, used + ROW_HEADER_BYTES + 4);
  rows.used = used + ROW_HEADER_BYTES + INDEX_KEY_BYTES;
}
