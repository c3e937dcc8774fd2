/**
 * What each token was at the end of each day (UTC) in which it changed: price, supply, holders, trust lines.
 *
 *     state, market apply a ledger -> tokens that it changed ---> their rows of this day, written again
 *     value at the end of day D     = the newest row of the token that begins on D or before
 *
 * Goal: figures of past days that follow from no other history, for the daily report and for series. Non-goals: LP tokens
 * and XRP; hours (candles, the history of holders and that of pools have those). Tokens that did not change since this
 * domain read its first ledger have no row, but those of a snapshot or of an older store, which get one then.
 *
 * Cost: a row of 40 bytes for a token and day in which it changed; four look-ups for each token that a ledger changes.
 */
import type { Changes } from '../codec/changes.ts';
import type { PackedLedger } from '../codec/packed.ts';
import { Digest } from '../digest.ts';
import { columnBytes, type Domain } from '../domain.ts';
import type { RowSteps } from '../event-loop.ts';
import { DAY } from '../ripple-time.ts';
import { LinkedRing } from '../state/linked-ring.ts';
import type { State } from '../state/state.ts';
import { persistTables } from '../state/stored-tables.ts';
import { Table } from '../state/table.ts';
import { XRP } from '../state/tokens.ts';
import type { Batch, StoreReads } from '../store.ts';
import { TableId } from '../table-ids.ts';

/** Rows kept, 160 MB: main network 2025 has some ten thousand tokens that change in a day, so that they last a year. */
const ROWS = 2 ** 22;
/** Tokens read between two pauses: about a millisecond. */
const TOKENS_A_STEP = 1024;

const SINCE_OPENED = 'stores of earlier versions have them only since this version opened them';

interface DayMarket {
  /** Tokens whose candles the ledger changed. */
  readonly candles: { readonly changed: Iterable<number> };
  readonly totals: { price(token: number): number | undefined };
}

/** What a token was at the end of a day. */
export interface TokenDay {
  /** Start of the day in which it changed last, Ripple epoch seconds. */
  readonly start: number;
  /** XRP per token; undefined: it had none. */
  readonly price: number | undefined;
  readonly supply: number;
  /** Accounts with a balance. */
  readonly holders: number;
  /** Trust lines, or holdings of an MPT. */
  readonly lines: number;
}

export class TokenDays implements Domain<'tokenDays', undefined> {
  readonly name = 'tokenDays';
  readonly events = undefined;
  readonly tables: readonly Table[];
  readonly #table: Table;
  readonly #ring: LinkedRing;
  readonly #start: Uint32Array;
  readonly #holders: Uint32Array;
  readonly #lines: Uint32Array;
  /** XRP; 0: none. */
  readonly #price: Float64Array;
  readonly #supply: Float64Array;
  readonly #state: State;
  readonly #market: DayMarket;

  constructor(state: State, market: DayMarket, capacity = ROWS) {
    const table = new Table(TableId.tokenDays, 'days of tokens', capacity);
    const key = table.u32('token');
    const sequence = table.u32('sequence');
    this.#ring = new LinkedRing(table, { key, sequence, before: table.u32('before') });
    this.#start = table.u32('start');
    this.#holders = table.u32('holders');
    this.#lines = table.u32('lines');
    this.#price = table.f64('price');
    this.#supply = table.f64('supply');
    for (const { name } of table.columns) table.excludeFromDigest(name, SINCE_OPENED);
    table.onNew((store) => this.#fill(store));
    this.#table = table;
    this.tables = [table];
    this.#state = state;
    this.#market = market;
  }

  get memoryBytes(): number {
    return columnBytes(this.tables);
  }

  applyLedger({ closeTime }: PackedLedger, _changes: Changes): void {
    const { changed } = this.#state;
    for (const token of changed.tokens) this.#update(token, closeTime);
    for (const token of changed.holders) if (!changed.tokens.has(token)) this.#update(token, closeTime);
    for (const token of this.#market.candles.changed)
      if (!changed.tokens.has(token) && !changed.holders.has(token)) this.#update(token, closeTime);
  }

  /** Writes the token's row of the day. A token that never had a line has none. */
  #update(token: number, time: number): void {
    const { lines, tokens } = this.#state;
    if (token === XRP || tokens.pools[token] !== 0) return;
    const start = Math.floor(time / DAY) * DAY;
    let row = this.#ring.newest(token);
    const count = lines.lineCount(token);
    if (row === undefined && count === 0) return;
    if (row === undefined || this.#start[row] !== start) {
      row = this.#ring.open(token);
      this.#start[row] = start;
    }
    this.#holders[row] = lines.holdersCount(token);
    this.#lines[row] = count;
    this.#price[row] = this.#market.totals.price(token) ?? 0;
    this.#supply[row] = lines.supplyNumber(token);
    this.#table.markDirty(row);
  }

  /** Start of the first day of which tokens are known; undefined: of none. */
  get since(): number | undefined {
    const oldest = this.#ring.oldest;
    return oldest === undefined ? undefined : this.#start[oldest]!;
  }

  /** What a token was when a time came: the last change before it. undefined: not known, or it was not there yet. */
  before(token: number, time: number): TokenDay | undefined {
    let found: TokenDay | undefined;
    this.#ring.walkBack(token, (row) => {
      if (this.#start[row]! >= time) return true;
      found = this.#day(row);
      return false;
    });
    return found;
  }

  /** Days in which a token changed, newest first, until `visit` returns false. */
  walkBack(token: number, visit: (day: TokenDay) => boolean): void {
    this.#ring.walkBack(token, (row) => visit(this.#day(row)));
  }

  #day(row: number): TokenDay {
    return {
      start: this.#start[row]!,
      price: this.#price[row] || undefined,
      supply: this.#supply[row]!,
      holders: this.#holders[row]!,
      lines: this.#lines[row]!,
    };
  }

  /** Tokens that change unseen get a row with their next change. */
  gap(): void {}

  /** Every token gets its row of the snapshot's ledger. */
  *snapshotTaken(closeTime: number): RowSteps {
    yield* this.#readAll(closeTime);
  }

  *#readAll(time: number): RowSteps {
    const { tokens } = this.#state;
    for (let token = 1; token < tokens.count; token++) {
      this.#update(token, time);
      if (token % TOKENS_A_STEP === 0) yield TOKENS_A_STEP;
    }
  }

  /** Of a store of a version without it: what its last ledger says. */
  #fill({ cursor }: StoreReads): void {
    if (cursor) for (const _ of this.#readAll(cursor.closeTime));
  }

  persist(batch: Batch, openedAt: number): void {
    persistTables(batch, this.tables, openedAt);
  }

  *restoring(): RowSteps {
    yield* this.rebuilding();
  }

  rebuilding(): RowSteps {
    return this.#ring.rebuilding();
  }

  /** Its table is left out, since stores of earlier versions lack it; what it is made of is in the other domains. */
  digest(): string {
    const digest = new Digest();
    for (const table of this.tables) digest.table(table);
    return digest.text;
  }
}
