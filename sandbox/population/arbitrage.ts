/**
 * Arbitrageurs bring a pool back to what its tokens are worth: an order that is killed where it does not fill, sized
 * by the constant product, limited to a price at which it still pays.
 */
import { Tf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import { arbitrageur } from './setup.ts';
import { amountOf, type SimulationStep } from './simulation-step.ts';
import { type Market, quoteAsset } from './tokens.ts';

const FEE_UNIT = 100_000;
/** A pool is left alone until it is off by its fee and this much. */
const LEAST_GAIN = 0.0004;
/** Pools brought back in one ledger at most: those that are off most. */
const POOLS_MAX = 2;
/** Share of what he has that an arbitrageur puts into one order. */
const STAKE = 0.5;

export interface PoolState {
  readonly account: string;
  readonly base: number;
  readonly quote: number;
}

/** What a market's pool holds; undefined without one. */
export function poolOf(step: SimulationStep, base: string, quote: string): PoolState | undefined {
  const account = step.view.read(keylets.amm(base, quote))?.Account;
  if (account === undefined) return undefined;
  return { account, base: step.holds(account, base), quote: step.holds(account, quote) };
}

interface Opportunity {
  readonly market: Market;
  readonly pool: PoolState;
  readonly price: number;
  /** Of the pool's price over what it should be. */
  readonly off: number;
  readonly fee: number;
}

function restorePrice(step: SimulationStep, { market, pool, price, off, fee }: Opportunity): void {
  const agent = arbitrageur(step, market);
  const quote = quoteAsset(market);
  const buys = off < 0;
  // Where the pool ends: its price with the fee just reaches the limit.
  const goal = buys ? price * (1 - fee) : price / (1 - fee);
  const product = pool.base * pool.quote;
  const base = Math.abs(pool.base - Math.sqrt(product / goal));
  const spend = buys
    ? step.holds(agent.account, quote) / price
    : step.holds(agent.account, market.base.asset);
  const size = Math.min(base, spend * STAKE);
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
    const off = pool.quote / pool.base / price - 1;
    if (Math.abs(off) > fee + Math.max(LEAST_GAIN, fee * 0.4))
      opportunities.push({ market, pool, price, off, fee });
  }
  opportunities.sort(
    (a, b) => Math.abs(b.off) / (b.fee + LEAST_GAIN) - Math.abs(a.off) / (a.fee + LEAST_GAIN),
  );
  for (const opportunity of opportunities.slice(0, POOLS_MAX)) restorePrice(step, opportunity);
}
