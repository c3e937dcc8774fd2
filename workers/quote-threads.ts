/**
 * The threads that search for quotes (engine/quotes/shared-search.ts), over the memory that the main thread writes.
 *
 *     ranked(request) --> queue, bounded --> thread: attached once, keeps its graph of tokens
 *          ^                                    |
 *          '------ described again -------------'  an index was replaced
 *
 * Goals: a quote costs the main thread one small message each way, whatever is searched; more of them than the threads can do
 * are refused at once, so that those that are taken stay fast. Non-goals: reads of many milliseconds (heavy-reads.ts: each of
 * them attaches again, which costs what a whole search does here), priorities.
 *
 * A thread starts with the first search, and again with the next one after it has ended by a fault; until it is ready searches
 * run on the calling thread. Cost: 30 us of the main thread a quote, of which most is the copy of its result.
 */
import { Worker } from 'node:worker_threads';
import { HeavyReadsBusyError, type OfLedger } from '../engine/heavy-reads.ts';
import type { Quote, QuoteRequest } from '../engine/quotes/quote.ts';
import { amendmentsOf, type LedgerRules, type PendingAmendments } from '../engine/quotes/rules.ts';
import type { QuoteSearches } from '../engine/quotes/searches.ts';
import {
  type PackedQuote,
  type PackedRequest,
  packRequest,
  unpackQuote,
} from '../engine/quotes/shared-search.ts';
import { OvertakenError } from '../engine/state/sequence-lock.ts';
import { describeState, type StateDescription } from '../engine/state/shared-state.ts';
import type { State } from '../engine/state/state.ts';

/** Searches that may wait or run: at 0.3 ms each, a tenth of a second of work. */
export const QUOTES_WAITING_MAX = 256;
/** Times that one search is described again. */
const DESCRIPTIONS_MAX = 3;

/** Threads at most: together they do more quotes than one main thread can answer. */
const THREADS_MAX = 2;

/** @param workers the number of threads that the service may use beside the main one; 0: none */
export function quoteThreads(workers: number): QuoteThreads | undefined {
  return workers === 0 ? undefined : new QuoteThreads(Math.min(THREADS_MAX, Math.max(1, workers >> 1)));
}

export type ToQuoteThread =
  | {
      readonly kind: 'network';
      readonly network: number;
      readonly state: StateDescription;
      readonly amendments: PendingAmendments;
    }
  | {
      readonly kind: 'search';
      readonly id: number;
      readonly network: number;
      readonly request: PackedRequest;
    };

export type FromQuoteThread =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'found';
      readonly id: number;
      readonly quotes: readonly PackedQuote[];
      readonly ledger: number;
    }
  | { readonly kind: 'outdated' | 'overtaken'; readonly id: number }
  | { readonly kind: 'fault'; readonly id: number; readonly message: string };

interface Search {
  readonly network: NetworkSearches;
  readonly request: PackedRequest;
  readonly resolve: (found: OfLedger<readonly Quote[]>) => void;
  readonly reject: (fault: Error) => void;
  descriptions: number;
}

/** The searches of one network. */
class NetworkSearches implements QuoteSearches {
  readonly now = () => performance.now();
  readonly id: number;
  readonly #threads: QuoteThreads;
  readonly #state: State;
  readonly #amendments: PendingAmendments;

  constructor(threads: QuoteThreads, id: number, state: State, rules: LedgerRules) {
    this.#threads = threads;
    this.id = id;
    this.#state = state;
    this.#amendments = amendmentsOf(rules);
  }

  ranked(request: QuoteRequest): Promise<OfLedger<readonly Quote[]>> | undefined {
    return this.#threads.search(this, packRequest(request));
  }

  describe(): ToQuoteThread {
    const state = describeState(this.#state);
    return { kind: 'network', network: this.id, state, amendments: this.#amendments };
  }
}

class QuoteThread {
  readonly worker: Worker;
  readonly searches = new Map<number, Search>();
  /** Networks that it has attached to. */
  readonly networks = new Set<NetworkSearches>();
  isReady = false;

  constructor() {
    this.worker = new Worker(new URL('./quote-threads.worker.ts', import.meta.url));
  }

  send(message: ToQuoteThread): void {
    this.worker.postMessage(message);
  }

  fail(fault: Error): void {
    for (const { reject } of this.searches.values()) reject(fault);
    this.searches.clear();
  }
}

export class QuoteThreads {
  readonly #count: number;
  readonly #waitingMax: number;
  #threads: QuoteThread[] = [];
  #networks = 0;
  #nextId = 1;
  #isClosed = false;

  /** @param waitingMax searches that may wait or run at one time */
  constructor(count: number, waitingMax = QUOTES_WAITING_MAX) {
    this.#count = count;
    this.#waitingMax = waitingMax;
  }

  /** Searches of one network; several networks share the threads. */
  of(state: State, rules: LedgerRules): QuoteSearches {
    this.#networks += 1;
    return new NetworkSearches(this, this.#networks, state, rules);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const threads = this.#threads;
    this.#threads = [];
    for (const thread of threads) thread.fail(new HeavyReadsBusyError('the service is stopping'));
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }

  search(network: NetworkSearches, request: PackedRequest): Promise<OfLedger<readonly Quote[]>> | undefined {
    if (this.#isClosed) throw new HeavyReadsBusyError('the service is stopping');
    while (this.#threads.length < this.#count) this.#threads.push(this.#start());
    let chosen: QuoteThread | undefined;
    let waiting = 0;
    for (const thread of this.#threads) {
      waiting += thread.searches.size;
      if (thread.isReady && (!chosen || thread.searches.size < chosen.searches.size)) chosen = thread;
    }
    if (!chosen) return undefined;
    if (waiting >= this.#waitingMax) throw new HeavyReadsBusyError(`${waiting} quotes are being searched`);
    const { promise, resolve, reject } = Promise.withResolvers<OfLedger<readonly Quote[]>>();
    this.#hand(chosen, { network, request, resolve, reject, descriptions: 0 });
    return promise;
  }

  #hand(thread: QuoteThread, search: Search): void {
    const { network, request } = search;
    if (!thread.networks.has(network)) {
      thread.networks.add(network);
      thread.send(network.describe());
    }
    const id = this.#nextId++;
    thread.searches.set(id, search);
    thread.send({ kind: 'search', id, network: network.id, request });
  }

  #start(): QuoteThread {
    const thread = new QuoteThread();
    const lost = (): void => {
      this.#threads = this.#threads.filter((one) => one !== thread);
      thread.fail(new OvertakenError('a thread that searches for quotes has ended'));
    };
    thread.worker.on('message', (message: FromQuoteThread) => this.#receive(thread, message));
    thread.worker.on('error', lost);
    thread.worker.on('exit', lost);
    return thread;
  }

  #receive(thread: QuoteThread, message: FromQuoteThread): void {
    if (message.kind === 'ready') {
      thread.isReady = true;
      return;
    }
    const search = thread.searches.get(message.id);
    if (!search) return;
    thread.searches.delete(message.id);
    switch (message.kind) {
      case 'found':
        search.resolve({ value: message.quotes.map(unpackQuote), ledger: message.ledger });
        break;
      case 'outdated':
        thread.networks.delete(search.network);
        if (++search.descriptions <= DESCRIPTIONS_MAX) this.#hand(thread, search);
        else search.reject(new OvertakenError('the state changed faster than it could be described'));
        break;
      case 'overtaken':
        search.reject(new OvertakenError('the state changed faster than it could be read'));
        break;
      case 'fault':
        search.reject(new Error(`a search for quotes: ${message.message}`));
    }
  }
}
