/**
 * What a swap would pay and deliver now: the entry point.
 *
 *     request ──► candidate paths (search.ts) ──► the ledger's payment, computed exactly (flow.ts) ──► quote
 *
 * Goal: the result of the payment that follows from a quote, to the last digit, if it were applied to the newest ledger first:
 *
 *     exact input    Payment { SendMax: value, Amount: the greatest of the token, Paths: quote.paths, tfPartialPayment }
 *     exact output   Payment { Amount: value, SendMax: at least quote.in, Paths: quote.paths }
 *
 * for a sender that has enough and a receiver that may hold as much. Whether they do is for the caller to look at.
 *
 * Where the ledger has a rule that is not handled, nothing is quoted that depends on it: MPTs and LP tokens of pools with one, tokens
 * that are frozen everywhere (unless their issuer spends them), offers of permissioned domains (of hybrid offers: before
 * fixCleanup3_3_0), paths through other accounts than issuers, paths over lines but the one between two issuers of one currency.
 * Senders whom the issuer trusts return what they hold first, and pay with paper of their own then (departure.ts).
 *
 * Cost: some tens of microseconds a hop and round; see search.ts for the candidates.
 */
import type { Amount } from '../codec/arithmetic/amount.ts';
import { type CooperativeTask, runToEnd } from '../event-loop.ts';
import { keyWithToken, mostOf } from './amounts.ts';
import { issuerEndAfter, trustedEnd } from './end-hops.ts';
import type { Ends } from './ends.ts';
import { FirstOffers } from './first-offers.ts';
import { type FlowResult, flowing, type Round } from './flow.ts';
import { movesFrozen } from './frozen-moves.ts';
import { UnsupportedError } from './hop.ts';
import type { Market } from './market.ts';
import { PaymentState, type SharedLines } from './payment-state.ts';
import { PoolContext } from './pool-context.ts';
import type { LedgerRules } from './rules.ts';
import { strandsOf } from './strands-of.ts';

export interface QuoteRequest extends Ends {
  /** Exact input: what the sender spends. Exact output: what the receiver gets. Amounts as in amounts.ts. */
  readonly side: 'in' | 'out';
  readonly amount: Amount;
}

/** Tokens between source and destination, in order; none: the direct book, which is only named where the currency stays the same. */
export type Path = readonly number[];

export interface Quote {
  readonly in: Amount;
  /** Less than asked where not all could be delivered or spent: see `isWhole`. */
  readonly out: Amount;
  /** Whether the wanted amount is spent (exact input) or delivered (exact output). */
  readonly isWhole: boolean;
  /** The paths beside the default one, which the ledger always uses. */
  readonly paths: readonly Path[];
  /** Tokens of each strand, source and destination included; the default one first. */
  readonly strands: readonly Path[];
  /** Whether the first strand leads over the line of the two issuers, and through no book (issuers-line.ts). */
  readonly isOverLine: boolean;
  /** What each round moved, in order. */
  readonly rounds: readonly Round[];
}

/** As `quoting`, at once. */
export const quoteOver = (...asked: Parameters<typeof quoting>): Quote | undefined =>
  runToEnd(quoting(...asked));

/**
 * The payment over the default path and these paths. The state must not change between two steps of the task.
 * @param firstOffers made for other payments under the same rules
 * @returns undefined when it delivers nothing, or depends on a rule that is not handled
 */
export function* quoting(
  market: Market,
  request: QuoteRequest,
  paths: readonly Path[],
  rules: LedgerRules,
  firstOffers = new FirstOffers(),
): CooperativeTask<Quote | undefined> {
  const { source, destination, side, amount } = request;
  const tokens = [...new Set([source, destination, ...paths.flat()])];
  const isMixed = hasOneCurrencyTwice(market, tokens);
  const shared = isMixed ? sharedLines(market, tokens) : undefined;
  const view = PaymentState.of(market, rules.numbers, request.sender, shared);
  const pools = new PoolContext(firstOffers, request.sender);
  const strands = strandsOf(view, request, paths, rules, pools);
  if (strands.length === 0) return undefined;
  let flown: FlowResult | undefined;
  try {
    flown = yield* flowing(view, {
      source,
      destination,
      deliver: side === 'out' ? amount : mostOf(destination),
      sendMax: side === 'in' ? amount : undefined,
      strands,
      pools,
      rules,
    });
  } catch (error) {
    // A number out of range fails the payment.
    if (error instanceof UnsupportedError || error instanceof RangeError) return undefined;
    throw error;
  }
  if (!flown || (isMixed && movesFrozen(view, request))) return undefined;
  const isWhole = (side === 'in' ? flown.in : flown.out).compare(amount) === 0;
  const { in: spent, out, rounds } = flown;
  const isOverLine = strands[0]!.isOverLine === true;
  return { in: spent, out, isWhole, paths, strands: strands.map(({ tokens }) => tokens), isOverLine, rounds };
}

/** Whether two of the tokens of a payment are of one currency. */
function hasOneCurrencyTwice({ tokens }: Market, all: readonly number[]): boolean {
  for (let i = 1; i < all.length; i += 1)
    for (let k = 0; k < i; k += 1)
      if (all[i] !== all[k] && tokens.codes[all[i]!] === tokens.codes[all[k]!]) return true;
  return false;
}

/** Lines between issuers of one currency among the tokens of a payment; undefined: there are none. */
function sharedLines({ lines, tokens }: Market, all: readonly number[]): SharedLines | undefined {
  const { codes, issuers } = tokens;
  let shared: Map<number, number> | undefined;
  for (const [i, a] of all.entries())
    for (const b of all.slice(0, i)) {
      if (a === b || codes[a] !== codes[b] || lines.find(issuers[a]!, b) === undefined) continue;
      shared ??= new Map();
      shared.set(keyWithToken(issuers[a]!, b), keyWithToken(issuers[b]!, a));
    }
  return shared;
}

/**
 * What a sender whom the issuer of a token trusts spends to deliver an amount of it to another account, without a book.
 * @returns undefined where the ledger would give up
 */
export function paperCost(
  market: Market,
  [sender, receiver]: readonly [number, number | undefined],
  { token, amount }: { readonly token: number; readonly amount: Amount },
  rules: LedgerRules,
): Amount | undefined {
  const isReturn = receiver === market.tokens.issuers[token];
  const own = trustedEnd(market, token, sender, isReturn);
  const hops = isReturn ? [own] : [own, issuerEndAfter(own, market, token, [sender, receiver])];
  const view = PaymentState.of(market, rules.numbers, sender);
  const payment = flowing(view, {
    source: token,
    destination: token,
    deliver: amount,
    sendMax: undefined,
    strands: [{ hops, tokens: [token] }],
    pools: new PoolContext(new FirstOffers(), sender),
    rules,
  });
  const flown = runToEnd(payment);
  return flown && flown.out.compare(amount) === 0 ? flown.in : undefined;
}
