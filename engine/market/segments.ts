/**
 * Volumes of segments of the market: stablecoins and meme tokens.
 *
 *   gStableVolume   XRP worth of the trades in which either side is an anchor (anchors.ts)
 *   gMemeVolume     XRP worth of the trades in which either side is a meme token (tag `Memes`): a token issued
 *                   through a launch platform (launches.ts), or an MPT whose metadata has the asset class
 *                   `memes`; an anchor is never one
 *
 * A trade counts once in a segment, by the class of its tokens at its time, with its value as in gDexVolume
 * (valuation.ts). Windows are whole hours, like those of 7 days: the current hour and the 23 before it.
 *
 *   ...Pro          percent: the last 24 whole hours against the 24 before them; absent until 48 hours were read
 *
 * One row an hour, in a ring; a trade costs two look-ups and an addition.
 */
import { DROPS_PER_XRP } from '../codec/amount.ts';
import { DAY_HOURS, HOUR } from '../ripple-time.ts';
import { Table } from '../state/table.ts';
import { TableId } from '../table-ids.ts';
import type { Figures } from './figures.ts';
import { TickFlag, type Ticks } from './ticks.ts';

/** More than the 49 hours that are compared. */
const HOURS_KEPT = 64;

export interface SegmentTokens {
  isAnchor(token: number, time: number): boolean;
  isMeme(token: number): boolean;
}

export class Segments {
  readonly table = new Table(TableId.segments, 'segments', HOURS_KEPT);
  readonly #hours = this.table.u32('hour');
  readonly #stable = this.table.f64('stableDrops');
  readonly #meme = this.table.f64('memeDrops');
  readonly #tokens: SegmentTokens;

  /** @param ticks from which the table of an older store is filled */
  constructor(tokens: SegmentTokens, ticks: Ticks) {
    this.#tokens = tokens;
    this.table.onNew(() => this.#readTicks(ticks));
  }

  /** A ledger closed at `time`; before its trades. */
  begin(time: number): void {
    const hour = Math.floor(time / HOUR);
    const row = hour % HOURS_KEPT;
    if (this.#hours[row] === hour) return;
    this.#hours[row] = hour;
    this.#stable[row] = 0;
    this.#meme[row] = 0;
    this.table.markDirty(row);
  }

  /** A trade between two tokens, either of which may be XRP. @param drops its value */
  take(one: number, two: number, drops: number, time: number): void {
    const row = Math.floor(time / HOUR) % HOURS_KEPT;
    const tokens = this.#tokens;
    const stable = [tokens.isAnchor(one, time), tokens.isAnchor(two, time)] as const;
    if (stable[0] || stable[1]) this.#stable[row]! += drops;
    if ((!stable[0] && tokens.isMeme(one)) || (!stable[1] && tokens.isMeme(two))) this.#meme[row]! += drops;
    this.table.markDirty(row);
  }

  #readTicks(ticks: Ticks): void {
    for (let sequence = ticks.tail; sequence < ticks.head; sequence++) {
      const row = ticks.row(sequence);
      const flags = ticks.flags[row]!;
      if (flags & (TickFlag.deposit | TickFlag.withdraw | TickFlag.second)) continue;
      // The other token of a trade without XRP is in the next row.
      const other = flags & TickFlag.xrpLeg ? 0 : ticks.token[ticks.row(sequence + 1)]!;
      this.begin(ticks.time[row]!);
      this.take(ticks.token[row]!, other, ticks.drops[row]!, ticks.time[row]!);
    }
  }

  /** `gStableVolume`, `gMemeVolume` and their changes, for a ledger that closed at `time`. */
  figures(time: number): Figures {
    const hour = Math.floor(time / HOUR);
    const figures: Figures = {};
    const seen =
      hour >= 2 * DAY_HOURS && this.#hours[(hour - 2 * DAY_HOURS) % HOURS_KEPT] === hour - 2 * DAY_HOURS;
    for (const [name, drops] of [
      ['gStableVolume', this.#stable],
      ['gMemeVolume', this.#meme],
    ] as const) {
      figures[name] = this.#sum(drops, hour) / DROPS_PER_XRP;
      const before = this.#sum(drops, hour - 1 - DAY_HOURS);
      if (seen && before > 0) figures[`${name}Pro`] = (this.#sum(drops, hour - 1) / before - 1) * 100;
    }
    return figures;
  }

  /** Of the 24 hours up to one, the last included. */
  #sum(drops: Float64Array, last: number): number {
    let sum = 0;
    for (let hour = Math.max(0, last - DAY_HOURS + 1); hour <= last; hour++)
      if (this.#hours[hour % HOURS_KEPT] === hour) sum += drops[hour % HOURS_KEPT]!;
    return sum;
  }
}
