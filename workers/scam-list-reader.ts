/**
 * Reads lists of scam accounts in a thread, which is started for each and ends with it: the checksums of a long list take half a
 * second, and hostile text many seconds, that the main thread must not wait for.
 */
import { Piscina } from 'piscina';
import type { AccountsOfText } from '../platform/scam-list-text.ts';

/** The longest list takes a second; so much more on a busy machine. */
const TIMEOUT_MS = 30_000;

export class ScamListReader {
  readonly #timeoutMs: number;
  #pool: Piscina<string, AccountsOfText> | undefined;

  constructor(timeoutMs = TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
  }

  /** @throws Error that says in one line what is wrong with the list */
  async accountsIn(text: string): Promise<AccountsOfText> {
    this.#pool ??= new Piscina({
      filename: new URL('./scam-list-reader.worker.ts', import.meta.url).href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: 0,
    });
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      return await this.#pool.run(text, { signal });
    } catch (fault) {
      throw signal.aborted ? new Error(`a list that takes more than ${this.#timeoutMs} ms to read`) : fault;
    }
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
  }
}
