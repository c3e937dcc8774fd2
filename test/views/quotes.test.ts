/** What quotes show and warn of, against the closed form of a pool without fee and against settings made for it. */
import { expect, test } from 'bun:test';
import { runToEnd } from '../../engine/event-loop.ts';
import { Estimates } from '../../engine/quotes/estimate.ts';
import { TokenGraph } from '../../engine/quotes/graph.ts';
import type { Quote } from '../../engine/quotes/quote.ts';
import { rankedQuotes } from '../../engine/quotes/search.ts';
import { Asf, Tf } from '../../sandbox/protocol/flags.ts';
import { impactOf, quoteAnswer } from '../../views/quotes/quote-answer.ts';
import { warningsOf } from '../../views/quotes/quote-warnings.ts';
import type { SwapRequest, Warning } from '../../views/quotes/swap-request.ts';
import { leaveDrops, type QuoteAsk, QuoteRig } from '../engine/quotes/quote-rig.ts';
import { MarketRig } from '../sandbox/flow/market-rig.ts';

/** 1,000 XRP and 1,000 USD in a pool, at no fee; nothing else. */
function onePool(): MarketRig {
  const market = new MarketRig();
  market.gateways('gate');
  market.rig.fund('ann', 'bob', 'provider');
  market.give('provider', '5000/USD/gate');
  market.give('ann', '500/USD/gate', '700');
  market.do({
    TransactionType: 'AMMCreate',
    Account: market.address('provider'),
    Amount: market.amount('1000'),
    Amount2: market.amount('1000/USD/gate'),
    TradingFee: 0,
    Fee: '200000',
  });
  return market;
}

const BUY: QuoteAsk = {
  from: 'ann',
  to: 'ann',
  source: 'XRP',
  destination: 'USD/gate',
  side: 'in',
  amount: '100',
};
const SELL: QuoteAsk = { ...BUY, source: 'USD/gate', destination: 'XRP', amount: '100/USD/gate' };

function shown(market: MarketRig, ask: QuoteAsk, slippage = 0.02) {
  market.rig.close();
  const rig = new QuoteRig(market);
  const { source, destination, side, amount, sender, receiver } = rig.request(ask);
  const request: SwapRequest = {
    source,
    destination,
    side,
    amount,
    sender,
    receiver,
    destinationAccount: ask.to === ask.from ? undefined : market.address(ask.to),
    slippage,
  };
  const graph = new TokenGraph(rig.state);
  graph.update();
  const ranked = runToEnd(
    rankedQuotes(rig.state, graph, { ...request, sender: undefined, receiver: undefined }, rig.rules),
  );
  const estimates = new Estimates(rig.state);
  const quote = ranked.find(({ paths }) => paths.length === 0) as Quote;
  const impact = impactOf(estimates, { source, destination }, quote);
  return {
    answer: quoteAnswer(rig.state, impact, request, quote),
    codes: warningsOf(rig.state, impact, request, quote).map(({ code }) => code),
  };
}

test('a buy from a pool: rate, impact and the change of its price follow from the product of its balances', () => {
  const { answer, codes } = shown(onePool(), BUY);
  const out = 1000 - 1e6 / 1100;
  expect(Number(answer.destination_amount.value)).toBeCloseTo(out, 9);
  expect(answer.source_amount).toEqual({ currency: 'XRP', value: '100' });
  expect(answer.execution_rate).toBeCloseTo(out / 100, 12);
  expect(answer.amm_price_change).toBeCloseTo((1.1 ** 2 - 1) * 100, 3);
  // Against a thousandth of the amount: 0.1 XRP into 1,000.
  const first = (1000 - 1e6 / 1000.1) / 0.1;
  expect(Number.parseFloat(answer.price_impact.percent)).toBeCloseTo((1 - out / 100 / first) * 100, 2);
  expect(Number(answer.price_impact.xrp)).toBeCloseTo(100 * (1 - out / 100 / first), 4);
  expect(Number(answer.minimum_received)).toBeCloseTo(out * 0.98, 9);
  expect(answer.from_orderbook).toBe('0');
  expect(answer.from_amm).toBe(answer.destination_amount.value);
  expect([answer.amm_trading_fee_bps, answer.paths, answer.paths_count]).toEqual([0, [], 1]);
  expect(codes).toEqual(['split_recommended']);
});

