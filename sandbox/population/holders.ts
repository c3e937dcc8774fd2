/**
 * Holders: small agents that buy a little of one token and sell all of it some days later.
 *
 * Each of the first four tokens has holders of its own; the crowd's token is also given to several hundred accounts by
 * airdrops in the first two days. What a holder does next follows from its ledger entries alone: no account (it is
 * funded), no trust line (it sets one), a zero balance (it buys, or removes the line), tokens (it sells all, or trades).
 */
import { DAY, HOUR } from '../../engine/ripple-time.ts';
import { Tf } from '../protocol/flags.ts';
import type { Agent } from './agents.ts';
import { amountOf, type SimulationStep } from './simulation-step.ts';
import { type Market, quoteAsset } from './tokens.ts';

export const CROWD = 560;
const AIRDROP_BEGINS = HOUR / 6;
/** Accounts of the crowd that start in one interval. */
const AIRDROP_BATCH = 3;
const AIRDROP_EVERY = 180;

export const HOLDERS = 160;
const TOKENS_WITH_HOLDERS = 4;
/** Actions per minute, over all holders. */
const RATE = 0.45;
const HOLDER_XRP = 40;
const HOLDER_XRP_MIN = 8;
/** That a holder with tokens sells all of them, at each of its actions. */
const SELL_ALL_PROBABILITY = 0.3;

/** In three intervals an account of the crowd is funded, sets a trust line and gets its tokens. */
function airdrop(step: SimulationStep): void {
  const crowd = step.economy.token('CROWD');
  const random = step.random('airdrop');
  const slot = (time: number) => Math.floor((time - step.epoch - AIRDROP_BEGINS) / AIRDROP_EVERY);
  const at = slot(step.now);
  if (at === slot(step.parent.header.parentCloseTime) || at < 0 || at > CROWD / AIRDROP_BATCH + 2) return;
  const batch = (n: number): Agent[] =>
    Array.from({ length: AIRDROP_BATCH }, (_, i) => n * AIRDROP_BATCH + i)
      .filter((i) => i >= 0 && i < CROWD)
      .map((i) => step.agents.get(`crowd:${i}`));
  const treasury = step.agents.get('treasury');
  for (const agent of batch(at)) step.pay(treasury, agent.account, 'XRP', random.between(5, 30));
  for (const agent of batch(at - 1)) step.trust(agent, crowd.asset, crowd.supply);
  for (const agent of batch(at - 2))
    step.pay(crowd.reserve, agent.account, crowd.asset, Math.round(2_000 * random.skewed(8)));
}

function order(step: SimulationStep, agent: Agent, market: Market, buys: boolean, size: number): void {
  const price = step.economy.price(market, step.closeTime) * (buys ? 1.03 : 1 / 1.03);
  const base = amountOf(market.base.asset, size);
  const other = amountOf(quoteAsset(market), size * price);
  step.send(agent, {
    TransactionType: 'OfferCreate',
    TakerPays: buys ? base : other,
    TakerGets: buys ? other : base,
    Flags: Tf.tfImmediateOrCancel | (buys ? 0 : Tf.tfSell),
  });
}

function actAsHolder(step: SimulationStep): void {
  const random = step.random('holder');
  const n = random.below(HOLDERS);
  const agent = step.agents.get(`holder:${n}`);
  const market = step.economy.markets[n % TOKENS_WITH_HOLDERS]!;
  const { asset } = market.base;
  // A new holder gets its first XRP; one that has spent all gets more.
  const outOfFunds = step.xrp(agent) < HOLDER_XRP_MIN && step.holds(agent.account, asset) === 0;
  if (outOfFunds) {
    step.pay(step.agents.get('treasury'), agent.account, 'XRP', HOLDER_XRP * random.skewed(4));
    return;
  }
  const line = step.line(agent.account, asset);
  const held = step.holds(agent.account, asset);
  if (line === undefined) step.trust(agent, asset, market.base.supply);
  else if (held > 0 && random.chance(SELL_ALL_PROBABILITY)) {
    // The exact balance, so that the line is empty afterwards.
    const balance = line.Balance!.abs().withAsset(asset);
    step.pay(agent, market.base.reserve.account, asset, held, { Amount: balance });
  } else if (held > 0)
    order(
      step,
      agent,
      market,
      random.chance(0.5) && step.xrp(agent) > HOLDER_XRP_MIN,
      held * random.between(0.2, 0.6),
    );
  else if (step.xrp(agent) > HOLDER_XRP_MIN && random.chance(0.7)) {
    const spend = (step.xrp(agent) - 4) * random.between(0.3, 0.7);
    order(step, agent, market, true, spend / step.economy.worth(market.base, step.closeTime));
  } else step.trust(agent, asset, 0, { Flags: Tf.tfSetNoRipple });
}

export function holders(step: SimulationStep): void {
  airdrop(step);
  if (step.random('holders').chance(RATE * step.durationRatio)) actAsHolder(step);
}

/** When the last account of the crowd has its tokens, seconds since the epoch. */
export const AIRDROP_ENDS = Math.min(2 * DAY, AIRDROP_BEGINS + (CROWD / AIRDROP_BATCH + 3) * AIRDROP_EVERY);
