/** Quotes of swaps on the newest ledger, with what would keep their payments from succeeding. */
import type { Engine } from '../../engine/engine.ts';
import { forbidsRipple } from '../../engine/quotes/line-rules.ts';
import type { Quote, QuoteRequest } from '../../engine/quotes/quote.ts';
import type { LedgerRules } from '../../engine/quotes/rules.ts';
import type { QuoteSearches } from '../../engine/quotes/searches.ts';
import { XRP } from '../../engine/state/tokens.ts';
import { assetObject } from '../identity.ts';
import { BestPayments } from './best-payments.ts';
import { impactOf, type QuoteAnswer, quoteAnswer } from './quote-answer.ts';
import { needsLine, warningsOf } from './quote-warnings.ts';
import type { SwapRequest, Warning } from './swap-request.ts';

export interface SwapAnswer {
  readonly quote: QuoteAnswer & { readonly warnings: readonly Warning[] };
  readonly requiresTrustline: { readonly currency: string; readonly issuer: string } | null;
  readonly alternatives: readonly QuoteAnswer[];
  readonly ledger_index: number;
}

/** Other payments that are shown beside the best one. */
const ALTERNATIVES_MAX = 3;

export class QuoteViews {
  readonly payments: BestPayments;
  readonly #engine: Engine;

  /**
   * @param rules of the network's ledgers
   * @param threads search in other threads; undefined: searches run on this one, in slices
   */
  constructor(engine: Engine, rules: LedgerRules, threads?: QuoteSearches) {
    this.#engine = engine;
    this.payments = new BestPayments(engine, rules, threads);
  }

  /**
   * @returns undefined when no payment delivers anything
   * @throws HeavyReadsBusyError when more are asked for than can be searched
   */
  swap(request: SwapRequest): Promise<SwapAnswer | undefined> {
    const { state } = this.#engine;
    const { source, destination, side, amount } = request;
    // A line through which nothing ripples is warned of; the quote is then what another account would get.
    const open = (account: number | undefined, token: number) =>
      account !== undefined && forbidsRipple(state, account, token) ? undefined : account;
    const sender = open(request.sender, source);
    const receiver = open(request.receiver, destination);
    const asked: QuoteRequest = { source, destination, side, amount, sender, receiver };
    return this.payments.with(asked, (ranked) => this.#answer(request, asked, ranked));
  }

  #answer(request: SwapRequest, asked: QuoteRequest, ranked: readonly Quote[]): SwapAnswer | undefined {
    const engine = this.#engine;
    const { state } = engine;
    const chosen = chosenOf(ranked, asked);
    if (!chosen) return undefined;
    const estimates = this.payments.estimates.of(asked.sender);
    const impact = impactOf(estimates, asked, chosen);
    const answer = quoteAnswer(state, impact, request, chosen);
    const others = otherWays(ranked, chosen).slice(0, ALTERNATIVES_MAX);
    return {
      quote: { ...answer, warnings: warningsOf(state, impact, request, chosen) },
      requiresTrustline: trustlineOf(engine, request),
      alternatives: others.map((other) =>
        quoteAnswer(state, impactOf(estimates, asked, other), request, other),
      ),
      ledger_index: engine.head?.index ?? 0,
    };
  }
}

/**
 * The best payment. Where XRP is spent or received it is that of the default path, so that it needs no paths, unless only others
 * deliver all.
 */
function chosenOf(ranked: readonly Quote[], { source, destination }: QuoteRequest): Quote | undefined {
  const [best] = ranked;
  if (source !== XRP && destination !== XRP) return best;
  const simple = ranked.find(({ paths }) => paths.length === 0);
  return simple && (simple.isWhole || !best?.isWhole) ? simple : best;
}

/**
 * The others but those that only go ways which a payment before them goes, too: a path that is named and not used makes no
 * difference to whoever pays. @param ranked best first
 */
function otherWays(ranked: readonly Quote[], chosen: Quote): readonly Quote[] {
  const known = new Set<string>();
  return ranked.filter((quote) => {
    const way = wayOf(quote);
    const isNew = !known.has(way);
    known.add(way);
    return isNew && quote !== chosen;
  });
}

/** The strands that are used: two tokens may have a book and a line of their issuers between them. */
const wayOf = ({ strands, rounds }: Quote): string =>
  [...new Set(rounds.map(({ strand, books }) => `${books.length} ${strands[strand]!.join()}`))]
    .sort()
    .join(' ');

/** The trust line that the sender must set before it can receive the token; null: none. */
function trustlineOf({ state }: Engine, request: SwapRequest): SwapAnswer['requiresTrustline'] {
  if (!needsLine(state, request)) return null;
  const { currency, issuer } = assetObject(state, request.destination);
  return { currency, issuer };
}
