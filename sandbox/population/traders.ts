/**
 * Traders: orders that fill at once, orders that wait, payments across currencies, swaps to oneself. Whoever has more
 * XRP than tokens rather buys, whoever has more tokens rather sells; so nobody runs dry.
 */
import { HOUR } from '../../engine/ripple-time.ts';
import { Tf } from '../protocol/flags.ts';
import type { Agent } from './agents.ts';
import type { RandomStream } from './random.ts';
import { TRADERS } from './setup.ts';
import { amountOf, type SimulationStep } from './simulation-step.ts';
import { type Market, quoteAsset } from './tokens.ts';

/** XRP a trader keeps back for reserves and fees. */
const KEPT_XRP = 60;
/** Trust lines a trader has at most. */
const LINES_MAX = 8;
/** Orders of a trader that wait, at most. */
const ORDERS_MAX = 2;
const TRADES_MOST = 3;

function marketFor(step: SimulationStep, random: RandomStream): Market {
  const { markets } = step.economy;
  let left = random.next() * markets.reduce((sum, { weight }) => sum + weight, 0);
  for (const market of markets) {
    left -= market.weight;
    if (left < 0) return market;
  }
  return markets[0]!;
}

interface Deal {
  readonly market: Market;
  readonly agent: Agent;
  readonly buys: boolean;
  /** Of the base. */
  readonly size: number;
  readonly price: number;
}

/** Trust lines a deal needs that are not there: the first one is asked for in place of the deal. */
function lacks(step: SimulationStep, agent: Agent, market: Market): boolean {
  const token = [market.base, market.quote].find((one) => one && !step.line(agent.account, one.asset));
  if (token === undefined) return false;
  if (step.owned(agent.account, 'RippleState').length < LINES_MAX)
    step.trust(agent, token.asset, token.supply);
  return true;
}

function dealOf(step: SimulationStep, agent: Agent, market: Market, random: RandomStream): Deal | undefined {
  const quote = quoteAsset(market);
  const price = step.economy.price(market, step.closeTime);
  const base = step.holds(agent.account, market.base.asset) * price;
  const funds = Math.max(0, step.holds(agent.account, quote) - (market.quote ? 0 : KEPT_XRP));
  if (base + funds <= 0) return undefined;
  const buys = random.chance(Math.min(0.85, Math.max(0.15, funds / (base + funds))));
  const most = (buys ? funds : base) * 0.5;
  const trade = (market.trade / step.economy.worth(market.quote, step.closeTime)) * random.skewed(6);
  const size = Math.min(trade * Math.sqrt(step.durationRatio), most) / price;
  if (size * price * step.economy.worth(market.quote, step.closeTime) < 0.2) return undefined;
  return { market, agent, buys, size, price };
}

/** Takes what there is, up to some percent from the worth. */
function takeNow(step: SimulationStep, { market, agent, buys, size, price }: Deal): void {
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

/** Waits within the spread or a little beyond it; the oldest order goes when there are too many. */
function wait(step: SimulationStep, { market, agent, buys, size, price }: Deal, random: RandomStream): void {
  const orders = step.owned(agent.account, 'Offer');
  if (orders.length >= ORDERS_MAX) {
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

/** A payment to oneself that swaps, through pool or book, whichever is better. */
function swap(step: SimulationStep, { market, agent, buys, size, price }: Deal): void {
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
  if (step.accountRoot(agent) === undefined || lacks(step, agent, market)) return;
  const deal = dealOf(step, agent, market, random);
  if (deal === undefined) return;
  const way = random.next();
  if (way < 0.55) takeNow(step, deal);
  else if (way < 0.78) swap(step, deal);
  else wait(step, deal, random);
}

export function traders(step: SimulationStep): void {
  const random = step.random('traders');
  const count = 1 + random.below(TRADES_MOST);
  for (let i = 0; i < count; i++) trade(step, random);
}
