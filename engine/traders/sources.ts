/**
 * Which applications trades came through, by the SourceTag of their transactions: figures of each tag, and the tags of each
 * trader. Trades without a tag are in row 1. Tags are free to make up, so their number is bounded: later ones are
 * counted together, in row 2.
 */
import type { RowSteps } from '../event-loop.ts';
import { hash2, hashWord } from '../state/hash.ts';
import type { RowIndex } from '../state/row-index.ts';
import { Table } from '../state/table.ts';
import { TableId } from '../table-ids.ts';
import type { TraderLimits } from './limits.ts';
import type { TraderTable } from './trader-table.ts';

/** Rows of Sources. */
export const UNTAGGED = 1;
export const FURTHER_TAGS = 2;
const FIRST_TAG_ROW = 3;

export class Sources {
  readonly table: Table;
  readonly tags: Uint32Array;
  readonly trades: Uint32Array;
  /** Accounts that signed trades with the tag. */
  readonly traders: Uint32Array;
  readonly drops: Float64Array;
  /** ... of these in pools. */
  readonly poolDrops: Float64Array;
  readonly first: Uint32Array;
  readonly last: Uint32Array;
  /** One row for a trader and a tag. */
  readonly ofTraders: Table;
  readonly ofTrader: Uint32Array;
  readonly sourceOf: Uint32Array;
  readonly tradesOf: Uint32Array;
  readonly dropsOf: Float64Array;
  /** Next row of the same trader. */
  readonly next: Uint32Array;
  readonly #index: RowIndex;
  readonly #pairs: RowIndex;

  constructor(limits: TraderLimits) {
    const table = new Table(TableId.sources, 'source tags', limits.sources);
    this.table = table;
    this.tags = table.u32('tags');
    this.trades = table.u32('trades');
    this.traders = table.u32('traders');
    this.drops = table.f64('drops');
    this.poolDrops = table.f64('poolDrops');
    this.first = table.u32('first');
    this.last = table.u32('last');
    this.#index = table.index('tags', (row) => hashWord(this.tags[row]!));
    const pairs = new Table(TableId.traderSources, 'source tags of traders', limits.traderSources);
    this.ofTraders = pairs;
    this.ofTrader = pairs.u32('traders');
    this.sourceOf = pairs.u32('sources');
    this.tradesOf = pairs.u32('trades');
    this.dropsOf = pairs.f64('drops');
    this.next = pairs.u32('next');
    this.#pairs = pairs.index('pairs', (row) => hash2(this.ofTrader[row]!, this.sourceOf[row]!));
  }

  /** The tag of a row; undefined: of none, or of several. */
  tag(row: number): number | undefined {
    return row < FIRST_TAG_ROW ? undefined : this.tags[row]!;
  }

  /** A trade that a trader signed. */
  take(
    traders: TraderTable,
    trader: number,
    tag: number | undefined,
    drops: number,
    isPool: boolean,
    time: number,
  ): void {
    const row = tag === undefined ? this.#fixed(UNTAGGED) : this.#ofTag(tag);
    if (this.trades[row]!++ === 0) this.first[row] = time;
    this.last[row] = time;
    this.drops[row]! += drops;
    if (isPool) this.poolDrops[row]! += drops;
    this.table.markDirty(row);
    const pair = this.#pair(traders, trader, row);
    if (pair === 0) return;
    this.tradesOf[pair]!++;
    this.dropsOf[pair]! += drops;
    this.ofTraders.markDirty(pair);
  }

  *rebuilding(): RowSteps {
    this.#index.reset(this.table.count);
    for (let row = FIRST_TAG_ROW; row < this.table.count; row++) this.#index.add(row);
    yield 0;
    yield* this.#pairs.filling(this.ofTraders.count);
  }

  #fixed(row: number): number {
    while (this.table.count < FIRST_TAG_ROW) this.table.add();
    return row;
  }

  #ofTag(tag: number): number {
    const index = this.#index;
    for (let slot = index.first(hashWord(tag)); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0) break;
      if (this.tags[row] === tag) return row;
    }
    this.#fixed(UNTAGGED);
    if (this.table.count >= this.table.capacity) return FURTHER_TAGS;
    const row = this.table.add();
    this.tags[row] = tag;
    this.#index.add(row);
    return row;
  }

  /** @returns 0: there is no room for it */
  #pair(traders: TraderTable, trader: number, source: number): number {
    const index = this.#pairs;
    for (let slot = index.first(hash2(trader, source)); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0) break;
      if (this.ofTrader[row] === trader && this.sourceOf[row] === source) return row;
    }
    if (this.ofTraders.count >= this.ofTraders.capacity) return 0;
    const row = this.ofTraders.add();
    this.ofTrader[row] = trader;
    this.sourceOf[row] = source;
    this.next[row] = traders.newestSource[trader]!;
    traders.newestSource[trader] = row;
    traders.table.markDirty(trader);
    this.traders[source]!++;
    index.add(row);
    return row;
  }
}
