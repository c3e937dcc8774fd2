/**
 * Arbitrageurs trade a pool back to the fair price of its tokens, with an immediate-or-cancel order whose size follows
 * from the constant product and whose limit is the price at which the trade is still profitable.
 */
import { Tf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import { arbitrageur } from './setup.ts';
import { amountOf, type SimulationStep } from './simulation-step.ts';
import { type Market, quoteAsset } from './tokens.ts';

/** Fees are in 1/100,000. */
const FEE_UNIT = 100_000;
/** A pool is traded when its price deviates by more than its fee and this fraction. */
const PROFIT_MIN = 0.0004;
/** Pools traded in one ledger at most: those with the largest deviation. */
const POOLS_MAX = 2;
/** Share of an arbitrageur's balance that goes into one order. */
const ORDER_SHARE = 0.5;

export interface PoolState {
  readonly account: string;
  readonly base: number;
  readonly quote: number;
}

/** Account and balances of a market's pool; undefined without one. */
export function poolOf(step: SimulationStep, base: string, quote: string): PoolState | undefined {
  const account = step.view.read(keylets.amm(base, quote))?.Account;
  if (account === undefined) return undefined;
  return { account, base: step.holds(account, base), quote: step.holds(account, quote) };
}

interface Opportunity {
  readonly market: Market;
  readonly pool: PoolState;
  readonly price: number;
  /** Of the pool's price from the fair price, as a fraction. */
  readonly deviation: number;
  readonly fee: number;
}

function restorePrice(step: SimulationStep, { market, pool, price, deviation, fee }: Opportunity): void {
  const agent = arbitrageur(step, market);
  const quote = quoteAsset(market);
  const buys = deviation < 0;
  // The pool's price after the order: with the fee, it just reaches the limit.
  const goal = buys ? price * (1 - fee) : price / (1 - fee);
  const product = pool.base * pool.quote;
  const base = Math.abs(pool.base - Math.sqrt(product / goal));
  const available = buys
    ? step.holds(agent.account, quote) / price
    : step.holds(agent.account, market.base.asset);
  const size = Math.min(base, available * ORDER_SHARE);
  if (size * step.economy.worth(market.base, step.closeTime) < 0.5) return;
  const own = amountOf(market.base.asset, size);
  const other = amountOf(quote, size * price);
  step.send(agent, {
    TransactionType: 'OfferCreate',
    TakerPays: buys ? own : other,
    TakerGets: buys ? other : own,
    Flags: Tf.tfImmediateOrCancel | (buys ? 0 : Tf.tfSell),
  });
}

export function arbitrage(step: SimulationStep): void {
  const opportunities: Opportunity[] = [];
  for (const market of step.economy.markets) {
    if (market.pool === 0) continue;
    const pool = poolOf(step, market.base.asset, quoteAsset(market));
    if (pool === undefined || pool.base === 0) continue;
    const price = step.economy.price(market, step.closeTime);
    const fee = (market.poolFee + market.base.transferFee) / FEE_UNIT;
    const deviation = pool.quote / pool.base / price - 1;
    if (Math.abs(deviation) > fee + Math.max(PROFIT_MIN, fee * 0.4))
      opportunities.push({ market, pool, price, deviation, fee });
  }
  opportunities.sort(
    (a, b) => Math.abs(b.deviation) / (b.fee + PROFIT_MIN) - Math.abs(a.deviation) / (a.fee + PROFIT_MIN),
  );
  for (const opportunity of opportunities.slice(0, POOLS_MAX)) restorePrice(step, opportunity);
}
