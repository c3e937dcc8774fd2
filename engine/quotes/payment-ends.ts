/**
 * Whether the two accounts at the ends of a payment can do their part: what quotes leave to the caller (quote.ts). The one place
 * of these rules; warnings (views/quotes/quote-warnings.ts) only put them into words.
 *
 *     send, receive   of every payment but those between an issuer and a holder, which no freeze forbids
 *     pay in, pay out   of one that passes through a book or pool: beside those, no line may be kept from rippling. XRP that is
 *                       paid in leaves the fee above the reserve; the fee of a payment of XRP itself may be taken from the reserve
 *     demands           what a receiver asks of who pays it: that it authorised the account, which the state knows, or not where its
 *                       store began without that (deposit-preauths.ts), and credentials can stand for; a destination tag, which is
 *                       the sender's to name
 *
 * Rules: rippled DirectStep.cpp (`check`, `maxPaymentFlow`), StepChecks.h, Payment.cpp (`preclaim`, deposit authorisation).
 */
import { Amount } from '../codec/arithmetic/amount.ts';
import { AccountFlag } from '../state/accounts.ts';
import type { DepositPreauths } from '../state/deposit-preauths.ts';
import type { Lines } from '../state/lines.ts';
import { XRP } from '../state/tokens.ts';
import { amountOf, zeroOf } from './amounts.ts';
import { movedTo } from './arrival.ts';
import { trustedFor } from './departure.ts';
import { forbidsRipple, frozeAll, isAuthorized, isDeepFrozen, isFrozen } from './line-rules.ts';
import type { Market } from './market.ts';

/** What the ends read beside what quotes read. */
export interface EndsMarket extends Market {
  readonly accounts: Market['accounts'] & { spendableDrops(id: number): bigint };
  readonly lines: Market['lines'] & Pick<Lines, 'frozenByHolder'>;
  readonly depositPreauths: Pick<DepositPreauths, 'authorises' | 'isComplete'>;
}

/** Why an account cannot send an amount, or receive it. */
export type SendObstacle = 'insufficient_balance' | 'no_fee' | 'line_frozen';
export type ReceiveObstacle =
  | 'no_account'
  | 'no_trustline'
  | 'no_new_lines'
  | 'not_authorized'
  | 'froze_all'
  | 'line_frozen'
  | 'limit_low';
/** The same where the payment passes through a book or pool. */
export type PayInObstacle = SendObstacle | 'no_ripple' | 'no_reserve';
export type PayOutObstacle = ReceiveObstacle | 'no_ripple' | Demand;
/** What an account asks of payments to it: that it authorised who pays (unknown: it may have), or a destination tag. */
export type Demand = 'deposit_auth' | 'deposit_auth_unknown' | 'destination_tag';

/** What an account can spend of a token, frozen or not; undefined: as much as it likes, being its issuer. */
export function fundsOf(market: EndsMarket, account: number, token: number): Amount | undefined {
  const { accounts, tokens, lines } = market;
  if (token === XRP) return Amount.drops(accounts.spendableDrops(account));
  if (tokens.issuers[token] === account) return undefined;
  const line = lines.find(account, token);
  return line === undefined ? zeroOf(token) : spendableOn(market, line, account, token);
}

/**
 * What an account can pay into a book or pool, frozen or not, beside the fee; undefined: as much as it likes, being its issuer.
 * @param lines that it sets before: each takes a fee, and the reserve of one more entry
 */
export function fundsToPayIn(
  market: EndsMarket,
  account: number,
  token: number,
  lines = 0,
): Amount | undefined {
  if (token !== XRP) return fundsOf(market, account, token);
  const { baseFeeDrops, reserveIncrementDrops } = market.fees;
  const kept = baseFeeDrops + (baseFeeDrops + reserveIncrementDrops) * lines;
  const drops = market.accounts.spendableDrops(account) - BigInt(kept);
  return drops > 0n ? Amount.drops(drops) : zeroOf(XRP);
}

