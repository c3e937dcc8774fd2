/**
 * The best of all payments from one token to another: over books and pools, in up to four hops.
 *
 *     neighbours of both ends ──► paths that meet ──► estimated, the best few ──► computed exactly, alone and together ──► best
 *
 *     hops   shape                    found by
 *     1      s ─ d                    the default path, which is in every payment
 *     2      s ─ m ─ d                the shorter list of the two ends, looked up at the other
 *     3      s ─ a ─ b ─ d            lists of both ends, or of one and of its neighbours
 *     4      s ─ a ─ m ─ b ─ d        lists of both ends, met from the shorter list of a and b
 *
 * A token with very many neighbours (XRP) is never listed, only looked up. Non-goals: paths over trust lines between
 * other accounts, the very best of all combinations of paths.
 *
 * Cost: some hundred look-ups of 0.1 us, a bounded number of estimates, and up to EXACT_MAX exact payments.
 */

import { type CooperativeTask, runToEnd } from '../event-loop.ts';
import { XRP } from '../state/tokens.ts';
import { numberOfAmount } from './amounts.ts';
import { Estimates } from './estimate.ts';
import type { TokenGraph } from './graph.ts';
import type { Market } from './market.ts';
import { type Path, type Quote, type QuoteRequest, quoteOver } from './quote.ts';
import type { LedgerRules } from './rules.ts';
import { isOneCurrency, isQuotable } from './strands-of.ts';

/** Neighbours that a token may have to be listed; others are only looked up. */
const HUB = 64;
/** Neighbours of each end that are tried in paths of three and of four hops, those with the most neighbours first. */
const NEAR_OF_3 = 10;
const NEAR_OF_4 = 6;
/** Estimates of one search at most. */
const ESTIMATES_MAX = 200;
/** Paths of one payment at most beside the default one (the ledger allows six). */
const PATHS_MAX = 3;
/** Paths kept for exact computing. */
const KEPT = 6;
/** Single paths that are computed exactly where estimates are too rough. */
const EXACT_MAX = 3;
/** Relative difference up to which a payment is what was estimated. */
const NEAR = 0.01;
/** The part of an amount that a first rate is of. */
const SMALL_SHARE = 1e-3;
/** Parts into which an amount is divided to estimate several paths together. */
const PARTS = 8;
/** A further path must improve the estimate by this share: it makes the transaction longer. */
const GAIN_MIN = 5e-4;

interface Candidate {
  readonly path: Path;
  /** Exact input: about the output. Exact output: about the input. */
  readonly value: number;
}

/**
 * The rate of a small amount over the best of these strands, transfer and trading fees included: what the whole amount is compared
 * with to see how much it moves the price. Destination per source, in drops and tokens; 0 when there is none.
 * @param input the amount that the payment spends
 */
export function firstRate(estimates: Estimates, strands: readonly Path[], input: number): number {
  const small = input * SMALL_SHARE;
  const rates = strands.map((tokens) => {
    const [source, destination] = [tokens[0]!, tokens.at(-1)!];
    const ends = { source, destination, side: 'in' } as const;
    return estimateOf(estimates, ends, tokens.slice(1, -1), small) / small;
  });
  return Math.max(0, ...rates);
}

