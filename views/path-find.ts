/**
 * What an account could spend to deliver an exact amount to another one: for each token that it has, the best payment.
 *
 *     named tokens, or all that it has ──► quote each (exact output) ──► alternatives that both ends can do
 *
 * Goal: every alternative is a payment that succeeds on the ledger it was computed of, with SendMax a little above its cost (sums of
 * parts are rounded), and with what the destination asks of all payments (`demands`). Non-goals: alternatives that mix tokens to
 * spend, paths over trust lines between other accounts (as quotes).
 *
 * Cost: a look-up of 0.1 us for each token of the network that is traded, and one quote for each token that the account has; in slices, or in other threads (quotes/best-payments.ts).
 */
import type { Amount } from '../engine/codec/arithmetic/amount.ts';
import { type CooperativeTask, runToEnd } from '../engine/event-loop.ts';
import { directCost } from '../engine/quotes/arrival.ts';
import { trustedFor } from '../engine/quotes/departure.ts';
import { forbidsRipple, frozeAll } from '../engine/quotes/line-rules.ts';
import {
  canPayDirectly,
  canPayIn,
  canReceive,
  type Demand,
  demandsOf,
  isOpenTo,
  roomFor,
} from '../engine/quotes/payment-ends.ts';
import { type Path, paperCost, type Quote, type QuoteRequest } from '../engine/quotes/quote.ts';
import { namedSteps } from '../engine/quotes/strands-of.ts';
import type { State } from '../engine/state/state.ts';
import { TokenKind, XRP } from '../engine/state/tokens.ts';
import { atOneVersion } from './at-one-version.ts';
import type { BestPayments } from './quotes/best-payments.ts';
import { type Revision, versionOf } from './versioned-cache.ts';

/** Tokens to spend that a request may name, and of those tried when it names none (rippled `Tuning.h`). */
export const NAMED_SOURCES_MAX = 18;
const FOUND_SOURCES_MAX = 88;
/** Answers that a ledger overtook, after which the next one is found without a pause. */
const TRIES_MAX = 3;
/** Tokens looked up in one slice. */
const TOKENS_A_SLICE = 4096;

/** Tokens to choose from: one by its id, or all of a currency. */
export type SourceChoice = { readonly token: number } | { readonly currency: number };

export interface PathQuestion {
  /** Account ids. */
  readonly source: number;
  /** undefined: not in the ledger. */
  readonly destination: number | undefined;
  /** Token id: XRP or an issued one. */
  readonly token: number;
  /** To deliver; above 0. */
  readonly amount: Amount;
  /** undefined: all that the source has. */
  readonly choices: readonly SourceChoice[] | undefined;
}

export interface PathAlternative {
  /** Token that is spent, and how much. */
  readonly token: number;
  readonly cost: Amount;
  /** As a Payment names them: the tokens of each path's books. */
  readonly paths: readonly Path[];
}

export interface PathAnswer {
  readonly alternatives: readonly PathAlternative[];
  /** Tokens that the destination accepts more of, and XRP. */
  readonly receivable: readonly number[];
  /** What the destination asks of these payments. */
  readonly demands: readonly Demand[];
}

type RunTask = <T>(task: () => CooperativeTask<T>) => Promise<T>;
type BestSearch = (request: QuoteRequest) => Promise<Quote | undefined>;

export class PathFind {
  readonly #state: State;
  readonly #payments: BestPayments;
  readonly #revisions: readonly Revision[];

  /** @param revisions an answer is of one version of them */
  constructor(state: State, payments: BestPayments, revisions: readonly Revision[]) {
    this.#revisions = revisions;
    this.#state = state;
    this.#payments = payments;
  }

