/**
 * What each pool traded, and what went into its two sides, in the last 24 hours of close time, exact to the second: from that
 * follows what its reserves were.
 *
 *     trades and liquidity --push--> [ ... a day of moves ... ] --expire--> out
 *                             \            sums by pool           /
 *
 * Records come in live, and from the store in the background: two queues, each in order of time. When a queue is
 * as long as its limit its oldest move leaves early, and the day is whole again once that move is a day old.
 */
import { DROPS_PER_XRP } from '../engine/codec/amount.ts';
import { Columns } from '../engine/market/columns.ts';
import { ExactSums } from '../engine/market/exact-sum.ts';
import { hasLeft } from '../engine/market/figures.ts';
import { POOL_MOVES } from '../engine/market/limits.ts';
import { type TradeReader, TradeType } from '../engine/market/trade-record.ts';
import { DAY } from '../engine/ripple-time.ts';
import { STATE_LIMITS } from '../engine/state/limits.ts';

/** A raw amount of a token in units of it (XRP for XRP). */
type Units = (token: number, hi: number, lo: number) => number;

interface Move {
  time: number;
  pool: number;
  /** Worth of a trade, drops; 0 for liquidity. */
  drops: number;
  /** Units that went in (negative: out) of the token with the lower id, and of the other. */
  low: number;
  high: number;
}

export class PoolDay {
  readonly #columns = new Columns(STATE_LIMITS.pools);
  readonly #drops = this.#columns.f64();
  readonly #low = new ExactSums(this.#columns);
  readonly #high = new ExactSums(this.#columns);
  readonly #live = new Queue();
  readonly #stored = new Queue();
  /** How many moves of each pool are in the day. */
  readonly #moves = new Map<number, number>();
  readonly #units: Units;
  readonly #limit: number;
  #now = 0;
  /** Time of the newest move that left early. */
  #lost = 0;

  /** @param limit most moves of a queue. */
  constructor(units: Units, limit = POOL_MOVES) {
    this.#units = units;
    this.#limit = limit;
  }

  /** Whether no move of the last 24 hours had to leave early. */
  get isWhole(): boolean {
    return hasLeft(this.#lost, this.#now, DAY);
  }

  /** A ledger closed at `now`: what is older than a day leaves. */
  age(now: number): void {
    this.#now = Math.max(this.#now, now);
    for (const queue of [this.#live, this.#stored])
      while (queue.size > 0 && hasLeft(queue.first, this.#now, DAY)) this.#sum(queue.shift(), -1);
  }

  /** Takes in a pool's record, in order of time among the live ones and among the stored ones. */
  add(trade: TradeReader, pool: number, source: 'live' | 'stored'): void {
    if (hasLeft(trade.closeTime, this.#now, DAY)) return;
    const move = moveOf(trade, pool, this.#units);
    this.#columns.reserve(pool + 1);
    this.#sum(move, 1);
    const queue = source === 'live' ? this.#live : this.#stored;
    queue.push(move);
    if (queue.size <= this.#limit) return;
    this.#lost = Math.max(this.#lost, queue.first);
    this.#sum(queue.shift(), -1);
  }

  /** Pools with a move in the day. */
  get pools(): Iterable<number> {
    return this.#moves.keys();
  }

  /** XRP traded. */
  volume(pool: number): number {
    return (this.#drops[pool] ?? 0) / DROPS_PER_XRP;
  }

  /** Units of a token that went into the pool, negative: out of it. @param other the pool's other token */
  flow(pool: number, token: number, other: number): number {
    return (token < other ? this.#low : this.#high).value(pool);
  }

  #sum({ pool, drops, low, high }: Move, sign: 1 | -1): void {
    const moves = (this.#moves.get(pool) ?? 0) + sign;
    if (moves === 0) this.#moves.delete(pool);
    else this.#moves.set(pool, moves);
    this.#drops[pool]! += sign * drops;
    this.#low.add(pool, Math.abs(low), low < 0 ? flipped(sign) : sign);
    this.#high.add(pool, Math.abs(high), high < 0 ? flipped(sign) : sign);
  }
}

/** A pool trade pays out `paid` and takes `got`; of liquidity both go one way. */
function moveOf(trade: TradeReader, pool: number, units: Units): Move {
  const paid = units(trade.paidToken, trade.paidHi, trade.paidLo);
  const got = units(trade.gotToken, trade.gotHi, trade.gotLo);
  const isIn = trade.isLiquidity && trade.type !== TradeType.withdraw;
  const paidIn = isIn ? paid : -paid;
  const gotIn = isIn || !trade.isLiquidity ? got : -got;
  const [low, high] = trade.paidToken < trade.gotToken ? [paidIn, gotIn] : [gotIn, paidIn];
  return { time: trade.closeTime, pool, drops: trade.isLiquidity ? 0 : trade.valueDrops, low, high };
}

function flipped(sign: 1 | -1): 1 | -1 {
  return sign === 1 ? -1 : 1;
}

const FIRST_MOVES = 1024;

/** Moves in order of time, first in, first out. */
class Queue {
  #time = new Uint32Array(FIRST_MOVES);
  #pool = new Uint32Array(FIRST_MOVES);
  #drops = new Float64Array(FIRST_MOVES);
  #low = new Float64Array(FIRST_MOVES);
  #high = new Float64Array(FIRST_MOVES);
  #from = 0;
  #to = 0;

  push(move: Move): void {
    if (this.#to === this.#time.length) this.#makeRoom();
    const at = this.#to++;
    this.#time[at] = move.time;
    this.#pool[at] = move.pool;
    this.#drops[at] = move.drops;
    this.#low[at] = move.low;
    this.#high[at] = move.high;
  }

  get size(): number {
    return this.#to - this.#from;
  }

  /** Time of the oldest move; there must be one. */
  get first(): number {
    return this.#time[this.#from]!;
  }

  /** Takes the oldest move out; there must be one. */
  shift(): Move {
    const at = this.#from++;
    return {
      time: this.#time[at]!,
      pool: this.#pool[at]!,
      drops: this.#drops[at]!,
      low: this.#low[at]!,
      high: this.#high[at]!,
    };
  }

  /** Moves the rest to the front, into columns twice as long when that frees less than half. */
  #makeRoom(): void {
    const { length } = this.#time;
    const wanted = this.#from * 2 < length ? length * 2 : length;
    const moved = <T extends Uint32Array | Float64Array>(column: T, made: T): T => {
      made.set(column.subarray(this.#from, this.#to));
      return made;
    };
    this.#time = moved(this.#time, new Uint32Array(wanted));
    this.#pool = moved(this.#pool, new Uint32Array(wanted));
    this.#drops = moved(this.#drops, new Float64Array(wanted));
    this.#low = moved(this.#low, new Float64Array(wanted));
    this.#high = moved(this.#high, new Float64Array(wanted));
    this.#to -= this.#from;
    this.#from = 0;
  }
}
