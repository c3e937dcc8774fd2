/** Those who live by pools: deposits and withdrawals, votes on the fee, bids for the discounted slot. */
import type { Entry } from '../protocol/fields.ts';
import { Tf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import { poolOf } from './arbitrage.ts';
import type { Person } from './people.ts';
import type { Chance } from './random.ts';
import { PROVIDERS } from './setup.ts';
import { type Market, quoteAsset } from './tokens.ts';
import { amountOf, numberOf, type Turn } from './turn.ts';

/** Per minute, over all providers. */
const RATE = 0.12;
/** Share of a pool that one asset alone is put in for: it moves the price by as much. */
const ONE_SIDED_MAX = 0.002;
/** XRP a provider keeps back. */
const KEPT_XRP = 100;

function deposit(turn: Turn, person: Person, market: Market, chance: Chance): void {
  const quote = quoteAsset(market);
  const pool = poolOf(turn, market.base.asset, quote);
  if (pool === undefined) return;
  const base = turn.holds(person.account, market.base.asset);
  const most = Math.max(0, turn.xrp(person) - KEPT_XRP);
  const share = Math.min(base / pool.base, most / pool.quote) * chance.between(0.1, 0.5);
  const both = chance.hit(0.7);
  if (share * pool.quote < 1) return;
  turn.send(person, {
    TransactionType: 'AMMDeposit',
    Asset: market.base.asset,
    Asset2: quote,
    Amount: amountOf(market.base.asset, (both ? share : Math.min(share, ONE_SIDED_MAX)) * pool.base),
    ...(both ? { Amount2: amountOf(quote, share * pool.quote) } : {}),
    Flags: both ? Tf.tfTwoAsset : Tf.tfSingleAsset,
  });
}

function withdraw(turn: Turn, person: Person, market: Market, held: Readonly<Entry>, chance: Chance): void {
  const all = chance.hit(0.25);
  const lp = held.LPTokenBalance!;
  const mine = turn.holds(person.account, lp.asset);
  turn.send(person, {
    TransactionType: 'AMMWithdraw',
    Asset: market.base.asset,
    Asset2: quoteAsset(market),
    ...(all ? {} : { LPTokenIn: amountOf(lp.asset, mine * chance.between(0.2, 0.8)) }),
    Flags: all ? Tf.tfWithdrawAll : Tf.tfLPToken,
  });
}

function vote(turn: Turn, person: Person, market: Market, chance: Chance): void {
  turn.send(person, {
    TransactionType: 'AMMVote',
    Asset: market.base.asset,
    Asset2: quoteAsset(market),
    TradingFee: Math.round(market.poolFee * chance.between(0.8, 1.25)),
  });
}

/** A bid when the slot is free or cheap to have. */
function bid(turn: Turn, person: Person, market: Market, pool: Readonly<Entry>): void {
  const slot = pool.AuctionSlot;
  const free = slot === undefined || (slot.Expiration ?? 0) < turn.now || slot.Account === undefined;
  if (!free) return;
  const lp = pool.LPTokenBalance!;
  // Least price: total * fee / 25.
  const least = (numberOf(lp) * (pool.TradingFee ?? 0)) / 100_000 / 25;
  if (turn.holds(person.account, lp.asset) < least * 1.5) return;
  turn.send(person, {
    TransactionType: 'AMMBid',
    Asset: market.base.asset,
    Asset2: quoteAsset(market),
    BidMin: amountOf(lp.asset, least * 1.05),
  });
}

export function providers(turn: Turn): void {
  const chance = turn.chance('providers');
  if (!chance.hit(RATE * turn.share)) return;
  const n = chance.below(PROVIDERS);
  const person = turn.people.get(`provider:${n}`);
  const market = turn.economy.markets[n % 4]!;
  const pool = turn.view.read(keylets.amm(market.base.asset, quoteAsset(market)));
  if (pool === undefined || turn.root(person) === undefined) return;
  const mine = turn.holds(person.account, pool.LPTokenBalance!.asset);
  const way = chance.next();
  if (mine === 0 || way < 0.4) deposit(turn, person, market, chance);
  else if (way < 0.75) withdraw(turn, person, market, pool, chance);
  else if (way < 0.9) vote(turn, person, market, chance);
  else bid(turn, person, market, pool);
}