/** Entries that an account may own before a trust line needs reserve (rippled TrustSet.cpp). */
const FREE_ENTRIES = 2;

/** Whether an account has the XRP to set trust lines: the reserve of each from its third entry on, and all fees. */
function canSetLines({ accounts, fees }: EndsMarket, account: number, lines: number): boolean {
  const owned = accounts.ownerCount[account]! + lines;
  const reserve = owned > FREE_ENTRIES ? fees.reserveBaseDrops + fees.reserveIncrementDrops * owned : 0;
  // The last one's own fee and that of the payment may be taken of the reserve.
  const needed = Math.max(reserve + fees.baseFeeDrops * (lines - 1), fees.baseFeeDrops * (lines + 1));
  return accounts.balanceDrops(account) >= BigInt(needed);
}

/** What the issuer owes on a line, and as much of the holder's own paper as it still trusts it for. */
function spendableOn(market: EndsMarket, line: number, account: number, token: number): Amount {
  const balance = amountOf(token, ...market.lines.balanceRaw(line, token));
  const most = balance.add(trustedFor(market, account, token) ?? zeroOf(token));
  return most.mantissa > 0n ? most : zeroOf(token);
}

/**
 * Why an account cannot send an amount; nothing: it can.
 * @param token XRP or an issued one
 * @param fundsIn what the account can spend in such a payment
 */
export function* sendObstacles(
  market: EndsMarket,
  account: number,
  token: number,
  amount: Amount,
  fundsIn = fundsOf,
): Generator<SendObstacle> {
  if (token !== XRP && market.tokens.issuers[token] !== account && isFrozen(market, account, token))
    yield 'line_frozen';
  const funds = fundsIn(market, account, token);
  if (funds && funds.compare(amount) < 0) yield 'insufficient_balance';
  if (market.accounts.balanceDrops(account) < BigInt(market.fees.baseFeeDrops)) yield 'no_fee';
}

/** How much more of an issued token an account accepts: what its issuer holds of it in the same currency is returned first. */
export function roomFor({ lines }: EndsMarket, line: number, token: number): Amount {
  const limit = amountOf(token, ...lines.limitRaw(line, token));
  const balance = amountOf(token, ...lines.balanceRaw(line, token));
  return limit.compare(balance) > 0 ? limit.sub(balance) : zeroOf(token);
}

/**
 * Why an account cannot receive an amount; nothing: it can.
 * @param account undefined: not in the ledger, so that only XRP in the height of the reserve creates it
 */
export function* receiveObstacles(
  market: EndsMarket,
  account: number | undefined,
  token: number,
  amount: Amount,
): Generator<ReceiveObstacle> {
  const { accounts, tokens, lines, fees } = market;
  if (account === undefined || !accounts.exists(account)) {
    if (token !== XRP || amount.drops < BigInt(fees.reserveBaseDrops)) yield 'no_account';
    return;
  }
  if (token === XRP || tokens.issuers[token] === account) return;
  const line = lines.find(account, token);
  if (line === undefined) {
    yield 'no_trustline';
    if (issuerHas(market, token, AccountFlag.disallowIncomingTrustline)) yield 'no_new_lines';
    // A line that is set then is not authorised yet.
    if (!isAuthorized(market, account, token)) yield 'not_authorized';
    return;
  }
  if (frozeAll(market, account)) yield 'froze_all';
  if (isDeepFrozen(market, account, token) || lines.frozenByHolder(line, token)) yield 'line_frozen';
  // What is held already was authorised once.
  const isHolder = !amountOf(token, ...lines.balanceRaw(line, token)).isZero;
  if (!isHolder && !isAuthorized(market, account, token)) yield 'not_authorized';
  if (roomFor(market, line, token).compare(movedTo(market, account, token, amount)) < 0) yield 'limit_low';
}

const issuerHas = ({ accounts, tokens }: Market, token: number, flag: number): boolean =>
  (accounts.flags[tokens.issuers[token]!]! & flag) !== 0;

