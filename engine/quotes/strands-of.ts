/** The strands of a payment: of its default path and of the paths that are named with it (rippled PaySteps.cpp). */
import { PARITY } from '../codec/arithmetic/amount-arithmetic.ts';
import { TokenKind, XRP } from '../state/tokens.ts';
import { BookHop } from './book-hop.ts';
import { trustedFor } from './departure.ts';
import { issuerEnd, issuerEndAfter, type LineEnd, PlainEnd, trustedEnd } from './end-hops.ts';
import type { Ends } from './ends.ts';
import type { Hop } from './hop.ts';
import { areLinked, isOneCurrency, isRedundant, issuersLineHop, ripplesBack } from './issuers-line.ts';
import { forbidsRipple, isGlobalFrozen, pooledAssets, transferRate } from './line-rules.ts';
import type { Market } from './market.ts';
import type { PaymentState } from './payment-state.ts';
import type { PoolContext } from './pool-context.ts';
import type { LedgerRules } from './rules.ts';
import type { Strand } from './strand.ts';

/**
 * Whether quotes may lead through a token; see quote.ts for those that may not.
 * @param spender who spends it: an issuer may spend what it froze everywhere; undefined: it is not the source
 */
export function isQuotable(market: Market, token: number, spender?: number): boolean {
  if (token === XRP) return true;
  const { tokens, accounts } = market;
  const issuer = tokens.issuers[token]!;
  return (
    tokens.kinds[token] === TokenKind.issued &&
    accounts.exists(issuer) &&
    isIssuedOnly(market, token) &&
    (issuer === spender || !isGlobalFrozen(market, token))
  );
}

/** Whether a token is of trust lines alone: LP tokens of a pool with an MPT are locked with that, which is not handled. */
const isIssuedOnly = (market: Market, token: number): boolean =>
  pooledAssets(market, token).every((asset) => market.tokens.kinds[asset] !== TokenKind.mpt);

/**
 * Whether the ledger refuses each path as a loop, since the receiver issues what is spent, in the currency that it is paid in of
 * another issuer: the issue would be reached twice (rippled DirectStep.cpp, `seenDirectIssues`).
 */
function leadsBack(market: Market, ends: Ends): boolean {
  const { sender, receiver, source } = ends;
  const issuer = market.tokens.issuers[source];
  return isOneCurrency(market, ends) && receiver === issuer && sender !== issuer;
}

/** Whether the ledger refuses every payment between two ends as a loop. */
export const isRefused = (market: Market, ends: Ends): boolean =>
  leadsBack(market, ends) || ripplesBack(market, ends);

/** Whether the line of the sender or of the receiver does not let the token ripple through its issuer. */
function isEndBlocked(market: Market, { source, destination, sender, receiver }: Ends): boolean {
  const isBlocked = (account: number | undefined, token: number) =>
    account !== undefined && forbidsRipple(market, account, token);
  return isBlocked(sender, source) || isBlocked(receiver, destination);
}

/**
 * Whether the ledger refuses a path as a loop, and every payment that names it: one that leads over what the sender issues in the
 * currency that it spends of another issuer (rippled BookStep.cpp, `seenDirectIssues`).
 */
export function isLoop({ tokens }: Market, { source, sender }: Ends, path: readonly number[]): boolean {
  if (source === XRP || sender === undefined) return false;
  return path.some(
    (token) =>
      token !== XRP && tokens.issuers[token] === sender && tokens.codes[token] === tokens.codes[source],
  );
}

/** The tokens that a transaction must name for a path: the last book is implied, except where its currency does not change. */
export function namedSteps(
  { tokens }: Market,
  { source, destination }: Ends,
  path: readonly number[],
): readonly number[] {
  const last = path.at(-1) ?? source;
  const isImplied = last === XRP || destination === XRP || tokens.codes[last] !== tokens.codes[destination];
  return isImplied ? path : [...path, destination];
}

/**
 * The strand of the default path, if it leads through a book, and those of `paths`.
 * @returns none where the ledger or quotes cannot use one of them
 */
export function strandsOf(
  view: PaymentState,
  ends: Ends,
  paths: readonly (readonly number[])[],
  rules: LedgerRules,
  pools: PoolContext,
): Strand[] {
  const strands: Strand[] = [];
  const { market } = view;
  if (isRefused(market, ends) || isEndBlocked(market, ends)) return [];
  if (isRedundant(market, ends, paths)) return [];
  if (![ends.source, ends.destination].every((token) => isOpenTo(market, ends, token))) return [];
  if (areLinked(market, ends)) strands.push(issuersStrand(market, ends));
  for (const path of isOneCurrency(market, ends) ? paths : [[], ...paths]) {
    const tokens = [ends.source, ...path, ends.destination];
    if (!tokens.every((token) => isOpenTo(market, ends, token))) return [];
    if (new Set(tokens).size < tokens.length || isLoop(market, ends, path)) return [];
    strands.push({ tokens, hops: hopsOf(view, ends, tokens, rules, pools) });
  }
  return strands;
}

const isOpenTo = (market: Market, { source, sender }: Ends, token: number): boolean =>
  isQuotable(market, token, token === source ? sender : undefined);

/** Over the line of the two issuers. */
function issuersStrand(market: Market, ends: Ends): Strand {
  const { source, destination, sender, receiver } = ends;
  const own = ownPaperOf(market, ends);
  const line = issuersLineHop(market, ends, own);
  const hops: Hop[] = isIssuer(market, sender, source) ? [line] : [own ?? new PlainEnd(), line];
  if (!isIssuer(market, receiver, destination))
    hops.push(issuerEndAfter(line, market, destination, [market.tokens.issuers[source]!, receiver]));
  return { tokens: [source, destination], hops, isOverLine: true };
}

function hopsOf(
  view: PaymentState,
  ends: Ends,
  tokens: readonly number[],
  rules: LedgerRules,
  pools: PoolContext,
): Hop[] {
  const { market } = view;
  const destination = tokens.at(-1)!;
  const own = ownPaperOf(market, ends);
  const hops: Hop[] = isIssuer(market, ends.sender, tokens[0]!) ? [] : [own ?? new PlainEnd()];
  for (let i = 0; i + 1 < tokens.length; i += 1) {
    const rateIn = passingRate(market, ends, tokens[i]!);
    const before = i === 0 ? own : undefined;
    hops.push(new BookHop({ view, rules, pools, rateIn, before }, tokens[i]!, tokens[i + 1]!));
  }
  if (destination === XRP) hops.push(new PlainEnd());
  else if (!isIssuer(market, ends.receiver, destination))
    hops.push(issuerEnd(market, destination, ends.receiver));
  return hops;
}

/** The first hop of a sender who can pay with paper of its own; undefined: it cannot. */
function ownPaperOf(market: Market, { source, sender }: Ends): LineEnd | undefined {
  const isTrusted = sender !== undefined && trustedFor(market, sender, source) !== undefined;
  return isTrusted ? trustedEnd(market, source, sender) : undefined;
}

const isIssuer = ({ tokens }: Market, account: number | undefined, token: number): boolean =>
  account !== undefined && token !== XRP && tokens.issuers[token] === account;

/** The transfer rate on a token that goes into a book or pool, in billionths: none where its issuer pays or is paid. */
export function passingRate(market: Market, { source, sender, receiver }: Ends, token: number): number {
  const isFree =
    token === XRP ||
    (token === source && isIssuer(market, sender, token)) ||
    isIssuer(market, receiver, token);
  return isFree ? PARITY : transferRate(market, token);
}
