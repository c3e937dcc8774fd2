/**
 * When ledgers close: without a pause while the newest is behind the clock, then one every interval.
 *
 * History: a ledger contains transactions of the agents and of external clients, many ledgers a commit. A ledger with a
 * client's transaction is committed at once, then history pauses for a moment: clients poll for their transaction every
 * second, and give up when the chain is past its last ledger. Live: agents submit to the open ledger right after a
 * close, as other clients do, and every ledger is a commit of its own.
 */
import type { Clock } from '../../engine/ledger/clock.ts';
import type { Log } from '../../engine/log.ts';
import type { ParsedTransaction } from '../apply/environment.ts';
import type { ClosedLedger } from '../ledger/ledger.ts';
import type { Network } from './network.ts';

/** Close time between two ledgers of history, seconds: one minute, so that every candle has data. */
export const HISTORY_STEP = 60;
/**
 * Ledgers of history that share a commit, and so the most that the newest ledger is ahead of what clients see. Fewer than
 * the 20 that clients add to the validated index for `LastLedgerSequence`: their transactions are still in time.
 */
const HISTORY_COMMIT = 8;
/** History is made for this long, then requests are served. */
const TIME_SLICE_MS = 20;
/** History pauses for this long after a client's transaction; clients poll a second after they have sent one. */
const PAUSE_MS = 1_500;
/** During the pause, time between two ledgers for transactions of clients, at least. */
const PAUSE_STEP_MS = 250;
/** Time between two progress lines, at least. */
const PROGRESS_MS = 5_000;

/** What creates transactions of its own: the agents of the network. */
export interface TransactionSource {
  /** Their signed transactions for the ledger after `parent`, which will close at `closeTime` (Ripple epoch seconds). */
  transactions(parent: ClosedLedger, closeTime: number): readonly ParsedTransaction[];
}

export interface PaceOptions {
  readonly network: Network;
  readonly agents: TransactionSource;
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
  #progressLoggedAt = 0;
  #pauseUntil = 0;
  /** Index of the last ledger that the agents have acted on: once on each. What they submitted is lost with the process. */
  #actedUpon = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /** Closes the first ledger of a new network, in which the agents are funded. */
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
        this.#timeSlice();
      } catch (fault) {
        this.stop();
        this.#options.onFault(fault);
      }
    });
  }

  #timeSlice(): void {
    const { network, clock } = this.#options;
    if (!this.#behind) {
      this.#live();
      return;
    }
    if (clock.now() < this.#pauseUntil) {
      if (network.open.count > 0) this.#historyLedger();
      this.#next(PAUSE_STEP_MS);
      return;
    }
    network.ledgers.commitEvery = HISTORY_COMMIT;
    const until = clock.now() + TIME_SLICE_MS;
    while (this.#behind && clock.now() < until && clock.now() >= this.#pauseUntil) this.#historyLedger();
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
    // The open ledger contains only transactions whose signatures were checked.
    const submitted = network.open.transactions();
    const set = [...this.#agentTransactions(parent, closeTime), ...submitted];
    network.build(set, closeTime, { trusted: true });
    if (submitted.length > 0) {
      network.flush();
      this.#pauseUntil = this.#options.clock.now() + PAUSE_MS;
    }
    this.#made++;
  }

  #agentTransactions(parent: ClosedLedger, closeTime: number): readonly ParsedTransaction[] {
    if (this.#actedUpon === parent.index) return [];
    this.#actedUpon = parent.index;
    return this.#options.agents.transactions(parent, closeTime);
  }

  #live(): void {
    const { network, interval, clock } = this.#options;
    const startedAt = clock.now();
    network.ledgers.commitEvery = 1;
    if (this.#actedUpon === network.closed.index) network.close();
    this.#submit();
    this.#next(Math.max(0, interval * 1_000 - (clock.now() - startedAt)));
  }

  #submit(): void {
    const { network, interval } = this.#options;
    for (const transaction of this.#agentTransactions(network.closed, network.time + interval))
      network.submit(transaction);
  }

  #progress(): void {
    const { network, clock, log } = this.#options;
    if (this.#behind && clock.now() - this.#progressLoggedAt < PROGRESS_MS) return;
    this.#progressLoggedAt = clock.now();
    const { index, closeTime } = network.closed;
    if (!this.#behind) {
      log.info({ ledger: index, made: this.#made }, "the embedded network's history is complete");
      return;
    }
    const left = Math.max(0, Math.floor((network.time - closeTime) / HISTORY_STEP));
    log.info({ ledger: index, made: this.#made, left }, 'the embedded network makes its history');
  }
}
