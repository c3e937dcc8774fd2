/** One quote as its answer shows it. */
import {
  addDecimal,
  compareDecimal,
  type Decimal,
  DROPS_PER_XRP,
  decimalNumber,
  decimalText,
  mulDecimal,
} from '../../engine/codec/amount.ts';
import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { decimalOfAmount, numberOfAmount, smallestLike } from '../../engine/quotes/amounts.ts';
import type { Ends } from '../../engine/quotes/ends.ts';
import type { Estimates } from '../../engine/quotes/estimate.ts';
import { firstRate } from '../../engine/quotes/path-estimates.ts';
import type { Quote } from '../../engine/quotes/quote.ts';
import { namedSteps } from '../../engine/quotes/strands-of.ts';
import type { State } from '../../engine/state/state.ts';
import { XRP } from '../../engine/state/tokens.ts';
import { tokenName } from '../identity.ts';
import { numberText, rounded } from '../number-format.ts';
import { quotient, roundDecimal, truncateDecimal } from '../ratio.ts';
import type { SwapRequest } from './swap-request.ts';

/** `issuer` is absent for XRP. */
export interface AmountAnswer {
  readonly currency: string;
  readonly issuer?: string;
  readonly value: string;
}

/** A step of a path, as a Payment transaction carries it. */
interface PathStepAnswer {
  readonly currency: string;
  readonly issuer?: string;
}

/** A chain of exchanges that a part of the payment takes. */
export interface RouteAnswer {
  /** Percent of what is delivered. */
  readonly share: number;
  readonly tokens: readonly { readonly currency: string; readonly issuer: string; readonly md5: string }[];
  /**
   * Of each exchange: percent of its output that comes from the pool; the rest is from the book. None where the tokens are two issuers'
   * of one currency and are paid over the line of these.
   */
  readonly poolShares: readonly number[];
}

export interface QuoteAnswer {
  readonly source_amount: AmountAnswer;
  readonly destination_amount: AmountAnswer;
  readonly minimum_received: string;
  readonly execution_rate: number;
  readonly price_impact: { readonly percent: string; readonly xrp?: string };
  readonly amm_price_change: number | null;
  readonly suggested_slippage: number;
  readonly slippage_tolerance: number;
  readonly from_orderbook: string;
  readonly from_amm: string;
  readonly amm_pool_fee: string | null;
  readonly amm_trading_fee_bps: number | null;
  readonly paths: readonly (readonly PathStepAnswer[])[];
  readonly paths_count: number;
  readonly route: readonly RouteAnswer[];
  /** Whether less than asked for can be had. */
  readonly partial: boolean;
  readonly destination_account?: string;
}

/** Suggested at least, percent: what a price moves within a few ledgers. */
const SLIPPAGE_MIN = 0.5;
/** And at most. */
const SLIPPAGE_MAX = 15;
/** Share of the price impact that is added: who moves the price much competes with others who do. */
const SLIPPAGE_OF_IMPACT = 0.5;
/** Digits of percentages. */
const PERCENT_DIGITS = 4;
/** Of an XRP. */
const DROP_DECIMALS = 6;

/**
 * What a quote shows of a payment.
 *
 *     execution_rate      units of the destination token for one of the source token, all fees included
 *     price_impact        percent by which that rate is worse than that of a thousandth of the amount over the same route:
 *                         fees, which are in both, are not part of it, nor is what whole drops take of amounts of few drops;
 *                         `xrp`: the same in XRP, where XRP is spent or received
 *     amm_price_change    percent by which the swap moves the pool's own price of the token in XRP, where it takes no other
 *                         route than one exchange with XRP: above 0 for buys, below 0 for sells
 *     suggested_slippage  percent: 0.5, and half of the price impact; at most 15
 *     minimum_received    destination amount less the slippage tolerance, at least the smallest amount
 *     from_orderbook, from_amm   parts of the destination amount, by who gives it in the last exchange; what goes over the line of
 *                         two issuers of one currency is in neither
 *     amm_pool_fee        what the pools of the first exchange keep, in the source token
 *     amm_trading_fee_bps the pool's trading fee in thousandths of a percent, where the route is one exchange; both less for an
 *                         account that has the pool's auction slot
 *
 * The amounts are those of a payment on the newest ledger, computed as the ledger computes it (engine/quotes/quote.ts).
 * @param impact of the quote, by impactOf
 */