test('a sale moves the price of the pool down, and a small one warns of nothing', () => {
  const { answer } = shown(onePool(), SELL);
  expect(answer.amm_price_change).toBeCloseTo((1 / 1.1 ** 2 - 1) * 100, 3);
  expect(shown(onePool(), { ...SELL, amount: '1/USD/gate' }).codes).toEqual([]);
});

test('that a drop is the least does not count as a move of the price', () => {
  for (const amount of ['0.000000001/USD/gate', '0.0000013/USD/gate', '0.002/USD/gate']) {
    const { answer, codes } = shown(onePool(), { ...BUY, side: 'out', amount });
    expect(answer.price_impact).toEqual({ percent: '0%', xrp: '0' });
    expect(answer.suggested_slippage).toBe(0.5);
    expect(codes).toEqual([]);
  }
  expect(shown(onePool(), { ...BUY, amount: '0.000001' }).codes).toEqual([]);
  expect(shown(onePool(), { ...SELL, amount: '0.0000019/USD/gate' }).codes).toEqual([]);
});

test('the least that is received is never nothing: a payment could not name that', () => {
  const drop = shown(onePool(), { ...SELL, side: 'out', amount: '0.000001' }).answer;
  expect([drop.destination_amount.value, drop.minimum_received]).toEqual(['0.000001', '0.000001']);
  const few = shown(onePool(), { ...SELL, side: 'out', amount: '0.000003' }, 0.5).answer;
  expect(few.minimum_received).toBe('0.000001');
  const smallest = shown(onePool(), { ...BUY, side: 'out', amount: '1e-81/USD/gate' }).answer;
  expect(smallest.minimum_received).toBe(smallest.destination_amount.value);
});

test('a path that is named and not used leaves the route one exchange, with the fee and the price of its pool', () => {
  const market = onePool();
  market.give('provider', '1000/EUR/gate');
  // Over EUR a dollar costs twenty times as much.
  market.offer('provider', '100', '5/EUR/gate');
  market.offer('provider', '100/EUR/gate', '100/USD/gate');
  market.rig.close();
  const rig = new QuoteRig(market);
  const quote = rig.quote({ ...BUY, paths: [['EUR/gate']] })!;
  expect(new Set(quote.rounds.map(({ strand }) => strand))).toEqual(new Set([0]));
  const { source, destination, side, amount, sender, receiver } = rig.request(BUY);
  const ends = { source, destination, sender: sender!, receiver: receiver! };
  const request = { ...ends, side, amount, destinationAccount: undefined, slippage: 0.02 };
  const answer = quoteAnswer(rig.state, 0, request, quote);
  expect([answer.paths.length, answer.paths_count, answer.route.length]).toEqual([1, 1, 1]);
  expect(answer.amm_trading_fee_bps).toBe(0);
  const left = 1000 - Number(quote.out.text());
  expect(answer.amm_price_change).toBeCloseTo((1100 / left - 1) * 100, 3);
});

test('book and pool share what is delivered', () => {
  const market = onePool();
  market.give('bob', '50/USD/gate');
  market.offer('bob', '21', '20/USD/gate');
  const { answer } = shown(market, BUY);
  expect(Number(answer.from_orderbook)).toBeCloseTo(20, 9);
  expect(Number(answer.from_orderbook) + Number(answer.from_amm)).toBeCloseTo(
    Number(answer.destination_amount.value),
    9,
  );
  expect(answer.route).toHaveLength(1);
});

