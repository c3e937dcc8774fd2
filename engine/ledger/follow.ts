import type { Counters } from '../counters.ts';
import type { Log } from '../log.ts';
import type { Cursor } from '../store.ts';
import type { Clock } from './clock.ts';
import type { Prepared, Preparer } from './prepare.ts';
import type { Source } from './source.ts';

export interface FollowProgress {
  /** Ledgers emitted since the follower started. */
  readonly done: number;
  /** Ledgers to emit from its start to the newest known, holes not counted. Grows while the network lives. */
  readonly total: number;
  /** Ledgers a second, over the last seconds. */
  readonly rate: number;
  /** Seconds until it has caught up at this rate; 0 when it has, undefined while the rate is unknown. */
  readonly eta: number | undefined;
}

export interface FollowOptions {
  readonly source: Source;
  readonly preparer: Preparer;
  /** Where the durable state stands; undefined: nothing is stored yet. */
  readonly from: Cursor | undefined;
  /** With nothing stored: how many ledgers before the newest to begin at. Infinity: as far back as the source goes. */
  readonly history: number;
  /** Most ledgers asked for or prepared ahead of the one being emitted. */
  readonly window: number;
  /** Called in order, once for each ledger, each call awaited before the next. What it throws ends the follower. */
  onLedger(prepared: Prepared): Promise<void> | void;
  /** The source will never have the ledgers `from` to `to` (both inclusive); called before the ledger after them. */
  onHole?(from: number, to: number): void;
  onProgress?(progress: FollowProgress): void;
  readonly log: Log;
  readonly counters: Counters;
  readonly clock: Clock;
  /** A fraction from 0 to 1, for jitter. */
  random(): number;
  /** Ends the follower after the ledger in hand. */
  readonly signal?: AbortSignal;
}

export interface FollowEnd {
  /** Ledgers emitted. */
  readonly done: number;
  /** Index of the last one, undefined when there was none. */
  readonly last: number | undefined;
}

export declare function follow(options: FollowOptions): Promise<FollowEnd>;
