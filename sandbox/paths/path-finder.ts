/**
 * The path finder of a node: the books of its newest ledger, and a limit of concurrent searches. Searches yield to each
 * other and to everything else on the thread.
 */

import { type CooperativeTask, runInSlices } from '../../engine/event-loop.ts';
import type { ClosedLedger } from '../ledger/ledger.ts';
import type { ReadView } from '../ledger/view.ts';
import { BookIndex } from './book-index.ts';
import type { Alternative, PathRequest } from './path-request.ts';

/** Concurrent searches; more would only slow each other down, so they wait. */
const SEARCHES_MAX = 4;
const WAITING_MAX = 64;

/** The ledgers of a network that the path finder needs. */
export interface LedgerSource {
  readonly validated: ClosedLedger;
  readonly ledgers: {
    /** A closed ledger with its state, while it is kept. */
    recent(index: number): ClosedLedger | undefined;
  };
}

export class PathFinder {
  readonly books = new BookIndex();
  readonly #source: LedgerSource;
  #searching = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(source: LedgerSource) {
    this.#source = source;
  }

  /** Whether new requests should be refused now. */
  get busy(): boolean {
    return this.#waiting.length >= WAITING_MAX;
  }

  /**
   * Searches on a view; the books are those of the newest ledger, whatever ledger the view is of.
   * @returns undefined when the sender has too many currencies
   */
  async find(request: PathRequest, view: ReadView, fast: boolean): Promise<Alternative[] | undefined> {
    if (this.#searching >= SEARCHES_MAX) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#searching += 1;
    try {
      return await runInSlices(this.#work(request, view, fast));
    } finally {
      // The place goes to the request that has waited longest.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#searching -= 1;
    }
  }

  *#work(request: PathRequest, view: ReadView, fast: boolean): CooperativeTask<Alternative[] | undefined> {
    const { validated, ledgers } = this.#source;
    yield* this.books.follow(validated, (index) => ledgers.recent(index));
    return yield* request.alternatives(view, this.books, fast);
  }
}
