/**
 * Tokens as they were on some days, and what became of each until 60 days later: a ring of rows, in the order of the days.
 *
 *     sequence   oldest ............................ head        row = sequence % capacity
 *                [ day 7: 3 tokens ][ day 8: 2 ][ day 9: 4 ]
 *     token      newest ---> before ---> before ...              a sequence that has left the ring ends the walk
 *
 * The features of a row are written when it is made and never changed: they are what was known then. Only `collapsed`
 * changes, and not after its last day. Cost: 47 bytes a row.
 */
import { ROWS_A_STEP, type RowSteps } from '../event-loop.ts';
import { Table } from '../state/table.ts';
import type { TableDescription } from '../state/table-memory.ts';
import { TableId } from '../table-ids.ts';
import type { Freeze, RiskFeatures } from './features.ts';
import { RiskScalar, type RiskScalars } from './scalars.ts';

/** Rows kept. Main network 2025: some 3,000 in a day, so that two years stay. */
export const OBSERVATIONS = 2 ** 21;

/** Days for which a token is followed. */
export const FOLLOWED_DAYS = 60;
/** Shares are kept in hundredths of a percent; this stands for one that is not known. */
const HUNDREDTHS = 100;
const NOT_KNOWN = 0xffff;
const AGE_NOT_KNOWN = 0xffff_ffff;

export class Observations {
  readonly table: Table;
  readonly token: Uint32Array;
  /** Days are those of the pass that measured: close time / DAY. */
  readonly day: Uint32Array;
  /** XRP; 0: it had none. */
  readonly price: Float64Array;
  /** XRP in its pool with XRP, drops. */
  readonly poolDrops: Float64Array;
  /** First day on which 90 % of price or pool were lost; 0: not so far. */
  readonly collapsed: Uint32Array;
  readonly #age: Uint32Array;
  readonly #creatorShare: Uint16Array;
  readonly #top10: Uint16Array;
  readonly #lpBurned: Uint16Array;
  readonly #freeze: Uint8Array;
  /** Sequence + 1 of the row of the same token before it, 0 = none. */
  readonly #before: Uint32Array;
  /** Sequence + 1 of the newest row by token. */
  #newest = new Uint32Array(1024);
  readonly #scalars: RiskScalars;

  constructor(scalars: RiskScalars, capacity: number, attached?: TableDescription) {
    const table = attached
      ? Table.attach(attached)
      : new Table(TableId.observations, 'observations', capacity);
    this.table = table;
    this.token = table.u32('token');
    this.day = table.u32('day');
    this.price = table.f64('price');
    this.poolDrops = table.f64('poolDrops');
    this.collapsed = table.u32('collapsed');
    this.#age = table.u32('age');
    this.#before = table.u32('before');
    this.#creatorShare = table.u16('creatorShare');
    this.#top10 = table.u16('top10');
    this.#lpBurned = table.u16('lpBurned');
    this.#freeze = table.u8('freeze');
    this.#scalars = scalars;
  }

  /** Sequence of the next row. */
  get head(): number {
    return this.#scalars.get(RiskScalar.head);
  }

  /** Sequence of the oldest row that is kept. */
  get oldest(): number {
    return Math.max(0, this.head - this.table.capacity);
  }

  rowOf(sequence: number): number {
    return sequence % this.table.capacity;
  }

  add(token: number, day: number, price: number, features: RiskFeatures): void {
    const sequence = this.head;
    const row = this.rowOf(sequence);
    this.table.reserve(row + 1);
    this.#makeRoom(token);
    this.token[row] = token;
    this.day[row] = day;
    this.price[row] = price;
    this.poolDrops[row] = features.poolDrops;
    this.collapsed[row] = 0;
    this.#age[row] = features.age ?? AGE_NOT_KNOWN;
    this.#creatorShare[row] = packed(features.creatorShare);
    this.#top10[row] = packed(features.top10);
    this.#lpBurned[row] = packed(features.lpBurned);
    this.#freeze[row] = features.freeze;
    this.#before[row] = this.#newest[token]!;
    this.#newest[token] = sequence + 1;
    this.#scalars.set(RiskScalar.head, sequence + 1);
    this.table.markDirty(row);
  }

  /** What was known of a row's token on its day. */
  features(row: number): RiskFeatures {
    const age = this.#age[row]!;
    return {
      age: age === AGE_NOT_KNOWN ? undefined : age,
      poolDrops: this.poolDrops[row]!,
      creatorShare: unpacked(this.#creatorShare[row]!),
      top10: unpacked(this.#top10[row]!)!,
      lpBurned: unpacked(this.#lpBurned[row]!)!,
      freeze: this.#freeze[row] as Freeze,
    };
  }

  /** Age of a row's token on its day, seconds; undefined: not known. */
  age(row: number): number | undefined {
    return this.features(row).age;
  }

  /** The newest row of a token; undefined: none is kept. */
  newest(token: number): number | undefined {
    return this.#kept(this.#newest[token] ?? 0);
  }

  /** The row of the same token before a row. */
  before(row: number): number | undefined {
    return this.#kept(this.#before[row]!);
  }

  #kept(sequencePlusOne: number): number | undefined {
    return sequencePlusOne > this.oldest ? this.rowOf(sequencePlusOne - 1) : undefined;
  }

  #makeRoom(token: number): void {
    if (token < this.#newest.length) return;
    const larger = new Uint32Array(Math.max(token + 1, this.#newest.length * 2));
    larger.set(this.#newest);
    this.#newest = larger;
  }

  /** Derives which rows are the newest. */
  *rebuilding(): RowSteps {
    this.#newest.fill(0);
    for (let sequence = this.oldest; sequence < this.head; sequence++) {
      const token = this.token[this.rowOf(sequence)]!;
      this.#makeRoom(token);
      this.#newest[token] = sequence + 1;
      if (sequence % ROWS_A_STEP === 0) yield 0;
    }
  }
}

function packed(percent: number | undefined): number {
  return percent === undefined ? NOT_KNOWN : Math.round(Math.min(100, Math.max(0, percent)) * HUNDREDTHS);
}

function unpacked(stored: number): number | undefined {
  return stored === NOT_KNOWN ? undefined : stored / HUNDREDTHS;
}
