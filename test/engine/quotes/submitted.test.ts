/**
 * Quotes against execution: the payment that follows from a quote is submitted to the embedded network on the same ledger.
 * Exact input delivers what was quoted, to the last digit; exact output succeeds, and never costs more than was quoted; where one of
 * the ends cannot do its part, it fails.
 */
import { expect, test } from 'bun:test';
import type { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { Amount as Amounts } from '../../../engine/codec/arithmetic/amount.ts';
import { multiplyRate } from '../../../engine/codec/arithmetic/amount-arithmetic.ts';
import { issuerOf, XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { payInObstacles, payOutObstacles } from '../../../engine/quotes/payment-ends.ts';
import type { Quote } from '../../../engine/quotes/quote.ts';
import type { ReadView } from '../../../sandbox/ledger/view.ts';
import { Asf, Tf } from '../../../sandbox/protocol/flags.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { casesOf } from '../../cases.ts';
import { MarketRig } from '../../sandbox/flow/market-rig.ts';
import { drawsOf, seedOf } from '../../sandbox/seed.ts';
import { leaveDrops, type QuoteAsk, QuoteRig } from './quote-rig.ts';
import {
  ASSETS,
  amountText,
  crossHoldings,
  DEBTORS,
  type Draws,
  PAYERS,
  pick,
  randomMarket,
  trial,
} from './random-market.ts';

const CASES = casesOf(400, 5000);
/** Of those between accounts with something special. */
const CROSSED_CASES = casesOf(160, 5000);
const ASKS = 40;
const SEED = seedOf('submitted quotes', 20_261_123);
const FEE = 10n;
/** A thousandth more than quoted, in billionths: parts of a payment are rounded when they are added. */
const ROOM = 1_001_000_000;

/** Issuers, who pays with paper of its own, and makers with offers of their own, one of them with next to no XRP above its reserve. */
const EVERYBODY = [...PAYERS, ...DEBTORS, 'east', 'south', 'north', 'west', 'm1', 'm4'];

function asked(random: Draws, ends: readonly string[]): QuoteAsk {
  const source = pick(random, ASSETS);
  const others = ASSETS.filter((asset) => asset !== source);
  const destination = pick(random, others);
  const between = others.filter((asset) => asset !== destination);
  const path = (): string[] => {
    const left = [...between];
    return Array.from({ length: 1 + random(3) }, () => left.splice(random(left.length), 1)[0]!);
  };
  const paths = [
    ...new Map(Array.from({ length: random(5) }, path).map((one) => [one.join(), one])).values(),
  ];
  const side = random(2) ? 'in' : 'out';
  const amount = amountText(
    (1 + random(50_000)) / pick(random, [97, 97, 9_973]),
    side === 'in' ? source : destination,
  );
  const [from, to] = [pick(random, ends), pick(random, [...ends, ...DEBTORS])];
  return { from, to, source, destination, side, amount, paths };
}

const mostText = (asset: string): string =>
  asset === 'XRP' ? '90000000000' : `9999999999999999e70/${asset}`;

/** The last book is implied, except where its currency does not change. */
function named({ source, destination }: QuoteAsk, path: readonly string[]): readonly string[] {
  const currency = (token: string) => token.split('/')[0];
  return currency(path.at(-1) ?? source) === currency(destination) ? [...path, destination] : path;
}

/** The payment that follows from a quote. */
function paymentOf(market: MarketRig, ask: QuoteAsk, quote: Quote): Record<string, unknown> {
  const Paths = (ask.paths ?? []).map((path) =>
    named(ask, path).map((token) => {
      const [currency, issuer] = token.split('/') as [string, string?];
      return issuer ? { currency, issuer: market.address(issuer) } : { currency };
    }),
  );
  const exactIn = ask.side === 'in';
  return {
    TransactionType: 'Payment',
    Destination: market.address(ask.to),
    ...(exactIn
      ? { Amount: market.amount(mostText(ask.destination)), SendMax: market.amount(ask.amount) }
      : {
          Amount: market.amount(ask.amount),
          SendMax: multiplyRate(quote.in.withAsset(market.asset(ask.source)), ROOM).json(),
        }),
    Flags: exactIn || !quote.isWhole ? Tf.tfPartialPayment : 0,
    ...(Paths.length > 0 ? { Paths } : {}),
  };
}

function balanceIn(market: MarketRig, view: ReadView, name: string, asset: string): Amount {
  if (asset === 'XRP') return view.read(keylets.account(market.id(name)))!.Balance!;
  const own = market.id(name);
  const token = market.asset(asset);
  const line = view.read(keylets.line(own, issuerOf(token), token.slice(0, 40)));
  if (!line) return Amounts.zero(token);
  return (own < issuerOf(token) ? line.Balance! : line.Balance!.negate()).withAsset(token);
}

/** How much of an account's own paper the issuer of an asset takes. */
function trustIn(market: MarketRig, name: string, asset: string): Amount {
  const token = market.asset(asset);
  if (asset === 'XRP') return Amounts.zero(token);
  const own = market.id(name);
  const line = market.rig.ledger.read(keylets.line(own, issuerOf(token), token.slice(0, 40)));
  if (!line) return Amounts.zero(token);
  return (own < issuerOf(token) ? line.HighLimit! : line.LowLimit!).withAsset(token);
}

const isIssuer = ({ from, source }: QuoteAsk): boolean => source.endsWith(`/${from}`);

function isBeyond(market: MarketRig, ask: QuoteAsk, quote: Quote): boolean {
  if (isIssuer(ask)) return false;
  const { from, source } = ask;
  const holds = balanceIn(market, market.rig.ledger, from, source).add(trustIn(market, from, source));
  return multiplyRate(quote.in.withAsset(market.asset(source)), ROOM).compare(holds) > 0;
}

/** How much the sender has less after a payment; not where it gets its own back. */
function spentIn(market: MarketRig, view: ReadView, { from, source }: QuoteAsk): Amount {
  const before = balanceIn(market, market.rig.ledger, from, source);
  const spent = before.sub(balanceIn(market, view, from, source));
  return source === XRP ? spent.sub(Amounts.drops(FEE)) : spent;
}

/** A unit in the last place of the larger of two balances, for each round of the payment. */
function withinLastPlaces(a: Amount, b: Amount, balances: readonly Amount[], rounds: number): boolean {
  const difference = Math.abs(Number(a.sub(b).mantissa === 0n ? 0 : a.sub(b).text()));
  const exponents = balances.filter(({ isZero }) => !isZero).map(({ exponent }) => exponent);
  return difference <= 2 * rounds * 10 ** Math.max(...exponents);
}

/** What keeps the ends of a payment from doing their part. */
function obstaclesOf(rig: QuoteRig, ask: QuoteAsk, quote: Quote): string[] {
  const { sender, receiver, source, destination } = rig.request(ask);
  return [
    ...payInObstacles(rig.state, sender!, source, quote.in),
    ...payOutObstacles(sender, rig.state, receiver, destination, quote.out),
  ];
}

/** What differs between a quote and its payment; undefined where nothing is quoted, or an end cannot do its part. */
function differences(market: MarketRig, rig: QuoteRig, ask: QuoteAsk): string[] | undefined {
  const quote = rig.quote(ask);
  if (!quote) return undefined;
  const obstacles = obstaclesOf(rig, ask, quote);
  if (obstacles.length > 0) {
    const { outcome } = trial(market, ask.from, paymentOf(market, ask, quote));
    // A part of it may still be paid.
    const isPaid = ask.side === 'out' && quote.isWhole && outcome.result === 'tesSUCCESS';
    return isPaid ? [`paid in spite of ${obstacles.join()}`] : undefined;
  }
  // Nothing to compare either where the sender does not have a little more than it costs.
  if (isBeyond(market, ask, quote)) return undefined;
  const payment = paymentOf(market, ask, quote);
  const { outcome, view } = trial(market, ask.from, payment);
  if (outcome.result !== 'tesSUCCESS')
    return [`${outcome.result}, not ${quote.out.text()} for ${quote.in.text()}`];
  const found: string[] = [];
  // The metadata only names an amount that is not the one of the transaction.
  const delivered =
    (outcome.metadata?.DeliveredAmount as Amount | undefined) ?? Amounts.parse(payment.Amount);
  if (delivered.text() !== quote.out.text())
    found.push(`delivered ${delivered.text()}, quoted ${quote.out.text()}`);
  // A sender with offers of its own on the way gets some of it back.
  if (market.offers(ask.from).length > 0 || ask.from === ask.to || isIssuer(ask)) return found;
  const spent = spentIn(market, view, ask);
  const quoted = quote.in.withAsset(market.asset(ask.source));
  const balances = [market.rig.ledger, view].map((one) => balanceIn(market, one, ask.from, ask.source));
  const same = withinLastPlaces(spent, quoted, balances, quote.rounds.length + 1);
  if (!same && (ask.side === 'in' || spent.compare(quoted) > 0))
    found.push(`spent ${spent.text()}, quoted ${quoted.text()}`);
  return found;
}

/** Whether offers of two owners have one quality: which of them goes first is in the ledger's directories alone. */
function hasTies(market: MarketRig): boolean {
  const owners = new Map<string, string>();
  return market.rig.entries().some(({ LedgerEntryType, BookDirectory, Account }) => {
    if (LedgerEntryType !== 'Offer') return false;
    const [directory, owner] = [String(BookDirectory), String(Account)];
    const other = owners.get(directory) ?? owner;
    owners.set(directory, owner);
    return other !== owner;
  });
}

/** @param ends accounts that pay and are paid. @param change to each market */
function compareQuotes(
  ends: readonly string[],
  leastPaid: number,
  cases = CASES,
  change = (_: MarketRig, _random: Draws) => {},
): void {
  const random = drawsOf(SEED);
  const wrong: string[] = [];
  let paid = 0;
  let tied = 0;
  for (let i = 0; i < cases; i += ASKS) {
    const draws = drawsOf(random(2 ** 31));
    const market = randomMarket(draws);
    change(market, draws);
    if (hasTies(market)) tied += 1;
    const rig = new QuoteRig(market);
    for (let k = 0; k < ASKS; k += 1) {
      const ask = asked(draws, ends);
      const found = differences(market, rig, ask);
      if (found) paid += 1;
      for (const one of found ?? [])
        wrong.push(`market ${i / ASKS}, quote ${k}: ${one}; ${JSON.stringify(ask)}`);
    }
  }
  console.log(
    `${paid} of ${cases} quotes paid; ${tied} of ${cases / ASKS} markets with offers of one quality`,
  );
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(paid).toBeGreaterThan(cases * leastPaid);
}

test(`${CASES} quotes over random books and pools (seed ${SEED}): their payments do what was quoted`, () => {
  compareQuotes(PAYERS, 1 / 4);
});

test(`${CASES} quotes between issuers, makers and others (seed ${SEED}): their payments do what was quoted, or an end cannot`, () => {
  compareQuotes(EVERYBODY, 1 / 8);
});

test(`${CROSSED_CASES} quotes where issuers hold what others issue (seed ${SEED}): their payments do what was quoted, or an end cannot`, () => {
  compareQuotes(EVERYBODY, 1 / 16, CROSSED_CASES, crossHoldings);
});

function settings(market: MarketRig, name: string, fields: Record<string, unknown>): void {
  market.do({ TransactionType: 'AccountSet', Account: market.address(name), ...fields });
}

/** An account with a line for a token, of whose own paper its issuer trusts it for 50 and holds an amount. */
function owing(market: MarketRig, name: string, amount: string): void {
  const [value, currency, issuer] = amount.split('/') as [string, string, string];
  market.give(name, `0/${currency}/${issuer}`);
  const own = { currency, issuer: market.address(name) };
  const Account = market.address(issuer);
  market.do({ TransactionType: 'TrustSet', Account, LimitAmount: { ...own, value: '50' } });
  if (value !== '0') market.pay(name, issuer, `${value}/${currency}/${name}`);
}

test('who has the auction slot of a pool is quoted what its discounted fee gives, until it expires', () => {
  const market = new MarketRig();
  market.gateways('gate');
  market.rig.fund('provider', 'ann', 'bob', 'carl');
  for (const name of ['provider', 'ann', 'bob', 'carl']) market.give(name, '5000/USD/gate');
  const pool = { Asset: { currency: 'XRP' }, Asset2: { currency: 'USD', issuer: market.address('gate') } };
  const [Amount, Amount2] = [market.amount('1000'), market.amount('1000/USD/gate')];
  const create = { TransactionType: 'AMMCreate', Account: market.address('provider'), Fee: '200000' };
  market.do({ ...create, Amount, Amount2, TradingFee: 900 });
  const bids = (['ann', 'bob', 'carl', 'provider'] as const).map(
    (from): QuoteAsk => ({
      from,
      to: from,
      source: 'XRP',
      destination: 'USD/gate',
      side: 'in',
      amount: '12.5',
    }),
  );
  /** Whose payments give more than those of others: all of them what was quoted. */
  const favoured = () => {
    market.rig.close();
    const rig = new QuoteRig(market);
    const quotes = bids.map((ask) => rig.quote(ask)!.out.text());
    expect(quotes).toEqual(bids.map((ask) => rig.paid(ask).out.text()));
    const least = quotes.reduce((a, b) => (Number(a) < Number(b) ? a : b));
    return bids.filter((_, i) => quotes[i] !== least).map(({ from }) => from);
  };
  // Who makes a pool has its slot for a day.
  expect(favoured()).toEqual(['provider']);
  market.do({
    TransactionType: 'AMMDeposit',
    Account: market.address('ann'),
    ...pool,
    Amount: market.amount('100'),
    Flags: Tf.tfSingleAsset,
  });
  expect(favoured()).toEqual(['provider']);
  market.do({
    TransactionType: 'AMMBid',
    Account: market.address('ann'),
    ...pool,
    AuthAccounts: [{ AuthAccount: { Account: market.address('bob') } }],
  });
  expect(favoured()).toEqual(['ann', 'bob']);
  const day = 86_400;
  market.rig.close(day);
  expect(favoured()).toEqual([]);
});

test('an issuer spends what it froze everywhere, into books and not into pools, and nobody else does', () => {
  const market = new MarketRig();
  market.gateways('gate');
  market.rig.fund('ann', 'bob', 'provider');
  market.give('ann', '500/USD/gate');
  market.give('provider', '500/USD/gate');
  market.offer('ann', '100/USD/gate', '50');
  market.do({
    TransactionType: 'AMMCreate',
    Account: market.address('provider'),
    Amount: market.amount('1000'),
    Amount2: market.amount('100/USD/gate'),
    TradingFee: 0,
    Fee: '200000',
  });
  settings(market, 'gate', { SetFlag: Asf.asfGlobalFreeze });
  market.rig.close();
  const rig = new QuoteRig(market);
  const ask = {
    to: 'bob',
    source: 'USD/gate',
    destination: 'XRP',
    side: 'in',
    amount: '50/USD/gate',
  } as const;
  expect(rig.quote({ ...ask, from: 'gate' })!.out.drops).toBe(25_000_000n);
  expect(differences(market, rig, { ...ask, from: 'gate' })).toEqual([]);
  expect(rig.quote({ ...ask, from: 'ann' })).toBeUndefined();
  expect(rig.paid({ ...ask, from: 'ann' }).result).not.toBe('tesSUCCESS');
});

test('offers of the sender itself give as much XRP as the fee leaves', () => {
  const market = new MarketRig();
  market.gateways('gate');
  market.rig.fund('ann', 'bob');
  market.give('ann', '500/USD/gate');
  market.offer('ann', '100/USD/gate', '50');
  leaveDrops(market, 'ann', 5_000_000n);
  market.rig.close();
  const ask = { from: 'ann', to: 'bob', source: 'USD/gate', destination: 'XRP' } as const;
  const rig = new QuoteRig(market);
  const asks: QuoteAsk[] = [
    { ...ask, side: 'in', amount: '100/USD/gate' },
    { ...ask, side: 'out', amount: '50' },
  ];
  for (const one of asks) {
    expect(rig.quote(one)!.out.drops).toBe(5_000_000n - FEE);
    expect(differences(market, rig, one)).toEqual([]);
  }
});

test('an issuer returns in several rounds what it had of the receiver before the payment, to the last digit', () => {
  const random = drawsOf(7);
  for (let i = 0; i < 45; i += 1) random(2 ** 31);
  const market = randomMarket(drawsOf(random(2 ** 31)));
  const paths = [['USD/east'], ['GLD/south'], ['USD/east', 'GLD/south']];
  const ends = { from: 'carl', to: 'dora', source: 'USD/west', destination: 'EUR/east' } as const;
  const ask: QuoteAsk = { ...ends, side: 'out', amount: '510.649484536082/EUR/east', paths };
  const rig = new QuoteRig(market);
  expect(rig.quote(ask)!.out.text()).toBe('363.7592773292465');
  expect(differences(market, rig, ask)).toEqual([]);
});

test('strands are sorted by what their last run returned to the receiver, as the ledger does it, when it owes nothing more', () => {
  const market = new MarketRig();
  market.gateways('gate', 'other');
  settings(market, 'gate', { TransferRate: 1_200_000_000 });
  market.rig.fund('maker', 'ann', 'dora');
  market.give('maker', '5000/EUR/gate');
  market.give('maker', '5000/USD/other');
  owing(market, 'dora', '4/EUR/gate');
  market.offer('maker', '4', '4/EUR/gate');
  // With the transfer fee 1.32, which is more than the 1.224 over USD.
  market.offer('maker', '11', '10/EUR/gate');
  market.offer('maker', '102', '100/USD/other');
  market.offer('maker', '100/USD/other', '100/EUR/gate');
  market.rig.close();
  const rig = new QuoteRig(market);
  const ends = { from: 'ann', to: 'dora', source: 'XRP', destination: 'EUR/gate' } as const;
  const ask: QuoteAsk = { ...ends, side: 'in', amount: '10', paths: [['USD/other']] };
  expect(rig.quote(ask)!.rounds.map(({ strand }) => strand)).toEqual([0, 0]);
  expect(differences(market, rig, ask)).toEqual([]);
});

test('who is trusted by an issuer pays with paper of its own after what it holds, without the transfer fee, at the quality of the line', () => {
  for (const [QualityIn, forPaper] of [
    [0, 1],
    [900_000_000, 0.9],
    [1_100_000_000, 1.1],
  ] as const) {
    const market = new MarketRig();
    market.gateways('gate');
    settings(market, 'gate', { TransferRate: 1_250_000_000 });
    market.rig.fund('maker', 'ann', 'dora');
    market.give('maker', '5000/EUR/gate');
    market.give('dora', '5/EUR/gate');
    const LimitAmount = { currency: 'EUR', issuer: market.address('dora'), value: '50' };
    market.do({ TransactionType: 'TrustSet', Account: market.address('gate'), LimitAmount, QualityIn });
    market.offer('maker', '100/EUR/gate', '100');
    market.rig.close();
    const rig = new QuoteRig(market);
    const ask = { from: 'dora', to: 'ann', source: 'EUR/gate', destination: 'XRP' } as const;
    const spends = (amount: string): QuoteAsk => ({ ...ask, side: 'in', amount });
    expect(rig.quote(spends('3/EUR/gate'))!.out.drops).toBe(2_400_000n);
    const most = rig.quote(spends('55/EUR/gate'))!;
    expect(Number(most.out.drops)).toBeCloseTo(4e6 + 50e6 * forPaper, 3);
    expect(obstaclesOf(rig, spends('55/EUR/gate'), most)).toEqual([]);
    expect(rig.paid(spends('55/EUR/gate')).out.drops).toBe(most.out.drops);
    const more = rig.quote(spends('56/EUR/gate'))!;
    expect(obstaclesOf(rig, spends('56/EUR/gate'), more)).toEqual(['insufficient_balance']);
    expect(differences(market, rig, { ...ask, side: 'out', amount: '20' })).toEqual([]);
  }
});
