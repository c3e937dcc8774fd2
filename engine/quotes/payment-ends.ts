/**
 * Whether the two accounts at the ends of a payment can do their part: what quotes leave to the caller (quote.ts).
 * Rules: rippled DirectStep.cpp (`check`, `maxPaymentFlow`), StepChecks.h. Not known to the state, and not looked at: deposit
 * authorisation, required destination tags, qualities of trust lines.
 */
import type { Amount } from '../codec/arithmetic/amount.ts';
import type { Lines } from '../state/lines.ts';
import { XRP } from '../state/tokens.ts';
import { amountOf, zeroOf } from './amounts.ts';
import { isAuthorized, isDeepFrozen, isFrozen } from './line-rules.ts';
import type { Market } from './market.ts';

/** What the ends read beside what quotes read. */
export interface EndsMarket extends Market {
  readonly accounts: Market['accounts'] & { spendableDrops(id: number): bigint };
  readonly lines: Market['lines'] & Pick<Lines, 'frozenByHolder'>;
}

/** Why an account cannot send an amount, or receive it. */
export type SendObstacle = 'insufficient_balance' | 'line_frozen';
export type ReceiveObstacle = 'no_account' | 'no_trustline' | 'not_authorized' | 'line_frozen' | 'limit_low';

/** undefined: it can, if the payment's fee is paid beside it. @param token XRP or an issued one */
export function sendObstacle(
  market: EndsMarket,
  account: number,
  token: number,
  amount: Amount,
): SendObstacle | undefined {
  const { accounts, tokens, lines } = market;
  if (token === XRP)
    return accounts.spendableDrops(account) >= amount.drops ? undefined : 'insufficient_balance';
  if (tokens.issuers[token] === account) return undefined;
  const line = lines.find(account, token);
  if (line === undefined) return 'insufficient_balance';
  if (isFrozen(market, account, token)) return 'line_frozen';
  const balance = amountOf(token, ...lines.balanceRaw(line, token));
  return balance.compare(amount) >= 0 ? undefined : 'insufficient_balance';
}

/** undefined: it can. @param account undefined: not in the ledger, so that only XRP in the height of the reserve creates it */
export function receiveObstacle(
  market: EndsMarket,
  account: number | undefined,
  token: number,
  amount: Amount,
): ReceiveObstacle | undefined {
  const { accounts, tokens, lines, fees } = market;
  const exists = account !== undefined && accounts.exists(account);
  if (token === XRP)
    return exists || amount.drops >= BigInt(fees.reserveBaseDrops) ? undefined : 'no_account';
  if (!exists) return 'no_account';
  if (tokens.issuers[token] === account) return undefined;
  const line = lines.find(account, token);
  if (line === undefined) return 'no_trustline';
  if (isDeepFrozen(market, account, token) || lines.frozenByHolder(line, token)) return 'line_frozen';
  const balance = amountOf(token, ...lines.balanceRaw(line, token));
  // What is held already was authorised once.
  if (!isAuthorized(market, account, token) && balance.isZero) return 'not_authorized';
  const limit = amountOf(token, ...lines.limitRaw(line, token));
  const held = balance.compare(zeroOf(token)) > 0 ? balance : zeroOf(token);
  return held.add(amount).compare(limit) <= 0 ? undefined : 'limit_low';
}
