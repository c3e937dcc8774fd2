/** What trust lines and issuers forbid. Rules: rippled `TokenHelpers.cpp`, `StepChecks.h`. */
import { AccountFlag } from '../state/accounts.ts';
import { LineFlag } from '../state/line-fields.ts';
import { XRP } from '../state/tokens.ts';
import type { Market } from './market.ts';

/** A transfer rate of one: no fee. */
const PARITY = 1_000_000_000;

/** The issuer's transfer rate in billionths: 1,002,000,000 is a fee of 0.2 %. */
export function transferRate({ accounts, tokens }: Market, token: number): number {
  return token === XRP ? PARITY : accounts.transferRate[tokens.issuers[token]!] || PARITY;
}

export function isGlobalFrozen({ accounts, tokens }: Market, token: number): boolean {
  return token !== XRP && (accounts.flags[tokens.issuers[token]!]! & AccountFlag.globalFreeze) !== 0;
}

/**
 * Whether an account froze all that it issues: no payment over trust lines, books or pools then reaches it, not of XRP either
 * (rippled `checkFreeze`).
 */
export function frozeAll({ accounts }: Market, account: number): boolean {
  return (accounts.flags[account]! & AccountFlag.globalFreeze) !== 0;
}

/** Which end of a line is that of the token's issuer, or of its holder: where two accounts issue to each other, it is by the token. */
export function endOf(market: Market, line: number, token: number, who: 'issuer' | 'holder'): 'low' | 'high' {
  return isIssuerHigh(market, line, token) === (who === 'issuer') ? 'high' : 'low';
}

const isIssuerHigh = ({ lines, tokens }: Market, line: number, token: number): boolean =>
  lines.highs[line] === tokens.issuers[token];

function flagsOf({ lines }: Market, account: number, token: number): number {
  const line = lines.find(account, token);
  return line === undefined ? 0 : lines.flags[line]!;
}

/** Whether an account's flag for the side of the issuer is set on its line. */
function issuerSet(market: Market, account: number, token: number, low: number, high: number): boolean {
  const line = market.lines.find(account, token);
  if (line === undefined) return false;
  return (market.lines.flags[line]! & (isIssuerHigh(market, line, token) ? high : low)) !== 0;
}

/** Whether one of the two sides froze the line deeply: the account can then neither give nor receive. */
export function isDeepFrozen(market: Market, account: number, token: number): boolean {
  if (token === XRP || account === market.tokens.issuers[token]) return false;
  const deep = LineFlag.lowDeepFreeze | LineFlag.highDeepFreeze;
  return (flagsOf(market, account, token) & deep) !== 0;
}

/** Whether the issuer froze the line of an account. */
export function isLineFrozen(market: Market, account: number, token: number): boolean {
  return issuerSet(market, account, token, LineFlag.lowFreeze, LineFlag.highFreeze);
}

/** The two assets of the pool that issues a token as its LP tokens; none where it is another token. */
export function pooledAssets({ accounts, pools, tokens }: Market, token: number): readonly number[] {
  const issuer = tokens.issuers[token]!;
  const pool = token === XRP || accounts.amm[issuer] === 0 ? undefined : pools.byAccount(issuer);
  return pool === undefined ? [] : [pools.asset1(pool), pools.asset2(pool)];
}

/** Whether an account cannot give LP tokens, since it cannot give one of their pool's assets (fixFrozenLPTokenTransfer). */
const isPoolFrozen = (market: Market, account: number, token: number): boolean =>
  pooledAssets(market, token).some(
    (asset) => isGlobalFrozen(market, asset) || isLineFrozen(market, account, asset),
  );

/** Whether an account other than the issuer cannot give a token. */
export function isFrozen(market: Market, account: number, token: number): boolean {
  if (token === XRP) return false;
  return (
    isGlobalFrozen(market, token) ||
    isLineFrozen(market, account, token) ||
    isDeepFrozen(market, account, token) ||
    isPoolFrozen(market, account, token)
  );
}

/** Whether the issuer lets an account hold the token. */
export function isAuthorized(market: Market, account: number, token: number): boolean {
  if (token === XRP) return true;
  const issuer = market.tokens.issuers[token]!;
  if (account === issuer || (market.accounts.flags[issuer]! & AccountFlag.requireAuth) === 0) return true;
  return issuerSet(market, account, token, LineFlag.lowAuth, LineFlag.highAuth);
}

/** Whether the issuer lets nothing ripple from or to this account's line: it cannot pay there into a book, nor be paid from one. */
export function forbidsRipple(market: Market, account: number, token: number): boolean {
  if (token === XRP || account === market.tokens.issuers[token]) return false;
  return issuerSet(market, account, token, LineFlag.lowNoRipple, LineFlag.highNoRipple);
}
