/**
 * The default path between two tokens of one currency: over the trust line of their issuers, where that has something to pay.
 *
 *     sender ──► issuer of the source ──► issuer of the destination ──► receiver
 *                    returns what it holds of the other issuer
 *                    then pays with paper of its own, as much as the other trusts it for
 *
 * Rules: rippled DirectStep.cpp (`check`, `maxPaymentFlow`, `qualitiesSrcRedeems`, `qualitiesSrcIssues`).
 */
import { PARITY } from '../codec/arithmetic/amount-arithmetic.ts';
import { XRP } from '../state/tokens.ts';
import { amountOf, numberOfAmount, zeroOf } from './amounts.ts';
import { acceptedRate, owedBy, returnRate } from './arrival.ts';
import { holds, paperRate, trustedFor } from './departure.ts';
import { LineEnd, type Terms } from './end-hops.ts';
import type { Ends } from './ends.ts';
import { forbidsRipple, isDeepFrozen, isLineFrozen, transferRate } from './line-rules.ts';
import type { Market } from './market.ts';

/**
 * Whether source and destination are of one currency, from two issuers: the default path then leads from issuer to issuer over
 * trust lines, and not through the book of the two.
 */
export function isOneCurrency({ tokens }: Market, { source, destination }: Ends): boolean {
  return source !== XRP && destination !== XRP && tokens.codes[source] === tokens.codes[destination];
}

/**
 * Whether the default path leads over a trust line from the one issuer to the other: where the first one has something to return or is
 * trusted, and nothing keeps the line from rippling. Elsewhere the ledger leaves that path out.
 */
export function areLinked(market: Market, ends: Ends): boolean {
  const { source, destination, sender } = ends;
  if (!isOneCurrency(market, ends)) return false;
  const from = market.tokens.issuers[source]!;
  const line = market.lines.find(from, destination);
  if (line === undefined || isLineFrozen(market, from, destination)) return false;
  if (isDeepFrozen(market, from, destination)) return false;
  const isThrough = sender !== undefined && sender !== from;
  const to = market.tokens.issuers[destination]!;
  if (isThrough && forbidsRipple(market, sender, source) && forbidsRipple(market, to, source)) return false;
  const held = amountOf(destination, ...market.lines.balanceRaw(line, destination));
  return held.add(trustedFor(market, from, destination) ?? zeroOf(destination)).mantissa > 0n;
}

/**
 * Whether the default path leads over the line of the two issuers there and back: the ledger refuses it as a loop, and the payment with
 * it; between one account and itself it would move nothing, which is not quoted.
 */
export function ripplesBack(market: Market, ends: Ends): boolean {
  const { issuers } = market.tokens;
  const isBack = ends.sender === issuers[ends.destination] || ends.receiver === issuers[ends.source];
  return isBack && areLinked(market, ends);
}

/**
 * From the issuer of the token that is spent over its line to the issuer of the one that is delivered, of the same currency: it returns
 * what it holds of the other, then it issues as much of its own as the other accepts.
 * @param before the sender's hop; undefined: the sender returns what it holds, or is the issuer itself
 */
export function issuersLineHop(market: Market, ends: Ends, before: LineEnd | undefined): LineEnd {
  const { source, destination } = ends;
  const from = market.tokens.issuers[source]!;
  const limit = trustedFor(market, from, destination) ?? zeroOf(destination);
  return new LineEnd({
    ...termsOf(market, ends),
    before,
    returnable: (view) => view.held(from, destination),
    issuable: (view) => view.issuable(from, destination, limit),
    move: (view, amount) => view.debit(from, destination, amount),
  });
}

/** Whether the ledger refuses a payment as redundant: an account pays itself in one currency, and names no path (rippled Payment.cpp). */
export const isRedundant = (market: Market, ends: Ends, paths: readonly unknown[]): boolean =>
  paths.length === 0 &&
  ends.sender !== undefined &&
  ends.sender === ends.receiver &&
  isOneCurrency(market, ends);

