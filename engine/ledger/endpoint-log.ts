/**
 * The names of endpoints, and the log lines of one: one line per change of state, none while the state stays the same.
 *
 *     up --silence--> quiet --a new ledger--> up          A quiet endpoint is connected again repeatedly, and stays
 *      \--fault--> down --subscribed--> up                quiet until it announces a ledger.
 *
 * False data is logged every time; the pause after it limits how often that can be. After it, 'endpoint up' is logged
 * only with the next announced ledger: an endpoint that sends false data on each connection is never logged as up.
 */
import type { Log } from '../log.ts';

/**
 * By host alone: logs and /metrics show them, and providers of nodes have their keys in the path, in the query, or before the
 * host. Further ones of a host are numbered, so that each name is one endpoint's.
 */
export function namesOf(urls: readonly string[]): string[] {
  const hosts = urls.map((url) => new URL(url).host);
  return hosts.map((host, i) => {
    const earlier = hosts.slice(0, i).filter((other) => other === host).length;
    return earlier === 0 ? host : `${host} #${earlier + 1}`;
  });
}

export class EndpointLog {
  readonly #log: Log;
  readonly #endpoint: string;
  #state: 'new' | 'up' | 'quiet' | 'down' | 'distrusted' = 'new';
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

  /** The endpoint announced a ledger that it had not announced before. */
  announced(ledger: number): void {
    if (!this.#isUp || (this.#state !== 'quiet' && this.#state !== 'distrusted')) return;
    const message = this.#state === 'quiet' ? 'endpoint announces ledgers again' : 'endpoint up';
    this.#state = 'up';
    this.#log.info({ endpoint: this.#endpoint, ledger }, message);
  }

  /** @param ms time without a new ledger */
  quiet(ms: number): void {
    if (this.#state === 'quiet') return;
    this.#state = 'quiet';
    this.#log.warn({ endpoint: this.#endpoint, ms }, 'endpoint announces no new ledger');
  }

  /**
   * @param pause ms until it is connected again
   * @param quiet silence is the only reason
   */
  down(reason: string, pause: number, quiet: boolean): void {
    this.#isUp = false;
    const fields = { endpoint: this.#endpoint, reason, pause: Math.round(pause) };
    if (this.#state === 'down' || this.#state === 'distrusted' || (this.#state === 'quiet' && quiet)) {
      this.#log.debug(fields, 'endpoint still down');
      return;
    }
    this.#state = quiet ? 'quiet' : 'down';
    this.#log.info(fields, 'endpoint down');
  }

  /** @param pause ms until it is connected again; undefined: the connection that sent false data has already ended */
  distrusted(reason: string, pause: number | undefined): void {
    const fields = { endpoint: this.#endpoint, reason };
    if (pause === undefined) {
      this.#log.warn(fields, 'endpoint sent false data on a connection that has ended');
      return;
    }
    this.#isUp = false;
    this.#state = 'distrusted';
    this.#log.warn({ ...fields, pause: Math.round(pause) }, 'endpoint marked down: it sent false data');
  }
}
