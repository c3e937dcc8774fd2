/**
 * The search for the best payments in a thread that reads the state of another one, and the form in which its results pass
 * between threads.
 *
 *     pairs that are new ──► confirmed? ──► graph            (kept from search to search, as what pairs give is within a ledger)
 *                                            └──► search over the shared columns ──► confirmed? ──► quotes, their ledger
 *
 * Nothing that was read while a ledger was applied is used: each step is repeated until nothing changed under it
 * (state/sequence-lock.ts). Goal: the same quotes as on the writing thread, to the last digit. Cost: as search.ts, and the two
 * checks.
 */
import { Amount } from '../codec/arithmetic/amount.ts';
import { NO_ISSUE } from '../codec/arithmetic/amount-arithmetic.ts';
import { runToEnd } from '../event-loop.ts';
import type { OfLedger } from '../heavy-reads.ts';
import { OvertakenError } from '../state/sequence-lock.ts';
import type { SharedState } from '../state/shared-state.ts';
import { Estimates } from './estimate.ts';
import { FirstOffers } from './first-offers.ts';
import { TokenGraph } from './graph.ts';
import type { Quote, QuoteRequest } from './quote.ts';
import type { LedgerRules } from './rules.ts';
import { rankedQuotes } from './search.ts';

/** Ledgers with new pairs in a row, after which it gives up. */
const TRIES_MAX = 4;

export class SharedSearch {
  readonly #state: SharedState;
  readonly #rules: LedgerRules;
  readonly #graph: TokenGraph;
  readonly #firstOffers = new FirstOffers();
  /** What confirmed searches on a ledger read. */
  #read: OfLedger<Estimates> | undefined;

  constructor(state: SharedState, rules: LedgerRules) {
    this.#state = state;
    this.#rules = rules;
    this.#graph = new TokenGraph(state);
  }

  /**
   * The payments that `rankedQuotes` finds.
   * @throws OvertakenError, OutdatedDescriptionError as SharedState.read
   */
  ranked(request: QuoteRequest): OfLedger<readonly Quote[]> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const graph = this.#graph;
      let estimates: Estimates | undefined;
      const { value: quotes, ledger } = this.#state.read(() => {
        if (!graph.isCurrent) return undefined;
        estimates = this.#estimates();
        return runToEnd(rankedQuotes(this.#state, graph, request, this.#rules, estimates));
      });
      if (quotes && estimates) {
        this.#read = { value: estimates, ledger };
        return { value: quotes, ledger };
      }
      graph.take(this.#state.read(() => graph.unseen()).value);
    }
    throw new OvertakenError('each ledger had new pairs');
  }

  /** Of the ledger that is read now. They are forgotten until the search with them has been confirmed: it may read halves. */
  #estimates(): Estimates {
    const read = this.#read;
    this.#read = undefined;
    const isOfLedger = read?.ledger === this.#state.fees.ledgerIndex;
    return isOfLedger ? read.value : new Estimates(this.#state, this.#firstOffers);
  }
}

/** An amount without its class: XRP has no exponent. */
type PackedAmount = readonly [mantissa: bigint, exponent: number | undefined];

const packedAmount = ({ isNative, mantissa, exponent }: Amount): PackedAmount => [
  mantissa,
  isNative ? undefined : exponent,
];

function unpackedAmount([mantissa, exponent]: PackedAmount): Amount {
  if (exponent === undefined) return Amount.drops(mantissa);
  return mantissa === 0n ? Amount.zero(NO_ISSUE) : Amount.issued(NO_ISSUE, mantissa, exponent);
}

export type PackedRequest = Omit<QuoteRequest, 'amount'> & { readonly amount: PackedAmount };
export type PackedQuote = QuoteOf<PackedAmount>;

export const packRequest = (request: QuoteRequest): PackedRequest => ({
  ...request,
  amount: packedAmount(request.amount),
});

export const unpackRequest = (request: PackedRequest): QuoteRequest => ({
  ...request,
  amount: unpackedAmount(request.amount),
});

/** Changes each amount of a quote. */
function withAmounts<A, B>(quote: QuoteOf<A>, change: (amount: A) => B): QuoteOf<B> {
  return {
    ...quote,
    in: change(quote.in),
    out: change(quote.out),
    rounds: quote.rounds.map(({ strand, books, ...round }) => ({
      strand,
      in: change(round.in),
      out: change(round.out),
      books: books.map((parts) =>
        parts.map((part) => ({ offer: part.offer, in: change(part.in), out: change(part.out) })),
      ),
    })),
  };
}

/** A quote by the form of its amounts. */
interface QuoteOf<A> extends Pick<Quote, 'isWhole' | 'paths' | 'strands' | 'isOverLine'> {
  readonly in: A;
  readonly out: A;
  readonly rounds: readonly {
    readonly strand: number;
    readonly in: A;
    readonly out: A;
    readonly books: readonly (readonly {
      readonly offer: number | undefined;
      readonly in: A;
      readonly out: A;
    }[])[];
  }[];
}

export const packQuote = (quote: Quote): PackedQuote => withAmounts(quote, packedAmount);
export const unpackQuote = (quote: PackedQuote): Quote => withAmounts(quote, unpackedAmount);
