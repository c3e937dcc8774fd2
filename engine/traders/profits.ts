/** What all traders together gained until the end of a day. */
import type { CooperativeTask } from '../event-loop.ts';
import { DAY } from '../ripple-time.ts';
import type { TraderParts } from './shared-traders.ts';

const ROWS_A_SLICE = 4096;

/** Drops: sums of doubles that are less apart from zero are rounding. */
const LEAST = 1;

export interface Profits {
  /** Accounts other than pools that traded. */
  readonly traders: number;
  /** Realised; undefined: the days since then are not kept any more. */
  readonly realised:
    | {
        /** Over all traders, drops. */
        readonly drops: number;
        /** Traders who gained, and who lost, a drop or more. */
        readonly winners: number;
        readonly losers: number;
      }
    | undefined;
}

/**
 * Traders and their realised profits (positions.ts) before a time: those of now less those of the days since then, which
 * are kept for 30 days.
 * @param day the first one that does not count, close time / DAY
 */
export function* profitsBefore(
  { traders, positions, days }: Pick<TraderParts, 'traders' | 'positions' | 'days'>,
  day: number,
): CooperativeTask<Profits> {
  const later = new Float64Array(traders.table.count);
  const { head, tail } = days;
  const isKept = tail === 0 || head === tail || days.buckets[days.rowOf(tail)]! < day;
  for (let sequence = head - 1; isKept && sequence >= tail; sequence--) {
    const row = days.rowOf(sequence);
    if (days.buckets[row]! < day) break;
    if (days.realised[row] !== 0)
      later[traders.find(positions.accounts[days.positions[row]!]!)]! += days.realised[row]!;
    if (sequence % ROWS_A_SLICE === 0) yield;
  }
  let [count, drops, winners, losers] = [0, 0, 0, 0];
  for (let row = 1; row < later.length; row++) {
    if (row % ROWS_A_SLICE === 0) yield;
    if (traders.isPool[row] === 1 || traders.trades[row] === 0 || traders.first[row]! >= day * DAY) continue;
    count++;
    const gained = traders.bookRealised[row]! + traders.poolRealised[row]! - later[row]!;
    drops += gained;
    if (gained >= LEAST) winners++;
    else if (gained <= -LEAST) losers++;
  }
  return { traders: count, realised: isKept ? { drops, winners, losers } : undefined };
}