export function quoteAnswer(state: State, impact: number, request: SwapRequest, quote: Quote): QuoteAnswer {
  const { source, destination, slippage, destinationAccount } = request;
  const spent = decimalOfAmount(quote.in);
  const got = decimalOfAmount(quote.out);
  const { book, pool } = givenBy(quote, destination);
  return {
    source_amount: amountAnswer(state, source, spent),
    destination_amount: amountAnswer(state, destination, got),
    minimum_received: decimalText(leastOf(destination, quote.out, slippage)),
    execution_rate: decimalNumber(quotient(got, spent)),
    price_impact: {
      percent: `${numberText(rounded(impact * 100, 2))}%`,
      ...xrpImpact(request, quote, impact),
    },
    amm_price_change: poolPriceChange(state, request, quote),
    suggested_slippage: rounded(Math.min(SLIPPAGE_MAX, SLIPPAGE_MIN + SLIPPAGE_OF_IMPACT * impact * 100), 2),
    slippage_tolerance: slippage,
    from_orderbook: decimalText(book),
    from_amm: decimalText(pool),
    ...poolFees(state, request, quote),
    paths: quote.paths.map((path) =>
      namedSteps(state, request, path).map((token) => stepAnswer(state, token)),
    ),
    paths_count: new Set(quote.rounds.map(({ strand }) => strand)).size,
    route: routeAnswer(state, quote),
    partial: !quote.isWhole,
    ...(destinationAccount !== undefined && { destination_account: destinationAccount }),
  };
}

/** A fraction of at most six decimals. */
const fractionOf = (value: number): Decimal => ({ m: BigInt(Math.round(value * 1e6)), e: -6 });

/** An amount with the digits that the ledger can hold. */
const held = (token: number, value: Decimal): Decimal =>
  token === XRP ? truncateDecimal(value, DROP_DECIMALS) : roundDecimal(value);

/** Never nothing, which a payment cannot name as its least: nobody receives less than one drop or the smallest issued amount. */
function leastOf(token: number, got: Amount, slippage: number): Decimal {
  const least = held(token, mulDecimal(decimalOfAmount(got), fractionOf(1 - slippage)));
  const smallest = decimalOfAmount(smallestLike(got));
  return compareDecimal(least, smallest) < 0 ? smallest : least;
}

function amountAnswer(state: State, token: number, value: Decimal): AmountAnswer {
  return { ...stepAnswer(state, token), value: decimalText(value) };
}

function stepAnswer(state: State, token: number): PathStepAnswer {
  const { tokens } = state;
  const currency = tokens.currencyText(token);
  return token === XRP ? { currency } : { currency, issuer: tokens.issuerText(token) };
}

/**
 * Fraction by which the whole amount is exchanged at a worse rate than a small part of it, beside what whole drops may take;
 * never below 0.
 */
export function impactOf(estimates: Estimates, ends: Ends, quote: Quote): number {
  const spent = numberOfAmount(quote.in);
  const first = firstRate(estimates, ends, quote, spent);
  if (first === 0) return 0;
  const worse = 1 - numberOfAmount(quote.out) / spent / first;
  return Math.min(1, Math.max(0, worse - roundedBy(quote)));
}

/** The share that rounding to drops may take: one drop of each exchange with XRP. It is all of a payment of one drop. */
function roundedBy({ rounds, strands }: Quote): number {
  let exchanges = 0;
  let drops = 0;
  for (const { strand, books } of rounds)
    for (const [hop, parts] of books.entries()) {
      const [from, to] = strands[strand]!.slice(hop, hop + 2);
      if (from !== XRP && to !== XRP) continue;
      exchanges += 1;
      for (const part of parts) drops += numberOfAmount(from === XRP ? part.in : part.out);
    }
  return exchanges === 0 ? 0 : exchanges / Math.max(1, drops);
}

function xrpImpact(request: SwapRequest, quote: Quote, impact: number): { readonly xrp?: string } {
  const spent = numberOfAmount(quote.in);
  const got = numberOfAmount(quote.out);
  const drops =
    request.source === XRP
      ? spent * impact
      : request.destination === XRP
        ? (got * impact) / Math.max(1e-9, 1 - impact)
        : undefined;
  return drops === undefined ? {} : { xrp: numberText(Math.round(drops) / DROPS_PER_XRP) };
}

const sumOf = (amounts: readonly Amount[]): Decimal =>
  amounts.reduce((sum, amount) => addDecimal(sum, decimalOfAmount(amount)), { m: 0n, e: 0 } as Decimal);