  /** @throws HeavyReadsBusyError when more is asked for than can be searched */
  async find(question: PathQuestion): Promise<PathAnswer> {
    await this.#payments.graphReady();
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const version = versionOf(this.#revisions);
      const tasks = <T>(task: () => CooperativeTask<T>) => atOneVersion(this.#revisions, task);
      const answer = await this.#answer(question, tasks, (request) => this.#payments.best(request));
      if (versionOf(this.#revisions) === version) return answer;
    }
    // Without yielding to the event loop.
    const tasks = async <T>(task: () => CooperativeTask<T>) => runToEnd(task());
    return this.#answer(question, tasks, async (request) => this.#payments.bestNow(request));
  }

  async #answer(question: PathQuestion, run: RunTask, search: BestSearch): Promise<PathAnswer> {
    const { destination, token, amount } = question;
    const receivable = await run(() => this.#receivable(destination));
    const mayExchange =
      canReceive(this.#state, destination, token, amount) &&
      (destination === undefined || !frozeAll(this.#state, destination));
    const isOwnToLedger = destination !== undefined && this.#state.accounts.isOwnToLedger(destination);
    const sources = isOwnToLedger ? [] : await run(() => this.#sources(question));
    const payments = sources.map((spent) => {
      if (spent === token) return this.#direct(question);
      return mayExchange ? this.#exchanged(question, spent, search) : undefined;
    });
    const alternatives = (await Promise.all(payments)).filter((one) => one !== undefined);
    return { alternatives, receivable, demands: this.#demands(question, alternatives) };
  }

  #demands(
    { source, destination, token, amount }: PathQuestion,
    found: readonly PathAlternative[],
  ): Demand[] {
    if (destination === undefined || found.length === 0) return [];
    const demands = [...demandsOf(this.#state, destination, source)];
    const isOpen = token === XRP && isOpenTo(this.#state, destination, amount);
    const isAsIs = isOpen && found.every((one) => one.token === XRP);
    return isAsIs ? demands.filter((demand) => demand === 'destination_tag') : demands;
  }

  /** XRP, what an account has a line for with room, and what it issues and others hold. */
  *#receivable(account: number | undefined): CooperativeTask<number[]> {
    if (account === undefined) return [XRP];
    const { lines, tokens } = this.#state;
    const isReceivable = (token: number): boolean => {
      if (tokens.issuers[token] === account) return lines.holdersCount(token) > 0;
      const line = lines.find(account, token);
      return line !== undefined && !roomFor(this.#state, line, token).isZero;
    };
    return [XRP, ...(yield* this.#tokensWhere(isReceivable))];
  }

  *#sources({ source, token: wanted, choices }: PathQuestion): CooperativeTask<number[]> {
    const { tokens, lines } = this.#state;
    const isChosen = (token: number): boolean =>
      !choices ||
      choices.some((choice) =>
        'token' in choice ? choice.token === token : token !== XRP && tokens.codes[token] === choice.currency,
      );
    const isHeld = (token: number): boolean => {
      // An issuer has as much of its own as it likes: for whom wants that, or where it is exchanged.
      if (tokens.issuers[token] === source)
        return token === wanted || this.#payments.graph.outDegree(token) > 0;
      const line = lines.find(source, token);
      if (line === undefined) return false;
      return lines.balanceNumber(line, token) > 0 || trustedFor(this.#state, source, token) !== undefined;
    };
    const found = yield* this.#tokensWhere((token) => isChosen(token) && isHeld(token));
    if (found.length > FOUND_SOURCES_MAX) {
      // Those with the most markets.
      found.sort((a, b) => this.#payments.graph.outDegree(b) - this.#payments.graph.outDegree(a));
      found.length = FOUND_SOURCES_MAX;
      found.sort((a, b) => a - b);
    }
    return isChosen(XRP) ? [XRP, ...found] : found;
  }

  *#tokensWhere(isWanted: (token: number) => boolean): CooperativeTask<number[]> {
    const { tokens } = this.#state;
    const found: number[] = [];
    for (let token = XRP + 1; token < tokens.count; token += 1) {
      if (token % TOKENS_A_SLICE === 0) yield;
      if (tokens.kinds[token] === TokenKind.issued && isWanted(token)) found.push(token);
    }
    return found;
  }

  /** The same token from one account to the other. */
  #direct({ source, destination, token, amount }: PathQuestion): PathAlternative | undefined {
    if (source === destination) return undefined;
    const cost = this.#directCost(source, destination, token, amount);
    if (!cost || !canPayDirectly(this.#state, [source, destination], token, { amount, cost }))
      return undefined;
    return { token, cost, paths: [] };
  }

  /** With what its issuer and the receiver's line take; undefined: neither of the two lines lets the token ripple through its issuer. */
  #directCost(source: number, destination: number | undefined, token: number, amount: Amount) {
    const issuer = this.#state.tokens.issuers[token];
    const isThrough = token !== XRP && source !== issuer && destination !== issuer;
    const isBlocked = (account: number | undefined) =>
      account !== undefined && forbidsRipple(this.#state, account, token);
    if (isThrough && isBlocked(source) && isBlocked(destination)) return undefined;
    const mayPayOwn = source !== issuer && trustedFor(this.#state, source, token) !== undefined;
    const ends = [source, destination] as const;
    return mayPayOwn
      ? paperCost(this.#state, ends, { token, amount }, this.#payments.rules)
      : directCost(this.#state, ends, token, amount);
  }

  async #exchanged(
    { source, destination, token, amount }: PathQuestion,
    spent: number,
    search: BestSearch,
  ): Promise<PathAlternative | undefined> {
    const request = {
      source: spent,
      destination: token,
      sender: source,
      receiver: destination,
      side: 'out',
      amount,
    } as const;
    const quote = await search(request);
    if (!quote?.isWhole || !canPayIn(this.#state, source, spent, quote.in)) return undefined;
    const paths = quote.paths.map((path) => namedSteps(this.#state, request, path));
    return { token: spent, cost: quote.in, paths };
  }
}
