/**
 * History of each token's holders: at the first ledger of a new hour every token whose lines changed since its last
 * record is queued; each ledger then writes records until it has read LINES_A_LEDGER lines, lowest token id first. Of a
 * large token it reads only those that may be among the largest (largest-holders.ts). So the work of a ledger is bounded,
 * and the same ledgers write the same records.
 *
 *   record (48 bytes, little-endian): u32 lines, holders, active traders, zero; f64 top 10, 20, 50, 100 in percent
 *   of the supply (see HolderRecord)
 *
 * Which tokens changed and which are queued are two bits a token in the prices table, so both survive a restart.
 */
import { decimalNumber } from '../codec/amount.ts';
import type { RowSteps } from '../event-loop.ts';
import { HOUR } from '../ripple-time.ts';
import type { Batch } from '../store.ts';
import { LargestHolders, TOP, TOP_OF_ROWS } from './largest-holders.ts';
import { type Meta, Scalar } from './meta.ts';
import type { Prices } from './prices.ts';
import type { MarketState } from './state-view.ts';

const CHANGED = 1;
const QUEUED = 2;
export const LINES_A_LEDGER = 20_000;
/** A millisecond. */
const LINES_A_STEP = 4_000;
export const HOLDERS_BYTES = 48;

/** A point of the history. */
export interface HolderRecord {
  /** Trust lines or holdings. */
  readonly length: number;
  /** Those with a balance above zero. */
  readonly holders: number;
  /** Percent (0 to 100) of the supply that the largest holders have. */
  readonly top10: number;
  readonly top20: number;
  readonly top50: number;
  readonly top100: number;
  /** Distinct traders of the last 24 hours. */
  readonly active24H: number;
}

export function unpackHolders(record: Uint8Array): HolderRecord {
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  return {
    length: view.getUint32(0, true),
    holders: view.getUint32(4, true),
    active24H: view.getUint32(8, true),
    top10: view.getFloat64(16, true),
    top20: view.getFloat64(24, true),
    top50: view.getFloat64(32, true),
    top100: view.getFloat64(40, true),
  };
}

/** Percent of the supply that the largest holders have. @param largest balances, largest first; the first hundred count. */
export function topShares(
  largest: ArrayLike<number>,
  supply: number,
): Pick<HolderRecord, 'top10' | 'top20' | 'top50' | 'top100'> {
  const share = (count: number) => topShare(largest, count, supply);
  return { top10: share(TOP_OF_ROWS), top20: share(20), top50: share(50), top100: share(TOP) };
}

function topShare(largest: ArrayLike<number>, count: number, supply: number): number {
  let held = 0;
  for (let i = 0; i < count && i < largest.length; i++) held += largest[i]!;
  return supply > 0 ? Math.min(100, (held / supply) * 100) : 0;
}

export class HoldersHistory {
  readonly #state: MarketState;
  readonly #prices: Prices;
  readonly #meta: Meta;
  readonly #uniqueTraders: (token: number) => number;
  /** Queued token ids, ascending; those before `next` are done. */
  #queue: number[] = [];
  #next = 0;
  readonly #record = new Uint8Array(HOLDERS_BYTES);
  readonly #view = new DataView(this.#record.buffer);
  readonly #largest: LargestHolders;

  constructor(state: MarketState, prices: Prices, meta: Meta, uniqueTraders: (token: number) => number) {
    this.#state = state;
    this.#prices = prices;
    this.#meta = meta;
    this.#uniqueTraders = uniqueTraders;
    this.#largest = new LargestHolders(state);
  }

  /** After a ledger was applied. */
  apply(): void {
    this.#largest.apply();
    const { holdersState } = this.#prices;
    for (const token of this.#state.changed.holders) {
      if (holdersState[token]! & CHANGED) continue;
      holdersState[token] = holdersState[token]! | CHANGED;
      this.#prices.markDirty(token);
    }
  }

  /** The hour's turn and the records of a ledger that was applied, in steps. */
  *settling(time: number, batch: Batch): RowSteps {
    const hour = Math.floor(time / HOUR);
    const last = this.#meta.get(Scalar.holdersHour);
    if (hour !== last) {
      this.#meta.set(Scalar.holdersHour, hour);
      if (last !== 0) yield this.#queueChanged();
    }
    yield* this.#writeQueued(hour * HOUR, batch);
  }

  /** @returns tokens that it passed */
  #queueChanged(): number {
    const { holdersState } = this.#prices;
    for (let token = 0; token < this.#prices.end; token++) {
      if ((holdersState[token]! & CHANGED) === 0) continue;
      holdersState[token] = QUEUED;
      this.#prices.markDirty(token);
    }
    this.#restoreQueue();
    return this.#prices.end;
  }

  /** Derives what is not in the tables, from the state as it is, in steps. */
  *rebuilding(): RowSteps {
    yield* this.#largest.rebuilding();
    this.#restoreQueue();
  }

  /** From the bits. */
  #restoreQueue(): void {
    this.#queue = [];
    this.#next = 0;
    for (let token = 0; token < this.#prices.end; token++)
      if (this.#prices.holdersState[token]! & QUEUED) this.#queue.push(token);
  }

  *#writeQueued(time: number, batch: Batch): RowSteps {
    let budget = LINES_A_LEDGER;
    let step = budget;
    while (budget > 0 && this.#next < this.#queue.length) {
      const token = this.#queue[this.#next++]!;
      this.#write(token, time, batch);
      budget -= this.#largest.workOf(token) + 1;
      this.#prices.holdersState[token] = this.#prices.holdersState[token]! & ~QUEUED;
      this.#prices.markDirty(token);
      if (step - budget < LINES_A_STEP) continue;
      yield step - budget;
      step = budget;
    }
  }

  /** Writes one record. */
  #write(token: number, time: number, batch: Batch): void {
    const figures = this.measure(token);
    const view = this.#view;
    view.setUint32(0, figures.length, true);
    view.setUint32(4, figures.holders, true);
    view.setUint32(8, figures.active24H, true);
    view.setFloat64(16, figures.top10, true);
    view.setFloat64(24, figures.top20, true);
    view.setFloat64(32, figures.top50, true);
    view.setFloat64(40, figures.top100, true);
    batch.record('holders', [token, time], this.#record);
  }

  /** The figures of a token as they are now. */
  measure(token: number): HolderRecord {
    const { lines } = this.#state;
    return {
      length: lines.lineCount(token),
      holders: lines.holdersCount(token),
      ...topShares(this.#largest.of(token), this.#supply(token)),
      active24H: this.#uniqueTraders(token),
    };
  }

  /** `top10` of these alone, at less cost: every frame of a ledger needs it of each token that the ledger changed. */
  top10(token: number): number {
    return topShare(this.#largest.ofRow(token), TOP_OF_ROWS, this.#supply(token));
  }

  /** Lines that are read at most to find a token's largest holders. */
  workOf(token: number): number {
    return this.#largest.workOf(token);
  }

  /** The exact one: a sum of doubles would depend on the order of the list, which a restart may change. */
  #supply(token: number): number {
    return decimalNumber(this.#state.lines.supply(token));
  }
}
