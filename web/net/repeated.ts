/** Asking again as the ledgers close. */
import { newestLedger, reopenings } from './ledger.ts';
import { type Failure, isPassing } from './rest.ts';

/** Least time between the beginnings of two questions: while history is read, ledgers come a hundred a second. */
const LEAST_MS = 500;
/** What failed for the moment is asked again after so long where no ledger closes, or nobody follows them: in frames of other sites. */
const RETRY_MS = 60_000;

/**
 * A question that is asked again: one at a time, and not too often. What comes meanwhile makes one further question at the
 * end, so that the last answer is of the newest ledger. Nothing is asked while the tab is hidden. What could not be answered
 * for the moment is asked again after the next ledger or a minute, however seldom it is asked otherwise, and not before the
 * service wants to be asked. What the service does not have as it is set up is asked again when the connection was opened again.
 */
export class Repeated {
  readonly #ask: (signal: AbortSignal) => Promise<Failure | undefined>;
  readonly #every: number;
  readonly #unsubscribe: () => void;
  #askedAt = 0;
  /** Not before, on the clock of `performance`. */
  #notBefore = 0;
  #isRunning = false;
  #hasPassingFailure = false;
  /** How often the connection had been opened again when the service said that it is not set up for this; undefined: it is, or may be. */
  #refusedAfter: number | undefined;
  #isDue = false;
  readonly #ended = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param ask resolves with why it was not answered; nobody wants to know once its signal is aborted, by `end` */
  constructor(
    follow: 'ledger' | 'once' | number,
    ask: (signal: AbortSignal) => Promise<Failure | undefined>,
  ) {
    this.#ask = ask;
    this.#every = follow === 'ledger' ? 1 : follow === 'once' ? Number.POSITIVE_INFINITY : follow;
    void this.#run();
    this.#unsubscribe = newestLedger.subscribe(this.#look);
    document.addEventListener('visibilitychange', this.#look);
  }

  again(): void {
    this.#isDue = true;
    if (this.#isRunning || this.#ended.signal.aborted || document.hidden) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(), Math.max(0, this.#notBefore - performance.now()));
  }

  end(): void {
    this.#ended.abort();
    clearTimeout(this.#timer);
    this.#unsubscribe();
    document.removeEventListener('visibilitychange', this.#look);
  }

  readonly #look = (): void => {
    if (this.#refusedAfter === reopenings.peek()) return;
    const index = newestLedger.peek()?.ledger_index ?? 0;
    const isUnanswered = this.#hasPassingFailure || this.#refusedAfter !== undefined;
    const every = isUnanswered ? 1 : this.#every;
    if (this.#isDue || index >= this.#askedAt + every) this.again();
  };

  async #run(): Promise<void> {
    this.#isRunning = true;
    this.#isDue = false;
    this.#notBefore = performance.now() + LEAST_MS;
    this.#askedAt = newestLedger.peek()?.ledger_index ?? 0;
    const before = reopenings.peek();
    const failure = await this.#ask(this.#ended.signal);
    this.#hasPassingFailure = failure !== undefined && isPassing(failure);
    this.#refusedAfter = failure?.isNotConfigured ? before : undefined;
    if (failure?.retryAfter !== undefined)
      this.#notBefore = Math.max(this.#notBefore, performance.now() + failure.retryAfter);
    this.#isRunning = false;
    if (this.#isDue) this.again();
    else if (this.#hasPassingFailure && !this.#ended.signal.aborted)
      this.#timer = setTimeout(() => this.again(), RETRY_MS);
  }
}
