/** Payments between tokens of one currency: over the line of their issuers, and over books where owners froze something of their own. */
import { expect, test } from 'bun:test';
import { Asf, Tf } from '../../../sandbox/protocol/flags.ts';
import { MarketRig } from '../../sandbox/flow/market-rig.ts';
import { type QuoteAsk, QuoteRig } from './quote-rig.ts';

function settings(market: MarketRig, name: string, fields: Record<string, unknown>): void {
  market.do({ TransactionType: 'AccountSet', Account: market.address(name), ...fields });
}

/** `west` holds or is trusted for some of one currency of `east`; ann has USD of both, and both trade for XRP. */
function linked(held: number, limit: number, QualityIn = 0): MarketRig {
  const market = new MarketRig();
  market.gateways('east', 'west');
  market.rig.fund('maker', 'ann', 'bob');
  for (const token of ['USD/east', 'USD/west'])
    for (const name of ['maker', 'ann', 'bob']) market.give(name, `500/${token}`);
  market.offer('maker', '100/USD/west', '100');
  market.offer('maker', '100', '50/USD/east');
  market.give('west', `${held}/USD/east`, '1000');
  const LimitAmount = { currency: 'USD', issuer: market.address('west'), value: String(limit) };
  market.do({ TransactionType: 'TrustSet', Account: market.address('east'), LimitAmount, QualityIn });
  market.rig.close();
  return market;
}

/** What `west` may pay over its line to `east`: what it holds, then its own paper; what the two of them ask for it. */
const OVER_LINE: readonly (readonly [number, number, Record<string, number>, string])[] = [
  [0, 0, {}, '5'],
  [5, 0, {}, '7.5'],
  [0, 5, {}, '7.5'],
  [4, 3, {}, '8.5'],
  [4, 8, {}, '10'],
  // What is returned to east passes on with its fee, what west pays of its own without.
  [4, 8, { east: 1_250_000_000 }, '9.2'],
  [4, 8, { west: 1_250_000_000 }, '8.8'],
  [4, 8, { QualityIn: 800_000_000 }, '8.8'],
  [4, 8, { QualityIn: 1_500_000_000 }, '13'],
];

for (const [held, limit, asked, out] of OVER_LINE)
  test(`between issuers of one currency whose line has ${held} and ${limit} (${JSON.stringify(asked)}): payments do what was quoted`, () => {
    const { QualityIn = 0, ...fees } = asked;
    const ends = { from: 'ann', to: 'bob', source: 'USD/west', destination: 'USD/east' } as const;
    const market = linked(held, limit, QualityIn);
    for (const [name, TransferRate] of Object.entries(fees)) settings(market, name, { TransferRate });
    const rig = new QuoteRig(market);
    const paths = [['XRP']];
    const ask: QuoteAsk = { ...ends, side: 'in', amount: '10/USD/west', paths };
    expect(rig.quote(ask)?.out.text()).toBe(out);
    for (const amount of ['3/USD/west', '4/USD/west', '10/USD/west', '77/USD/west'])
      for (const side of ['in', 'out'] as const)
        for (const some of [paths, []])
          for (const [from, to] of [
            ['ann', 'bob'],
            ['ann', 'ann'],
            ['west', 'bob'],
            ['ann', 'east'],
            ['west', 'east'],
            ['east', 'ann'],
            ['ann', 'west'],
          ] as const) {
            const asset = side === 'in' ? amount : amount.replace('west', 'east');
            const one: QuoteAsk = { ...ends, from, to, side, amount: asset, paths: some };
            const quoted = rig.quote(one);
            const paid = rig.paid(one);
            const at = JSON.stringify(one);
            // Who holds none of it: what an end has is not looked at.
            if (from === 'east' && held + limit === 0) continue;
            expect([quoted?.in.text() ?? '0', quoted?.out.text() ?? '0'], at).toEqual([
              paid.result === 'tesSUCCESS' ? paid.in.text() : '0',
              paid.result === 'tesSUCCESS' ? paid.out.text() : '0',
            ]);
          }
  });

