/**
 * Market makers: each quotes both sides of one book, five levels a side around the fair price of the base.
 *
 * A maker has no memory: in every step it compares its offers in the ledger with its target offers. An offer near its
 * target is kept; one too far away is replaced in one transaction (`OfferSequence`); at most two in a step. So a maker
 * never has more offers than levels, and sends nothing in most steps.
 */
import type { Asset } from '../../engine/codec/arithmetic/asset.ts';
import type { Entry } from '../protocol/fields.ts';
import { Tf } from '../protocol/flags.ts';
import type { Agent } from './agents.ts';
import type { RandomStream } from './random.ts';
import { amountOf, numberOf, type SimulationStep } from './simulation-step.ts';
import { type Market, quoteAsset } from './tokens.ts';

/** Distance from the fair price in half spreads, and size in lots, of each level. */
const LEVELS = [
  { distance: 1, size: 1 },
  { distance: 1.8, size: 1.5 },
  { distance: 3, size: 2 },
  { distance: 5.5, size: 3 },
  { distance: 10, size: 4 },
] as const;
/** How far an offer may be from its target price, as a fraction of the level's distance. */
const TOLERANCE = 0.4;
/** An offer with less than this fraction of its size left is replaced. */
const SIZE_LEFT_MIN = 0.3;
/** Offers that one maker places or cancels in a step. */
const CHANGES_MAX = 2;
/** The first markets are quoted in every ledger, each other one in every third. */
const BUSY_MARKETS = 4;
const OTHER_MARKETS_EVERY = 3;

interface TargetOffer {
  readonly ask: boolean;
  readonly price: number;
  /** In units of the base. */
  readonly size: number;
  readonly tolerance: number;
}

interface OpenOffer {
  readonly entry: Readonly<Entry>;
  readonly ask: boolean;
  readonly price: number;
  readonly size: number;
}

/** A book that one agent makes. */
export interface QuotedBook {
  /** Unique, for random numbers. */
  readonly name: string;
  readonly base: Asset;
  readonly quote: Asset;
  readonly maker: Agent;
  /** Fair price of one unit of the base, in the quote. */
  readonly price: number;
  /** The same in XRP. */
  readonly worth: number;
  /** Half the spread, as a fraction of the price. */
  readonly spread: number;
  /** Size of the best offer of each side, in XRP. */
  readonly lot: number;
  /** Offers on each side, at most LEVELS.length. */
  readonly levels: number;
}

function targetOffers({ price, worth, spread, lot, levels }: QuotedBook): TargetOffer[] {
  return LEVELS.slice(0, levels).flatMap(({ distance, size }) =>
    [true, false].map((ask) => {
      const away = distance * spread;
      return {
        ask,
        price: ask ? price * (1 + away) : price / (1 + away),
        size: (size * lot) / worth,
        tolerance: TOLERANCE * away,
      };
    }),
  );
}

function openOffersOf({ maker, base }: QuotedBook, step: SimulationStep): OpenOffer[] {
  return step.owned(maker.account, 'Offer').map((entry) => {
    const gets = entry.TakerGets!;
    const pays = entry.TakerPays!;
    const ask = gets.asset === base;
    const [own, other] = ask ? [numberOf(gets), numberOf(pays)] : [numberOf(pays), numberOf(gets)];
    return { entry, ask, price: other / own, size: own };
  });
}

function place(
  step: SimulationStep,
  book: QuotedBook,
  target: TargetOffer,
  random: RandomStream,
  old: OpenOffer | undefined,
): void {
  const size = target.size * random.between(0.8, 1.2);
  const base = amountOf(book.base, size);
  const quote = amountOf(book.quote, size * target.price);
  step.send(book.maker, {
    TransactionType: 'OfferCreate',
    TakerGets: target.ask ? base : quote,
    TakerPays: target.ask ? quote : base,
    Flags: target.ask ? Tf.tfSell : 0,
    ...(old === undefined ? {} : { OfferSequence: old.entry.Sequence }),
  });
}

/** Keeps the offers near their targets, replaces the others. @param changesMax offers placed or cancelled */
export function quoteBook(step: SimulationStep, book: QuotedBook, changesMax: number): void {
  if (step.accountRoot(book.maker) === undefined) return;
  const random = step.random(`maker:${book.name}`);
  const openOffers = openOffersOf(book, step);
  const missing: TargetOffer[] = [];
  for (const target of targetOffers(book)) {
    const at = openOffers.findIndex(
      ({ ask, price, size }) =>
        ask === target.ask &&
        Math.abs(price / target.price - 1) <= target.tolerance &&
        size >= target.size * SIZE_LEFT_MIN,
    );
    if (at >= 0) openOffers.splice(at, 1);
    else missing.push(target);
  }
  for (const target of missing.slice(0, changesMax)) {
    const at = openOffers.findIndex(({ ask }) => ask === target.ask);
    place(step, book, target, random, at < 0 ? undefined : openOffers.splice(at, 1)[0]);
  }
  if (missing.length === 0)
    for (const { entry } of openOffers.slice(0, changesMax))
      step.send(book.maker, { TransactionType: 'OfferCancel', OfferSequence: entry.Sequence });
}

function quote(step: SimulationStep, market: Market, changesMax: number): void {
  const { name, base, maker, spread, lot } = market;
  const price = step.economy.price(market, step.closeTime);
  const worth = step.economy.worth(base, step.closeTime);
  const book = { name, base: base.asset, quote: quoteAsset(market), maker, price, worth, spread, lot };
  quoteBook(step, { ...book, levels: LEVELS.length }, changesMax);
}

/** @param opening places all levels at once */
export function makers(step: SimulationStep, opening: boolean): void {
  step.economy.markets.forEach((market, n) => {
    if (opening) quote(step, market, 2 * LEVELS.length);
    else if (n < BUSY_MARKETS || step.index % OTHER_MARKETS_EVERY === n % OTHER_MARKETS_EVERY)
      quote(step, market, CHANGES_MAX);
  });
}
