/**
 * What was traded through each named platform, by token and hour: rows of 30 days in a ring, oldest first. When it is
 * full the oldest row leaves early (counted). A trade of two tokens counts for both.
 */
import { HOUR } from '../ripple-time.ts';
import { Table } from '../state/table.ts';
import { TableId } from '../table-ids.ts';
import { USAGE_HOURS } from './platform-hours.ts';
import { UsageScalar, type UsageScalars } from './scalars.ts';

export interface TokenUsage {
  trades: number;
  drops: number;
  /** The token was bought (sold) by who signed: for XRP or for another token. */
  boughtDrops: number;
  soldDrops: number;
}

const TOKENS = 2 ** 32;

export class PlatformTokens {
  readonly table: Table;
  readonly #hour: Uint32Array;
  readonly #platform: Uint16Array;
  readonly #token: Uint32Array;
  readonly #trades: Uint32Array;
  readonly #boughtDrops: Float64Array;
  readonly #soldDrops: Float64Array;
  readonly #scalars: UsageScalars;
  /** Row of each platform and token in the newest hour. */
  readonly #current = new Map<number, number>();
  #currentHour = 0;

  constructor(capacity: number, scalars: UsageScalars) {
    const table = new Table(TableId.platformTokens, 'tokens of platforms', capacity);
    this.table = table;
    this.#hour = table.u32('hour');
    this.#platform = table.u16('platform');
    this.#token = table.u32('token');
    this.#trades = table.u32('trades');
    this.#boughtDrops = table.f64('boughtDrops');
    this.#soldDrops = table.f64('soldDrops');
    this.#scalars = scalars;
  }

  trade(platform: number, token: number, time: number, drops: number, isBought: boolean): void {
    const row = this.#row(platform, token, Math.floor(time / HOUR));
    this.#trades[row]!++;
    (isBought ? this.#boughtDrops : this.#soldDrops)[row]! += drops;
    this.table.markDirty(row);
  }

  /** Sums by token. @param first hour of the window, which ends now */
  sums(platform: number, first: number): Map<number, TokenUsage> {
    const found = new Map<number, TokenUsage>();
    for (let sequence = this.#head - 1; sequence >= this.#tail; sequence--) {
      const row = sequence % this.table.capacity;
      if (this.#hour[row]! < first) break;
      if (this.#platform[row] !== platform) continue;
      const token = this.#token[row]!;
      const sums = found.get(token) ?? { trades: 0, drops: 0, boughtDrops: 0, soldDrops: 0 };
      found.set(token, sums);
      sums.trades += this.#trades[row]!;
      sums.boughtDrops += this.#boughtDrops[row]!;
      sums.soldDrops += this.#soldDrops[row]!;
      sums.drops = sums.boughtDrops + sums.soldDrops;
    }
    return found;
  }

  /** Derives the rows of the newest hour. */
  rebuild(): void {
    this.#current.clear();
    const head = this.#head;
    this.#currentHour = head > this.#tail ? this.#hour[(head - 1) % this.table.capacity]! : 0;
    for (let sequence = head - 1; sequence >= this.#tail; sequence--) {
      const row = sequence % this.table.capacity;
      if (this.#hour[row] !== this.#currentHour) return;
      this.#current.set(this.#platform[row]! * TOKENS + this.#token[row]!, row);
    }
  }

  get #head(): number {
    return this.#scalars.get(UsageScalar.tokensHead);
  }

  get #tail(): number {
    return this.#scalars.get(UsageScalar.tokensTail);
  }

  #row(platform: number, token: number, hour: number): number {
    if (hour !== this.#currentHour) this.#begin(hour);
    const key = platform * TOKENS + token;
    const known = this.#current.get(key);
    if (known !== undefined) return known;
    const row = this.#open();
    this.#hour[row] = hour;
    this.#platform[row] = platform;
    this.#token[row] = token;
    for (const column of [this.#trades, this.#boughtDrops, this.#soldDrops]) column[row] = 0;
    this.#current.set(key, row);
    return row;
  }

  #begin(hour: number): void {
    this.#current.clear();
    this.#currentHour = hour;
    let tail = this.#tail;
    while (tail < this.#head && this.#hour[tail % this.table.capacity]! <= hour - USAGE_HOURS) tail++;
    this.#scalars.set(UsageScalar.tokensTail, tail);
  }

  #open(): number {
    const { table } = this;
    const scalars = this.#scalars;
    const head = this.#head;
    if (head - this.#tail >= table.capacity) this.#leaveEarly();
    const row = head % table.capacity;
    table.reserve(row + 1);
    scalars.set(UsageScalar.tokensHead, head + 1);
    return row;
  }

  #leaveEarly(): void {
    const row = this.#tail % this.table.capacity;
    this.#current.delete(this.#platform[row]! * TOKENS + this.#token[row]!);
    this.#scalars.set(UsageScalar.tokensTail, this.#tail + 1);
    this.#scalars.set(UsageScalar.tokensLeftEarly, this.#scalars.get(UsageScalar.tokensLeftEarly) + 1);
  }
}
