/**
 * The best payments for a request, on the newest ledger.
 *
 *     request ──► kept of this ledger? ──► here, the first few of each turn of the event loop ──► used
 *                                            |── takes longer than HERE_MS: threads ──────.
 *                                            '── the others: threads ──► a place in a turn ──► of the newest ledger? ──► used
 *
 * Goal: one quote costs what its search does, and many at once do not hold up what else the main thread does. Equal requests
 * share one search a ledger, and all of them what was read of books and pools to estimate paths. Cost: at 1,000 quotes a second beside ledgers of 400 transactions the same as searching here alone;
 * at 2,500 a second that falls behind (a median of 512 ms instead of 6, measured one after the other).
 */
import type { Engine } from '../../engine/engine.ts';
import { type CooperativeTask, runInSlices, runToEnd, Turns } from '../../engine/event-loop.ts';
import { HeavyReadsBusyError } from '../../engine/heavy-reads.ts';
import { Estimates } from '../../engine/quotes/estimate.ts';
import { TokenGraph } from '../../engine/quotes/graph.ts';
import type { Quote, QuoteRequest } from '../../engine/quotes/quote.ts';
import type { LedgerRules } from '../../engine/quotes/rules.ts';
import { rankedQuotes } from '../../engine/quotes/search.ts';
import type { QuoteSearches } from '../../engine/quotes/searches.ts';
import { OvertakenError } from '../../engine/state/sequence-lock.ts';
import { atOneVersion } from '../at-one-version.ts';
import { VersionedCache } from '../versioned-cache.ts';

/** Searches in other threads that a ledger overtook, after which it is searched here. */
const TRIES_MAX = 3;
/**
 * Quotes that are searched or used in one turn of the event loop, some 3 ms; searches that come then go to the threads. A search
 * takes about as long as the way to a thread and back, and the way back waits for whatever the loop does next. What the threads
 * found comes in bursts, and making the answers takes as long as searching: all of a burst in one turn held up the loop for
 * 100 ms.
 */
const A_TURN = 8;
/**
 * How long a search runs here before a thread has it. Most take less; a payment that takes a thousand offers takes 20 ms, and
 * a dozen of them are compared.
 */
const HERE_MS = 4;
/** The same for what ledgers overtook in the threads each time: it holds up the loop, and what takes longer is refused. */
const AT_LAST_MS = 12;
/** Requests whose payments are kept until the next ledger: some 10 kB each. */
const KEPT_MAX = 512;

/** Of an engine. */
type QuotedEngine = Pick<Engine, 'state' | 'version' | 'head'>;

/** Payments, best first, and the engine's version that they are of. */
interface Found {
  readonly ranked: readonly Quote[];
  readonly version: number;
}

export class BestPayments {
  readonly rules: LedgerRules;
  readonly #engine: QuotedEngine;
  readonly #threads: QuoteSearches | undefined;
  readonly #graph: TokenGraph;
  readonly #turns = new Turns(A_TURN);
  readonly #kept: VersionedCache<readonly Quote[]>;
  #estimates: Estimates;
  /** The engine's version that they are of. */
  #estimatesOf = 0;

  /** @param rules of the network's ledgers */
  constructor(engine: QuotedEngine, rules: LedgerRules, threads: QuoteSearches | undefined) {
    this.#engine = engine;
    this.rules = rules;
    this.#threads = threads;
    this.#graph = new TokenGraph(engine.state);
    this.#estimates = new Estimates(engine.state);
    this.#kept = new VersionedCache([engine], KEPT_MAX);
  }

  /** Tokens and what they are exchanged for, as of the newest ledger. */
  get graph(): TokenGraph {
    this.#graph.update();
    return this.#graph;
  }

  /** Resolves when `graph` needs no long computation; undefined: it needs none now. */
  graphReady(): Promise<void> | undefined {
    return this.#graph.isNearlyCurrent ? undefined : runInSlices(this.#graph.updating());
  }

  /** What pairs would give, as of the newest ledger. */
  get estimates(): Estimates {
    const { version, state } = this.#engine;
    if (this.#estimatesOf !== version) {
      this.#estimates = new Estimates(state, this.#estimates.firstOffers);
      this.#estimatesOf = version;
    }
    return this.#estimates;
  }

  /**
   * Calls `use` with the payments, best first, while the ledger that they are of is the newest one.
   * @throws HeavyReadsBusyError when more are asked for than can be searched, or ledgers overtook a long search each time
   */
  async with<T>(request: QuoteRequest, use: (ranked: readonly Quote[]) => T): Promise<T> {
    await this.graphReady();
    const key = keyOf(request);
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const known = this.#kept.known(key);
      if (known) return use(known);
      const found = await this.#searched(request);
      // Nothing is applied between this line and the return.
      if (found?.version === this.#engine.version) return use(this.#kept.keep(key, found.ranked));
    }
    return use(this.#atLast(request));
  }

  /** The best payment. @throws HeavyReadsBusyError as `with` */
  best(request: QuoteRequest): Promise<Quote | undefined> {
    return this.with(request, ([best]) => best);
  }

  /** The same at once: for who has waited and was overtaken by ledgers each time. @throws HeavyReadsBusyError as `with` */
  bestNow(request: QuoteRequest): Quote | undefined {
    return this.#atLast(request)[0];
  }

  /** @throws HeavyReadsBusyError where it takes long, and there are threads for what does */
  #atLast(request: QuoteRequest): readonly Quote[] {
    if (!this.#threads) return runToEnd(this.#task(request));
    const found = this.#searchedHere(request, this.#threads, AT_LAST_MS);
    if (!found) throw new HeavyReadsBusyError('ledgers follow one another faster than this can be searched');
    return found;
  }

  /** undefined: of another ledger than the newest. */
  async #searched(request: QuoteRequest): Promise<Found | undefined> {
    const { version } = this.#engine;
    const ranked =
      this.#threads && this.#turns.take() ? this.#searchedHere(request, this.#threads) : undefined;
    if (ranked) return { ranked, version };
    const asked = this.#threads?.ranked(request);
    if (!asked) return atOneVersion([this.#engine], () => this.#finding(request));
    try {
      const { value, ledger } = await asked;
      await this.#turns.wait();
      return ledger === this.#engine.head?.index
        ? { ranked: value, version: this.#engine.version }
        : undefined;
    } catch (fault) {
      if (fault instanceof OvertakenError) return undefined;
      throw fault;
    }
  }

  /** undefined: it takes longer. */
  #searchedHere(
    request: QuoteRequest,
    clock: Pick<QuoteSearches, 'now'>,
    ms = HERE_MS,
  ): readonly Quote[] | undefined {
    const task = this.#task(request);
    const end = clock.now() + ms;
    do {
      const { done, value } = task.next();
      if (done) return value;
    } while (clock.now() < end);
    return undefined;
  }

  *#finding(request: QuoteRequest): CooperativeTask<Found> {
    const ranked = yield* this.#task(request);
    return { ranked, version: this.#engine.version };
  }

  #task(request: QuoteRequest): CooperativeTask<readonly Quote[]> {
    return rankedQuotes(this.#engine.state, this.graph, request, this.rules, this.estimates);
  }
}

const keyOf = ({ source, destination, side, amount, sender, receiver }: QuoteRequest): string =>
  `${source} ${destination} ${side} ${amount.mantissa}e${amount.exponent} ${sender} ${receiver}`;
