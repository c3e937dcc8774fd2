/** LP tokens in books, at the ends of payments and on their way: quoted as the network's ledger pays them, and frozen with their pool's assets. */
import { expect, test } from 'bun:test';
import { accountText } from '../../../engine/codec/base58.ts';
import { bytesOf } from '../../../engine/codec/bytes.ts';
import { assetOf } from '../../../engine/quotes/amounts.ts';
import { payInObstacles } from '../../../engine/quotes/payment-ends.ts';
import { XRP } from '../../../engine/state/tokens.ts';
import { Asf, Tf } from '../../../sandbox/protocol/flags.ts';
import { orderBook } from '../../../views/orderbook.ts';
import { PathFind } from '../../../views/path-find.ts';
import { BestPayments } from '../../../views/quotes/best-payments.ts';
import { MarketRig } from '../../sandbox/flow/market-rig.ts';
import { type QuoteAsk, QuoteRig } from './quote-rig.ts';

/** A pool whose LP tokens a maker and `ann` have, with offers of the maker for them; `shares` is their name. */
function poolMarket(): { market: MarketRig; shares: string } {
  const market = new MarketRig();
  market.gateways('gate');
  market.rig.fund('maker', 'ann', 'bob');
  for (const name of ['maker', 'ann', 'bob']) market.give(name, '5000/USD/gate');
  const create = { TransactionType: 'AMMCreate', Account: market.address('maker'), Fee: '200000' };
  const Amounts = { Amount: market.amount('1000'), Amount2: market.amount('1000/USD/gate') };
  market.do({ ...create, ...Amounts, TradingFee: 300 });
  const pool = market.rig.entries().find((entry) => entry.LedgerEntryType === 'AMM')!;
  const id = pool.Account as string;
  const issuer = { ...market.rig.account('bob'), id, address: accountText(bytesOf(id), 0) };
  market.rig.accounts.set('pool', issuer);
  const shares = `${pool.LPTokenBalance!.asset.slice(0, 40)}/pool`;
  for (const name of ['ann', 'bob']) {
    const LimitAmount = market.amount(`100000000/${shares}`);
    market.do({ TransactionType: 'TrustSet', Account: market.address(name), LimitAmount });
  }
  market.pay('maker', 'ann', `50000/${shares}`);
  const offers = [
    ['100', `90.123456/${shares}`],
    [`70/${shares}`, '63.5'],
    ['20/USD/gate', `18.7/${shares}`],
    [`30/${shares}`, '29.000001/USD/gate'],
  ] as const;
  for (const [pays, gets] of offers) market.offer('maker', pays, gets, { Flags: Tf.tfPassive });
  return { market, shares };
}

const asksOf = (shares: string): QuoteAsk[] => [
  { from: 'bob', to: 'ann', source: 'XRP', destination: shares, side: 'in', amount: '33.333333' },
  { from: 'bob', to: 'bob', source: 'USD/gate', destination: shares, side: 'out', amount: `7.1/${shares}` },
  { from: 'ann', to: 'bob', source: shares, destination: 'XRP', side: 'out', amount: '17.654321' },
  { from: 'ann', to: 'ann', source: shares, destination: 'USD/gate', side: 'in', amount: `12.345/${shares}` },
  {
    from: 'bob',
    to: 'ann',
    source: 'XRP',
    destination: 'USD/gate',
    side: 'in',
    amount: '11',
    paths: [[shares]],
  },
];

test('quotes of LP tokens are what the ledger pays, in books, as ends and on the way', () => {
  const { market, shares } = poolMarket();
  market.rig.close();
  const rig = new QuoteRig(market);
  const { asks } = orderBook(rig.state, rig.token(shares), XRP, 10, rig.state.fees.closeTime);
  expect(asks.map(({ funded }) => funded)).toEqual(['90.123456']);
  for (const ask of asksOf(shares)) {
    const quote = rig.quote(ask);
    const paid = rig.paid(ask);
    expect([quote?.in.text(), quote?.out.text()], JSON.stringify(ask)).toEqual([
      paid.in.text(),
      paid.out.text(),
    ]);
  }
});

/** Freezes the line of a holder, or all of the pool's asset. */
function freeze(market: MarketRig, holder: string | undefined): void {
  const Account = market.address('gate');
  if (holder === undefined)
    market.do({ TransactionType: 'AccountSet', Account, SetFlag: Asf.asfGlobalFreeze });
  else {
    const LimitAmount = { currency: 'USD', issuer: market.address(holder), value: '0' };
    market.do({ TransactionType: 'TrustSet', Account, LimitAmount, Flags: Tf.tfSetFreeze });
  }
}

test.each([
  ['all of an asset of the pool', undefined],
  ["the maker's line of an asset", 'maker'],
])('the issuer froze %s: offers that give LP tokens are not funded', (_, holder) => {
  const { market, shares } = poolMarket();
  freeze(market, holder);
  market.rig.close();
  const rig = new QuoteRig(market);
  for (const ask of asksOf(shares).filter(({ source }) => source === 'XRP')) {
    expect(rig.quote(ask)?.out.text() ?? '0').toBe(rig.paid(ask).out.text());
  }
  const { asks } = orderBook(rig.state, rig.token(shares), XRP, 10, rig.state.fees.closeTime);
  expect(asks).toEqual([]);
});

test('who cannot give an asset of the pool cannot give its LP tokens: warned of, and not found by path finding', async () => {
  const { market, shares } = poolMarket();
  const found = async () => {
    market.rig.close();
    const rig = new QuoteRig(market);
    const paths = new PathFind(
      rig.state,
      new BestPayments({ state: rig.state, version: 0, head: undefined }, rig.rules, undefined),
      [],
    );
    const token = rig.token(shares);
    const amount = market.value(`10/${shares}`).withAsset(assetOf(token));
    const ends = { source: rig.account('ann'), destination: rig.account('bob') };
    const { alternatives } = await paths.find({ ...ends, token, amount, choices: [{ token }] });
    const obstacles = [...payInObstacles(rig.state, ends.source, token, amount)];
    return { costs: alternatives.map(({ cost }) => cost.text()), obstacles };
  };
  expect(await found()).toEqual({ costs: ['10'], obstacles: [] });
  freeze(market, 'ann');
  expect(await found()).toEqual({ costs: [], obstacles: ['line_frozen'] });
  expect(market.pay('ann', 'bob', `10/${shares}`).result).toBe('tecPATH_DRY');
});
