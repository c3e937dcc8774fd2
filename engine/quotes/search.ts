/**
 * The best of all payments from one token to another: over books and pools, in up to four hops.
 *
 *     neighbours of both ends ──► paths that meet ──► estimated ──► the best few together, computed exactly ──► best
 *                                                       '──► each alone, where its estimate does not rule out that it is better
 *
 *     hops   shape                    found by
 *     1      s ─ d                    the default path, which is in every payment
 *     2      s ─ m ─ d                the shorter list of the two ends, looked up at the other
 *     3      s ─ a ─ b ─ d            lists of both ends, or of one and of its neighbours
 *     4      s ─ a ─ m ─ b ─ d        lists of both ends, met from the shorter list of a and b
 *
 * A token with very many neighbours (XRP) is never listed, only looked up. Guaranteed: of the paths that were found none alone, with
 * the default one, makes a better payment, to the last digit, unless the payments that were computed take more than STEPS_MAX. Non-goals:
 * paths over trust lines between other accounts, the very best of all combinations of paths.
 *
 * Cost: some hundred look-ups of 0.1 us, a bounded number of estimates, and two or three exact payments, more where estimates
 * cannot see that offers share an owner's funds, or where the ledger would give up: then there is nothing to compare them with.
 */

import { type CooperativeTask, runToEnd } from '../event-loop.ts';
import { XRP } from '../state/tokens.ts';
import { numberOfAmount } from './amounts.ts';
import { Estimates } from './estimate.ts';
import type { FirstOffers } from './first-offers.ts';
import type { TokenGraph } from './graph.ts';
import { isOneCurrency, isRedundant } from './issuers-line.ts';
import type { Market } from './market.ts';
import { PathEstimates } from './path-estimates.ts';
import { type Path, type Quote, type QuoteRequest, quoting } from './quote.ts';
import type { LedgerRules } from './rules.ts';
import { isLoop, isQuotable } from './strands-of.ts';

/** Neighbours that a token may have to be listed; others are only looked up. */
const HUB = 64;
/** Neighbours of each end that are tried in paths of three and of four hops, those with the most neighbours first. */
const NEAR_OF_3 = 10;
const NEAR_OF_4 = 6;
/** Estimates of one search at most. */
const ESTIMATES_MAX = 200;
/** Estimates of one step of the task: each may walk over a thousand offers, which takes 0.1 ms. */
const ESTIMATES_A_STEP = 16;
/** Paths of one payment at most beside the default one (the ledger allows six). */
const PATHS_MAX = 3;
/** Paths that are tried together. */
const TOGETHER_MAX = 6;
/**
 * Steps of payments (flow.ts) after which no other path is computed: six payments of the most rounds that the ledger allows, some
 * 200 ms. Of a balance that no book can take, each of 200 paths took as long as that, for minutes.
 */
const STEPS_MAX = 250;
/** A price of doubles is as good as another one so near to it. */
const PRICE_ROUNDING = 1e-9;
/** A further path must improve the estimate by this share: it makes the transaction longer. */
const GAIN_MIN = 5e-4;

interface Candidate {
  readonly path: Path;
  /** Exact input: about the output. Exact output: about the input. */
  readonly value: number;
}

/**
 * The best payment: the default path, which is in every one, and others with it.
 * @returns undefined when nothing is delivered
 */
export function bestQuote(
  market: Market,
  graph: TokenGraph,
  request: QuoteRequest,
  rules: LedgerRules,
): Quote | undefined {
  graph.update();
  return runToEnd(rankedQuotes(market, graph, request, rules))[0];
}

/**
 * The payments that were computed, the best first; none when nothing is delivered. Where XRP is spent or received, that of the
 * default path alone is among them.
 *
 * The state must not change between two steps of the task, and the graph must be current; a step is the estimating of some paths, or the
 * computing of one payment, or of a part of a long one.
 * @param ofAll of the same ledger, which other searches may have used
 * @param stepsMax after which no other path is computed
 */
export function* rankedQuotes(
  market: Market,
  graph: TokenGraph,
  request: QuoteRequest,
  rules: LedgerRules,
  ofAll = new Estimates(market),
  stepsMax = STEPS_MAX,
): CooperativeTask<readonly Quote[]> {
  const estimates = ofAll.of(request.sender);
  const values = new PathEstimates(estimates, request);
  const found = yield* new Search(market, graph, request, estimates, values).run();
  const payments = new Payments(market, request, rules, estimates.firstOffers);
  yield* payments.consider(chosenPaths(request, found.slice(0, TOGETHER_MAX), values));
  if (request.source === XRP || request.destination === XRP || payments.mayBeBeaten(values, undefined)) {
    yield;
    yield* payments.consider(payments.leastPaths);
  }
  const worst = yield* worstBesideUnused(payments, found, values);
  for (const { path } of found) {
    if (payments.steps >= stepsMax) break;
    if (values.listed(path) >= worst || !payments.mayBeBeaten(values, path)) continue;
    yield;
    yield* payments.consider([path]);
  }
  return payments.ranked();
}

