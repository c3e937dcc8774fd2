/**
 * What an order book shows as funded is what a payment through that book takes: two walks with rules of their own (a listing counts
 * the issuer's transfer fee, for it does not know the taker; a payment passes over what its taker cannot take), which must
 * agree wherever none of these rules applies.
 */
import { expect, test } from 'bun:test';
import {
  addDecimal,
  type Decimal,
  DROPS_PER_XRP,
  decimalNumber,
  ZERO,
} from '../../../engine/codec/amount.ts';
import type { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { decimalOfAmount } from '../../../engine/quotes/amounts.ts';
import { acceptedRate } from '../../../engine/quotes/arrival.ts';
import {
  forbidsRipple,
  isAuthorized,
  isDeepFrozen,
  transferRate,
} from '../../../engine/quotes/line-rules.ts';
import { XRP } from '../../../engine/state/tokens.ts';
import { Tf } from '../../../sandbox/protocol/flags.ts';
import { fundedBook } from '../../../views/orderbook.ts';
import { casesOf } from '../../cases.ts';
import { MarketRig } from '../../sandbox/flow/market-rig.ts';
import { drawsOf, seedOf } from '../../sandbox/seed.ts';
import { QuoteRig } from './quote-rig.ts';
import { ASSETS, randomMarket } from './random-market.ts';

const MARKETS = casesOf(6, 100);
const SEED = seedOf('depth of books', 20_261_124);
const PARITY = 1_000_000_000;
/** In XRP, as both sides are. */
const DROP = 1 / DROPS_PER_XRP;
/** The payment rounds what is exchanged at each offer to 16 digits; a listing does not. */
const NEAR = 1e-9;

/** What the book shows: all that takers would pay, and get. */
function listed({ state }: QuoteRig, pays: number, gets: number): { pays: Decimal; gets: Decimal } {
  let sum = { pays: ZERO, gets: ZERO };
  for (const { fundedPays, fundedGets } of fundedBook(state, pays, gets, state.fees.closeTime))
    sum = { pays: addDecimal(sum.pays, fundedPays), gets: addDecimal(sum.gets, fundedGets) };
  return sum;
}

/**
 * Whether an owner of XRP for sale has no line for what it is paid, and a further offer: the first one to be taken makes
 * a trust line, whose reserve the owner can then not give. A listing looks at each owner's funds once.
 */
function locksReserve({ state }: QuoteRig, pays: number, gets: number): boolean {
  if (gets !== XRP || pays === XRP) return false;
  const owners = [...state.books.offers(state.books.book(pays, gets)!)].map(
    (offer) => state.books.accounts[offer]!,
  );
  return owners.some(
    (owner, i) =>
      owners.indexOf(owner) !== i &&
      owner !== state.tokens.issuers[pays] &&
      state.lines.find(owner, pays) === undefined,
  );
}

/** Whether a rule that only one of the two walks has concerns an offer of this book, or a pool competes with it. */
function isApart(rig: QuoteRig, pays: number, gets: number): boolean {
  const { state } = rig;
  const book = state.books.book(pays, gets);
  if (book === undefined || state.pools.byAssets(pays, gets) !== undefined) return true;
  if (transferRate(state, pays) !== PARITY || transferRate(state, gets) !== PARITY) return true;
  // Carl may accept the token below face value, which no offer gives.
  if (acceptedRate(state, rig.account('carl'), gets) !== PARITY) return true;
  if (forbidsRipple(state, rig.account('bob'), pays) || forbidsRipple(state, rig.account('carl'), gets))
    return true;
  const linked = (a: number, b: number): boolean =>
    state.lines.find(state.tokens.issuers[a]!, b) !== undefined;
  // What goes over the line of two issuers is of no book.
  if (linked(pays, gets) || linked(gets, pays) || locksReserve(rig, pays, gets)) return true;
  return [...state.books.offers(book)].some((offer) => {
    const owner = state.books.accounts[offer]!;
    return isDeepFrozen(state, owner, pays) || !isAuthorized(state, owner, pays);
  });
}

/**
 * The payment also rounds to whole drops at each offer, which changes what it is exchanged for by as large a part.
 * @param xrp that is exchanged; undefined: none is
 */
function roundedBy({ state }: QuoteRig, book: number, xrp: Decimal | undefined): number {
  return xrp === undefined ? 0 : ([...state.books.offers(book)].length * DROP) / decimalNumber(xrp);
}

/** What a payment takes from a book that it may empty. */
function takenFrom(rig: QuoteRig, source: string, destination: string) {
  const amount = source === 'XRP' ? '500000' : `900000/${source}`;
  const ask = { from: 'bob', to: 'carl', source, destination, side: 'in', amount } as const;
  const quote = rig.quote({ ...ask, paths: [[]] });
  const numberOf = (value: Amount | undefined) => (value ? decimalNumber(decimalOfAmount(value)) : 0);
  return { gets: numberOf(quote?.out), pays: numberOf(quote?.in) };
}

test(`${MARKETS} markets (seed ${SEED}): a payment takes from a book what it shows as funded`, () => {
  const random = drawsOf(SEED);
  let compared = 0;
  for (let i = 0; i < MARKETS; i += 1) {
    const rig = new QuoteRig(randomMarket(drawsOf(random(2 ** 31)), false));
    for (const source of ASSETS)
      for (const destination of ASSETS) {
        const [pays, gets] = [rig.token(source), rig.token(destination)];
        if (source === destination || isApart(rig, pays, gets)) continue;
        const shown = listed(rig, pays, gets);
        if (shown.gets.m === 0n) continue;
        const taken = takenFrom(rig, source, destination);
        const what = `market ${i}, ${source} for ${destination}`;
        const xrp = pays === XRP ? shown.pays : gets === XRP ? shown.gets : undefined;
        const near = NEAR + roundedBy(rig, rig.state.books.book(pays, gets)!, xrp);
        expect(Math.abs(taken.gets / decimalNumber(shown.gets) - 1), what).toBeLessThan(near);
        expect(Math.abs(taken.pays / decimalNumber(shown.pays) - 1), what).toBeLessThan(near);
        compared += 1;
      }
  }
  console.log(`${compared} books compared`);
  // A market has about 8 of them; one alone may have none.
  expect(compared).toBeGreaterThan(MARKETS);
});

test('the reserve of a line that the first of two offers makes is what the second one cannot give', () => {
  const random = drawsOf(2_021_050_316);
  for (let i = 0; i < 63; i += 1) random(2 ** 31);
  const rig = new QuoteRig(randomMarket(drawsOf(random(2 ** 31)), false));
  const pays = rig.token('GLD/south');
  expect(locksReserve(rig, pays, XRP)).toBe(true);
  const less = decimalNumber(listed(rig, pays, XRP).gets) - takenFrom(rig, 'GLD/south', 'XRP').gets;
  expect(less).toBeCloseTo(rig.state.fees.reserveIncrementDrops / 1e6, 6);
});

test('an owner that froze the own line gives, until the freeze is deep', () => {
  const market = new MarketRig();
  market.gateways('gate');
  market.rig.fund('ann', 'bob', 'carl');
  market.give('ann', '50/USD/gate');
  market.give('carl', '0/USD/gate');
  market.offer('ann', '50', '50/USD/gate');
  for (const [flags, gives] of [
    [0, 50],
    [Tf.tfSetFreeze, 50],
    [Tf.tfSetFreeze | Tf.tfSetDeepFreeze, 0],
  ] as const) {
    const LimitAmount = market.amount('1000/USD/gate');
    market.do({ TransactionType: 'TrustSet', Account: market.address('ann'), LimitAmount, Flags: flags });
    market.rig.close();
    const rig = new QuoteRig(market);
    expect(takenFrom(rig, 'XRP', 'USD/gate').gets).toBe(gives);
    expect(decimalNumber(listed(rig, XRP, rig.token('USD/gate')).gets)).toBe(gives);
  }
});
