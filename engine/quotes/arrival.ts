/**
 * What reaches the receiver of a token over its line with the issuer. The ends of a line may give it qualities, in billionths of face
 * value; a payment uses these:
 *
 *     issuer ──► receiver     issues: transfer rate of the issuer; the receiver's QualityIn, where that is below face value
 *                             returns what the receiver issued itself in the same currency, as long as it owes any: the issuer's
 *                             QualityOut, and its QualityIn for the line over which it came, where these are above; no transfer rate
 *
 * At a QualityIn of 90 % a payment that delivers 90 moves 100 over the line. Of the sender's line none is used: it is the first step,
 * and has nothing before it. Rules: rippled DirectStep.cpp (`qualitiesSrcRedeems`, `qualitiesSrcIssues`).
 */
import type { Amount } from '../codec/arithmetic/amount.ts';
import { PARITY } from '../codec/arithmetic/amount-arithmetic.ts';
import { least, scaled } from '../codec/arithmetic/ratio.ts';
import { XRP } from '../state/tokens.ts';
import { amountOf, zeroOf } from './amounts.ts';
import { endOf, transferRate } from './line-rules.ts';
import type { Market } from './market.ts';

/** Billionths of what moves over its line that count as delivered to an account: 1,000,000,000 at most. */
export function acceptedRate(market: Market, account: number | undefined, token: number): number {
  const line = account === undefined ? undefined : market.lines.find(account, token);
  if (line === undefined) return PARITY;
  const quality = market.lineQualities.qualityIn(line, endOf(market, line, token, 'holder'));
  return Math.min(quality || PARITY, PARITY);
}

/** Billionths that the issuer takes in for what it returns to an account that issued it: 1,000,000,000 at least. */
export function returnRate(market: Market, account: number | undefined, token: number): number {
  const line = account === undefined ? undefined : market.lines.find(account, token);
  if (line === undefined) return PARITY;
  return Math.max(PARITY, market.lineQualities.qualityOut(line, endOf(market, line, token, 'issuer')));
}

/** What of an account's own the issuer of the token has in the same currency: it is returned first. */
export function owedBy({ lines }: Market, account: number | undefined, token: number): Amount | undefined {
  const line = account === undefined ? undefined : lines.find(account, token);
  if (line === undefined) return undefined;
  const balance = amountOf(token, ...lines.balanceRaw(line, token));
  return balance.mantissa < 0n ? balance.negate() : undefined;
}

/** The part of an amount that is returned to its issuer, and the part that is issued. */
function parts(market: Market, account: number | undefined, token: number, amount: Amount) {
  const owed = owedBy(market, account, token);
  const returned = owed ? least(owed, amount) : zeroOf(token);
  return { returned, issued: amount.sub(returned) };
}

/** How much moves over an account's line where an amount is delivered to it. @param token an issued one, of another account */
export function movedTo(market: Market, account: number, token: number, amount: Amount): Amount {
  const { returned, issued } = parts(market, account, token, amount);
  return returned.add(scaled(issued, PARITY, acceptedRate(market, account, token), true));
}

/** What has to reach the issuer for one that is delivered, at the best; 1: as much. @param receiver undefined: it has no line */
export function arrivalFee(market: Market, receiver: number | undefined, token: number): number {
  if (token === XRP || market.tokens.issuers[token] === receiver) return 1;
  const issued = transferRate(market, token) / acceptedRate(market, receiver, token);
  if (!owedBy(market, receiver, token)) return issued;
  return Math.min(issued, returnRate(market, receiver, token) / PARITY);
}

/** What one account spends to deliver an amount of a token, or of XRP, to another one without exchanging it. */
export function directCost(
  market: Market,
  [sender, receiver]: readonly [number, number | undefined],
  token: number,
  amount: Amount,
): Amount {
  const issuer = market.tokens.issuers[token]!;
  if (token === XRP || receiver === issuer) return amount;
  const { returned, issued } = parts(market, receiver, token, amount);
  const moved = scaled(issued, PARITY, acceptedRate(market, receiver, token), true);
  if (sender === issuer) return returned.add(moved);
  const line = market.lines.find(sender, token);
  const into =
    line === undefined ? 0 : market.lineQualities.qualityIn(line, endOf(market, line, token, 'issuer'));
  const rate = Math.max(returnRate(market, receiver, token), into);
  return scaled(returned, rate, PARITY, true).add(scaled(moved, transferRate(market, token), PARITY, true));
}