/** Parts of what is delivered; what the issuer's transfer fee takes is left out of both. */
function givenBy({ rounds, out }: Quote, destination: number): { book: Decimal; pool: Decimal } {
  const last = rounds.flatMap(({ books }) => books.at(-1) ?? []);
  const line = sumOf(rounds.filter(({ books }) => books.length === 0).map((round) => round.out));
  const exchanged = addDecimal(decimalOfAmount(out), { m: -line.m, e: line.e });
  const pool = sumOf(last.filter(({ offer }) => offer === undefined).map((part) => part.out));
  const book = sumOf(last.filter(({ offer }) => offer !== undefined).map((part) => part.out));
  const whole = addDecimal(pool, book);
  if (pool.m === 0n) return { book: exchanged, pool };
  if (book.m === 0n) return { book, pool: exchanged };
  const part = held(destination, quotient(mulDecimal(pool, exchanged), whole));
  return { pool: part, book: addDecimal(exchanged, { m: -part.m, e: part.e }) };
}

/** The pool of a route that is one exchange, whatever else is named and not used; undefined: another route, or no pool. */
function onlyPool(state: State, { source, destination }: SwapRequest, { rounds }: Quote): number | undefined {
  const isOneExchange = rounds.every(({ books }) => books.length === 1);
  return isOneExchange ? state.pools.byAssets(source, destination) : undefined;
}

function poolPriceChange(state: State, request: SwapRequest, quote: Quote): number | null {
  const { source, destination } = request;
  const pool = source === XRP || destination === XRP ? onlyPool(state, request, quote) : undefined;
  if (pool === undefined) return null;
  const side = state.pools.asset1(pool) === source ? 1 : 2;
  const reserve = (token: number, of: 1 | 2) =>
    state.tokens.number(token, ...state.pools.reserveRaw(pool, of));
  const before = { in: reserve(source, side), out: reserve(destination, side === 1 ? 2 : 1) };
  if (before.in === 0 || before.out === 0) return null;
  const parts = quote.rounds.flatMap(({ books }) => books.flat()).filter(({ offer }) => offer === undefined);
  const after = {
    in: before.in + decimalNumber(sumOf(parts.map((part) => part.in))),
    out: before.out - decimalNumber(sumOf(parts.map((part) => part.out))),
  };
  const ratio = after.in / after.out / (before.in / before.out);
  return rounded((source === XRP ? ratio - 1 : 1 / ratio - 1) * 100, PERCENT_DIGITS);
}

/** A pool's trading fee is in these units. */
const FEE_UNITS = 100_000n;

function poolFees(
  state: State,
  request: SwapRequest,
  quote: Quote,
): Pick<QuoteAnswer, 'amm_pool_fee' | 'amm_trading_fee_bps'> {
  const { source } = request;
  const feeOf = (pool: number) => state.pools.feeFor(pool, request.sender, state.fees.closeTime);
  let kept: Decimal = { m: 0n, e: 0 };
  let isUsed = false;
  for (const { strand, books } of quote.rounds) {
    const [from, to] = quote.strands[strand]! as [number, number];
    const pool = state.pools.byAssets(from, to);
    if (pool === undefined) continue;
    const parts = (books[0] ?? []).filter(({ offer }) => offer === undefined);
    if (parts.length > 0) isUsed = true;
    const fee = { m: BigInt(feeOf(pool)), e: 0 };
    kept = addDecimal(
      kept,
      quotient(mulDecimal(sumOf(parts.map((part) => part.in)), fee), { m: FEE_UNITS, e: 0 }),
    );
  }
  const only = onlyPool(state, request, quote);
  return {
    amm_pool_fee: isUsed ? `${decimalText(held(source, kept))} ${tokenName(state, source)}` : null,
    amm_trading_fee_bps: only === undefined ? null : feeOf(only),
  };
}

function routeAnswer(state: State, quote: Quote): RouteAnswer[] {
  const whole = numberOfAmount(quote.out);
  return quote.strands.flatMap((tokens, strand) => {
    const rounds = quote.rounds.filter((round) => round.strand === strand);
    if (rounds.length === 0) return [];
    const share = rounds.reduce((sum, { out }) => sum + numberOfAmount(out), 0) / whole;
    const isOverLine = quote.isOverLine && strand === 0;
    const exchanges = isOverLine ? [] : tokens.slice(1);
    const poolShares = exchanges.map((_, hop) => {
      const parts = rounds.flatMap(({ books }) => books[hop] ?? []);
      const all = parts.reduce((sum, { out }) => sum + numberOfAmount(out), 0);
      const pool = parts.reduce(
        (sum, part) => sum + (part.offer === undefined ? numberOfAmount(part.out) : 0),
        0,
      );
      return all === 0 ? 0 : rounded((pool / all) * 100, PERCENT_DIGITS);
    });
    const named = tokens.map((token) => ({
      currency: state.tokens.currencyText(token),
      issuer: state.tokens.issuerText(token),
      md5: state.tokens.md5(token),
    }));
    return [{ share: rounded(share * 100, PERCENT_DIGITS), tokens: named, poolShares }];
  });
}