test('what goes over the line of two issuers of one currency is of no exchange', () => {
  const market = new MarketRig();
  market.gateways('gate', 'other');
  market.rig.fund('ann', 'bob', 'maker');
  for (const name of ['ann', 'bob', 'maker'])
    for (const issuer of ['gate', 'other']) market.give(name, `500/USD/${issuer}`);
  market.give('gate', '4/USD/other');
  market.offer('maker', '100/USD/gate', '50/USD/other');
  market.rig.close();
  const rig = new QuoteRig(market);
  const ends = { from: 'ann', to: 'bob', source: 'USD/gate', destination: 'USD/other' } as const;
  const shownFor = (amount: string) => {
    const ask: QuoteAsk = { ...ends, side: 'in', amount, paths: [[]] };
    const quote = rig.quote(ask)!;
    const { sender, receiver, ...asked } = rig.request(ask);
    const request = { ...asked, sender, receiver, destinationAccount: market.address('bob'), slippage: 0 };
    const impact = impactOf(new Estimates(rig.state), rig.request(ask), quote);
    return quoteAnswer(rig.state, impact, request, quote);
  };
  const some = shownFor('3/USD/gate');
  expect([some.from_orderbook, some.from_amm, some.price_impact.percent]).toEqual(['0', '0', '0%']);
  expect(some.route.map(({ share, poolShares }) => [share, poolShares])).toEqual([[100, []]]);
  const more = shownFor('6/USD/gate');
  expect([more.destination_amount.value, more.from_orderbook, more.from_amm]).toEqual(['5', '1', '0']);
  expect(more.route.map(({ share, poolShares }) => [share, poolShares])).toEqual([
    [80, []],
    [20, [0]],
  ]);
  expect(more.price_impact.percent).toBe('16.67%');
});

/** What an issuer sets, what is warned of then, and what becomes of the line and of the payment. */
const NEW_LINES: readonly [string, Record<string, number>, readonly Warning['code'][], string, string][] = [
  ['nothing', {}, [], 'tesSUCCESS', 'tesSUCCESS'],
  [
    'that holders are authorised',
    { SetFlag: Asf.asfRequireAuth },
    ['recipient_not_authorized'],
    'tesSUCCESS',
    'tecPATH_DRY',
  ],
  [
    'that there are no new ones',
    { SetFlag: Asf.asfDisallowIncomingTrustline },
    ['recipient_not_authorized'],
    'tecNO_PERMISSION',
    'tecPATH_DRY',
  ],
  [
    'that nothing ripples on them',
    { ClearFlag: Asf.asfDefaultRipple },
    ['line_frozen'],
    'tesSUCCESS',
    'tecPATH_DRY',
  ],
];

for (const [what, fields, codes, lineResult, result] of NEW_LINES)
  test(`a trust line that is yet to be set, where the issuer set ${what}: ${codes.join() || 'no warning'}`, () => {
    const market = new MarketRig();
    market.gateways('gate');
    market.rig.fund('ann', 'maker');
    market.do({ TransactionType: 'AccountSet', Account: market.address('gate'), ...fields });
    market.offer('gate', '10', '10/USD/gate');
    expect(shown(market, SMALL_BUY).codes).toEqual([...codes]);
    const LimitAmount = market.amount('100/USD/gate');
    const set = market.rig.apply({
      TransactionType: 'TrustSet',
      Account: market.address('ann'),
      LimitAmount,
    });
    const paid = market.pay('ann', 'ann', '1/USD/gate', { SendMax: market.amount('1') });
    expect<string[]>([set.result, paid.result]).toEqual([lineResult, result]);
  });