/** What the hop takes in for what moves, and gives for it, where the sender returns what it holds. */
function termsOf(market: Market, { source, destination, sender, receiver }: Ends) {
  const { issuers } = market.tokens;
  const [from, to] = [issuers[source]!, issuers[destination]!];
  const accepted = paperRate(market, from, destination);
  // The last one to be paid never takes paper above face value.
  const outOf = receiver === to ? Math.min(accepted, PARITY) : accepted;
  // Who pays first is asked for no more than moves.
  if (sender === from)
    return { returned: { into: PARITY, outOf: PARITY }, issued: { into: PARITY, outOf } } satisfies LineTerms;
  const ofPaper = sender === undefined ? PARITY : paperRate(market, sender, source);
  return {
    returned: { into: Math.max(returnRate(market, to, source), ofPaper), outOf: PARITY },
    issued: { into: transferRate(market, source), outOf },
  } satisfies LineTerms;
}

interface LineTerms {
  readonly returned: Terms;
  readonly issued: Terms;
}

/** Whose paper moves: the sender's own or what it holds, the first issuer's own or what that holds, and what the receiver owes. */
interface Ways {
  readonly isPaper: boolean;
  readonly isIssued: boolean;
  readonly isOwed: boolean;
}

/** In per out over the whole path. */
function priceOf(market: Market, ends: Ends, { isPaper, isIssued, isOwed }: Ways): number {
  const { source, destination, sender, receiver } = ends;
  const { issuers } = market.tokens;
  const { returned, issued } = termsOf(market, ends);
  const start = isPaper ? PARITY / paperRate(market, sender!, source) : 1;
  const line = isIssued ? (isPaper ? PARITY : issued.into) / issued.outOf : returned.into / returned.outOf;
  if (receiver === issuers[destination]) return start * line;
  const ofPaper = paperRate(market, issuers[source]!, destination);
  const end = isOwed
    ? Math.max(returnRate(market, receiver, destination), ofPaper) / PARITY
    : (isIssued ? PARITY : transferRate(market, destination)) / acceptedRate(market, receiver, destination);
  return start * line * end;
}

/** What can be paid over the line, in tokens: what is returned, and what is issued. */
function lineFunds(market: Market, { source, destination }: Ends) {
  const from = market.tokens.issuers[source]!;
  const line = market.lines.find(from, destination)!;
  const held = numberOfAmount(amountOf(destination, ...market.lines.balanceRaw(line, destination)));
  const limit = trustedFor(market, from, destination);
  const issuable = (limit ? numberOfAmount(limit) : 0) + Math.min(0, held);
  return { returned: Math.max(0, held), issued: Math.max(0, issuable) };
}

/** Whether an account pays with paper of its own: what it holds goes first. */
const paysPaper = (market: Market, { source, sender }: Ends): boolean =>
  sender !== undefined &&
  market.tokens.issuers[source] !== sender &&
  trustedFor(market, sender, source) !== undefined;

/** The price of a small amount, in per out. @param ends whose issuers are linked */
export function firstLinePrice(market: Market, ends: Ends): number {
  const { source, destination, sender, receiver } = ends;
  return priceOf(market, ends, {
    isPaper: paysPaper(market, ends) && !holds(market, sender!, source),
    isIssued: lineFunds(market, ends).returned === 0,
    isOwed: owedBy(market, receiver, destination) !== undefined,
  });
}

/** At what price all is paid over the line at best, and how much it delivers at most. */
export interface LineBound {
  /** In per out. */
  readonly price: number;
  readonly most: number;
}

/** @param ends whose issuers are linked */
export function lineBound(market: Market, ends: Ends): LineBound {
  const { destination, receiver } = ends;
  const { returned, issued } = lineFunds(market, ends);
  const either = (may: boolean) => (may ? [false, true] : [false]);
  let price = Number.POSITIVE_INFINITY;
  for (const isPaper of either(paysPaper(market, ends)))
    for (const isIssued of [...(returned > 0 ? [false] : []), ...(issued > 0 ? [true] : [])])
      for (const isOwed of either(owedBy(market, receiver, destination) !== undefined))
        price = Math.min(price, priceOf(market, ends, { isPaper, isIssued, isOwed }));
  // No receiver takes more than what moves.
  const most = returned + (issued * termsOf(market, ends).issued.outOf) / PARITY;
  return { price, most };
}
