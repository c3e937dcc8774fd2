/**
 * Traders: immediate-or-cancel orders, resting orders, and swaps by a payment to oneself. A trader with more XRP than
 * tokens is more likely to buy, one with more tokens to sell; so none runs out of funds.
 */
import { HOUR } from '../../engine/ripple-time.ts';
import { Tf } from '../protocol/flags.ts';
import type { Agent } from './agents.ts';
import type { RandomStream } from './random.ts';
import { TRADERS } from './setup.ts';
import { amountOf, type SimulationStep } from './simulation-step.ts';
import { type Market, quoteAsset } from './tokens.ts';

/** XRP that a trader keeps for reserves and fees. */
const XRP_KEPT = 60;
/** Limits of one trader. */
const TRUST_LINES_MAX = 8;
const RESTING_ORDERS_MAX = 2;
/** Trades in one ledger, of all traders. */
const TRADES_MAX = 3;

function marketFor(step: SimulationStep, random: RandomStream): Market {
  const { markets } = step.economy;
  let left = random.next() * markets.reduce((sum, { weight }) => sum + weight, 0);
  for (const market of markets) {
    left -= market.weight;
    if (left < 0) return market;
  }
  return markets[0]!;
}

interface Order {
  readonly market: Market;
  readonly agent: Agent;
  readonly buys: boolean;
  /** In units of the base. */
  readonly size: number;
  readonly price: number;
}

/** Whether a trust line that the market needs is missing; then sets the first missing one, instead of an order. */
function lacksTrustLine(step: SimulationStep, agent: Agent, market: Market): boolean {
  const token = [market.base, market.quote].find((one) => one && !step.line(agent.account, one.asset));
  if (token === undefined) return false;
  if (step.owned(agent.account, 'RippleState').length < TRUST_LINES_MAX)
    step.trust(agent, token.asset, token.supply);
  return true;
}

function orderFor(
  step: SimulationStep,
  agent: Agent,
  market: Market,
  random: RandomStream,
): Order | undefined {
  const quote = quoteAsset(market);
  const price = step.economy.price(market, step.closeTime);
  const base = step.holds(agent.account, market.base.asset) * price;
  const funds = Math.max(0, step.holds(agent.account, quote) - (market.quote ? 0 : XRP_KEPT));
  if (base + funds <= 0) return undefined;
  const buys = random.chance(Math.min(0.85, Math.max(0.15, funds / (base + funds))));
  const budget = (buys ? funds : base) * 0.5;
  const trade = (market.trade / step.economy.worth(market.quote, step.closeTime)) * random.skewed(6);
  const size = Math.min(trade * Math.sqrt(step.durationRatio), budget) / price;
  if (size * price * step.economy.worth(market.quote, step.closeTime) < 0.2) return undefined;
  return { market, agent, buys, size, price };
}

/** Fills what it can at once, up to a few percent from the fair price. */
function placeImmediateOrder(step: SimulationStep, { market, agent, buys, size, price }: Order): void {
  const slip = 1 + 3 * market.spread + 0.01;
  const base = amountOf(market.base.asset, size);
  const other = amountOf(quoteAsset(market), buys ? size * price * slip : (size * price) / slip);
  step.send(agent, {
    TransactionType: 'OfferCreate',
    TakerPays: buys ? base : other,
    TakerGets: buys ? other : base,
    Flags: Tf.tfImmediateOrCancel | (buys ? 0 : Tf.tfSell),
  });
}

/** Places an order within the spread or a little outside it; cancels the oldest instead when there are too many. */
function placeRestingOrder(
  step: SimulationStep,
  { market, agent, buys, size, price }: Order,
  random: RandomStream,
): void {
  const orders = step.owned(agent.account, 'Offer');
  if (orders.length >= RESTING_ORDERS_MAX) {
    const oldest = orders.reduce((a, b) => (a.Sequence! < b.Sequence! ? a : b));
    step.send(agent, { TransactionType: 'OfferCancel', OfferSequence: oldest.Sequence });
    return;
  }
  const away = market.spread * random.between(0.3, 4);
  const limit = buys ? price / (1 + away) : price * (1 + away);
  const base = amountOf(market.base.asset, size);
  const other = amountOf(quoteAsset(market), size * limit);
  step.send(agent, {
    TransactionType: 'OfferCreate',
    TakerPays: buys ? base : other,
    TakerGets: buys ? other : base,
    Flags: buys ? 0 : Tf.tfSell,
    Expiration: step.closeTime + Math.round(HOUR * random.between(0.5, 8)),
  });
}

/** Swaps by a payment to oneself, through pool or book, whichever is better. */
function swap(step: SimulationStep, { market, agent, buys, size, price }: Order): void {
  const slip = 1 + 3 * market.spread + 0.01;
  const quote = quoteAsset(market);
  step.pay(agent, agent.account, buys ? market.base.asset : quote, buys ? size : size * price, {
    SendMax: buys ? amountOf(quote, size * price * slip) : amountOf(market.base.asset, size),
    DeliverMin: buys ? amountOf(market.base.asset, size / slip) : amountOf(quote, (size * price) / slip),
    Flags: Tf.tfPartialPayment,
  });
}

function trade(step: SimulationStep, random: RandomStream): void {
  const agent = step.agents.get(`trader:${random.below(TRADERS)}`);
  const market = marketFor(step, random);
  if (step.accountRoot(agent) === undefined || lacksTrustLine(step, agent, market)) return;
  const order = orderFor(step, agent, market, random);
  if (order === undefined) return;
  const choice = random.next();
  if (choice < 0.55) placeImmediateOrder(step, order);
  else if (choice < 0.78) swap(step, order);
  else placeRestingOrder(step, order, random);
}

export function traders(step: SimulationStep): void {
  const random = step.random('traders');
  const count = 1 + random.below(TRADES_MAX);
  for (let i = 0; i < count; i++) trade(step, random);
}
