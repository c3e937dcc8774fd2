/**
 * Random books and pools: what is quoted over given paths is what the embedded network's payment engine pays, to the last digit,
 * for exact input and exact output, over one strand and over several.
 */
import { expect, test } from 'bun:test';
import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { NO_ISSUE } from '../../../engine/codec/arithmetic/amount-arithmetic.ts';
import { numberOfAmount } from '../../../engine/quotes/amounts.ts';
import { MarketRig } from '../../sandbox/flow/market-rig.ts';
import { drawsOf, seedOf } from '../../sandbox/seed.ts';
import { askOf, plainMarket } from './plain-market.ts';
import { type QuoteAsk, QuoteRig } from './quote-rig.ts';

const MARKETS = Number(process.env.MARKETS ?? 4);
const ASKS = 25;
const SEED = seedOf('exact quotes', 20_261_123);

test(`${MARKETS} markets, ${ASKS} quotes each (seed ${SEED}): quoted is what the ledger's engine pays, to the last digit`, () => {
  const random = drawsOf(SEED);
  let compared = 0;
  let several = 0;
  for (let i = 0; i < MARKETS; i += 1) {
    const market = plainMarket(random);
    const rig = new QuoteRig(market);
    for (let k = 0; k < ASKS; k += 1) {
      const ask = askOf(random);
      const quote = rig.quote(ask);
      const paid = rig.paid(ask);
      const at = `market ${i}, quote ${k}: ${JSON.stringify(ask)}`;
      if (paid.result !== 'tesSUCCESS') {
        expect(quote?.out.text(), `${at}: ${paid.result}`).toBeUndefined();
        continue;
      }
      expect(quote === undefined, at).toBe(false);
      // A quote does not ask what the sender has.
      if (numberOfAmount(quote!.in) > (ask.source === 'XRP' ? 9e9 : 9e4)) continue;
      expect([quote!.in.text(), quote!.out.text()], at).toEqual([paid.in.text(), paid.out.text()]);
      compared += 1;
      if (new Set(quote!.rounds.map(({ strand }) => strand)).size > 1) several += 1;
    }
  }
  console.log(`${compared} of ${MARKETS * ASKS} quotes pay, ${several} over several strands`);
  expect(compared).toBeGreaterThan((MARKETS * ASKS) / 3);
  expect(several).toBeGreaterThan(0);
});

const TOKENS = 40;

test(`${TOKENS} receivers with offers of their own (seed ${SEED}): what these still have is rounded as in the ledger`, () => {
  const random = drawsOf(SEED);
  const market = new MarketRig();
  market.gateways('gate');
  market.rig.fund('ann', 'maker', 'other');
  const asks = Array.from({ length: TOKENS }, (_, i): QuoteAsk => {
    const token = `T${10 + i}/gate`;
    market.give('maker', `${(5_000 + random(1e5) / 7).toPrecision(16)}/${token}`);
    market.give('other', `1000000/${token}`);
    for (let k = 0; k < 4; k += 1) {
      const size = (1 + random(1e5) / 210).toPrecision(16);
      market.offer('maker', (Number(size) / 20).toFixed(6), `${size}/${token}`);
    }
    // More than is left then.
    market.offer('maker', '1000', `20000/${token}`);
    market.offer('other', '9000', `90000/${token}`);
    return { from: 'ann', to: 'maker', source: 'XRP', destination: token, side: 'in', amount: '3000' };
  });
  const rig = new QuoteRig(market);
  for (const ask of asks) expect(rig.quote(ask)!.out.text(), ask.destination).toBe(rig.paid(ask).out.text());
});

test('the number of an amount is the nearest double to what its digits say', () => {
  const random = drawsOf(SEED);
  for (let i = 0; i < 20_000; i += 1) {
    const mantissa = BigInt(10 ** (random(2) * 15)) * BigInt(1 + random(9_999_999)) + BigInt(random(2 ** 31));
    const amount =
      random(4) === 0
        ? Amount.drops(mantissa)
        : Amount.issued(NO_ISSUE, random(8) === 0 ? -mantissa : mantissa, random(60) - 40);
    expect(numberOfAmount(amount)).toBe(Number(`${amount.mantissa}e${amount.exponent}`));
  }
});
