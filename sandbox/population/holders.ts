/**
 * Holders: people who come, buy a little, and some day sell and go.
 *
 * Every token of a role is promoted to newcomers at its own pace; the crowd's token is given to several hundred by
 * airdrops in the first two days. A newcomer's whole life is told by what he has: no account (he is funded), no line
 * (he trusts), nothing on it (he buys), something (he waits, then sells), an old empty line (he removes it).
 */
import { DAY, HOUR } from '../../engine/ripple-time.ts';
import { Tf } from '../protocol/flags.ts';
import type { Person } from './people.ts';
import { type Market, quoteAsset } from './tokens.ts';
import { amountOf, type Turn } from './turn.ts';

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
function airdrop(turn: Turn): void {
  const crowd = turn.economy.token('CROWD');
  const chance = turn.chance('airdrop');
  const slot = (time: number) => Math.floor((time - turn.epoch - AIRDROP_BEGINS) / AIRDROP_EVERY);
  const at = slot(turn.now);
  if (at === slot(turn.parent.header.parentCloseTime) || at < 0 || at > CROWD / AIRDROP_BATCH + 2) return;
  const batch = (n: number): Person[] =>
    Array.from({ length: AIRDROP_BATCH }, (_, i) => n * AIRDROP_BATCH + i)
      .filter((i) => i >= 0 && i < CROWD)
      .map((i) => turn.people.get(`crowd:${i}`));
  const treasury = turn.people.get('treasury');
  for (const person of batch(at)) turn.pay(treasury, person.account, 'XRP', chance.between(5, 30));
  for (const person of batch(at - 1)) turn.trust(person, crowd.asset, crowd.supply);
  for (const person of batch(at - 2))
    turn.pay(crowd.reserve, person.account, crowd.asset, Math.round(2_000 * chance.skewed(8)));
}

function order(turn: Turn, person: Person, market: Market, buys: boolean, size: number): void {
  const price = turn.economy.price(market, turn.closeTime) * (buys ? 1.03 : 1 / 1.03);
  const base = amountOf(market.base.asset, size);
  const other = amountOf(quoteAsset(market), size * price);
  turn.send(person, {
    TransactionType: 'OfferCreate',
    TakerPays: buys ? base : other,
    TakerGets: buys ? other : base,
    Flags: Tf.tfImmediateOrCancel | (buys ? 0 : Tf.tfSell),
  });
}

function live(turn: Turn): void {
  const chance = turn.chance('holder');
  const n = chance.below(HOLDERS);
  const person = turn.people.get(`holder:${n}`);
  const market = turn.economy.markets[n % TOKENS_WITH_HOLDERS]!;
  const { asset } = market.base;
  // Newcomers get their first XRP, those who have spent all come back with more.
  const broke = turn.xrp(person) < HOLDER_XRP_LEAST && turn.holds(person.account, asset) === 0;
  if (broke) {
    turn.pay(turn.people.get('treasury'), person.account, 'XRP', HOLDER_XRP * chance.skewed(4));
    return;
  }
  const line = turn.line(person.account, asset);
  const held = turn.holds(person.account, asset);
  if (line === undefined) turn.trust(person, asset, market.base.supply);
  else if (held > 0 && chance.hit(LEAVING)) {
    // What he has to the last digit, so that the line is empty afterwards.
    const balance = line.Balance!.abs().withAsset(asset);
    turn.pay(person, market.base.reserve.account, asset, held, { Amount: balance });
  } else if (held > 0)
    order(
      turn,
      person,
      market,
      chance.hit(0.5) && turn.xrp(person) > HOLDER_XRP_LEAST,
      held * chance.between(0.2, 0.6),
    );
  else if (turn.xrp(person) > HOLDER_XRP_LEAST && chance.hit(0.7)) {
    const spend = (turn.xrp(person) - 4) * chance.between(0.3, 0.7);
    order(turn, person, market, true, spend / turn.economy.worth(market.base, turn.closeTime));
  } else turn.trust(person, asset, 0, { Flags: Tf.tfSetNoRipple });
}

export function holders(turn: Turn): void {
  airdrop(turn);
  if (turn.chance('holders').hit(RATE * turn.share)) live(turn);
}

/** When the last of the crowd has his share, seconds since the epoch. */
export const AIRDROP_ENDS = Math.min(2 * DAY, AIRDROP_BEGINS + (CROWD / AIRDROP_BATCH + 3) * AIRDROP_EVERY);
