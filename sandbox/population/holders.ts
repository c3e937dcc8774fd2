/**
 * Holders: people who come, buy a little, and some day sell and go.
 *
 * Every token of a role is promoted to newcomers at its own pace; the crowd's token is given to several hundred by
 * airdrops in the first two days. A newcomer's whole life is told by what he has: no account (he is funded), no line
 * (he trusts), nothing on it (he buys), something (he waits, then sells), an old empty line (he removes it).
 */
import { DAY, HOUR } from '../../engine/ripple-time.ts';
import { Tf } from '../protocol/flags.ts';
import type { Agent } from './agents.ts';
import { amountOf, type SimulationStep } from './simulation-step.ts';
import { type Market, quoteAsset } from './tokens.ts';

export const CROWD = 560;
const AIRDROP_BEGINS = HOUR / 6;
/** Of the crowd, one batch a step; the first of them within the first hours. */
const AIRDROP_BATCH = 3;
const AIRDROP_EVERY = 180;

export const HOLDERS = 160;
const TOKENS_WITH_HOLDERS = 4;
/** A holder's next step comes about this often, per minute, over all holders. */
const RATE = 0.45;
const HOLDER_XRP = 40;
const HOLDER_XRP_LEAST = 8;
/** Holders who leave when they are asked, of those who hold. */
const LEAVING = 0.3;

/** One of the crowd gets an account, then a line, then his share. */
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

function live(step: SimulationStep): void {
  const random = step.random('holder');
  const n = random.below(HOLDERS);
  const agent = step.agents.get(`holder:${n}`);
  const market = step.economy.markets[n % TOKENS_WITH_HOLDERS]!;
  const { asset } = market.base;
  // Newcomers get their first XRP, those who have spent all come back with more.
  const broke = step.xrp(agent) < HOLDER_XRP_LEAST && step.holds(agent.account, asset) === 0;
  if (broke) {
    step.pay(step.agents.get('treasury'), agent.account, 'XRP', HOLDER_XRP * random.skewed(4));
    return;
  }
  const line = step.line(agent.account, asset);
  const held = step.holds(agent.account, asset);
  if (line === undefined) step.trust(agent, asset, market.base.supply);
  else if (held > 0 && random.chance(LEAVING)) {
    // What he has to the last digit, so that the line is empty afterwards.
    const balance = line.Balance!.abs().withAsset(asset);
    step.pay(agent, market.base.reserve.account, asset, held, { Amount: balance });
  } else if (held > 0)
    order(
      step,
      agent,
      market,
      random.chance(0.5) && step.xrp(agent) > HOLDER_XRP_LEAST,
      held * random.between(0.2, 0.6),
    );
  else if (step.xrp(agent) > HOLDER_XRP_LEAST && random.chance(0.7)) {
    const spend = (step.xrp(agent) - 4) * random.between(0.3, 0.7);
    order(step, agent, market, true, spend / step.economy.worth(market.base, step.closeTime));
  } else step.trust(agent, asset, 0, { Flags: Tf.tfSetNoRipple });
}

export function holders(step: SimulationStep): void {
  airdrop(step);
  if (step.random('holders').chance(RATE * step.durationRatio)) live(step);
}

/** When the last of the crowd has his share, seconds since the epoch. */
export const AIRDROP_ENDS = Math.min(2 * DAY, AIRDROP_BEGINS + (CROWD / AIRDROP_BATCH + 3) * AIRDROP_EVERY);
