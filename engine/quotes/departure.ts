/**
 * What leaves the sender of a token over its line with the issuer:
 *
 *     holder ──► issuer     returns what it holds, as it is
 *                           then pays with paper of its own in the same currency, where the issuer trusts it for some: at the
 *                           issuer's QualityIn of the line, above face value, too; the issuer takes no transfer fee on it
 *
 * Rules: rippled DirectStep.cpp (`maxPaymentFlow`, `qualitiesSrcIssues`), BookStep.cpp (transfer fees of what is redeemed).
 */
import type { Amount } from '../codec/arithmetic/amount.ts';
import { PARITY } from '../codec/arithmetic/amount-arithmetic.ts';
import { AccountFlag } from '../state/accounts.ts';
import { LineFlag } from '../state/line-fields.ts';
import { XRP } from '../state/tokens.ts';
import { amountOf } from './amounts.ts';
import { endOf } from './line-rules.ts';
import type { Market } from './market.ts';

/**
 * How much of an account's own paper the issuer of a token takes at most, in the same currency; undefined: none. An account that
 * authorises who holds its own has to have authorised the issuer.
 */
export function trustedFor(market: Market, account: number | undefined, token: number): Amount | undefined {
  const { lines } = market;
  const line = account === undefined || token === XRP ? undefined : lines.find(account, token);
  if (line === undefined) return undefined;
  const [hi, lo] =
    endOf(market, line, token, 'issuer') === 'high'
      ? [lines.highLimitsHi[line]!, lines.highLimitsLo[line]!]
      : [lines.lowLimitsHi[line]!, lines.lowLimitsLo[line]!];
  const limit = amountOf(token, hi, lo);
  return limit.isZero || !mayIssue(market, account!, line, token) ? undefined : limit;
}

/** Whether nothing that the account asks of its own holders keeps the issuer from being one. */
function mayIssue(market: Market, account: number, line: number, token: number): boolean {
  const { accounts, lines } = market;
  if ((accounts.flags[account]! & AccountFlag.requireAuth) === 0) return true;
  const isHolderLow = endOf(market, line, token, 'holder') === 'low';
  const authorised = isHolderLow ? LineFlag.lowAuth : LineFlag.highAuth;
  return (lines.flags[line]! & authorised) !== 0 || !amountOf(token, ...lines.balanceRaw(line, token)).isZero;
}

/** Billionths of the token that the issuer passes on for one of an account's own paper. */
export function paperRate(market: Market, account: number, token: number): number {
  const line = market.lines.find(account, token);
  if (line === undefined) return PARITY;
  return market.lineQualities.qualityIn(line, endOf(market, line, token, 'issuer')) || PARITY;
}

/**
 * What a sender spends for one of a token that goes into a book or pool, at the best.
 * @param rate of what is returned, in billionths
 */
export function departureFee(
  market: Market,
  sender: number | undefined,
  token: number,
  rate: number,
): number {
  if (sender === undefined || !trustedFor(market, sender, token)) return rate / PARITY;
  const ofPaper = PARITY / paperRate(market, sender, token);
  return holds(market, sender, token) ? Math.min(rate / PARITY, ofPaper) : ofPaper;
}

/** Whether an account has any of a token, which it then spends first. */
export function holds({ lines }: Market, account: number, token: number): boolean {
  const line = lines.find(account, token);
  return line !== undefined && amountOf(token, ...lines.balanceRaw(line, token)).mantissa > 0n;
}
