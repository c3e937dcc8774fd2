/**
 * What the log says of one endpoint: a line for each change of its state, none for its repetition.
 *
 *     up --silence--> quiet --a new ledger--> up          A quiet endpoint is connected anew again and again, and stays
 *      \--fault--> down --subscribed--> up                quiet until it announces a ledger.
 *
 * An untruth is a line of its own each time: the penalty after it bounds how often that is. That it is up again is said
 * with the next ledger it announces: who lies on each connection comes up with none of them.
 */
import type { Log } from '../log.ts';

export class EndpointLog {
  readonly #log: Log;
  readonly #endpoint: string;
  #state: 'new' | 'up' | 'quiet' | 'down' | 'lied' = 'new';
  #isUp = false;

  constructor(log: Log, endpoint: string) {
    this.#log = log;
    this.#endpoint = endpoint;
  }

  up(): void {
    this.#isUp = true;
    if (this.#state !== 'new' && this.#state !== 'down') return;
    this.#state = 'up';
    this.#log.info({ endpoint: this.#endpoint }, 'endpoint up');
  }

  /** It announced a ledger that it had not announced before. */
  heard(ledger: number): void {
    if (!this.#isUp || (this.#state !== 'quiet' && this.#state !== 'lied')) return;
    const message = this.#state === 'quiet' ? 'endpoint announces ledgers again' : 'endpoint up';
    this.#state = 'up';
    this.#log.info({ endpoint: this.#endpoint, ledger }, message);
  }

  /** @param ms for so long it announced no ledger */
  quiet(ms: number): void {
    if (this.#state === 'quiet') return;
    this.#state = 'quiet';
    this.#log.warn({ endpoint: this.#endpoint, ms }, 'endpoint announces no new ledger');
  }

  /**
   * @param pause ms until it is connected again
   * @param quiet it went down for nothing but its silence
   */
  down(reason: string, pause: number, quiet: boolean): void {
    this.#isUp = false;
    const fields = { endpoint: this.#endpoint, reason, pause: Math.round(pause) };
    if (this.#state === 'down' || this.#state === 'lied' || (this.#state === 'quiet' && quiet)) {
      this.#log.debug(fields, 'endpoint still down');
      return;
    }
    this.#state = quiet ? 'quiet' : 'down';
    this.#log.info(fields, 'endpoint down');
  }

  /** @param pause ms until it is connected again; undefined: the connection it lied on is gone already */
  lied(reason: string, pause: number | undefined): void {
    const fields = { endpoint: this.#endpoint, reason };
    if (pause === undefined) {
      this.#log.warn(fields, 'endpoint told an untruth on a connection that has ended');
      return;
    }
    this.#isUp = false;
    this.#state = 'lied';
    this.#log.warn({ ...fields, pause: Math.round(pause) }, 'endpoint marked down: it told an untruth');
  }
}