test('nothing is quoted over two lines of one currency where their owner froze all, or the one over which it is paid', () => {
  const pays = { from: 'ann', to: 'bob', source: 'USD/west', destination: 'USD/east', side: 'in' } as const;
  const ask: QuoteAsk = { ...pays, amount: '10/USD/west', paths: [[]] };
  const freezes = (issuer: string) => (market: MarketRig) => {
    const LimitAmount = market.amount(`1000/USD/${issuer}`);
    market.do({
      TransactionType: 'TrustSet',
      Account: market.address('maker'),
      LimitAmount,
      Flags: Tf.tfSetFreeze,
    });
  };
  for (const [change, result] of [
    [() => {}, 'tesSUCCESS'],
    [
      (market: MarketRig) => settings(market, 'maker', { SetFlag: Asf.asfGlobalFreeze }),
      'tecINVARIANT_FAILED',
    ],
    [freezes('west'), 'tecINVARIANT_FAILED'],
    [freezes('east'), 'tesSUCCESS'],
  ] as const) {
    const market = linked(0, 0);
    market.offer('maker', '100/USD/west', '80/USD/east');
    change(market);
    market.rig.close();
    const rig = new QuoteRig(market);
    const quote = rig.quote(ask);
    expect(quote?.out.text()).toBe(result === 'tesSUCCESS' ? '8' : undefined);
    const payment = {
      SendMax: market.amount(ask.amount),
      Flags: Tf.tfPartialPayment,
      Paths: [[{ currency: 'USD', issuer: market.address('east') }]],
    };
    expect<string>(market.pay('ann', 'bob', '100/USD/east', payment).result).toBe(result);
  }
});

test('nothing is quoted to the issuer of what is spent in the same currency of another issuer: the ledger refuses it as a loop', () => {
  const market = linked(0, 0);
  const rig = new QuoteRig(market);
  const ends = { to: 'west', source: 'USD/west', destination: 'USD/east' } as const;
  for (const from of ['ann', 'west']) {
    const ask: QuoteAsk = { ...ends, from, side: 'in', amount: '10/USD/west', paths: [['XRP']] };
    expect([rig.quote(ask)?.out.text(), rig.paid(ask).result]).toEqual(
      from === 'ann' ? [undefined, 'temBAD_PATH_LOOP'] : ['5', 'tesSUCCESS'],
    );
  }
});

test('what two issuers have of one another is one line: what is paid to the one is gone from what the other can sell', () => {
  const market = new MarketRig();
  market.gateways('east', 'west', 'bank');
  market.rig.fund('maker', 'ann', 'bob');
  for (const token of ['USD/east', 'USD/west', 'EUR/bank']) market.give('maker', `500/${token}`);
  for (const name of ['east', 'bob']) market.give(name, '500/EUR/bank');
  market.give('west', '10/USD/east', '1000');
  // East is paid what west issued, which takes as much from the 10 that west holds of east, and offers.
  market.offer('maker', '6', '6/USD/west');
  market.offer('east', '6/USD/west', '6/EUR/bank');
  market.offer('west', '20', '10/USD/east');
  market.offer('maker', '100/USD/east', '100/EUR/bank');
  market.rig.close();
  const rig = new QuoteRig(market);
  const ends = { from: 'ann', to: 'bob', source: 'XRP', destination: 'EUR/bank' } as const;
  const both = [['USD/west'], ['USD/east']];
  for (const paths of [both, both.toReversed(), [...both, ['USD/west', 'USD/east']]])
    for (const [side, amount] of [
      ['in', '100'],
      ['out', '8/EUR/bank'],
      ['out', '50/EUR/bank'],
    ] as const) {
      const ask: QuoteAsk = { ...ends, side, amount, paths };
      const [quoted, paid] = [rig.quote(ask), rig.paid(ask)];
      const at = JSON.stringify(ask);
      expect([at, quoted?.in.text(), quoted?.out.text()]).toEqual([at, paid.in.text(), paid.out.text()]);
      // 6 over west, and of the 10 over east the 4 that are left.
      expect([at, quoted?.out.text()]).toEqual([at, amount.startsWith('8/') ? '8' : '10']);
    }
});