/** Whether an account has no line for a token yet, and its issuer lets nothing ripple on new ones (rippled `trustCreate`). */
function newLineForbidsRipple(market: EndsMarket, account: number, token: number): boolean {
  if (token === XRP || market.tokens.issuers[token] === account) return false;
  const isNew = market.lines.find(account, token) === undefined;
  return isNew && !issuerHas(market, token, AccountFlag.defaultRipple);
}

/** What an account of the ledger asks of a payment. @param payer undefined: an account that is not in the ledger */
export function* demandsOf(
  { accounts, depositPreauths }: EndsMarket,
  account: number,
  payer: number | undefined,
): Generator<Demand> {
  const flags = accounts.flags[account]!;
  if (payer !== account && (flags & AccountFlag.depositAuth) !== 0) {
    const isAuthorised = payer !== undefined && depositPreauths.authorises(account, payer);
    if (!isAuthorised) yield depositPreauths.isComplete ? 'deposit_auth' : 'deposit_auth_unknown';
  }
  // Of the account itself, too.
  if ((flags & AccountFlag.requireDestTag) !== 0) yield 'destination_tag';
}

/** Whether XRP as it is comes from anybody: small amounts while the account has little, so that it stays usable. */
export function isOpenTo({ accounts, fees }: Market, account: number, { drops }: Amount): boolean {
  const floor = BigInt(fees.reserveBaseDrops);
  return drops <= floor && accounts.balanceDrops(account) <= floor;
}

/** Why an account cannot pay an amount into a book or pool; nothing: it can. @param lines as in `fundsToPayIn` */
export function* payInObstacles(
  market: EndsMarket,
  account: number,
  token: number,
  amount: Amount,
  lines = 0,
): Generator<PayInObstacle> {
  if (forbidsRipple(market, account, token)) yield 'no_ripple';
  // Of XRP as much is kept back.
  if (token !== XRP && lines > 0 && !canSetLines(market, account, lines)) yield 'no_reserve';
  yield* sendObstacles(market, account, token, amount, (...asked) => fundsToPayIn(...asked, lines));
}

/**
 * Why an account cannot be paid an amount out of a book or pool; nothing: it can.
 * @param payer as in `demandsOf`
 */
export function* payOutObstacles(
  payer: number | undefined,
  ...asked: Parameters<typeof receiveObstacles>
): Generator<PayOutObstacle> {
  const [market, account, token] = asked;
  if (account !== undefined && market.accounts.exists(account)) {
    yield* demandsOf(market, account, payer);
    if (forbidsRipple(market, account, token) || newLineForbidsRipple(market, account, token))
      yield 'no_ripple';
    // Of XRP only a payment that passes through a book or pool.
    if (token === XRP && frozeAll(market, account)) yield 'froze_all';
  }
  yield* receiveObstacles(...asked);
}

/** Whether nothing keeps an account from paying an amount into a book or pool, or from receiving it. */
export const canPayIn = (...asked: Parameters<typeof payInObstacles>): boolean =>
  payInObstacles(...asked).next().done === true;
export const canReceive = (...asked: Parameters<typeof receiveObstacles>): boolean =>
  receiveObstacles(...asked).next().done === true;

/**
 * Whether one account can pay a token, or XRP, to another one as it is.
 * @param cost the amount, with the issuer's transfer fee
 */
export function canPayDirectly(
  market: EndsMarket,
  [from, to]: readonly [number, number | undefined],
  token: number,
  { amount, cost }: { readonly amount: Amount; readonly cost: Amount },
): boolean {
  const issuer = token === XRP ? undefined : market.tokens.issuers[token];
  // Issuing and returning a token is possible whatever is frozen (rippled DirectStep.cpp, `check`).
  const isWithIssuer = issuer !== undefined && (from === issuer || to === issuer);
  const obstacles = [
    ...sendObstacles(market, from, token, cost),
    ...receiveObstacles(market, to, token, amount),
  ];
  return obstacles.every((one) => isWithIssuer && (one === 'line_frozen' || one === 'froze_all'));
}