/** The payments of one search that were computed. */
class Payments {
  /** Steps that they took. */
  steps = 0;
  readonly #market: Market;
  readonly #request: QuoteRequest;
  readonly #rules: LedgerRules;
  readonly #firstOffers: FirstOffers;
  /** By their paths; undefined: nothing is delivered. */
  readonly #quotes = new Map<string, Quote | undefined>();
  #best: Quote | undefined;

  constructor(market: Market, request: QuoteRequest, rules: LedgerRules, firstOffers: FirstOffers) {
    this.#market = market;
    this.#request = request;
    this.#rules = rules;
    this.#firstOffers = firstOffers;
  }

  /** Named at least: none, so that only the default path is used; the direct one where the ledger asks for one. */
  get leastPaths(): readonly Path[] {
    return isRedundant(this.#market, this.#request, []) ? [[]] : [];
  }

  *consider(paths: readonly Path[]): CooperativeTask<Quote | undefined> {
    // The direct path named is another payment than none named.
    const key = `${paths.length} ${paths.join('/')}`;
    if (this.#quotes.has(key)) return this.#quotes.get(key);
    const task = quoting(this.#market, this.#request, paths, this.#rules, this.#firstOffers);
    let step = task.next();
    for (; !step.done; step = task.next()) {
      this.steps += 1;
      yield;
    }
    const quote = step.value;
    this.#quotes.set(key, quote);
    if (quote && (!this.#best || isBetter(this.#request, quote, this.#best))) this.#best = quote;
    return quote;
  }

  /** Whether the payment over the default path and this one may be better than the best so far. */
  mayBeBeaten(values: PathEstimates, path: Path | undefined): boolean {
    return this.#best === undefined || values.mayBeat(path, this.#best);
  }

  /** The best first. */
  ranked(): Quote[] {
    const quotes = [...this.#quotes.values()].filter((quote) => quote !== undefined);
    return quotes.sort((a, b) => order(this.#request, a, b));
  }
}

/**
 * The worst price of the payment over the default path beside one that is not used; Infinity: not known.
 *
 * Where a path is listed at a worse price than every round of the default one, the ledger never comes to it, but it makes pools offer
 * in other sizes: all such paths make the same payment, so that one of them is enough.
 */
function* worstBesideUnused(
  payments: Payments,
  found: readonly Candidate[],
  values: PathEstimates,
): CooperativeTask<number> {
  if (!values.hasDefault || !payments.mayBeBeaten(values, undefined)) return Number.POSITIVE_INFINITY;
  let last: { readonly path: Path; readonly price: number } | undefined;
  for (const { path } of found) {
    const price = values.listed(path);
    if (price < Number.POSITIVE_INFINITY && (!last || price > last.price)) last = { path, price };
  }
  if (!last) return Number.POSITIVE_INFINITY;
  yield;
  const quote = yield* payments.consider(values.hasDefaultPool ? [last.path] : payments.leastPaths);
  if (!quote?.isWhole || quote.rounds.some(({ strand }) => strand > 0)) return Number.POSITIVE_INFINITY;
  const prices = quote.rounds.map((round) => numberOfAmount(round.in) / numberOfAmount(round.out));
  return Math.max(...prices) * (1 + PRICE_ROUNDING);
}

/** The paths that together with the default one have the best estimate. */
function chosenPaths(
  request: QuoteRequest,
  found: readonly Candidate[],
  values: PathEstimates,
): readonly Path[] {
  const direct = values.hasDefault ? values.of(undefined) : undefined;
  let value = direct !== undefined && isUseful(request, direct) ? direct : undefined;
  const always = value === undefined ? [] : [undefined];
  const chosen: Path[] = [];
  while (chosen.length < PATHS_MAX) {
    let next: Candidate | undefined;
    for (const { path, value: alone } of found) {
      if (chosen.includes(path)) continue;
      const isFirst = always.length + chosen.length === 0;
      const together = isFirst ? alone : values.together([...always, ...chosen, path]);
      if (!next || values.isBetter(together, next.value)) next = { path, value: together };
    }
    if (!next || (value !== undefined && !isWorthIt(request, next.value, value))) break;
    chosen.push(next.path);
    value = next.value;
  }
  return chosen;
}

/** Whether a further path improves enough. */
function isWorthIt({ side }: QuoteRequest, value: number, before: number): boolean {
  return side === 'in' ? value > before * (1 + GAIN_MIN) : value < before * (1 - GAIN_MIN);
}

/** Of payments that do the same the shorter transaction comes first. */
function order(request: QuoteRequest, a: Quote, b: Quote): number {
  if (isBetter(request, a, b)) return -1;
  if (isBetter(request, b, a)) return 1;
  return a.in.compare(b.in) || a.paths.length - b.paths.length || lengthOf(a) - lengthOf(b);
}

const lengthOf = ({ paths }: Quote): number => paths.reduce((sum, path) => sum + path.length, 0);

/** Whether quote `a` is to be preferred to `b`. */
export function isBetter({ side }: QuoteRequest, a: Quote, b: Quote): boolean {
  if (side === 'in') return a.out.compare(b.out) > 0;
  if (a.isWhole !== b.isWhole) return a.isWhole;
  return a.isWhole ? a.in.compare(b.in) < 0 : a.out.compare(b.out) > 0;
}

const isUseful = ({ side }: QuoteRequest, value: number): boolean =>
  side === 'in' ? value > 0 : Number.isFinite(value);

class Search {
  readonly #market: Market;
  readonly #graph: TokenGraph;
  readonly #estimates: Estimates;
  readonly #values: PathEstimates;
  readonly #request: QuoteRequest;
  #left = ESTIMATES_MAX;
  readonly #found: Candidate[] = [];

  constructor(
    market: Market,
    graph: TokenGraph,
    request: QuoteRequest,
    estimates: Estimates,
    values: PathEstimates,
  ) {
    this.#market = market;
    this.#graph = graph;
    this.#estimates = estimates;
    this.#values = values;
    this.#request = request;
    if (isOneCurrency(market, request)) this.#try([]);
  }

  /** The paths by what each gives alone, best first; the direct one is among them where the currency stays the same. */
  *run(): CooperativeTask<Candidate[]> {
    const { source, destination } = this.#request;
    yield* this.#tryEach(this.#twoHops(source, destination));
    const starts = this.#near(source, 'outs');
    const ends = this.#near(destination, 'ins');
    yield* this.#tryEach(this.#threeHops(starts, ends));
    if (starts && ends)
      yield* this.#tryEach(this.#fourHops(starts.slice(0, NEAR_OF_4), ends.slice(0, NEAR_OF_4)));
    return this.#found.sort((a, b) =>
      this.#values.isBetter(a.value, b.value) ? -1 : a.value === b.value ? 0 : 1,
    );
  }

  /** Neighbours of an end, those with the most neighbours first; undefined: too many to list. */
  #near(token: number, side: 'outs' | 'ins'): number[] | undefined {
    const graph = this.#graph;
    const count = side === 'outs' ? graph.outDegree(token) : graph.inDegree(token);
    if (count > HUB) return undefined;
    const { source, destination } = this.#request;
    return graph[side](token, HUB)
      .filter((near) => near !== source && near !== destination)
      .sort((a, b) => graph.outDegree(b) - graph.outDegree(a))
      .slice(0, NEAR_OF_3);
  }

  *#tryEach(paths: Iterable<Path>): CooperativeTask<void> {
    for (const path of paths) {
      this.#try(path);
      if (this.#left <= 0) return;
      if (this.#left % ESTIMATES_A_STEP === 0) yield;
    }
  }

  *#twoHops(source: number, destination: number): Generator<Path, void> {
    for (const middle of this.#between(source, destination, HUB * 8)) yield [middle];
  }

  /** Tokens between two, by the shorter list. */
  #between(from: number, to: number, most: number): number[] {
    const graph = this.#graph;
    const [outs, ins] = [graph.outDegree(from), graph.inDegree(to)];
    if (Math.min(outs, ins) > most) return [];
    const { source, destination } = this.#request;
    const near = outs <= ins ? graph.outs(from, most) : graph.ins(to, most);
    return near.filter((token) => {
      if (token === source || token === destination || token === from || token === to) return false;
      return outs <= ins ? this.#estimates.isOpen(token, to) : this.#estimates.isOpen(from, token);
    });
  }

  *#threeHops(starts: number[] | undefined, ends: number[] | undefined): Generator<Path, void> {
    const { source, destination } = this.#request;
    if (starts && ends) {
      for (const a of starts) for (const b of ends) if (a !== b && this.#estimates.isOpen(a, b)) yield [a, b];
    } else if (ends) {
      for (const b of ends) for (const a of this.#between(source, b, HUB)) yield [a, b];
    } else if (starts) {
      for (const a of starts) for (const b of this.#between(a, destination, HUB)) yield [a, b];
    }
  }

  *#fourHops(starts: readonly number[], ends: readonly number[]): Generator<Path, void> {
    for (const a of starts)
      for (const b of ends) {
        if (a === b) continue;
        for (const middle of this.#between(a, b, HUB)) yield [a, middle, b];
      }
  }

  /** Estimates a path, and keeps it where it gives something. */
  #try(path: Path): void {
    if (this.#left <= 0 || !path.every((token) => isQuotable(this.#market, token))) return;
    if (isLoop(this.#market, this.#request, path)) return;
    this.#left -= 1;
    const value = this.#values.of(path);
    // Exact output: a path that cannot deliver all by itself may deliver a part.
    if (this.#request.side === 'out' || value > 0) this.#found.push({ path, value });
  }
}
