/** Searches for quotes in other threads, as views ask for them; workers/quote-threads.ts runs them. */
import type { OfLedger } from '../heavy-reads.ts';
import type { Quote, QuoteRequest } from './quote.ts';

export interface QuoteSearches {
  /** Monotonic milliseconds: how long a search runs on the asking thread first. */
  now(): number;
  /**
   * The payments that `rankedQuotes` finds (search.ts), and the ledger that they are of.
   * @returns undefined while no thread is ready: search on this one
   * @throws HeavyReadsBusyError when too many wait
   * @throws OvertakenError when ledgers followed one another faster than the state could be read
   */
  ranked(request: QuoteRequest): Promise<OfLedger<readonly Quote[]>> | undefined;
}