test('XRP that is spent leaves what the trust line costs that must be set before', () => {
  for (const missing of [0n, 1n]) {
    const market = onePool();
    const { reserveIncrementDrops } = new QuoteRig(market).state.fees;
    const fee = 10n;
    leaveDrops(market, 'bob', 1_000_000n + 2n * fee + BigInt(reserveIncrementDrops) - missing);
    const ask: QuoteAsk = { ...SMALL_BUY, from: 'bob', to: 'bob' };
    expect(shown(market, ask).codes).toEqual(missing === 0n ? [] : ['insufficient_balance']);
    const limit = { LimitAmount: market.amount('100/USD/gate'), Fee: String(fee) };
    market.do({ TransactionType: 'TrustSet', Account: market.address('bob'), ...limit });
    const paid = market.pay('bob', 'bob', '0.999000999/USD/gate', { SendMax: '1000000', Fee: String(fee) });
    expect(paid.result).toBe(missing === 0n ? 'tesSUCCESS' : 'tecPATH_PARTIAL');
  }
});

test('a token that is spent for another one takes the XRP of the trust line that must be set before', () => {
  for (const [lines, missing] of [
    [2, 0n],
    [2, 1n],
    // The first two entries of an account need no reserve.
    [1, 0n],
  ] as const) {
    const market = onePool();
    market.give('provider', '1000/EUR/gate');
    market.offer('provider', '100/USD/gate', '100/EUR/gate');
    market.give('bob', '100/USD/gate');
    for (let i = 1; i < lines; i += 1) market.give('bob', '0/BTC/gate');
    const fee = 10n;
    const { reserveIncrementDrops } = new QuoteRig(market).state.fees;
    leaveDrops(market, 'bob', lines === 1 ? 0n : BigInt(reserveIncrementDrops) - missing);
    const ask: QuoteAsk = { ...SMALL_SALE, from: 'bob', to: 'bob', destination: 'EUR/gate' };
    expect(shown(market, ask).codes).toEqual(missing === 0n ? [] : ['insufficient_balance']);
    const limit = { LimitAmount: market.amount('100/EUR/gate'), Fee: String(fee) };
    const { result } = market.rig.apply({
      TransactionType: 'TrustSet',
      Account: market.address('bob'),
      ...limit,
    });
    expect<string>(result).toBe(missing === 0n ? 'tesSUCCESS' : 'tecNO_LINE_INSUF_RESERVE');
    const SendMax = market.amount('1/USD/gate');
    const paid = market.pay('bob', 'bob', '1/EUR/gate', { SendMax, Fee: String(fee) });
    expect<string>(paid.result).toBe(missing === 0n ? 'tesSUCCESS' : 'tecPATH_DRY');
  }
});

test('a payment of a token needs XRP for its fee', () => {
  const market = onePool();
  const { Balance } = market.rig.root(market.rig.account('ann'));
  const Fee = String(Balance!.drops - 9n);
  market.do({ TransactionType: 'AccountSet', Account: market.address('ann'), Fee });
  expect(shown(market, SMALL_SALE).codes).toEqual(['insufficient_balance']);
  const SendMax = market.amount('1/USD/gate');
  const { result } = market.pay('ann', 'ann', '0.9', { SendMax, Fee: '10' });
  expect(result).toBe('tecINSUFF_FEE');
});

const line = (market: MarketRig, holder: string, Flags: number) =>
  market.do({
    TransactionType: 'TrustSet',
    Account: market.address('gate'),
    LimitAmount: { currency: 'USD', issuer: market.address(holder), value: '0' },
    Flags,
  });

const set = (market: MarketRig, name: string, SetFlag: number) =>
  market.do({ TransactionType: 'AccountSet', Account: market.address(name), SetFlag });

const SMALL_BUY: QuoteAsk = { ...BUY, amount: '1' };
const SMALL_SALE: QuoteAsk = { ...SELL, amount: '1/USD/gate' };

