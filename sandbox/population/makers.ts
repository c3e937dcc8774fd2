/**
 * Market makers: each quotes both sides of one book, five levels a side around what the base is worth.
 *
 * A maker remembers nothing: every turn he compares the offers he has in the ledger with those he wants. An offer
 * that lies near a wanted level is left; one that is too far off is replaced in one transaction (`OfferSequence`);
 * at most two a turn. So his offers never become more than his levels, and most turns cost him nothing.
 */
import type { Entry } from '../protocol/fields.ts';
import { Tf } from '../protocol/flags.ts';
import type { RandomStream } from './random.ts';
import { amountOf, numberOf, type SimulationStep } from './simulation-step.ts';
import { type Market, quoteAsset } from './tokens.ts';

/** Distance from the middle in half spreads, and size in lots, of each level. */
const LEVELS = [
  { distance: 1, size: 1 },
  { distance: 1.8, size: 1.5 },
  { distance: 3, size: 2 },
  { distance: 5.5, size: 3 },
  { distance: 10, size: 4 },
] as const;
/** How far an offer may be off its level, of the level's distance. */
const TOLERANCE = 0.4;
/** An offer with less than this share of its size left is renewed. */
const WORN = 0.3;
const CHANGES_MAX = 2;
/** Books that are looked after in every ledger; the others take turns. */
const BUSY = 4;
const TURNS = 3;

interface Wanted {
  readonly ask: boolean;
  readonly price: number;
  /** Of the base. */
  readonly size: number;
  readonly tolerance: number;
}

interface Standing {
  readonly entry: Readonly<Entry>;
  readonly ask: boolean;
  readonly price: number;
  readonly size: number;
}

function wantedOf(market: Market, step: SimulationStep): Wanted[] {
  const price = step.economy.price(market, step.closeTime);
  const worth = step.economy.worth(market.base, step.closeTime);
  return LEVELS.flatMap(({ distance, size }) =>
    [true, false].map((ask) => {
      const away = distance * market.spread;
      return {
        ask,
        price: ask ? price * (1 + away) : price / (1 + away),
        size: (size * market.lot) / worth,
        tolerance: TOLERANCE * away,
      };
    }),
  );
}

function standingOf({ maker, base }: Market, step: SimulationStep): Standing[] {
  return step.owned(maker.account, 'Offer').map((entry) => {
    const gets = entry.TakerGets!;
    const pays = entry.TakerPays!;
    const ask = gets.asset === base.asset;
    const [own, other] = ask ? [numberOf(gets), numberOf(pays)] : [numberOf(pays), numberOf(gets)];
    return { entry, ask, price: other / own, size: own };
  });
}

function place(
  step: SimulationStep,
  market: Market,
  wanted: Wanted,
  random: RandomStream,
  old: Standing | undefined,
): void {
  const size = wanted.size * random.between(0.8, 1.2);
  const base = amountOf(market.base.asset, size);
  const quote = amountOf(quoteAsset(market), size * wanted.price);
  step.send(market.maker, {
    TransactionType: 'OfferCreate',
    TakerGets: wanted.ask ? base : quote,
    TakerPays: wanted.ask ? quote : base,
    Flags: wanted.ask ? Tf.tfSell : 0,
    ...(old === undefined ? {} : { OfferSequence: old.entry.Sequence }),
  });
}

/** Leaves what is near enough, renews what is not. */
function quote(step: SimulationStep, market: Market, most: number): void {
  if (step.accountRoot(market.maker) === undefined) return;
  const random = step.random(`maker:${market.name}`);
  const standing = standingOf(market, step);
  const missing: Wanted[] = [];
  for (const wanted of wantedOf(market, step)) {
    const at = standing.findIndex(
      ({ ask, price, size }) =>
        ask === wanted.ask &&
        Math.abs(price / wanted.price - 1) <= wanted.tolerance &&
        size >= wanted.size * WORN,
    );
    if (at >= 0) standing.splice(at, 1);
    else missing.push(wanted);
  }
  for (const wanted of missing.slice(0, most)) {
    const at = standing.findIndex(({ ask }) => ask === wanted.ask);
    place(step, market, wanted, random, at < 0 ? undefined : standing.splice(at, 1)[0]);
  }
  if (missing.length === 0)
    for (const { entry } of standing.slice(0, most))
      step.send(market.maker, { TransactionType: 'OfferCancel', OfferSequence: entry.Sequence });
}

/** @param opening all levels at once */
export function makers(step: SimulationStep, opening: boolean): void {
  step.economy.markets.forEach((market, n) => {
    if (opening) quote(step, market, 2 * LEVELS.length);
    else if (n < BUSY || step.index % TURNS === n % TURNS) quote(step, market, CHANGES_MAX);
  });
}
