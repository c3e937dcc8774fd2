/** Liquidity providers: deposits and withdrawals, votes on the fee, bids for the auction slot with the discounted fee. */
import type { Entry } from '../protocol/fields.ts';
import { Tf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Agent } from './agents.ts';
import { poolOf } from './arbitrage.ts';
import type { RandomStream } from './random.ts';
import { PROVIDERS } from './setup.ts';
import { amountOf, numberOf, type SimulationStep } from './simulation-step.ts';
import { type Market, quoteAsset } from './tokens.ts';

/** Actions per minute, over all providers. */
const RATE = 0.12;
/** Largest single-asset deposit, as a share of the pool: it moves the price by about as much. */
const ONE_SIDED_MAX = 0.002;
/** XRP that a provider keeps. */
const XRP_KEPT = 100;

function deposit(step: SimulationStep, agent: Agent, market: Market, random: RandomStream): void {
  const quote = quoteAsset(market);
  const pool = poolOf(step, market.base.asset, quote);
  if (pool === undefined) return;
  const base = step.holds(agent.account, market.base.asset);
  const most = Math.max(0, step.xrp(agent) - XRP_KEPT);
  const share = Math.min(base / pool.base, most / pool.quote) * random.between(0.1, 0.5);
  const both = random.chance(0.7);
  if (share * pool.quote < 1) return;
  step.send(agent, {
    TransactionType: 'AMMDeposit',
    Asset: market.base.asset,
    Asset2: quote,
    Amount: amountOf(market.base.asset, (both ? share : Math.min(share, ONE_SIDED_MAX)) * pool.base),
    ...(both ? { Amount2: amountOf(quote, share * pool.quote) } : {}),
    Flags: both ? Tf.tfTwoAsset : Tf.tfSingleAsset,
  });
}

function withdraw(
  step: SimulationStep,
  agent: Agent,
  market: Market,
  held: Readonly<Entry>,
  random: RandomStream,
): void {
  const all = random.chance(0.25);
  const lp = held.LPTokenBalance!;
  const mine = step.holds(agent.account, lp.asset);
  step.send(agent, {
    TransactionType: 'AMMWithdraw',
    Asset: market.base.asset,
    Asset2: quoteAsset(market),
    ...(all ? {} : { LPTokenIn: amountOf(lp.asset, mine * random.between(0.2, 0.8)) }),
    Flags: all ? Tf.tfWithdrawAll : Tf.tfLPToken,
  });
}

function vote(step: SimulationStep, agent: Agent, market: Market, random: RandomStream): void {
  step.send(agent, {
    TransactionType: 'AMMVote',
    Asset: market.base.asset,
    Asset2: quoteAsset(market),
    TradingFee: Math.round(market.poolFee * random.between(0.8, 1.25)),
  });
}

/** Bids when the slot is free. */
function bid(step: SimulationStep, agent: Agent, market: Market, pool: Readonly<Entry>): void {
  const slot = pool.AuctionSlot;
  const free = slot === undefined || (slot.Expiration ?? 0) < step.now || slot.Account === undefined;
  if (!free) return;
  const lp = pool.LPTokenBalance!;
  // Minimum price of the slot: LP tokens * fee / 25 (XLS-30).
  const least = (numberOf(lp) * (pool.TradingFee ?? 0)) / 100_000 / 25;
  if (step.holds(agent.account, lp.asset) < least * 1.5) return;
  step.send(agent, {
    TransactionType: 'AMMBid',
    Asset: market.base.asset,
    Asset2: quoteAsset(market),
    BidMin: amountOf(lp.asset, least * 1.05),
  });
}

export function providers(step: SimulationStep): void {
  const random = step.random('providers');
  if (!random.chance(RATE * step.durationRatio)) return;
  const n = random.below(PROVIDERS);
  const agent = step.agents.get(`provider:${n}`);
  const market = step.economy.markets[n % 4]!;
  const pool = step.view.read(keylets.amm(market.base.asset, quoteAsset(market)));
  if (pool === undefined || step.accountRoot(agent) === undefined) return;
  const mine = step.holds(agent.account, pool.LPTokenBalance!.asset);
  const choice = random.next();
  if (mine === 0 || choice < 0.4) deposit(step, agent, market, random);
  else if (choice < 0.75) withdraw(step, agent, market, pool, random);
  else if (choice < 0.9) vote(step, agent, market, random);
  else bid(step, agent, market, pool);
}
