/**
 * When ledgers close: as fast as can be while the newest is behind the clock, then one every interval.
 *
 * In history a ledger is built of what people do and what strangers have sent, many ledgers a commit; one that a
 * stranger waits for is durable at once, and then history rests for a moment: clients look for their transaction every
 * second, and give it up when the chain is past its last ledger. Live, people submit to the
 * open ledger right after a close, beside everybody else, and every ledger is a commit of its own.
 */
import type { Clock } from '../../engine/ledger/clock.ts';
import type { Log } from '../../engine/log.ts';
import type { ParsedTransaction } from '../apply/environment.ts';
import type { ClosedLedger } from '../ledger/ledger.ts';
import type { Network } from './network.ts';

/** Close time between two ledgers of history, seconds: a minute makes every candle of the charts. */
export const HISTORY_STEP = 60;
/**
 * Ledgers of history that share a commit, and so the most that the newest is ahead of what the world sees. Fewer than
 * the 20 that clients add to the validated index for `LastLedgerSequence`: what they send then still gets in.
 */
const HISTORY_COMMIT = 8;
/** History is made for this long, then requests get their turn. */
const TURN_MS = 20;
/** History rests for this long after a stranger's transaction; clients look a second after they have sent one. */
const REST_MS = 1_500;
/** While it rests, a ledger for what strangers send at most this often. */
const REST_STEP_MS = 250;
/** A progress line at most this often. */
const PROGRESS_MS = 5_000;

/** Who acts on the network by itself. */
export interface People {
  /** What they do in the ledger after `parent`, which is to close at `closeTime` (Ripple epoch seconds), signed. */
  transactions(parent: ClosedLedger, closeTime: number): readonly ParsedTransaction[];
}

export interface PaceOptions {
  readonly network: Network;
  readonly people: People;
  /** Seconds. */
  readonly interval: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly onFault: (fault: unknown) => void;
}

export class Pace {
  readonly #options: PaceOptions;
  #cancel: () => void = () => {};
  #stopped = false;
  #made = 0;
  #told = 0;
  #restUntil = 0;
  /** The ledger that people have acted upon last: once upon each. What they had submitted is lost with the process. */
  #actedUpon = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /** Closes the first ledger of a new network, in which people get what they begin with. */
  begin(): void {
    const { network } = this.#options;
    if (network.closed.index > 2) return;
    this.#historyLedger();
    network.flush();
  }

  start(): void {
    this.#next(0);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #next(ms: number): void {
    if (this.#stopped) return;
    this.#cancel = this.#options.clock.timer(ms, () => {
      try {
        this.#turn();
      } catch (fault) {
        this.stop();
        this.#options.onFault(fault);
      }
    });
  }

  #turn(): void {
    const { network, clock } = this.#options;
    if (!this.#behind) {
      this.#live();
      return;
    }
    if (clock.now() < this.#restUntil) {
      if (network.open.count > 0) this.#historyLedger();
      this.#next(REST_STEP_MS);
      return;
    }
    network.ledgers.commitEvery = HISTORY_COMMIT;
    const until = clock.now() + TURN_MS;
    while (this.#behind && clock.now() < until && clock.now() >= this.#restUntil) this.#historyLedger();
    this.#progress();
    if (!this.#behind) {
      network.flush();
      this.#submit();
    }
    this.#next(0);
  }

  /** Whether a whole step of history lies between the newest ledger and now. */
  get #behind(): boolean {
    const { network } = this.#options;
    return network.time - network.closed.closeTime >= HISTORY_STEP;
  }

  #historyLedger(): void {
    const { network } = this.#options;
    const parent = network.closed;
    const closeTime = parent.closeTime + HISTORY_STEP;
    // The open ledger takes nothing in whose signature it has not checked.
    const strangers = network.open.transactions();
    const set = [...this.#acts(parent, closeTime), ...strangers];
    network.build(set, closeTime, { trusted: true });
    if (strangers.length > 0) {
      network.flush();
      this.#restUntil = this.#options.clock.now() + REST_MS;
    }
    this.#made++;
  }

  #acts(parent: ClosedLedger, closeTime: number): readonly ParsedTransaction[] {
    if (this.#actedUpon === parent.index) return [];
    this.#actedUpon = parent.index;
    return this.#options.people.transactions(parent, closeTime);
  }

  #live(): void {
    const { network, interval, clock } = this.#options;
    const began = clock.now();
    network.ledgers.commitEvery = 1;
    if (this.#actedUpon === network.closed.index) network.close();
    this.#submit();
    this.#next(Math.max(0, interval * 1_000 - (clock.now() - began)));
  }

  #submit(): void {
    const { network, interval } = this.#options;
    for (const transaction of this.#acts(network.closed, network.time + interval))
      network.submit(transaction);
  }

  #progress(): void {
    const { network, clock, log } = this.#options;
    if (this.#behind && clock.now() - this.#told < PROGRESS_MS) return;
    this.#told = clock.now();
    const { index, closeTime } = network.closed;
    if (!this.#behind) {
      log.info({ ledger: index, made: this.#made }, "the embedded network's history is complete");
      return;
    }
    const left = Math.max(0, Math.floor((network.time - closeTime) / HISTORY_STEP));
    log.info({ ledger: index, made: this.#made, left }, 'the embedded network makes its history');
  }
}