const CASES: readonly [string, QuoteAsk, (market: MarketRig) => void, readonly Warning['code'][]][] = [
  [
    'more than the sender has',
    { ...SELL, amount: '600/USD/gate' },
    () => {},
    ['insufficient_balance', 'split_recommended'],
  ],
  [
    'XRP that leaves nothing for the fee',
    SMALL_BUY,
    (market) => leaveDrops(market, 'ann', 1_000_000n),
    ['insufficient_balance'],
  ],
  ['XRP that leaves the fee', SMALL_BUY, (market) => leaveDrops(market, 'ann', 1_000_010n), []],
  [
    'more than the receiver accepts',
    { ...BUY, amount: '1000' },
    () => {},
    ['dest_limit_low', 'split_recommended'],
  ],
  [
    'a line that the issuer froze',
    SMALL_SALE,
    (market) => line(market, 'ann', Tf.tfSetFreeze),
    ['line_frozen'],
  ],
  ['a frozen line receives', SMALL_BUY, (market) => line(market, 'ann', Tf.tfSetFreeze), []],
  ['a receiver without trust line', { ...SMALL_BUY, to: 'bob' }, () => {}, ['recipient_no_trustline']],
  [
    'a receiver that accepts little',
    { ...SMALL_BUY, to: 'bob' },
    (market) => market.give('bob', '0/USD/gate', '0.5'),
    ['recipient_limit_low'],
  ],
  [
    'a receiver whose line is deeply frozen',
    { ...SMALL_BUY, to: 'bob' },
    (market) => {
      market.give('bob', '1/USD/gate');
      line(market, 'bob', Tf.tfSetFreeze | Tf.tfSetDeepFreeze);
    },
    ['recipient_line_frozen'],
  ],
  [
    'a receiver that froze all that it issues itself',
    { ...SMALL_BUY, to: 'bob' },
    (market) => {
      market.give('bob', '1/USD/gate');
      set(market, 'bob', Asf.asfGlobalFreeze);
    },
    ['recipient_line_frozen'],
  ],
  [
    'a sender that froze all that it issues itself, and buys',
    SMALL_BUY,
    (market) => set(market, 'ann', Asf.asfGlobalFreeze),
    ['line_frozen'],
  ],
  [
    'a sender that froze all that it issues itself, and sells',
    SMALL_SALE,
    (market) => set(market, 'ann', Asf.asfGlobalFreeze),
    ['line_frozen'],
  ],
  [
    'a receiver that takes payments of those that it authorised',
    { ...SELL, to: 'bob', amount: '1/USD/gate' },
    (market) => set(market, 'bob', Asf.asfDepositAuth),
    ['recipient_not_authorized'],
  ],
  [
    'a receiver that asks for a destination tag',
    { ...SMALL_BUY, to: 'bob' },
    (market) => {
      market.give('bob', '1/USD/gate');
      set(market, 'bob', Asf.asfRequireDest);
    },
    ['destination_tag_required'],
  ],
  [
    'a sender that asks for a destination tag, and buys',
    SMALL_BUY,
    (market) => set(market, 'ann', Asf.asfRequireDest),
    ['destination_tag_required'],
  ],
];

/** The payment that is quoted, on the ledger, at about its price; of the exact output where less than was asked for would do. */
function paymentOf(market: MarketRig, ask: QuoteAsk) {
  const { answer } = shown(market, ask);
  const { value } = answer.destination_amount;
  const out = ask.destination === 'XRP' ? value : `${value}/${ask.destination}`;
  const [spent, ...token] = ask.amount.split('/');
  const most = [String(Number(spent) * 1.001), ...token].join('/');
  return market.pay(ask.from, ask.to, out, { SendMax: market.amount(most) });
}

for (const [name, ask, change, codes] of CASES)
  test(`warns of ${name}: ${codes.join(', ') || 'nothing'}`, () => {
    const market = onePool();
    change(market);
    expect(shown(market, ask).codes).toEqual([...codes]);
    const { result } = paymentOf(market, ask);
    expect(result === 'tesSUCCESS', result).toBe(codes.length === 0);
  });