/** @returns the best paths by estimate, best first; the direct one is not among them unless the currency stays the same. */
function candidates(
  market: Market,
  graph: TokenGraph,
  request: QuoteRequest,
  estimates: Estimates,
): Candidate[] {
  return new Search(market, graph, request, estimates).run();
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
 * The state must not change between two steps of the task, and the graph must be current; a step is the computing of one payment.
 * @param estimates of the same ledger, which other searches may have used
 */
export function* rankedQuotes(
  market: Market,
  graph: TokenGraph,
  request: QuoteRequest,
  rules: LedgerRules,
  estimates = new Estimates(market),
): CooperativeTask<readonly Quote[]> {
  const found = candidates(market, graph, request, estimates);
  const chosen = chosenPaths(market, request, found, estimates);
  const quotes = new Map<string, Quote>();
  let best: Quote | undefined;
  const consider = (paths: readonly Path[]): void => {
    const key = paths.join('/');
    const quote = quotes.has(key) ? undefined : quoteOver(market, request, paths, rules);
    if (!quote) return;
    quotes.set(key, quote);
    if (!best || isBetter(request, quote, best)) best = quote;
  };
  consider(chosen.paths);
  const isSimple = request.source === XRP || request.destination === XRP;
  const isRough = !best?.isWhole || !isNear(request, best, chosen.value);
  if (isSimple || isRough) {
    yield;
    consider([]);
  }
  if (isRough)
    for (const path of besideDefault(market, request, found, estimates).slice(0, EXACT_MAX)) {
      yield;
      consider([path]);
    }
  return [...quotes.values()].sort((a, b) =>
    isBetter(request, a, b) ? -1 : isBetter(request, b, a) ? 1 : 0,
  );
}

/** The paths by what each gives together with the default one, best first. */
function besideDefault(
  market: Market,
  request: QuoteRequest,
  found: readonly Candidate[],
  estimates: Estimates,
): Path[] {
  const hasDefault = !isOneCurrency(market, request) && estimates.isOpen(request.source, request.destination);
  const valued = found.map(({ path, value }) => ({
    path,
    value: hasDefault ? estimateTogether(estimates, request, [[], path]) : value,
  }));
  valued.sort((a, b) => (isBelow(request, a.value, b.value) ? -1 : a.value === b.value ? 0 : 1));
  return valued.map(({ path }) => path);
}

/**
 * Whether a payment is what was estimated. Estimates do not see that paths share a pool or an owner's funds: where that matters,
 * more payments are computed exactly.
 */
function isNear({ side }: QuoteRequest, quote: Quote, estimated: number | undefined): boolean {
  const value = numberOfAmount(side === 'in' ? quote.out : quote.in);
  return estimated !== undefined && Math.abs(value / estimated - 1) < NEAR;
}

/** The paths that together with the default one have the best estimate. */
function chosenPaths(
  market: Market,
  request: QuoteRequest,
  found: readonly Candidate[],
  estimates: Estimates,
): { readonly paths: readonly Path[]; readonly value: number | undefined } {
  const amount = numberOfAmount(request.amount);
  const direct = isOneCurrency(market, request) ? undefined : estimateOf(estimates, request, [], amount);
  const always: readonly Path[] = direct !== undefined && isUseful(request, direct) ? [[]] : [];
  const chosen: Path[] = [];
  let value = direct !== undefined && isUseful(request, direct) ? direct : undefined;
  while (chosen.length < PATHS_MAX) {
    let next: Candidate | undefined;
    for (const { path, value: alone } of found) {
      if (chosen.includes(path)) continue;
      const isFirst = always.length + chosen.length === 0;
      const together = isFirst ? alone : estimateTogether(estimates, request, [...always, ...chosen, path]);
      if (!next || isBelow(request, together, next.value)) next = { path, value: together };
    }
    if (!next || (value !== undefined && !isWorthIt(request, next.value, value))) break;
    chosen.push(next.path);
    value = next.value;
  }
  return { paths: chosen, value };
}

/** Whether a further path improves enough. */
function isWorthIt({ side }: QuoteRequest, value: number, before: number): boolean {
  return side === 'in' ? value > before * (1 + GAIN_MIN) : value < before * (1 - GAIN_MIN);
}

/** The same as `estimateOf` for paths that share the amount: each part goes where it is cheapest. */
function estimateTogether(estimates: Estimates, request: QuoteRequest, paths: readonly Path[]): number {
  const amount = numberOfAmount(request.amount);
  const part = amount / PARTS;
  const given = paths.map(() => 0);
  const values = paths.map(() => 0);
  const next = paths.map((path) => estimateOf(estimates, request, path, part));
  for (let i = 0; i < PARTS; i += 1) {
    let best = 0;
    for (let p = 1; p < paths.length; p += 1)
      if (isBelow(request, next[p]! - values[p]!, next[best]! - values[best]!)) best = p;
    given[best]! += part;
    values[best] = next[best]!;
    next[best] = estimateOf(estimates, request, paths[best]!, given[best]! + part);
  }
  return values.reduce((sum, value) => sum + value, 0);
}

/** Whether quote `a` is to be preferred to `b`. */
export function isBetter({ side }: QuoteRequest, a: Quote, b: Quote): boolean {
  if (side === 'in') return a.out.compare(b.out) > 0;
  if (a.isWhole !== b.isWhole) return a.isWhole;
  return a.isWhole ? a.in.compare(b.in) < 0 : a.out.compare(b.out) > 0;
}

const isUseful = ({ side }: QuoteRequest, value: number): boolean =>
  side === 'in' ? value > 0 : Number.isFinite(value);

/** Whether value `a` is better than `b`. */
const isBelow = ({ side }: QuoteRequest, a: number, b: number): boolean => (side === 'in' ? a > b : a < b);

/** About what a path gives for an input, or needs for an output. */
function estimateOf(
  estimates: Estimates,
  { source, destination, side }: Pick<QuoteRequest, 'source' | 'destination' | 'side'>,
  path: Path,
  amount: number,
): number {
  const tokens = [source, ...path, destination];
  const fee = estimates.feeOf(destination);
  if (side === 'in') {
    let value = amount;
    for (let i = 0; i + 1 < tokens.length; i += 1)
      value = estimates.outFor(tokens[i]!, tokens[i + 1]!, value);
    return value / fee;
  }
  let value = amount * fee;
  for (let i = tokens.length - 2; i >= 0; i -= 1) value = estimates.inFor(tokens[i]!, tokens[i + 1]!, value);
  return value;
}

class Search {
  readonly #market: Market;
  readonly #graph: TokenGraph;
  readonly #estimates: Estimates;
  readonly #request: QuoteRequest;
  readonly #amount: number;
  #left = ESTIMATES_MAX;
  readonly #best: Candidate[] = [];

  constructor(market: Market, graph: TokenGraph, request: QuoteRequest, estimates: Estimates) {
    this.#market = market;
    this.#graph = graph;
    this.#estimates = estimates;
    this.#request = request;
    this.#amount = numberOfAmount(request.amount);
    if (isOneCurrency(market, request)) this.#try([]);
  }

  run(): Candidate[] {
    const { source, destination } = this.#request;
    this.#twoHops(source, destination);
    const starts = this.#near(source, 'outs');
    const ends = this.#near(destination, 'ins');
    this.#threeHops(starts, ends);
    if (starts && ends) this.#fourHops(starts.slice(0, NEAR_OF_4), ends.slice(0, NEAR_OF_4));
    return this.#best;
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

  #twoHops(source: number, destination: number): void {
    for (const middle of this.#between(source, destination, HUB * 8)) this.#try([middle]);
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

  #threeHops(starts: number[] | undefined, ends: number[] | undefined): void {
    const { source, destination } = this.#request;
    if (starts && ends) {
      for (const a of starts)
        for (const b of ends) if (a !== b && this.#estimates.isOpen(a, b)) this.#try([a, b]);
    } else if (ends) {
      for (const b of ends) for (const a of this.#between(source, b, HUB)) this.#try([a, b]);
    } else if (starts) {
      for (const a of starts) for (const b of this.#between(a, destination, HUB)) this.#try([a, b]);
    }
  }

  #fourHops(starts: readonly number[], ends: readonly number[]): void {
    for (const a of starts)
      for (const b of ends) {
        if (a === b) continue;
        for (const middle of this.#between(a, b, HUB)) this.#try([a, middle, b]);
      }
  }

  /** Estimates a path, and keeps it if it is among the best. */
  #try(path: Path): void {
    if (this.#left <= 0 || !path.every((token) => isQuotable(this.#market, token))) return;
    this.#left -= 1;
    const value = estimateOf(this.#estimates, this.#request, path, this.#amount);
    // Exact output: a path that cannot deliver all by itself may deliver a part.
    if (this.#request.side === 'in' && value === 0) return;
    const best = this.#best;
    let place = best.length;
    while (place > 0 && isBelow(this.#request, value, best[place - 1]!.value)) place -= 1;
    if (place >= KEPT) return;
    best.splice(place, 0, { path, value });
    best.length = Math.min(best.length, KEPT);
  }
}
