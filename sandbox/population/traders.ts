/**
 * Traders: orders that fill at once, orders that wait, payments across currencies, swaps to oneself. Whoever has more
 * XRP than tokens rather buys, whoever has more tokens rather sells; so nobody runs dry.
 */
import { HOUR } from '../../engine/ripple-time.ts';
import { Tf } from '../protocol/flags.ts';
import type { Person } from './people.ts';
import type { Chance } from './random.ts';
import { TRADERS } from './setup.ts';
import { type Market, quoteAsset } from './tokens.ts';
import { amountOf, type Turn } from './turn.ts';

/** XRP a trader keeps back for reserves and fees. */
const KEPT_XRP = 60;
/** Trust lines a trader has at most. */
const LINES_MAX = 8;
/** Orders of a trader that wait, at most. */
const ORDERS_MAX = 2;
const TRADES_MOST = 3;

function marketFor(turn: Turn, chance: Chance): Market {
  const { markets } = turn.economy;
  let left = chance.next() * markets.reduce((sum, { weight }) => sum + weight, 0);
  for (const market of markets) {
    left -= market.weight;
    if (left < 0) return market;
  }
  return markets[0]!;
}

interface Deal {
  readonly market: Market;
  readonly person: Person;
  readonly buys: boolean;
  /** Of the base. */
  readonly size: number;
  readonly price: number;
}

/** Trust lines a deal needs that are not there: the first one is asked for in place of the deal. */
function lacks(turn: Turn, person: Person, market: Market): boolean {
  const token = [market.base, market.quote].find((one) => one && !turn.line(person.account, one.asset));
  if (token === undefined) return false;
  if (turn.owned(person.account, 'RippleState').length < LINES_MAX)
    turn.trust(person, token.asset, token.supply);
  return true;
}

function dealOf(turn: Turn, person: Person, market: Market, chance: Chance): Deal | undefined {
  const quote = quoteAsset(market);
  const price = turn.economy.price(market, turn.closeTime);
  const base = turn.holds(person.account, market.base.asset) * price;
  const funds = Math.max(0, turn.holds(person.account, quote) - (market.quote ? 0 : KEPT_XRP));
  if (base + funds <= 0) return undefined;
  const buys = chance.hit(Math.min(0.85, Math.max(0.15, funds / (base + funds))));
  const most = (buys ? funds : base) * 0.5;
  const trade = (market.trade / turn.economy.worth(market.quote, turn.closeTime)) * chance.skewed(6);
  const size = Math.min(trade * Math.sqrt(turn.share), most) / price;
  if (size * price * turn.economy.worth(market.quote, turn.closeTime) < 0.2) return undefined;
  return { market, person, buys, size, price };
}

/** Takes what there is, up to some percent from the worth. */
function takeNow(turn: Turn, { market, person, buys, size, price }: Deal): void {
  const slip = 1 + 3 * market.spread + 0.01;
  const base = amountOf(market.base.asset, size);
  const other = amountOf(quoteAsset(market), buys ? size * price * slip : (size * price) / slip);
  turn.send(person, {
    TransactionType: 'OfferCreate',
    TakerPays: buys ? base : other,
    TakerGets: buys ? other : base,
    Flags: Tf.tfImmediateOrCancel | (buys ? 0 : Tf.tfSell),
  });
}

/** Waits within the spread or a little beyond it; the oldest order goes when there are too many. */
function wait(turn: Turn, { market, person, buys, size, price }: Deal, chance: Chance): void {
  const orders = turn.owned(person.account, 'Offer');
  if (orders.length >= ORDERS_MAX) {
    const oldest = orders.reduce((a, b) => (a.Sequence! < b.Sequence! ? a : b));
    turn.send(person, { TransactionType: 'OfferCancel', OfferSequence: oldest.Sequence });
    return;
  }
  const away = market.spread * chance.between(0.3, 4);
  const limit = buys ? price / (1 + away) : price * (1 + away);
  const base = amountOf(market.base.asset, size);
  const other = amountOf(quoteAsset(market), size * limit);
  turn.send(person, {
    TransactionType: 'OfferCreate',
    TakerPays: buys ? base : other,
    TakerGets: buys ? other : base,
    Flags: buys ? 0 : Tf.tfSell,
    Expiration: turn.closeTime + Math.round(HOUR * chance.between(0.5, 8)),
  });
}

/** A payment to oneself that swaps, through pool or book, whichever is better. */
function swap(turn: Turn, { market, person, buys, size, price }: Deal): void {
  const slip = 1 + 3 * market.spread + 0.01;
  const quote = quoteAsset(market);
  turn.pay(person, person.account, buys ? market.base.asset : quote, buys ? size : size * price, {
    SendMax: buys ? amountOf(quote, size * price * slip) : amountOf(market.base.asset, size),
    DeliverMin: buys ? amountOf(market.base.asset, size / slip) : amountOf(quote, (size * price) / slip),
    Flags: Tf.tfPartialPayment,
  });
}

function trade(turn: Turn, chance: Chance): void {
  const person = turn.people.get(`trader:${chance.below(TRADERS)}`);
  const market = marketFor(turn, chance);
  if (turn.root(person) === undefined || lacks(turn, person, market)) return;
  const deal = dealOf(turn, person, market, chance);
  if (deal === undefined) return;
  const way = chance.next();
  if (way < 0.55) takeNow(turn, deal);
  else if (way < 0.78) swap(turn, deal);
  else wait(turn, deal, chance);
}

export function traders(turn: Turn): void {
  const chance = turn.chance('traders');
  const count = 1 + chance.below(TRADES_MOST);
  for (let i = 0; i < count; i++) trade(turn, chance);
}
